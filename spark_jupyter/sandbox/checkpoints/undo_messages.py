"""Questions and answers between undo and a copy of a checkpoint."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from spark_jupyter.sandbox.proofs.proof_messages import Answer, Question

_Text = Annotated[str, Meta(max_length=500)]


class ListNames(Question, frozen=True, kw_only=True, tag=True):
    """Ask for the names of the variables."""


class Seen(Struct, frozen=True, kw_only=True):
    """A variable. Forks agree on ``identity`` (its address) as long as it is the same object; ``signature`` is what a large table or array
    looks like from outside, empty for all others; ``memory`` is the address of the array in whose memory an array lies, else 0. ``words``
    is told by copies alone."""

    name: _Text
    identity: int
    signature: Annotated[bytes, Meta(max_length=8)] = b""
    memory: int = 0
    words: _Text = ""


class Listed(Answer, frozen=True, kw_only=True, tag=True):
    """All of them."""

    names: Annotated[tuple[Seen, ...], Meta(max_length=50_000)]


class Pack(Question, frozen=True, kw_only=True, tag=True):
    """Put these variables into the memory that was handed over. Objects of these addresses live on in the kernel and are only named."""

    names: tuple[str, ...]
    living: tuple[int, ...]


class Packed(Answer, frozen=True, kw_only=True, tag=True):
    """They are there: ``size`` bytes of pickle, then buffers (start, length). ``immovable`` are variables that can't be packed, each with
    what it is; then nothing was."""

    size: int = 0
    buffers: tuple[tuple[int, int], ...] = ()
    immovable: Annotated[tuple[tuple[_Text, _Text], ...], Meta(max_length=1_000)] = ()


AskedForUndo = ListNames | Pack
AnsweredForUndo = Listed | Packed
