"""What a sentence mends before anything else: names, gaps, types, the case of texts. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.pictures import Pictures
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.rewrite import quoted


class Mends(Pictures):
    """Reads what is mended first."""

    def _step_first(self) -> bool:
        """What is mended before anything else: gaps, names, types."""
        self.skip((",", "and", "then", "first", "please"))
        return any(
            self.tried(read)
            for read in (
                self._renamed,
                self._interpolated,
                self._dated_text,
                self._spread,
                self._cased,
                self._as_number,
            )
        )

    def _renamed(self) -> bool:
        if not self.word("rename", "call"):
            return False
        pairs: list[str] = []
        while True:
            before = self.at
            if pairs and not self.word(", and", "and", ","):
                break
            self.skip(("the", "column", "columns"))
            name = self.column()
            if name is None or not self.word("to", "into", "as", "in", "->", "="):
                self.at = before
                break
            token = self.kind("wqvc")
            if token is None:
                return False
            new = token.value if token.kind in "wq" else self.marked.said.get(token.mark, token.value)
            pairs.append(f"{quoted(name)}: {quoted(new)}")
        self.plan.steps.append(f"{{t}} = {{t}}.rename(columns={{{', '.join(pairs)}}})")
        return bool(pairs)

    def _interpolated(self) -> bool:
        if not self.word("interpolate"):
            return False
        self.skip(("the", "gaps", "missing", "values", "in", "of", "for", "linearly", "column"))
        listed = self.numbers()
        self.plan.steps += [f"{{t}}[{quoted(name)}] = {{t}}[{quoted(name)}].interpolate()" for name in listed]
        return bool(listed)

    def _dated_text(self) -> bool:
        """ "parse Datum as a date"."""
        if not self.word("parse", "convert", "turn", "make", "read", "change"):
            return False
        self.skip(("the", "column"))
        name = self.column("date", "text")
        self.skip(("column",))
        if name is None or not self.word(
            "as a date",
            "as date",
            "as dates",
            "to a date",
            "to date",
            "into a date",
            "to dates",
            "into dates",
            "a date",
            "to a real date",
            "a real date",
            "real dates",
            "a proper date",
            "into real dates",
            "to datetime",
            "as datetime",
        ):
            return False
        if name not in self.dates:
            return False
        self.word("column")
        more = ", dayfirst=True" if self.columns[name].holds == "dates, day first" else ""
        self.plan.steps.append(f"{{t}}[{quoted(name)}] = pd.to_datetime({{t}}[{quoted(name)}]{more})")
        return True

    def _spread(self) -> bool:
        """ "one row per skill" of a column of lists."""
        if not self.word("one row per", "a row per", "separate row per"):
            return False
        self.skip(ARTICLES)
        name = self.column("text")
        if name is None:
            return False
        self.plan.steps.append(
            f'{{t}} = {{t}}.assign(**{{{quoted(name)}: {{t}}[{quoted(name)}].str.split(r"\\s*[;,|]\\s*")}}).explode({quoted(name)})'
        )
        return True

    def _cased(self) -> bool:
        """ "clean up Full Name: trim spaces and use title case"."""
        verbs = (
            "clean up",
            "clean",
            "tidy",
            "tidy up",
            "fix",
            "normalise",
            "normalize",
            "trim",
            "strip",
            "put",
            "make",
            "convert",
            "write",
        )
        led = self.word(*verbs)
        if led is None:
            return False
        self.skip(("the", "whitespace", "spaces", "in", "of", "from", "around", "column", "all"))
        name = self.column("text")
        if name is None:
            return False
        calls = [".str.strip()"] if led in ("trim", "strip") else []
        before = self.at
        while not (self.peek().kind == "e" or self.peek().text in ("then", ";")):
            said = self.of(vocabulary.mapping("cases"))  # fmt: skip
            if said:
                calls.append(str(said))
            elif self.peek().text in (
                ":",
                ",",
                "and",
                "use",
                "to",
                "in",
                "the",
                "spaces",
                "whitespace",
                "make",
                "it",
                "them",
                "all",
                "into",
                "convert",
                "as",
                "white",
                "space",
                "should",
                "be",
                "it's",
            ):
                self.at += 1
            else:
                break
        if not calls or (self.at == before and led not in ("trim", "strip")):
            return False
        ordered = sorted(dict.fromkeys(calls), key=lambda one: one != ".str.strip()")
        self.plan.steps.append(f"{{t}}[{quoted(name)}] = {{t}}[{quoted(name)}]{''.join(ordered)}")
        return True

    def _as_number(self) -> bool:
        """ "Weight as a number in kg": of texts that are numbers."""
        led = self.word("convert", "turn", "make", "change", "parse", "get", "store", "extract") is not None
        self.skip(("the", "column", "numbers", "from", "of"))
        name = self.column("number")
        known = self.columns.get(name) if name else None
        if known is None or name is None or not known.holds.startswith("numbers"):
            return False
        self.skip(("column",))
        led = self.word("should be", "must be", "has to be") is not None or led
        said = self.word(
            "as a number",
            "as number",
            "as numbers",
            "to a number",
            "to number",
            "to numbers",
            "into a number",
            "into numbers",
            "a number",
            "numeric",
            "to float",
            "as float",
            "to numeric",
            "as a float",
            "to int",
            "as numeric",
        )
        if said is None or not (led or said.startswith(("as", "to", "into"))):  # "is the income numeric"
            return False
        if self.word("in") and self.peek().kind == "w":
            self.at += 1
        comma = known.holds == "numbers, decimal comma"
        self.plan.steps.append(f"{{t}}[{quoted(name)}] = {number_of('{t}[' + quoted(name) + ']', comma=comma)}")
        return True
