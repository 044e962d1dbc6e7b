// Provider for JupyterLab's own inline completer.
//
// It shows the same suggestions, for users who prefer that surface.

import type { CompletionHandler, IInlineCompletionContext, IInlineCompletionItem, IInlineCompletionList, IInlineCompletionProvider } from '@jupyterlab/completer';
import { InlineCompletionTriggerKind } from '@jupyterlab/completer';
import { Text } from '@jupyterlab/coreutils';
import type { ISharedCell } from '@jupyter/ydoc';
import { LONGEST_AROUND } from '../constants';
import { sparkIcon } from '../icons';
import type { Event } from '../messages';
import type { Transport } from '../transport';
import { InlineRequest } from './inlineRequest';
import { complete, type SuggestionHost } from './suggestionHosts';

/** What JupyterLab knows us by. */
export const IDENTIFIER = 'spark-jupyter';

/** What the provider finds out from others. */
export interface ProviderOptions {
  /** The cell in which the user is, in a notebook or console. */
  readonly cellIn: (context: IInlineCompletionContext) => ISharedCell | null;
  readonly hostOf: (cell: ISharedCell) => SuggestionHost | null;
  /** Whether suggestions are wanted in a place, `byKey` or by themselves. */
  readonly wanted: (host: SuggestionHost, byKey: boolean) => boolean;
}

/** Spark as a provider of JupyterLab's inline completer. One request is under way at most. */
export class InlineProvider implements IInlineCompletionProvider {
  readonly identifier = IDENTIFIER;
  readonly name = 'Spark';
  readonly icon = sparkIcon;
  /** Off as long as nobody wants it: Spark has a surface of its own. */
  readonly schema = { type: 'object', default: { enabled: false, autoFillInMiddle: true } } as const;
  private readonly _heard = new WeakSet<Transport>();
  private _asked: InlineRequest | null = null;
  private _transport: Transport | null = null;

  constructor(private readonly _options: ProviderOptions) {}

  async fetch(request: CompletionHandler.IRequest, context: IInlineCompletionContext): Promise<IInlineCompletionList> {
    const cell = this._options.cellIn(context);
    const host = cell && this._options.hostOf(cell);
    const byKey = context.triggerKind === InlineCompletionTriggerKind.Invoke;
    if (!cell || !host || !this._options.wanted(host, byKey)) {
      return { items: [] };
    }
    const asked = this._begin(host.transport);
    const at = Text.charIndexToJsIndex(request.offset, request.text);
    complete(host, cell, {
      completion_id: asked.id,
      before: request.text.slice(Math.max(0, at - LONGEST_AROUND), at),
      after: request.text.slice(at, at + LONGEST_AROUND),
      asked: byKey
    });
    const item = await asked.first();
    return { items: item ? [item] : [] };
  }

  async *stream(token: string): AsyncGenerator<{ response: IInlineCompletionItem }> {
    if (this._asked?.id === token) {
      for await (const response of this._asked.more()) {
        yield { response };
      }
    }
  }

  private _begin(transport: Transport): InlineRequest {
    this._asked?.end();
    if (!this._heard.has(transport)) {
      this._heard.add(transport);
      transport.received.connect((_, events) => this._onEvents(events));
      transport.statusChanged.connect(() => this._transport === transport && !transport.mayAnswer && this._asked?.end());
    }
    this._transport = transport;
    return (this._asked = new InlineRequest());
  }

  private _onEvents(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'Completed' && event.completion_id === this._asked?.id) {
        this._asked.say(event);
      }
    }
  }
}
