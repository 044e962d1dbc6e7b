"""Summaries of a :class:`Plan` as code: of all rows, of those of each group, in order, named and ranked. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.model import Expr, Measure, Plan, col, names
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.phrases.emit import Emitter


def called(how: str) -> str:
    """The summary as a call."""
    return how if how.endswith(")") else f"{how}()"


_IN_TIME = re.compile(r"months?|weekdays?|days?|day_name|month_name", re.IGNORECASE)
"""Columns whose texts ("Jan", "Feb") come in an order that is not the alphabet's: that of the rows is kept."""


class Summing:
    """Writes what rows are summed up to. Raises :class:`UnknownError` where it has no words."""

    plan: Plan
    columns: Mapping[str, Column]
    emit: Emitter
    lines: list[str]
    table: str

    def free(self, name: str) -> str:
        """A name that is nobody's."""
        raise NotImplementedError

    def of(self, one: Expr, rows: str) -> str:
        """An expression over these rows."""
        raise NotImplementedError

    def keys(self, rows: str, *, frame: bool) -> str:
        """What ``groupby`` is told."""
        parts = []
        for one in map(self.emit.told_apart, self.plan.keys):
            plain = (
                one.op == "col"
                and frame
                and self.columns.get(str(one.args[0]), None) is not None
                and self.columns[str(one.args[0])].holds != "index"
            )
            plain = plain or (one.op == "col" and frame and str(one.args[0]) not in self.columns)
            parts.append(quoted(str(one.args[0])) if plain else self.of(one, rows))
        if len(parts) > 1:
            return f"[{', '.join(parts)}]"
        named = self.columns.get(str(self.plan.keys[0].args[0])) if self.plan.keys[0].op == "col" else None
        if named is None or named.kind != "text" or named.holds or not (named.dtype and _IN_TIME.fullmatch(named.name)):
            return parts[0]
        return f"{parts[0]}, sort=False"

    def _part(self) -> str:
        mask = " & ".join(f"({self.of(one, self.table)})" for one in self.plan.where)
        if self.plan.keys:
            return f"100 * ({mask}).groupby({self.keys(self.table, frame=False)}).mean()"
        return f"100 * ({mask}).mean()"

    def plain(self, one: Measure) -> str | None:
        """The name of the column that is summed up, if it is just one."""
        return str(one.what.args[0]) if one.what is not None and one.what.op == "col" else None

    def summary(self, rows: str) -> str:
        """What the rows, or those of each group, are summed up to."""
        plan = self.plan
        if not plan.keys:
            return self._whole(rows)
        result = self._grouped(rows)
        if plan.having:
            name = self.free("counts")
            self.lines.append(f"{name} = {result}")
            result = f"{name}[{name} {plan.having[0]} {plan.having[1]}]"
        if plan.share:
            name = self.free("amounts")
            self.lines.append(f"{name} = {result}")
            result = f"100 * {name} / {name}.sum()"
        if plan.scale:
            result = f"{plan.scale}{result}"
        if plan.then == "pct_change" and len(plan.keys) > 1:
            raise UnknownError  # from month to month within each region, not from region to region
        if plan.then:
            return f"{result}.{plan.then}()"
        if plan.ranked:
            return self._ranked(self._ordered_summary(result))
        return self._ordered_summary(result)

    def _ranked(self, result: str) -> str:
        """The groups in order, each with its rank."""
        if len(self.plan.measures) != 1 or self.plan.share or self.plan.scale:
            raise UnknownError
        one = self.plan.measures[0]
        label = one.name or self._label(one) or "number"
        name = self.free("ranking")
        framed = "" if one.name else f".to_frame({quoted(label)})"
        self.lines.append(f"{name} = {result}{framed}")
        way = "" if not self.plan.order[0].descending else "ascending=False, "
        self.lines.append(f'{name}["rank"] = {name}[{quoted(label)}].rank({way}method="min").astype(int)')
        return name

    def _grouped(self, rows: str) -> str:
        measures = self.plan.measures
        named = any(one.name for one in measures)
        if all(one.what is None for one in measures) and not named:
            return f"{rows}.groupby({self.keys(rows, frame=True)}).size()"
        if len(measures) == 1 and measures[0].how == "ratio":
            above, below = map(quoted, names(measures[0].what or col("")))
            sums = f"{rows}.groupby({self.keys(rows, frame=True)})[[{above}, {below}]].sum()"
            return f"{sums}.pipe(lambda sums: sums[{above}] / sums[{below}])"
        if any(one.how == "ratio" for one in measures):
            raise UnknownError
        if len(measures) == 1 and measures[0].what is not None and self.plain(measures[0]) is None and not named:
            return (
                f"({self.of(measures[0].what, rows)}).groupby({self.keys(rows, frame=False)}).{called(measures[0].how)}"
            )
        rows = self._assigned(rows)
        grouped = f"{rows}.groupby({self.keys(rows, frame=True)})"
        hows, columns = (
            list(dict.fromkeys(one.how for one in measures)),
            list(dict.fromkeys(self._label(one) for one in measures)),
        )
        plain = not any("(" in how for how in hows) or len(measures) == 1
        if len(hows) * len(columns) == len(measures) and "size" not in hows and not named and plain:
            picked = quoted(columns[0]) if len(columns) == 1 else f"[{', '.join(map(quoted, columns))}]"
            return (
                f"{grouped}[{picked}].{called(hows[0])}"
                if len(hows) == 1
                else f"{grouped}[{picked}].agg([{', '.join(map(quoted, hows))}])"
            )
        first = next(iter(self.columns))
        parts = []
        for one in measures:
            label = self._titled(one)
            how = quoted(one.how) if "(" not in one.how else f"lambda group: group.{one.how}"
            parts.append(f"{label}=({quoted(self._label(one) if one.what else first)}, {how})")
        return f"{grouped}.agg({', '.join(parts)})"

    def _label(self, one: Measure) -> str:
        if one.what is None:
            return ""
        return self.plain(one) or "_".join([one.what.op, *names(one.what)])

    def _titled(self, one: Measure) -> str:
        """What the column of a summary is called beside others."""
        label = f"{one.how}_{self._label(one)}" if one.what else "number"
        return one.name or re.sub(r"\W+", "_", label).lower().strip("_")

    def _assigned(self, rows: str) -> str:
        made = {
            self._label(one): one.what for one in self.plan.measures if one.what is not None and self.plain(one) is None
        }
        if not made:
            return rows
        name = self.free("rows")
        self.lines.append(
            f"{name} = {rows}.assign(**{{{', '.join(f'{quoted(key)}: {self.of(what, rows)}' for key, what in made.items())}}})"
        )
        return name

    def _whole(self, rows: str) -> str:
        if all(one.what is None for one in self.plan.measures):
            return f"len({rows})"
        parts = []
        hows = list(dict.fromkeys(one.how for one in self.plan.measures))
        columns = list(dict.fromkeys(filter(None, (self.plain(one) for one in self.plan.measures))))
        plain = "size" not in hows and not any("(" in how for how in hows)
        if len(self.plan.measures) > 1 and len(hows) * len(columns) == len(self.plan.measures) and plain:
            picked = quoted(columns[0]) if len(columns) == 1 else f"[{', '.join(map(quoted, columns))}]"
            return (
                f"{rows}[{picked}].{called(hows[0])}"
                if len(hows) == 1
                else f"{rows}[{picked}].agg([{', '.join(map(quoted, hows))}])"
            )
        for one in self.plan.measures:
            if one.what is None:
                parts.append(f"len({rows})")
                continue
            if one.how == "ratio":
                above, below = map(quoted, names(one.what))
                parts.append(f"{rows}[{above}].sum() / {rows}[{below}].sum()")
                continue
            what = self.of(one.what, rows)
            parts.append(f"{what if self.plain(one) else f'({what})'}.{called(one.how)}")
        result = ", ".join(parts)
        if self.plan.scale and len(parts) == 1:
            result = f"{self.plan.scale}{result}"
        return self._rounded(result)

    def _rounded(self, result: str) -> str:
        if self.plan.round is None:
            return result
        return f"{f'({result})' if re.search(r'^100 |, ', result) else result}.round({self.plan.round or ''})"

    def _ordered_summary(self, result: str) -> str:
        plan = self.plan
        if plan.scale or plan.share or plan.part:
            result = f"({result})" if plan.order or plan.limit or plan.round is not None else result
        result = self._rounded(result)
        by_weekday = [one.args[1:] for one in plan.keys] == [("weekday",)] and not (plan.order or plan.limit)
        if plan.calendar and not by_weekday:
            raise UnknownError
        if by_weekday and not plan.having:
            return f"{result}.sort_index(key=lambda days: days.map(list(calendar.day_name).index))"
        several = len(plan.measures) > 1 or any(one.name for one in plan.measures)
        for one in plan.order:
            if one.what is not None and one.what in plan.keys:
                result += f".sort_index(ascending={not one.descending})"
                continue
            by = ""
            if several:
                chosen = next(
                    (each for each in plan.measures if one.what is not None and each.what == one.what), plan.measures[0]
                )
                if ".agg([" in result:
                    if len({each.what for each in plan.measures}) > 1:
                        raise UnknownError
                    by = f"{quoted(chosen.how)}, "
                elif ".agg(" in result:
                    by = f"{quoted(self._titled(chosen))}, "
                else:
                    by = f"{quoted(self._label(chosen))}, "
            result += f".sort_values({by}ascending={not one.descending})"
        if plan.within:
            first = len(plan.keys) - plan.within
            levels = ", ".join(map(str, range(first, len(plan.keys))))
            result += f".groupby(level={levels if plan.within == 1 else f'[{levels}]'})"
        return f"{result}.head({plan.limit})" if plan.limit else result
