// Speech recognition of the browser, which may send sound away.

import { t } from '../translation';
import type { Listener, Recogniser } from './recogniser';

/** What is used of the Web Speech API, which TypeScript's library does not describe. */
interface SpeechRecognition {
  continuous: boolean;
  interimResults: boolean;
  onresult: (event: { readonly resultIndex: number; readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }> }) => void;
  onerror: (event: { readonly error: string }) => void;
  onend: () => void;
  start(): void;
  stop(): void;
}

type Constructor = new () => SpeechRecognition;

const constructorOf = (): Constructor | undefined => {
  const { SpeechRecognition: standard, webkitSpeechRecognition: prefixed } = window as unknown as Record<string, Constructor | undefined>;
  return standard ?? prefixed;
};

/** Whether the browser recognises speech. */
export const hasBrowserRecogniser = (): boolean => constructorOf() !== undefined;

/** The browser's recogniser. */
export class BrowserRecogniser implements Recogniser {
  private readonly _speech: SpeechRecognition;
  private _reason = '';

  constructor(listener: Listener) {
    const Speech = constructorOf() as Constructor;
    const speech = (this._speech = new Speech());
    speech.continuous = true;
    speech.interimResults = true;
    speech.onresult = ({ resultIndex, results }) => {
      for (const result of Array.from(results).slice(resultIndex)) {
        const text = result[0].transcript.trim();
        if (result.isFinal) {
          listener.onWhole(text);
        } else {
          listener.onPartial(text);
        }
      }
    };
    speech.onerror = ({ error }) => {
      this._reason = error === 'no-speech' || error === 'aborted' ? '' : t('The browser could not recognise speech (%1). Type instead, or choose the server’s recognition in the settings.', error);
    };
    speech.onend = () => listener.onEnd(this._reason);
  }

  start(): Promise<void> {
    this._speech.start();
    return Promise.resolve();
  }

  finish(): void {
    this._speech.stop();
  }
}
