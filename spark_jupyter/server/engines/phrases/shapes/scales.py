"""Answers of a questionnaire and texts that somebody typed: a scale that is turned round, a column that is to have a few labels only, the
numbers out of texts, and the error that those give. Pure.
"""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed
from spark_jupyter.server.engines.rewrite import quoted

_NUMBER = r'r"(-?\d+(?:\.\d+)?)"'
_LABELS = re.compile(r"\s*(?:,|/|\band\b|\bor\b|&)\s*", re.IGNORECASE)
_ABOUT_SCALE = re.compile(
    r"^(?:(?:it|they|its|is|are|has|on|of|from|with|an?|the|to|scale|scales|likert|point|points|range|ranges|goes|go|between|and|"
    r"so|as|values?|"
    r"answers?|becomes?|where|item|items|rated|⟨n\d+⟩|\d+|-|:|in|scored) )*$",
    re.IGNORECASE,
)


def _turned_round(said: Said) -> str:
    """The highest answer for the lowest: of a scale of 1 to 5, 6 less the answer."""
    columns = said.columns("cs")
    if not columns or any(one.kind != "number" for one in columns):
        raise UnknownError
    how = said.found["how"] if said.has("how") else ""
    if not _ABOUT_SCALE.match(how) or (re.match(r"(?:reverse|invert|flip) ⟨", said.found[0]) and not how):
        raise UnknownError
    ends = [float(said.marked.value(one)) for one in re.findall(r"⟨n\d+⟩|(?<!\S)\d+", how)]
    ends = [1.0, *ends] if len(ends) == 1 else ends
    if ends and (len(set(ends)) != 2 or len(ends) not in (2, 4)):
        raise UnknownError
    for column in columns:
        name = f"{said.table}[{column.source}]"
        new = f"{said.table}[{quoted(said.new(''))}]" if said.has("new") and len(columns) == 1 else name
        both = f"{min(ends) + max(ends):g}" if ends else f"({name}.min() + {name}.max())"
        said.before.append(f"{new} = {both} - {name}")
    if not ends:
        said.says.append("I took the lowest and the highest answer that there is for the ends of the scale.")
    return said.table


def _told_labels(said: Said) -> list[str]:
    """The labels as they were typed. Raises :class:`UnknownError` where one could be short for two of them."""
    text = said.marked.prompt
    behind = re.search(
        rf"(?:{_ONLY_WORDS})\s+(?:the\s+)?(?P<labels>[^.;:?!()]+?)\s*(?:left|remain\w*|in it|values?|there)?\s*[).!?]*$",
        text,
        re.I,
    )
    labels = [one.strip(" \"'") for one in _LABELS.split(behind["labels"])] if behind else []
    labels = [one for one in labels if one]
    firsts = {one[:1].lower() for one in labels}
    if len(labels) < 2 or len(firsts) < len(labels) or any(len(one.split()) > 2 for one in labels):
        raise UnknownError
    return labels


_ONLY_WORDS = (
    r"only|just|consistently|always|uniformly|(?:to|into|as|use|uses|contains?|has|have|be|is|are|with)(?!.*\b(?:only|"
    r"just|to|as|into)\b)"
)


def _few_labels(said: Said) -> str:
    """Each text becomes the label that it is short for, or a spelling of."""
    column = said.column("x")
    if column.kind != "text" or column.holds.startswith(("dates", "numbers", "names", "truth")):
        raise UnknownError
    labels = _told_labels(said)
    name = f"{said.table}[{column.source}]"
    known = " or ".join(("label.lower().startswith(plain)", "plain.startswith(label.lower())"))
    said.before += [
        f"labels = {listed(labels)}",
        "",
        "",
        "def as_label(value):",
        "    plain = str(value).strip().lower()",
        f"    return next((label for label in labels if plain and ({known})), value)",
        "",
        "",
        f"{name} = {name}.map(as_label)",
    ]
    said.says.append("What begins like none of them stays as it was.")
    return said.table


