// Models for this machine, in the dialog that connects a model.
//
// A model that is not there is downloaded where the kernel is; one that is there is chosen like a provider.

import * as React from 'react';
import { toldSentences } from '../kernelTexts';
import type { ModelDownload, ModelOffer } from '../messages';
import type { State } from '../state';
import { language, t } from '../translation';

interface OffersProps {
  readonly state: State;
  /** The file that is chosen. */
  readonly file: string;
  readonly choose: (file: string) => void;
  readonly download: (name: string, stop: boolean) => void;
}

/** The catalogue, closed until somebody wants to see it. */
export function ModelFileOffers({ state, file, choose, download }: OffersProps): React.JSX.Element | null {
  const { offers, downloads } = state;
  if (offers.length === 0) {
    return null;
  }
  return (
    <details className="spark-Connect-offers" open={downloads.size > 0 || undefined}>
      <summary>{t('Models for this machine')}</summary>
      <div className="spark-Connect-note">{t('Nothing leaves the machine. A small model is often wrong.')}</div>
      {[...offers].sort((one, other) => Number(other.fits) - Number(one.fits)).map(offer => (
        <Offer key={offer.name} offer={offer} told={downloads.get(offer.name)} chosen={offer.path !== '' && offer.path === file} choose={choose} download={download} />
      ))}
    </details>
  );
}

interface OfferProps extends Pick<OffersProps, 'choose' | 'download'> {
  readonly offer: ModelOffer;
  readonly told: ModelDownload | undefined;
  readonly chosen: boolean;
}

function Offer({ offer, told, chosen, choose, download }: OfferProps): React.JSX.Element {
  const { name, title, path, licence, good_for, fits, fills_in } = offer;
  const running = isRunning(told);
  const size = (gigabytes: number) => gigabytes.toFixed(1);
  return (
    <div className="spark-Connect-offer" data-model={name}>
      <div>
        <b>{title}</b>
        {fits && <span className="spark-Connect-badge">{t('Fits this machine')}</span>}
        {fills_in && <span className="spark-Connect-badge">{t('Ghost text')}</span>}
        <div className="spark-Connect-note">{toldSentences(good_for)}</div>
        <div className="spark-Connect-note">
          {t('%1 GB to download, %2 GB of memory, %3 tokens of context, %4', size(offer.gigabytes), size(offer.memory), offer.context.toLocaleString(language()), licence)}
        </div>
        {told?.problem && (
          <div className="spark-Connect-answer" role="alert" data-ok="false">
            {toldSentences(told.problem)}
          </div>
        )}
        {running && (
          <progress max={offer.gigabytes} value={told?.gigabytes ?? 0} aria-label={t('%1 of %2 GB', size(told?.gigabytes ?? 0), size(offer.gigabytes))} />
        )}
      </div>
      {path ? (
        <button type="button" className="jp-mod-styled jp-mod-minimal" aria-pressed={chosen} onClick={() => choose(path)}>
          {t('Choose')}
        </button>
      ) : (
        <button type="button" className="jp-mod-styled jp-mod-minimal" onClick={() => download(name, running)}>
          {running ? t('Stop') : told ? t('Go on') : t('Download')}
        </button>
      )}
    </div>
  );
}

/** Whether a download goes on, as far as was told. */
function isRunning(told: ModelDownload | undefined): boolean {
  return told !== undefined && !told.done && !told.stopped && !told.problem;
}
