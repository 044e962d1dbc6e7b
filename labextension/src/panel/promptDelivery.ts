// Delivery of a prompt to its destination.

import type { BeginDeep, Image, Target } from '../messages';
import type { NotebookView } from '../notebookView';
import { skillsOf } from '../selectors';
import { EMPTY } from '../state';
import { tablesMade } from '../runningCells';
import { type Destination, destinationOf, intentOf, NO_WISHES } from './destination';
import { attemptsIn, type ResolvedInput } from './resolveInput';
import type { PanelModel } from './panelModel';
import { type CommandActions, parseTyped, type Typed } from './slashCommands';

/** Milliseconds for which the kernel's first words are waited for. */
const HELLO_PATIENCE = 2000;

interface Actions extends CommandActions {
  /** How long each answer of deep work may take. */
  readonly within: NonNullable<BeginDeep['within']>;
}

/** Have the kernel listen, and of a prompt for the recipes also what running cells make be there. */
export async function getReady({ notebook, store, transport }: NotebookView['session'], { kind }: Destination): Promise<void> {
  await transport.attach({ load: true });
  if (transport.status === 'ready' && kind !== 'command' && kind !== 'steer') {
    await store.until(({ hello }) => hello !== null, HELLO_PATIENCE); // who answers is told a moment after
    await tablesMade({ notebook, store });
  }
}

/** What stands in the box: a prompt or a command. */
export function typedIn({ draft, state }: PanelModel): Typed {
  return parseTyped(draft.trim(), skillsOf(state ?? EMPTY).map(({ name }) => name));
}

/** A prompt for new cells, and where they go. */
export interface PlainPrompt {
  readonly text: string;
  readonly target: Target;
}

/** The words in the box, where they are a prompt for new cells and nothing else. */
export function plainPrompt(model: PanelModel): PlainPrompt | null {
  const text = model.draft.trim();
  const { kind, target } = model.destination;
  const isPlain = kind === 'new' && !model.sending && typedIn(model).kind === 'prompt' && model.images.length === 0;
  return isPlain && text && model.race.count <= 1 && !model.race.other && !model.rewind ? { text, target } : null;
}

/** Give what was said to who takes it. A steer whose turn has ended meanwhile becomes a prompt. */
export async function give(actions: Actions, view: NotebookView, destination: Destination, typed: Typed, said: ResolvedInput, images: readonly Image[] = [], takes = ''): Promise<void> {
  const { session } = view;
  const { text, race } = said;
  if (destination.kind === 'deep') {
    return session.deep.begin(text, { target: destination.target, active: view.activeCellId, images, within: actions.within });
  }
  if (destination.kind === 'command' && typed.kind === 'command') {
    return typed.command.run?.(actions, text);
  }
  return destination.kind === 'steer'
    ? session.steer(text, () => give(actions, view, destinationOf(view, text, NO_WISHES), { kind: 'prompt', text }, said, images), images)
    : view.prompt(text, { target: destination.target, intent: intentOf(destination), attempts: attemptsIn(race, session.store.state.model), images, takes });
}
