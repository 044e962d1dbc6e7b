"""What a follow-up asks of the value that a cell ends with, where that is a list, a dictionary, a text, a number or sums of groups: sorted,
rounded, counted, in capitals, joined, saved, with a loop, with shares. It works on the code of the answer before, whatever made it. Pure.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import words

if TYPE_CHECKING:
    from collections.abc import Callable

_LEAD = re.compile(
    r"^\W*(?:(?:and|now|then|so|ok|okay|please|but|also|can|could|you|do|show|give|me|make|sort|put|turn|convert|print|return|write|order|get|list|use|"
    r"them|it|that|those|these|all|only|just|the|in|into|as|an?|to|with|using)\b[\s,]*)*",
    re.IGNORECASE,
)
_LAST = re.compile(r"(?:[\s,]+(?:please|instead|too|now|thanks|thx|though|each))*[\s.?!]*$", re.IGNORECASE)
_NAMED = re.compile(
    r"^\W*(?:and\s+|then\s+|now\s+)*(?P<verb>sort|order|round|print|join|reverse|save|write|store|export)\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"^(?:sum|len|round|min|max|statistics\.\w+)\(|/ len\(|\.count\(")


def _kind(value: ast.expr) -> str:
    """``list``, ``dict``, ``number`` or ``str`` that the source surely gives; empty where that can't be told."""
    source = ast.unparse(value)
    if isinstance(value, (ast.ListComp, ast.List)):
        return "list"
    if isinstance(value, (ast.DictComp, ast.Dict)):
        return "dict"
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in ("sorted", "list", "dict", "set")
    ):
        return "list" if value.func.id == "sorted" else value.func.id
    if re.match(r"^re\.findall\(.*\)$", source):
        return "list"
    if isinstance(value, ast.Call) and re.search(r"^(?:'|\").*\.join\(", source):
        return "str"
    return "number" if _NUMBERS.search(source) and "key=" not in source else ""


def _sorted(value: str, said: str) -> str | None:
    by = ", key=len" if "length" in said or re.search(r"longest|shortest", said) else ""
    falls = re.search(
        r"descending|reverse|longest first|highest first|largest first|biggest first|backwards|z to a", said
    )
    known = re.sub(
        r"\b(?:by|in|their|the|length|alphabetically|alphabetical|ascending|descending|order|longest|shortest|highest|lowest|largest|smallest|biggest|"
        r"first|reverse|backwards|a|z|from|to)\b|[\s,]+", "", said
    )  # fmt: skip
    return None if known else f"sorted({value}{by}{', reverse=True' if falls else ''})"


_CASES = {"upper": "upper", "uppercase": "upper", "upper case": "upper", "capitals": "upper", "capital letters": "upper", "lower": "lower",
          "lowercase": "lower", "lower case": "lower", "small letters": "lower", "title case": "title", "capitalized": "capitalize",
          "capitalised": "capitalize"}  # fmt: skip
_SIGNS = {
    "comma": ", ",
    "commas": ", ",
    "semicolon": "; ",
    "semicolons": "; ",
    "space": " ",
    "spaces": " ",
    "line breaks": "\\n",
    "dash": "-",
}
_COUNTED = re.compile(r"(?:how many|number|count|length)(?: (?:of|are|is|they|them|it|there|that|those|left))*")
_FIRST = re.compile(r"(?P<end>first|top|last) (?P<n>\d+|one|two|three|four|five|six|ten)(?: (?:ones|of))?")
_JOINED = re.compile(
    r"(?:(?P<sign>comma|semicolon|space)[- ]separated(?: (?:string|text|list|line))?"
    r"|(?:one |single )?(?:string|text|line)(?: separated by | with )(?P<by>\w+)"
    r"|joined?(?: (?:by|with) (?P<with>\w+))?(?: (?:in|into|to|as) (?:one |a )?(?:string|text|line))?)"
)
_ROUNDED = re.compile(
    r"(?:round(?:ed)?(?: (?:it|that|them))?(?: to)? )?(?P<n>\d+)(?: (?:decimals?|digits?|places|decimal places))?"
)
_FILE = re.compile(
    r"\b(?:as|to|in|into)\s+(?:an?\s+)?(?:\w+\s+)?(?:file\s+)?(?:called\s+)?[\"']?(?P<file>[\w./-]+\.(?:txt|json|csv))[\"']?[\s.!]*$",
    re.IGNORECASE,
)


_ONCE, _TURNED, _LINES = "list(dict.fromkeys({}))", "{}[::-1]", 'print("\\n".join(map(str, {})))'
_WHOLE = {
    **dict.fromkeys(("unique", "unique ones", "without duplicates", "no duplicates"), _ONCE),
    **dict.fromkeys(("reversed", "reverse", "reverse order", "backwards"), _TURNED),
    **dict.fromkeys(("one per line", "each on its own line", "line by line"), _LINES),
    **dict.fromkeys(("longest", "longest one"), "max({}, key=len)"),
    **dict.fromkeys(("shortest", "shortest one"), "min({}, key=len)"),
    "set": "set({})",
    "tuple": "tuple({})",
}


def _each(value: str, made: str) -> str:
    """A list with what is made of each element, in its own comprehension where it only chooses."""
    name = re.match(r"\[(\w+) for \1 in ", value)
    if name is not None:
        return f"[{made.replace('one', name[1])}{value[1 + len(name[1]) :]}"
    return f"[{made} for one in {value}]"


