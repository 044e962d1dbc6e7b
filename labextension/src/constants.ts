// Generated from spark_jupyter/protocol/constants.py by scripts/codegen.py.
// Do not edit: change the values there and run `make codegen`.

/**
 * The comm on which a client sends its commands.
 */
export const COMMANDS_TARGET = 'spark_jupyter.commands';

/**
 * The comm on which a client gets its events.
 */
export const EVENTS_TARGET = 'spark_jupyter.events';

/**
 * The key of all metadata that this package writes into a notebook.
 */
export const METADATA_KEY = 'spark';

/**
 * Cell ids that nbformat 4.5 allows (nbformat's JSON schema, `cell_id`).
 */
export const ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

/**
 * Hexadecimal digits of the SHA-256 of a source that name it.
 */
export const HASH_DIGITS = 16;

/**
 * Characters of a cell's text output that are sent along with a prompt: its beginning and its end.
 */
export const LONGEST_OUTPUT = 2000;

/**
 * Characters on one side of the cursor that are sent when a suggestion is asked for.
 */
export const LONGEST_AROUND = 20000;

/**
 * Characters of a traceback that are sent along with a prompt: its end, where the error is named.
 */
export const LONGEST_ERROR = 4000;

/**
 * Images that go along with one prompt.
 */
export const MOST_IMAGES = 8;

/**
 * Characters of an image in base64: Anthropic takes 5 MB an image (platform.claude.com, "Vision", 2026-11-27), the others more.
 */
export const LONGEST_IMAGE = 4000000;

/**
 * Pixels of an image's longer edge; Anthropic scales what is larger (the same page).
 */
export const IMAGE_EDGE = 1568;

/**
 * Pixels of an image (the same page); what is larger is scaled.
 */
export const IMAGE_PIXELS = 1150000;

/**
 * Anthropic's formula, which no other exceeds for larger images: OpenAI has a token for 1,024 pixels (patches of 32 × 32), Gemini 258 for a
 * tile of 768 × 768 (their pages on images, 2026-11-27).
 */
export const IMAGE_PIXELS_PER_TOKEN = 750;

/**
 * Tokens of the smallest image at Gemini, and about those at OpenAI.
 */
export const IMAGE_LEAST_TOKENS = 258;

/**
 * Words of a prompt that speak of a figure which is there, in any case of letters.
 */
export const NAMES_FIGURE = '@figure\\b|\\b(?:this|that|my|the (?:last|above)) (?:plot|figure|chart|graph|histogram|heatmap|diagram)\\b|\\b(?:plot|figure|chart|graph|diagram) above\\b|\\b(?:diese[rs]?|mein) (?:Plot|Diagramm|Grafik|Abbildung|Histogramm)\\b|\\b(?:cet?|cette|mon|ma) (?:graphique|figure|courbe|histogramme|diagramme)\\b';

/**
 * Jupyter's tag of a cell that may fail while the cells below it still run; JupyterLab and nbclient obey it.
 */
export const RAISES_TAG = 'raises-exception';

/**
 * Tag of a cell that checks the code above it.
 */
export const CHECK_TAG = 'check';

/**
 * The code of the Problem when a Steer comes after its turn has ended.
 */
export const TURN_OVER = 'turn_over';

/**
 * Problems that are kept to be shown; the youngest stay.
 */
export const MOST_PROBLEMS = 20;

/**
 * Past turns that a session and its clients keep: more than a person scrolls back to.
 */
export const MOST_TOLD_TURNS = 200;

/**
 * Turns beyond that which a client forgets together.
 */
export const TURNS_FORGOTTEN_AT_ONCE = 20;

/**
 * So many turns are kept whole in a session, and read from a notebook's metadata; the youngest count.
 */
export const MOST_KEPT_TURNS = 40;

/**
 * So many proposals of these turns.
 */
export const MOST_KEPT_PROPOSALS = 200;

/**
 * Cells that an agent may propose at once.
 */
export const MOST_PROPOSED = 40;

/**
 * Characters of JSON that all of it may take: the oldest go first.
 */
export const MOST_KEPT_CHARACTERS = 200000;

/**
 * Characters of its prompt that an accepted cell names.
 */
export const LONGEST_PROMPT_LINE = 120;

/**
 * Sequences that move a terminal's cursor or colour its text (ECMA-48: control sequences, operating system commands, two-character
 * escapes).
 */
export const TERMINAL_SEQUENCE = '\\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)|[@-Z^_])';

/**
 * Representations of a value that are text, and shown as such or rendered without HTML.
 */
export const TEXTS = ['text/plain', 'text/markdown', 'text/latex'] as const;

/**
 * The representation of an interactive figure, which may come without a picture.
 */
export const PLOTLY = 'application/vnd.plotly.v1+json';

/**
 * Pictures that a Try may show, the better first. An SVG can run scripts.
 */
export const PICTURES = ['image/png', 'image/jpeg'] as const;

/**
 * Elements of HTML that a Try may show: tables and plain text markup. Of all others only their text is left.
 */
export const HTML_ELEMENTS = ['table', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'caption', 'colgroup', 'col', 'div', 'p', 'span', 'br', 'hr', 'b', 'i', 'em', 'strong', 'u', 's', 'sub', 'sup', 'small', 'code', 'pre', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'details', 'summary'] as const;

/**
 * Attributes that these may have: a few about layout. Nothing that loads, links, styles or names.
 */
