"""The picture of a :class:`Plan`. Pure."""

from __future__ import annotations

import re

from msgspec import structs

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.finished import around, finish, look
from spark_jupyter.server.engines.phrases.model import Measure, Picture, col, names
from spark_jupyter.server.engines.phrases.write import Writer
from spark_jupyter.server.engines.rewrite import quoted

_MEANT = re.compile(r"price|preis|rate|rating|score|age|temp|mark|height|weight|pct|percent|miete|mean|avg")


_IS_IMAGE = re.compile(r"\.(?:png|jpe?g|svg|pdf|tiff?|webp)$", re.IGNORECASE)


class Drawer(Writer):
    """Writes a plan that may be one of a picture."""

    def result(self, rows: str) -> str:
        """What ends the cell."""
        return draw(self, rows) if self.plan.picture is not None else super().result(rows)

    def saved(self, result: str) -> str:
        """What saves it: the picture, or the table."""
        if _IS_IMAGE.search(self.plan.save) is None:
            return super().saved(result)
        if self.plan.picture is None:
            raise UnknownError
        return result


def draw(writer: Writer, rows: str) -> str:
    """Writes the lines of the picture; what ends the cell."""
    plan = writer.plan
    picture = plan.picture
    assert picture is not None
    writer.imports.add("plt")
    _sides(writer, picture)
    kind = picture.kind or _usual(writer, picture)
    more = _options(picture, kind)
    if kind == "scatter":
        _scatter(writer, picture, rows, more)
    elif kind == "hist":
        _hist(writer, picture, rows)
    elif kind in ("box", "violin"):
        _boxes(writer, picture, rows, kind)
    elif kind == "kde":
        _densities(writer, picture, rows, more)
    elif kind == "heatmap":
        _heatmap(writer, picture, rows)
    elif plan.step is not None:
        _stepped(writer, rows, more)
    elif plan.measures or (plan.keys and not (kind == "line" and picture.x)):
        _summary(writer, picture, rows, kind, more)
    else:
        _lines(writer, picture, rows, kind, more)
    _refuse_strange(writer, picture, kind)
    _details(writer, picture, kind, rows)
    return "plt.show()"


def _refuse_strange(writer: Writer, picture: Picture, kind: str) -> None:
    """Raises :class:`UnknownError` where a picture of this kind has no place for something, or nobody draws it."""
    plan = writer.plan
    if picture.colour and kind not in ("scatter", "hist", "box", "violin", "line", "kde"):
        raise UnknownError
    counts = [one.args[0] for one in plan.keys if one.op == "col" and all(each.how == "size" for each in plan.measures)]
    if plan.measures and any(
        (held := writer.columns.get(str(name))) and held.dtype.startswith("float") for name in counts
    ):
        raise UnknownError  # how often each single amount is there is nothing that anybody draws
    if picture.options.get("subplots") and kind in ("hist", "scatter", "box", "violin", "heatmap", "pie", "kde"):
        raise UnknownError
    if picture.options.get("horizontal") and kind not in ("bar", "box"):
        raise UnknownError
    if "bins" in picture.options and kind != "hist":
        raise UnknownError


def _sides(writer: Writer, picture: Picture) -> None:
    """What of the columns goes along which side, and by which the rows are grouped."""
    plan = writer.plan
    if picture.kind in ("line", "") and picture.x and plan.keys and not plan.measures and picture.colour is None:
        if len(plan.keys) > 1 or plan.keys[0].op != "col":
            raise UnknownError
        picture.colour = str(plan.keys.pop().args[0])
    picture.y += [
        name
        for name in plan.columns
        if writer.columns.get(name) is not None and writer.columns[name].kind == "number" and name not in picture.y
    ]
    others = [name for name in plan.columns if name not in picture.y]
    if (
        picture.x is not None
        and picture.kind in ("bar", "pie", "box", "violin")
        and writer.columns[picture.x].kind in ("text", "bool")
        and picture.x not in writer.dates
    ):
        others, picture.x = [*others, picture.x], None
    if others and (len(others) > 1 or len(plan.keys) > 1 or picture.kind not in ("bar", "pie", "box", "violin")):
        raise UnknownError
    plan.keys += [col(name) for name in others]


