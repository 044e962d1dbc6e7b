"""Interruption of an answer without closing its socket.

It needs a provider that accepts ``response.interrupt``, which is found out by trying.

The first turn that is dropped tries it, on a socket where nothing else is under way, which gets nothing new until that is known: a server
that does not know the event answers with an error, whose lane nobody can tell. Then no interrupt is sent any more: the socket is given
up, and a spare takes its place.
"""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.providers.continuation import Continuation


class Interrupts(Struct):
    """Knowledge about one provider's interruptions: ``served`` is None until the first try."""

    may_try: bool
    served: bool | None = None

    @property
    def off(self) -> bool:
        """True if none is to be sent."""
        return not self.may_try or self.served is False


class Interruption(Struct, frozen=True):
    """The frame that ends an answer, and what the lane's next request can go on from when it has been heard."""

    frame: bytes
    after: Continuation
