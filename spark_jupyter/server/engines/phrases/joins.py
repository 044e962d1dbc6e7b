"""A sentence that joins two tables, or brings a column of one to the other. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.cleaning import Cleaning
from spark_jupyter.server.engines.phrases.cursor import ARTICLES

_JOINS = ("left join", "inner join", "outer join", "join", "merge", "combine", "connect", "link", "match")
_BRINGS = ("add", "bring", "put", "get", "attach", "append", "look up", "include")
_TO = ("next to", "per", "to", "into", "onto", "on", "for", "in", "with")


class Joins(Cleaning):
    """Reads joins."""

    def join(self) -> bool:
        """A join, or what it is for."""
        if not self.other:
            return False
        self.skip((",", "and", "then", "please"))
        return bool(
            self.tried(self._joins)
            or self.tried(self._brought)
            or self.tried(self._accompanied)
            or self.tried(self._purpose)
            or self.tried(self._kept)
        )

    def _joins(self) -> bool:
        said = self.word(*_JOINS)
        if said is None:
            return False
        tables = 0
        while True:
            self.skip((*ARTICLES, "with", "to", "onto", "and", "table", "tables", "together", "both"))
            if self.kind("t") is None:
                break
            tables += 1
        if self.word("on", "by", "using", "via"):
            self.skip((*ARTICLES, "column"))
            if self.column() is None:
                return False
        if said.startswith(("left", "inner", "outer")):
            self.plan.join = said.split()[0]
        self.plan.joins = True
        return tables > 0

    def _brought(self) -> bool:
        if not self.word(*_BRINGS):
            return False
        names = []
        while True:
            self.skip((*ARTICLES, "and", ",", "name", "of", "column", "columns"))
            name = self.column()
            if name is None:
                break
            names.append(name)
        new = [name for name in names if name in self.brings]
        if not new:
            return False
        self._of_table(("from", "in", "of"))
        if self.word(*_TO):
            self.skip(ARTICLES)
            if self.kind("t") is None:
                self.at += self.peek().kind in "wcv"
        self._of_table(("from", "in", "of"))
        self.plan.joins, self.plan.brings = True, new
        self.plan.join = self.plan.join or "left"
        return True

    def _accompanied(self) -> bool:
        """ "sales with the city of the customer"."""
        if not self.word("with", "together with", "including") or self.peek(-2).kind != "t":
            return False
        self.skip((*ARTICLES, "matching"))
        name = self.column()
        if name not in self.brings or name is None or not self.word("of", "from"):
            return False
        self.skip((*ARTICLES, "their"))
        if self.kind("ct") is None:
            return False
        self.plan.joins, self.plan.brings, self.plan.join = True, [name], "left"
        return True

    def _of_table(self, leads: tuple[str, ...]) -> None:
        if self.peek().text in leads and self.peek(1).kind == "t":
            self.at += 2
        elif self.peek().text in leads and self.peek(2).kind == "t":
            self.at += 3

    def _purpose(self) -> bool:
        """ "so I have the company on every order"."""
        if not self.plan.joins or not self.word("so that", "so", "to"):
            return False
        self.skip(("i", "we", "can", "have", "get", "see", "know", *ARTICLES))
        if self.column() is None:
            return False
        self.skip(("name", "of", "the"))
        if self.word(*_TO):
            self.skip(ARTICLES)
            self.at += self.peek().kind in "wctv"
        self.plan.join = self.plan.join or "left"
        return True

    def _kept(self) -> bool:
        """ "keep students without a house"."""
        if not self.plan.joins or not self.word("keep", "keeping"):
            return False
        self.skip(("also", *ARTICLES, "rows", "ones"))
        self.at += self.is_noun(self.peek()) or self.peek().kind == "c"
        if self.word("without", "with no", "that have no", "who have no"):
            self.skip(ARTICLES)
            self.at += self.peek().kind in "wct"
        self.plan.join = "left"
        return True
