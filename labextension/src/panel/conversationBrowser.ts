// Model of the list of conversations: search, open, rename, delete.

import { Dialog, InputDialog, showDialog } from '@jupyterlab/apputils';
import type { Command, ConversationInfo } from '../messages';
import type { NotebookSession } from '../notebookSession';
import { t } from '../translation';

/** Milliseconds without a key after which is searched. */
const PAUSE = 200;

/** What is done with the conversations that the kernel keeps. */
export class ConversationBrowser {
  private _isOpen = false;
  private _query = '';
  private _timer = 0;

  constructor(
    private readonly _session: () => NotebookSession | null,
    private readonly _changed: () => void
  ) {}

  /** Whether the list is shown in place of the turns. */
  get isOpen(): boolean {
    return this._isOpen;
  }

  set isOpen(value: boolean) {
    this._isOpen = value;
    this._changed();
  }

  /** Show the list, or the turns again. */
  toggle(open = !this._isOpen): void {
    this.isOpen = open;
    if (open) {
      this._query = '';
      this._list();
    }
  }

  /** The words that are looked for. */
  get query(): string {
    return this._query;
  }

  set query(value: string) {
    this._query = value;
    this._changed();
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._list(), PAUSE);
  }

  open({ id }: ConversationInfo): void {
    this._send({ type: 'OpenConversation', id });
    this.isOpen = false;
  }

  async rename({ id, title }: ConversationInfo): Promise<void> {
    const { value } = await InputDialog.getText({ title: t('Rename the conversation'), text: title, okLabel: t('Rename') });
    if (value?.trim()) {
      this._send({ type: 'RenameConversation', id, title: value.trim().slice(0, 500) });
    }
  }

  /** Delete a conversation; null: all of them. The user is asked before. */
  async delete(one: ConversationInfo | null): Promise<void> {
    const body = one ? one.title : t('The conversations of all notebooks are deleted. The notebooks stay as they are.');
    const { button } = await showDialog({
      title: one ? t('Delete the conversation?') : t('Delete all conversations?'),
      body,
      buttons: [Dialog.cancelButton({ label: t('Cancel') }), Dialog.warnButton({ label: one ? t('Delete') : t('Delete all') })]
    });
    if (button.accept) {
      this._send({ type: 'DeleteConversation', id: one?.id ?? null });
    }
  }

  private _list(): void {
    this._send({ type: 'ListConversations', query: this._query.trim().slice(0, 500) });
  }

  private _send(command: Command): void {
    void this._session()?.transport.send(command);
  }
}
