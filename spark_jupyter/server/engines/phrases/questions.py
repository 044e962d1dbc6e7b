"""What a sentence asks of the rows that is no summary of one column: how columns go together, what is missing, pivots. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.joins import Joins
from spark_jupyter.server.engines.phrases.vocabulary import HOWS
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

PIVOT_WORDS = vocabulary.some("pivot_words")


class Pivot(Struct, kw_only=True):
    """A table of two columns, one along each side."""

    sides: list[str] = []
    how: str = ""
    value: str = ""
    normalise: str = ""
    more: str = ""


class Questions(Joins):
    """Reads questions."""

    def _asked(self) -> bool:
        """What is asked of the rows, and is no summary of one column: how columns go together, what is missing, which values there are."""
        if self.plan.ask:
            return bool(self.tried(self._totals))
        reads: tuple[Callable[[], bool], ...] = (
            self._correlated, self._gaps, self._most_gaps, self._gaps_of, self._overview, self._ranked,
            self._part_of, self._distinct, self._pivoted, self._widened, self._long, self._melted,
        )  # fmt: skip
        return any(self.tried(read) for read in reads)

    def _correlated(self) -> bool:
        method = self.word("spearman", "pearson", "kendall")
        self.skip(("what", "is", "the", "are", "how", "strong", "a", "rank"))
        first = []
        if self.word(
            "correlation between",
            "correlation of",
            "correlation",
            "correlate",
            "correlations between",
            "correlations of",
        ):
            self.skip(("coefficient", "between", "of", "the", "matrix"))
            first = self.numbers()
            if first and self.word("with", "to", "vs", "against"):
                self.skip(("the", *ARTICLES))
                other = self.numbers()
                if not other:
                    return False
                first += other
        elif self.peek().kind == "c":
            first = self.numbers()
            self.skip(("are", "is", "strongly"))
            if self.word("correlate", "correlates", "correlated", "related"):
                if self.word("with", "to"):
                    first += self.numbers()
                elif len(first) < 2:
                    return False
            else:
                return False
        else:
            return False
        self.skip(("?", ",", "with", "using", "-", "the", "(", "please"))
        method = method or self.word("spearman", "pearson", "kendall")
        self.skip(("rank", "correlation", "method", "please", ")"))
        if len(first) < 2:
            return False
        more = f'method="{method}"' if method and method != "pearson" else ""
        if len(first) == 2:
            self.plan.ask = f"{{r}}[{quoted(first[0])}].corr({{r}}[{quoted(first[1])}]{', ' + more if more else ''})"
        else:
            self.plan.ask = f"{{r}}[[{', '.join(map(quoted, first))}]].corr({more})"
        return True

    def _gaps(self) -> bool:
        if self.word(
            "are there missing values", "are there any missing values", "any missing values", "where are missing values"
        ):
            self.skip(("in", "the", "my", "data", "table"))
            self.kind("t")
            self.plan.ask = "{r}.isna().sum()"
            return self.ends()
        self.skip(("number of", "how", "many", "number", "of", "count", "values", "are", "the", "show", "percentage"))
        if not self.word("missing values", "missing", "nulls", "nans", "nan values", "null values", "empty cells"):
            return False
        self.skip(("values", "are", "there", "in", "of", "for"))
        if not self.word("per column", "by column", "per columns", "all columns", "the columns", "the table"):
            return False
        self.plan.ask = "{r}.isna().sum()"
        return True

    def _most_gaps(self) -> bool:
        """ "which column has the most missing values"."""
        if not self.word(
            "which column has the",
            "which columns have the",
            "column with the",
            "columns with the",
            "what column has the",
        ):
            return False
        if not self.word(
            "most missing values", "most missing", "most gaps", "most nulls", "most nans", "most empty cells"
        ):
            return False
        self.plan.ask = "{r}.isna().sum().sort_values(ascending=False)"
        return True

    def _gaps_of(self) -> bool:
        """ "how many values are missing in x", "what percentage of the x values is missing", "pupils that miss at least one score"."""
        part = self.word("what percentage of", "percentage of", "share of", "what share of", "percent of") is not None
        count = not part and self.word("number of", "how many", "count") is not None
        self.skip((*ARTICLES, "missing", "values", "in", "of", "are"))
        if not (part or count):
            return False
        name = self.tried(self.column)
        if name is None and count:
            if self.is_noun(self.peek()) or self.peek().kind == "t":
                self.at += 1
            if self.peek(-1).text not in ("missing", "values") and not self.word(
                "are missing in", "is missing in", "are missing from", "missing in"
            ):
                return self._rows_with_gaps()
            self.skip(ARTICLES)
            name = self.column()
        elif name is not None:
            self.skip(("values", "column", "entries"))
            if (
                not self.word("is missing", "are missing", "missing", "is empty", "are empty")
                and self.peek(-2).text != "missing"
            ):
                return False
        if name is None:
            return False
        self.skip(("there",))
        self.plan.ask = f"100 * {{r}}[{quoted(name)}].isna().mean()" if part else f"{{r}}[{quoted(name)}].isna().sum()"
        return True

    def _rows_with_gaps(self) -> bool:
        if not self.word("miss at least one", "have at least one missing", "have any missing", "with any missing", "with missing",
                         "have missing",
                         "have a missing", "are missing at least one", "with at least one missing", "have at least one"):  # fmt: skip
            return False
        before = self.peek(-1).text
        if self.peek().kind == "c":
            return False
        self.at += self.peek().kind == "w"
        if before not in ("missing", "one") or (before == "one" and self.peek(-4).text not in ("miss", "missing")):
            return False
        self.plan.ask = "{r}.isna().any(axis=1).sum()"
        return True

    def _overview(self) -> bool:
        """ "overview of t: columns, types, missing values"."""
        self.skip(("give", "me", "show", *ARTICLES, "quick", "short"))
        if not self.word("overview", "summary of the columns", "info about", "info on"):
            return False
        self.skip(("of", "about", "the", "over", "data", "table"))
        self.kind("t")
        while self.peek().text in (
            ":",
            ",",
            "columns",
            "types",
            "missing",
            "values",
            "and",
            "dtypes",
            "column",
            "with",
            "their",
            "rows",
            "shape",
            "names",
        ):
            self.at += 1
        self.plan.ask = "{r}.info()"
        return True

    def _ranked(self) -> bool:
        """ "rank the countries by area, 1 = largest"."""
        self.skip(("add", *ARTICLES))
        if not self.word("rank"):
            return False
        self.skip(("column", "the", "for"))
        if self.is_noun(self.peek()) or self.peek().kind in "tc":
            self.at += self.peek(1).text in ("by", "on")
        if not self.word("by", "of", "on"):
            return False
        name = self.column("number")
        if name is None or self.columns[name].kind != "number":
            return False  # texts are in another order than the numbers that they are
        rising = False
        if self.word(",") or self.word("("):
            if self.kind("n") is None or not self.word("=", "is", "being", "for"):
                return False
            self.skip(("the",))
            rising = self.word("smallest", "lowest", "least", "fastest", "shortest", "cheapest") is not None
            if not rising and not self.word("largest", "highest", "best", "biggest", "most", "top", "greatest"):
                return False
            self.word(")")
        self.plan.steps.append(f'{{t}}["rank"] = {{t}}[{quoted(name)}].rank(ascending={rising}, method="min")')
        return True

    def _part_of(self) -> bool:
        """ "what share of revenue comes from Hanna"."""
        percent = self.peek().text in ("percentage", "percent") or self.peek(1).text in ("percentage", "percent")
        self.skip(("what", *ARTICLES))
        if not self.word("share of", "percentage of", "percent of", "part of", "proportion of", "fraction of"):
            return False
        self.skip((*ARTICLES, "total", "all", "our"))
        name = self.tried(lambda: self.column("number"))
        if name is None and self.word("revenue", "sales", "turnover", "income", "money"):
            name = self.amount()
            self.plan.says.append(f"I took `{name}`.")
        if name is None:
            return False
        if not self.word(
            "comes from",
            "is from",
            "goes to",
            "belongs to",
            "was made by",
            "is made by",
            "come from",
            "from",
            "made by",
            "is by",
            "by",
            "are from",
        ):
            return False
        found = self.tried(self._valued)
        if found is None:
            return False
        known = f"{{r}}[{quoted(name)}]"
        mask = "{r}[" + str(found.args[0].args[0]) + "]"  # type: ignore[union-attr]
        values = [str(one.args[0]) for one in found.args[1:]]  # type: ignore[union-attr]
        column = f"{{r}}[{quoted(str(found.args[0].args[0]))}]"  # type: ignore[union-attr]
        mask = f"{column} == {values[0]}" if len(values) == 1 else f"{column}.isin([{', '.join(values)}])"
        self.plan.ask = f"{'100 * ' if percent else ''}{known}[{mask}].sum() / {known}.sum()"
        return True

    def _pivoted(self) -> bool:
        """ "pivot: a as rows, b as columns, sum of c", "crosstab of a and b in row percent"."""
        said = self.word(
            "pivot table", "pivot", "crosstab", "cross table", "contingency table", "cross tabulation", "table"
        )
        pivot = Pivot()
        while said is not None and self.peek().kind != "e":
            if not (self._inside(pivot) or self._side(pivot)):
                break
        if len(pivot.sides) != 2 or (said == "table" and not (pivot.how or pivot.normalise)):
            return False
        if (
            not pivot.value
            and len(self.plan.measures) == 1
            and {str(one.args[0]) for one in self.plan.keys} == set(pivot.sides)
        ):
            what = self.plan.measures[0].what
            if what is None or what.op != "col" or pivot.how:
                return False
            pivot.how, pivot.value = self.plan.measures[0].how, str(what.args[0])
            self.plan.keys, self.plan.measures = [], []
        if not pivot.value:
            first, second = (f"{{r}}[{quoted(name)}]" for name in pivot.sides)
            times = "100 * " if pivot.normalise else ""
            self.plan.ask = f"{times}pd.crosstab({first}, {second}{pivot.normalise})"
            return True
        index, columns = map(quoted, pivot.sides)
        inside = f"values={quoted(pivot.value)}, aggfunc={quoted(pivot.how)}{pivot.more}"
        self.plan.ask = f"{{r}}.pivot_table(index={index}, columns={columns}, {inside})"
        return not pivot.normalise

    def _totals(self) -> bool:
        """ "add totals to it", of a pivot table."""
        self.skip(("add", "with", "and", ",", "show", "include", *ARTICLES))
        if not self.word(
            "totals", "total row", "row totals", "margins", "row and column totals", "grand total", "grand totals"
        ):
            return False
        if not self.plan.ask.startswith("{r}.pivot_table(") or "margins" in self.plan.ask:
            return False
        self.plan.ask = f"{self.plan.ask[:-1]}, margins=True)"
        return True

    def _side(self, pivot: Pivot) -> bool:
        """A column along one side of the table."""
        before = self.at
        name = self.column() if len(pivot.sides) < 2 else None
        across = self.word("as columns", "across", "in columns", "in the columns", "on top") if name else None
        if name is None or (across and not pivot.sides):
            self.at = before
            return False
        self.word("as rows", "down", "as index", "in rows", "in the rows")
        pivot.sides.append(name)
        return True

    def _inside(self, pivot: Pivot) -> bool:
        """What the cells of the table hold, or a word between."""
        before = self.at
        summed = self.column("number") if not pivot.value else None
        how = self.of({"summed": "sum", "added up": "sum", "averaged": "mean"}) if summed else None
        if summed and how:
            pivot.how, pivot.value = str(how), summed
            return True
        self.at = before
        how = self.of(HOWS) if not pivot.how else None
        if how is not None:
            self.skip(("of", "the"))
            pivot.how, pivot.value = str(how), self.column("number") or ""
            return bool(pivot.value)
        if self.word("totals", "with totals", "margins", "row and column totals", "add totals"):
            pivot.more += ", margins=True"
            return True
        if self.word("zeros", "zeroes", "0s"):
            self.skip(
                ("where", "there", "is", "nothing", "for", "missing", "if", "empty", "none", "are", "no", "values")
            )
            pivot.more += ", fill_value=0"
            return True
        if self.word("number of rows", "number of", "counts", "count", "frequencies"):
            pivot.how = pivot.how or "size"
            self.at += self.is_noun(self.peek())
            return True
        if self.word("row percent", "row percentages", "percent per row", "percentages per row", "row shares"):
            pivot.normalise = ', normalize="index"'
            return True
        zero = self.kind("n")
        if zero is not None:
            self.skip(("where", "nothing", "for", "missing", "if", "is", "empty", "none", "there"))
            pivot.more = ", fill_value=0"
            return zero.value == "0"
        passed = self.peek().kind == "t" or self.peek().text in PIVOT_WORDS
        self.at += passed
        return passed

    def _widened(self) -> bool:
        """ "reshape so every meter is a column"."""
        self.skip(("and", "then", ","))
        if not self.word("reshape", "pivot", "spread", "widen", "bring", "make"):
            return False
        self.skip(("it", "the", "so", "that", "table", "into", "to", "wide", "format", "with", "a"))
        if not self.word("every", "each", "one column per", "a column per", "one column for each", "column per", "per"):
            return False
        name = self.column("text")
        told = self.peek(-2).text == "per"
        if name is None or not (
            told or self.word("is a column", "becomes a column", "gets a column", "as a column", "is its own column")
        ):
            return False
        values = [one.name for one in self.columns.values() if self.kind_of(one) == "number"]
        others = [one for one in self.columns if one != name and one not in values]
        if len(values) != 1 or len(others) != 1:
            return False
        self.plan.ask = f"{{r}}.pivot(index={quoted(others[0])}, columns={quoted(name)}, values={quoted(values[0])})"
        return True

    def _melted(self) -> bool:
        """ "long table with one row per pupil and subject" says too little; "bring a and b into long format" is whole."""
        if not self.word("bring", "melt", "unpivot", "reshape", "convert", "turn", "put", "transform"):
            return False
        self.skip(("the", "columns", "table"))
        if self.tried(self._melted_whole):
            return True
        listed = self.numbers()
        if len(listed) < 2 or not (
            self.word(
                "into long format",
                "to long format",
                "in long format",
                "into a long format",
                "to long",
                "into one column",
                "in a long format",
                "into long form",
            )
            or self.peek(-1).text == "melt"
            or self.ends()
        ):
            return False
        name = "variable"
        if self.word("with a column", "with column", "with a new column"):
            self.skip(("called", "named"))
            token = self.kind("wqc")
            name = token.value if token else name
        keep = [one for one in self.columns if one not in listed and self.columns[one].holds != "index"]
        kept = f"[{', '.join(map(quoted, keep))}]"
        self.plan.ask = (
            f"{{r}}.melt(id_vars={kept}, value_vars=[{', '.join(map(quoted, listed))}], var_name={quoted(name)})"
        )
        return True

    def _melted_whole(self) -> bool:
        """ "turn t into long format with columns site, habitat, species, count": the last two are the new ones."""
        if self.kind("t") is None or not self.word(
            "into long format", "to long format", "in long format", "into a long format", "to long", "into long form"
        ):
            return False
        return self._long_with()

    def _long(self) -> bool:
        """ "t in long format: a, b, c, d"."""
        return (
            self.kind("t") is not None
            and self.word("in long format", "as long format", "in long form") is not None
            and self._long_with()
        )

    def _long_with(self) -> bool:
        self.skip((":", ",", "with", "the", "columns", "column", "called", "named"))
        said: list[str] = []
        while (token := self.kind("wcvq")) is not None:
            if token.text != "and":
                said.append(token.value if token.kind in "wqc" else self.marked.said.get(token.mark, token.value))
            self.skip((",", "and"))
        kept = [name for name in said if name in self.columns]
        new = [name for name in said if name not in self.columns]
        values = [name for name in self.columns if name not in kept and self.columns[name].holds != "index"]
        if not kept:
            kept = [name for name, one in self.columns.items() if one.kind != "number" and one.holds != "index"]
            values = [name for name in self.columns if name not in kept and self.columns[name].holds != "index"]
        if (
            len(new) not in (0, 2)
            or not kept
            or any(self.columns[name].kind != "number" for name in values)
            or len(values) < 2
        ):
            return False
        more = f", var_name={quoted(new[0])}, value_name={quoted(new[1])}" if new else ""
        self.plan.ask = f"{{r}}.melt(id_vars=[{', '.join(map(quoted, kept))}]{more})"
        return True

    def _distinct(self) -> bool:
        self.skip(("show", "its", "the", "list", "all", "what", "are", "which", "their"))
        if not self.word("distinct", "unique", "different"):
            return False
        self.skip(("values", "of", "in", "the", "for", "entries"))
        name = self.column()
        if name is None:
            return False
        self.word("values", "there are")
        self.plan.ask = f"{{r}}[{quoted(name)}].unique()"
        return True
