// Icons of Spark, in the colours of the theme.

import { LabIcon } from '@jupyterlab/ui-components';

/** A spark: four points around a centre. Takes the theme's icon colour. */
export const sparkIcon = new LabIcon({
  name: 'spark-jupyter:spark',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" ' +
    'd="M11 2l2.2 6.8L20 11l-6.8 2.2L11 20l-2.2-6.8L2 11l6.8-2.2zM19 15l.9 2.6 2.6.9-2.6.9L19 22l-.9-2.6-2.6-.9 2.6-.9z"/></svg>'
});

/** A paper plane. */
export const sendIcon = new LabIcon({
  name: 'spark-jupyter:send',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" ' +
    'd="M3 20.5l18.5-8.5L3 3.5v6.6l12 1.9-12 1.9z"/></svg>'
});

/** A spanner. */
export const fixIcon = new LabIcon({
  name: 'spark-jupyter:fix',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" ' +
    'd="M20.6 7.4a5.2 5.2 0 0 1-7 6.1L7.4 19.7a2.2 2.2 0 1 1-3.1-3.1l6.2-6.2a5.2 5.2 0 0 1 6.1-7l-3 3 .9 3.1 3.1.9z"/></svg>'
});

/** A question mark in a circle. */
export const whyIcon = new LabIcon({
  name: 'spark-jupyter:why',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" fill-rule="evenodd" ' +
    'd="M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20zm-1.1 14v2.2h2.2V16zM8 9.5h2.1a1.9 1.9 0 1 1 2.9 1.6c-1.3.9-2.1 1.6-2.1 3.4H13c0-1.2.4-1.5 1.4-2.2A4 4 0 1 0 8 9.5z"/></svg>'
});

/** A text in a speech balloon. */
export const explainIcon = new LabIcon({
  name: 'spark-jupyter:explain',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" fill-rule="evenodd" ' +
    'd="M3 4h18v13H9l-6 4zM7 8v1.8h10V8zM7 11.4v1.8h7v-1.8z"/></svg>'
});

/** A clock. */
export const clockIcon = new LabIcon({
  name: 'spark-jupyter:clock',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" fill-rule="evenodd" ' +
    'd="M12 2.5a9.5 9.5 0 1 1 0 19 9.5 9.5 0 0 1 0-19zm0 2a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM11.1 6.5h1.8v5.1l3.6 2.2-.9 1.5-4.5-2.7z"/></svg>'
});

/** A microphone. */
export const microphoneIcon = new LabIcon({
  name: 'spark-jupyter:microphone',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" ' +
    'd="M12 2.5a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0v-6a3 3 0 0 0-3-3zM5.5 11a6.5 6.5 0 0 0 5.5 6.4V21h2v-3.6a6.5 6.5 0 0 0 5.5-6.4h-2a4.5 4.5 0 0 1-9 0z"/></svg>'
});
