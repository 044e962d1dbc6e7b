"""A small grammar of sentences about a list, a dictionary or a text: which of its elements, in which order, what of them. Pure.

Like that of tables it goes from left to right and takes a phrase at a time: what is left over, politeness apart, makes it no answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.phrases import vocabulary
from spark_jupyter.server.engines.phrases.cursor import ARTICLES, LONGEST
from spark_jupyter.server.engines.phrases.tokens import END, Token, tokens
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import Marked
from spark_jupyter.server.engines.query.naming import kind, of_numbers
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Namespace, Variable

_NOISE = vocabulary.some("things_noise")
_FOUND = vocabulary.mapping("things_found")
_COMPARED = vocabulary.mapping("things_compared")
_HOWS = vocabulary.mapping("things_hows")


_LETTERS = {
    **dict.fromkeys(("vowel", "vowels"), "(?i)[aeiou]"),
    **dict.fromkeys(("consonant", "consonants"), "(?i)[b-df-hj-np-tv-z]"),
    **dict.fromkeys(("digit", "digits", "number", "numbers"), "[0-9]"),
    **dict.fromkeys(("capital", "uppercase", "capitals"), "[A-Z]"),
}
"""Kinds of letters, as a regular expression of one."""


class Thing(Struct, kw_only=True):
    """What is asked of a variable; it grows while the prompt is read."""

    parts: str = ""
    """What of a text: ``words``, ``lines``, ``sentences``, ``characters``."""
    tests: list[str] = []
    """Expressions about an element ``{x}``, or a key's value ``{v}``."""
    maps: str = ""
    counts: bool = False
    each: bool = False
    unique: bool = False
    keeps: bool = False
    order: str = ""
    """The key function by which it is sorted; ``x`` for the elements themselves."""
    falls: bool = False
    how: str = ""
    first: int = 0
    found: str = ""
    save: str = ""
    case: bool = False


