"""Limits, allow-lists and names shared by Python and TypeScript.

``labextension/src/constants.ts`` is generated from these. Each is a string, a number, a tuple of strings or a dict of strings; the text
below it says what it is in both languages.
"""

from __future__ import annotations

from typing import Final

COMMANDS_TARGET: Final = "spark_jupyter.commands"
"""The comm on which a client sends its commands."""

EVENTS_TARGET: Final = "spark_jupyter.events"
"""The comm on which a client gets its events."""

METADATA_KEY: Final = "spark"
"""The key of all metadata that this package writes into a notebook."""

ID_PATTERN: Final = r"^[A-Za-z0-9_-]{1,64}$"
"""Cell ids that nbformat 4.5 allows (nbformat's JSON schema, `cell_id`)."""

HASH_DIGITS: Final = 16
"""Hexadecimal digits of the SHA-256 of a source that name it."""

LONGEST_OUTPUT: Final = 2_000
"""Characters of a cell's text output that are sent along with a prompt: its beginning and its end."""

LONGEST_AROUND: Final = 20_000
"""Characters on one side of the cursor that are sent when a suggestion is asked for."""

LONGEST_ERROR: Final = 4_000
"""Characters of a traceback that are sent along with a prompt: its end, where the error is named."""

MOST_IMAGES: Final = 8
"""Images that go along with one prompt."""

LONGEST_IMAGE: Final = 4_000_000
"""Characters of an image in base64: Anthropic takes 5 MB an image (platform.claude.com, "Vision", 2026-11-27), the others more."""

IMAGE_EDGE: Final = 1_568
"""Pixels of an image's longer edge; Anthropic scales what is larger (the same page)."""

IMAGE_PIXELS: Final = 1_150_000
"""Pixels of an image (the same page); what is larger is scaled."""

IMAGE_PIXELS_PER_TOKEN: Final = 750
"""Anthropic's formula, which no other exceeds for larger images: OpenAI has a token for 1,024 pixels (patches of 32 × 32), Gemini 258 for a
tile of 768 × 768 (their pages on images, 2026-11-27)."""

IMAGE_LEAST_TOKENS: Final = 258
"""Tokens of the smallest image at Gemini, and about those at OpenAI."""

NAMES_FIGURE: Final = (
    r"@figure\b"
    r"|\b(?:this|that|my|the (?:last|above)) (?:plot|figure|chart|graph|histogram|heatmap|diagram)\b"
    r"|\b(?:plot|figure|chart|graph|diagram) above\b"
    r"|\b(?:diese[rs]?|mein) (?:Plot|Diagramm|Grafik|Abbildung|Histogramm)\b"
    r"|\b(?:cet?|cette|mon|ma) (?:graphique|figure|courbe|histogramme|diagramme)\b"
)
"""Words of a prompt that speak of a figure which is there, in any case of letters."""

RAISES_TAG: Final = "raises-exception"
"""Jupyter's tag of a cell that may fail while the cells below it still run; JupyterLab and nbclient obey it."""

CHECK_TAG: Final = "check"
"""Tag of a cell that checks the code above it."""

TURN_OVER: Final = "turn_over"
"""The code of the Problem when a Steer comes after its turn has ended."""

MOST_PROBLEMS: Final = 20
"""Problems that are kept to be shown; the youngest stay."""

MOST_TOLD_TURNS: Final = 200
"""Past turns that a session and its clients keep: more than a person scrolls back to."""

TURNS_FORGOTTEN_AT_ONCE: Final = 20
"""Turns beyond that which a client forgets together."""

MOST_KEPT_TURNS: Final = 40
"""So many turns are kept whole in a session, and read from a notebook's metadata; the youngest count."""

MOST_KEPT_PROPOSALS: Final = 200
"""So many proposals of these turns."""

MOST_PROPOSED: Final = 40
"""Cells that an agent may propose at once."""

MOST_KEPT_CHARACTERS: Final = 200_000
"""Characters of JSON that all of it may take: the oldest go first."""

LONGEST_PROMPT_LINE: Final = 120
"""Characters of its prompt that an accepted cell names."""

TERMINAL_SEQUENCE: Final = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z^_])"
"""Sequences that move a terminal's cursor or colour its text (ECMA-48: control sequences, operating system commands, two-character
escapes)."""

TEXTS: Final[tuple[str, ...]] = ("text/plain", "text/markdown", "text/latex")
"""Representations of a value that are text, and shown as such or rendered without HTML."""

PLOTLY: Final = "application/vnd.plotly.v1+json"
"""The representation of an interactive figure, which may come without a picture."""

PICTURES: Final[tuple[str, ...]] = ("image/png", "image/jpeg")
"""Pictures that a Try may show, the better first. An SVG can run scripts."""

HTML_ELEMENTS: Final[tuple[str, ...]] = tuple(
    "table thead tbody tfoot tr th td caption colgroup col div p span br hr b i em strong u s sub sup small code pre "
    "ul ol li dl dt dd h1 h2 h3 h4 h5 h6 blockquote details summary".split()
)
"""Elements of HTML that a Try may show: tables and plain text markup. Of all others only their text is left."""

