"""Lark's Earley parser over tokens, and the meanings of its parse forest.

The parser gives all parses at once, as a forest whose nodes share what parses have in common. A node's meanings are worked out once,
and equal ones fall together. A rule is only tried where the next token can begin it and the prompt has each of its terminals.
"""

from __future__ import annotations

import functools
import itertools
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer

from spark_jupyter.server.engines.tables import lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lark.grammar import NonTerminal, Rule

    from spark_jupyter.server.engines.tables.lexicon import Phrases, Token

GRAMMAR = Path(__file__).with_name("tables.lark")
MOST_MEANINGS = 24
"""Of a node; where a phrase means more than this the prompt is no question that can be answered."""
_NOTHING: tuple[Any, ...] = ()


class TooMany(Exception):
    """A prompt has more meanings than anyone could choose from."""


class _Tokens(Lexer):
    """A lexer over ready tokens: it tells the parser which one comes next."""

    __future_interface__ = 1
    predictions: _Predictions

    def __init__(self, _conf: object) -> None:
        pass

    def lex(self, lexer_state: Any, _parser_state: object) -> Iterator[Any]:
        predictions = lexer_state.text[0]
        for token in lexer_state.text[1]:
            predictions.next = token.mask
            yield token
        predictions.next = 0


class _Predictions(dict[Any, Any]):
    """The rules that a symbol may be expanded by: those whose terminals a prompt has, and that the ``next`` token can begin."""

    next = 0

    def __init__(self, rules: Sequence[Rule], first: Mapping[Any, frozenset[Any]], bits: dict[str, int]) -> None:
        self._all: dict[str, list[tuple[Rule, int, int]]] = {}
        for rule in rules:
            begin = rule.expansion[0]
            begins = {begin.name} if begin.is_term else {one.name for one in first[begin]}
            needed = sum({bits[one.name] for one in rule.expansion if one.is_term})
            self._all.setdefault(rule.origin.name, []).append((rule, needed, sum(bits[name] for name in begins)))
        self._found: dict[tuple[str, int], list[Rule]] = {}

    def begin(self, present: int) -> None:
        """A prompt has these terminals."""
        self._found = {}
        self._present = present

    def __missing__(self, symbol: NonTerminal) -> list[Rule]:
        key = (symbol.name, self.next)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = [
                rule
                for rule, needed, first in self._all.get(symbol.name, ())
                if first & self.next and not needed & ~self._present
            ]
        return found


class Grammar:
    """The grammar file, compiled. Safe to be used from several threads."""

    def __init__(self) -> None:
        self._lark = Lark(
            GRAMMAR.read_text(encoding="utf-8"),
            parser="earley",
            lexer=_Tokens,
            start=["start", "followup"],
            ambiguity="forest",
            ordered_sets=False,
        )
        terminals = [one for one in self._lark.terminals if one.pattern is not None]
        ignored = set(self._lark.ignore_tokens)
        words = lexicon.vocabulary((one.name, one.pattern.to_regexp()) for one in terminals)
        self.noise = frozenset(key for key, kinds in words.items() if kinds.keys() & ignored)
        self.phrases: Phrases = {
            key: kept for key, kinds in words.items() if (kept := {k: v for k, v in kinds.items() if k not in ignored})
        }
        names = {symbol.name for rule in self._lark.rules for symbol in rule.expansion if symbol.is_term}
        self._bits = {name: 1 << number for number, name in enumerate(sorted(names))}
        # Lark has no public way to look one token ahead, which makes these 700 rules ten times as fast. It holds for lark<2.
        earley = self._lark.parser.parser
        self._predictions = earley.predictions = _Predictions(self._lark.rules, earley.FIRST, self._bits)
        self._lock = threading.Lock()

    def meanings(self, tokens: Sequence[Token], start: str, rules: Mapping[str, Callable[..., Any]]) -> tuple[Any, ...]:
        """The meanings of a prompt, by the functions of ``rules``; none where it can't be read whole."""
        if not tokens:
            return ()
        for token in tokens:
            token.mask = sum(self._bits.get(name, 0) for name in token.type.names)
        with self._lock:
            self._predictions.begin(functools.reduce(int.__or__, (token.mask for token in tokens)))
            self._predictions.next = tokens[0].mask
            try:
                root = self._lark.parse((self._predictions, tokens), start=start)
            except UnexpectedInput:
                return ()
        return _Meanings(rules).of(root)


class _Meanings:
    """The meanings of the nodes of one forest."""

    def __init__(self, rules: Mapping[str, Callable[..., Any]]) -> None:
        self._rules = rules
        self._known: dict[int, tuple[Any, ...]] = {}

    def of(self, node: Any) -> tuple[Any, ...]:
        """The meanings of a symbol's node, or, of a node within a rule, the ways to fill its first places."""
        found = self._known.get(id(node))
        if found is None:
            self._known[id(node)] = _NOTHING  # a rule that comes back to itself adds nothing
            distinct: dict[Any, None] = {}
            for packed in node.children:
                for one in self._packed(node, packed):
                    distinct[one] = None
                if len(distinct) > MOST_MEANINGS:
                    raise TooMany
            found = self._known[id(node)] = tuple(distinct)
        return found

    def _packed(self, node: Any, packed: Any) -> Iterator[Any]:
        rule, place = node.s if node.is_intermediate else (packed.rule, len(packed.rule.expansion))
        before = self.of(packed.left) if packed.left is not None else (_NOTHING,)
        if not before:
            return
        symbol = rule.expansion[place - 1]
        for parts, last in itertools.product(before, self._part(packed.right, symbol)):
            filled = (*parts, *last)
            if node.is_intermediate:
                yield filled
            else:
                yield from self._applied(rule, filled)

    def _part(self, node: Any, symbol: Any) -> Iterable[tuple[Any, ...]]:
        if symbol.is_term:
            return (_NOTHING,) if symbol.filter_out else [(one,) for one in node.token.type.names[symbol.name]]
        if symbol.name.startswith("_"):
            return self.of(node)
        return [(one,) for one in self.of(node)]

    def _applied(self, rule: Any, parts: tuple[Any, ...]) -> Iterable[Any]:
        name = rule.alias or rule.origin.name
        if name.startswith("_"):
            return (parts,)
        kind, constant, value = name.partition("__")
        if constant:
            parts = (value, *parts)
        action = self._rules.get(kind)
        if action is None:
            return (parts[0] if len(parts) == 1 else parts,)
        meaning = action(*parts)
        return meaning if isinstance(meaning, list) else () if meaning is None else (meaning,)


@functools.cache
def grammar() -> Grammar:
    """The grammar, compiled at first use."""
    return Grammar()
