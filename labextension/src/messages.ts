// Generated from spark_jupyter/protocol/messages.py by scripts/codegen.py.
// Do not edit: change the Structs there and run `make codegen`.

export const PROTOCOL_VERSION = 2;

export type CellType = 'code' | 'markdown' | 'raw';

export type Severity = 'block' | 'warn' | 'hint';

export type Origin = 'guardrail' | 'second-opinion' | 'reality' | 'rehearsal';

export type TurnOutcome = 'completed' | 'cancelled' | 'superseded' | 'failed';

export type ProposalKind = 'insert' | 'edit';

export type OperationKind = 'delete' | 'move' | 'run';

export type ProposalState = 'streaming' | 'ready' | 'blocked' | 'accepted' | 'rejected' | 'reverted';

export type Intent = 'generate' | 'draft' | 'edit' | 'fix' | 'explain' | 'hints' | 'refactor';

export type PromptPolicy = 'on' | 'hints' | 'off';

export type Permission = 'files' | 'network' | 'shell' | 'read';

export type MayRun = 'freely' | 'when-asked' | 'when-confirmed';

export type MayAccept = 'freely' | 'when-confirmed';

export type Mode = 'on' | 'off' | 'ask';

/**
 * Keep a proposal. ``hunks`` None keeps all of it; otherwise only these hunks of an edit are kept and the rest is rejected.
 * ``source`` is what the client wrote (a person may have typed in the proposal before), ``before`` what the whole cell of an edit held
 * then. ``confirmed`` is the second yes that a cell needs which does not parse. ``turn_id``: of several for the cell the one of that
 * turn; None: the one that the cell is about. ``written``: the client has brought the decision into a document that all its clients
 * share, so the writer has nothing to do.
 */
export interface Accept {
  readonly type: 'Accept';
  readonly cell_id: string;
  readonly hunks?: readonly Hunk[] | null;
  readonly source?: string | null;
  readonly before?: string | null;
  readonly confirmed?: boolean;
  readonly turn_id?: string | null;
  readonly written?: boolean;
  readonly by?: Person | null;
}

/**
 * A person's word on whether images may go to the provider in use; it is kept.
 */
export interface AllowImages {
  readonly type: 'AllowImages';
  readonly allowed?: boolean;
}

/**
 * A person's answer to :class:`AskRun`. ``confirmed`` is the second yes that a blocking finding needs. ``minutes``: for so long the
 * agent may run proposals without findings that ran in a copy without an error or a surprise. An ``agent`` passes on only
 * what a person answered to it about a run of its own.
 */
export interface AnswerRun {
  readonly type: 'AnswerRun';
  readonly request_id: string;
  readonly allowed: boolean;
  readonly confirmed?: boolean;
  readonly minutes?: number;
  readonly agent?: string;
}

/**
 * Append ``text`` to the source of a cell.
 */
export interface AppendSource {
  readonly type: 'append';
  readonly cell_id: string;
  readonly text: string;
}

/**
 * Remark on a line that is no finding and has no severity.
 *
 * ``line`` counts from 1; ``page`` is where it is explained, as in a :class:`Finding`.
 */
export interface Aside {
  readonly line: number;
  readonly message: string;
  readonly page?: string;
}

/**
 * An agent asks to run the proposal for a cell. A grant that is in force answers, otherwise a person. ``source_hash`` is that of the
 * text which a person was shown elsewhere; empty: the present one.
 */
export interface AskRun {
  readonly type: 'AskRun';
  readonly request_id: string;
  readonly cell_id: string;
  readonly source_hash?: string;
  readonly agent?: string;
}

/**
 * A client is here. ``last_seq`` is the last frame it has (0: none): it gets what it missed, or a Snapshot.
 * ``can_write`` says that it can write cells into the notebook itself (the labextension can).
 *
 * ``agent`` is the name of an agent; it may say only what :mod:`spark_jupyter.session.agent_access` lets it.
 * ``life`` is what the last :class:`Hello` said: frames are numbered again in each life. ``next_seq`` is the number of the first
 * command frame of this client that was not acknowledged; only a kernel that does not know the client goes by it. ``prompts`` is what the
 * notebook's author allows, by its metadata, ``hints`` the furthest step of a hint,
 * ``prompt_limit`` the number of prompts; ``course`` is the JSON of its signed rules, and
 * ``hashes`` those of the cells that these name. ``person`` is the client's user. The kernel writes it, and the client's notebook, into
 * the ``by`` and ``document`` of what the client says: nobody speaks as another.
 */
export interface Attach {
  readonly type: 'Attach';
  readonly client_id: string;
  readonly last_seq?: number;
  readonly can_write?: boolean;
  readonly notebook?: string;
  readonly life?: string;
  readonly next_seq?: number;
  readonly prompts?: PromptPolicy;
  readonly hints?: number;
  readonly prompt_limit?: number | null;
  readonly course?: string;
  readonly hashes?: Readonly<Record<string, string>>;
  readonly agent?: string;
  readonly person?: Person | null;
}

/**
 * State of one attempt of a race. ``state``: ``lost`` was stopped because another one won, or the user stopped the race. ``source``
 * are its code cells with an empty line between them; ``proposed`` says that they are what the turn proposes.
 *
 * Where two are compared, ``prompt`` is its own, ``results`` are those of its cells in a copy, and ``compared`` is how the second's
 * results differ from the first's.
 */
export interface AttemptChanged {
  readonly type: 'AttemptChanged';
  readonly turn_id: string;
  readonly index: number;
  readonly model: string;
  readonly state: 'failed' | 'lost' | 'passed' | 'streaming' | 'trying';
  readonly source?: string;
  readonly reason?: string;
  readonly proposed?: boolean;
  readonly prompt?: string;
  readonly results?: readonly TrialResult[];
  readonly compared?: Proof | null;
}

/**
 * Number of answers that race, their models, the checks that they must pass, and the rounds of a failing one.
 *
 * ``allow`` are the permissions of their trials. With ``compare`` two answers do not race: both are written, tried from the same moment
 * and compared, and a person keeps one. ``other`` is the second one's prompt, where it has its own.
 */
export interface Attempts {
  readonly count?: number;
  readonly models?: readonly string[];
  readonly checks?: readonly string[];
  readonly until_green?: number;
  readonly allow?: readonly Permission[];
  readonly compare?: boolean;
  readonly other?: string;
}

/**
 * Begin a deep work. ``cells``, ``active``, ``target`` and ``images`` as in a Prompt; ``hands_up`` names the turn whose answer it is to
 * take on (then ``text`` may be empty: what was asked there). ``ask_first``: the plan waits for a person's word. ``within``: each answer
 * may take so long, at a lower price.
 */
export interface BeginDeep {
  readonly type: 'BeginDeep';
  readonly work_id: string;
  readonly text?: string;
  readonly target?: Target;
  readonly cells?: readonly NotebookCell[];
  readonly active?: string | null;
  readonly checks?: readonly string[];
  readonly hands_up?: string | null;
  readonly budget?: DeepBudget | null;
  readonly ask_first?: boolean;
  readonly within?: '' | '2h' | '8h';
  readonly images?: readonly Image[];
}

/**
 * Draft the code for ``words``, the last ``lines`` lines of a cell, or a prompt's that would go to ``target``. It takes the place of
 * this browser's draft before. ``cells`` is the notebook as it is now, in order; ``by`` is who types.
 */
export interface BeginDraft {
  readonly type: 'BeginDraft';
  readonly draft_id: string;
  readonly cell_id: string;
  readonly kind: 'cell' | 'comment' | 'function' | 'markdown' | 'prompt';
  readonly words: string;
  readonly lines?: number;
  readonly cells?: readonly NotebookCell[];
  readonly target?: Target;
  readonly by?: Person | null;
}

/**
 * Review the notebook, which is ``cells``; answered by :class:`ReviewChanged`, several times. With ``run`` all of it is run, too, in a
 * fresh confined process and a copy of the folder, ``allow`` as in :class:`~spark_jupyter.protocol.trial_messages.Try`. Of two the newest
 * counts.
 */
export interface BeginReview {
  readonly type: 'BeginReview';
  readonly review_id: string;
  readonly cells: readonly NotebookCell[];
  readonly run?: boolean;
  readonly allow?: readonly Permission[];
}

/**
 * The kernel is as it was at a moment; with ``lost`` variables only the conversation is. The writer brings its notebook's cells back.
 * ``left_id`` is the moment that was left, ``left`` the runs that no longer made the kernel.
 */
export interface CameBack {
  readonly type: 'CameBack';
  readonly moment_id: number;
  readonly left_id: number;
  readonly variables?: 'kept' | 'lost' | 'same';
  readonly left?: readonly number[];
}

/**
 * Stop a turn and the Tries of its cells (None: whatever streams, and every Try). What was written stays as a proposal.
 *
 * ``shown`` is what the client has on the screen of the turn's cells. What was written since is taken back, so that the screen
 * stands still from the moment at which the user stopped it. None: all that was written stays.
 */
export interface Cancel {
  readonly type: 'Cancel';
  readonly turn_id?: string | null;
  readonly shown?: Readonly<Record<string, string>> | null;
}

/**
 * Stop a review. Its remarks so far stay.
 */
export interface CancelReview {
  readonly type: 'CancelReview';
  readonly review_id: string;
}

/**
 * End the Try of a cell where it still runs.
 */
export interface CancelTry {
  readonly type: 'CancelTry';
  readonly cell_id: string;
}

/**
 * A cell that has proposals holds ``source`` now, by the user's own hand: typing, Undo, Redo. None: it was deleted. ``moved``: the
 * move of it that the turn ``turn_id`` proposed was undone (False) or done again (True).
 */
export interface CellEdited {
  readonly type: 'CellEdited';
  readonly cell_id: string;
  readonly source: string | null;
  readonly turn_id?: string | null;
  readonly moved?: boolean | null;
}

/**
 * What an edit does with a cell instead of changing its text. ``move`` puts it below the cell ``below``, ``run`` runs it as it is.
 * ``above`` is the cell that stood above it (None: it was the first): a Revert puts it back there.
 */
