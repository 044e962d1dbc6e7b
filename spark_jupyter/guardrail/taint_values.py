"""Abstract values: qualified name, known text, origin.

Values are abstract: nothing is ever executed. A value's *flows* say from which inputs it was made, and for which kinds
of sink it is still dangerous; a sanitiser takes bits away, a guard (``if name not in ALLOWED: raise``) clears them for
everything that was made from the same input.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from enum import Enum, IntEnum, IntFlag
from typing import Final

HOLE: Final = "\0"
"""Placeholder in a value's text for an unknown piece."""

DATABASE: Final = "a database"
"""Label of database rows, which are only followed into pages."""

NETWORK: Final = "the network"
"""Label of what comes over a connection."""

WHOLE: Final = f"~{HOLE}"
"""Text of a home folder, the root, or what is listed there, in a larger text."""

LISTED: Final = "[]"
"""End of the name of one item of a listing."""

PRIVATE: Final = "a file of keys"
"""Label of what a file with a person's own keys is made of: its name and its content."""

STARTUP: Final = "a file that runs by itself"
"""Label of the name of a file that Python, IPython, a desktop or a timer starts, or that lets somebody in."""

SHELL_STARTUP: Final = "a file that a shell starts with"
"""Label of the name of a shell's own file, which people do write to."""

_IN_HOME: Final = re.compile(r"(?:[A-Za-z]:)?[\\/](?:home|Users)[\\/][^\\/\0]+[\\/]")
TEXT_LIMIT: Final = 4_000
"""Longest text of a value, so that ``s = s + s`` over many lines costs no more than anything else."""

ITEM_LIMIT: Final = 64
FLOW_LIMIT: Final = 6


def words(text: str) -> frozenset[str]:
    """Split a text into names, which is easier to read and to extend than a list of forty strings."""
    return frozenset(text.split())


class Danger(IntFlag):
    """Kinds of sinks for which input can be dangerous."""

    SQL = 1
    SHELL = 2
    CODE = 4
    PATH = 8
    HTML = 16
    URL = 32
    REDIRECT = 64
    LDAP = 128
    XPATH = 256
    LOG = 512
    HEADER = 1024
    XML = 2048
    REGEX = 4096
    DATA = 8192
    TEMPLATE = 16384
    NOSQL = 32768
    UPLOAD = 65536


EVERYTHING: Final = (1 << 17) - 1


class Trust(IntEnum):
    """Distrust of a source; higher is worse. OWN is no danger: the flow only says where the value comes from."""

    OWN = 0
    PARAMETER = 1
    ENVIRONMENT = 2
    FILE = 3
    LOCAL = 4
    NETWORK = 5
    REMOTE = 6


@dataclass(slots=True, eq=False, repr=False)
class Origin:
    """One place where input comes in. Two values made from the same origin are guarded together."""

    id: int
    label: str
    trust: int
    parameter: str = ""


Flow = tuple[Origin, int]
Flows = tuple[Flow, ...]
Constant = str | bytes | int | float | complex | bool | None


class Fact(Enum):
    """Knowledge about a value besides its name, text and origin."""

    NUMBER_OF_A_REQUEST = "a number that the sender of a request chose, which nothing has been compared with"
    FEW_RANDOM_BYTES = "fewer than 8 random bytes: they can be found by trying them all"
    MAY_BE_NONE = "what a function gives that has a ``return None`` besides others"
    ENUMERATION = "an enumeration that the notebook defines"
    MODEL = "a class of the notebook's whose fields are what it is made from: pydantic's, a dataclass, a named tuple"
    RECORD = "an object of such a class, with the fields that are known"
    EXCEPTION = "an exception that was caught"
    OWN_FILE = "a file that the program wrote itself"
    UNVERIFIED = "a TLS context that checks no certificate unless it is told to"
    IN_THE_CLEAR = "a connection that is not encrypted yet"
    PARTIAL = "a function with the arguments that it is given already"
    WHOLE = "a folder that holds everything of a person or a system, or what is listed there without a choice"
    HERE = "what is listed in the working folder without a choice, or in all that is below it"
    CHOSEN = "one of what is listed there, chosen by its name or its age"
    REPEATED = "a sequence of any length whose one item stands for all of them"


class Missing:
    """The type of :data:`MISSING`: there is no known constant."""


MISSING: Final = Missing()


