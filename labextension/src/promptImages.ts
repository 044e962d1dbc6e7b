// Images of a prompt: read, scaled, measured, sent when the user agreed.

import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { IOutput } from '@jupyterlab/nbformat';
import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import { type ISignal, Signal } from '@lumino/signaling';
import { IMAGE_EDGE, IMAGE_LEAST_TOKENS, IMAGE_PIXELS, IMAGE_PIXELS_PER_TOKEN, LONGEST_IMAGE, LOOK, MOST_IMAGES, NAMES_FIGURE, PLOTLY } from './constants';
import { toldSentences } from './kernelTexts';
import type { Image, TrialResult } from './messages';
import type { NotebookSession } from './notebookSession';
import type { NotebookView } from './notebookView';
import { isOpen } from './selectors';
import type { State } from './state';
import { t } from './translation';

const FIGURE_WORDS = new RegExp(NAMES_FIGURE, 'i');
const BASE64 = /^[A-Za-z0-9+/]+=*$/;
const PNG = '\x89PNG\r\n\x1a\n';
/** How well a photograph is kept that is written again. */
const QUALITY = 0.88;
/** Milliseconds that the kernel has to say whether images can go along. */
const PATIENCE = 10_000;

/** The images that were pasted or dropped for the next prompt of each notebook. */
export class PromptImages {
  private readonly _changed = new Signal<this, void>(this);
  private readonly _images = new WeakMap<object, readonly Image[]>();

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Those for a notebook. */
  of(view: NotebookView | null): readonly Image[] {
    return (view && this._images.get(view)) ?? [];
  }

  /** Take in files; what is no image is said. */
  async add(view: NotebookView, files: readonly File[]): Promise<void> {
    for (const file of files) {
      const image = await readImage(file).catch(() => null);
      if (image) {
        this._set(view, [...this.of(view), image].slice(-MOST_IMAGES));
      } else {
        view.session.store.dispatch({ type: 'Problem', code: 'no_image', message: t('%1 is not a readable image.', file.name), remedy: t('Use PNG, JPEG, GIF or WebP.') });
      }
    }
  }

  remove(view: NotebookView, image: Image): void {
    this._set(view, this.of(view).filter(one => one !== image));
  }

  clear(view: NotebookView): void {
    if (this.of(view).length > 0) {
      this._set(view, []);
    }
  }

  private _set(view: NotebookView, images: readonly Image[]): void {
    this._images.set(view, images);
    this._changed.emit();
  }
}

/** The image files of a paste or a drop. */
export function imageFiles(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(file => file.type.startsWith('image/'));
}

/** Tokens that an image counts as input, estimated. The twin of `Image.tokens` in spark_jupyter/protocol/values.py. */
export function tokensOf({ width, height }: Pick<Image, 'width' | 'height'>): number {
  return Math.max(IMAGE_LEAST_TOKENS, Math.ceil((width * height) / IMAGE_PIXELS_PER_TOKEN));
}

/** The figure that the words of a prompt name: of a Try that waits for a decision, or the last one among the outputs. */
export function namedFigure(view: NotebookView | null, text: string): Image | null {
  return view && FIGURE_WORDS.test(text) ? lastFigure(view.session.notebook, view.session.store.state) : null;
}

/** The figure of the last Try of a proposal that waits, else the last among the outputs. */
export function lastFigure(notebook: ISharedNotebook, { trials, proposals }: Pick<State, 'trials' | 'proposals'>): Image | null {
  const waiting = [...trials].filter(([cellId]) => isOpen(proposals.get(cellId) ?? { state: 'rejected' }));
  const tried = waiting.map(([, trial]) => figureOf(trial)).findLast(image => image !== null);
  const shown = lastShown(notebook);
  return tried ?? (shown ? pictureIn(shown) : null);
}

/** The last output that shows a figure. */
function lastShown(notebook: ISharedNotebook): IOutput | undefined {
  return notebook.cells
    .filter((cell): cell is ISharedCodeCell => cell.cell_type === 'code')
    .flatMap(cell => cell.outputs)
    .findLast(output => isInteractive(output) || pictureIn(output) !== null);
}

/** Whether an output shows a figure without a picture of it. */
function isInteractive(output: IOutput): boolean {
  return PLOTLY in ((output.data as object | undefined) ?? {}) && pictureIn(output) === null;
}

