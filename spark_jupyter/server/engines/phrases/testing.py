"""Tests of statistics that a sentence names: whether two groups differ, whether two columns go together. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.model import Expr
from spark_jupyter.server.engines.phrases.questions import Questions
from spark_jupyter.server.engines.rewrite import quoted

_TESTS = {
    **dict.fromkeys(
        ("t-test", "t test", "ttest", "welch test", "student t-test", "two sample t-test", "independent t-test"),
        "ttest_ind",
    ),
    **dict.fromkeys(
        ("mann-whitney", "mann whitney", "mann-whitney test", "mann whitney u test", "mann-whitney u test"),
        "mannwhitneyu",
    ),
}
_CHI = ("chi square test", "chi-square test", "chi squared test", "chi-squared test", "chi2 test", "chi square", "chi2")


class Tests(Questions):
    """Reads tests."""

    def tested(self) -> bool:
        """A test of two groups, or of two columns."""
        if self.plan.ask:
            return False
        return bool(self.tried(self._chi) or self.tried(self._of_groups))

    def _chi(self) -> bool:
        self.skip(("do", "run", *ARTICLES))
        if not self.word(*_CHI):
            return False
        self.skip(("of", "for", "on", "between", "the"))
        first = self.column()
        second = self.column() if first and self.word("against", "and", "vs", "vs.", "by", "versus", "with") else None
        if first is None or second is None:
            return False
        self.plan.steps.append("from scipy.stats import chi2_contingency")
        self.plan.ask = f"chi2_contingency(pd.crosstab({{r}}[{quoted(first)}], {{r}}[{quoted(second)}]))"
        return True

    def _of_groups(self) -> bool:
        """ "is x different between a and b? do a t-test", "t-test of x between a and b"."""
        self.skip(
            (
                "is",
                "there",
                "are",
                "do",
                "run",
                "does",
                "test",
                "whether",
                "if",
                *ARTICLES,
                "significant",
                "significantly",
            )
        )
        how = self.of(_TESTS)
        differs = how is not None or self.word("difference", "different") is not None
        self.skip(("of", "in", "for", "on", "the", "comparing", "compare", "significantly"))
        name = self.column("number")
        if name is None:
            return False
        self.skip(("is", "significantly", "significant"))
        differs = self.word("different", "differ", "differs", "significantly different") is not None or differs
        if not differs or not self.word("between", "of", "for", "by", "in", "across"):
            return False
        groups = self._two_groups()
        if groups is None:
            return False
        self.skip(("?", ",", "(", "do", "using", "with", "use", "please", ".", *ARTICLES))
        how = self.of(_TESTS) or how
        self.word(")", "?")
        welch = how is None
        if how is None:
            how = "ttest_ind"
            self.plan.says.append("By Welch's t-test.")
        more = ", equal_var=False" if welch else ""
        parts = [f"{{r}}.loc[{{r}}[{quoted(groups[0])}] == {value}, {quoted(name)}].dropna()" for value in groups[1:]]
        self.plan.steps.append("from scipy import stats")
        self.plan.ask = f"stats.{how}({parts[0]}, {parts[1]}{more})"
        return True

    def _two_groups(self) -> tuple[str, str, str] | None:
        self.skip(ARTICLES)
        first, second = self.tried(self._valued), None
        if first is not None and first.op == "isin" and len(first.args) == 3:
            return _source(first, 0), _source(first, 1), _source(first, 2)
        if first is None or first.op != "eq" or not self.word("and", "vs", "versus", "to"):
            return None
        self.skip(ARTICLES)
        second = self.tried(self._valued)
        if second is None or second.op != "eq" or second.args[0] != first.args[0]:
            return None
        return _source(first, 0), _source(first, 1), _source(second, 1)


def _source(condition: Expr, number: int) -> str:
    """The name of its column (0), or a value that it is compared with."""
    part = condition.args[number]
    assert isinstance(part, Expr)
    return str(part.args[0])
