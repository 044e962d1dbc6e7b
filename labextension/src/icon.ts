import { LabIcon } from '@jupyterlab/ui-components';

/** A spark: four points around a centre. Takes the theme's icon colour. */
export const sparkIcon = new LabIcon({
  name: 'spark-jupyter:spark',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" ' +
    'd="M11 2l2.2 6.8L20 11l-6.8 2.2L11 20l-2.2-6.8L2 11l6.8-2.2zM19 15l.9 2.6 2.6.9-2.6.9L19 22l-.9-2.6-2.6-.9 2.6-.9z"/></svg>'
});
