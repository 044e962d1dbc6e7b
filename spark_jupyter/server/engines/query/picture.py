"""The code of a picture of what a query gives. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.model import Plot
    from spark_jupyter.server.engines.query.rows import Rows


def draw(writer: Rows, plot: Plot, rows: str) -> str:
    """Add the lines that draw; the last one is the result."""
    writer.imports.add("plt")
    kinds = {"scatter": _scatter, "heatmap": _heatmap, "box": _box, "hist": _hist}
    if writer.query.measures and plot.kind not in ("heatmap",):
        _summary(writer, plot, rows)
    else:
        kinds.get(plot.kind, _lines)(writer, plot, rows)
    if plot.title:
        writer.lines.append(f"plt.title({quoted(plot.title)})")
    if writer.query.save:
        writer.lines.append(f'plt.savefig({quoted(writer.query.save)}, bbox_inches="tight")')
    return "plt.show()"


def _summary(writer: Rows, plot: Plot, rows: str) -> None:
    measure = writer.query.measures[0]
    name = writer.free(measure.column.lower() if measure.column and measure.column.isidentifier() else "amounts")
    writer.lines.append(f"{name} = {writer.summary(rows)}")
    label = f"{measure.how} of {measure.column}" if measure.column else "number"
    kind = {"hist": "bar", "": "bar"}.get(plot.kind, plot.kind)
    wide = len(writer.query.keys) == 2 and kind in ("bar", "line", "area")
    if wide:
        writer.lines[-1] = f"{name} = ({writer.lines[-1].partition(' = ')[2]}).unstack()"
    if kind == "pie":
        writer.lines += [f'{name}.plot.pie(autopct="%.1f%%")', 'plt.ylabel("")']
        return
    if plot.errors:
        writer.lines.append(f'ax = {name}[{quoted(measure.how)}].plot.bar(yerr={name}["std"], capsize=4)')
    elif kind == "bar" and plot.horizontal:
        writer.lines += [f"ax = {name}.plot.barh()", f"ax.set_xlabel({quoted(label)})"]
        if any(one.descending for one in writer.query.order):
            writer.lines.append("ax.invert_yaxis()")
        return
    else:
        writer.lines.append(f"ax = {name}.plot.{kind}({'stacked=True' if plot.stacked and kind == 'bar' else ''})")
    writer.lines.append(f"ax.set_ylabel({quoted(label)})")


def _lines(writer: Rows, plot: Plot, rows: str) -> None:
    columns = list(plot.y)
    keys = writer.query.keys
    more = ", subplots=True" if plot.subplots else ""
    if keys and plot.x and columns:
        wide = (
            f"{rows}.pivot_table(index={quoted(plot.x)}, columns={quoted(keys[0].column)}, values={quoted(columns[0])})"
        )
        writer.lines.append(f"ax = {wide}.plot()")
        return
    y = (
        f", y={quoted(columns[0]) if len(columns) == 1 else '[' + ', '.join(map(quoted, columns)) + ']'}"
        if columns
        else ""
    )
    if plot.x:
        writer.lines.append(f"ax = {rows}.sort_values({quoted(plot.x)}).plot(x={quoted(plot.x)}{y}{more})")
        if len(columns) == 1 and not more:
            writer.lines.append(f"ax.set_ylabel({quoted(columns[0])})")
    else:
        chosen = f"{rows}[[{', '.join(map(quoted, columns))}]]" if columns else rows
        writer.lines.append(f"ax = {chosen}.plot({more.removeprefix(', ')})")


def _scatter(writer: Rows, plot: Plot, rows: str) -> None:
    x, y = plot.x or "", next(iter(plot.y), "")
    colour = plot.colour or next((key.column for key in writer.query.keys), None)
    if colour and writer.kinds.get(colour) != "number":
        writer.lines += [
            "fig, ax = plt.subplots()",
            f"for name, some in {rows}.groupby({quoted(colour)}):",
            f"    ax.scatter(some[{quoted(x)}], some[{quoted(y)}], label=name)",
            f"ax.legend(title={quoted(colour)})",
            f"ax.set_xlabel({quoted(x)})",
            f"ax.set_ylabel({quoted(y)})",
        ]
    else:
        more = f', c={quoted(colour)}, colormap="viridis"' if colour else ""
        writer.lines.append(f"ax = {rows}.plot.scatter(x={quoted(x)}, y={quoted(y)}{more})")
    if plot.fitted:
        writer.imports.add("np")
        writer.lines += [
            f"known = {rows}[[{quoted(x)}, {quoted(y)}]].dropna().sort_values({quoted(x)})",
            f"slope, intercept = np.polyfit(known[{quoted(x)}], known[{quoted(y)}], 1)",
            f'ax.plot(known[{quoted(x)}], slope * known[{quoted(x)}] + intercept, color="tab:red", label=f"slope {{slope:.3g}}")',
            "ax.legend()",
        ]


def _heatmap(writer: Rows, plot: Plot, rows: str) -> None:
    table = writer.free("table")
    correlated = writer.query.across is None
    writer.lines.append(
        f"{table} = {rows}.corr(numeric_only=True)" if correlated else f"{table} = {writer.pivoted(rows)}"
    )
    writer.lines += [
        "fig, ax = plt.subplots()",
        f'image = ax.imshow({table}, cmap="viridis", aspect="auto")',
        f"ax.set_xticks(range({table}.shape[1]), [str(name) for name in {table}.columns], rotation=45)",
        f"ax.set_yticks(range({table}.shape[0]), [str(name) for name in {table}.index])",
        "fig.colorbar(image)",
    ]


def _box(writer: Rows, plot: Plot, rows: str) -> None:
    columns = f"[{', '.join(map(quoted, plot.y))}]" if len(plot.y) != 1 else quoted(plot.y[0])
    by = f", by={quoted(plot.x)}" if plot.x else ""
    writer.lines.append(f"ax = {rows}.boxplot(column={columns}{by})")


def _hist(writer: Rows, plot: Plot, rows: str) -> None:
    columns = f"[[{', '.join(map(quoted, plot.y))}]]" if len(plot.y) != 1 else f"[{quoted(plot.y[0])}]"
    bins = f"bins={plot.bins}" if plot.bins else ""
    writer.lines.append(f"ax = {rows}{columns}.plot.hist({bins})")
    if len(plot.y) == 1:
        writer.lines.append(f"ax.set_xlabel({quoted(plot.y[0])})")