def _details(writer: Writer, picture: Picture, kind: str, rows: str) -> None:
    finish(writer, picture, kind, rows)
    legend = bool(picture.options.get("legend")) and kind not in ("scatter", "hist", "kde")
    if picture.options.get("title") == "":
        picture.options["title"] = _titled(writer, picture, kind)
    writer.lines += around(picture, writer.plan.save, legend=legend)


def _titled(writer: Writer, picture: Picture, kind: str) -> str:
    """A title where one is asked for, and not told: "mean of price by region"."""
    plan = writer.plan
    drawn = [one.what and f"{one.how} of {', '.join(names(one.what))}" for one in plan.measures]
    first = " and ".join(one or "number" for one in drawn) or " and ".join(picture.y) or kind or "number"
    over = [name for one in plan.keys for name in names(one)] or ([picture.x] if picture.x else [])
    return f"{first} by {' and '.join(over)}" if over else first


def _usual(writer: Writer, picture: Picture) -> str:
    if writer.plan.keys and (writer.plan.keys[0].op not in ("period",)):
        return "bar"
    return "scatter" if picture.x and picture.y and picture.x not in writer.dates and len(picture.y) == 1 else "line"


def _options(picture: Picture, kind: str) -> str:
    said = picture.options
    parts = [f"color={quoted(said['color'])}"] if "color" in said else []
    parts += look(said, kind)
    if said.get("stacked"):
        parts.append("stacked=True")
    if said.get("subplots"):
        parts.append("subplots=True")
    return "".join(f", {part}" for part in parts)


def _colour(writer: Writer, picture: Picture) -> str | None:
    keyed = [str(one.args[0]) for one in writer.plan.keys if one.op == "col"]
    return picture.colour or (keyed[0] if len(keyed) == 1 else None)


def _scatter(writer: Writer, picture: Picture, rows: str, more: str) -> None:
    named = [*picture.y, *([picture.x] if picture.x else [])]
    if len(named) != 2:
        raise UnknownError
    # "a against b": a goes up; "a and b", "a vs b": a is along the bottom for most people, but either will do
    y, x = named[0], named[1]
    colour = _colour(writer, picture)
    if "size" in picture.options:
        rows_ = "some" if colour is not None else rows
        sizes = f"{rows_}[{quoted(picture.options['size'])}]"
        whole = f"{rows}[{quoted(picture.options['size'])}]"
        more += f", s=200 * {sizes} / {whole}.max()"
    if colour is not None:
        sized = more[more.index(", s=") :] if ", s=" in more else ""
        shade = "".join(f", {one}" for one in look(picture.options, "scatter"))
        writer.lines += [
            "fig, ax = plt.subplots()",
            f"for name, some in {rows}.groupby({quoted(colour)}):",
            f"    ax.scatter(some[{quoted(x)}], some[{quoted(y)}]{sized}{shade}, label=name)",
            f"ax.legend(title={quoted(colour)})",
        ]
    else:
        writer.lines += ["fig, ax = plt.subplots()", f"ax.scatter({rows}[{quoted(x)}], {rows}[{quoted(y)}]{more})"]
    writer.lines += [f"ax.set_xlabel({quoted(x)})", f"ax.set_ylabel({quoted(y)})"]
    if picture.trend:
        writer.lines += [
            f"known = {rows}[[{quoted(x)}, {quoted(y)}]].dropna().sort_values({quoted(x)})",
            f"slope, intercept = np.polyfit(known[{quoted(x)}], known[{quoted(y)}], 1)",
            f'ax.plot(known[{quoted(x)}], slope * known[{quoted(x)}] + intercept, color="tab:red")',
        ]


def _hist(writer: Writer, picture: Picture, rows: str) -> None:
    if len(picture.y) != 1:
        raise UnknownError
    y, bins, colour = picture.y[0], picture.options.get("bins", "20"), _colour(writer, picture)
    shade = "".join(f", {one}" for one in look(picture.options, "hist"))
    if colour is None:
        shade += f", color={quoted(picture.options['color'])}" if "color" in picture.options else ""
        writer.lines += ["fig, ax = plt.subplots()", f"ax.hist({rows}[{quoted(y)}].dropna(), bins={bins}{shade})"]
    else:
        writer.lines += [
            "fig, ax = plt.subplots()",
            f"edges = np.histogram_bin_edges({rows}[{quoted(y)}].dropna(), bins={bins})",
            f"for name, some in {rows}.groupby({quoted(colour)}):",
            f"    ax.hist(some[{quoted(y)}].dropna(), bins=edges{shade if 'alpha' in shade else f', alpha=0.6{shade}'}, label=name)",
            f"ax.legend(title={quoted(colour)})",
        ]
    writer.lines += [f"ax.set_xlabel({quoted(y)})", 'ax.set_ylabel("number")']


