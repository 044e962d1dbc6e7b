// State of speaking to the prompt box, and use of words.

import { type ISignal, Signal } from '@lumino/signaling';
import { t } from '../translation';
import { BrowserRecogniser, hasBrowserRecogniser } from './browserRecogniser';
import { hasLocalRecogniser, LocalRecogniser, type Listener, type Recogniser, type SpokenNames } from './recogniser';
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
export class VoiceModel implements Listener {
  private readonly _changed = new Signal<this, void>(this);
  private _recogniser: Recogniser | null = null;
  private _before = '';
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
    this._problem = '';
    this._before = this._prompt.draft.trim();
    const local = this._services.engine() === 'server';
    const recogniser = (this._recogniser = local ? new LocalRecogniser(this._services.names(), this) : new BrowserRecogniser(this));
    this._changed.emit();
    try {
      await recogniser.start();
    } catch {
      this.onEnd(t('The browser does not give the microphone. Allow it for this page, then press again.'));
    }
  }

  /** The person has ended. */
  finish(): void {
    this._recogniser?.finish();
  }

  onPartial(text: string): void {
    this._prompt.draft = joined(this._before, text);
  }

  onWhole(text: string): void {
    const command = spokenCommand(text);
    this._prompt.draft = command ? this._before : joined(this._before, text);
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
  }

  onEnd(reason: string): void {
    this._recogniser = null;
    this._problem = reason;
    this._changed.emit();
  }
}

const joined = (before: string, text: string): string => [before, text].filter(Boolean).join(' ');
