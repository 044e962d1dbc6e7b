// Words in which code stands in backticks.

import * as React from 'react';
import { codeParts } from '../dom';

/** The words, with their code set as code. */
export function InlineCode({ text }: { text: string }): React.JSX.Element {
  return <>{codeParts(text).map((part, n) => (part.code ? <code key={n}>{part.text}</code> : part.text))}</>;
}
