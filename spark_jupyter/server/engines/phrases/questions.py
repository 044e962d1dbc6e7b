"""What a sentence asks of the rows that is no summary of one column: how columns go together, what is missing, pivots. Pure."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.joins import Joins
from spark_jupyter.server.engines.phrases.vocabulary import HOWS
from spark_jupyter.server.engines.rewrite import quoted

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
        return bool(
            not self.plan.ask
            and (
                self.tried(self._correlated)
                or self.tried(self._gaps)
                or self.tried(self._distinct)
                or self.tried(self._pivoted)
                or self.tried(self._widened)
                or self.tried(self._melted)
                or self.tried(self._paired)
            )
        )

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
        self.skip(("number of", "how", "many", "number", "of", "count", "values", "are", "the", "show", "percentage"))
        if not self.word("missing values", "missing", "nulls", "nans", "nan values", "null values", "empty cells"):
            return False
        self.skip(("values", "are", "there", "in", "of", "for"))
        if not self.word("per column", "by column", "per columns", "all columns", "the columns", "the table"):
            return False
        self.plan.ask = "{r}.isna().sum()"
        return True

    def _pivoted(self) -> bool:
        """ "pivot: a as rows, b as columns, sum of c", "crosstab of a and b in row percent"."""
        said = self.word(
            "pivot table", "pivot", "crosstab", "cross table", "contingency table", "cross tabulation", "table"
        )
        pivot = Pivot()
        while said is not None and self.peek().kind != "e":
            if not (self._inside(pivot) or self._side(pivot)):
                return False
        if len(pivot.sides) != 2 or (said == "table" and not (pivot.how or pivot.normalise)):
            return False
        if not pivot.value:
            first, second = (f"{{r}}[{quoted(name)}]" for name in pivot.sides)
            times = "100 * " if pivot.normalise else ""
            self.plan.ask = f"{times}pd.crosstab({first}, {second}{pivot.normalise})"
            return True
        index, columns = map(quoted, pivot.sides)
        inside = f"values={quoted(pivot.value)}, aggfunc={quoted(pivot.how)}{pivot.more}"
        self.plan.ask = f"{{r}}.pivot_table(index={index}, columns={columns}, {inside})"
        return not pivot.normalise

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

    def _paired(self) -> bool:
        """ "paired t-test a vs b", "wilcoxon test of a and b"."""
        how = self.of(
            {
                **dict.fromkeys(("paired t-test", "paired t test", "paired ttest"), "ttest_rel"),
                **dict.fromkeys(("wilcoxon test", "wilcoxon", "wilcoxon signed rank test"), "wilcoxon"),
            }
        )
        if how is None:
            return False
        self.skip(("of", "for", "between", "the", "on"))
        first = self.column("number")
        second = (
            self.column("number") if first and self.word("vs", "vs.", "and", "versus", "against", ",", "with") else None
        )
        if first is None or second is None:
            return False
        self.plan.steps.append("from scipy import stats")
        self.plan.ask = f'stats.{how}({{r}}[{quoted(first)}], {{r}}[{quoted(second)}], nan_policy="omit")'
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
