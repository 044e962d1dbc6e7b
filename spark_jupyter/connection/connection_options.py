"""Options of connections."""

from __future__ import annotations

import ssl

from msgspec import Struct

MOST_BYTES = 16 * 2**20
"""Bytes of one message, event or body that are taken from a provider. The largest honest one is ``response.completed``, which repeats
the whole answer: the longest that a model writes at once is 128,000 tokens, some 500 KB, and six times that where each character
is escaped as ``\\uXXXX``. The longest list of models (OpenRouter's) has half a megabyte."""


class Options(Struct, frozen=True, kw_only=True):
    """All times in seconds.

    ``first_patience`` is how long the first text may take and ``patience`` how long the next; after that the turn
    ends with :class:`~spark_jupyter.exceptions.Stalled`. ``longest_silence`` is how long nothing but signs of life may come (comments,
    pings, reasoning): a model that thinks takes minutes at most. After ``long_silence`` a connection that breaks off is no stale one: the
    request is not sent again. ``quiet`` is how long a socket may say nothing before it
    is pinged (providers and proxies close what idles for 60 s). A socket is given up ``margin`` before the
    provider's own limit. ``spare`` keeps a second warm socket from the first turn on, so that a cancel costs no
    reconnect. ``deflate`` None offers compression where the profile says so and the host is far; against loopback it only costs.

    What still comes of a small answer that was dropped is read and thrown away, because a provider can be stopped only by
    closing its connection, and a new one costs 130 to 170 ms where a round trip takes 40. Small is at most ``drain_tokens``,
    some 25 lines of code: a quarter of a second at 1,000 tokens a second, and the ``drain_time`` of four seconds at 70, the
    slowest of the usual hosted models. A delta's frame has some 300 bytes, so ``drain_bytes`` is three times what they need.
    Between two questions for an answer that comes within hours are ``poll`` seconds.
    ``drain_over_http`` None does so only where the host is far: to this machine a new connection costs less than a
    millisecond, and its model should stop.
    """

    first_patience: float = 60.0
    patience: float = 30.0
    long_silence: float = 5.0
    longest_silence: float = 600.0
    open_timeout: float = 10.0
    quiet: float = 25.0
    margin: float = 300.0
    spare: bool = True
    deflate: bool | None = None
    most_sockets: int = 8
    drain_tokens: int = 256
    drain_time: float = 4.0
    drain_bytes: int = 2**18
    drain_over_http: bool | None = None
    poll: float = 30.0
    ssl_context: ssl.SSLContext | None = None