export interface CellOperation {
  readonly kind: OperationKind;
  readonly below?: string | null;
  readonly above?: string | null;
}

/**
 * Cells that a turn wrote. In a frame, consecutive ones of a turn are merged.
 */
export interface CellsChanged {
  readonly type: 'CellsChanged';
  readonly turn_id: string;
  readonly changes: readonly CellChange[];
}

/**
 * The writer is to send the notebook's cells (:class:`TellCells`). To the writer alone.
 */
export interface CellsRequested {
  readonly type: 'CellsRequested';
  readonly request_id: string;
}

/**
 * Ask whether images can go along with a prompt.
 */
export interface CheckImages {
  readonly type: 'CheckImages';
}

/**
 * Propose this attempt of a race instead of the one that is proposed now; ``index`` counts from 0.
 */
export interface ChooseAttempt {
  readonly type: 'ChooseAttempt';
  readonly turn_id: string;
  readonly index: number;
}

/**
 * Choose who does deep work from the next one on. None: unchanged.
 *
 * ``profile`` names another provider than that of turns; empty: the same one. ``budget`` replaces all earlier limits.
 */
export interface ChooseDeep {
  readonly type: 'ChooseDeep';
  readonly model?: string | null;
  readonly profile?: string | null;
  readonly effort?: '' | 'high' | 'low' | 'medium' | 'minimal' | null;
  readonly tier?: string | null;
  readonly budget?: DeepLimits | null;
  readonly lanes?: number | null;
}

/**
 * Commands from a client. ``seq`` counts the frames of that client from 1; it is 0 with :class:`Attach` and :class:`Resend`,
 * which are not counted.
 */
export interface CommandFrame {
  readonly v: number;
  readonly seq: number;
  readonly msgs: readonly Command[];
}

/**
 * Ask for what could stand at the cursor, between ``before`` and ``after``, which are the cell's own text. It drops the completion
 * that this browser asked for earlier. ``cells`` are the other cells of the notebook, in order, this one left out; None: as in the last
 * Complete of this browser. ``position`` is how many of them stand above this one. ``asked``: by a key, not by a pause in typing.
 * ``other_than`` are the suggestions shown here that another one is wanted for.
 */
export interface Complete {
  readonly type: 'Complete';
  readonly completion_id: string;
  readonly cell_id: string;
  readonly before: string;
  readonly after?: string;
  readonly cell_type?: CellType;
  readonly cells?: readonly NotebookCell[] | null;
  readonly position?: number;
  readonly asked?: boolean;
  readonly other_than?: readonly string[];
}

/**
 * Text of a completion that may be shown by now: whole tokens, in lines that passed the checks. ``text`` is all of it and replaces
 * what an earlier event said; empty with ``done``: there is nothing to say. ``first_text`` is the provider's own time from the request
 * to its first text, in seconds (None: nothing was asked, it was known); ``cost`` is in US dollars, None where no price is known.
 * ``problem`` says in a sentence why there is none, for who asked by a key. ``silenced``: the judges kept some of it from being shown.
 */
export interface Completed {
  readonly type: 'Completed';
  readonly completion_id: string;
  readonly text?: string;
  readonly done?: boolean;
  readonly mends?: readonly Mend[];
  readonly first_text?: number | null;
  readonly cost?: number | null;
  readonly problem?: string;
  readonly silenced?: boolean;
}

/**
 * The user's settings, from the next turn on. ``rehearse``: when new cells run in a copy. ``repair``: whether new cells that failed
 * there are repaired unasked. ``withhold``: whether credentials are kept from a model on this machine, too. ``warn_only``: rules of the
 * guardrail that may no longer block; "all" stands for every rule. ``checkpoints``: whether a copy of the kernel is kept from before
 * each cell, from the next cell on. ``suggest``: which provider, or which model, makes suggestions; an empty one: that of the prompts.
 * ``deep``: who does deep work, and what it may use. ``fallback``: the profile that is asked where the provider can't answer; empty:
 * none. ``warn_cost`` and ``stop_cost``: US dollars of a day from which on that is said, and nothing more is asked that costs; 0: no
 * limit; ``person_cost``: the same as ``stop_cost`` for each person whom the server knows. ``refine``: whether better texts of slow
 * cells are looked for in idle time; ``refine_budget``: US dollars of a day that a model may cost for it, 0: only one that costs nothing
 * is asked. ``conversations``: whether they are kept. ``rules``: whether the project's rules go along with prompts.
 * None: the settings do not speak of it, so the kernel's own configuration counts.
 */
export interface Configure {
  readonly type: 'Configure';
  readonly rehearse?: 'off' | 'ready' | 'stream' | null;
  readonly repair?: 'off' | 'on' | null;
  readonly withhold?: 'always' | 'remote' | null;
  readonly warn_only?: readonly string[] | null;
  readonly checkpoints?: 'auto' | 'off' | 'on' | null;
  readonly suggest?: UseProvider | null;
  readonly deep?: ChooseDeep | null;
  readonly fallback?: string | null;
  readonly warn_cost?: number | null;
  readonly stop_cost?: number | null;
  readonly person_cost?: number | null;
  readonly refine?: 'off' | 'on' | null;
  readonly refine_budget?: number | null;
  readonly conversations?: 'off' | 'on' | null;
  readonly rules?: 'off' | 'on' | null;
}

/**
 * All that agents wait for and all grants. ``decided`` are the answers that came just now, by request.
 */
export interface ConsentChanged {
  readonly type: 'ConsentChanged';
  readonly asked?: readonly RunAsked[];
  readonly grants?: readonly RunGrant[];
  readonly permissions?: readonly PermissionWanted[];
  readonly decided?: Readonly<Record<string, boolean>>;
}

/**
 * The conversation that goes on. ``title`` is the one that it was given, empty where it has none yet; ``others`` are the turns so far
 * that do not belong to it; those that begin from now on do.
 */
export interface ConversationChanged {
  readonly type: 'ConversationChanged';
  readonly id: string;
  readonly title?: string;
  readonly others?: readonly string[];
}

/**
 * A conversation that is kept. ``changed_at`` is in Unix seconds. ``notebook`` is its file's name, empty for one of a terminal;
 * ``here`` says that it is of the notebook that asks.
 */
export interface ConversationInfo {
  readonly id: string;
  readonly title: string;
  readonly changed_at?: number;
  readonly notebook?: string;
  readonly here?: boolean;
}

/**
 * The conversations that fit ``query``: those of this notebook first, the youngest before older ones. ``kept``: turns are written.
 */
export interface Conversations {
  readonly type: 'Conversations';
  readonly conversations?: readonly ConversationInfo[];
  readonly query?: string;
  readonly kept?: boolean;
}

/**
 * Budget of a deep work.
 *
 * ``seconds`` count while it works, not while it is paused. ``tokens`` are input and output of all its jobs. ``dollars``: None is no
 * limit; where no price is known, only time and tokens count.
 */
export interface DeepBudget {
  readonly seconds?: number;
  readonly tokens?: number;
  readonly dollars?: number | null;
}

/**
 * A deep work has begun or changed.
 */
export interface DeepChanged {
  readonly type: 'DeepChanged';
  readonly work: DeepWork;
}

/**
 * Log entry at a second of the work and at a step (from 1; 0: none).
 */
export interface DeepEntry {
  readonly at: number;
  readonly text: string;
  readonly step?: number;
}

/**
 * Model, provider and tier of deep work, and its budget; empty names are those of turns, an empty tier that of the profile.
 *
 * ``lanes`` is how many independent steps the fast model may write at once; 0: the deep model writes all. ``unavailable`` says in a
 * sentence why deep work is not available. ``windows`` are the times within which answers cost less.
 */
export interface DeepGear {
  readonly model?: string;
  readonly provider?: string;
  readonly effort?: '' | 'high' | 'low' | 'medium' | 'minimal';
  readonly budget?: DeepBudget;
  readonly tier?: string;
  readonly lanes?: number;
  readonly unavailable?: string;
  readonly windows?: readonly string[];
}

/**
 * Limits that somebody has set. None: as in the profile of the deep provider, else the default.
 */
export interface DeepLimits {
  readonly seconds?: number | null;
  readonly tokens?: number | null;
  readonly dollars?: number | null;
}

/**
 * A fast answer is offered to the deep model, for a ``reason`` in a sentence. A person decides.
 */
export interface DeepOffered {
  readonly type: 'DeepOffered';
  readonly turn_id: string;
  readonly reason: string;
}

/**
 * Step of a plan.
 *
 * ``fast``: it is independent of its neighbours, so the fast model may write it in parallel. ``rounds`` is how often it was written,
 * ``cells`` are those that it wrote last.
 */
export interface DeepStep {
  readonly text: string;
  readonly state?: 'done' | 'left-out' | 'to-do' | 'trying' | 'writing';
  readonly fast?: boolean;
  readonly rounds?: number;
  readonly cells?: readonly string[];
}

/**
 * State of a deep work.
 *
 * When it is ``proposed``, a turn with the same id proposes its result. ``elapsed`` is the working time in seconds, ``running`` whether
 * the clock runs; ``tokens`` and ``cost`` (US dollars; None: no price is known) are of all its jobs. ``reason`` says in a sentence why it
 * stalled or ended, ``undone`` what it could not do, ``lost`` what went with a kernel. ``hands_up`` is the turn that it takes over,
 * ``compared`` the diff of its result against that answer. ``rest``: seconds until the retry. ``within``: nobody waits for it
 * before that.
 */
export interface DeepWork {
  readonly id: string;
  readonly prompt: string;
  readonly model?: string;
  readonly state?: 'cancelled' | 'gave-up' | 'paused' | 'planned' | 'planning' | 'proposed' | 'stalled' | 'trying' | 'writing';
  readonly steps?: readonly DeepStep[];
  readonly checks?: readonly string[];
  readonly budget?: DeepBudget;
  readonly target?: Target;
  readonly started_at?: number;
  readonly elapsed?: number;
  readonly running?: boolean;
  readonly tokens?: number;
  readonly cost?: number | null;
  readonly log?: readonly DeepEntry[];
  readonly reason?: string;
  readonly undone?: readonly string[];
  readonly hands_up?: string | null;
  readonly compared?: string;
  readonly lost?: string;
  readonly rest?: number;
  readonly within?: '' | '2h' | '8h';
}