/** The last figure that a Try drew. */
export function figureOf({ outputs = [] }: Pick<TrialResult, 'outputs'>): Image | null {
  return outputs.map(output => png(output.data?.['image/png'])).findLast(image => image !== null) ?? null;
}

function pictureIn(output: IOutput): Image | null {
  return png((output.data as Record<string, unknown> | undefined)?.['image/png']);
}

/** A PNG in base64, where it goes as it is; the kernel scales one that is larger. */
function png(data: unknown): Image | null {
  const text = (Array.isArray(data) ? data.join('') : typeof data === 'string' ? data : '').replace(/\s+/g, '');
  if (!text || text.length > LONGEST_IMAGE || !BASE64.test(text)) {
    return null;
  }
  const head = atob(text.slice(0, 32));
  const number = (at: number) => [0, 1, 2, 3].reduce((sum, n) => sum * 256 + head.charCodeAt(at + n), 0);
  const [width, height] = [number(16), number(20)];
  return head.startsWith(PNG) && width > 0 && height > 0 && fits(width, height) ? { media_type: 'image/png', data: text, width, height, name: 'figure' } : null;
}

function fits(width: number, height: number): boolean {
  return Math.max(width, height) <= IMAGE_EDGE && width * height <= IMAGE_PIXELS;
}

/** An image file as it goes to a model. Rejected for what the browser can't read. */
async function readImage(file: File): Promise<Image | null> {
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const name = file.name.slice(0, 200);
  const kind = (['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const).find(one => one === file.type);
  if (kind && fits(width, height) && file.size * 1.4 < LONGEST_IMAGE) {
    bitmap.close();
    return { media_type: kind, data: await base64(file), width, height, name };
  }
  const factor = Math.min(1, IMAGE_EDGE / Math.max(width, height), Math.sqrt(IMAGE_PIXELS / (width * height)));
  const canvas = new OffscreenCanvas(Math.max(1, Math.floor(width * factor)), Math.max(1, Math.floor(height * factor)));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const media_type = kind === 'image/jpeg' ? 'image/jpeg' : 'image/png';
  const data = await base64(await canvas.convertToBlob({ type: media_type, quality: QUALITY }));
  return data.length <= LONGEST_IMAGE ? { media_type, data, width: canvas.width, height: canvas.height, name } : null;
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/** Whether images may go with the next prompt: asked once for each provider. Of a model that reads none the kernel says so itself. */
export async function mayShowImages({ providers }: NotebookSession): Promise<boolean> {
  const support = await providers.imageSupport(PATIENCE);
  if (!support || support.reads === 'no' || support.agreed || support.refused) {
    return support !== null;
  }
  const { button } = await showDialog({
    title: t('Send images to %1?', support.provider),
    body: t('From now on %1 gets the images and figures that you send with a prompt. %spark images off ends that.', support.provider),
    buttons: [Dialog.cancelButton({ label: t('Cancel') }), Dialog.okButton({ label: t('Send') })]
  });
  if (button.accept) {
    providers.allowImages();
  }
  return button.accept;
}

/** Have the model compare a figure with what was asked for; `words` say what else is to be looked at. */
export async function look(view: NotebookView, figure: Image | null, words = ''): Promise<void> {
  const { providers, store } = view.session;
  const say = (message: string, remedy: string) => store.dispatch({ type: 'Problem', code: 'no_look', message, remedy });
  if (!figure) {
    const shown = lastShown(view.session.notebook);
    if (shown && isInteractive(shown)) {
      say(t('The last figure is interactive and has no picture.'), t('Show it as one, fig.show("png"), which needs the package kaleido.'));
    } else {
      say(t('There is no figure to look at.'), t('Draw one first.'));
    }
    return;
  }
  const support = await providers.imageSupport(PATIENCE);
  if (support?.refused) {
    say(toldSentences(support.refused), '');
  } else if (support?.reads === 'no') {
    say(t('%1 reads no images, so it can’t look at the figure.', support.model), t('Choose a model that does.'));
  } else if (await mayShowImages(view.session)) {
    await view.prompt(`${LOOK} ${words}`.trim(), { target: { after: view.activeCellId }, intent: 'explain', images: [figure] });
  }
}
