"""What is asked *about* a table or a column: what is missing, how two columns go together, outliers, first and last. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query.marked import CS, WORD, C, N, T, V
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.marked import Marked

_LEAD = r"(?:\b(?:what|which|is|are|there|the|a|any|calculate|show|compute|give|me|all|how|does|do|of)\s+)*"


def read(marked: Marked, columns: Sequence[Column], dates: Sequence[str]) -> list[Change]:
    """The questions of a marked prompt, which are taken out of it."""
    kinds = {one.name: one.kind for one in columns}
    makers: tuple[tuple[str, Callable[[re.Match[str]], Change | None]], ...] = (
        (
            (
                rf"{_LEAD}columns?\s+(?:that\s+|which\s+)?(?:have|has|with|contain|are)\s+(?:any\s+|some\s+|the"
                rf"\s+most\s+)?(?:missing|nans?|nulls?"
                r"|empty)(?:\s+(?:values?|data|entries|cells))?(?:[\s,]*(?:and\s+)?number of(?:\s+(?:are|each|per"
                r"|column|there|missing))*)?"
            ),
            lambda _: _shown("{t}.isna().sum()"),
        ),
        (
            (
                rf"{_LEAD}(?:(?:number|count|sum)\s+(?:of\s+)?)?(?:the\s+)?(?:missing|nans?|nulls?|empty|nas?)\s*"
                r"(?:values?|entries|data)?\s*(?:are\s+|there\s+)*(?:in|per|for|of|by)\s+(?:the\s+|each\s+|every\s+"
                r"|all\s+)*columns?(?P<part>[\s,]*(?:in|as)\s+(?:an?\s+)?(?:percent|percentages?|%))?"
            ),
            lambda one: _shown("100 * {t}.isna().mean()" if one["part"] else "{t}.isna().sum()"),
        ),
        (
            (
                rf"{_LEAD}(?:number of|count)\s+(?:the\s+)?(?:missing|nan|null|empty)\s*(?:values?|entries)?\s*(?:in"
                rf"|of)\s+(?P<c>{C})"
            ),
            lambda one: _shown(f"{{t}}[{_c(marked, one)}].isna().sum()"),
        ),
        (
            (
                rf"{_LEAD}(?:correlation|correlate|corr|relation(?:ship)?)\s*(?:coefficient\s*)?(?:between|of|from)?\s*"
                rf"(?:the\s+)?(?P<a>{C})\s*(?:and|with|to|vs\.?|,)\s*(?:the\s+)?(?P<b>{C})(?P<p>[^;]*\bp[- ]?values?)?"
            ),
            lambda one: _correlation(marked, one),
        ),
        (
            rf"{_LEAD}(?P<a>{C})\s+(?:and\s+)?(?P<b>{C})\s+(?:correlate|correlated|correlation)",
            lambda one: _correlation(marked, one),
        ),
        (
            (
                rf"{_LEAD}correlation(?:\s+matrix|s)?(?:\s+(?:of|between)\s+(?:the\s+|all\s+)*(?:numeric\s+)?(?:columns"
                rf"|{T}|numbers))?(?!\s*(?:between|of|with|heat|{C}))"
            ),
            lambda _: _shown("{t}.corr(numeric_only=True)"),
        ),
        (
            (
                rf"(?P<away>\b(?:remove|drop|delete|exclude|filter\s+out)\s+)?{_LEAD}outliers?\s*(?:in|of|for|from)\s+("
                rf"?:the\s+)?(?P<c>{C})(?:[^;]*\b(?:iqr|quartiles?|interquartile"
                r"|rule|method))*"
            ),
            lambda one: _outliers(_c(marked, one), away=bool(one["away"])),
        ),
        (
            rf"{_LEAD}(?:first|earliest)\s+and\s+(?:the\s+)?(?:last|latest)\s+(?P<c>{C}|date\b|day\b)",
            lambda one: _ends(marked, one, dates),
        ),
        (rf"{_LEAD}(?:date\s+)?range\s+of\s+(?:the\s+)?(?P<c>{C}|dates?\b)", lambda one: _ends(marked, one, dates)),
        (
            (
                rf"{_LEAD}(?:unique|distinct|different)\s+(?:values?\s+(?:of|in|for)\s+)?(?:the\s+)?(?P<c>{C})(?!"
                r"\s+per)"
            ),
            lambda one: (
                _shown(f"{{t}}[{_c(marked, one)}].unique()")
                if "number" not in one.string[: one.start()].lower()
                else None
            ),
        ),
        (
            (
                rf"{_LEAD}(?:describe|summary(?:\s+statistics)?|statistics|stats)\s*(?:of|for|about)?\s*(?:the\s+|{T}"
                rf"\s*)*(?P<c>{CS})?(?!\s+per)"
            ),
            lambda one: _described(marked, one),
        ),
        (rf"{_LEAD}(?:number\s+of\s+)?rows\s+and\s+columns", lambda _: _shown("{t}.shape")),
        (rf"{_LEAD}(?:shape|size|dimensions)\s+of\s+(?:the\s+)?{T}", lambda _: _shown("{t}.shape")),
        (
            rf"{_LEAD}(?:data\s?types|dtypes|types)(?:\s+of\s+(?:the\s+)?(?:columns|{T}))?",
            lambda _: _shown("{t}.dtypes"),
        ),
        (
            (
                rf"{_LEAD}(?:random\s+)?sample\s+(?:of\s+)?(?P<n>{N})(?:\s+(?:random\s+)?rows)?|(?P<m>{N})\s+random"
                rf"\s+rows(?:\s+(?:of|from|in)\s+(?:the\s+)?{T})?"
            ),
            lambda one: _shown(f"{{t}}.sample({marked.value(one['n'] or one['m'])}, random_state=0)"),
        ),
        (
            (
                rf"(?:\b(?:is|are|there|a|any|test|check|whether|if|does|do|the|was|were)\s+)*(?:statistically\s+)?significant(?:ly)?\s+"
                rf"(?:differences?|different)\s+(?:in|of|for)\s+(?:the\s+|average\s+|mean\s+)*(?P<c>{C})\s+(?:scores?\s+)?{_BETWEEN}"
            ),
            lambda one: _groups_differ(marked, one, columns),
        ),
        (
            (
                rf"(?:\b(?:is|are|does|do|the|test|check|whether|if|average|mean)\s+)*(?P<c>{C})\s+(?:scores?\s+)?(?:is\s+|are\s+|differs?\s+)?"
                rf"(?:statistically\s+)?significant(?:ly)?\s+(?:differ(?:ent|s)?\s+)?{_BETWEEN}"
            ),
            lambda one: _groups_differ(marked, one, columns),
        ),
        (
            (
                rf"{_LEAD}t[- ]?test\s*(?:if|whether|of|for|on|that)?\s*(?:the\s+)?(?P<c>{C})\s*(?:\w+\s+)*?(?:between"
                rf"|for|of|in)\s+(?P<a>{WORD}|⟨q\d+⟩)\s+(?:and|vs\.?|versus)\s+(?P<b>{WORD}|⟨q\d+⟩)"
            ),
            lambda one: _t_test(marked, one, kinds),
        ),
        (
            (
                rf"(?:\b(?:t[- ]?test|whether|if|do|does|check|test|is|are|the|on|with|of|for)\b[\s:,]*)*(?P<c>{C})\s+(?:is\s+|are\s+)?"
                rf"(?:significantly\s+)?(?:differ(?:ent|s)?|the\s+same|higher|lower)?\s*(?:between|for|of|in)\s+(?P<a>"
                rf"{V}|{WORD}|⟨q\d+⟩)\s+(?:and|vs\.?|versus|than)\s+"
                rf"(?:for\s+)?(?P<b>{V}|{WORD}|⟨q\d+⟩)(?:[\s,?;]*(?:with\s+)?(?:an?\s+)?t[- ]?test)?"
            ),
            lambda one: _t_test(marked, one, kinds) if re.search(r"t[- ]?test", one.string, re.IGNORECASE) else None,
        ),
    )
    found = []
    for pattern, make in makers:
        match = marked.find(pattern)
        change = make(match) if match is not None else None
        if change is not None:
            marked.take(pattern)
            found.append(change)
    return found


def _c(marked: Marked, found: re.Match[str]) -> str:
    return quoted(marked.value(found["c"]))


def _shown(expression: str, *lines: str, says: str = "") -> Change:
    return Change(lines=lines, shows=expression, says=says, asks=True)


def _correlation(marked: Marked, found: re.Match[str]) -> Change:
    a, b = (quoted(marked.value(found[one])) for one in "ab")
    if "p" not in found.re.groupindex or not found["p"]:
        return _shown(f"{{t}}[{a}].corr({{t}}[{b}])")
    return _shown(
        f"stats.pearsonr(known[{a}], known[{b}])",
        "from scipy import stats",
        "",
        f"known = {{t}}[[{a}, {b}]].dropna()",
    )


def _outliers(column: str, *, away: bool) -> Change:
    if away:
        return Change(
            lines=(
                f"low, high = {{t}}[{column}].quantile([0.25, 0.75])",
                f"{{t}} = {{t}}[{{t}}[{column}].between(low - 1.5 * (high - low), high + 1.5 * (high - low))]",
            ),
            says="Outliers are what lies more than 1.5 interquartile ranges outside the quartiles.",
        )
    return _shown(
        f"{{t}}[({{t}}[{column}] < low - 1.5 * (high - low)) | ({{t}}[{column}] > high + 1.5 * (high - low))]",
        f"low, high = {{t}}[{column}].quantile([0.25, 0.75])",
        says="Outliers are what lies more than 1.5 interquartile ranges outside the quartiles.",
    )


def _ends(marked: Marked, found: re.Match[str], dates: Sequence[str]) -> Change | None:
    if re.search(r"\b(?:split|separate|divide)\b", found.string, re.IGNORECASE):
        return None  # "split name into first and last name"
    name = marked.value(found["c"]) if found["c"].startswith("⟨") else next(iter(dates), None)
    return _shown(f'{{t}}[{quoted(name)}].agg(["min", "max"])') if name else None


def _described(marked: Marked, found: re.Match[str]) -> Change:
    names = marked.names(found["c"])
    return _shown(f"{{t}}[[{', '.join(map(quoted, names))}]].describe()" if names else "{t}.describe()")


_GENDERS = re.compile(r"(?:boy|girl|man|men|woman|women|male|female)s?", re.IGNORECASE)
_BETWEEN = rf"(?:between|for|across|by)\s+(?:the\s+)?(?:(?P<k>{C})s?|(?P<a>{V}|{WORD})\s+(?:and|vs\.?|versus)\s+(?P<b>{V}|{WORD}))"


def _groups_differ(marked: Marked, found: re.Match[str], columns: Sequence[Column]) -> Change | None:
    """Welch's t test of the two groups of a column: one that is named, that has both values, or that tells men from women."""
    kinds = {one.name: one.kind for one in columns}
    if kinds[marked.value(found["c"])] != "number":
        return None
    if found["k"]:
        by: str | None = marked.value(found["k"])
    elif found["a"].startswith("⟨v") and found["b"].startswith("⟨v"):
        return _t_test(marked, found, kinds)
    else:
        told = _GENDERS.fullmatch(found["a"]) and _GENDERS.fullmatch(found["b"])
        by = next((one.name for one in columns if told and one.name.lower() in ("gender", "sex")), None)
    if by is None or kinds[by] not in ("text", "bool"):
        return None
    return _shown(
        "stats.ttest_ind(*groups, equal_var=False)",
        "from scipy import stats",
        "",
        f"groups = [values.dropna() for _, values in {{t}}.groupby({quoted(by)})[{_c(marked, found)}]]",
        says=f"This is Welch's t test of the two groups of `{by}`; below 0.05 the p value is usually called significant.",
    )


def _t_test(marked: Marked, found: re.Match[str], kinds: Mapping[str, str]) -> Change:
    texts = ", ".join(quoted(name) for name, kind in kinds.items() if kind == "text")
    column = _c(marked, found)
    lines = [
        f"{name} = {{t}}.loc[{{t}}[[{texts}]].eq({quoted(marked.value(found[name[-1]]))}).any(axis=1), {column}].dropna()"
        for name in ("group_a", "group_b")
    ]
    says = "This is Welch's t test, which does not take the variances for equal."
    return _shown(
        "stats.ttest_ind(group_a, group_b, equal_var=False)", "from scipy import stats", "", *lines, says=says
    )