def _boxes(writer: Writer, picture: Picture, rows: str, kind: str) -> None:
    group = _colour(writer, picture) or (
        picture.x if picture.x and writer.columns[picture.x].kind != "number" else None
    )
    if not picture.y or (group and len(picture.y) != 1):
        raise UnknownError
    shade = ""
    if "color" in picture.options:
        if kind != "box":
            raise UnknownError
        shade = f', patch_artist=True, boxprops={{"facecolor": {quoted(picture.options["color"])}}}'
    flat = bool(picture.options.get("horizontal"))
    shade += ", vert=False" if flat else ""
    side, other = ("y", "x") if flat else ("x", "y")
    if group is None:
        chosen = ", ".join(f"{rows}[{quoted(name)}].dropna()" for name in picture.y)
        labels = ", ".join(map(quoted, picture.y))
        writer.lines += [
            "fig, ax = plt.subplots()",
            f"ax.{kind}plot([{chosen}]{shade})",
            f"ax.set_{side}ticks(range(1, {len(picture.y) + 1}), [{labels}])",
        ]
        return
    y = picture.y[0]
    writer.lines += [
        f"groups = {{name: some[{quoted(y)}].dropna() for name, some in {rows}.groupby({quoted(group)})}}",
        "fig, ax = plt.subplots()",
        f"ax.{kind}plot(list(groups.values()){shade})",
        f"ax.set_{side}ticks(range(1, len(groups) + 1), list(groups))",
        f"ax.set_{side}label({quoted(group)})",
        f"ax.set_{other}label({quoted(y)})",
    ]


def _densities(writer: Writer, picture: Picture, rows: str, more: str) -> None:
    colour = _colour(writer, picture)
    if len(picture.y) != 1 or picture.x or writer.plan.measures:
        raise UnknownError
    y = quoted(picture.y[0])
    if colour is None:
        writer.lines.append(f"ax = {rows}[{y}].dropna().plot.kde({more.removeprefix(', ')})")
    else:
        writer.lines += [
            "fig, ax = plt.subplots()",
            f"for name, some in {rows}.groupby({quoted(colour)}):",
            f"    some[{y}].dropna().plot.kde(ax=ax, label=name)",
            f"ax.legend(title={quoted(colour)})",
        ]
    writer.lines.append(f"ax.set_xlabel({y})")


def _stepped(writer: Writer, rows: str, more: str) -> None:
    """What goes from row to row, along what the rows are ordered by."""
    plan = writer.plan
    first = plan.order[0].what if len(plan.order) == 1 else None
    along = quoted(str(first.args[0])) if first is not None and first.op == "col" else ""
    stepped = writer.step(rows)
    if not plan.keys:
        at = f".set_axis({stepped[: stepped.index('[')]}[{along}])" if along else ""
        writer.lines.append(f"ax = {stepped}{at}.plot({more.removeprefix(', ')})")
        return
    if not along or len(plan.keys) > 1 or plan.keys[0].op != "col":
        raise UnknownError
    ordered, key = stepped[: stepped.index("[")], quoted(str(plan.keys[0].args[0]))
    drawn = writer.free("drawn")
    writer.lines += [
        f"{drawn} = {ordered}.assign(height={stepped})",
        "fig, ax = plt.subplots()",
        f"for name, some in {drawn}.groupby({key}):",
        f'    ax.plot(some[{along}], some["height"], label=name)',
        f"ax.legend(title={key})",
    ]


def _heatmap(writer: Writer, picture: Picture, rows: str) -> None:
    plan = writer.plan
    if plan.measures or plan.keys:
        raise UnknownError
    chosen = f"{rows}[[{', '.join(map(quoted, picture.y))}]]" if len(picture.y) > 1 else rows
    name = writer.free("correlations")
    writer.lines += [
        f"{name} = {chosen}.corr(numeric_only=True)",
        "fig, ax = plt.subplots()",
        f'image = ax.imshow({name}, cmap="coolwarm", vmin=-1, vmax=1)',
        f"ax.set_xticks(range(len({name})), {name}.columns, rotation=45)",
        f"ax.set_yticks(range(len({name})), {name}.columns)",
        "fig.colorbar(image)",
    ]
    if "values" in picture.options:
        writer.lines += [
            f"for row, column in np.ndindex({name}.shape):",
            f'    ax.text(column, row, f"{{{name}.iloc[row, column]:.2f}}", ha="center", va="center")',
        ]


