"""Messages about time, tokens and cost of turns."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from spark_jupyter.protocol.values import TurnId

ExtraKind = Literal["correction", "attempt", "again", "repair"]


class Extra(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Cost of the requests beyond a turn's first one: corrections, repairs, attempts of a race, and repeated requests. ``cost`` in US
    dollars, None where no price is known. A steer is a turn of its own, with a meter of its own."""

    kind: ExtraKind
    requests: int
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class Meter(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Speed and cost. Times in seconds from the sending of the request; ``cost`` in US dollars, None where no price is known.
    ``estimated`` says that the token counts are estimates until the provider reports usage. As long as the provider reads the prompt and
    says how far it is, ``read_tokens`` of ``reading_tokens`` are done: what it knew from before is in neither. So many
    requests are ``waiting`` before it, where the provider has a queue and says so.

    ``thinking`` is how long a model that reasons has thought before it wrote. ``wait`` is how long it still takes until a request that
    was put off is sent again. ``notice`` says why, or which other provider is asked instead. The output counts ``reasoning_tokens``, and
    of a predicted answer those tokens that were ``rejected_tokens``; ``accepted_tokens`` of it were taken. ``first_second`` is how many
    tokens came in the first second of the answer. ``provider_seconds`` is what the provider itself says that it took."""

    turn_id: TurnId
    first_token: float | None = None
    elapsed: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_written_tokens: int = 0
    reasoning_tokens: int = 0
    accepted_tokens: int = 0
    rejected_tokens: int = 0
    reading_tokens: int = 0
    read_tokens: int = 0
    waiting: int = 0
    tokens_per_second: float = 0.0
    first_second: int = 0
    thinking: float = 0.0
    wait: float = 0.0
    notice: str = ""
    provider_seconds: float | None = None
    cost: float | None = None
    extra: tuple[Extra, ...] = ()
    estimated: bool = True


class Spent(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Money spent, in US dollars: ``today``, in all of the user's notebooks, and this month in this ``notebook``. ``unknown`` is of how
    many turns of today no price is known; ``stop`` is the limit of a day, 0 where there is none. So many ``drafts`` were asked for today,
    which are ``drafted`` of it; ``draft_stop`` is their limit, 0 where this kernel writes none."""

    today: float
    notebook: float
    unknown: int = 0
    stop: float = 0.0
    drafts: int = 0
    drafted: float = 0.0
    draft_stop: float = 0.0