export const HTML_ATTRIBUTES = ['colspan', 'rowspan', 'scope', 'align', 'valign', 'border', 'open'] as const;

/**
 * Elements of which not even the text is left: it is not meant to be read.
 */
export const HTML_DROPPED = ['script', 'style', 'iframe', 'object', 'template', 'svg', 'math', 'title', 'noscript', 'textarea', 'option'] as const;

/**
 * A line of an answer's notes that offers a prompt to be asked next (of Python's and JavaScript's regular expressions, with
 * ``^`` and ``$`` at lines, by code points). What is offered is the model's text: it is put into the prompt where a person sees it,
 * never sent. With a character that nobody sees, or that changes the order of others, it is no offer, and stays in the notes.
 */
export const OFFER_PATTERN = '^- Ask: “([^“”\u{0}-\u{1f}\u{7f}-\u{9f}\u{ad}\u{61c}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}\u{feff}\u{e0000}-\u{e01ef}]{1,300})”$';

/**
 * Characters of such a prompt.
 */
export const LONGEST_OFFER = 300;

/**
 * So many of them an answer may make.
 */
export const MOST_OFFERS = 6;

/**
 * Beginning of the notes of an answer that refuses: it is no success, and is not shown as one.
 */
export const REFUSAL = 'No:';

/**
 * The instruction for an answer that was cut for its length.
 */
export const GO_ON = 'Go on where you stopped.';

/**
 * The prompt of Fix for a proposal that failed in its copy.
 */
export const FIX_PROPOSAL = 'Fix the error that this cell raises.';

/**
 * The prompt that asks for the next hint on the same question.
 */
export const NEXT_HINT = 'Give me the next hint.';

/**
 * The prompt that has the checks of a cell run in a copy, and the first difference explained.
 */
export const WHY = 'Why is this wrong?';

/**
 * Hints on one question: a question back, an idea, a signature, a skeleton with gaps, the whole.
 */
export const MOST_HINTS = 5;

/**
 * The prompt of "Look".
 */
export const LOOK = 'Look at @figure. Say where it and what was asked for disagree, and what in it would mislead a reader. If nothing does, say so in a sentence.';

/**
 * The instruction for a cell whose writing was stopped: it is edited.
 */
export const CONTINUE = 'The writing of this cell was stopped. Keep what is there, go on where it ends, and finish it.';

/**
 * Command that brings back the variables that the last run changed.
 */
export const UNDO = '%spark undo';

/**
 * The same where not all of them can come back: a refusal names it, and who shows that may offer it.
 */
export const UNDO_PARTLY = '%spark undo --yes';

/**
 * Magic that has every new kernel load the extension.
 */
export const AUTOLOAD = '%spark autoload on';

/**
 * Code that loads the extension where nobody wrote so. IPython looks for modules in the working folder, too: ``""`` in ``sys.path``, and
 * its path, where PYTHONPATH has an empty part. A file there that is called like this package, or like one that it imports, would run unasked:
 * so that folder is left out meanwhile, unless it is the one in which this package is developed. No name is left behind.
 */
export const LOAD_EXTENSION = 'exec("""import importlib.metadata, importlib.util, os, sys\u{a}def is_here(one):\u{a}    try:\u{a}        return not os.path.isabs(one) or os.path.samefile(one, \'.\')\u{a}    except OSError:\u{a}        return False\u{a}before = sys.path[:]\u{a}sys.path[:] = [one for one in before if not is_here(one)]\u{a}try:\u{a}    if \'spark_jupyter\' not in sys.modules and importlib.util.find_spec(\'spark_jupyter\') is None:\u{a}        if any(importlib.metadata.distributions(name=\'spark_jupyter\', path=sys.path)):\u{a}            sys.path[:] = [one for one in before if one]\u{a}    shell.run_line_magic(\'load_ext\', \'spark_jupyter\')\u{a}finally:\u{a}    sys.path[:] = before\u{a}""", {"shell": get_ipython()})';

/**
 * A line that does not name its cell: a comment, an import, a magic, a docstring or a decorator.
 */
export const PASSIVE_LINE = '^\\s*(?:#|import\\s|from\\s.*\\simport\\s|%|\\"\\"\\"|\'\'\'|@)';

/**
 * The name of a cell without text.
 */
export const EMPTY_CELL = 'empty cell';

/**
 * Number of unasked repairs of a cell that failed in its copy, in words.
 */
export const REPAIRED = ['', 'repaired once', 'repaired twice'] as const;

/**
 * Steps of one plan of deep work: nobody reads or edits a longer one.
 */
export const MOST_DEEP_STEPS = 20;

/**
 * Checks of one plan of deep work.
 */
export const MOST_DEEP_CHECKS = 12;

/**
 * Characters of a step or a check of deep work; the rest is cut.
 */
export const LONGEST_DEEP_STEP = 400;

/**
 * The states of deep work, each in words.
 */
export const DEEP_STATES = { planning: 'planning …', planned: 'plan ready: approve or edit it', writing: 'writing …', trying: 'running it in a copy …', stalled: 'retrying soon …', paused: 'paused', proposed: 'done: see its proposals', 'gave-up': 'gave up', cancelled: 'cancelled' } as const;

/**
 * The states of a step of deep work, each in words.
 */
export const DEEP_STEP_STATES = { 'to-do': 'to do', writing: 'writing …', trying: 'running in a copy …', done: 'done', 'left-out': 'left out' } as const;
