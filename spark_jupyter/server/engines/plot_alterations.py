"""Alterations of a matplotlib plot: title, labels, scale, grid, size, colour, file."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import literals, rewrite
from spark_jupyter.server.engines.alterations import Alteration
from spark_jupyter.server.engines.rewrite import Span, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

_QUOTED = r"[\"'`“](?P<text>[^\"'`”\n]+)[\"'`”]"
_COLOURS = "red|blue|green|orange|purple|black|grey|gray|pink|brown|teal|yellow"
_COLOUR = re.compile(rf"\b(?P<text>{_COLOURS})\b", re.IGNORECASE)
_DRAWERS = frozenset(
    {"hist", "bar", "barh", "plot", "scatter", "step", "fill_between", "histplot", "barplot", "lineplot"}
)
_PATTERNS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(rf"\btitle\b\W*(?:is|to|of|saying|with)?\s*{_QUOTED}", re.I), "set_title", "title"),
    (re.compile(rf"\b(?:x[- ]?label|x[- ]axis label|label (?:for|on) the x[- ]?axis)\b\W*(?:is|to|as)?\s*{_QUOTED}", re.I),
     "set_xlabel", "x label"),
    (re.compile(rf"\b(?:y[- ]?label|y[- ]axis label|label (?:for|on) the y[- ]?axis)\b\W*(?:is|to|as)?\s*{_QUOTED}", re.I),
     "set_ylabel", "y label"),
)  # fmt: skip
_LOG = re.compile(
    r"\blog(?:arithmic)?[- ]?(?:scaled?|axis|axes|y|x)\b|\blogarithmic\b|\blog\s+(?P<axis>[xy])\b", re.IGNORECASE
)
_LOG_X = re.compile(r"\bx[- ]?axis\b|\blog[- ]?x\b|\b(?:on|of|the|both) x\b|\bboth\b", re.IGNORECASE)
_LOG_Y = re.compile(r"\by[- ]?axis\b|\blog[- ]?y\b|\b(?:on|of|the|both) y\b|\bboth\b", re.IGNORECASE)
_GRID = re.compile(r"\b(?P<no>without|no|remove)?\s*(?:the\s+|a\s+)?grid(?:\s?lines?)?\b", re.IGNORECASE)
_BIGGER = re.compile(r"\b(?:bigger|larger|wider|enlarge)\b", re.IGNORECASE)
_SMALLER = re.compile(r"\bsmaller\b", re.IGNORECASE)
_LEGEND = re.compile(r"\b(?:add|with|show)\s+(?:a\s+|the\s+)?legend\b", re.IGNORECASE)
_SAVE = re.compile(r"\b(?:save|export|write)\b", re.IGNORECASE)
_PICTURE = re.compile(r"\.(?:png|jpe?g|pdf|svg)$", re.IGNORECASE)


def is_plot(source: str) -> bool:
    """Whether the code draws with matplotlib."""
    return "matplotlib" in source or bool(re.search(r"\b(?:plt|ax|axes|sns)\.", source))


def asked_of(instruction: str) -> list[Alteration]:
    """The alterations of a plot that the instruction names."""
    found: list[Alteration] = []
    for pattern, method, what in _PATTERNS:
        if named := pattern.search(instruction):
            text = named["text"]
            found.append(
                Alteration(f"With the {what} “{text}”.", partial(_labelled, method=method, text=text), named[0])
            )
    if scale := _LOG.search(instruction):
        found.append(_logarithmic(instruction, scale[0]))
    if grid := _GRID.search(instruction):
        on = not grid["no"]
        found.append(Alteration("With a grid." if on else "Without the grid.", _added(f"grid({on})"), grid[0]))
    if legend := _LEGEND.search(instruction):
        found.append(Alteration("With a legend.", _added("legend()"), legend[0]))
    bigger = _BIGGER.search(instruction)
    if size := bigger or _SMALLER.search(instruction):
        found.append(Alteration("In another size.", partial(_resized, factor=1.5 if bigger else 0.7), size[0]))
    if colour := _COLOUR.search(instruction):
        name = colour["text"].lower()
        found.append(Alteration(f"In {name}.", partial(_coloured, colour=name), f"{name} colour"))
    files = [one[0] for one in literals.FILE.finditer(instruction) if _PICTURE.search(one[0])]
    if files and (save := _SAVE.search(instruction)):
        found.append(Alteration(f"Saved as {files[0]}.", partial(_saved, file=files[0]), f"{save[0]} file"))
    return found


def _logarithmic(instruction: str, said: str) -> Alteration:
    x, y = bool(_LOG_X.search(instruction)), bool(_LOG_Y.search(instruction))
    calls = [f'set_{axis}scale("log")' for axis, wanted in (("x", x), ("y", y or not x)) if wanted]
    return Alteration("On a logarithmic scale.", _added(*calls), f"{said} axis")


def _added(*calls: str) -> Callable[[str], str]:
    return partial(_with_calls, calls=calls)


def _with_calls(source: str, *, calls: tuple[str, ...]) -> str:
    """The code with calls on its axes before it shows the figure."""
    if not is_plot(source):
        return source
    axes = "ax" if re.search(r"\bax\b\s*[.=,]|,\s*ax\s*=", source) else "plt.gca()"
    missing = [f"{axes}.{call}" for call in calls if call not in source]
    return _before_show(source, missing)


def _before_show(source: str, lines: list[str]) -> str:
    if not lines:
        return source
    body = ast.parse(source).body
    if not body:
        return source
    last = body[-1]
    shows = isinstance(last, ast.Expr) and ast.unparse(last.value) in ("plt.show()", "fig", "ax", "plt.gcf()")
    start, _ = rewrite.Positions(source).span(last)
    text = "\n".join(lines)
    if not shows:
        return source.rstrip("\n") + "\n" + text
    return f"{source[:start]}{text}\n{source[start:]}"


def _labelled(source: str, *, method: str, text: str) -> str:
    """The code with a title or a label: where it has one already, the text is replaced."""
    names = {method, method.removeprefix("set_")}
    positions = rewrite.Positions(source)
    spans: list[Span] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called in names and node.args:
                spans.append(Span(*positions.span(node.args[0]), quoted(text)))
            elif called in ("set", "plot", *_DRAWERS):
                given = [one for one in node.keywords if one.arg in names]
                spans.extend(Span(*positions.span(one.value), quoted(text)) for one in given)
    if spans:
        return rewrite.apply_spans(source, spans)
    return _with_calls(source, calls=(f"{method}({quoted(text)})",))


def _resized(source: str, *, factor: float) -> str:
    positions = rewrite.Positions(source)
    spans: list[Span] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg == "figsize" and isinstance(node.value, ast.Tuple):
            try:
                sizes = [round(float(size) * factor, 1) for size in ast.literal_eval(node.value)]
            except (ValueError, TypeError):
                continue
            spans.append(Span(*positions.span(node.value), f"({', '.join(f'{size:g}' for size in sizes)})"))
    if spans:
        return rewrite.apply_spans(source, spans)
    if not is_plot(source):
        return source
    return _before_show(source, [f"plt.gcf().set_size_inches({6.4 * factor:.1f}, {4.8 * factor:.1f})"])


def _coloured(source: str, *, colour: str) -> str:
    """The code with the colour in the first call that draws, if that has no colours by data."""
    positions = rewrite.Positions(source)
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DRAWERS):
            continue
        given = [one for one in node.keywords if one.arg in ("color", "c", "facecolor")]
        if given:
            return rewrite.apply_spans(source, [Span(*positions.span(given[0].value), quoted(colour))])
        end = positions.span(node)[1] - 1
        inside = source[:end].rstrip()
        comma = "" if inside.endswith(("(", ",")) else ", "
        return rewrite.apply_spans(source, [Span(len(inside), len(inside), f"{comma}color={quoted(colour)}")])
    return source


def _saved(source: str, *, file: str) -> str:
    if not is_plot(source) or "savefig" in source:
        return source
    figure = "fig" if re.search(r"\bfig\b\s*[,=]", source) else "plt.gcf()"
    return _before_show(source, [f'{figure}.savefig({quoted(file)}, dpi=150, bbox_inches="tight")'])