def _numbers_in(said: Said) -> str:
    """The first number in each text."""
    column = said.column("x")
    if column.kind != "text" or column.holds.startswith(("dates", "truth", "names")):
        raise UnknownError
    name = f"{said.table}[{column.source}]"
    new = f"{said.table}[{quoted(said.new(''))}]" if said.has("new") else name
    made = (
        said.of(column)
        if column.holds.startswith("numbers")
        else f"{name}.astype(str).str.extract({_NUMBER}, expand=False).astype(float)"
    )
    said.before.append(f"{new} = {made}")
    return said.table


def _told_error(said: Said) -> str:
    """An error that texts give where numbers are wanted: the numbers in them are taken."""
    marked = {said.marked.value(one): one for one in re.findall(r"⟨[cq]\d+⟩", said.found[0])}
    columns = [name for name in marked if name in said.by_name]
    if len(columns) != 1:
        raise UnknownError
    said.found["x"] = marked[columns[0]]
    for text in marked.keys() - {*columns}:
        said.before.append(f"# {quoted(text)} has more than a number in it: the number is taken out of each text.")
    return _numbers_in(said)


_REVERSE = (
    "(reverse code|reverse score|reverse - code|reverse - score|reverse-code|reverse-score|reverse-scored|recode reversed|"
    "reverse coded|invert|flip|"
    "reverse scale of|invert scale of|flip scale of|reverse coding of|reverse scoring of|turn round|turn around|reverse)"
)
_CLEAN = (
    "(clean|clean up|unify|standardise|standardize|normalise|normalize|harmonise|harmonize|fix|tidy|tidy up|make|recode|"
    "correct|convert|change)"
)
_ITEMS = "[item|items|question|questions|answers|values|answers of|values of]"
_DIGITS = "(number|numbers|digits|digit|numeric part|numeric value|numeric values|numerical value|number part|figures|integer|integers)"
_TAKE = "[extract|get|take|pull|keep|parse|grab|read|fetch|isolate|leave]"
_ERROR = (
    "(could not convert string to float|could not convert string|invalid literal for int|unable to parse string|can't convert "
    "string to float|"
    "cannot convert string to float)"
)

SHAPES = (
    Shape((
        f"{_REVERSE} {_ITEMS} {{cs:cs}} {{rest:how}} [{{new:new}}]",
        "(recode|code|score) {cs:cs} (reversed|reverse|in reverse|backwards|the other way round|other way round) {rest:how} [{new:new}]",
        ("{cs:cs} (is|are) (reverse coded|reverse code|reverse score|reverse-coded|reverse scored|reverse-scored|reversed|reverse "
            "- coded) [recode|fix|turn] [it|them] {rest:how}"),
    ), _turned_round),
    Shape((
        (f"{_CLEAN} [values|answers|entries] [of|in] {{c:x}} [column|values|answers|entries] so [that] [there] (is|are|it|they|has|"
            f"have) {{rest:labels}}"),
        (f"{_CLEAN} [values|answers|entries] [of|in] {{c:x}} [values|answers] [(to|have|be|contain|into|use|as)] (only|just|"
            f"consistently) {{rest:labels}}"),
        (f"{_CLEAN} [values|answers|entries] [of|in] {{c:x}} [values|answers] (to|into|as) [be] [either] ({{v:a}}|{{w:a}}) (and|or|"
            f"/) ({{v:b}}|{{w:b}})"),
        "{c:x} should [only] (have|be|contain|say|use) [only|just|either] [values] {rest:labels}",
    ), _few_labels),
    Shape((
        f"{_TAKE} [only|just] {_DIGITS} (out of|from|in|of) [texts in|text in|values in] {{c:x}} [{{new:new}}]",
        f"keep only {_DIGITS} (in|of|from) {{c:x}} [{{new:new}}]",
        ("(remove|drop|strip|delete|get rid of) [all|any] (text|texts|letters|words|units|unit|everything) [but|except] "
            f"[{_DIGITS}] (from|in|of) {{c:x}}"),
        f"(remove|drop|strip|delete|get rid of) everything (but|except) {_DIGITS} (from|in|of) {{c:x}}",
    ), _numbers_in),
    Shape((
        f"{{rest:before}} {_ERROR} {{rest:after}}",
    ), _told_error),
)  # fmt: skip
"""What is asked of answers and of texts that were typed."""
