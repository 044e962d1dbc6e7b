"""Functions that everybody writes while learning: what they do is known by the words that ask for them. Pure but for reading those.

The ``*.toml`` beside this have their sources. ``asked`` are words of which those of one entry have to be there, in this order (``a|b``
is one of them); every other word of the prompt has to be one of ``with``, or of those that any function is asked with, and none of
``without``: so nothing that is asked is dropped. ``{n}`` is a number that the prompt may tell, ``n`` where it tells none.
"""

from __future__ import annotations

import ast
import keyword
import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases.shapes.shape import Made
from spark_jupyter.server.engines.query.naming import kind
from spark_jupyter.server.engines.rewrite import Change, quoted, rewrite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Namespace

_FILES = ("texts", "numbers", "lists", "usual")
_HEAD = re.compile(
    r"^\W*(?:(?:please|hey|hi|hello|ok|now|just|can|could|would|you|we|how|do|i|need|want|like|to|us|me|also|a quick)[\s,]+)*"
    r"(?:(?:write|make|define|create|code|give|implement|build|show|program|have|get)\s+(?:me\s+|us\s+)?)?"
    r"(?:(?:an?|the|one|some)\s+)?(?P<what>(?:[\w-]+\s+){0,4}?)(?P<head>functions?|func|def|method|decorator|generator)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^\W*(?:(?:please|can|could|would|you|me)[\s,]+)*(?:(?:write|make|create)\s+(?:me\s+)?(?:an?\s+|some\s+|the\s+)?(?:\w+\s+)?"
    r"(?:program|script|code|snippet|algorithm)\b|implement\b)",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"(?<![\w.])(?P<name>[A-Za-z_]\w*)\s*\((?P<takes>[\w\s,]*)\)")
_CALLED = re.compile(r"\b(?:called|named|call\s+it|name\s+it)\s+[`'\"]?(?P<name>[A-Za-z_]\w*)[`'\"]?", re.IGNORECASE)
_UNDERSCORED = re.compile(r"(?<![\w.])(?P<name>[a-z]+(?:_[a-z0-9]+)+)(?![\w.])")
_DOCSTRING = re.compile(
    r"(?:\b(?:and|with|including|include|add|has|an?|proper|short|good|it|its|own)\s+)*\bdocstrings?\b", re.IGNORECASE
)
_TESTS = re.compile(
    r"\b(?:and|with|plus)\s+(?:(?:write|add|include|some|an?|few|couple|of|unit|small|two|three|simple)\s+)*"
    r"(?:tests?|asserts?|assertions?|test\s+cases?)(?:\s+(?:for|of)\s+it)?\s*\W*$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:and|with|plus)\s+(?:(?:show|give|add|me|include|an?|some|usage|one)\s+)*(?:examples?|usage)(?:\s+(?:call|calls|usage|use|of\s+"
    r"(?:how\s+to\s+use\s+it|using\s+it|its\s+use)))?\s*\W*$",
    re.IGNORECASE,
)
_TRIED = re.compile(
    r"[\s,;.]+(?:and\s+|then\s+)*(?:try|test|call|show|use|run|apply|check)\s+(?:it\s+|that\s+|the\s+function\s+)?(?:with|on|for|to)\s+"
    r"(?P<values>(?:(?!\b(?:if|whether|that)\b).)+?)\s*[.!]*$",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'|-?\d+(?:\.\d+)?|[A-Za-z_]\w*")
_OR_NOT = re.compile(r"\bor\s+not\b|\betc\b", re.IGNORECASE)
_WORD = re.compile(r"[a-zà-ÿ_']+|\d+(?:\.\d+)?|[^\W\d]+|[+*/^=<>%-]")
_SAYS_LITTLE = (
    "a an the this that which who it its is are be was to for of in from as at by on with and or into than his her their my our your "
    "some any all given give gived take accept get expect receive return output calculate compute find determine tell print me us you i "
    "we if whether should will can would could must please thanks thx python simple small short little basic quick custom own reusable "
    "function func def method decorator generator code program script snippet algorithm write argument parameter param input value "
    "result list array sequence string str text word number integer int float new where when only using use implement called named name "
    "user one does do back out up there has have"
)


class Known(Struct, frozen=True):
    """A function that is known: its source, what it does in a sentence, and by what words it is asked for."""

    asked: tuple[tuple[frozenset[str], ...], ...]
    more: frozenset[str]
    without: frozenset[str]
    source: str
    says: str
    tries: tuple[tuple[str, str], ...]
    n: str = ""


class Wish(Struct):
    """What a prompt says of the function besides what it does."""

    text: str
    name: str = ""
    takes: tuple[str, ...] = ()
    docstring: bool = False
    tests: bool = False
    example: bool = False
    tried: str = ""


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(words.stem, text.split()))


@lru_cache(maxsize=1)
def known() -> tuple[Known, ...]:
    """All of them."""
    found = []
    for name in _FILES:
        for one in tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))["function"]:
            asked = tuple(
                tuple(frozenset(map(words.stem, word.split("|"))) for word in phrase.split()) for phrase in one["asked"]
            )
            tries = tuple((call, value) for call, value in one["tries"])
            more, without = _stems(one.get("with", "")), _stems(one.get("without", ""))
            without |= _MANY if "convert" in more and name == "numbers" else frozenset()
            found.append(Known(asked, more, without, one["source"].strip(), one["says"], tries, one.get("n", "")))
    return tuple(found)


_LITTLE = _stems(_SAYS_LITTLE)
_MANY = _stems("list array")
"""What a conversion of one number is not asked with."""


