"""Conditions about what stands in a text: "name contains cloud", "that mention sql", "countries starting with C". Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.atoms import Atoms
from spark_jupyter.server.engines.phrases.cursor import ARTICLES
from spark_jupyter.server.engines.phrases.model import Expr, col, lit
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.rewrite import quoted


class Mentions(Atoms):
    """Reads conditions about texts."""

    def _texts(self) -> Expr | None:
        name = self.tried(lambda: self.column("text")) or self._rows_name()
        if name is None:
            return None
        self.skip(("that", "which", "is", "are"))
        denied = self.word("not", "does not", "do not") is not None
        led = self.peek().text
        how = self.of(vocabulary.mapping("texts"))
        if led in ("with", "has") and self.peek().kind == "v" and not self._own_value(name, self.peek()):
            return None  # "doctors who saw patients with fever": of a column of complaints
        found = self._some_texts() if how else []
        if not found:
            return None
        made = Expr(str(how), (col(name), lit(found[0])))
        if len(found) > 1 and how == "contains":
            made = Expr("matches", (col(name), lit(quoted("|".join(map(_escaped, found))))))
        elif len(found) > 1:
            return None
        return Expr("not", (made,)) if denied else made

    def _rows_name(self) -> str | None:
        """Behind a word for the rows: the column that names them, "countries starting with C"."""
        before = self.peek(-1)
        if before.kind != "t" and not (before.kind == "w" and self.is_noun(before)):
            return None
        if self.peek().text not in ("starting", "ending", "beginning", "start", "end", "begin"):
            return None
        texts = [one.name for one in self.columns.values() if self.kind_of(one) == "text"]
        stem = words.stem(before.text)
        named = [name for name in texts if words.stem(name.lower()) == stem or words.stem(name.lower()) == "name"]
        return named[0] if len(named) == 1 else None

    def _some_texts(self) -> list[str]:
        found: list[str] = []
        while True:
            before = self.at
            if found and not self.word(", or", ",", "or", "oder"):
                return found
            if self.peek(1).kind != "e":
                self.skip(("the", "word", "text", "letter"))
            token = self.peek()
            plain = token.kind in "qvn" or (
                token.kind == "w"
                and (not found or token.text not in lexicon.VOCABULARY)
                and token.text not in ARTICLES
                and token.text
                not in ("not", "never", "been", "missing", "no", "empty", "unknown", "without", "null", "nan")
                and token.text not in vocabulary.MOST
                and token.text not in vocabulary.HOWS
            )
            if not plain:
                self.at = before
                return found
            self.at += 1
            found.append(quoted(token.value))

    def _mention(self) -> Expr | None:
        """ "jobs that mention sql in skills"."""
        if not self.word(
            "mention",
            "mentions",
            "mentioning",
            "mentioned",
            "contain",
            "contains",
            "containing",
            "asking for",
            "ask for",
            "require",
            "include",
            "includes",
            "including",
        ):
            return None
        found = self._some_texts()
        if not found:
            return None
        before = self.at
        self.skip(("in", "the", "column", "their"))
        name = self.column("text")
        if name is None:
            self.at = before
            texts = [one.name for one in self.columns.values() if self.kind_of(one) == "text"]
            spoken = [self.tokens[place].value for place in range(self.at - 1) if self.tokens[place].kind == "c"]
            name = next((one for one in reversed(spoken) if one in texts), texts[0] if len(texts) == 1 else None)
        if name is None:
            return None
        if len(found) > 1:
            return Expr("matches", (col(name), lit(quoted("|".join(map(_escaped, found))))))
        return Expr("contains", (col(name), lit(found[0])))


def _escaped(source: str) -> str:
    return re.escape(source[1:-1])