/**
 * Delete a cell.
 */
export interface DeleteCell {
  readonly type: 'delete';
  readonly cell_id: string;
}

/**
 * Delete a conversation; None: all of them, of every notebook.
 */
export interface DeleteConversation {
  readonly type: 'DeleteConversation';
  readonly id?: string | null;
}

/**
 * Difference between the results: in a variable, the output, a file, an error, or other ``state``.
 *
 * ``detail`` says how, in our words with values of the user's.
 */
export interface Difference {
  readonly kind: 'error' | 'file' | 'output' | 'state' | 'variable';
  readonly name: string;
  readonly detail: string;
}

/**
 * Continue, pause or cancel a deep work. ``cells`` is the present notebook, for a work that began in another kernel.
 */
export interface DirectDeep {
  readonly type: 'DirectDeep';
  readonly work_id: string;
  readonly what: 'cancel' | 'go-on' | 'pause';
  readonly cells?: readonly NotebookCell[] | null;
}

/**
 * Download a model of the catalogue to where the kernel is, or ``stop`` that; answered by :class:`ModelDownload`. ``model_folder`` is
 * as in :class:`ListProviders`.
 */
export interface DownloadModel {
  readonly type: 'DownloadModel';
  readonly name: string;
  readonly stop?: boolean;
  readonly model_folder?: string;
}

/**
 * A draft as it stands, all of it. ``done`` without cells: there is nothing to draft. ``notes`` are the words of its answer, a question
 * back for instance. ``problem`` says in a sentence what kept it from being written.
 */
export interface Drafted {
  readonly type: 'Drafted';
  readonly draft_id: string;
  readonly state?: 'done' | 'trying' | 'writing';
  readonly cells?: readonly DraftedCell[];
  readonly notes?: string;
  readonly problem?: string;
}

/**
 * A cell of a draft as it stands. ``blocked`` are the lines (from 1) that a finding blocks, ``reason`` says why. ``trial`` is what its
 * copy showed, ``surprise`` the first effect that a person is told, ``repairs`` counts the repairs of one that failed.
 */
export interface DraftedCell {
  readonly source: string;
  readonly blocked?: readonly number[];
  readonly reason?: string;
  readonly trial?: TrialResult | null;
  readonly surprise?: string;
  readonly repairs?: number;
}

/**
 * Drop a completion: a key contradicted it, or the cursor has moved.
 */
export interface DropCompletion {
  readonly type: 'DropCompletion';
  readonly completion_id: string;
}

/**
 * Drop a draft: the words say something else now, or it is not wanted.
 */
export interface DropDraft {
  readonly type: 'DropDraft';
  readonly draft_id: string;
}

/**
 * Replace the plan. The result of the steps before the first that differs stays.
 */
export interface EditPlan {
  readonly type: 'EditPlan';
  readonly work_id: string;
  readonly steps: readonly string[];
  readonly checks?: readonly string[] | null;
}

/**
 * A cell that a person has edited, and the text that it held ``before``. ``offered`` are next edits that were offered and are wanted
 * now; without them they are looked for again.
 */
export interface Edited {
  readonly cell_id: string;
  readonly before: string;
  readonly offered?: readonly NextEdit[];
}

/**
 * Something that a Try would have changed outside its own output. ``refused`` says that it was stopped and did not happen.
 */
export interface Effect {
  readonly kind: 'file' | 'network' | 'package' | 'shell' | 'thread' | 'variable';
  readonly action: 'changed' | 'deleted' | 'moved' | 'new' | 'read' | 'removed' | 'used' | 'written';
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
  readonly detail?: string;
  readonly refused?: boolean;
}

/**
 * Events for a client. ``seq`` counts from 1 without gaps within one kernel's life. It is 0 where the events are for this client
 * alone and stale a moment later: such a frame is taken as it comes, and never again.
 */
export interface EventFrame {
  readonly v: number;
  readonly seq: number;
  readonly msgs: readonly Event[];
}

/**
 * Cost of the requests beyond a turn's first one: corrections, repairs, attempts of a race, and repeated requests. ``cost`` in US
 * dollars, None where no price is known. A steer is a turn of its own, with a meter of its own.
 */
export interface Extra {
  readonly kind: 'again' | 'attempt' | 'correction' | 'repair';
  readonly requests: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cost?: number | null;
}

/**
 * Ask what should follow an edit; answered by :class:`NextEdits`, to who asked alone. ``cells`` are the notebook's, as they are now;
 * their outputs are not needed. It takes the place of what this browser asked earlier.
 */
export interface FindNextEdits {
  readonly type: 'FindNextEdits';
  readonly offer_id: string;
  readonly edited: Edited;
  readonly cells: readonly NotebookCell[];
  readonly by_model?: 'always' | 'local' | 'never';
}

/**
 * Something the guardrail or the reality check says about a line.
 *
 * ``line`` counts from 1, ``column`` from 0 (as in :mod:`ast`). ``severity`` is ``"block"`` only where the line is
 * dangerous as it stands, ``"hint"`` for what is right and seldom matters: shown folded, in one line. ``allowed`` is the reason given in
 * a ``# spark: allow RULE reason`` comment: the finding is then shown, and never blocks. ``raised`` is what the code's own error said
 * when it ran in a copy: a person is shown it, a model is never told. ``page`` is where its rule is explained, as a path in the
 * repository (``docs/rules/weak-hash.md``); empty where it is nowhere. ``also`` are the further lines of which it says the same.
 * ``wrong`` is a name in the line that does not exist, ``meant`` the real one that is nearest to it, empty where none is.
 * ``cause`` is the line of the statement above that makes the value at fault: the text has to begin again there; 0 where the fault is in
 * ``line`` itself.
 */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
  readonly remedy?: string;
  readonly cwe?: number | null;
  readonly origin?: Origin;
  readonly allowed?: string | null;
  readonly raised?: string;
  readonly page?: string;
  readonly also?: readonly number[];
  readonly wrong?: string;
  readonly meant?: string;
  readonly cause?: number;
}

/**
 * All findings on a cell, replacing earlier ones. ``cut`` is the offending line where the stream was cut for correction;
 * ``may_run`` is how the cell's proposal stands now.
 */
export interface Findings {
  readonly type: 'Findings';
  readonly turn_id: string;
  readonly cell_id: string;
  readonly findings: readonly Finding[];
  readonly cut?: string;
  readonly may_run?: MayRun;
}

/**
 * First answer to :class:`Attach`. ``writer`` says that this client is the one that writes cells into its notebook, and
 * ``document`` names that notebook: it writes the turns that have the same name, or none. ``catching_up``: frames that it missed follow,
 * and then another Hello; a client that did not write before the frames writes nothing until then. ``offline`` is true with the
 * embedded server. ``subshells`` false: commands wait for the running cell. ``try_unavailable`` is the reason why Try can't work here,
 * ``rehearsal_unavailable`` why nothing is run in a copy unless a person asks for it.
 * ``offered`` is the profile of a model server of this user's own that was found on this machine, ``offered_title`` what it is called: it
 * gets nothing before a :class:`UseProvider` names it.
 * ``deep`` says who does deep work, ``suggestions`` when suggestions are made: what the kernel would not answer need not be asked.
 * ``serving`` says at which tier the model is served, ``policy`` what administrators limit, ``recording`` into which file answers are
 * recorded; ``drafts`` whether it drafts code for what is being typed.
 * ``life`` names this life of the extension in the kernel: it is another one after each ``%load_ext`` and each restart.
 */
export interface Hello {
  readonly type: 'Hello';
  readonly version?: number;
  readonly package?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly banner?: string;
  readonly offline?: boolean;
  readonly writer?: boolean;
  readonly document?: string;
  readonly catching_up?: boolean;
  readonly subshells?: boolean;
  readonly life?: string;
  readonly try_unavailable?: string;
  readonly rehearsal_unavailable?: string;
  readonly offered?: string;
  readonly offered_title?: string;
  readonly deep?: DeepGear;
  readonly suggestions?: Mode;
  readonly serving?: Serving;
  readonly policy?: PolicyInfo;
  readonly recording?: string;
  readonly drafts?: boolean;
}

/**
 * A hunk of a diff in whole lines: ``base_lines`` lines of the cell from ``base_start`` (0-based) are replaced by the
 * ``source_lines`` lines of the proposal from ``source_start``.
 */
export interface Hunk {
  readonly base_start: number;
  readonly base_lines: number;
  readonly source_start: number;
  readonly source_lines: number;
}

/**
 * Suggested prompts that fit the kernel's variables and the files beside the notebook.
 */
export interface Ideas {
  readonly type: 'Ideas';
  readonly prompts: readonly string[];
}

/**
 * An image for a model. ``data`` is in base64, the sizes are in pixels. ``name`` is what a person calls it: a file, or ``figure``.
 */
export interface Image {
  readonly media_type: 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp';
  readonly data: string;
  readonly width: number;
  readonly height: number;
  readonly name?: string;
}

/**
 * Whether the model in use ``reads`` images, and whether a person ``agreed`` that its provider gets them. ``input_price`` is in US
 * dollars per million tokens, None where not known. ``refused`` says in a sentence why no image may go to any provider.
 */
export interface ImageSupport {
  readonly type: 'ImageSupport';
  readonly provider: string;
  readonly model: string;
  readonly reads: 'no' | 'untested' | 'yes';
  readonly agreed?: boolean;
  readonly input_price?: number | null;
  readonly refused?: string;
}

/**
 * A question of an agent, answered by :class:`Inquired` to it alone. ``text`` is a name, code, or a cell's id. ``cells`` is the
 * notebook as the agent knows it; ``live`` says that a client which shows the notebook has filled them in.
 */
export interface Inquire {
  readonly type: 'Inquire';
  readonly request_id: string;
  readonly question: 'cells' | 'check' | 'inspect' | 'outputs' | 'result' | 'try' | 'variables';
  readonly text?: string;
  readonly cells?: readonly NotebookCell[];
  readonly live?: boolean;
  readonly agent?: string;
}

