"""The lines that finish a picture: what ``finish.py`` reads. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.phrases.model import Picture
    from spark_jupyter.server.engines.phrases.write import Writer


def finish(writer: Writer, picture: Picture, kind: str, rows: str) -> None:
    """Writes the lines of it. Raises :class:`.UnknownError` where the picture has no place for one of them."""
    said = picture.options
    several = bool(said.get("subplots"))
    if several and any(
        one in said for one in ("values", "xlabel", "ylabel", "xlim", "ylim", "mark", "level", "upright", "rolled")
    ):
        raise UnknownError
    if ("values" in said and kind not in ("bar", "heatmap")) or ("size" in said and kind != "scatter"):
        raise UnknownError
    if "values" in said and kind == "bar":
        writer.lines += ["for bars in ax.containers:", "    ax.bar_label(bars)"]
    for side in "xy":
        if f"{side}label" in said:
            writer.lines.append(f"ax.set_{side}label({quoted(said[f'{side}label'])})")
        if f"{side}lim" in said:
            writer.lines.append(f"ax.set_{side}lim({said[f'{side}lim']})")
    if "turned" in said:
        writer.lines.append(f"plt.xticks(rotation={said['turned']})")
    if "mark" in said or "level" in said or "upright" in said or "rolled" in said:
        _along(writer, picture, kind, rows)


_LOOKS = {
    "style": ("line",), "edges": ("hist", "bar"), "alpha": ("hist", "bar", "scatter", "line", "area"), "marker": ("line", "scatter"),
}  # fmt: skip
"""What kinds of picture have a look."""


def look(said: dict[str, str], kind: str) -> list[str]:
    """The arguments that say so. Raises :class:`.UnknownError` where a picture of this kind has none such."""
    strange = said.get("marker") != "True" and "marker" in said
    if any(one in said and kind not in kinds and (one != "marker" or strange) for one, kinds in _LOOKS.items()):
        raise UnknownError
    made = [f"linestyle={quoted(said['style'])}"] if "style" in said else []
    made += [f"edgecolor={quoted(said['edges'])}"] if "edges" in said else []
    made += [f"alpha={said['alpha']}"] if "alpha" in said else []
    if "marker" in said and (strange or kind == "line"):
        made.append(f"marker={quoted(said['marker'] if strange else 'o')}")
    return made


def around(picture: Picture, file: str, *, legend: bool) -> list[str]:
    """The lines for what is around the picture, and the file that it is saved to."""
    said = picture.options
    made = [f"plt.title({quoted(said['title'])})"] if said.get("title") else []
    made += ["plt.grid(True)"] if said.get("grid") else []
    made += ["plt.legend()"] if legend else []
    made += [f'plt.{side}scale("log")' for side in "xy" if said.get(f"log{side}") or said.get("loglog")]
    made += [f"plt.gcf().set_size_inches({said['figure']})"] if "figure" in said else []
    made += [f"plt.savefig({quoted(file)})"] if file else []
    return made


def _along(writer: Writer, picture: Picture, kind: str, rows: str) -> None:
    """What depends on the values that are drawn."""
    said = picture.options
    grouped = bool(writer.plan.measures)
    numbers = {one: value for one in ("level", "upright") if (value := said.get(one, ""))}
    data, x = "", ""
    if grouped and len(writer.plan.keys) == 1 and len(writer.plan.measures) == 1 and kind in ("line", "bar"):
        data = next(
            line.partition(" = ")[0]
            for line in reversed(writer.lines)
            if line.partition(" = ")[0] in ("amounts", "amounts_2")
        )
        x = f"range(len({data}))" if kind == "bar" else ""
    elif not grouped and picture.x and len(picture.y) == 1 and picture.colour is None and kind in ("line", "scatter"):
        ordered = f"{rows}.sort_values({quoted(picture.x)})" if kind == "line" else rows
        writer.lines.append(f"drawn = {ordered}")
        data, x = f"drawn[{quoted(picture.y[0])}]", f"drawn[{quoted(picture.x)}]"
    elif not grouped and kind == "hist" and len(picture.y) == 1:
        data = f"{rows}[{quoted(picture.y[0])}]"
    for one, value in numbers.items():
        if value in ("mean", "median") and not data:
            raise UnknownError
        place = value if value not in ("mean", "median") else f"{data}.{value}()"
        call = "axvline" if one == "upright" or (kind == "hist" and value in ("mean", "median")) else "axhline"
        if kind not in ("line", "bar", "scatter", "hist") or (said.get("horizontal") and kind == "bar"):
            raise UnknownError
        writer.lines.append(f'ax.{call}({place}, color="tab:red", linestyle="--")')
    if "mark" in said:
        _marked(writer, picture, kind, data, x)
    if "rolled" in said:
        if kind not in ("line", "bar") or not data or said.get("horizontal"):
            raise UnknownError
        rolled = f"{data}.rolling({said['rolled']}).mean()"
        label = f'label="moving average of {said["rolled"]}"'
        writer.lines.append(f"ax.plot({x}, {rolled}, {label})" if x else f"{rolled}.plot(ax=ax, {label})")
        writer.lines.append("ax.legend()")


def of_numbers_along(said: dict[str, str], kind: str, x: str, y: str) -> list[str]:
    """The lines for what depends on the values ``y`` of a list or an array. Raises :class:`.UnknownError` as :func:`finish` does."""
    if {"mark", "rolled"} & said.keys() or ("values" in said and kind not in ("bar", "barh")):
        raise UnknownError
    made = ["ax.bar_label(ax.containers[0])"] if "values" in said else []
    made += [f"ax.set_{side}lim({said[f'{side}lim']})" for side in "xy" if f"{side}lim" in said]
    made += [f"plt.xticks(rotation={said['turned']})"] if "turned" in said else []
    for one in ("level", "upright"):
        if one not in said:
            continue
        if kind not in ("line", "hist", "bar", "scatter"):
            raise UnknownError
        upright = one == "upright" or (kind == "hist" and said[one] in ("mean", "median"))
        place = f"np.{said[one]}({y})" if said[one] in ("mean", "median") else said[one]
        made.append(f'ax.{"axvline" if upright else "axhline"}({place}, color="tab:red", linestyle="--")')
    return made


def _marked(writer: Writer, picture: Picture, kind: str, data: str, x: str) -> None:
    """The highest or lowest point, with its value beside it."""
    end = picture.options["mark"]
    if not data or kind not in ("line", "bar") or (kind == "line" and not x) or picture.options.get("horizontal"):
        raise UnknownError
    if kind == "bar":
        spot = f"({data}.arg{end}(), {data}.{end}())"
    else:
        writer.lines.append(f"place = {data}.idx{end}()")
        spot = f"({x}[place], {data}[place])"
    writer.lines.append(
        f'ax.annotate(f"{{{data}.{end}():g}}", xy={spot}, xytext=(15, 15), textcoords="offset points", arrowprops={{"arrowstyle": "->"}})'
    )