HTML_ATTRIBUTES: Final[tuple[str, ...]] = ("colspan", "rowspan", "scope", "align", "valign", "border", "open")
"""Attributes that these may have: a few about layout. Nothing that loads, links, styles or names."""

HTML_DROPPED: Final[tuple[str, ...]] = tuple(
    "script style iframe object template svg math title noscript textarea option".split()
)
"""Elements of which not even the text is left: it is not meant to be read."""

OFFER_PATTERN: Final = (
    "^- Ask: “([^“”"
    "\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef"
    "]{1,300})”$"
)
"""A line of an answer's notes that offers a prompt to be asked next (of Python's and JavaScript's regular expressions, with
``^`` and ``$`` at lines, by code points). What is offered is the model's text: it is put into the prompt where a person sees it,
never sent. With a character that nobody sees, or that changes the order of others, it is no offer, and stays in the notes."""

LONGEST_OFFER: Final = 300
"""Characters of such a prompt."""

MOST_OFFERS: Final = 6
"""So many of them an answer may make."""

REFUSAL: Final = "No:"
"""Beginning of the notes of an answer that refuses: it is no success, and is not shown as one."""

GO_ON: Final = "Go on where you stopped."
"""The instruction for an answer that was cut for its length."""

FIX_PROPOSAL: Final = "Fix the error that this cell raises."
"""The prompt of Fix for a proposal that failed in its copy."""

NEXT_HINT: Final = "Give me the next hint."
"""The prompt that asks for the next hint on the same question."""

WHY: Final = "Why is this wrong?"
"""The prompt that has the checks of a cell run in a copy, and the first difference explained."""

MOST_HINTS: Final = 5
"""Hints on one question: a question back, an idea, a signature, a skeleton with gaps, the whole."""

LOOK: Final = (
    "Look at @figure. Say where it and what was asked for disagree, and what in it would mislead a reader. "
    "If nothing does, say so in a sentence."
)
"""The prompt of "Look"."""

CONTINUE: Final = "The writing of this cell was stopped. Keep what is there, go on where it ends, and finish it."
"""The instruction for a cell whose writing was stopped: it is edited."""

UNDO: Final = "%spark undo"
"""Command that brings back the variables that the last run changed."""

UNDO_PARTLY: Final = "%spark undo --yes"
"""The same where not all of them can come back: a refusal names it, and who shows that may offer it."""
AUTOLOAD: Final = "%spark autoload on"
"""Magic that has every new kernel load the extension."""

LOAD_EXTENSION: Final = '''exec("""import importlib.metadata, importlib.util, os, sys
def is_here(one):
    try:
        return not os.path.isabs(one) or os.path.samefile(one, '.')
    except OSError:
        return False
before = sys.path[:]
sys.path[:] = [one for one in before if not is_here(one)]
try:
    if 'spark_jupyter' not in sys.modules and importlib.util.find_spec('spark_jupyter') is None:
        if any(importlib.metadata.distributions(name='spark_jupyter', path=sys.path)):
            sys.path[:] = [one for one in before if one]
    shell.run_line_magic('load_ext', 'spark_jupyter')
finally:
    sys.path[:] = before
""", {"shell": get_ipython()})'''
"""Code that loads the extension where nobody wrote so. IPython looks for modules in the working folder, too: ``""`` in ``sys.path``, and
its path, where PYTHONPATH has an empty part. A file there that is called like this package, or like one that it imports, would run unasked:
so that folder is left out meanwhile, unless it is the one in which this package is developed. No name is left behind."""

PASSIVE_LINE: Final = r"^\s*(?:#|import\s|from\s.*\simport\s|%|\"\"\"|'''|@)"
"""A line that does not name its cell: a comment, an import, a magic, a docstring or a decorator."""

EMPTY_CELL: Final = "empty cell"
"""The name of a cell without text."""

REPAIRED: Final[tuple[str, ...]] = ("", "repaired once", "repaired twice")
"""Number of unasked repairs of a cell that failed in its copy, in words."""

MOST_DEEP_STEPS: Final = 20
"""Steps of one plan of deep work: nobody reads or edits a longer one."""

MOST_DEEP_CHECKS: Final = 12
"""Checks of one plan of deep work."""

LONGEST_DEEP_STEP: Final = 400
"""Characters of a step or a check of deep work; the rest is cut."""

DEEP_STATES: Final[dict[str, str]] = {
    "planning": "planning …",
    "planned": "plan ready: approve or edit it",
    "writing": "writing …",
    "trying": "running it in a copy …",
    "stalled": "retrying soon …",
    "paused": "paused",
    "proposed": "done: see its proposals",
    "gave-up": "gave up",
    "cancelled": "cancelled",
}
"""The states of deep work, each in words."""

DEEP_STEP_STATES: Final[dict[str, str]] = {
    "to-do": "to do",
    "writing": "writing …",
    "trying": "running in a copy …",
    "done": "done",
    "left-out": "left out",
}
"""The states of a step of deep work, each in words."""
