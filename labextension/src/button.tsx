// Button with icon, label and a tooltip that names its shortcut.

import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

export interface ButtonProps {
  readonly label: string;
  /** Shown as a tooltip; where the label is hidden, the label comes first there. */
  readonly title?: string;
  readonly icon?: LabIcon;
  /** Only the icon is shown; the label is the accessible name. */
  readonly iconOnly?: boolean;
  /** The one action that the state suggests. */
  readonly primary?: boolean;
  /** The keyboard shortcut, for the tooltip. */
  readonly keys?: string;
  readonly pressed?: boolean;
  /** Why it can't be pressed now. The button keeps the focus and says so. */
  readonly unavailable?: string;
  readonly disabled?: boolean;
  readonly action?: string;
  readonly type?: 'button' | 'submit';
  readonly className?: string;
  readonly onClick?: () => void;
}

/** A button. One that is unavailable is `aria-disabled` instead of `disabled`: the reason must be reachable by keyboard and screen reader. */
export function Button(props: ButtonProps): React.JSX.Element {
  const { label, title = '', icon, iconOnly = false, primary = false, keys = '', pressed, unavailable = '', disabled, action, type = 'button', className = '', onClick } = props;
  const text = unavailable || (iconOnly ? [label, title].filter(Boolean).join(': ') : title);
  const tooltip = keys && text ? `${text} (${keys})` : text || undefined;
  const classes = ['spark-Button', iconOnly && 'spark-mod-icon', primary && 'spark-mod-primary', className].filter(Boolean).join(' ');
  return (
    <button
      type={type}
      className={classes}
      title={tooltip}
      data-action={action}
      aria-label={unavailable ? `${label}: ${unavailable}` : iconOnly ? label : undefined}
      aria-pressed={pressed}
      aria-disabled={unavailable ? true : undefined}
      disabled={disabled}
      onClick={() => !unavailable && onClick?.()}
    >
      {icon && <icon.react tag="span" className="spark-Button-icon" />}
      {!iconOnly && label}
    </button>
  );
}
