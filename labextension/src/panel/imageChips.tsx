// Chips of the images that go along with the next prompt.

import * as React from 'react';
import { toldSentences } from '../kernelTexts';
import { tokensOf } from '../promptImages';
import type { Image, ImageSupport } from '../messages';
import type { PanelModel } from './panelModel';
import { dollars } from './turnMeter';
import { language, t } from '../translation';

/** The images that were pasted or dropped, and the figure that the words name. */
export function ImageChips({ model }: { model: PanelModel }): React.JSX.Element | null {
  const { images, view, state } = model;
  const any = images.length > 0;
  const support = state?.imageSupport ?? null;
  const chosen = state?.model ?? '';
  React.useEffect(() => {
    if (any) {
      void view?.session.providers.imageSupport();
    }
  }, [any, view, chosen]);
  if (!any) {
    return null;
  }
  return (
    <div className="spark-Images">
      <ul aria-label={t('Images that go along')}>
        {images.map((image, n) => (
          <Chip key={n} image={image} support={support} remove={image.name === 'figure' ? null : () => model.removeImage(image)} />
        ))}
      </ul>
      {support?.refused && <div className="spark-Images-note">{toldSentences(support.refused)}</div>}
      {!support?.refused && support?.reads === 'no' && <div className="spark-Images-note">{t('%1 reads no images, so they are not sent.', support.model)}</div>}
    </div>
  );
}

function Chip({ image, support, remove }: { image: Image; support: ImageSupport | null; remove: (() => void) | null }): React.JSX.Element {
  const { width, height, data, media_type: kind } = image;
  const tokens = tokensOf(image);
  const price = support?.input_price ?? null;
  const name = image.name === 'figure' ? t('figure') : image.name || t('image');
  return (
    <li className="spark-Chip">
      <img alt="" src={`data:${kind};base64,${data}`} />
      <span className="spark-Images-name" title={name}>
        {name}
      </span>
      {remove && (
        <button type="button" aria-label={t('Remove %1', name)} title={t('Remove %1', name)} onClick={remove}>
          ×
        </button>
      )}
      <span>{t('%1 × %2', width, height)}</span>
      <span>{t('about %1 tokens', tokens.toLocaleString(language()))}</span>
      {price !== null && <span>{dollars((tokens * price) / 1e6)}</span>}
    </li>
  );
}