@dataclass(slots=True, eq=False, repr=False)
class Value:
    """Abstract value of an expression. ``safe`` says: made only of constants and numbers, although not known which."""

    name: str = ""
    _: KW_ONLY
    const: Constant | Missing = MISSING
    text: str | None = None
    flows: Flows = ()
    items: list[Value] | dict[object, Value] | None = None
    safe: bool = False
    fact: Fact | None = None

    @property
    def is_constant(self) -> bool:
        return self.const is not MISSING

    @property
    def is_built(self) -> bool:
        """True for a string built at run time with unknown pieces."""
        return not self.safe and self.text is not None and HOLE in self.text

    @property
    def known_text(self) -> str | None:
        """Text of the value, if no piece of it is missing."""
        return self.text if self.text is not None and HOLE not in self.text else None

    @property
    def command(self) -> str:
        """Text of a command, also of one that is given as a list."""
        if isinstance(self.items, list):
            return " ".join([text_of(item) for item in self.items])[:TEXT_LIMIT]
        return self.text or ""

    def but(self, **changes: object) -> Value:
        new = Value(
            self.name,
            const=self.const,
            text=self.text,
            flows=self.flows,
            items=self.items,
            safe=self.safe,
            fact=self.fact,
        )
        for field, change in changes.items():
            setattr(new, field, change)
        return new


UNKNOWN: Final = Value()
SAFE: Final = Value(safe=True)


def merge_flows(*several: Flows) -> Flows:
    """Union of flows; the bits of one origin are combined."""
    found = [flows for flows in several if flows]
    if not found:
        return ()
    if len(found) == 1:
        return found[0]
    by_id: dict[int, Flow] = {}
    for flows in found:
        for origin, bits in flows:
            old = by_id.get(origin.id)
            by_id[origin.id] = (origin, bits | (old[1] if old else 0))
    merged = sorted(by_id.values(), key=lambda flow: -flow[0].trust)
    return tuple(merged[:FLOW_LIMIT])


def without(flows: Flows, bits: int) -> Flows:
    return tuple((origin, left) for origin, had in flows if (left := had & ~bits))


def text_of(value: Value) -> str:
    """Text of a value as part of a larger text: a hole if it is unknown."""
    if value.fact is Fact.WHOLE:
        return WHOLE
    if value.text is not None:
        return value.text
    const = value.const
    if const is not MISSING and isinstance(const, int | float):
        return str(const)[:64] if not isinstance(const, int) or abs(const) < 1 << 64 else HOLE
    return HOLE


def whole_text(value: Value) -> str:
    """Text of a constant, however long it is, or what is known of a value."""
    if isinstance(value.const, bytes):
        return value.const.decode("utf-8", "replace")
    return value.const if isinstance(value.const, str) else value.known_text or ""


def concatenate(pieces: list[Value]) -> Value:
    """Concatenation of texts, with the flows of all."""
    text = "".join([text_of(piece) for piece in pieces])[:TEXT_LIMIT]
    safe = all(piece.safe or piece.const is not MISSING for piece in pieces)
    flows = merge_flows(*[piece.flows for piece in pieces])
    if HOLE in text:
        rest = text.replace(WHOLE, "")
        in_home = _IN_HOME.fullmatch(rest) is not None
        whole = WHOLE in text and (in_home or not rest.strip("~/\\"))
        name = LISTED if whole and (in_home or text.count(WHOLE) > 1) else ""
        return Value(name, text=text, flows=flows, safe=safe, fact=Fact.WHOLE if whole else None)
    return Value(const=text, text=text, flows=flows, safe=safe)


def join_values(one: Value, other: Value) -> Value:
    """Merge two possible values of one expression."""
    if one is other:
        return one
    flows = merge_flows(one.flows, other.flows)
    safe = (one.safe or one.is_constant) and (other.safe or other.is_constant)
    text = one.text if one.text is not None and (other.text is None or other.is_constant) else other.text
    if any(side.text is None and not side.is_constant for side in (one, other)):
        text = None  # ``name or ""``: nothing is known of the one
    elif text is not None and text == one.known_text and one.text != other.text:
        text = other.text if other.text is not None and HOLE in other.text else None
    return Value(
        one.name or other.name,
        text=text,
        flows=flows,
        safe=safe,
        items=one.items or other.items,
        fact=one.fact or other.fact,
    )
