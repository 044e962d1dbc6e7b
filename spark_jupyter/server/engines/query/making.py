"""What each change of a table is in code. Pure. Which words ask for it is told in ``changes.py``."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import lexicon, ranges
from spark_jupyter.server.engines.query.marked import C, D, N
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.query.sources import date_format, listed, number_of
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.query.marked import Marked

_SIGNS = {"times": "*", "multiplied by": "*", "divided by": "/", "per": "/", "minus": "-", "plus": "+", "^": "**"}


class Makers:
    """Makes a :class:`Change` of the place where a pattern was found in a marked prompt."""

    def __init__(self, marked: Marked, columns: tuple[Column, ...]) -> None:
        self.marked, self.columns = marked, {one.name: one for one in columns}
        self.again = ""
        """A column that was made, of which the rest of the prompt speaks."""

    def told(self, name: str) -> bool:
        """Whether a column of texts is named as one of amounts: "Rate (£)"."""
        return self.columns[name].kind == "text" and re.search(r"[$€£%]", name) is not None

    def _c(self, found: re.Match[str]) -> str:
        return self.marked.value(found["c"])

    def _new(self, found: re.Match[str], otherwise: str) -> str:
        return (found["new"] if "new" in found.re.groupindex else None) or otherwise

    def _formula(self, found: re.Match[str]) -> Change | None:
        groups = found.re.groupindex
        said = found["name"] if "name" in groups else None
        expression = re.sub(C, lambda one: f"{{t}}[{quoted(self.marked.value(one[0]))}]", found["formula"])
        expression = re.sub(N, lambda one: self.marked.value(one[0]), expression)
        for word, sign in _SIGNS.items():
            expression = re.sub(rf"\b{word}\b" if word.isalpha() or " " in word else re.escape(word), sign, expression)
        expression = re.sub(r"\s*(\*\*|[-+*/])\s*", r" \1 ", expression).strip()
        if expression.count("(") != expression.count(")"):
            return None
        name = self.marked.value(said) if said else found["new"] if "new" in groups else None
        if name is None:
            used = self.marked.names(found["formula"])
            name = (
                f"{used[0]}_{'per' if '/' in expression else 'times' if '*' in expression else 'and'}_{used[-1]}".lower()
                if len(set(used)) > 1
                else f"{used[0]}_new"
            )
        return self.column(name.replace(" ", "_"), expression)

    def _ratio(self, found: re.Match[str]) -> Change | None:
        """ "income per visitor" as a column: of two columns of numbers."""
        both = self.marked.names(found["formula"])
        if any(self.columns[name].kind != "number" for name in both) or len(set(both)) < 2:
            return None
        return self._formula(found)

    def column(self, name: str, expression: str, *, says: str = "", imports: tuple[str, ...] = ()) -> Change:
        """The column made by an expression."""
        return Change(lines=(f"{{t}}[{quoted(name)}] = {expression}",), columns=(name,), says=says, imports=imports)

    def _rename(self, found: re.Match[str]) -> Change:
        new = self.marked.said.get(found["name"], self.marked.value(found["name"]))
        return Change(
            lines=(f"{{t}} = {{t}}.rename(columns={{{{{quoted(self._c(found))}: {quoted(new)}}}}})",), columns=(new,)
        )

    def _drop(self, found: re.Match[str]) -> Change:
        return Change(lines=(f"{{t}} = {{t}}.drop(columns={listed(self.marked.names(found['c']))})",))

    def _interpolate(self, found: re.Match[str]) -> Change:
        return self.column(self._c(found), f"{{t}}[{quoted(self._c(found))}].interpolate()")

    def _fill(self, found: re.Match[str]) -> Change:
        name, how = self._c(found), found["how"].lower()
        column = f"{{t}}[{quoted(name)}]"
        by = self.marked.value(found["by"]) if found["by"] else None
        summary = {"mean": "mean", "average": "mean", "median": "median"}.get(how)
        if summary and by:
            value = f'{{t}}.groupby({quoted(by)})[{quoted(name)}].transform("{summary}")'
        elif summary:
            value = f"{column}.{summary}()"
        elif "most" in how or how == "mode":
            value = f"{column}.mode()[0]"
        elif how in ("previous value", "last value"):
            return self.column(name, f"{column}.ffill()")
        elif how == "next value":
            return self.column(name, f"{column}.bfill()")
        else:
            said = "0" if how == "zero" else self.marked.value(found["how"])
            value = (
                said if re.fullmatch(r"-?\d+(?:\.\d+)?", said) and self.columns[name].kind == "number" else quoted(said)
            )
        return self.column(name, f"{column}.fillna({value})")

    def _carry(self, found: re.Match[str]) -> Change:
        way = "ffill" if found["way"].lower().startswith("f") else "bfill"
        return self.column(self._c(found), f"{{t}}[{quoted(self._c(found))}].{way}()")

    def _dropna(self, found: re.Match[str]) -> Change:
        chosen = self.marked.names(found["c"])
        return Change(lines=(f"{{t}} = {{t}}.dropna({f'subset={listed(chosen)}' if chosen else ''})",))

    def _unique(self, found: re.Match[str]) -> Change:
        chosen = self.marked.names(found["c"])
        return Change(lines=(f"{{t}} = {{t}}.drop_duplicates({f'subset={listed(chosen)}' if chosen else ''})",))

    def _convert(self, found: re.Match[str]) -> Change:
        name, to = self._c(found), found["to"].lower()
        column = f"{{t}}[{quoted(name)}]"
        if to.startswith("date"):
            example = re.search(D, found["like"]) if "like" in found.re.groupindex and found["like"] else None
            return self.column(
                name,
                f"pd.to_datetime({column}{date_format(self.marked.value(example[0])) if example else self.day_first(name)})",
                imports=("pd",),
            )
        if to in ("text", "string", "strings"):
            return self.column(name, f"{column}.astype(str)")
        if to.startswith("categ"):
            return self.column(name, f'{column}.astype("category")')
        if self.columns[name].kind == "text" or self.columns[name].holds:
            comma = self.columns[name].holds == "numbers, decimal comma"
            return self.column(name, number_of(column, comma=comma), imports=("pd",))
        return self.column(name, f"{column}.astype({'int' if to.startswith('int') else 'float'})")

    def day_first(self, name: str) -> str:
        """The argument of ``to_datetime`` for how a column's dates are written."""
        return ", dayfirst=True" if self.columns[name].holds == "dates, day first" else ""

    def _dummies(self, found: re.Match[str]) -> Change:
        return Change(
            lines=(f"encoded = pd.get_dummies({{t}}, columns={listed(self.marked.names(found['c']))})",),
            shows="encoded",
            imports=("pd",),
        )

    def _text(self, found: re.Match[str]) -> Change:
        said = f"{found['how']} {found['more']}".lower()
        steps = [
            call
            for word, call in (
                ("strip|trim|space", "strip"),
                ("upper", "upper"),
                ("lower", "lower"),
                ("title", "title"),
                ("capital", "capitalize"),
            )
            if re.search(word, said)
        ]
        return self.column(
            self._c(found), f"{{t}}[{quoted(self._c(found))}]" + "".join(f".str.{one}()" for one in steps)
        )

    def _replace(self, found: re.Match[str]) -> Change:
        name = self._c(found)
        numeric = self.columns[name].kind == "number"
        a, b = (self.marked.value(found[one]) if numeric else quoted(self.marked.value(found[one])) for one in "ab")
        return self.column(name, f"{{t}}[{quoted(name)}].replace({a}, {b})")

    def _split(self, found: re.Match[str]) -> Change | None:
        said = [re.sub(r"^(?:a|the|columns?)\s+", "", one.strip()) for one in re.split(r",|\band\b", found["names"])]
        new = [re.sub(r"\W+", "_", one) for one in said if one]
        if len(new) < 2:
            return None
        source = f"{{t}}[{quoted(self._c(found))}].str.split(n={len(new) - 1}, expand=True)"
        return Change(lines=(f"{{t}}[{listed(new)}] = {source}",), columns=tuple(new))

    def _names(self, found: re.Match[str]) -> Change:
        return Change(
            lines=(
                r'{t}.columns = {t}.columns.str.strip().str.lower().str.replace(r"\W+", "_", regex=True).str.strip("_")',
            )
        )

    def _grouped(self, found: re.Match[str], name: str) -> str:
        by = self.marked.value(found["by"]) if found["by"] else None
        return f"{{t}}.groupby({quoted(by)})[{quoted(name)}]" if by else f"{{t}}[{quoted(name)}]"

    def _cumulative(self, found: re.Match[str]) -> Change:
        name = self._c(found)
        new = self._new(found, f"{name}_cumulative")
        dates = [one for one in self.columns.values() if one.kind == "date" or one.holds.startswith("dates")]
        lines: list[str] = []
        if len(dates) == 1:
            day = quoted(dates[0].name)
            if dates[0].kind == "text":
                lines.append(f"{{t}}[{day}] = pd.to_datetime({{t}}[{day}]{self.day_first(dates[0].name)})")
            lines.append(f"{{t}} = {{t}}.sort_values({day})")
        if re.search(r"\b(?:plot|draw|line|chart|graph|curve)\b", found.string, re.IGNORECASE):
            self.again = new
        by_day = found["by"] and self.marked.value(found["by"]) in [one.name for one in dates]
        grouped = f"{{t}}[{quoted(name)}]" if by_day else self._grouped(found, name)
        lines.append(f"{{t}}[{quoted(new)}] = {grouped}.cumsum()")
        imports = ("pd",) if len(lines) > 2 else ()
        return Change(lines=tuple(lines), columns=(new,), imports=imports)

    def _rolling(self, found: re.Match[str]) -> Change:
        name, how = self._c(found), lexicon.summary(found["how"])
        window = self.marked.value(found["n"]) if found["n"] else "7"
        unit = re.search(r"\b(hour|day|week)s?\b", found[0], re.IGNORECASE)
        if unit and found["n"] and any(one.holds == "index" for one in self.columns.values()):
            span = (
                f'"{int(window) * 7}D"'
                if unit[1].lower() == "week"
                else f'"{window}{unit[1][0].upper().replace("H", "h")}"'
            )
            return self.column(
                self._new(found, f"{name}_{how}_{window}"), f"{{t}}[{quoted(name)}].rolling({span}).{how}()"
            )
        if found["by"]:
            expression = f"{self._grouped(found, name)}.transform(lambda values: values.rolling({window}).{how}())"
        else:
            expression = f"{{t}}[{quoted(name)}].rolling({window}).{how}()"
        return self.column(self._new(found, f"{name}_{how}_{window}"), expression)

    def _rank(self, found: re.Match[str]) -> Change:
        name, rising = self._c(found), bool(found["least"])
        return self.column(
            self._new(found, "rank"),
            f'{self._grouped(found, name)}.rank(ascending={rising}, method="min")',
            says=f"Rank 1 is the {'smallest' if rising else 'largest'} value.",
        )

    def _each(self, found: re.Match[str], suffix: str, expression: Callable[[str], str]) -> Change:
        names = self.marked.names(found["c"])
        new = tuple(f"{name}_{suffix}" for name in names)
        return Change(
            lines=tuple(f"{{t}}[{quoted(made)}] = {expression(name)}" for made, name in zip(new, names, strict=True)),
            columns=new,
        )

    def _standardise(self, found: re.Match[str]) -> Change:
        if found["by"]:
            return self._each(
                found,
                "z",
                lambda name: (
                    f"{self._grouped(found, name)}.transform(lambda values: (values - values.mean()) / values.std())"
                ),
            )
        return self._each(found, "z", lambda name: "(C - C.mean()) / C.std()".replace("C", f"{{t}}[{quoted(name)}]"))

    def _scale(self, found: re.Match[str]) -> Change:
        return self._each(
            found,
            "scaled",
            lambda name: "(C - C.min()) / (C.max() - C.min())".replace("C", f"{{t}}[{quoted(name)}]"),
        )

    def _deviation(self, found: re.Match[str]) -> Change | None:
        how = lexicon.summary(found["how"])
        if not found["c"]:
            return None
        name = self._c(found)
        by = self.marked.value(found["by"]) if found["by"] else None
        center = (
            f'{{t}}.groupby({quoted(by)})[{quoted(name)}].transform("{how}")'
            if by
            else f"{{t}}[{quoted(name)}].{how}()"
        )
        return self.column(self._new(found, f"{name}_difference"), f"{{t}}[{quoted(name)}] - {center}")

    def _growth(self, found: re.Match[str]) -> Change:
        name = self._c(found)
        return self.column(self._new(found, f"{name}_change"), f"100 * {self._grouped(found, name)}.pct_change()")

    def _bins(self, found: re.Match[str]) -> Change | None:
        name, said = self._c(found), found["cuts"].lower()
        ranged = ranges.ranged(found["cuts"], name, self.marked)
        if ranged is not None:
            return ranged
        cuts = sorted({float(self.marked.value(one)) for one in re.findall(N, said)})
        if not cuts or not re.search(r"under|below|over|above|less|more|\bto\b|-|up", said):
            return None
        edges = [f"{cut:g}" for cut in cuts]
        named = self._named_bins(said)
        under = re.search(rf"(?:under|below|less than|<)\s*{N}", said) is not None
        labels = [f"{'under' if under else 'up to'} {edges[0]}"]
        labels += [*(f"{low} to {high}" for low, high in pairwise(edges)), f"over {edges[-1]}"]
        labels = named if len(named) == len(labels) else labels
        column, new = f"{{t}}[{quoted(name)}]", f"{name}_group"
        lines = [f"{{t}}[{quoted(new)}] = {quoted(labels[0])}"]
        for number, (edge, label) in enumerate(zip(edges, labels[1:], strict=True)):
            sign = ">=" if under and (number == 0 or number < len(edges) - 1) else ">"
            lines.append(f"{{t}}.loc[{column} {sign} {edge}, {quoted(new)}] = {quoted(label)}")
        lines.append(f"{{t}}.loc[{column}.isna(), {quoted(new)}] = None")
        return Change(lines=tuple(lines), shows=f"{{t}}[{quoted(new)}].value_counts()", columns=(new,))

    def _named_bins(self, said: str) -> list[str]:
        """The names of the groups from the lowest on: "short under 100, medium up to 130, long above"."""
        way = r"(?:under|below|up to|until|less than|<=?|to|from|above|over|more than|>=?|between)"
        return [
            one[1]
            for one in re.finditer(rf"(?<![\w⟨])([a-z][\w-]*)\s*(?:is|are|=|:)?\s*{way}(?=\s|$)", said)
            if one[1] not in ("and", "or")
        ]

    def _unit(self, found: re.Match[str]) -> Change | None:
        name, unit = self._c(found), found["unit"].lower().rstrip("s")
        if self.columns[name].kind != "number":
            return None
        column = f"{{t}}[{quoted(name)}]"
        formulas = {
            "fahrenheit": "%s * 9 / 5 + 32",
            "celsiu": "(%s - 32) * 5 / 9",
            "thousand": "%s / 1000",
            "million": "%s / 1_000_000",
            "hour": "%s / 60",
            "minute": "%s / 60",
            "km": "%s / 1000",
            "mile": "%s / 1.609344",
        }
        assumed = {"hour": "minutes", "minute": "seconds", "km": "metres", "mile": "kilometres"}.get(unit)
        says = f"I took `{name}` to be in {assumed}." if assumed else ""
        return self.column(
            self._new(found, f"{name}_{unit.replace('celsiu', 'celsius')}"), formulas[unit] % column, says=says
        )

    def _period(self, found: re.Match[str]) -> Change:
        part = {"weekday": "day_name()"}.get(found["period"].lower(), found["period"].lower())
        return self.column(
            self._new(found, found["period"].lower()),
            f"pd.to_datetime({{t}}[{quoted(self._c(found))}]).dt.{part}",
            imports=("pd",),
        )

    def _flag(self, found: re.Match[str]) -> Change | None:
        name = self._c(found)
        if self.columns[name].kind != "number":
            return None
        said = found["op"].lower()
        signs = {"at least": ">=", "at most": "<=", "above": ">", "over": ">", "below": "<", "under": "<"}
        sign = signs.get(said) or (said if said[0] in "<>" else ">" if re.match("great|larg|high|more", said) else "<")
        new = self.marked.value(found["name"])
        return self.column(new, f"{{t}}[{quoted(name)}] {sign} {self.marked.value(found['n'])}")

    def _explode(self, found: re.Match[str]) -> Change:
        column = quoted(self._c(found))
        parts = f'{{t}}[{column}].str.split(r"\\s*[;,|]\\s*", regex=True)'
        lines = (
            f"parts = {{t}}.assign(**{{{{{column}: {parts}}}}}).explode({column})",
            f'parts = parts[parts[{column}].fillna("") != ""]',
        )
        says = "I took the parts to be apart by ; , or |."
        return Change(lines=lines, shows=f"parts[{column}].value_counts()" if found["count"] else "parts", says=says)

    def _domain(self, found: re.Match[str]) -> Change | None:
        name = self._c(found)
        column = f"{{t}}[{quoted(name)}]"
        if "counts" in found.re.groupindex:
            pattern = r"@([\w.-]+)" if "mail" in name.lower() else r"//(?:www\.)?([^/]+)"
            counted = found["counts"] or re.search(r"\b(?:number\s+of|count)\b", found[0])
            source = f'{column}.str.extract(r"{pattern}", expand=False)'
            return (
                Change(lines=(), shows=f"{source}.value_counts()", asks=True)
                if counted
                else self.column("domain", source)
            )
        if "mail" in name.lower():
            return self.column(self._new(found, "domain"), f'{column}.str.extract(r"@([\\w.-]+)", expand=False)')
        return self.column(self._new(found, "domain"), f'{column}.str.extract(r"//(?:www\\.)?([^/]+)", expand=False)')

    def _stack(self, found: re.Match[str]) -> Change:
        parts = ", ".join(
            f"{name}.assign(table={quoted(name)})"
            for name in (self.marked.value(found["a"]), self.marked.value(found["b"]))
        )
        lines = (f"stacked = pd.concat([{parts}], ignore_index=True)",)
        return Change(
            lines=lines, shows="stacked", imports=("pd",), says="The column `table` says where a row is from."
        )

    def _raise(self, found: re.Match[str]) -> Change | None:
        name, number = self._c(found), self.marked.value(found["n"])
        if self.columns[name].kind != "number":
            return None
        sign = "+" if found["way"].lower() in ("raise", "increase") else "-"
        by = f"* (1 {sign} {number} / 100)" if found["percent"] else f"{sign} {number}"
        column = f"{{t}}[{quoted(name)}]"
        if not found["v"]:
            return self.column(name, f"{column} {by}")
        holder = self.marked.holders[found["v"]][0]
        chosen = f"{{t}}[{quoted(holder)}] == {quoted(self.marked.value(found['v']))}"
        return self.column(name, f"{column}.where(~({chosen}), {column} {by})")

    def _part_of_group(self, found: re.Match[str]) -> Change | None:
        name, by = self._c(found), self.marked.value(found["by"])
        if self.columns[name].kind != "number" or self.columns[by].kind == "number":
            return None
        total = f'{{t}}.groupby({quoted(by)})[{quoted(name)}].transform("sum")'
        return self.column(self._new(found, f"{name}_percent_of_{by}"), f"100 * {{t}}[{quoted(name)}] / {total}")

    def _reset(self, found: re.Match[str]) -> Change:
        return Change(lines=("{t} = {t}.reset_index(drop=True)",))
