"""What a sentence says of a picture: its kind, its axes, its title. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import structs

from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import CS, C, N, Q
from spark_jupyter.server.engines.query.model import Key, Measure, Plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.marked import Marked
    from spark_jupyter.server.engines.query.model import Query

_KIND = "|".join(lexicon.PLOTS)


def options(marked: Marked) -> dict[str, Any]:
    """How the picture is to be, whatever it shows."""
    found: dict[str, Any] = {}
    if title := marked.take(
        rf"(?:\band\s+|\bwith\s+)?(?:a\s+|the\s+)?title(?!\s*case)\s*(?:of|is|=|:|called)?\s*(?P<t>{Q}|[A-Z](?:"
        r"(?!\s+(?:and|with)\b)[^;,])*)"
    ):
        said = re.sub(r"⟨\w+⟩", lambda one: marked.value(one[0]), title["t"])
        found["title"] = re.sub(r"\s+", " ", said).strip(" .")
    elif marked.take(r"(?:\band\s+|\bwith\s+)(?:a\s+)?title\b(?!\s*case)"):
        found["title"] = "?"
    if bins := marked.take(rf"(?:\bwith\s+|\busing\s+|\bin\s+)?(?P<n>{N})\s+(?:bins|bars|buckets)"):
        found["bins"] = int(float(marked.value(bins["n"])))
    if colour := marked.take(rf"\b(?:coloured|colour|color|hue)\s*(?:is|=|by|per|after)?\s*(?P<c>{C})"):
        found["colour"] = marked.value(colour["c"])
    for name, pattern in (
        ("errors", r"(?:\b(?:and|with)\s+)?(?:the\s+)?(?:error\s?bars?|errorbars?|standard errors?)"),
        ("fitted", r"(?:\b(?:and|with)\s+)?(?:a\s+|the\s+)?(?:regression|trend|fitted|best fit)\s*(?:line|curve)"),
        (
            "subplots",
            (
                r"\b(?:in|as|with)\s+(?:two\s+|three\s+|separate\s+|⟨n\d+⟩\s+)?(?:sub\s?plots?|panels)(?:\s+(?:below"
                r"|above|under|on top of)\s+(?:each other|one another))?"
            ),
        ),
        ("horizontal", r"\bhorizontal(?:ly)?\b"),
        ("stacked", r"\bstacked\b"),
    ):
        if marked.take(pattern):
            found[name] = True
    marked.take(r"(?:\b(?:and|with)\s+)?(?:a\s+)?(?:legend|labels|grid|axis labels)\b(?=\s*(?:;|$|and))")
    return found


def read(marked: Marked, query: Query, chosen: dict[str, Any], columns: tuple[Column, ...], dates: list[str]) -> None:
    """The picture, where one is asked for; what it shows may be what was read before."""
    kinds = {one.name: one.kind for one in columns}
    found = marked.take(
        rf"\b(?:as\s+|in\s+)?(?:a\s+|the\s+)?(?:stacked\s+|grouped\s+)?(?P<kind>{_KIND}|heat\s?map)\s*(?:chart"
        r"|plot|graph|diagram)?s?\b(?:\s+(?:of|for|from|with|showing|over|to show))?"
    )
    plain = None if found else marked.take(r"\b(?:plot|draw|graph|chart|visuali[sz]e)\b")
    if not (found or plain or chosen.get("fitted") or chosen.get("subplots")):
        return
    marked.take(r"\b(?:plot|draw|graph|chart|visuali[sz]e)\b")
    said = found["kind"].lower() if found else ""
    kind = "heatmap" if said.startswith("heat") else lexicon.PLOTS.get(said, "")
    x, y = _axes(marked, kind)
    if kind == "" and not query.measures:
        kind = _guess(x, y, kinds, dates, chosen)
    plot = Plot(
        kind=kind or ("line" if query.keys and query.keys[0].period else "bar"),
        x=x,
        y=tuple(y),
        **{k: v for k, v in chosen.items() if k != "title"},
    )
    title = chosen.get("title", "")
    query.plot = structs.replace(
        plot, title=" and ".join((*y, *([x] if x else []))) or "Plot" if title == "?" else title
    )
    _fit(query, kinds, dates)


def _axes(marked: Marked, kind: str) -> tuple[str | None, list[str]]:
    """The column along the x axis, if one is told apart, and the others."""
    on_axes = marked.take(
        rf"(?P<x>{C})\s+on\s+(?:the\s+)?x(?:[- ]axis)?\s*(?:and|,)?\s*(?P<y>{C})\s+on\s+(?:the\s+)?y"
        r"(?:[- ]axis)?"
    )
    if on_axes:
        return marked.value(on_axes["x"]), [marked.value(on_axes["y"])]
    over = marked.take(
        rf"(?P<y>{CS})\s+(?:over|by|as a function of|depending on|per)\s+(?:the\s+)?(?P<x>{C}|time\b|dates?\b)"
    )
    if over:
        said = over["x"]
        return (marked.value(said) if said.startswith("⟨") else "time"), marked.names(over["y"])
    between = r"vs\.?|versus|against|to|x" + ("|and|with" if kind == "scatter" else "")
    pair = marked.take(rf"(?P<x>{C})\s+(?:{between})\s+(?P<y>{C})") if kind in ("scatter", "") else None
    if pair:
        return marked.value(pair["x"]), [marked.value(pair["y"])]
    named = marked.take(rf"(?:\b(?:the|of)\s+)*(?P<c>{CS})")
    return None, marked.names(named["c"]) if named else []


def _guess(x: str | None, y: list[str], kinds: Mapping[str, str], dates: list[str], chosen: dict[str, Any]) -> str:
    if chosen.get("fitted"):
        return "scatter"
    if x == "time" or x in dates or chosen.get("subplots"):
        return "line"
    if x is not None and y:
        return "scatter" if kinds.get(x) == kinds.get(y[0]) == "number" else "bar"
    return (
        "hist" if len(y) == 1 and kinds.get(y[0]) == "number" else "bar" if y and kinds.get(y[0]) == "text" else "line"
    )


def _fit(query: Query, kinds: Mapping[str, str], dates: list[str]) -> None:
    """Settle what a plot of this kind needs: its x axis, what is counted or summed for its bars."""
    plot = query.plot
    if plot is None:
        return
    x, y = plot.x, list(plot.y)
    if x == "time":
        x = next(iter(dates), None)
    if plot.kind == "line" and x is None and dates and not query.keys:
        x = dates[0]
    if plot.kind == "scatter" and x is None and len(y) >= 2:
        x, y = y[0], y[1:]
    if plot.kind in ("bar", "pie") and not query.measures and _heights(query, x, y, kinds, bars=plot.kind == "bar"):
        x, y = None, []
    if plot.kind in ("line", "area") and query.keys and not query.measures and not y:
        query.measures = [Measure(how="size")]
    if plot.kind in ("box", "violin", "hist") and query.measures and not y:
        y, query.measures = [one.column for one in query.measures if one.column], []
    if plot.kind == "hist" and query.keys and query.keys[0].period and not query.measures:
        plot, y, query.measures = structs.replace(plot, kind="bar"), [], [Measure(how="size")]
    if plot.kind in ("box", "violin") and query.keys:
        x, query.keys = query.keys[0].column, []
    if query.measures and plot.kind in ("bar", "pie", "line", "area"):
        x, y = None, []
    query.plot = structs.replace(plot, x=x, y=tuple(y))


def _heights(query: Query, x: str | None, y: Sequence[str], kinds: Mapping[str, str], *, bars: bool) -> bool:
    """Settle what is counted or summed for bars; whether there is anything."""
    texts = [one for one in y if kinds.get(one) != "number"]
    numbers = [one for one in y if kinds.get(one) == "number"]
    by = x if x is not None and y else next(iter(texts), None)
    if not query.keys and by is not None:
        query.keys = [Key(column=by)]
    if bars and len(query.keys) == 1 and not numbers:  # "stacked bars of satisfaction by age group": both are counted
        query.keys += [Key(column=one) for one in texts[:1] if one != query.keys[0].column]
    if query.keys:
        query.measures = [Measure(how="sum", column=one) for one in numbers] or [Measure(how="size")]
    return bool(query.keys)