/**
 * Answer to :class:`Inquire`, without credentials. ``live``: the cells are those of an open notebook, else of its file. ``withheld``
 * says in a sentence why a trial's output is left out.
 */
export interface Inquired {
  readonly type: 'Inquired';
  readonly request_id: string;
  readonly text?: string;
  readonly cells?: readonly NotebookCell[];
  readonly live?: boolean;
  readonly findings?: readonly Finding[];
  readonly trial?: TrialResult | null;
  readonly withheld?: string;
  readonly problem?: string;
}

/**
 * Insert a cell. ``after`` is the id of the cell above it; None puts it at the top.
 */
export interface InsertCell {
  readonly type: 'insert';
  readonly cell_id: string;
  readonly cell_type?: CellType;
  readonly after?: string | null;
  readonly source?: string;
}

/**
 * List the conversations that have every word of ``query`` in their prompts, answers or titles. Answered by :class:`Conversations`.
 */
export interface ListConversations {
  readonly type: 'ListConversations';
  readonly query?: string;
}

/**
 * Ask for suggested prompts; answered by :class:`Ideas`.
 */
export interface ListIdeas {
  readonly type: 'ListIdeas';
}

/**
 * Ask what may follow an ``@`` in a prompt after ``prefix``; answered by :class:`Mentions`, to this client only.
 */
export interface ListMentions {
  readonly type: 'ListMentions';
  readonly prefix: string;
}

/**
 * Ask for the provider's own list of models; answered by :class:`Models`.
 */
export interface ListModels {
  readonly type: 'ListModels';
}

/**
 * Ask which providers can be chosen; answered by :class:`Providers`. ``model_folder`` is where the user's settings say that model
 * files are; empty: where the kernel's own configuration says.
 */
export interface ListProviders {
  readonly type: 'ListProviders';
  readonly model_folder?: string;
}

/**
 * Ask for the rules that go along with prompts; answered by :class:`ProjectRules`, to this client only.
 */
export interface ListRules {
  readonly type: 'ListRules';
}

/**
 * A name in a completion that does not exist, and the real one that replaces it, at ``start`` (characters).
 */
export interface Mend {
  readonly start: number;
  readonly wrong: string;
  readonly right: string;
}

/**
 * Completions after an ``@`` and ``prefix``, the likeliest first.
 */
export interface Mentions {
  readonly type: 'Mentions';
  readonly prefix: string;
  readonly items: readonly string[];
}

/**
 * Speed and cost. Times in seconds from the sending of the request; ``cost`` in US dollars, None where no price is known.
 * ``estimated`` says that the token counts are estimates until the provider reports usage. As long as the provider reads the prompt and
 * says how far it is, ``read_tokens`` of ``reading_tokens`` are done: what it knew from before is in neither. So many
 * requests are ``waiting`` before it, where the provider has a queue and says so.
 *
 * ``thinking`` is how long a model that reasons has thought before it wrote. ``wait`` is how long it still takes until a request that
 * was put off is sent again. ``notice`` says why, or which other provider is asked instead. The output counts ``reasoning_tokens``, and
 * of a predicted answer those tokens that were ``rejected_tokens``; ``accepted_tokens`` of it were taken. ``first_second`` is how many
 * tokens came in the first second of the answer. ``provider_seconds`` is what the provider itself says that it took.
 */
export interface Meter {
  readonly type: 'Meter';
  readonly turn_id: string;
  readonly first_token?: number | null;
  readonly elapsed?: number;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cached_tokens?: number;
  readonly cache_written_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly accepted_tokens?: number;
  readonly rejected_tokens?: number;
  readonly reading_tokens?: number;
  readonly read_tokens?: number;
  readonly waiting?: number;
  readonly tokens_per_second?: number;
  readonly first_second?: number;
  readonly thinking?: number;
  readonly wait?: number;
  readonly notice?: string;
  readonly provider_seconds?: number | null;
  readonly cost?: number | null;
  readonly extra?: readonly Extra[];
  readonly estimated?: boolean;
}

/**
 * Progress of a download, in ``gigabytes``. It has ended where it is ``done``, stopped, or there is a ``problem``.
 */
export interface ModelDownload {
  readonly type: 'ModelDownload';
  readonly name: string;
  readonly gigabytes?: number;
  readonly done?: boolean;
  readonly stopped?: boolean;
  readonly problem?: string;
}

/**
 * Model that a provider lists. Prices are in US dollars per million tokens, the window is in tokens; None where not known.
 *
 * Tokens read from the provider's cache cost ``cached_price``, tokens written to it ``cache_write_price``; None: as other input.
 * ``retires`` is the day from which it is not served (ISO 8601), empty where none is announced; ``ending`` says that in a sentence.
 * ``images``: whether it reads images, None where not known.
 */
export interface ModelInfo {
  readonly id: string;
  readonly provider?: string;
  readonly input_price?: number | null;
  readonly output_price?: number | null;
  readonly cached_price?: number | null;
  readonly cache_write_price?: number | null;
  readonly context_window?: number | null;
  readonly retires?: string;
  readonly ending?: string;
  readonly images?: boolean | null;
}

/**
 * Model that can be downloaded. ``gigabytes`` on the disk, ``memory`` in gigabytes, ``context`` in tokens; about all three. ``path`` is
 * its file, once it is there. ``fits``: the largest one for which there is memory.
 */
export interface ModelOffer {
  readonly name: string;
  readonly title: string;
  readonly gigabytes: number;
  readonly memory: number;
  readonly context: number;
  readonly licence: string;
  readonly good_for: string;
  readonly fills_in?: boolean;
  readonly path?: string;
  readonly fits?: boolean;
}

/**
 * The provider's own list of models, and the one in use with its tier.
 */
export interface Models {
  readonly type: 'Models';
  readonly models: readonly ModelInfo[];
  readonly selected: string;
  readonly serving?: Serving;
}

/**
 * A state that can be gone back to. ``id`` is negative for one before a turn; ``at`` in Unix seconds. ``number`` is that of the run
 * that followed, ``turn_id`` the turn that did, ``name`` what a person called it; ``line`` is the first of the cell or the prompt.
 * ``why`` says why the variables are ``lost``; ``brings`` are turns that the model knows there and not now: of a named moment, the turns
 * of its branch.
 */
export interface MomentInfo {
  readonly id: number;
  readonly at: number;
  readonly number?: number;
  readonly turn_id?: string;
  readonly name?: string;
  readonly line?: string;
  readonly variables?: 'kept' | 'lost' | 'same';
  readonly why?: string;
  readonly brings?: readonly string[];
}

/**
 * What a return to a moment would change: variables that come back and those that go, ``parts`` of the process's state, the numbers of
 * turns that go from the model's memory and come back to it, the numbers of the runs that are left.
 *
 * ``stays`` can't come back, in words, and the ``files`` were written since; ``files_back`` are as they were then
 * and ``files_gone`` gone again. ``why``: the reason why the variables are ``lost``.
 */
export interface MomentPreview {
  readonly type: 'MomentPreview';
  readonly moment_id: number;
  readonly variables?: 'kept' | 'lost' | 'same';
  readonly back?: readonly VariableChange[];
  readonly gone?: readonly string[];
  readonly parts?: readonly string[];
  readonly stays?: readonly string[];
  readonly files?: readonly string[];
  readonly files_back?: readonly string[];
  readonly files_gone?: readonly string[];
  readonly turns_gone?: number;
  readonly turns_back?: number;
  readonly left?: readonly number[];
  readonly why?: string;
}

/**
 * All moments of the kernel, oldest first. A page keeps its notebook's cells as they are when a new one comes.
 */
export interface MomentsChanged {
  readonly type: 'MomentsChanged';
  readonly moments?: readonly MomentInfo[];
}

/**
 * The next prompt begins a new conversation: nothing of the turns before goes along with it. Turns and proposals stay.
 */
export interface NewConversation {
  readonly type: 'NewConversation';
}

/**
 * New text for one cell: ``source`` in place of the text whose hash is ``source_hash``
 * (see :func:`spark_jupyter.protocol.notebook.content_hash`).
 */
export interface NextEdit {
  readonly cell_id: string;
  readonly source_hash: string;
  readonly source: string;
}

/**
 * Edits that should follow, in the order of the notebook; without ``edits``, nothing. ``words`` say what it is ("rename `df` to
 * `sales`"). ``by_model``: a model has thought of it; who takes it says what was ``offered``.
 */
export interface NextEdits {
  readonly type: 'NextEdits';
  readonly offer_id: string;
  readonly words?: string;
  readonly edits?: readonly NextEdit[];
  readonly by_model?: boolean;
}

/**
 * A cell of the user's notebook, as sent along with a prompt. ``outputs`` is its text output, ``error`` the
 * traceback's last lines where it failed. ``raises``: it may fail, and what comes below runs all the same (Jupyter's tag
 * ``raises-exception``). ``check``: it checks the code above it (the tag ``check``, or tests of nbgrader's). ``gone`` are
 * the names that its run, which was undone (then its ``execution_count`` is 0), had defined.
 */
export interface NotebookCell {
  readonly id: string;
  readonly cell_type?: CellType;
  readonly source?: string;
  readonly outputs?: string;
  readonly error?: string;
  readonly execution_count?: number | null;
  readonly raises?: boolean;
  readonly check?: boolean;
  readonly gone?: readonly string[];
}

/**
 * Prose of the answer (Markdown), to be appended to the turn's notes. Never part of a code cell. With ``replaces`` it takes the place
 * of all of them: what stood there was thinking.
 */
export interface NotesAdded {
  readonly type: 'NotesAdded';
  readonly turn_id: string;
  readonly text: string;
  readonly replaces?: boolean;
}

/**
 * Go on with a conversation: the model gets its turns with the next prompt.
 */
export interface OpenConversation {
  readonly type: 'OpenConversation';
  readonly id: string;
}

/**
 * One output of a Try: ``kind`` as in nbformat. ``text`` for a stream or an error's traceback; ``data`` maps a MIME type to
 * text (PNG in base64, HTML sanitised).
 */
