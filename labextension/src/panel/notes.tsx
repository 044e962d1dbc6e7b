// Notes of a turn as sanitised Markdown.
//
// They come from a model: nothing in them may act or fetch.

import { type IRenderMimeRegistry, removeMath, replaceMath } from '@jupyterlab/rendermime';
import * as React from 'react';
import { isTangled, plain, withoutDrawings } from '../plainText';
import { isSafeToTypeset, stripStyles, typesetText } from '../safeFormulas';

/** Elements that only format text. No images: merely loading one tells its server something. */
const TAGS = 'p br em strong del code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 table thead tbody tr th td hr a span'.split(' ');
const OUTSIDE = /^(?:https?:\/\/|mailto:)/i;
const OPTIONS = {
  allowedTags: TAGS,
  allowedAttributes: { a: ['href', 'title', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: {},
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard' as const,
  // Where a link leads is said by us, not by who wrote it. None leads into this server, where the reader is logged in.
  transformTags: {
    a: (tagName: string, { href = '' }: Record<string, string>) => ({
      tagName,
      attribs: OUTSIDE.test(href) ? { href, title: href, rel: 'noopener noreferrer' } : ({} as Record<string, string>)
    })
  }
};

interface NotesProps {
  readonly text: string;
  readonly rendermime: IRenderMimeRegistry;
}

/** Markdown as sanitised HTML; what would take seconds to render is shown as it is. Terminal sequences and control characters are left out. */
export function Notes({ text, rendermime }: NotesProps): React.JSX.Element {
  const said = plain(text);
  return isTangled(said) ? <pre className="spark-Notes">{said}</pre> : <RenderedNotes text={said} rendermime={rendermime} />;
}

function RenderedNotes({ text, rendermime }: NotesProps): React.JSX.Element {
  const [html, setHtml] = React.useState('');
  React.useEffect(() => {
    let current = true;
    // Formulas are no Markdown: they are taken out, and put back as text for what typesets it.
    const { text: markdown, math } = removeMath(withoutDrawings(text));
    void Promise.resolve(rendermime.markdownParser?.render(markdown)).then(rendered => {
      if (current && rendered !== undefined) {
        const shown = math.map(formula => (isSafeToTypeset(formula) ? formula : `<code>${formula}</code>`));
        setHtml(rendermime.sanitizer.sanitize(replaceMath(rendered, shown), OPTIONS));
      }
    });
    return () => {
      current = false;
    };
  }, [text, rendermime]);
  const node = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    const host = node.current;
    // The text as what typesets it reads it: entities are characters by now.
    if (!host || !/\$|\\[([]|\\begin/.test(html) || !isSafeToTypeset(typesetText(host))) {
      return;
    }
    const observer = new MutationObserver(() => stripStyles(host)); // it is called before anything is drawn
    observer.observe(host, { childList: true, subtree: true });
    rendermime.latexTypesetter?.typeset(host);
    return () => observer.disconnect();
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