def understood(prompt: str, namespace: Namespace) -> Made | None:
    """The function that a prompt asks for; None where it asks for none, or for one that is not known."""
    head = _HEAD.match(prompt)
    code = _CODE.match(prompt) if head is None else None
    if head is None and code is None:
        return None
    what = f"{head['what']} {head['head']} " if head else ""
    found = head or code
    wish = _wish(f"{what}{prompt[found.end() :]}" if found else prompt)
    named = f"{wish.text} {wish.name.replace('_', ' ')}"
    told = _fitting(_words(wish.text)) or (_fitting(_words(named)) if wish.name else None)
    if told is None:
        return None
    one, number = told
    try:
        source = _named(one, wish, one.source.replace("{n}", number or one.n))
        return Made("\n\n\n".join([source, *_called(one, wish, source, namespace)]), (one.says,))
    except ValueError:
        return None


def _wish(text: str) -> Wish:
    wish = Wish(text=_OR_NOT.sub(" ", text))
    if found := _TRIED.search(wish.text):
        wish.tried, wish.text = found["values"], wish.text[: found.start()]
    for name, sign in (("tests", _TESTS), ("example", _EXAMPLE), ("docstring", _DOCSTRING)):
        if sign.search(wish.text):
            setattr(wish, name, True)
            wish.text = sign.sub(" ", wish.text)
    for sign in (_SIGNATURE, _CALLED, _UNDERSCORED):
        if (found := sign.search(wish.text)) is not None:
            wish.name = found["name"]
            wish.takes = tuple(re.findall(r"\w+", found["takes"])) if sign is _SIGNATURE else ()
            wish.text = f"{wish.text[: found.start()]} {wish.text[found.end() :]}"
            break
    return wish


def _words(text: str) -> list[str]:
    return [words.stem(one) for one in _WORD.findall(text.lower().replace("-", " ").replace("’", "'"))]


def _fitting(said: Sequence[str]) -> tuple[Known, str] | None:
    """The function that is asked for with these words, and the number that they tell; of several the one with most of them."""
    best: tuple[int, Known, str] | None = None
    for one in known():
        if one.without.intersection(said):
            continue
        numbers = [word for word in said if word[0].isdigit() and word not in one.more]
        if len(numbers) > bool(one.n):
            continue
        for phrase in one.asked:
            places = _places(phrase, said)
            if places is None or (best is not None and best[0] >= len(phrase)):
                continue
            also = _LITTLE.union(one.more, numbers, ["%"], *phrase)
            if all(word in also for place, word in enumerate(said) if place not in places):
                best = (len(phrase), one, numbers[0] if numbers else "")
    return (best[1], best[2]) if best else None


def _places(phrase: Sequence[frozenset[str]], said: Sequence[str]) -> set[int] | None:
    """Where the words of the phrase stand, one behind the other; None where they do not."""
    places, at = set(), 0
    for choice in phrase:
        place = next((place for place in range(at, len(said)) if said[place] in choice), None)
        if place is None:
            return None
        places.add(place)
        at = place + 1
    return places


def _definition(source: str) -> ast.FunctionDef:
    return next(one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef))


def _named(one: Known, wish: Wish, source: str) -> str:
    """The source with the names that the prompt tells, and a docstring where it wants one. Raises ValueError where they do not fit."""
    made = _definition(source)
    takes = [each.arg for each in made.args.args]
    changes = dict(zip(takes, wish.takes, strict=True)) if wish.takes else {}
    if wish.name:
        changes[made.name] = wish.name
    changes = {old: new for old, new in changes.items() if old != new}
    held = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)} | {made.name}
    if any(keyword.iskeyword(new) or new in held - changes.keys() for new in changes.values()):
        raise ValueError(wish.name)
    source = rewrite(source, [Change(token=old, new=new) for old, new in changes.items()])
    if not wish.docstring:
        return source
    lines, line = source.split("\n"), _definition(source).lineno
    return "\n".join([*lines[:line], f'    """{one.says}"""', *lines[line:]])


def _called(one: Known, wish: Wish, source: str, namespace: Namespace) -> list[str]:
    """Calls of the function, as the prompt wants them. Raises ValueError where it is not told with what."""
    old, new = _definition(one.source.replace("{n}", one.n)).name, _definition(source).name
    tries = [(re.sub(rf"\b{old}\(", f"{new}(", call), value) for call, value in one.tries]
    if wish.tests:
        return ["\n".join(f"assert {call} == {value}" for call, value in tries)]
    if wish.example:
        return [tries[0][0]]
    return [_tried(new, source, wish.tried, namespace)] if wish.tried else []


def _tried(name: str, source: str, told: str, namespace: Namespace) -> str:
    """The function called with each of the values that are told, or with the user's own variable."""
    values = [
        one
        for one in _VALUE.findall(told)
        if one.lower() not in ("and", "or", "the", "value", "values", "number", "numbers", "word")
    ]
    takes = [one.arg for one in _definition(source).args.args]
    own = namespace.get(values[0]) if len(values) == 1 else None
    many = takes[0].endswith("s") and takes[0] != "celsius"
    if own is not None:
        each = not many and kind(own) in ("texts", "numbers")
        return f"[{name}(one) for one in {own.name}]" if each else f"{name}({own.name})"
    values = [quoted(one[1:-1]) if one[0] in "\"'" else one for one in values]
    if not values or any(re.fullmatch(r"[a-z_]\w*", one) for one in values):
        raise ValueError(told)
    values = [quoted(one) if one[0].isalpha() else one for one in values]
    if many:
        return f"{name}([{', '.join(values)}])"
    needed = len(takes) - len(_definition(source).args.defaults)
    if len(values) > 1 and needed == len(values):
        return f"{name}({', '.join(values)})"
    if needed > 1:
        raise ValueError(told)
    return (
        f"{name}({values[0]})"
        if len(values) == 1
        else f"for value in [{', '.join(values)}]:\n    print(value, {name}(value))"
    )
