// Text area for prompts, with destination and completions.

import * as React from 'react';
import { imageFiles } from '../promptImages';
import { streamingTurn } from '../selectors';
import { useSyncRender } from './useSyncRender';
import type { PanelModel } from './panelModel';
import { CHOSEN_ID, LIST_ID, CompletionList } from './completionList';
import { ImageChips } from './imageChips';
import { RuleChips } from './ruleChips';
import { t } from '../translation';

interface PromptInputProps {
  readonly model: PanelModel;
  readonly rows: number;
  /** What stands between where the words will go and the box: it keeps its place above the box when what is said there gets longer. */
  readonly children?: React.ReactNode;
  /** Called for Escape: whether that was for leaving, and not for stopping a turn. */
  readonly leave?: () => boolean;
}

/**
 * Enter sends (or steers while a turn streams), Alt-Enter sends for new cells, Shift-Enter is a new line, Escape stops the turn. Up walks
 * through what was typed before; / and @ are completed.
 */
export function PromptInput(props: PromptInputProps): React.JSX.Element {
  const { model, rows, children, leave } = props;
  const box = React.useRef<HTMLTextAreaElement>(null);
  const label = React.useId();
  const [focused, setFocused] = React.useState(false);
  const sync = useSyncRender();
  const inPanel = leave === undefined;
  React.useEffect(() => {
    if (!inPanel) {
      box.current?.focus();
      return;
    }
    const focus = () => {
      if (model.focusWish.take()) {
        box.current?.focus();
      }
    };
    focus();
    model.focusWish.made.connect(focus);
    return () => {
      model.focusWish.made.disconnect(focus);
    };
  }, [model, inPanel]);
  const { destination, state, sending } = model;
  const streaming = state !== null && streamingTurn(state) !== null;
  const completing = focused && model.completions.items.length > 0;
  return (
    <>
      <div className="spark-Prompt-destination" id={label} title={destination.hint}>
        {destination.label}
      </div>
      {children}
      <ImageChips model={model} />
      <RuleChips model={model} />
      <textarea
        ref={box}
        className="spark-Prompt-box"
        aria-label={streaming ? t('Steer the answer') : t('Prompt')}
        aria-describedby={label}
        aria-controls={completing ? LIST_ID : undefined}
        aria-activedescendant={completing ? CHOSEN_ID : undefined}
        placeholder={sending ? t('Sending…') : placeholder(destination.kind)}
        rows={rows}
        disabled={destination.kind === 'none'}
        readOnly={sending}
        value={sending ? '' : model.draft} // while it is on its way it is shown with the turns
        onChange={sync(event => onType(model, event.target))}
        onKeyDown={sync(event => onKey(props, event))}
        onPaste={event => take(model, event, event.clipboardData)}
        onDragOver={event => [...event.dataTransfer.items].some(item => item.kind === 'file') && event.preventDefault()}
        onDrop={event => take(model, event, event.dataTransfer)}
        onFocus={() => {
          setFocused(true);
          void model.view?.session.warm(); // then it is known who answers, and what could be asked
        }}
        onBlur={() => {
          setFocused(false);
          model.completions.close();
        }}
      />
      {completing && <CompletionList model={model} />}
    </>
  );
}

/** Take the images of a paste or a drop; of anything else the box takes the text. */
function take(model: PanelModel, event: React.SyntheticEvent, data: DataTransfer): void {
  const files = imageFiles(data);
  if (files.length > 0) {
    event.preventDefault();
    model.addImages(files);
  }
}

function placeholder(kind: string): string {
  switch (kind) {
    case 'steer':
      return t('Say what should be different…');
    case 'hint':
      return t('What are you stuck on?');
    case 'edit':
      return t('What should change in this cell?');
    default:
      return t('What should the next cells do? (@ data, / commands)');
  }
}

function onType(model: PanelModel, box: HTMLTextAreaElement): void {
  const text = box.value;
  if (!model.draft && text) {
    void model.view?.session.warm();
  }
  model.draft = text;
  model.history.stop();
  if (box.selectionEnd === text.length) {
    void model.completions.look(text, model.view);
  } else {
    model.completions.close();
  }
}

function onKey({ model, leave }: PromptInputProps, event: React.KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.nativeEvent.isComposing) {
    return;
  }
  if (completes(model, event) || remembers(model, event)) {
    event.preventDefault();
  } else if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    void model.send({ asNew: event.altKey });
  } else if (event.key === 'Escape') {
    event.preventDefault();
    if (!leave?.()) {
      model.stop();
    }
  }
}

/** Whether a key was for the list of completions. */
function completes(model: PanelModel, event: React.KeyboardEvent): boolean {
  const { completions } = model;
  if (completions.items.length === 0 || event.altKey || event.ctrlKey || event.metaKey) {
    return false;
  }
  switch (event.key) {
    case 'ArrowDown':
    case 'ArrowUp':
      completions.move(event.key === 'ArrowDown' ? 1 : -1);
      return true;
    case 'Tab':
    case 'Enter':
      if (event.shiftKey || (event.key === 'Enter' && completions.chosen < 0)) {
        return false;
      }
      model.draft = completions.put(model.draft);
      return true;
    case 'Escape':
      completions.close();
      return true;
    default:
      return false;
  }
}

/** Whether a key walked through what was typed before: Up in the first line, and Down once that walk is under way. */
function remembers(model: PanelModel, event: React.KeyboardEvent<HTMLTextAreaElement>): boolean {
  const { history, draft } = model;
  const box = event.currentTarget;
  if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || box.selectionStart !== box.selectionEnd) {
    return false;
  }
  const first = !draft.slice(0, box.selectionStart).includes('\n');
  const found =
    event.key === 'ArrowUp' && (first || history.walking) ? history.older(draft) : event.key === 'ArrowDown' ? history.newer() : null;
  if (found !== null) {
    model.draft = found;
  }
  return found !== null;
}
