// Notes of a turn as sanitised Markdown.
//
// They come from a model: nothing in them may act or fetch.

import { type IRenderMimeRegistry, removeMath, replaceMath } from '@jupyterlab/rendermime';
import * as React from 'react';
import { plain } from '../plainText';
import { isSafeToTypeset } from '../safeFormulas';

/** Elements that only format text. No images: merely loading one tells its server something. */
const TAGS = 'p br em strong del code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 table thead tbody tr th td hr a span'.split(' ');
const OPTIONS = {
  allowedTags: TAGS,
  allowedAttributes: { a: ['href', 'title', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: {},
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard' as const,
  // Where a link leads is said by us, not by who wrote it.
  transformTags: {
    a: (tagName: string, { href = '' }: Record<string, string>) => ({ tagName, attribs: { href, title: href, rel: 'noopener noreferrer' } })
  }
};

/** Markdown as sanitised HTML. Terminal sequences and control characters are left out. */
export function Notes({ text, rendermime }: { text: string; rendermime: IRenderMimeRegistry }): React.JSX.Element {
  const [html, setHtml] = React.useState('');
  React.useEffect(() => {
    let current = true;
    // Formulas are no Markdown: they are taken out, and put back as text for what typesets it.
    const { text: markdown, math } = removeMath(plain(text));
    void Promise.resolve(rendermime.markdownParser?.render(markdown)).then(rendered => {
      if (current && rendered !== undefined) {
        setHtml(rendermime.sanitizer.sanitize(replaceMath(rendered, math), OPTIONS));
      }
    });
    return () => {
      current = false;
    };
  }, [text, rendermime]);
  const node = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    // The text as what typesets it reads it: entities are characters by now.
    if (node.current && /\$|\\[([]|\\begin/.test(html) && isSafeToTypeset(node.current.textContent ?? '')) {
      rendermime.latexTypesetter?.typeset(node.current);
    }
  }, [html, rendermime]);
  const onClick = (event: React.MouseEvent) => openOutside(event);
  return <div className="spark-Notes" ref={node} onClick={onClick} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Links open in a new tab that knows nothing of this one. */
function openOutside(event: React.MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  if (link) {
    event.preventDefault();
    window.open(link.href, '_blank', 'noopener,noreferrer');
  }
}
