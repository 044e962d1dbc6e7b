"""What a sentence makes clean: empty rows and columns, gaps, columns that are two, yes and no, duplicates, what is an error. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.filling import Filling
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.rewrite import quoted

_DROPS = ("drop", "remove", "delete", "get rid of")
_TIDY = vocabulary.mapping("tidy")
_TIDY_NOISE = vocabulary.some("tidy_noise")
_MESSY = (
    "is a mess",
    "are a mess",
    "is messy",
    "are messy",
    "is inconsistent",
    "are inconsistent",
    "is dirty",
    "are dirty",
    "should be",
)
_NUMERIC = vocabulary.listed("numeric")


class Cleaning(Filling):
    """Reads what is made clean."""

    def clean(self) -> bool:
        """One thing that is made clean."""
        self.skip((",", "and", "then", "first", "please", "also"))
        return any(
            self.tried(read)
            for read in (
                self._emptied, self._without_columns, self._filled, self._parted, self._as_truth, self._once,
                self.cased_first, self._tidied, self._numbered, self._set_to, self._corrected,
            )
        )  # fmt: skip

    def _emptied(self) -> bool:
        """ "drop the empty column and the empty row"."""
        if not self.word(*_DROPS):
            return False
        found = []
        while True:
            self.skip((*ARTICLES, "and", ",", "any", "completely", "entirely", "fully"))
            if not self.word("empty", "blank"):
                break
            what = self.word("columns", "column", "rows", "row", "lines", "line")
            if what is None:
                return False
            both = self.tried(lambda: self.word("and rows", "and columns", "or rows", "or columns"))
            found += [what, both or ""]
        said = " ".join(found)
        steps = ['{t} = {t}.dropna(axis="columns", how="all")'] if "column" in said else []
        steps += ['{t} = {t}.dropna(how="all")'] if "row" in said or "line" in said else []
        self.plan.steps += steps
        return bool(steps)

    def _without_columns(self) -> bool:
        """ "drop the cost column"."""
        if not self.word(*_DROPS):
            return False
        self.skip(ARTICLES)
        told = self.word("columns", "column") is not None
        listed = self._columns()
        told = self.word("columns", "column") is not None or told
        if not listed or not told:
            return False
        return self._add(f"{{t}} = {{t}}.drop(columns=[{', '.join(map(quoted, listed))}])")

    def _columns(self) -> list[str]:
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", and", ",", "and", "&"):
                return found
            self.skip(ARTICLES)
            name = self.column()
            if name is None:
                self.at = before
                return found
            found.append(name)

    def _as_truth(self) -> bool:
        """ "Active should be True/False only"."""
        self.word("convert", "turn", "make", "change", "map", "transform")
        self.skip((*ARTICLES, "column"))
        name = self.column("text", "bool")
        if name is None:
            return False
        self.skip(("column", "values"))
        self.word("should be", "must be", "to", "into", "as", "is text , make it", "a")
        self.skip(("a", "real", "proper", "only"))
        said = self.word(
            "true / false",
            "true or false",
            "true and false",
            "boolean",
            "booleans",
            "bool",
            "a boolean",
            "true , false",
        )
        self.word("only", "values", "column")
        if said is None:
            return False
        column = f"{{t}}[{quoted(name)}]"
        yes = '["yes", "y", "true", "t", "1", "ja", "j"]'
        return self._add(f"{column} = {column}.astype(str).str.strip().str.lower().isin({yes})")

    def _once(self) -> bool:
        """Rows that are there twice: found, counted, or dropped."""
        if self.plan.ask:
            return False
        drops = self.word(*_DROPS) is not None
        counts = not drops and self.word("how many", "number of", "count") is not None
        self.skip(
            (
                "find",
                "show",
                "list",
                "the",
                "all",
                "exact",
                "exactly",
                "any",
                "which",
                "are",
                "there",
                "is",
                "has",
                "have",
                "fully",
            )
        )
        if not self.word(
            "duplicate rows", "duplicated rows", "duplicates", "duplicate entries", "rows twice", "duplicate lines"
        ):
            return False
        self.skip(("are", "there", "in", "rows", "the", "table"))
        self.kind("t")
        if drops:
            self.skip((",", "and"))
            by = self.word(
                "keep one row per", "keeping one row per", "keep one per", "keep the first per", "by", "of", "based on"
            )
            names = self._columns() if by else []
            if by and not names:
                return False
            return self._add(
                f"{{t}} = {{t}}.drop_duplicates({f'[{chr(44).join(map(quoted, names))}]' if names else ''})"
            )
        self.plan.ask = "{r}.duplicated().sum()" if counts else "{r}[{r}.duplicated(keep=False)]"
        return True

    def cased_first(self) -> bool:
        """ "lower case the emails"."""
        call = self.of(_TIDY)
        while call and self.word("and") and (more := self.of(_TIDY)):
            call = f"{call}{more}"
        self.skip((*ARTICLES, "of", "in", "column"))
        name = self._some_text() if call else None
        if name is None:
            return False
        self.skip(("column", "values", "names"))
        return self._add(f"{{t}}[{quoted(name)}] = {{t}}[{quoted(name)}]{call}")

    def _some_text(self) -> str | None:
        """A column of texts, or the only one that a word such as "names" speaks of."""
        name = self.tried(lambda: self.column("text"))
        if name is not None:
            return name
        stem = self.peek().text.rstrip("s")
        texts = [one.name for one in self.columns.values() if self.kind_of(one) == "text"]
        found = [
            one for one in texts if stem in (*re.split(r"[\W_]+", one.lower()), re.sub(r"[\W_]+", "", one.lower()))
        ]
        found = found if len(stem) > 3 else []
        if len(found) != 1:
            return None
        self.at += 1
        return found[0]

    def _tidied(self) -> bool:
        """ "fix the names: trim, single spaces, Title Case", "diagnosis is a mess, strip the spaces"."""
        led = self.word(
            "clean up",
            "clean",
            "tidy up",
            "tidy",
            "fix",
            "normalise",
            "normalize",
            "standardise",
            "standardize",
            "make",
        )
        self.skip((*ARTICLES, "column", "all"))
        name = self._some_text()
        if name is None:
            return False
        self.skip(("names", "values", "column", "texts", "entries"))
        if not self.word(*_MESSY) and led is None:
            return False
        calls: list[str] = []
        while not self.ends() or self.peek().text in (",", ":"):
            said = self.of(_TIDY)
            if said is not None:
                calls.append(str(said))
            elif self.peek().text in _TIDY_NOISE:
                self.at += 1
            else:
                return False
        if not calls:
            return False
        ordered = sorted(dict.fromkeys(calls), key=lambda one: (one != ".str.strip()", one != _TIDY["single spaces"]))
        return self._add(f"{{t}}[{quoted(name)}] = {{t}}[{quoted(name)}]{''.join(ordered)}")

    def _numbered(self) -> bool:
        """ "budget is text, make it a number", "turn Length into numbers (km)"."""
        led = self.word("turn", "convert", "change", "make", "parse") is not None
        self.skip(ARTICLES)
        self.at += not led and self.peek().kind == "t"
        if self.peek().kind in "wc" and self.peek(1).kind == "c":
            self.at += 1  # "the river length"
        name = self.column()
        known = self.columns.get(name) if name else None
        if name is None or known is None or known.kind not in ("text", "number"):
            return False
        self.skip(("in", "column", "the"))
        self.kind("t")
        texts = (
            self.word(
                "is text",
                "is stored as text",
                "is a string",
                "are strings",
                "are text",
                "is saved as text",
                "is still text",
            )
            is not None
        )
        if texts and self.word("like"):
            while self.peek().kind in "nds" or self.peek().text in ("€", "$", "£"):
                self.at += 1
        self.skip((",", ";", "and", "please", "to", "into", "-", ".", "it"))
        if texts and not self.word("make it", "convert it", "turn it", "change it", "convert", "make", "turn"):
            return False
        self.skip(("to", "into", "as", "it"))
        if not (led or texts) or not self.word(*_NUMERIC):
            return False
        if self.word("("):
            self.at += 1
            self.word(")")
        if self.word(", - is", ", - means", ", '-' is"):
            self.word("missing", "nan", "empty")
        column = f"{{t}}[{quoted(name)}]"
        return self._add(f"{column} = {number_of(column, comma=known.holds == 'numbers, decimal comma')}")

    def _set_to(self) -> bool:
        """ "temp above 50 is a sensor error, set it to nan"."""
        if self.word("set"):
            self.skip(ARTICLES)
            name = self.column()
            value = self._value_for(name) if name and self.word("to", "=") else None
            found = self.predicate() if value and self.word("where", "if", "when", "for") else None
            if name is None or value is None or found is None:
                return False
            self.plan.settings.append((name, found, value))
            return True
        found = self.predicate()
        if found is None or len(found.args) != 2 or getattr(found.args[0], "op", "") != "col":
            return False
        name = str(found.args[0].args[0])  # type: ignore[union-attr]
        for _ in range(8):
            if self.word(
                "set it to",
                "set them to",
                "set those to",
                "replace it with",
                "replace them with",
                "make it",
                "make them",
                "set to",
            ):
                value = self._value_for(name)
                if value is not None:
                    self.plan.settings.append((name, found, value))
                return value is not None
            if self.peek().text not in _TIDY_NOISE | {
                "is",
                "are",
                "error",
                "errors",
                "sensor",
                "wrong",
                "outlier",
                "outliers",
                "typo",
                "impossible",
            }:
                return False
            self.at += 1
        return False

    def _value_for(self, name: str | None) -> str | None:
        if self.word("nan", "missing", "none", "null", "na", "empty"):
            return "None" if name and self.columns[name].kind == "text" else "np.nan"
        return self.value(name or "")

    def _corrected(self) -> bool:
        """ "rows with an invalid or missing email": of a column of addresses."""
        self.skip(("rows", "row", "customers", "people", "with", "show", *ARTICLES, "find"))
        said = self.word("invalid or missing", "missing or invalid", "invalid", "valid")
        name = self.tried(lambda: self.column("text")) if said else None
        mails = [one for one in self.columns if "mail" in one.lower()]
        if (
            said
            and name is None
            and self.word("email", "emails", "e-mail", "e-mails", "mail", "mail address", "email address")
        ):
            name = mails[0] if len(mails) == 1 else None
        if name not in mails or name is None:
            return False
        found = f'{{r}}[{quoted(name)}].str.contains(r"^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", na=False)'
        self.plan.ask = (
            f"{{r}}[{found}]"
            if said == "valid"
            else f"{{r}}[~{found}]"
            if "missing" in str(said)
            else (f"{{r}}[~{found} & {{r}}[{quoted(name)}].notna()]")
        )
        self.word("address", "addresses", "adress")
        return True
