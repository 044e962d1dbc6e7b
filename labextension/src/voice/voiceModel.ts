// State of speaking to the prompt box, and use of words.

import { type ISignal, Signal } from '@lumino/signaling';
import { t } from '../translation';
import { BrowserRecogniser, hasBrowserRecogniser } from './browserRecogniser';
import { hasLocalRecogniser, LocalRecogniser, type Recogniser, type SpokenNames } from './recogniser';
import { spokenCommand } from './spokenCommands';

/** Who recognises speech, as in the settings. */
export type VoiceEngine = 'server' | 'browser' | 'off';

/** The prompt box that the voice fills. */
export interface Prompted {
  /** The words in it. */
  draft: string;
  /** Whether an answer is being written, which words redirect. */
  readonly isStreaming: boolean;
  send(): Promise<void>;
  stop(): void;
}

/** What the voice needs besides. */
export interface VoiceServices {
  /** Run a command of JupyterLab. */
  execute(command: string): void;
  /** The names of the notebook. */
  names(): Promise<SpokenNames>;
  engine(): VoiceEngine;
}

/** The microphone of the prompt box. */
export class VoiceModel {
  private readonly _changed = new Signal<this, void>(this);
  private _recogniser: Recogniser | null = null;
  /** Who listens now: what comes from a recogniser of before is not heard. */
  private _turn = 0;
  private _before = '';
  /** What stood in the box when it was filled last. */
  private _shown = '';
  private _problem = '';

  constructor(
    private readonly _prompt: Prompted,
    private readonly _services: VoiceServices
  ) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get listening(): boolean {
    return this._recogniser !== null;
  }

  /** Why nothing is heard, as a sentence; empty where all is well. */
  get problem(): string {
    return this._problem;
  }

  /** Whether anybody recognises speech here. */
  get available(): boolean {
    const engine = this._services.engine();
    return engine === 'server' ? hasLocalRecogniser() : engine === 'browser' && hasBrowserRecogniser();
  }

  /** Listen, until `finish`. */
  async start(): Promise<void> {
    if (this._recogniser || !this.available) {
      return;
    }
    const turn = (this._turn += 1);
    const now = (act: (text: string) => void) => (text: string) => turn === this._turn && act(text);
    const listener = { onPartial: now(text => this.partial(text)), onWhole: now(text => this.whole(text)), onEnd: now(reason => this._end(reason)) };
    this._problem = '';
    this._shown = this._prompt.draft;
    this._before = this._shown.trim();
    this._recogniser = this._services.engine() === 'server' ? new LocalRecogniser(this._services.names(), listener) : new BrowserRecogniser(listener);
    this._changed.emit();
    await this._recogniser.start().catch((error: unknown) => listener.onEnd(whyNot(error)));
  }

  /** The person has ended: what was said is whole. */
  finish(): void {
    this._recogniser?.finish();
  }

  /** Nobody is there to speak to any more: what was said last is not for who comes next. */
  leave(): void {
    if (this._recogniser) {
      this._turn += 1;
      this._recogniser.finish();
      this._end('');
    }
  }

  /** The words so far of what is being said. */
  partial(text: string): void {
    this._takeTyped();
    this._show(joined(this._before, text));
  }

  /** A whole utterance. */
  whole(text: string): void {
    this._takeTyped();
    const command = spokenCommand(text);
    this._show(command ? this._before : joined(this._before, text));
    if (command === 'stop') {
      this._prompt.stop();
    } else if (command === 'send' || (!command && this._prompt.isStreaming)) {
      void this._prompt.send();
      this._before = '';
    } else if (command) {
      this._services.execute(command);
    } else {
      this._before = this._prompt.draft;
    }
    this._shown = this._prompt.draft;
  }

  /** What a person has typed meanwhile stays. */
  private _takeTyped(): void {
    if (this._prompt.draft !== this._shown) {
      this._before = this._prompt.draft.trim();
    }
  }

  private _show(text: string): void {
    this._prompt.draft = text;
    this._shown = text;
  }

  private _end(reason: string): void {
    this._recogniser = null;
    this._problem = reason;
    this._changed.emit();
  }
}

const joined = (before: string, text: string): string => [before, text].filter(Boolean).join(' ');

function whyNot(error: unknown): string {
  return error instanceof Error && error.name === 'NotAllowedError'
    ? t('The browser does not allow the microphone. Allow it for this page, then press again.')
    : t('The microphone could not be opened. Connect one, or open this page by https or on this machine.');
}
