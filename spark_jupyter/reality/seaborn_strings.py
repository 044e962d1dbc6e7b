"""String arguments of seaborn: palettes, styles, kinds of plots.

seaborn's own functions say which names there are; they get nothing but the text. Their docstrings list the rest in sentences.
"""

from __future__ import annotations

import re

from spark_jupyter.reality.abstract_values import Invocation
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.matplotlib_strings import registry
from spark_jupyter.reality.static_lookup import loaded
from spark_jupyter.reality.string_arguments import Given, say, text_of

_STYLES, _CONTEXTS, _PALETTES = ("rcmod", "axes_style"), ("rcmod", "plotting_context"), ("palettes", "color_palette")
_NAMED = {
    "style": ({"set_theme", "set", "set_style", "axes_style"}, _STYLES),
    "context": ({"set_theme", "set", "set_context", "plotting_context"}, _CONTEXTS),
    "palette": (None, _PALETTES),
}
"""By keyword: the functions whose keyword it is (None: all), and the function that knows the names."""
_FIRST = {
    "set_style": _STYLES,
    "axes_style": _STYLES,
    "set_context": _CONTEXTS,
    "plotting_context": _CONTEXTS,
    "set_palette": _PALETTES,
    "color_palette": _PALETTES,
}


def check(run: Run, name: str, call: Invocation) -> None:
    """Report palettes, styles and contexts that seaborn does not know."""
    for keyword, (functions, parser) in _NAMED.items():
        given = text_of(call.keywords.get(keyword))
        if given is not None and (functions is None or name in functions):
            _ask(run, given, keyword, *parser)
    first = text_of(call.positional[0]) if call.positional and name in _FIRST else None
    if first is not None:
        _ask(run, first, {_STYLES: "style", _CONTEXTS: "context"}.get(_FIRST[name], "palette"), *_FIRST[name])


def _ask(run: Run, given: Given, what: str, module: str, function: str) -> None:
    parse = loaded(f"seaborn.{module}", function)
    if not callable(parse) or len(given[1]) > 100:
        return
    try:
        parse(given[1])
    except (ValueError, KeyError) as error:
        palettes = registry("seaborn.palettes", "SEABORN_PALETTES") + registry("matplotlib", "colormaps", "_cmaps")
        listed = palettes if what == "palette" else re.findall(r"[a-z]+", str(error).rpartition("one of")[2])
        say(run, given, f"a seaborn {what}", listed)


def choices(thing: object, parameter: str) -> tuple[str, ...] | None:
    """The strings that a docstring of seaborn's lists for a parameter in words: ``Options are "scatter" or "line".``"""
    text = getattr(thing, "__doc__", None)
    found = re.search(rf"(?m)^{re.escape(parameter)} : (.*(?:\n(?: .*|\s*))*)", text) if type(text) is str else None
    if found is None:
        return None
    head, _, body = found[1].partition("\n")
    whole = re.fullmatch(r'"(\w+)"(?:, "(\w+)")*,? or "(\w+)"', head.strip())
    listed = re.search(r'(?s)Options are:?\s+((?:`*"\w+"`*[,.]?\s*(?:or )?)+)', body)
    names = re.findall(r'"(\w+)"', head if whole is not None else listed[1] if listed is not None else "")
    if not names and head.strip() == "str":
        names = [name for line in re.findall(r"(?m)^ +- (`.*?`):", body) for name in re.findall(r"`(\w+)`", line)]
    return tuple(names) if len(names) > 1 else None
