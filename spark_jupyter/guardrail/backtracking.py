"""Detection of regular expressions with catastrophic backtracking.

``re`` tries one way after the other to match a text. Where a repetition can divide the same characters in several ways, a text that
almost matches has them all tried: with a repetition in a repetition their number doubles with every character, with two that follow
each other it grows with a power of the length. (Weideman and others, "Analyzing Matching Time Behavior of Backtracking Regular
Expression Matchers by Using Ambiguity of NFA", 2016; here the ambiguity is looked for piece by piece, which finds the common forms.)
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import _constants as codes
from re import _parser as parser
from typing import Final, Literal, NamedTuple, cast

Growth = Literal["exponential", "polynomial"]

LENGTH_LIMIT: Final = 500
"""Longest pattern that is analysed, in characters."""
_WARNED_OF: Final = ("[[", "--", "&&", "~~", "||")
"""Sequences that may mean something else in a later Python: parsing them would warn in the user's own thread."""
_WAYS_LIMIT: Final = 12
_MANY: Final = 10
"""Rounds from which on a repetition counts as unbounded."""

_EVERY: Final = frozenset(range(128)) | {-1}
"""ASCII characters, and one that represents all others."""
_CATEGORIES: Final = {
    codes.CATEGORY_DIGIT: frozenset(map(ord, "0123456789")),
    codes.CATEGORY_SPACE: frozenset(map(ord, " \t\n\r\f\v")),
    codes.CATEGORY_WORD: frozenset(n for n in range(128) if chr(n).isalnum() or n == 95) | {-1},
}
_OPPOSITES: Final = {
    codes.CATEGORY_NOT_DIGIT: codes.CATEGORY_DIGIT,
    codes.CATEGORY_NOT_SPACE: codes.CATEGORY_SPACE,
    codes.CATEGORY_NOT_WORD: codes.CATEGORY_WORD,
}

Chars = frozenset[int]


class Piece(NamedTuple):
    """Part of a pattern: the characters of each mandatory step, if it is optional, and if it repeats without end."""

    steps: tuple[Chars, ...]
    optional: bool = False
    endless: bool = False


@lru_cache(maxsize=512)
def growth(pattern: str) -> Growth | None:
    """Growth of the time to match with the length of a text that almost matches; None for linear time or an invalid pattern."""
    if len(pattern) > LENGTH_LIMIT or any(sign in pattern for sign in _WARNED_OF):
        return None
    try:
        tree = parser.parse(pattern)
        reader = _Reader()
        ways = reader.sequence(tree)
    except (re.error, RecursionError, OverflowError):
        return None
    if reader.exponential:
        return "exponential"
    divided = any(_shares(piece, way[at + 1 :], failing=True) for way in ways for at, piece in enumerate(way))
    return "polynomial" if divided else None


class _Reader:
    """Reader of a parsed pattern: finds its paths, each a row of pieces, and notes ambiguous repetitions."""

    def __init__(self) -> None:
        self.exponential = False

    def sequence(self, nodes: object) -> list[list[Piece]]:
        """Paths through a row of nodes: more than one if there are alternatives."""
        ways: list[list[Piece]] = [[]]
        for code, argument in cast("list[tuple[object, object]]", nodes):
            ends = self._node(code, argument)
            ways = [way + end for way in ways for end in ends][:_WAYS_LIMIT]
        return ways

    def _node(self, code: object, argument: object) -> list[list[Piece]]:
        chars = _chars(code, argument)
        if chars is not None:
            return [[Piece((chars,))]]
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            return self._repeat(*cast("tuple[int, int, object]", argument))
        if code is codes.SUBPATTERN:
            return self.sequence(cast("tuple[object, ...]", argument)[-1])
        if code is codes.ATOMIC_GROUP:
            return [[]]
        if code is codes.BRANCH:
            branches = cast("tuple[object, list[object]]", argument)[1]
            return [way for branch in branches for way in self.sequence(branch)][:_WAYS_LIMIT]
        if code is codes.AT and argument in (codes.AT_END, codes.AT_END_STRING):
            return [[Piece((frozenset(),))]]
        return [[]]

    def _repeat(self, least: int, most: int, body: object) -> list[list[Piece]]:
        ways = self.sequence(body)
        endless = most is codes.MAXREPEAT or most >= _MANY
        if not endless:
            return ways if least else [*ways, []]
        if any(_again(one, other) for one in ways for other in ways) or _same(ways):
            self.exponential = True
        return [
            [Piece(tuple(step for piece in way if not piece.optional for step in piece.steps), not least, True)]
            for way in ways
        ]


def _chars(code: object, argument: object) -> Chars | None:
    """Characters that match one step of a pattern; None if it is no single step."""
    if code is codes.LITERAL:
        return frozenset({_ascii(cast("int", argument))})
    if code is codes.NOT_LITERAL:
        return _EVERY - {cast("int", argument)}
    if code is codes.ANY:
        return _EVERY - {10}
    if code is codes.IN:
        parts = cast("list[tuple[object, object]]", argument)
        found = frozenset().union(*[_member(*part) for part in parts])
        return _EVERY - found if parts and parts[0][0] is codes.NEGATE else found
    return None


def _member(code: object, argument: object) -> Chars:
    if code is codes.LITERAL:
        return frozenset({_ascii(cast("int", argument))})
    if code is codes.RANGE:
        low, high = cast("tuple[int, int]", argument)
        return frozenset(range(min(low, 128), min(high, 127) + 1)) | (frozenset({-1}) if high > 127 else frozenset())
    if code is codes.CATEGORY:
        opposite = _OPPOSITES.get(argument)
        return _EVERY - _CATEGORIES[opposite] if opposite is not None else _CATEGORIES.get(argument, frozenset())
    return frozenset()


def _ascii(number: int) -> int:
    return number if number < 128 else -1


def _again(one: list[Piece], other: list[Piece]) -> bool:
    """True if one round of a repetition and the next can divide the same characters in several ways."""
    return any(_shares(piece, [*one[at + 1 :], *other]) for at, piece in enumerate(one))


def _shares(piece: Piece, after: list[Piece], *, failing: bool = False) -> bool:
    """True if an endless piece and a later one can divide the same characters between them. What stands in between must be made of the
    same characters; ``failing``: something that may not match must follow."""
    if not piece.endless or len(piece.steps) != 1:
        return False
    chars = piece.steps[0]
    between: list[Chars] = []
    for place, following in enumerate(after, 1):
        taken = all(chars & step for step in following.steps)
        if following.endless and following.steps and taken:
            common = chars & following.steps[0] if len(following.steps) == 1 else frozenset()
            if all(common & step for step in between) and (
                not failing or any(not last.optional for last in after[place:])
            ):
                return True
        if not following.optional:
            if not taken:
                return False
            between.extend(following.steps)
    return False


def _same(ways: list[list[Piece]]) -> bool:
    """True if two alternatives of a repetition take the same text: ``(a|a)*``, ``(\\w|\\d)+``, ``(a|aa)+``."""
    rows = [[piece.steps[0] for piece in way] for way in ways if way and all(_single(piece) for piece in way)]
    for at, one in enumerate(rows):
        for other in rows[at + 1 :]:
            short, long = sorted((one, other), key=len)
            if len(long) % len(short) == 0 and all(short[n % len(short)] & step for n, step in enumerate(long)):
                return True
    return False


def _single(piece: Piece) -> bool:
    return len(piece.steps) == 1 and not piece.endless and not piece.optional