def _of_list(value: str, said: str, verb: str) -> str | None:
    """Another value of a list."""
    if verb in ("sort", "order") or said in (
        "sorted",
        "alphabetical order",
        "alphabetically",
        "in alphabetical order",
        "sorted alphabetically",
    ):
        return _sorted(value, said.removeprefix("sorted ").replace("sorted", ""))
    if said in _CASES:
        return _each(value, f"one.{_CASES[said]}()")
    if _COUNTED.fullmatch(said):
        return f"len({value})"
    if found := _FIRST.fullmatch(said):
        number = words.digits(found["n"])
        return f"{value}[-{number}:]" if found["end"] == "last" else f"{value}[:{number}]"
    if found := _JOINED.fullmatch(said):
        sign = found["sign"] or found["by"] or found["with"] or "comma"
        return f'"{_SIGNS[sign]}".join({value})' if sign in _SIGNS else None
    if verb == "round" and (found := _ROUNDED.fullmatch(said)):
        return _each(value, f"round(one, {found['n']})")
    return _WHOLE[said].format(value) if said in _WHOLE else None


def _of_number(value: str, said: str, verb: str) -> str | None:
    found = _ROUNDED.fullmatch(said)
    return (
        f"round({value}, {found['n']})"
        if found and (verb == "round" or said.startswith("round") or "decimal" in said)
        else None
    )


def _of_text(value: str, said: str, verb: str) -> str | None:
    return f"{value}.{_CASES[said]}()" if said in _CASES and not verb else None


def _of_dict(value: str, said: str, verb: str) -> str | None:
    falls = ", reverse=True" if re.search(r"descending|highest|largest|most", said) else ""
    rest = re.sub(
        r"\b(?:by|value|values|the|its|highest|lowest|largest|smallest|most|first|descending|ascending|in|order)\b|[\s,]+",
        "",
        said,
    )
    if verb == "sort" and not rest and (falls or "value" in said or "lowest" in said):
        return f"dict(sorted({value}.items(), key=lambda item: item[1]{falls}))"
    return f"len({value})" if _COUNTED.fullmatch(said) else None


_MAKERS: dict[str, Callable[[str, str, str], str | None]] = {
    "list": _of_list, "set": lambda value, said, verb: _sorted(value, said) if verb == "sort" else None, "dict": _of_dict,
    "number": _of_number, "str": _of_text,
}  # fmt: skip


def _looped(value: ast.expr) -> str | None:
    """A list that a comprehension makes, made in a loop."""
    if not isinstance(value, ast.ListComp) or len(value.generators) != 1:
        return None
    over = value.generators[0]
    lines = [f"result = []\nfor {ast.unparse(over.target)} in {ast.unparse(over.iter)}:"]
    tests = " and ".join(ast.unparse(one) for one in over.ifs)
    lines += [f"    if {tests}:"] if tests else []
    lines += [f"    {'    ' if tests else ''}result.append({ast.unparse(value.elt)})", "result"]
    return "\n".join(lines)


_SHARE = re.compile(
    r"^\W*(?:(?:can|could|you|please|now|and|also)\s+)*(?:add|with|show|include)\s+(?:the\s+|their\s+|its\s+|an?\s+)?(?:column\s+with\s+)?(?:the\s+)?"
    r"(?:shares?|percentages?|percent)(?:\s+of\s+(?:the\s+)?(?:total|all|whole|sum))?(?:\s+(?:in\s+percent|too|as\s+well|please|column))*[\s?.!]*$",
    re.IGNORECASE,
)
_SUMS = re.compile(r"\.groupby\(.+?\)(?:\[\"(?P<of>[^\"]+)\"\])?\.(?:sum|size|count)\(\)(?:\.sort_values\([^()]*\))?$")


def _with_shares(source: str) -> str | None:
    """Sums of groups with the part of the whole that each is."""
    sums = _SUMS.search(source)
    if sums is None:
        return None
    name = f'"{sums["of"] or "number"}"'
    return f"amounts = {source}\namounts.to_frame({name}).assign(percent=100 * amounts / amounts.sum())"


def _saved(value: str, kind: str, file: str) -> str | None:
    if file.endswith(".json") and kind in ("list", "dict"):
        return f'result = {value}\nPath("{file}").write_text(json.dumps(result, indent=2), encoding="utf-8")'
    if file.endswith(".txt") and kind == "list":
        return f'result = {value}\nPath("{file}").write_text("\\n".join(map(str, result)), encoding="utf-8")'
    return None


_IMPORTS = {"json.": "import json", "Path(": "from pathlib import Path"}


def changed(source: str, instruction: str) -> str | None:
    """The source with what the instruction asks of its last value; None where it is nothing that is known of such a value."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return None
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr) or last.col_offset:
        return None
    lines = source.split("\n")
    before, value = lines[: last.lineno - 1], "\n".join(lines[last.lineno - 1 : last.end_lineno])
    made = _made(last.value, value, instruction)
    if made is None:
        return None
    imports = [line for sign, line in _IMPORTS.items() if sign in made and line not in before]
    return "\n".join([*imports, *([""] if imports and not before else []), *before, made])


def _made(value: ast.expr, source: str, instruction: str) -> str | None:
    kind = _kind(value)
    verb = _NAMED.match(instruction)
    named = verb["verb"].lower() if verb else ""
    if kind and named in ("save", "write", "store", "export"):
        file = _FILE.search(instruction)
        return _saved(source, kind, file["file"]) if file else None
    if _SHARE.match(instruction):
        return _with_shares(source)
    said = " ".join(_LAST.sub("", _LEAD.sub("", instruction.lower())).split())
    if said in ("for loop", "loop", "for-loop", "normal loop", "normal for loop"):
        return _looped(value)
    return _MAKERS[kind](source, said, named) if kind in _MAKERS else None
