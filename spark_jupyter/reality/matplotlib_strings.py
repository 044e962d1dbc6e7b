"""String arguments of matplotlib: colours, styles, markers, colour maps.

The valid ones come from its own registries and the stubs of its artists' setters.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality import signatures, stubs
from spark_jupyter.reality.abstract_values import Invocation
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.keywords import inspected
from spark_jupyter.reality.static_lookup import MISSING, in_class, loaded, module_dict
from spark_jupyter.reality.string_arguments import is_among, say, text_of

_COLOURS = frozenset(
    "color facecolor edgecolor facecolors edgecolors markerfacecolor markeredgecolor mfc mec ecolor".split()
)
_BACKENDS = frozenset(
    "agg svg pdf ps pgf cairo template inline notebook widget ipympl nbagg webagg tkagg qtagg qt5agg macosx".split()
)
"""Names that ``matplotlib.use`` takes, where ``matplotlib.style.use`` takes a style."""


@functools.lru_cache(500)
def _of_property(keyword: str) -> tuple[str, ...] | None:
    """The strings that a property of texts, lines and patches takes, ``ha``, by the stubs of its setters; None where any may do."""
    found: dict[str, None] = {}
    for module, name in (("matplotlib.text", "Text"), ("matplotlib.lines", "Line2D"), ("matplotlib.patches", "Patch")):
        kind = loaded_class(module, name)
        if kind is None:
            return None
        known = (inspected(kind) or {}).items()
        setter = f"set_{next((whole for whole, others in known if keyword in others), keyword)}"
        if in_class(kind, setter) is MISSING:
            continue
        strings = stubs.method_choices(kind, setter)
        if strings is None:
            return None
        found.update(dict.fromkeys(strings))
    return tuple(found) or None


def check(run: Run, thing: object, name: str, call: Invocation) -> None:
    own = signatures.signature(thing)
    of_data = "data" in call.keywords  # then a string may be a column
    _check_colours(run, call, _COLOURS if of_data or name == "use" else _COLOURS | {"c"})
    if name == "plot" and not of_data:
        _check_formats(run, call)
    for keyword, argument in call.keywords.items():
        given = text_of(argument)
        if given is None or (of_data and keyword in {"c", "marker"}):
            continue
        passed_on = own is None or keyword not in own.parameters
        strings = _of_property(keyword) if passed_on else None
        if strings is not None and not is_among(given[1], strings):
            say(run, given, f"a matplotlib `{keyword}`", strings)
        looked = _REGISTRIES.get((name, keyword)) or _REGISTRIES.get(("", keyword))
        known = list(looked()) if looked is not None else []
        if known and given[1] not in known and not given[1].startswith("$"):
            say(run, given, f"a matplotlib `{keyword}`", known)
    given = text_of(call.positional[0]) if call.positional else None
    maps = _REGISTRIES[(name, "0")]() if (name, "0") in _REGISTRIES else []
    if given is not None and maps and given[1] not in maps:
        say(run, given, "a matplotlib colour map", maps)
    scales = registry("matplotlib.scale", "_scale_mapping") if name.endswith(("xscale", "yscale")) else []
    if given is not None and scales and given[1] not in scales:
        say(run, given, "a matplotlib scale", scales)
    given = given if name == "use" else None
    if given is not None and given[1].lower() not in _BACKENDS and not set(given[1]) & set("./\\"):
        styles = registry("matplotlib.style", "library")
        if styles and given[1] not in {*styles, "default"}:
            say(run, given, "a matplotlib style", styles)


def check_of_pandas(run: Run, call: Invocation) -> None:
    """Check the strings that ``frame.plot(…)`` passes on; ``c`` may be a column there."""
    _check_colours(run, call, _COLOURS)
    kind, kinds = text_of(call.keywords.get("kind")), registry("pandas.plotting._core", "PlotAccessor", "_all_kinds")
    if kind is not None and kinds and kind[1] not in kinds:
        say(run, kind, "a kind of pandas plot", kinds)
    maps = registry("matplotlib", "colormaps", "_cmaps")
    given = text_of(call.keywords.get("colormap") or call.keywords.get("cmap"))
    if given is not None and maps and given[1] not in maps:
        say(run, given, "a matplotlib colour map", maps)


def _check_colours(run: Run, call: Invocation, names: frozenset[str]) -> None:
    for keyword in names & call.keywords.keys():
        given = text_of(call.keywords[keyword])
        if given is not None and not _is_colour(given[1]):
            say(run, given, "a matplotlib colour", registry("matplotlib.colors", "CSS4_COLORS"))


def _check_formats(run: Run, call: Invocation) -> None:
    """``plot(x, y, "ro--")``: matplotlib's own parser, which gets nothing but the text, says what a format is."""
    parse = loaded("matplotlib.axes._base", "_process_plot_format")
    for argument in call.positional[1:]:
        given = text_of(argument)
        if given is None or not callable(parse) or len(given[1]) > 100:
            continue
        try:
            parse(given[1])
        except ValueError:
            say(run, given, "a line format (colour, marker and style, as in `'ro--'`)", [])


def _is_colour(text: str) -> bool:
    known = loaded("matplotlib.colors", "is_color_like")
    return text in {"auto", "face", "inherit", ""} or not callable(known) or bool(known(text))


def registry(module: str, *path: str) -> list[str]:
    """The keys of a table of a library's; none where it is not loaded."""
    found: object = sys.modules.get(module)
    for name in path:
        found = module_dict(found).get(name) if type(found) is types.ModuleType else getattr(found, name, None)
    return (
        [key for key in found if type(key) is str] if isinstance(found, dict | list | tuple | set | frozenset) else []
    )


def line_styles() -> list[str]:
    """All that a line's style may be called."""
    return [*registry("matplotlib.lines", "lineStyles"), "solid", "dashed", "dashdot", "dotted", "none"]


def _places() -> list[str]:
    """Places of a legend: outside of the Axes, too, in either order."""
    codes = registry("matplotlib.legend", "Legend", "codes")
    turned = [" ".join(reversed(code.split())) for code in codes]
    return [*codes, *(f"outside {code}" for code in (*codes, *turned))]


_REGISTRIES: dict[tuple[str, str], Callable[[], list[str]]] = {
    ("", "cmap"): lambda: registry("matplotlib", "colormaps", "_cmaps"),
    ("", "colormap"): lambda: registry("matplotlib", "colormaps", "_cmaps"),
    ("", "marker"): lambda: [*registry("matplotlib.markers", "MarkerStyle", "markers"), "none"],
    ("", "linestyle"): line_styles,
    ("", "ls"): line_styles,
    ("", "drawstyle"): lambda: registry("matplotlib.lines", "Line2D", "drawStyles"),
    ("", "fillstyle"): lambda: registry("matplotlib.lines", "Line2D", "fillStyles"),
    ("set_cmap", "0"): lambda: registry("matplotlib", "colormaps", "_cmaps"),
    ("get_cmap", "0"): lambda: registry("matplotlib", "colormaps", "_cmaps"),
    ("", "fontweight"): lambda: registry("matplotlib.font_manager", "weight_dict"),
    ("legend", "loc"): _places,
    ("savefig", "format"): lambda: registry("matplotlib.backend_bases", "FigureCanvasBase", "filetypes"),
    ("imshow", "interpolation"): lambda: [*registry("matplotlib.image", "interpolations_names"), "none"],
}
"""By function ("" for all) and keyword."""
