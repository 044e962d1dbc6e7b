"""Questions about the notebook that are answered in notes: what an output or an error means, why a cell is slow, whether a model
is any good, what is in a variable. Pure.

Only what the cell's code and its output show is said; where that is nothing known, the answer says so.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.server.engines import repairs
from spark_jupyter.server.engines.compose import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_jupyter.protocol.values import NotebookCell
    from spark_jupyter.server.engines.request import Request

WHO = "I am a recipe book, not a language model."
_OUTPUT = re.compile(
    r"\bwhat (?:does|do|is|are) (?:this|that|these|the|those|my) (?:output|result|number|table|value|figure)s?\b[^.]*\b(?:mean|say|tell)|"
    r"\b(?:explain|interpret) (?:me )?(?:this|that|the|my) (?:output|result|number|table|value)s?\b|"
    r"\bhow (?:do|should|can) i (?:read|interpret|understand) (?:this|that|the) (?:output|result|number|table)s?\b",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\bwhat (?:does|is|do) (?:this|that|the|my) (?:error|exception|traceback|message)\b|\bexplain (?:me )?(?:this|that|the|my) "
    r"(?:error|exception|traceback)\b|\bwhy (?:do|did) i get (?:this|that|the|an?) error\b",
    re.IGNORECASE,
)
_SLOW = re.compile(
    r"\bwhy (?:is|does) (?:it|this|that|the cell|my code|the code|this cell)\b[^?]*\b(?:slow|so long|long)\b|"
    r"\bwhat (?:is|makes) (?:it|this|the cell|my code) (?:so )?slow\b",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\b(?:is|was) (?:the|my|this) (?:model|fit|classifier|regression|score|accuracy)(?: \w+)? (?:any )?good\b|"
    r"\bhow good is (?:the|my|this) (?:model|fit|classifier|regression)\b",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"\W*what(?:'s|s| is| are)\s+(?:there\s+)?(?:in|inside)\s+(?:of\s+)?(?:the\s+|my\s+)?(?:variable\s+|table\s+)?`?(?P<name>\w+)`?\W*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?!\w)")
_ERRORS = {
    "NameError": "a name is used that nothing has defined yet: the cell that defines it has not run, or it is spelt differently.",
    "KeyError": "something is looked up by a key or a column that is not there.",
    "IndexError": "a place is asked for that is beyond the end of a list or an array.",
    "TypeError": "an operation or a function was given something of a type that it does not take.",
    "ValueError": "the type is right, but the value is none that the operation can take.",
    "AttributeError": "the object has nothing of that name: it is of another type than the code takes it for, or the name is misspelt.",
    "ModuleNotFoundError": "the package is not installed where the kernel runs, or its name is misspelt.",
    "ImportError": "the package is there, but has nothing of that name.",
    "FileNotFoundError": "there is no file of that name in the folder in which the kernel runs.",
    "ZeroDivisionError": "a number is divided by zero.",
    "SyntaxError": "the cell is not Python as it stands, so none of it has run.",
    "IndentationError": "the lines are not indented as Python needs it, so none of the cell has run.",
    "UnboundLocalError": "a function uses a variable of its own before it has given it a value.",
    "RecursionError": "a function calls itself without ever coming to an end.",
    "MemoryError": "the data is larger than the memory that is left.",
    "UnicodeDecodeError": "the file is written in another encoding than it is read in.",
    "KeyboardInterrupt": "the cell was stopped by hand.",
}


def reply(asked: Request) -> Answer | None:
    """The answer in prose; None where the request is no such question."""
    if asked.intent != "generate":
        return None
    if (held := _contents(asked)) is not None:
        return held
    for pattern, tell in _KINDS:
        if pattern.search(asked.text):
            return Answer(notes=tell(asked))
    return None


def _contents(asked: Request) -> Answer | None:
    """What is in a variable that is asked about."""
    found = _CONTENTS.match(asked.text)
    variable = asked.namespace.get(found["name"]) if found else None
    if variable is None:
        return None
    if not variable.columns:
        return Answer(
            notes=f"`{variable.name}` is a {variable.type}: {variable.details or 'no more is known of it'}. {WHO}"
        )
    rows = f" of {variable.rows} rows" if variable.rows is not None else ""
    columns = "\n".join(f"- `{one.name}`: {one.dtype or 'unknown'}{_held(one.holds)}" for one in variable.columns)
    return Answer(notes=f"`{variable.name}` is a table{rows} with these columns. {WHO}\n\n{columns}")


def _held(holds: str) -> str:
    return f" (texts that are {holds})" if holds else ""


def _cell(asked: Request, *, shown: bool = False) -> NotebookCell | None:
    """The cell in which the user is, else the last; ``shown``: of those with an output."""
    code = [one for one in asked.cells if one.cell_type == "code" and one.source.strip() and (one.outputs or not shown)]
    here = asked.edit or asked.active
    return next((one for one in code if here is not None and one.id == here.id), code[-1] if code else None)


def _error(asked: Request) -> str:
    cell = _cell(asked)
    text = asked.error or (cell.error if cell else "")
    failure = (
        repairs.read_failure(text, source=cell.source if cell else "", namespace=asked.namespace, earlier=())
        if text
        else None
    )
    if failure is None:
        return f"{REFUSAL} I see no error. Run the cell that fails, then ask again. {WHO}"
    said = f"{failure.type}: {failure.message}".rstrip(": ")
    meaning = _ERRORS.get(failure.type)
    repair = repairs.repair(failure)
    more = f" {repair.says} `%spark fix` proposes that." if repair else ""
    if meaning is None and repair is None:
        return f"{REFUSAL} “{said}” is an error that I know nothing of. {WHO}"
    return f"“{said}”: {meaning or ''}{more} {WHO}"


def _output(asked: Request) -> str:
    cell = _cell(asked, shown=True)
    if cell is None:
        return f"{REFUSAL} I see no output. Run the cell, then ask again. {WHO}"
    said = [sentence for sentence in (read(cell.source, cell.outputs) for read in _READINGS) if sentence]
    if not said:
        return f"{REFUSAL} I know no more of this output than that `{_last_line(cell.source)}` gave it. {WHO}"
    return f"{' '.join(said)} It is what `{_last_line(cell.source)}` gave. {WHO}"


def _good(asked: Request) -> str:
    cell = next((one for one in reversed(asked.cells) if _score(one.source, one.outputs)), None)
    if cell is None:
        says = "I see no score of a model in the outputs. Let it be scored on data that it was not fitted on, and ask again."
        return f"{REFUSAL} {says} {WHO}"
    return f"{_score(cell.source, cell.outputs)} {WHO}"


def _slow(asked: Request) -> str:
    cell = _cell(asked)
    if cell is None:
        return f"{REFUSAL} I see no cell. {WHO}"
    try:
        found = list(dict.fromkeys(_slow_parts(ast.parse(cell.source))))
    except SyntaxError:
        return f"{REFUSAL} The cell is not Python as it stands, so I can't read it. {WHO}"
    if not found:
        return f"{REFUSAL} In the cell is nothing that I know to be slow; `%%prun` above it shows where the time goes. {WHO}"
    parts = "\n".join(f"- {one}" for one in found)
    return f"What is known to be slow in the cell, whether or not it is what takes the time here. {WHO}\n\n{parts}"


_KINDS: tuple[tuple[re.Pattern[str], Callable[[Request], str]], ...] = (
    (_OUTPUT, _output),
    (_ERROR, _error),
    (_GOOD, _good),
    (_SLOW, _slow),
)


# --- what an output says ------------------------------------------------------------------------------------------------


def _last_line(source: str) -> str:
    lines = [line.strip() for line in source.splitlines() if line.strip() and not line.strip().startswith("#")]
    return lines[-1] if lines else ""


def _p_value(source: str, output: str) -> str:
    found = re.search(r"p[-_ ]?value\s*[=:]?\s*(?:np\.float64\()?([\d.]+(?:e-?\d+)?)", output, re.IGNORECASE)
    if found is None or not re.search(
        r"ttest|mannwhitney|chi2|pearsonr|spearmanr|wilcoxon|anova|f_oneway|shapiro", source
    ):
        return ""
    value = float(found[1])
    how = (
        "below 0.05, so chance alone would seldom give as much"
        if value < 0.05
        else "not below 0.05, so chance alone may well give as much"
    )
    return f"The p value is {value:.3g}: {how}. It says nothing about how large the difference is."


def _correlation(source: str, output: str) -> str:
    numbers = _NUMBER.findall(output)
    if not re.search(r"\.corr\(|corrcoef|pearsonr", source) or len(numbers) != 1 or not -1 <= float(numbers[0]) <= 1:
        return ""
    value = float(numbers[0])
    strength = (
        "hardly any"
        if abs(value) < 0.1
        else "weak"
        if abs(value) < 0.3
        else "moderate"
        if abs(value) < 0.6
        else "strong"
    )
    way = "rise together" if value > 0 else "go in opposite directions"
    return f"The correlation is {value:.2f}: {strength}, on a scale from -1 to 1; the two {way}. It says nothing about causes."


def _missing(source: str, output: str) -> str:
    if not re.search(r"\.is(?:na|null)\(\)\.sum\(\)", source):
        return ""
    counts = {name: int(count) for name, count in re.findall(r"^(.*\S)\s+(\d+)$", output, re.MULTILINE)}
    some = {name: count for name, count in counts.items() if count}
    if not counts:
        return ""
    told = ", ".join(f"`{name}` ({count})" for name, count in some.items())
    return f"It counts the missing values of each column: {told or 'there are none'}."


def _counts(source: str, output: str) -> str:
    rows = [
        (name.strip(), float(number))
        for name, number in re.findall(r"^(\S.*?)\s{2,}(-?\d+(?:\.\d+)?)$", output, re.MULTILINE)
    ]
    grouped = re.search(r"\.groupby\(.*\.(mean|sum|median|max|min|size|count|std)\(\)|\.value_counts\(", source)
    if grouped is None or len(rows) < 2:
        return ""
    how = {"size": "number of rows", "count": "number of values", None: "number of rows"}.get(grouped[1], grouped[1])
    most, least = max(rows, key=lambda one: one[1]), min(rows, key=lambda one: one[1])
    return f"It is the {how} of each group: most for {most[0]} ({most[1]:g}), least for {least[0]} ({least[1]:g})."


def _shape(source: str, output: str) -> str:
    found = re.fullmatch(r"\((\d+), (\d+)\)", output.strip())
    if found is None or not _last_line(source).endswith(".shape"):
        return ""
    return f"The table has {found[1]} rows and {found[2]} columns."


def _described(source: str, output: str) -> str:
    if ".describe()" not in source or "std" not in output:
        return ""
    return (
        "For each column of numbers: `count` is how many values there are, `mean` their average, `std` how far they usually lie from it,"
        " 25 %, 50 % and 75 % the values below which a quarter, half and three quarters lie."
    )


def _score(source: str, output: str) -> str:
    """What a model's score says; empty where the cell shows none."""
    numbers = [float(one) for one in _NUMBER.findall(output) if "." in one]
    known = re.search(
        r"accuracy_score|r2_score|mean_(?:squared|absolute)_error|roc_auc_score|f1_score|cross_val_score|\.score\(",
        source,
    )
    if known is None or not numbers:
        return ""
    value, name = numbers[0], known[0]
    if "error" in name:
        return f"The error is {value:.3g}, in the unit of what is predicted (or its square): compare it with the values' spread."
    classifier = re.search(r"Classifier|LogisticRegression|accuracy|SVC\b|NB\b", source) is not None
    if name == "r2_score" or (name in (".score(", "cross_val_score") and not classifier and "Regress" in source):
        return f"R² is {value:.2f}: the model explains {100 * value:.0f} % of the variance; 0 is no better than always saying the mean."
    if not classifier and name not in ("roc_auc_score", "f1_score", "accuracy_score"):
        return ""
    half = "half of the time for two classes of equal size" if name != "roc_auc_score" else "0.5"
    tested = "test" in source or "cross_val" in source
    seen = "" if tested else " I see no data set apart for a test."
    return f"The score is {value:.2f}, of 1. Guessing gives {half}; the commonest class alone gives its share: compare with that.{seen}"


