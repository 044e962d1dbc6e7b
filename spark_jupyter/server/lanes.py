"""The lanes of one connection, and its limits."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from spark_jupyter.server.api_messages import LANE_PATTERN, RequestError
from spark_jupyter.server.response_store import Record
from spark_jupyter.server.response_stream import ResponseStream


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of one connection. Times in seconds. Names, responses in flight and lifetime are those of OpenAI's service.
    ``steering``: ``response.steer`` is taken; ``background``: a response may go on by itself."""

    lane_names: int = 32
    in_flight: int = 16
    waiting: int = 64
    pending_steers: int = 8
    context_tokens: int = 128_000
    lifetime: float = 3600.0
    steering: bool = True
    background: bool = False


class Lane:
    """State of a lane: the responses in flight, and the latest response that ended there."""

    def __init__(self) -> None:
        self.active: ResponseStream | None = None
        self.latest: Record | None = None

    def evict(self, response_id: str | None) -> None:
        """Forget the latest response, where it is this one."""
        if self.latest is not None and self.latest.id == response_id:
            self.latest = None


class Lanes:
    """By their names; None is the default one. There are ``most`` names in the life of a connection."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lanes: dict[str | None, Lane] = {None: Lane()}

    def __getitem__(self, name: str | None) -> Lane:
        return self._lanes[name]

    def __contains__(self, name: object) -> bool:
        return name in self._lanes

    def get(self, name: str | None) -> Lane | None:
        return self._lanes.get(name)

    def latest(self) -> Iterator[Record]:
        """The latest response of each."""
        return (lane.latest for lane in self._lanes.values() if lane.latest is not None)

    def open(self, name: str | None) -> None:
        """Have a lane of this name. Raises :class:`~.api_messages.RequestError` where there can be none."""
        if name in self._lanes:
            return
        if name is None or LANE_PATTERN.fullmatch(name) is None:
            raise RequestError(
                "A stream_id has 1 to 256 letters, digits, underscores, periods or hyphens.",
                code="invalid_stream_id",
                param="stream_id",
            )
        if len(self._lanes) > self._most:  # the default lane has no name
            raise RequestError(
                f"A connection has {self._most} lane names at most; use one again.",
                code="websocket_stream_limit_reached",
                param="stream_id",
            )
        self._lanes[name] = Lane()
