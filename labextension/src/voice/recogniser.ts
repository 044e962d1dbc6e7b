// Recognisers of speech: on the Jupyter server, or the browser's own.

import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import { t } from '../translation';
import { type Microphone, openMicrophone } from './microphone';

/** What hears what a recogniser understands. */
export interface Listener {
  /** The words so far of what is being said. */
  onPartial(text: string): void;
  /** A whole utterance. */
  onWhole(text: string): void;
  /** It can't go on; `reason` is a sentence for the person, empty where there is nothing to say. */
  onEnd(reason: string): void;
}

/** Speech in, text out, from `start` to `onEnd`. */
export interface Recogniser {
  /** Resolves when it listens. Rejects where the microphone is not to be had. */
  start(): Promise<void>;
  /** The person has ended: what was said is whole. */
  finish(): void;
}

/** Names of a notebook, which are expected in what is said. */
export interface SpokenNames {
  readonly names: readonly string[];
  readonly tables: readonly string[];
}

export const NO_NAMES: SpokenNames = { names: [], tables: [] };

/** Milliseconds for which the last words are waited for: a busy server takes its time to begin. */
const PATIENCE = 30_000;

/** Whether the Jupyter server recognises speech. */
export const hasLocalRecogniser = (): boolean => PageConfig.getOption('sparkVoice') === 'true';

/** The Jupyter server's: the sound goes nowhere else. */
export class LocalRecogniser implements Recogniser {
  private readonly _socket: WebSocket;
  private _microphone: Microphone | null = null;
  /** Sound until the names are sent. */
  private _waiting: ArrayBuffer[] | null = [];
  private _finished = false;
  private _isLate = false;
  private _ended = false;

  constructor(
    names: Promise<SpokenNames>,
    private readonly _listener: Listener
  ) {
    const token = PageConfig.getToken();
    const url = URLExt.join(PageConfig.getWsUrl(), 'spark/voice');
    const socket = (this._socket = new WebSocket(token ? `${url}?token=${encodeURIComponent(token)}` : url));
    socket.onopen = async () => {
      socket.send(JSON.stringify(await names));
      this._waiting?.forEach(sound => socket.send(sound));
      this._waiting = null;
    };
    socket.onmessage = ({ data }) => this._hear(JSON.parse(data as string) as { text: string; final?: boolean });
    socket.onclose = () => this._end(this._whyEnded);
  }

  async start(): Promise<void> {
    this._microphone = await openMicrophone(sound => this._send(sound)).catch((error: unknown) => {
      this._socket.onclose = null; // who called is told why
      this._socket.close();
      throw error;
    });
    if (this._finished || this._ended) {
      this._closeMicrophone(); // it ended while the person was asked for the microphone
    }
  }

  finish(): void {
    if (!this._finished) {
      this._finished = true;
      this._closeMicrophone();
      this._send(new ArrayBuffer(0));
      window.setTimeout(() => {
        this._isLate = true;
        this._socket.close();
      }, PATIENCE);
    }
  }

  private get _whyEnded(): string {
    if (this._isLate) {
      return t('Speech recognition took too long. Press the microphone and say it again.');
    }
    return this._finished ? '' : t('Speech recognition ended. Press the microphone to start it again.');
  }

  private _send(sound: ArrayBuffer): void {
    if (this._waiting) {
      this._waiting.push(sound);
    } else {
      this._socket.send(sound);
    }
  }

  private _hear({ text, final = false }: { text: string; final?: boolean }): void {
    if (final) {
      this._listener.onWhole(text);
    } else {
      this._listener.onPartial(text);
    }
  }

  private _closeMicrophone(): void {
    this._microphone?.close();
    this._microphone = null;
  }

  private _end(reason: string): void {
    this._ended = true;
    this._closeMicrophone();
    this._listener.onEnd(reason);
  }
}