def _summary(writer: Writer, picture: Picture, rows: str, kind: str, more: str) -> None:
    plan = writer.plan
    if not plan.measures and picture.y:
        ratio = any(name == picture.y[0] and made.op in ("div", "rowmean") for name, made in plan.derived)
        how = "mean" if ratio or _MEANT.search(picture.y[0].lower()) else "sum"
        plan.measures = [Measure(how=how, what=col(name)) for name in picture.y]
        plan.says.append(f"I took the {how} of {', '.join(f'`{name}`' for name in picture.y)}.")
    elif not plan.measures:
        plan.measures = [Measure(how="size")]
    if not plan.keys:
        raise UnknownError
    plan.order = [
        structs.replace(one, what=None) if one.what is not None and one.what not in plan.keys else one
        for one in plan.order
    ]
    name = writer.free("amounts" if len(plan.measures) == 1 else "summary")
    writer.lines.append(f"{name} = {writer.summary(rows)}")
    measure = plan.measures[0]
    label = (
        f"{measure.how} of {writer.plain(measure)}" if measure.what is not None and writer.plain(measure) else "number"
    )
    if measure.how == "ratio" and measure.what is not None:
        label = " / ".join(names(measure.what))
    if len(plan.keys) == 2:
        writer.lines.append(f"{name} = {name}.unstack()")
    elif len(plan.keys) > 2:
        raise UnknownError
    if kind == "pie":
        writer.lines += [f'ax = {name}.plot.pie(autopct="%.1f%%")', 'ax.set_ylabel("")']
        return
    flat = kind == "bar" and picture.options.get("horizontal")
    writer.lines.append(f"ax = {name}.plot.{'barh' if flat else kind}({more.removeprefix(', ')})")
    writer.lines.append(f"ax.set_{'x' if flat else 'y'}label({quoted(label)})")
    if flat and any(one.descending for one in plan.order):
        writer.lines.append("ax.invert_yaxis()")


def _lines(writer: Writer, picture: Picture, rows: str, kind: str, more: str) -> None:
    if kind == "pie":
        raise UnknownError
    if not picture.y:
        numeric = [one.name for one in writer.columns.values() if one.kind == "number" and one.holds != "index"]
        if kind == "line" and len(numeric) == 2 and not (writer.dates or picture.x or picture.colour):
            picture.x = numeric.pop(0)  # "plot the spectrum": the one over the other
        elif kind != "line" or not numeric or not writer.dates:
            raise UnknownError
        picture.y += numeric
    indexed = next((one.name for one in writer.columns.values() if one.holds == "index"), None)
    chosen = f"{rows}[[{', '.join(map(quoted, picture.y))}]]"
    x = picture.x if picture.x != indexed else None
    if x is None and kind == "bar":
        raise UnknownError
    if picture.colour is not None:
        if kind != "line" or len(picture.y) != 1 or x is None:
            raise UnknownError
        writer.lines += [
            "fig, ax = plt.subplots()",
            f"for name, some in {rows}.sort_values({quoted(x)}).groupby({quoted(picture.colour)}):",
            f"    ax.plot(some[{quoted(x)}], some[{quoted(picture.y[0])}], label=name)",
            f"ax.legend(title={quoted(picture.colour)})",
            f"ax.set_xlabel({quoted(x)})",
            f"ax.set_ylabel({quoted(picture.y[0])})",
        ]
        return
    if x is not None:
        flat = "barh" if kind == "bar" and picture.options.get("horizontal") else kind
        listed = quoted(picture.y[0]) if len(picture.y) == 1 else f"[{', '.join(map(quoted, picture.y))}]"
        ordered = f"{rows}.sort_values({quoted(x)})" if kind == "line" else rows
        writer.lines.append(f"ax = {ordered}.plot.{flat}(x={quoted(x)}, y={listed}{more})")
    else:
        writer.lines.append(f"ax = {chosen}.plot({more.removeprefix(', ')})")
    if len(picture.y) == 1 and not picture.options.get("subplots"):
        writer.lines.append(f"ax.set_ylabel({quoted(picture.y[0])})")