_READINGS: tuple[Callable[[str, str], str], ...] = (
    _p_value,
    _correlation,
    _missing,
    _counts,
    _shape,
    _described,
    _score,
)


# --- what is slow -------------------------------------------------------------------------------------------------------


def _slow_parts(tree: ast.Module) -> Iterator[str]:
    for loop in ast.walk(tree):
        if isinstance(loop, ast.Call) and isinstance(loop.func, ast.Attribute):
            name = loop.func.attr
            if name in ("iterrows", "itertuples"):
                yield f"Line {loop.lineno} goes through a table row by row (`{name}`): whole columns at once are far faster."
            if name == "apply" and any(one.arg == "axis" for one in loop.keywords):
                yield f"Line {loop.lineno} calls a Python function for each row (`apply` with `axis`): calculate with whole columns."
        if isinstance(loop, ast.For | ast.While):
            yield from _slow_inside(loop)


def _slow_inside(loop: ast.For | ast.While) -> Iterator[str]:
    for one in (each for statement in loop.body for each in ast.walk(statement)):
        if isinstance(one, ast.For | ast.While):
            yield f"Line {one.lineno} is a loop in the loop of line {loop.lineno}: its lines run as often as both counts multiplied."
        if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute):
            continue
        if one.func.attr in ("concat", "concatenate", "vstack", "hstack"):
            yield f"Line {one.lineno} makes a new table or array in each round (`{one.func.attr}`): collect the parts, join them once."
        if one.func.attr.startswith("read_"):
            yield f"Line {one.lineno} reads a file in each round (`{one.func.attr}`)."
