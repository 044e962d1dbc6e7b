"""The names of the columns, a text that is split at its comma or space, and rows that are there once for each of something. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_STRIP = re.compile(r"strip|trim|around|leading|trailing|surrounding|end|begin|outer|stray|extra", re.IGNORECASE)
_SEPARATORS = {"comma": ",", ",": ",", "space": " ", "dash": "-", "hyphen": "-", "-": "-", "slash": "/", "/": "/", "colon": ":",
               "semicolon": ";", "underscore": "_", "_": "_", "dot": ".", "|": "|", "pipe": "|", "@": "@", ";": ";"}  # fmt: skip
_MINDED = re.compile(
    r"^(?:(?:watch|out|for|ignor\w+|mind|careful|with|of|there|are|may|be|some|have|has|extra|stray|leading|trailing|and|the|case|"
    r"upper|lower|/|"
    r"(?:white)?spaces?|capitals?|letters?|regardless|no|matter|beware|be|don't|not|names?|they|in|around|differ\w*|by|after|"
    r"stripping|strip|first|"
    r"trimming|trim|even|if|also|or) )*$",
    re.IGNORECASE,
)


def _headers(said: Said) -> str:
    """Names of columns without spaces, or in small letters."""
    text = said.found[0].lower()
    names = list(said.by_name)
    calls = []
    if "space" in text or _STRIP.search(text) or "blank" in text:
        outer = any(one != one.strip() for one in names)
        if not said.has("t") and not any(" " in one for one in names):
            raise UnknownError  # another table is meant
        if said.has("sign"):
            calls += [
                ".str.strip()",
                f'.str.replace(" ", {quoted("-" if said.found["sign"].strip() in ("-", "dashes", "hyphens") else "_")})',
            ]
        else:
            calls.append(".str.strip()" if outer or _STRIP.search(text) else '.str.replace(" ", "")')
    if said.has("case"):
        calls.append(".str.upper()" if said.found["case"].lower().startswith(("up", "cap")) else ".str.lower()")
    if not calls or (said.has("t") and said.word("t") != said.table):
        raise UnknownError
    said.before.append(f"{said.table}.columns = {said.table}.columns{''.join(calls)}")
    return said.table


def _split(said: Said) -> str:
    """A text in two columns, at its comma, or at what is said."""
    column = said.column("x")
    if column.kind != "text" or column.holds.startswith(("dates", "numbers", "truth")):
        raise UnknownError
    last_first = column.holds == "names, last first"
    sign = (
        _SEPARATORS[said.found["sign"].strip().lower().rstrip("s")] if said.has("sign") else "," if last_first else " "
    )
    new = [said.word(one) for one in "ab"] if said.has("a") else []
    if said.has("names"):
        text = said.found["names"].lower()
        new = ["first_name", "last_name"] if text.find("first") < text.find("last") else ["last_name", "first_name"]
    if new and "last" in new[0].lower() and sign == " ":
        raise UnknownError  # names that stand so have a comma between them: another reader's
    if not new and last_first and sign == ",":
        new = ["last_name", "first_name"]
    plain = [re.sub(r"\W+", "_", one).strip("_") for one in new] or [
        f"{re.sub(r'[^A-Za-z0-9]+', '_', column.name).strip('_').lower()}_{n}" for n in (1, 2)
    ]
    if plain[0] == plain[1] or any(
        one.lower() in ("two", "columns", "column", "parts", "first", "last") for one in plain
    ):
        raise UnknownError
    turned = last_first and sign == "," and "first" in plain[0].lower() and "last" in plain[1].lower()
    parts, name = said.free("parts"), f"{said.table}[{column.source}]"
    said.before.append(f"{parts} = {name}.str.strip().str.split({quoted(sign)}, n=1)")
    said.before += [
        f"{said.table}[{quoted(one)}] = {parts}.str[{1 - at if turned else at}].str.strip()"
        for at, one in enumerate(plain)
    ]
    return said.table


def _once(said: Said) -> str:
    """One row for each, whatever the spaces around it, or its case."""
    column = said.column("k")
    how = f"{said.found['how'].strip()} " if said.has("how") else ""
    if (how and not _MINDED.match(how)) or (said.has("t") and said.word("t") != said.table):
        raise UnknownError
    text = f"{how} {'case' if said.marked.ignores_case else ''}".lower()
    calls = [".str.strip()"] if "space" in text or "strip" in text or "trim" in text else []
    calls += [".str.lower()"] if re.search(r"case|capital|upper|lower", text) else []
    if how and not calls:
        raise UnknownError
    more = ', keep="last"' if said.has("last") else ""
    if calls and column.kind == "text":
        same = f"{said.table}[{column.source}]{''.join(calls)}"
        said.before.append(f"{said.table} = {said.table}[~{same}.duplicated({more.lstrip(', ')})]")
    else:
        said.before.append(f"{said.table} = {said.table}.drop_duplicates({column.source}{more})")
    return said.table


_NAMES = "(headers|header|column names|names of columns|header names|columns names|column headers|column titles)"
_OF = "[(of|in|from) {t:t}]"
_SPACES = (
    "[all|any] [leading and trailing|leading|trailing|extra|surrounding|stray|white] (spaces|space|whitespace|blanks)"
)
_AROUND = "[(around|at end|at ends|at beginning|at start and end|before and after)]"
_CASE = "(lower case|lowercase|lower-case|lower|small letters|upper case|uppercase|upper|capitals:CASE)"
_DUPLICATE = "(duplicate|duplicates|duplicated|double|repeated|duplicates of|duplicate rows of|repeat)"
_SIGN = "(comma|commas|,|space|spaces|dash|hyphen|slash|/|colon|semicolon|;|underscore|dot|pipe|at sign|@:SIGN)"

SHAPES = (
    Shape((
        (f"(strip|trim|remove|delete|drop|cut|get rid of|take out) {_SPACES} {_AROUND} (from|in|of|around) [all] {_NAMES} {_OF} "
        f"[and [make|turn|convert|put] [them|it] [into|to|in] {_CASE}]"),
        f"(strip|trim) [all] {_NAMES} {_OF} [and [make|turn|convert] [them] [into|to|in] {_CASE}]",
        (f"{_NAMES} {_OF} (have|has|contain|contains) {_SPACES} {_AROUND} [please] (remove|strip|trim|delete|fix|clean) [them|it|"
            "that|those]"),
        f"replace {_SPACES} (in|of|from) [all] {_NAMES} {_OF} (with|by|to) (underscore|underscores|_|-|dashes|hyphens:SIGN)",
        f"(make|turn|convert|put|change|set) [all] {_NAMES} {_OF} [all] [to|into|in] {_CASE}",
        f"(lowercase|uppercase:CASE) [all] {_NAMES} {_OF}",
        f"(make|turn|convert|put) [all] {_NAMES} {_OF} [to|into|in] {_CASE} and (strip|trim|remove) {_SPACES}",
    ), _headers),
    Shape((
        (f"split {{c:x}} [names|values] [at|by|on|with] [{_SIGN}] [in|into|to] (first and last name|first name and last name|last "
            "name and first name|"
        "last and first name|last and first names|first and last names:NAMES)"),
        (f"split {{c:x}} [(at|by|on) {_SIGN}] (in|into|to) [two|2] [new] [columns] [called|named] ({{w:a}}|{{q:a}}|{{v:a}}) and "
            f"({{w:b}}|{{q:b}}|{{v:b}}) "
        f"[columns] [(at|by|on) {_SIGN}]"),
        f"split {{c:x}} (at|by|on) {_SIGN} [(in|into|to) [two|2] [new|separate] columns]",
        f"split {{c:x}} (in|into|to) (two|2) [new|separate] columns [(at|by|on) {_SIGN}]",
    ), _split),
    Shape((
        f"(drop|remove|delete|get rid of|throw out|kick out) [all] {_DUPLICATE} {{c:k}} [rows|entries] [(in|from|of) {{t:t}}] {{rest:how}}",
        f"(drop|remove|delete|get rid of) [all] {_DUPLICATE} [rows|entries] [(in|from|of) {{t:t}}] by {{c:k}} {{rest:how}}",
        "keep [only] [per|each|every] {c:k} [only|just] once [in {t:t}] {rest:how}",
        "(per|each|every) {c:k} should [only] (be|appear|occur|be there|be in {t:t}) [only|just] once {rest:how}",
    ), _once),
)  # fmt: skip
"""What is asked of names, parts of texts and rows that are there twice."""