class Reader:
    """Reads a prompt about one variable."""

    def __init__(self, prompt: str, variable: Variable, said: str) -> None:
        self.variable, self.kind = variable, kind(variable)
        text = re.sub(rf"(?<![\w.]){re.escape(said)}(?!\w)", variable.name, prompt, flags=re.IGNORECASE)
        self.marked = Marked(text, tables=[variable.name], columns=[])
        self.tokens = tokens(self.marked, {variable.name})
        self.thing, self.at = Thing(case=self.marked.ignores_case), 0

    def peek(self, ahead: int = 0) -> Token:
        """The token so many further on."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else END

    def word(self, *choices: str) -> str | None:
        """One of these words, or runs of words."""
        for choice in sorted(choices, key=lambda one: -one.count(" ")):
            parts = choice.split()
            if all(self.peek(n).text == part and self.peek(n).kind in "ws" for n, part in enumerate(parts)):
                self.at += len(parts)
                return choice
        return None

    def read(self) -> list[str]:
        """What nothing was made of."""
        left = []
        while self.peek().kind != "e":
            before = self.at
            if any(
                read() or self._back(before)
                for read in (
                    self._search,
                    self._saved,
                    self._each,
                    self._most,
                    self._sorted,
                    self._unique,
                    self._summary,
                    self._tested,
                    self._parts,
                )
            ):
                continue
            token = self.peek()
            self.at += 1
            if token.kind != "t" and not (token.kind in "ws" and token.text in _NOISE):
                left.append(token.value or token.text)
        return left

    def _back(self, before: int) -> bool:
        self.at = before
        return False

    def _search(self) -> bool:
        said = self.word(*_FOUND) if self.kind == "str" else None
        if said is None:
            return False
        self.word("with a regex", "with regex", "using a regex", "using regex", "by regex")
        self.thing.found = _FOUND[said]
        return True

    def _saved(self) -> bool:
        if not self.word("save", "write", "dump", "export", "store"):
            return False
        while (
            self.peek().kind not in "fe"
            and self.peek().text in _NOISE | {"json", "file", "a", "csv", "called", "named"}
        ) or self.peek().kind == "t":
            if self.peek().text == "json":
                self.thing.save = f"{self.variable.name}.json"
            self.at += 1
        if self.peek().kind == "f":
            self.thing.save = self.peek().value
            self.at += 1
        return self.thing.save.endswith(".json")

    def _each(self) -> bool:
        lead = self.word(
            "number of",
            "count number of",
            "count",
            "frequency of",
            "frequencies of",
            "tally",
            "counts of",
            "occurrences of",
        )
        if lead is None:
            return False
        self._skip({"number", "of", "how", "often", "times", "the"} | ARTICLES - {"each", "every"})
        if self.word("each", "every", "per") or lead.startswith(("freq", "tally")):
            self.at += self.peek().kind == "t"
            self._parts()
            self._skip(
                {
                    "word",
                    "occurs",
                    "occur",
                    "appears",
                    "appear",
                    "comes",
                    "up",
                    "is",
                    "was",
                    "there",
                    "are",
                    "given",
                    "in",
                    "name",
                    "value",
                    "item",
                    "letter",
                }
            )
            self.thing.each = True
            return True
        self.thing.unique = self.thing.unique or self.word("unique", "distinct", "different") is not None
        self.at += self.peek().kind == "t" and self.kind != "str"
        if not self._parts() and self.kind in ("str",):
            return False
        self.thing.counts = True
        return True

    def _most(self) -> bool:
        self._skip({"which", "what", "the", "is", "was"} | ARTICLES)
        self.at += self.peek().kind == "t" or self.peek().text in ("number", "word", "name", "value")
        self._skip({"was", "is", "appears", "occurs", "guessed", "comes", "up", "said", "given", "the"})
        if self.word("most often", "most common", "most frequent", "most frequently", "commonest"):
            several = self.peek().kind == "w" and self.peek().text.endswith("s")
            self._parts()
            self.thing.each, self.thing.first = True, 0 if several else 1
            return True
        if self.peek().text in ("longest", "shortest") and self.kind in ("texts", "str"):
            self.thing.how = "max len" if self.peek().text == "longest" else "min len"
            self.at += 1
            return self.kind != "str" or self._parts()
        return False

    def _sorted(self) -> bool:
        led = self.word(
            "sorted by",
            "sort by",
            "sorted",
            "sort",
            "ordered by",
            "order by",
            "order",
            "ordered",
            "sortiert",
            "sortiere",
        )
        self.at += self.peek().kind == "t" if led else 0
        self._skip({"by", "the", "their", "its", "in", "from"} if led else set())
        order = ""
        if led and self.word("length", "number of letters", "number of characters"):
            order = "len"
        elif (
            led
            and self.kind == "dict"
            and self.word("value", "values", "price", "number", "count", "amount", "score", "stock")
        ):
            order = "value"
        elif led and self.word("key", "keys", "name", "alphabet"):
            order = "x"
        elif (
            led
            and self.kind == "list"
            and self.word("number", "second", "value", "second element", "count", "second item", "last element")
        ):
            order = "[1]"
        falls = self.word(
            "descending",
            "largest first",
            "highest first",
            "biggest first",
            "longest first",
            "in descending order",
            "backwards",
            "high to low",
            "most first",
        )
        rises = (
            self.word(
                "alphabetically",
                "ascending",
                "smallest first",
                "lowest first",
                "shortest first",
                "in alphabetical order",
                "alphabetical order",
                "alphabetical",
            )
            if falls is None
            else None
        )
        if self.word("ignoring", "regardless of"):
            self._skip({"upper", "and", "lower", "case", "capitals", "the", "capital", "letters", "or"})
            self.thing.case = True
        if not (led or falls or rises):
            return False
        self.thing.order, self.thing.falls = order or self.thing.order or "x", falls is not None
        return True

    def _unique(self) -> bool:
        if self.word("unique", "distinct", "different"):
            self.thing.unique = True
            return True
        if (
            self.word("remove", "drop", "without", "delete", "remove the", "no")
            and self._skip({"the", "all", "any"})
            and self.word("duplicates", "duplicate", "repeated", "doubles", "double")
        ):
            self._skip({"values", "in", "from", "of", "but"})
            self.thing.unique = True
            return True
        if self.thing.unique and self.word(
            "keep the order",
            "keep order",
            "keeping the order",
            "in the same order",
            "preserve the order",
            "keeping order",
            "in order",
            "keep their order",
        ):
            self.thing.keeps = True
            return True
        return False

    def _summary(self) -> bool:
        said = self.word(*_HOWS)
        if (
            said is None
            or self.kind not in ("numbers", "dict")
            or (self.kind == "dict" and not of_numbers(self.variable))
        ):
            return False
        self.thing.how = _HOWS[said]
        return True

    def _tested(self) -> bool:
        self._skip({"that", "which", "who", "are", "is", "with", "where", "and", "i.e", "ie", "only", "of"})
        x = "{v}" if self.kind == "dict" else "{x}"
        length = f"len({x})" if self.kind in ("texts", "str") else x
        if self.word("even"):
            self.thing.tests.append(f"{x} % 2 == 0")
            return True
        if self.word("odd"):
            self.thing.tests.append(f"{x} % 2 == 1")
            return True
        if (
            self.word("divisible by", "multiples of", "multiple of")
            and self.kind == "numbers"
            and self.peek().kind == "n"
        ):
            self.thing.tests.append(f"{x} % {self.peek().value} == 0")
            self.at += 1
            return True
        if self.word("positive"):
            self.thing.tests.append(f"{x} > 0")
            return True
        if self.word("negative"):
            self.thing.tests.append(f"{x} < 0")
            return True
        sign = self.word(*_COMPARED)
        if sign is not None:
            number = self.peek()
            if number.kind != "n":
                return False
            self.at += 1
            self._skip({"letters", "characters", "chars", "long", "degrees", "left"})
            self.thing.tests.append(f"{length} {_COMPARED[sign]} {number.value}")
            return True
        if self.kind not in ("texts", "str"):
            return False
        how = self.word(
            "containing",
            "contain",
            "contains",
            "with",
            "that contain",
            "starting with",
            "start with",
            "starts with",
            "beginning with",
            "begin with",
            "ending with",
            "end with",
            "ending in",
            "end in",
            "having",
            "including",
        )
        self._skip({"the", "letter", "word", "an", "a"} if self.peek(1).kind != "e" else set())
        token = self.peek()
        if how is None:
            return self._shouted(token)
        kinds = _LETTERS.get(token.text)
        if kinds is not None and token.kind == "w" and self.kind == "texts":
            place = "[:1]" if how.startswith(("start", "begin")) else "[-1:]" if how.startswith("end") else ""
            self.at += 1
            self.thing.tests.append(f're.search("{kinds}", {{x}}{place})')
            return True
        if token.kind not in "wqn" or token.kind == "e":
            return False
        self.at += 1
        self._skip({"in", "it"})
        low = ".lower()" if self.thing.case else ""
        value = quoted(token.value.lower() if self.thing.case else token.value)
        end = "startswith" if how.startswith(("start", "begin")) else "endswith" if how.startswith("end") else ""
        self.thing.tests.append(f"{{x}}{low}.{end}({value})" if end else f"{value} in {{x}}{low}")
        return True

    def _shouted(self, token: Token) -> bool:
        """ "all the ERROR lines"."""
        if (
            self.kind == "str"
            and token.kind in "wq"
            and (token.kind == "q" or token.value.isupper())
            and self.peek(1).text in ("lines", "sentences")
        ):
            self.at += 1
            self.thing.tests.append(f"{quoted(token.value)} in {{x}}")
            return True
        return False

    def _parts(self) -> bool:
        if self.kind != "str":
            return False
        said = self.word("words", "lines", "sentences", "characters", "letters", "word", "line")
        if said is None or (self.thing.parts and self.thing.parts != f"{said.rstrip('s')}s"):
            return False
        self.thing.parts = f"{said.rstrip('s')}s"
        return True

    def _skip(self, some: set[str] | frozenset[str]) -> bool:
        while self.peek().kind in "ws" and self.peek().text in some:
            self.at += 1
        return True


def understood(prompt: str, namespace: Namespace) -> tuple[str, str] | None:
    """The code that does what the prompt asks of one variable that it names, and the variable's name; None where not all is
    understood."""
    if len(prompt) > LONGEST * 6:
        return None
    for variable in namespace.variables:
        if kind(variable) in ("", "array"):
            continue
        said = _said(prompt, variable.name)
        if said is None:
            continue
        reader = Reader(prompt, variable, said)
        code = None if reader.read() else written(reader.thing, variable.name, reader.kind)
        if code is not None:
            return code, variable.name
    return None


def _said(prompt: str, name: str) -> str | None:
    """How the prompt says the name: as it is, or one of several."""
    for said in (name, name[:-1] if name.endswith("s") and len(name) > 3 else ""):
        if (
            said
            and re.search(rf"(?<![\w.]){re.escape(said)}(?!\w)", prompt, re.IGNORECASE if len(name) > 3 else 0)
            and said.lower() not in lexicon.PERIODS
        ):
            return said
    return None


def written(thing: Thing, name: str, of: str) -> str | None:
    """The code; None where nothing, or what does not go together, is asked."""
    asks = bool(thing.tests or thing.order or thing.how or thing.each)
    if thing.save:
        dumped = f"json.dumps({name}, indent=2)"
        saved = f'Path({quoted(thing.save)}).write_text({dumped}, encoding="utf-8")'
        return None if asks else f"import json\nfrom pathlib import Path\n\n{saved}"
    if thing.found:
        return None if asks else f'import re\n\nre.findall(r"{thing.found}", {name})'
    if not (asks or thing.counts or thing.unique):
        return None
    if of == "dict":
        return _of_dict(thing, name)
    source = _parts_of(thing, name) if of == "str" else name
    made = _of_elements(thing, source, of) if source else None
    if made is None:
        return None
    imports = [line for sign, line in _IMPORTS.items() if sign in made]
    return "\n".join([*imports, *([""] if imports else []), made])


_IMPORTS = {"re.": "import re", "Counter(": "from collections import Counter", "statistics.": "import statistics"}


def _parts_of(thing: Thing, name: str) -> str:
    """The parts of a text that are meant; empty where none are said."""
    low = ".lower()" if thing.case or (thing.parts in ("words", "letters") and thing.each) else ""
    if thing.parts == "words" and thing.counts and not (thing.tests or thing.unique):
        return f"{name}.split()"
    return {
        "words": f're.findall(r"\\w+", {name}{low})',
        "lines": f"{name}.splitlines()",
        "sentences": f're.split(r"(?<=[.!?;])\\s+", {name}.strip())',
        "characters": f"{name}{low}",
        "letters": f"[one for one in {name}{low} if one.isalpha()]",
    }.get(thing.parts, "")


def _of_elements(thing: Thing, source: str, of: str) -> str | None:
    """What is asked of the elements of a list."""
    if thing.tests:
        source = f"[one for one in {source} if {' and '.join(thing.tests).replace('{x}', 'one')}]"
    if thing.unique:
        source = f"list(dict.fromkeys({source}))" if thing.keeps or not thing.order else f"set({source})"
    if thing.each:
        together = thing.counts or thing.how or thing.unique
        return None if together else f"Counter({source}).most_common({thing.first or ''})"
    if thing.order:
        folded = "str.lower" if thing.case and of == "texts" else ""
        key = {"len": "len", "[1]": "lambda one: one[1]"}.get(thing.order, folded)
        source = f"sorted({source}{f', key={key}' if key else ''}{', reverse=True' if thing.falls else ''})"
    if thing.how.endswith(" len"):
        source = f"{thing.how.split()[0]}({source}, key=len)"
    elif thing.how:
        summed = f"statistics.{thing.how}({source})" if thing.how in ("mean", "median") else f"{thing.how}({source})"
        return summed if of == "numbers" else None
    return f"len({source})" if thing.counts else source


def _of_dict(thing: Thing, name: str) -> str | None:
    if thing.each or thing.unique:
        return None
    rows = f"{name}.items()"
    if thing.order:
        key = ", key=lambda item: item[1]" if thing.order == "value" else ""
        source = f"dict(sorted({rows}{key}{', reverse=True' if thing.falls else ''}))"
        return source if not (thing.tests or thing.how or thing.counts) else None
    if thing.tests:
        chosen = f"{{key: value for key, value in {rows} if {' and '.join(thing.tests).replace('{v}', 'value')}}}"
        return f"len({chosen})" if thing.counts else chosen if not thing.how else None
    if thing.how:
        return (
            f"import statistics\n\nstatistics.{thing.how}({name}.values())"
            if thing.how in ("mean", "median")
            else f"{thing.how}({name}.values())"
            if thing.how == "sum"
            else f"{thing.how}({rows}, key=lambda item: item[1])"
        )
    return f"len({name})" if thing.counts else None