export interface Output {
  readonly kind: 'display_data' | 'error' | 'execute_result' | 'stderr' | 'stdout';
  readonly text?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Whether a key of the person's own is ``kept`` for the provider in use, and a sentence about that.
 */
export interface OwnKeyChanged {
  readonly type: 'OwnKeyChanged';
  readonly kept: boolean;
  readonly message: string;
}

/**
 * An agent that answers a turn waits for permission to do something by itself, outside the notebook: ``what`` in one line of Markdown,
 * with more in ``detail`` (plain text). :class:`AnswerRun` answers it. What it says is the agent's own word.
 */
export interface PermissionWanted {
  readonly request_id: string;
  readonly turn_id: string;
  readonly agent: string;
  readonly what: string;
  readonly detail?: string;
}

/**
 * Who uses a client, as Jupyter Server's ``/api/me`` says: ``id`` is its ``username``, ``name`` the one to show, ``color`` of CSS.
 */
export interface Person {
  readonly id: string;
  readonly name?: string;
  readonly color?: string;
}

/**
 * Limits that administrators or a teacher have set. ``off`` has a sentence for each of ``prompts``, ``agents``, ``auto_run``,
 * ``rehearsal``, ``images``, ``attempts``, ``deep`` and ``suggestions`` that is switched off; ``lines`` describe all limits.
 * ``prompts_left`` of ``prompt_limit`` are what the client's person may still send; None: any number. ``logged_by`` names who reads the
 * log of prompts; empty where none is kept.
 */
export interface PolicyInfo {
  readonly off?: Readonly<Record<string, string>>;
  readonly lines?: readonly string[];
  readonly prompt_limit?: number | null;
  readonly prompts_left?: number | null;
  readonly logged_by?: string;
}

/**
 * Something went wrong. ``message`` says what, ``remedy`` what to do. ``code`` is stable (an exception's name in snake case). ``by``
 * is whose command was refused: nobody else is to read it.
 */
export interface Problem {
  readonly type: 'Problem';
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly turn_id?: string | null;
  readonly by?: Person | null;
}

/**
 * The files whose rules go along with every prompt, as long as they are ``on``, and the skills that there are.
 */
export interface ProjectRules {
  readonly type: 'ProjectRules';
  readonly on?: boolean;
  readonly files?: readonly RuleFile[];
  readonly skills?: readonly Skill[];
}

/**
 * Start a turn. ``cells`` is the notebook as it is now, as far as the client knows it, in order. ``active`` is the cell in
 * which the user is: what they call this cell. ``follows`` is the edit whose next edits are wanted: then no model is asked.
 * ``proposes`` is the answer of an ``agent``, which is judged as a model's: no model is asked then, either; nor where it ``takes`` the
 * draft with this id, or its first ``lines`` alone. The session alone says which step a ``hint`` is
 * (:mod:`spark_jupyter.session.hint_steps`).
 */
export interface Prompt {
  readonly type: 'Prompt';
  readonly turn_id: string;
  readonly text: string;
  readonly target?: Target;
  readonly cells?: readonly NotebookCell[];
  readonly active?: string | null;
  readonly model?: string | null;
  readonly intent?: Intent;
  readonly attempts?: Attempts;
  readonly follows?: Edited | null;
  readonly images?: readonly Image[];
  readonly proposes?: readonly ProposedCell[];
  readonly agent?: string;
  readonly by?: Person | null;
  readonly document?: string;
  readonly hint?: number;
  readonly takes?: string;
  readonly lines?: number;
}

/**
 * The writer is to send this prompt with the notebook's cells: who asked (a magic) knows only what has run. To the writer alone.
 */
export interface PromptRequested {
  readonly type: 'PromptRequested';
  readonly prompt: Prompt;
}

/**
 * Comparison of the old and the new text of a cell, run in two copies.
 *
 * ``differences`` are the first ones, ``more`` is the number of others. Where only floating-point numbers differ, their first ``digits``
 * agree; 0: fewer, or something else differs. ``unclear`` names in sentences what can't be compared; ``same`` holds for the rest. Times
 * are in seconds, memory in bytes, before and with the edit; 0: not known. ``below`` are later cells that read what differs.
 * ``warnings_less`` is the number of warnings that are gone.
 */
export interface Proof {
  readonly verdict: 'differs' | 'same' | 'unclear';
  readonly differences?: readonly Difference[];
  readonly more?: number;
  readonly digits?: number;
  readonly unclear?: readonly string[];
  readonly seconds_before?: number;
  readonly seconds?: number;
  readonly memory_before?: number;
  readonly memory?: number;
  readonly below?: readonly string[];
  readonly warnings_less?: number;
  readonly summary?: string;
}

/**
 * Change of one cell that a turn proposes. ``base`` is the cell's source when an edit began; ``source`` what is proposed so far. Of
 * an edit that was accepted, ``base`` is what the whole cell held before, and ``source`` what it was given. ``tried`` is the hash of
 * the source that was last tried (see :func:`spark_jupyter.protocol.notebook.content_hash`). ``inspecting``: the slower checks still
 * look at it and may yet block it; what runs it waits for them. ``trying``: a Try of it runs, and a :class:`TrialResult` will come.
 * ``may_run`` is for everybody who runs cells to go by, and decided by the session alone. ``surprises`` are the effects of a Try of
 * this very source that a person is told first. ``unfinished`` says in a sentence what is missing where the writing was stopped in the
 * middle of a statement: it would not even begin to run. ``asides`` are of a code cell that is whole. ``repairs`` counts how often it
 * was rewritten because it failed in a copy. ``decided_by`` is the person who accepted or rejected it, None where that is not known. With
 * an ``operation`` an edit changes no text (a deletion empties it).
 */
export interface Proposal {
  readonly cell_id: string;
  readonly turn_id: string;
  readonly kind?: ProposalKind;
  readonly state?: ProposalState;
  readonly cell_type?: CellType;
  readonly base?: string;
  readonly source?: string;
  readonly findings?: readonly Finding[];
  readonly tried?: string | null;
  readonly inspecting?: boolean;
  readonly trying?: boolean;
  readonly may_run?: MayRun;
  readonly unfinished?: string;
  readonly may_accept?: MayAccept;
  readonly surprises?: readonly Surprise[];
  readonly asides?: readonly Aside[];
  readonly repairs?: number;
  readonly decided_by?: Person | null;
  readonly operation?: CellOperation | null;
}

/**
 * A proposal is new or has another state. It comes before the first change of its cell. In a new one ``source`` is what
 * stands so far; a receiver that has the proposal takes everything but ``source`` from this, unless ``state`` is ``accepted``.
 *
 * ``rejected`` and ``reverted`` mean that the cell is to be as before: an inserted cell goes, a reused empty cell is empty again, an
 * edited cell has its ``base``. With ``held`` the document is so already, by the user's own hand, and nothing is to be written.
 */
export interface ProposalChanged {
  readonly type: 'ProposalChanged';
  readonly proposal: Proposal;
  readonly held?: boolean;
}

/**
 * A cell as an agent proposes it: a new one below ``after`` (None: at the end), or another ``source`` for the cell ``edits``, whose
 * source had ``source_hash`` when the agent read it. With an ``operation`` that cell is deleted, moved below ``after``, or run.
 */
export interface ProposedCell {
  readonly source?: string;
  readonly cell_type?: CellType;
  readonly after?: string | null;
  readonly edits?: string | null;
  readonly source_hash?: string;
  readonly operation?: OperationKind | null;
}

/**
 * Result of a test of a provider, in a sentence; ``models`` are the first that it lists.
 */
export interface ProviderAnswered {
  readonly type: 'ProviderAnswered';
  readonly ok: boolean;
  readonly message: string;
  readonly only_test?: boolean;
  readonly models?: readonly string[];
}

/**
 * Provider that can be chosen. ``has_key``: its environment variable ``key_env`` is set; ``keeps_key``: a pasted key is kept;
 * ``signs_in``: without a key the user's login at its cloud counts.
 * ``key_url``: the page where a key is created.
 */
export interface ProviderInfo {
  readonly name: string;
  readonly title?: string;
  readonly base_url?: string;
  readonly model?: string;
  readonly key_env?: string;
  readonly key_url?: string;
  readonly has_key?: boolean;
  readonly keeps_key?: boolean;
  readonly signs_in?: boolean;
}

/**
 * The providers that can be chosen, the paths of the model files that can run here, and ``offers``: models to download.
 */
export interface Providers {
  readonly type: 'Providers';
  readonly providers: readonly ProviderInfo[];
  readonly files?: readonly string[];
  readonly offers?: readonly ModelOffer[];
}

/**
 * There is a better text for the cell whose text has this hash (see :func:`spark_jupyter.protocol.notebook.content_hash`). ``words``
 * say
 * what it does and what it gains: "sum the columns at once: 2.1 s → 0.1 s, 21×". ``digits``: what comes out is the same to so many digits,
 * since sums are rounded otherwise; 0: the same.
 */
export interface Refined {
  readonly type: 'Refined';
  readonly cell_id: string;
  readonly source_hash: string;
  readonly words: string;
  readonly digits?: number;
}

/**
 * Discard a proposal. ``written`` as in :class:`Accept`.
 */
export interface Reject {
  readonly type: 'Reject';
  readonly cell_id: string;
  readonly written?: boolean;
  readonly by?: Person | null;
}

/**
 * Remark on a cell. ``line`` counts from 1, None: the whole cell. ``fix`` is the cell's source with the remark resolved, where that is
 * certain.
 */
export interface Remark {
  readonly cell_id: string;
  readonly kind: 'fails' | 'finding' | 'gone' | 'order' | 'stale' | 'surprise' | 'untried';
  readonly severity: Severity;
  readonly message: string;
  readonly remedy?: string;
  readonly rule?: string;
  readonly line?: number | null;
  readonly fix?: string;
}

/**
 * Give a conversation another title.
 */
export interface RenameConversation {
  readonly type: 'RenameConversation';
  readonly id: string;
  readonly title: string;
}

/**
 * Replace the whole source of a cell.
 */
export interface ReplaceSource {
  readonly type: 'replace';
  readonly cell_id: string;
  readonly source: string;
}

/**
 * A gap was seen: send the frames from ``from_seq`` on again.
 */
export interface Resend {
  readonly type: 'Resend';
  readonly from_seq: number;
}

/**
 * Turns that this kernel does not know, as the notebook has kept them: they ended before its life. What is known already stays as it
 * is, and nothing of the rest is trusted: see :mod:`spark_jupyter.session.restored_turns`. ``cells`` is the notebook as it is now.
 */
export interface Restore {
  readonly type: 'Restore';
  readonly turns: readonly Turn[];
  readonly proposals: readonly Proposal[];
  readonly cells?: readonly NotebookCell[];
}

/**
 * Restore deep works that the notebook has kept. One that was running is paused, with its plan.
 */
export interface RestoreDeep {
  readonly type: 'RestoreDeep';
  readonly works: readonly DeepWork[];
}

/**
 * Take back a whole turn: every cell that it proposed and that was accepted becomes what it was before, but for those that a later
 * turn or the user has changed since. An ``agent`` may only withdraw a turn of its own on which nobody has decided.
 */
export interface Revert {
  readonly type: 'Revert';
  readonly turn_id: string;
  readonly agent?: string;
  readonly by?: Person | null;
}

/**
 * State of a review: all its remarks so far, in the order of the cells. ``done`` of ``total`` cells have run. ``problem`` says in a
 * sentence what could not be done. ``unenforced`` as in :class:`~spark_jupyter.protocol.trial_messages.TrialResult`.
 */
export interface ReviewChanged {
  readonly type: 'ReviewChanged';
  readonly review_id: string;
  readonly state: 'cancelled' | 'done' | 'looking' | 'running';
  readonly remarks?: readonly Remark[];
  readonly done?: number;
  readonly total?: number;
  readonly problem?: string;
  readonly unenforced?: string;
}

/**
 * From now on every run is asked for again.
 */
export interface RevokeGrants {
  readonly type: 'RevokeGrants';
}

/**
 * An ``AGENTS.md``, by its path from the project's folder. ``problem`` is why it is not read, or only its beginning.
 */
export interface RuleFile {
  readonly path: string;
  readonly characters?: number;
  readonly problem?: '' | 'changeable' | 'cut' | 'outside' | 'unreadable';
}

/**
 * Accept a proposal and run it. ``confirmed`` is the second yes that a blocking finding needs. ``unasked``: a setting has it run, and
 * nobody asked for this cell.
 */
export interface Run {
  readonly type: 'Run';
  readonly cell_id: string;
  readonly confirmed?: boolean;
  readonly unasked?: boolean;
  readonly by?: Person | null;
}

/**
 * A run that an agent waits for. ``source_hash`` is that of the proposal when it asked: another text is not what was asked.
 */
export interface RunAsked {
  readonly request_id: string;
  readonly agent: string;
  readonly cell_id: string;
  readonly source_hash: string;
}

/**
 * Consent to runs of an agent ``until`` that time (Unix seconds).
 */
export interface RunGrant {
  readonly agent: string;
  readonly until: number;
}

/**
 * The writer is to run this accepted cell. Sent only after a person said so (or ``--run``/``--auto`` did).
 */
export interface RunRequested {
  readonly type: 'RunRequested';
  readonly turn_id: string;
  readonly cell_id: string;
}

/**
 * Use this model from the next turn on, at this ``tier``; None: as its profile says. An agent then works in this ``mode``; None: in
 * the same as before.
 */
export interface SelectModel {
  readonly type: 'SelectModel';
  readonly model: string;
  readonly tier?: string | null;
  readonly mode?: string | null;
}

/**
 * How the model in use is served: at which ``tier`` (empty: standard) of which ``tiers``, none where there is no choice; ``ending`` is
 * a sentence where it ends or has ended. ``mode`` is that in which an agent works, of its ``modes``.
 */
export interface Serving {
  readonly tier?: string;
  readonly tiers?: readonly TierInfo[];
  readonly ending?: string;
  readonly mode?: string;
  readonly modes?: readonly string[];
}

/**
 * Have the person's own prompts use their own ``key`` at the provider in use; empty: the kernel's again; None: only ask. Answered by
 * :class:`OwnKeyChanged`, to this client only. The kernel writes ``by``.
 */
export interface SetOwnKey {
  readonly type: 'SetOwnKey';
  readonly key?: string | null;
  readonly by?: Person | null;
}

/**
 * A skill: instructions that ``/name`` at the beginning of a prompt adds to it.
 */
export interface Skill {
  readonly name: string;
  readonly description?: string;
}

/**
 * The whole state, for a client that missed too much. It replaces what the client has. ``proposals`` in the order in which they were
 * begun: of several for a cell, :func:`spark_jupyter.protocol.turn_view.current` says which one the cell is about. ``handed`` are the
 * answers that are offered to the deep model, ``review`` the last one that nobody closed, ``trials`` what copies showed of the proposals
 * that wait, ``consent`` what agents wait for, ``conversation`` the
 * one that goes on, ``moments`` those that can be gone back to.
 */
export interface Snapshot {
  readonly type: 'Snapshot';
  readonly turns?: readonly Turn[];
  readonly proposals?: readonly Proposal[];
  readonly attempts?: readonly AttemptChanged[];
  readonly model?: string;
  readonly deep?: readonly DeepWork[];
  readonly handed?: readonly DeepOffered[];
  readonly review?: ReviewChanged | null;
  readonly conversation?: ConversationChanged | null;
  readonly trials?: readonly TrialResult[];
  readonly consent?: ConsentChanged | null;
  readonly moments?: MomentsChanged | null;
}

/**
 * Money spent, in US dollars: ``today``, in all of the user's notebooks, and this month in this ``notebook``. ``unknown`` is of how
 * many turns of today no price is known; ``stop`` is the limit of a day, 0 where there is none. So many ``drafts`` were asked for today,
 * which are ``drafted`` of it; ``draft_stop`` is their limit, 0 where this kernel writes none.
 */
export interface Spent {
  readonly type: 'Spent';
  readonly today: number;
  readonly notebook: number;
  readonly unknown?: number;
  readonly stop?: number;
  readonly drafts?: number;
  readonly drafted?: number;
  readonly draft_stop?: number;
}

/**
 * Redirect the turn ``steers`` at once. The redirected turn has the new id ``turn_id``. ``images`` go along besides its own.
 */
export interface Steer {
  readonly type: 'Steer';
  readonly turn_id: string;
  readonly steers: string;
  readonly text: string;
  readonly images?: readonly Image[];
  readonly by?: Person | null;
}

/**
 * Instruct a deep work, from its present step on. ``images`` go along from then on.
 */
export interface SteerDeep {
  readonly type: 'SteerDeep';
  readonly work_id: string;
  readonly text: string;
  readonly images?: readonly Image[];
}

/**
 * An effect of a Try that a person is told first.
 *
 * ``message`` is a sentence of ours with names in backticks, ``remedy`` says what to look at, ``rule`` names the rule in
 * :mod:`spark_jupyter.sandbox.surprises`. It speaks of the user's data, so a model is never told it.
 */
export interface Surprise {
  readonly rule: string;
  readonly message: string;
  readonly remedy?: string;
}

/**
 * Switch draft mode on or off for this kernel. ``budget`` is in US dollars a day; None: as it is.
 */
export interface SwitchDrafts {
  readonly type: 'SwitchDrafts';
  readonly on: boolean;
  readonly budget?: number | null;
}

/**
 * Place of the answer: below ``after`` (None: at the end), or an ``edit`` of one cell. ``reuse`` names an empty cell that the first
 * new cell is written into instead of inserting one.
 */
export interface Target {
  readonly after?: string | null;
  readonly edit?: string | null;
  readonly reuse?: string | null;
}

/**
 * Answer to :class:`CellsRequested`: the notebook as it is now.
 */
export interface TellCells {
  readonly type: 'TellCells';
  readonly request_id: string;
  readonly cells: readonly NotebookCell[];
}

/**
 * A tier of a model; an empty name is the standard one. Prices are in US dollars per million tokens, None where not known; ``speed`` is
 * in tokens a second, as measured here last, 0 where it was not.
 */
export interface TierInfo {
  readonly name: string;
  readonly input_price?: number | null;
  readonly output_price?: number | null;
  readonly speed?: number;
}

/**
 * Result of running a proposal in a copy of the kernel. Times in seconds, memory in bytes.
 *
 * ``error`` is what the code itself raised, ``problem`` is one sentence where it could not be tried or did not end. ``refused``: a limit
 * of the copy ended it (a refusal, time, memory, a lock), which says nothing against the code. ``not_tried`` is the limit that kept all
 * of it or a part from running, as a clause ("it uses the network (example.com)"); ``lacked`` are the permissions without which
 * something was refused. ``outside``: something of it happened outside the copy, where that was allowed, and is real; otherwise nothing
 * of it was kept. ``moving`` warns that the kernel was running a cell. ``rehearsed``: nobody asked for it, it ran while the cell was
 * written, so it is shown in a line first. ``decisive`` is the line that says most: the output's last value or last words, else the
 * error, or what was not tried. ``unenforced`` is one sentence where this system does not hold the copy as it should. ``surprises`` are
 * the effects that a person is told first. ``proof``: it was an edit, and ran beside the text that it changes, both from where the cell
 * began.
 */
export interface TrialResult {
  readonly type: 'TrialResult';
  readonly turn_id: string;
  readonly cell_id: string;
  readonly source_hash?: string;
  readonly outputs?: readonly Output[];
  readonly effects?: readonly Effect[];
  readonly error?: string;
  readonly error_line?: number | null;
  readonly refused?: boolean;
  readonly not_tried?: string;
  readonly lacked?: readonly Permission[];
  readonly outside?: boolean;
  readonly problem?: string;
  readonly seconds?: number;
  readonly peak_memory?: number;
  readonly moving?: boolean;
  readonly rehearsed?: boolean;
  readonly summary?: string;
  readonly decisive?: string;
  readonly unenforced?: string;
  readonly surprises?: readonly Surprise[];
  readonly proof?: Proof | null;
}

/**
 * Run a proposal in a forked copy of the kernel and report; nothing is kept. ``source`` is the text as it would be accepted.
 */
export interface Try {
  readonly type: 'Try';
  readonly cell_id: string;
  readonly allow?: readonly Permission[];
  readonly source?: string | null;
}

/**
 * One prompt and the answer streamed to it. ``outcome`` is None while it streams. ``steers`` is the turn that this
 * one redirects. ``started_at`` is in Unix seconds. ``withheld`` names what was kept from the prompt, e.g.
 * ``"AWS access key in cell 3"``, never the secret. ``may_go_on`` as in :class:`~spark_jupyter.protocol.messages.TurnEnded`. ``folded``
 * turns before it were told to the model in short, because its window has no room for all of them. ``agent`` is the name of the agent
 * whose turn it is, ``by`` the person who prompted or steered. ``document`` names the notebook into which it is written, as in
 * :class:`~spark_jupyter.protocol.messages.Hello`; empty: into any. ``hint`` is the step of a hint, of ``hints``; 0: it is none. Then
 * ``target.after`` is the cell that it is about.
 */
export interface Turn {
  readonly id: string;
  readonly prompt: string;
  readonly model?: string;
  readonly started_at?: number;
  readonly target?: Target;
  readonly intent?: Intent;
  readonly steers?: string | null;
  readonly outcome?: TurnOutcome | null;
  readonly reason?: string;
  readonly notes?: string;
  readonly corrections?: number;
  readonly withheld?: readonly string[];
  readonly may_go_on?: boolean;
  readonly folded?: number;
  readonly agent?: string;
  readonly by?: Person | null;
  readonly document?: string;
  readonly hint?: number;
  readonly hints?: number;
}

/**
 * A turn has ended. ``reason`` is a sentence where it failed or was cut short. ``none_passed``: its attempts raced and none passed,
 * so what is proposed is neither kept nor run by itself. ``may_go_on``: the provider cut it for its length; a :class:`Steer` of it has it
 * written on.
 */
export interface TurnEnded {
  readonly type: 'TurnEnded';
  readonly turn_id: string;
  readonly outcome: TurnOutcome;
  readonly reason?: string;
  readonly none_passed?: boolean;
  readonly may_go_on?: boolean;
}

/**
 * A turn has begun. When ``turn.steers`` is set, the proposals of that turn belong to this one now. It comes again when the model
 * that answers has become known.
 */
export interface TurnStarted {
  readonly type: 'TurnStarted';
  readonly turn: Turn;
}

/**
 * Let another provider answer from now on, or with ``only_test`` find out whether it would; answered by :class:`ProviderAnswered`.
 *
 * ``profile`` names a place, or ``base_url`` does. The key is what the environment variable ``key_env`` holds, or ``key``, which is kept
 * for that place and stands in no answer. Without both it is the profile's own, or the kept one. ``own``: none of this, but who the
 * kernel's own configuration names. ``saved``: settings for all notebooks say so, which gives way to the environment.
 */
export interface UseProvider {
  readonly type: 'UseProvider';
  readonly profile?: string;
  readonly base_url?: string;
  readonly model?: string;
  readonly key_env?: string;
  readonly key?: string;
  readonly only_test?: boolean;
  readonly own?: boolean;
  readonly saved?: boolean;
}

/**
 * A variable that comes back: what it is now and what it was, in words; ``now`` is empty where there is none.
 */
export interface VariableChange {
  readonly name: string;
  readonly then: string;
  readonly now?: string;
}

/**
 * The user has begun to type: open the connection now if it is not open.
 */
export interface Warm {
  readonly type: 'Warm';
}

export type CellChange =
  | InsertCell
  | AppendSource
  | ReplaceSource
  | DeleteCell;

export type Command =
  | Attach
  | Prompt
  | Steer
  | Cancel
  | CancelTry
  | Accept
  | Reject
  | Run
  | Try
  | ChooseAttempt
  | Revert
  | CellEdited
  | NewConversation
  | ListConversations
  | OpenConversation
  | RenameConversation
  | DeleteConversation
  | Restore
  | SelectModel
  | ListModels
  | CheckImages
  | AllowImages
  | ListMentions
  | ListRules
  | ListIdeas
  | ListProviders
  | DownloadModel
  | UseProvider
  | SetOwnKey
  | Configure
  | Complete
  | DropCompletion
  | BeginDeep
  | SteerDeep
  | EditPlan
  | DirectDeep
  | ChooseDeep
  | RestoreDeep
  | FindNextEdits
  | SwitchDrafts
  | BeginDraft
  | DropDraft
  | BeginReview
  | CancelReview
  | Warm
  | Resend
  | Inquire
  | TellCells
  | AskRun
  | AnswerRun
  | RevokeGrants;

export type Event =
  | Hello
  | Snapshot
  | TurnStarted
  | ProposalChanged
  | CellsChanged
  | NotesAdded
  | Findings
  | TrialResult
  | AttemptChanged
  | Meter
  | Spent
  | TurnEnded
  | RunRequested
  | Models
  | ImageSupport
  | Mentions
  | ProjectRules
  | Completed
  | DeepChanged
  | DeepOffered
  | NextEdits
  | Drafted
  | Refined
  | PromptRequested
  | Ideas
  | Providers
  | ModelDownload
  | ProviderAnswered
  | OwnKeyChanged
  | ReviewChanged
  | Inquired
  | CellsRequested
  | ConsentChanged
  | Conversations
  | ConversationChanged
  | MomentsChanged
  | MomentPreview
  | CameBack
  | Problem;

/** The fields of a Struct that may be left out, each with what it then stands for. */
type Defaults<T> = { readonly [K in keyof T as object extends Pick<T, K> ? K : never]-?: T[K] };

/** By Struct: what a field that a message leaves out stands for. */
export const DEFAULTS: {
  readonly Accept: Defaults<Accept>;
  readonly AllowImages: Defaults<AllowImages>;
  readonly AnswerRun: Defaults<AnswerRun>;
  readonly Aside: Defaults<Aside>;
  readonly AskRun: Defaults<AskRun>;
  readonly Attach: Defaults<Attach>;
  readonly AttemptChanged: Defaults<AttemptChanged>;
  readonly Attempts: Defaults<Attempts>;
  readonly BeginDeep: Defaults<BeginDeep>;
  readonly BeginDraft: Defaults<BeginDraft>;
  readonly BeginReview: Defaults<BeginReview>;
  readonly CameBack: Defaults<CameBack>;
  readonly Cancel: Defaults<Cancel>;
  readonly CellEdited: Defaults<CellEdited>;
  readonly CellOperation: Defaults<CellOperation>;
  readonly ChooseDeep: Defaults<ChooseDeep>;
  readonly Complete: Defaults<Complete>;
  readonly Completed: Defaults<Completed>;
  readonly Configure: Defaults<Configure>;
  readonly ConsentChanged: Defaults<ConsentChanged>;
  readonly ConversationChanged: Defaults<ConversationChanged>;
  readonly ConversationInfo: Defaults<ConversationInfo>;
  readonly Conversations: Defaults<Conversations>;
  readonly DeepBudget: Defaults<DeepBudget>;
  readonly DeepEntry: Defaults<DeepEntry>;
  readonly DeepGear: Defaults<DeepGear>;
  readonly DeepLimits: Defaults<DeepLimits>;
  readonly DeepStep: Defaults<DeepStep>;
  readonly DeepWork: Defaults<DeepWork>;
  readonly DeleteConversation: Defaults<DeleteConversation>;
  readonly DirectDeep: Defaults<DirectDeep>;
  readonly DownloadModel: Defaults<DownloadModel>;
  readonly Drafted: Defaults<Drafted>;
  readonly DraftedCell: Defaults<DraftedCell>;
  readonly EditPlan: Defaults<EditPlan>;
  readonly Edited: Defaults<Edited>;
  readonly Effect: Defaults<Effect>;
  readonly Extra: Defaults<Extra>;
  readonly FindNextEdits: Defaults<FindNextEdits>;
  readonly Finding: Defaults<Finding>;
  readonly Findings: Defaults<Findings>;
  readonly Hello: Defaults<Hello>;
  readonly Image: Defaults<Image>;
  readonly ImageSupport: Defaults<ImageSupport>;
  readonly Inquire: Defaults<Inquire>;
  readonly Inquired: Defaults<Inquired>;
  readonly InsertCell: Defaults<InsertCell>;
  readonly ListConversations: Defaults<ListConversations>;
  readonly ListProviders: Defaults<ListProviders>;
  readonly Meter: Defaults<Meter>;
  readonly ModelDownload: Defaults<ModelDownload>;
  readonly ModelInfo: Defaults<ModelInfo>;
  readonly ModelOffer: Defaults<ModelOffer>;
  readonly Models: Defaults<Models>;
  readonly MomentInfo: Defaults<MomentInfo>;
  readonly MomentPreview: Defaults<MomentPreview>;
  readonly MomentsChanged: Defaults<MomentsChanged>;
  readonly NextEdits: Defaults<NextEdits>;
  readonly NotebookCell: Defaults<NotebookCell>;
  readonly NotesAdded: Defaults<NotesAdded>;
  readonly Output: Defaults<Output>;
  readonly PermissionWanted: Defaults<PermissionWanted>;
  readonly Person: Defaults<Person>;
  readonly PolicyInfo: Defaults<PolicyInfo>;
  readonly Problem: Defaults<Problem>;
  readonly ProjectRules: Defaults<ProjectRules>;
  readonly Prompt: Defaults<Prompt>;
  readonly Proof: Defaults<Proof>;
  readonly Proposal: Defaults<Proposal>;
  readonly ProposalChanged: Defaults<ProposalChanged>;
  readonly ProposedCell: Defaults<ProposedCell>;
  readonly ProviderAnswered: Defaults<ProviderAnswered>;
  readonly ProviderInfo: Defaults<ProviderInfo>;
  readonly Providers: Defaults<Providers>;
  readonly Refined: Defaults<Refined>;
  readonly Reject: Defaults<Reject>;
  readonly Remark: Defaults<Remark>;
  readonly Restore: Defaults<Restore>;
  readonly Revert: Defaults<Revert>;
  readonly ReviewChanged: Defaults<ReviewChanged>;
  readonly RuleFile: Defaults<RuleFile>;
  readonly Run: Defaults<Run>;
  readonly SelectModel: Defaults<SelectModel>;
  readonly Serving: Defaults<Serving>;
  readonly SetOwnKey: Defaults<SetOwnKey>;
  readonly Skill: Defaults<Skill>;
  readonly Snapshot: Defaults<Snapshot>;
  readonly Spent: Defaults<Spent>;
  readonly Steer: Defaults<Steer>;
  readonly SteerDeep: Defaults<SteerDeep>;
  readonly Surprise: Defaults<Surprise>;
  readonly SwitchDrafts: Defaults<SwitchDrafts>;
  readonly Target: Defaults<Target>;
  readonly TierInfo: Defaults<TierInfo>;
  readonly TrialResult: Defaults<TrialResult>;
  readonly Try: Defaults<Try>;
  readonly Turn: Defaults<Turn>;
  readonly TurnEnded: Defaults<TurnEnded>;
  readonly UseProvider: Defaults<UseProvider>;
  readonly VariableChange: Defaults<VariableChange>;
} = {
  Accept: { hunks: null, source: null, before: null, confirmed: false, turn_id: null, written: false, by: null },
  AllowImages: { allowed: true },
  AnswerRun: { confirmed: false, minutes: 0, agent: '' },
  Aside: { page: '' },
  AskRun: { source_hash: '', agent: '' },
  Attach: { last_seq: 0, can_write: false, notebook: '', life: '', next_seq: 1, prompts: 'on', hints: 5, prompt_limit: null, course: '', hashes: {}, agent: '', person: null },
  AttemptChanged: { source: '', reason: '', proposed: false, prompt: '', results: [], compared: null },
  Attempts: { count: 1, models: [], checks: [], until_green: 0, allow: [], compare: false, other: '' },
  BeginDeep: { text: '', target: {}, cells: [], active: null, checks: [], hands_up: null, budget: null, ask_first: false, within: '', images: [] },
  BeginDraft: { lines: 0, cells: [], target: {}, by: null },
  BeginReview: { run: false, allow: [] },
  CameBack: { variables: 'kept', left: [] },
  Cancel: { turn_id: null, shown: null },
  CellEdited: { turn_id: null, moved: null },
  CellOperation: { below: null, above: null },
  ChooseDeep: { model: null, profile: null, effort: null, tier: null, budget: null, lanes: null },
  Complete: { after: '', cell_type: 'code', cells: null, position: 0, asked: false, other_than: [] },
  Completed: { text: '', done: false, mends: [], first_text: null, cost: null, problem: '', silenced: false },
  Configure: { rehearse: null, repair: null, withhold: null, warn_only: null, checkpoints: null, suggest: null, deep: null, fallback: null, warn_cost: null, stop_cost: null, person_cost: null, refine: null, refine_budget: null, conversations: null, rules: null },
  ConsentChanged: { asked: [], grants: [], permissions: [], decided: {} },
  ConversationChanged: { title: '', others: [] },
  ConversationInfo: { changed_at: 0.0, notebook: '', here: false },
  Conversations: { conversations: [], query: '', kept: true },
  DeepBudget: { seconds: 900.0, tokens: 400000, dollars: null },
  DeepEntry: { step: 0 },
  DeepGear: { model: '', provider: '', effort: '', budget: {}, tier: '', lanes: 3, unavailable: '', windows: [] },
  DeepLimits: { seconds: null, tokens: null, dollars: null },
  DeepStep: { state: 'to-do', fast: false, rounds: 0, cells: [] },
  DeepWork: { model: '', state: 'planning', steps: [], checks: [], budget: {}, target: {}, started_at: 0.0, elapsed: 0.0, running: false, tokens: 0, cost: null, log: [], reason: '', undone: [], hands_up: null, compared: '', lost: '', rest: 0.0, within: '' },
  DeleteConversation: { id: null },
  DirectDeep: { cells: null },
  DownloadModel: { stop: false, model_folder: '' },
  Drafted: { state: 'writing', cells: [], notes: '', problem: '' },
  DraftedCell: { blocked: [], reason: '', trial: null, surprise: '', repairs: 0 },
  EditPlan: { checks: null },
  Edited: { offered: [] },
  Effect: { before: '', after: '', detail: '', refused: false },
  Extra: { input_tokens: 0, output_tokens: 0, cost: null },
  FindNextEdits: { by_model: 'never' },
  Finding: { column: 0, remedy: '', cwe: null, origin: 'guardrail', allowed: null, raised: '', page: '', also: [], wrong: '', meant: '', cause: 0 },
  Findings: { cut: '', may_run: 'freely' },
  Hello: { version: 2, package: '', provider: '', model: '', banner: '', offline: false, writer: false, document: '', catching_up: false, subshells: true, life: '', try_unavailable: '', rehearsal_unavailable: '', offered: '', offered_title: '', deep: {}, suggestions: 'on', serving: {}, policy: {}, recording: '', drafts: false },
  Image: { name: '' },
  ImageSupport: { agreed: false, input_price: null, refused: '' },
  Inquire: { text: '', cells: [], live: false, agent: '' },
  Inquired: { text: '', cells: [], live: false, findings: [], trial: null, withheld: '', problem: '' },
  InsertCell: { cell_type: 'code', after: null, source: '' },
  ListConversations: { query: '' },
  ListProviders: { model_folder: '' },
  Meter: { first_token: null, elapsed: 0.0, input_tokens: 0, output_tokens: 0, cached_tokens: 0, cache_written_tokens: 0, reasoning_tokens: 0, accepted_tokens: 0, rejected_tokens: 0, reading_tokens: 0, read_tokens: 0, waiting: 0, tokens_per_second: 0.0, first_second: 0, thinking: 0.0, wait: 0.0, notice: '', provider_seconds: null, cost: null, extra: [], estimated: true },
  ModelDownload: { gigabytes: 0.0, done: false, stopped: false, problem: '' },
  ModelInfo: { provider: '', input_price: null, output_price: null, cached_price: null, cache_write_price: null, context_window: null, retires: '', ending: '', images: null },
  ModelOffer: { fills_in: false, path: '', fits: false },
  Models: { serving: {} },
  MomentInfo: { number: 0, turn_id: '', name: '', line: '', variables: 'kept', why: '', brings: [] },
  MomentPreview: { variables: 'kept', back: [], gone: [], parts: [], stays: [], files: [], files_back: [], files_gone: [], turns_gone: 0, turns_back: 0, left: [], why: '' },
  MomentsChanged: { moments: [] },
  NextEdits: { words: '', edits: [], by_model: false },
  NotebookCell: { cell_type: 'code', source: '', outputs: '', error: '', execution_count: null, raises: false, check: false, gone: [] },
  NotesAdded: { replaces: false },
  Output: { text: '', data: {} },
  PermissionWanted: { detail: '' },
  Person: { name: '', color: '' },
  PolicyInfo: { off: {}, lines: [], prompt_limit: null, prompts_left: null, logged_by: '' },
  Problem: { remedy: '', turn_id: null, by: null },
  ProjectRules: { on: true, files: [], skills: [] },
  Prompt: { target: {}, cells: [], active: null, model: null, intent: 'generate', attempts: {}, follows: null, images: [], proposes: [], agent: '', by: null, document: '', hint: 0, takes: '', lines: 0 },
  Proof: { differences: [], more: 0, digits: 0, unclear: [], seconds_before: 0.0, seconds: 0.0, memory_before: 0, memory: 0, below: [], warnings_less: 0, summary: '' },
  Proposal: { kind: 'insert', state: 'streaming', cell_type: 'code', base: '', source: '', findings: [], tried: null, inspecting: false, trying: false, may_run: 'freely', unfinished: '', may_accept: 'freely', surprises: [], asides: [], repairs: 0, decided_by: null, operation: null },
  ProposalChanged: { held: false },
  ProposedCell: { source: '', cell_type: 'code', after: null, edits: null, source_hash: '', operation: null },
  ProviderAnswered: { only_test: false, models: [] },
  ProviderInfo: { title: '', base_url: '', model: '', key_env: '', key_url: '', has_key: false, keeps_key: false, signs_in: false },
  Providers: { files: [], offers: [] },
  Refined: { digits: 0 },
  Reject: { written: false, by: null },
  Remark: { remedy: '', rule: '', line: null, fix: '' },
  Restore: { cells: [] },
  Revert: { agent: '', by: null },
  ReviewChanged: { remarks: [], done: 0, total: 0, problem: '', unenforced: '' },
  RuleFile: { characters: 0, problem: '' },
  Run: { confirmed: false, unasked: false, by: null },
  SelectModel: { tier: null, mode: null },
  Serving: { tier: '', tiers: [], ending: '', mode: '', modes: [] },
  SetOwnKey: { key: null, by: null },
  Skill: { description: '' },
  Snapshot: { turns: [], proposals: [], attempts: [], model: '', deep: [], handed: [], review: null, conversation: null, trials: [], consent: null, moments: null },
  Spent: { unknown: 0, stop: 0.0, drafts: 0, drafted: 0.0, draft_stop: 0.0 },
  Steer: { images: [], by: null },
  SteerDeep: { images: [] },
  Surprise: { remedy: '' },
  SwitchDrafts: { budget: null },
  Target: { after: null, edit: null, reuse: null },
  TierInfo: { input_price: null, output_price: null, speed: 0.0 },
  TrialResult: { source_hash: '', outputs: [], effects: [], error: '', error_line: null, refused: false, not_tried: '', lacked: [], outside: false, problem: '', seconds: 0.0, peak_memory: 0, moving: false, rehearsed: false, summary: '', decisive: '', unenforced: '', surprises: [], proof: null },
  Try: { allow: [], source: null },
  Turn: { model: '', started_at: 0.0, target: {}, intent: 'generate', steers: null, outcome: null, reason: '', notes: '', corrections: 0, withheld: [], may_go_on: false, folded: 0, agent: '', by: null, document: '', hint: 0, hints: 0 },
  TurnEnded: { reason: '', none_passed: false, may_go_on: false },
  UseProvider: { profile: '', base_url: '', model: '', key_env: '', key: '', only_test: false, own: false, saved: false },
  VariableChange: { now: '' }
};
