// Text whose backticked parts are rendered as code.

import * as React from 'react';
import { codeParts } from './plainText';

/** The text, with its code set as code. */
export function InlineCode({ text }: { text: string }): React.JSX.Element {
  return <>{codeParts(text).map((part, n) => (part.code ? <code key={n}>{part.text}</code> : part.text))}</>;
}
