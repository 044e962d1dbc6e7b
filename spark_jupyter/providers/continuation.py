"""Continuation of an earlier response.

A request then carries only what is new.
"""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.providers.base import Message, ModelRequest


class Continuation(Struct, frozen=True, kw_only=True):
    """Input and output of a lane's latest response, so that the next request contains only new text.

    A server keeps the latest response of each lane of each socket in memory, also with ``store: false``.
    Instructions are not inherited, so they are sent each time; every field other than the input must be what it was.
    """

    response_id: str
    fixed: tuple[object, ...]
    seen: tuple[Message, ...]

    @classmethod
    def after(cls, request: ModelRequest, response_id: str, answer: str | None) -> Continuation:
        """Continuation after ``request`` was answered with ``answer`` (None: it only warmed up)."""
        said = () if answer is None else (Message("assistant", answer),)
        return cls(response_id=response_id, fixed=_fixed(request), seen=request.input + said)

    def new_input(self, request: ModelRequest) -> tuple[Message, ...] | None:
        """Part of ``request.input`` that is new for the response; None if the request does not continue it."""
        new = self._after(request)
        return new or None

    def covers(self, request: ModelRequest) -> bool:
        """True if the response knows all of ``request``, and nothing else."""
        return self._after(request) == ()

    def _after(self, request: ModelRequest) -> tuple[Message, ...] | None:
        known = len(self.seen)
        if len(request.input) < known or _fixed(request) != self.fixed:
            return None
        same = all(_same(ours, theirs) for ours, theirs in zip(request.input, self.seen, strict=False))
        return request.input[known:] if same else None


def _fixed(request: ModelRequest) -> tuple[object, ...]:
    return (
        request.model,
        request.instructions,
        request.max_output_tokens,
        request.temperature,
        request.effort,
        request.tier,
    )


def _same(ours: Message, theirs: Message) -> bool:
    """True if two messages say the same. White space around an answer is no difference: it may have been stripped."""
    if ours.role != theirs.role:
        return False
    if ours.role == "assistant":
        return ours.text.strip() == theirs.text.strip()
    return ours == theirs
