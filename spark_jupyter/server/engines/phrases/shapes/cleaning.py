"""Cleaning of texts: spaces, case, numbers and parts of addresses out of texts, one way to write what is the same. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_SPACES = re.compile(
    r"(?:(?:(?:strip|trim|remove|delete|drop|get rid of|take out|take away|cut|without|no|kill) )"
    r"(?:(?:leading|trailing|extra|surrounding|white|unnecessary|all|and|off) )*(?:spaces|whitespace|white space|blanks|space) "
    r"(?:(?:around|at both ends|at ends|before and after|on both sides) )?|(?:strip|trim) (?:it|them|values|names|entries|ends) )"
)
_CASE = re.compile(
    r"(?:(?:make|put|turn|convert|write|change|set|use|bring|have|everything|it|them|all|values|names|entries|texts|in|to|into|as|be|with"
    r"|should|only|whole) )*"
    r"(?P<case>lower ?case|lower-case|upper ?case|upper-case|title ?case|title-case|capitals|small "
    r"letters|lower|upper|lowercased|uppercased"
    r"|capitalised|capitalized|capitalise|capitalize|title|proper case)(?: letters| only| everywhere)? "
)
_CONSISTENT = re.compile(
    r"(?:(?:make|put|turn|bring|get|have|fix|unify|harmonise|harmonize|standardise|standardize|normalise|normalize) )?"
    r"(?:(?:it|them|all|values|names|entries) )*(?:(?:capitals|capitalisation|capitalization|case|cases|spelling|upper and lower case"
    r"|capital letters) )?(?:(?:and|be) )*(?:consistent|same|uniform|consistently|equal|in one form) "
)
_BETWEEN = re.compile(r"(?:and|then|so|with|that|also|but) ")
_BAD = (
    "(mess|messy|inconsistent|dirty|not consistent|not clean|all over place|mixed|mixed case|written inconsistently|written differently"
    "|inconsistently written|spelled differently|spelt differently|in mixed case|spaces|extra spaces|stray spaces|different cases)"
)
_NUMBERS = (
    "(number|numbers|numeric|numerical|float|floats|int|integer|integers|real number|real numbers|"
    "numeric values|numeric type|numeric value)"
)


def _operations(text: str) -> list[str]:
    """The calls that words for spaces and case ask for, spaces first. Raises :class:`UnknownError` where a word is not understood."""
    spaces, case = False, ""
    while text:
        if found := _BETWEEN.match(text):
            pass
        elif found := _SPACES.match(text):
            spaces = True
        elif found := _CONSISTENT.match(text):
            case = case or ".str.title()"
            spaces = True
        elif found := _CASE.match(text):
            said = found["case"].lower()
            case = (
                ".str.lower()"
                if said.startswith(("low", "small"))
                else ".str.upper()"
                if said.startswith(("upp", "capitals"))
                else ""
            )
            case = case or (".str.capitalize()" if said.startswith("capitali") else ".str.title()")
        else:
            raise UnknownError
        text = text[found.end() :]
    return [*([".str.strip()"] if spaces else []), *([case] if case else [])]


def _cleaned(said: Said) -> str:
    column = said.column("x")
    if column.kind != "text" or column.holds.startswith(("numbers", "dates")):
        raise UnknownError
    said_so = said.found["how"].lower() if said.has("how") else ""
    calls = _operations(said_so) or [".str.strip()", ".str.title()"]
    if ".str.title()" in calls and "title" not in said_so and "proper" not in said_so:
        said.says.append(
            "I took a capital for each word; `.str.lower()` or `.str.capitalize()` would make them consistent too."
        )
    name = f"{said.table}[{quoted(column.name)}]"
    said.before.append(f"{name} = {name}{''.join(calls)}")
    return f"{name}.value_counts()" if not said_so else said.table


def _written_as(said: Said) -> str | None:
    """As they are written in another table that has the column too."""
    own, other = (said.word(one) for one in ("t", "o"))
    name = said.word("x")
    tables = [said.namespace.get(one) for one in (own, other)]
    if own == other or any(one is None or one.column(name) is None for one in tables):
        return None
    key = quoted(name)
    said.before += [
        f"written = {{name.strip().lower(): name for name in {other}[{key}].dropna()}}",
        f"{own}[{key}] = {own}[{key}].str.strip().str.lower().map(written).fillna({own}[{key}])",
    ]
    said.says.append(f"What `{other}` does not have stays as it was.")
    return own


def _as_number(said: Said) -> str:
    column = said.column("x")
    if not column.holds.startswith("numbers"):
        raise UnknownError
    said.before.append(f"{said.table}[{quoted(column.name)}] = {said.of(column)}")
    return said.table


def _cased(said: Said) -> str:
    column = said.column("x")
    if column.kind != "text" or column.holds.startswith(("numbers", "dates")):
        raise UnknownError
    how = said.found["how"].strip().lower()
    first = {"l": ".str.lower()", "u": ".str.upper()", "c": ".str.title()", "t": ".str.title()"}.get(how[0], "")
    first = ".str.strip()" if how.startswith(("strip", "trim")) else first
    calls = dict.fromkeys([*_operations(said.found["more"]), first])
    name = f"{said.table}[{quoted(column.name)}]"
    said.before.append(f"{name} = {name}{''.join(sorted(calls, key=lambda one: one != '.str.strip()'))}")
    return said.table


def _as_flag(said: Said) -> str:
    column = said.column("x")
    name = f"{said.table}[{quoted(column.name)}]"
    if {said.word("one") or "1", said.word("none")} != {"0", "1"}:
        raise UnknownError
    if column.kind == "bool":
        said.before.append(f"{name} = {name}.astype(int)")
    elif column.truth:
        made = ", ".join(
            f"{quoted(one)}: {sign}" for ways, sign in zip(column.spellings, "10", strict=True) for one in ways
        )
        said.before.append(f"{name} = {name}.map({{{made}}})")
    else:
        raise UnknownError
    return said.table


def _name_part(said: Said) -> str:
    column = said.column("x")
    if column.kind != "text" or column.holds.startswith(("dates", "numbers", "truth")):
        raise UnknownError
    place = "0" if said.found["end"].strip().lower() == "first" else "-1"
    return f"{said.table}[{quoted(column.name)}].str.strip().str.split().str[{place}]"


def _parameter(said: Said) -> str | None:
    """A parameter of an address: "utm_source" of "…?utm_source=mail"."""
    column, key = said.column("x"), said.word("key")
    if (
        column.kind != "text"
        or not re.search(r"url|link|page|query|address|href", column.name.lower())
        or "_" not in key
    ):
        return None
    said.before.append(
        f'{said.table}[{quoted(key)}] = {said.table}[{quoted(column.name)}].str.extract(r"[?&]{key}=([^&#]+)", expand=False)'
    )
    return said.table


def _domain(said: Said) -> str | None:
    column = said.column("x")
    of = column.name.lower()
    if column.kind != "text" or not re.search(r"url|link|page|web|site|mail", of):
        return None
    pattern = r"@([\w.-]+)" if "mail" in of else r"//(?:www\.)?([^/:?#]+)"
    said.before.append(
        f'{said.table}["domain"] = {said.table}[{quoted(column.name)}].str.extract(r"{pattern}", expand=False)'
    )
    return said.table


def _first_part(said: Said) -> str:
    """Names as "first last": the first word and the last one."""
    column = said.column("x")
    if column.kind != "text":
        raise UnknownError
    name = f"{said.table}[{quoted(column.name)}]"
    said.before += [
        f'{said.table}["first_name"] = {name}.str.strip().str.split().str[0]',
        f'{said.table}["last_name"] = {name}.str.strip().str.split().str[-1]',
    ]
    return said.table


_CASES = "(capitalise|capitalize|lowercase|uppercase|lower case|upper case|title case|strip|trim|strip spaces from|trim spaces of:HOW)"
_FROM = "(out of|from|of|in)"
_TAKE = "(pull|extract|get|take|parse|read|grab|cut|fetch)"

SHAPES = (
    Shape((
        ("(clean|clean up|tidy|tidy up|fix|unify|harmonise|harmonize|standardise|standardize|normalise|normalize|correct) {c:x} "
        "[names|values|entries|spelling] (in|of) {t:t} so [that] (it|they|it's|they're) (is|are|match|"
        "matches|looks|look) [written|spelled|spelt] "
        "[same] [like|as|way] [as] [in] {t:o}"),
        ("(make|write|put) {c:x} [names|values|entries] (in|of) {t:t} [look|written] (like|as|same as|match|"
         "same way as) [in|those in|ones in] {t:o}"),
    ), _written_as),
    Shape((
        (f"{{c:x}} [names|values|entries|texts] (is|are|has|have|looks|look) [in] [total|very|really|quite] "
         f"{_BAD} [and|so|please] {{rest:how}}"),
        ("(clean|clean up|tidy|tidy up|fix|unify|harmonise|harmonize|standardise|standardize|normalise|normalize) {c:x} "
        "[names|values|entries|texts|spelling|spellings|writing] [(in|of) {t:t}] {rest:how}"),
        ("(make|put|turn|convert|write) [all|all values in|all values of|all entries in|values of|values in] "
         "{c:x} [names|values|entries] "
        "[(in|of) {t:t}] {rest:how}"),
    ), _cleaned),
    Shape((
        (f"{{c:x}} [in {{t:t}}] (is|are) [stored as|saved as|still|only|just|of type] (text|string|strings|str|"
         "texts|object) [so|and|but] "
        f"(make|turn|convert|change|parse|cast) (it|them) [in|into|to|as] [proper|real] {_NUMBERS}"),
        (f"(make|turn|convert|change|parse|cast|transform|bring) [{{c:whose}}] {{c:x}} [(in|of) {{t:t}}] [from (text|string|strings)] "
        f"[in|into|to|as] [proper|real|actual] {_NUMBERS} [in] [km|kg|m|cm|eur|euro|euros|dollars|usd|only]"),
        f"(make|turn|convert|change) {{c:x}} [in {{t:t}}] [which is text|that is text] [in|into|to] {_NUMBERS}",
        ("(strip|remove|drop|get rid of|delete) [currency|euro|dollar|percent|%|€|$|£] [sign|symbol|signs|"
         "symbols|unit|units] (in|from|of) {c:x} "
        f"and (make|turn|convert) it [in|into|to] {_NUMBERS}"),
        "(strip|remove|drop|get rid of|delete|take out) [all] (unit|units|currency|currency sign|currency signs) (in|from|of) {c:x}",
        f"{{c:x}} (has|have|contains|contain) {{rest:bad}} (make|turn|convert|change) (it|them) [in|into|to] {_NUMBERS}",
    ), _as_number),
    Shape((f"{_CASES} {{c:x}} [names|values|entries] [properly|correctly] [and] {{rest:more}}",), _cased),
    Shape((
        "(convert|turn|change|make|map|recode|encode) {c:x} [in|into|to|as] ({n:one} (and|/|or)|1 /) {n:none}",
        "{c:x} as {n:one} (and|/|or) {n:none}",
    ), _as_flag),
    Shape((
        "(first|last:END) (name|names|word) (of|from|in|for|per) [each|every|per|all] {c:x} [names|name]",
    ), _name_part),
    Shape((
        f"{_TAKE} [value of|parameter|query parameter] {{w:key}} [parameter|value] {_FROM} {{c:x}} [url|urls|link|links]",
    ), _parameter),
    Shape((
        f"{_TAKE} [only|just] (domain|domains|host|hostname|domain name|domain names) {_FROM} {{c:x}} [(in|into) new column]",
    ), _domain),
    Shape((
        "split {c:x} (into|in|to) (first and last name|first name and last name|first and last names|first_name and last_name)",
    ), _first_part),
)  # fmt: skip
"""What is done to a column of texts."""
