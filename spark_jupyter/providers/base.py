"""Base of all dialects: requests out, model events in.

A new dialect is a file here with a :class:`Provider` (HTTP; ``dialect_defaults.py`` has what most share, ``decoded``
of ``refusals.py`` reads what may be no such thing; what is like chat completions begins from ``chat_completions.py``)
or a :class:`SocketProvider`; its import and its entry in ``OVER_HTTP`` or ``OVER_WEBSOCKET`` (``dialects.py``); a
profile in ``profiles.toml``, and its line in the table of docs/providers.md. Tests: as
``tests/connection/test_gemini.py``; for one registered from outside ``tests/connection/test_dialects.py``. To try it:
``SPARK_PROFILE=NAME SPARK_BASE_URL=http://127.0.0.1:PORT spark-jupyter ask "…"``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

from msgspec import Struct, structs

from spark_jupyter.protocol.values import Image

if TYPE_CHECKING:
    from spark_jupyter.providers.model_list import Listed
    from spark_jupyter.providers.profile import Profile


class Message(Struct, frozen=True):
    """One item of the conversation."""

    role: Literal["user", "assistant"]
    text: str
    images: tuple[Image, ...] = ()


class Priority(IntEnum):
    """Priority of a request, the most urgent first: a turn was asked for, a completion is wanted before the next key, nobody waits for
    an offer. A request ends the less urgent ones that are under way."""

    TURN = 0
    COMPLETION = 1
    OFFER = 2


STANDARD_TIERS = frozenset({"", "auto", "default", "standard", "standard_only"})
"""The tiers that cost what the price list says."""


def tier_name(tier: str | None) -> str:
    """One name for a tier: OpenAI answers "priority" to "fast"; empty for the usual one."""
    tier = (tier or "").lower()
    return "" if tier in STANDARD_TIERS else "fast" if tier == "priority" else tier


class Infill(Struct, frozen=True, kw_only=True):
    """Text to be filled in between ``prefix`` and ``suffix``. ``context`` is code that comes before both, from other places."""

    prefix: str
    suffix: str = ""
    context: str = ""

    @property
    def before(self) -> str:
        """Context and prefix as one text, for providers that take only one."""
        return f"{self.context}\n\n{self.prefix}" if self.context else self.prefix


class Overnight(Struct, frozen=True, kw_only=True):
    """A request whose answer may take hours, at a lower price: its ``window`` (2h, 8h), the work that it is for, and the ``key`` by which
    the same request is known after a restart."""

    window: str
    work_id: str
    key: str


class ModelRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request to a model, in no dialect yet.

    ``input`` is the whole conversation, oldest first; a connection that can continue a response sends only what is new.
    ``effort`` is how much a model that reasons may think, in the provider's own words (``low``, ``medium``, ``high`` …).
    ``tier`` is how fast the provider is to serve it, in its own words (``flex``, ``fast``, ``ultrafast`` …), at its price.
    ``prediction`` is text that the answer will largely repeat (the cell that is edited). ``priority`` says which other requests it may
    push aside, and which it must make room for. ``generate`` False only warms up. ``background``: it takes long while nobody waits, so that
    it should go on where the connection is lost. ``overnight``: within hours is soon enough. ``infill`` is the same once more
    for a dialect that fills in the middle, which takes nothing else of it.
    """

    model: str
    instructions: str
    input: tuple[Message, ...]
    max_output_tokens: int | None = None
    temperature: float | None = None
    effort: str | None = None
    tier: str | None = None
    prediction: str | None = None
    priority: Priority = Priority.TURN
    generate: bool = True
    background: bool = False
    overnight: Overnight | None = None
    infill: Infill | None = None


def without_images(request: ModelRequest) -> ModelRequest:
    """The request without its images; the model is told that there were some, so that it does not invent what they show."""
    plain = tuple(
        Message(each.role, f"{each.text}\n\n{IMAGES_LEFT_OUT}") if each.images else each for each in request.input
    )
    return structs.replace(request, input=plain)


IMAGES_LEFT_OUT = "(You can't see the images of this message. Say so where the answer depends on them.)"


class TokenDetails(Struct, frozen=True):
    """Details of a token count, in the field names of every dialect: of the input the cached tokens, of the output those of the
    reasoning, and of a prediction the accepted and the rejected ones. A server may leave out each, or send null."""

    cached_tokens: int | None = 0
    cache_write_tokens: int | None = 0
    reasoning_tokens: int | None = 0
    accepted_prediction_tokens: int | None = 0
    rejected_prediction_tokens: int | None = 0


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Token counts as the provider reports them. The input counts what was read from its cache (``cached_tokens``) and what was written
    to it; the output counts the reasoning, and what was predicted and rejected, which is paid for. A count below nothing is nothing: it
    would give back to a budget what was spent of it."""

    input_tokens: int = 0
    cached_tokens: int = 0
    cache_written_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    accepted_prediction_tokens: int = 0
    rejected_prediction_tokens: int = 0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 0:
                structs.force_setattr(self, name, 0)

    @classmethod
    def reported(
        cls,
        sent: int | None,
        sent_details: TokenDetails | None,
        written: int | None,
        written_details: TokenDetails | None,
    ) -> Usage:
        """The counts of a report that may be silent about any of them."""
        read, made = sent_details or TokenDetails(), written_details or TokenDetails()
        return cls(
            input_tokens=sent or 0,
            cached_tokens=read.cached_tokens or 0,
            cache_written_tokens=read.cache_write_tokens or 0,
            output_tokens=written or 0,
            reasoning_tokens=made.reasoning_tokens or 0,
            accepted_prediction_tokens=made.accepted_prediction_tokens or 0,
            rejected_prediction_tokens=made.rejected_prediction_tokens or 0,
        )


class ResponseStarted(Struct, frozen=True, kw_only=True, tag=True):
    """The provider has taken the request."""

    response_id: str
    model: str = ""


class PromptProgress(Struct, frozen=True, kw_only=True, tag=True):
    """Progress in reading the prompt, in tokens: of ``total`` it knew ``cached``, and has ``processed`` so many, including those
    (llama.cpp's ``prompt_progress``). So many requests are ``waiting`` before it, of our own server."""

    total: int
    cached: int = 0
    processed: int = 0
    waiting: int = 0

    @property
    def is_sound(self) -> bool:
        """True if these can be such numbers: they come from afar."""
        return 0 <= self.cached <= self.processed <= self.total < 2**53 and 0 <= self.waiting < 2**31


class Progress(Struct, frozen=True):
    """llama.cpp's ``prompt_progress``, on the wire of every dialect; ``waiting`` is our own server's."""

    total: int
    cache: int = 0
    processed: int = 0
    waiting: int = 0

    def events(self) -> list[PromptProgress]:
        """The event that it is; none where the numbers can't be true."""
        told = PromptProgress(total=self.total, cached=self.cache, processed=self.processed, waiting=self.waiting)
        return [told] if told.is_sound else []


class ProviderTimed(Struct, frozen=True, tag=True):
    """The provider's own time for the answer, in seconds: without the way there and back."""

    seconds: float


class TierServed(Struct, frozen=True, tag=True):
    """The tier that served an answer, where another one than the usual was asked for."""

    tier: str


class ImagesLeftOut(Struct, frozen=True, tag=True):
    """The images of a request were not sent, for a ``reason`` (a sentence)."""

    reason: str


class TextDelta(Struct, frozen=True, tag=True):
    """Some more of the answer."""

    text: str


class ReasoningDelta(Struct, frozen=True, tag=True):
    """Some more of what the model thinks; shown as activity, never as part of the answer. Empty where it thinks and does not show it."""

    text: str


class ActivityShown(Struct, frozen=True, tag=True):
    """What an agent does beside its answer (a tool call, a plan), as Markdown; shown with the notes, never part of the answer."""

    text: str


class PermissionAsked(Struct, frozen=True, kw_only=True, tag=True):
    """An agent waits for a person's permission: for ``what``, in one line of Markdown, and in ``detail``, plain text."""

    request_id: str
    agent: str
    what: str
    detail: str = ""


class ResponseCompleted(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The answer is whole."""

    response_id: str = ""
    usage: Usage | None = None


class ResponseIncomplete(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The answer was cut short by the provider: ``max_output_tokens``, ``content_filter``, ``refusal``, ``tool_call`` …"""

    reason: str
    response_id: str = ""
    usage: Usage | None = None


ModelEvent = (
    ResponseStarted
    | PromptProgress
    | ProviderTimed
    | TierServed
    | ImagesLeftOut
    | TextDelta
    | ReasoningDelta
    | ActivityShown
    | PermissionAsked
    | ResponseCompleted
    | ResponseIncomplete
)
"""Events that a decoder makes of a provider's frames. A failure is no event: the decoder or the connection raises a
:class:`~spark_jupyter.exceptions.ProviderError`."""


class Decoder(Protocol):
    """Turns what one request's stream brings into model events; one for each request."""

    @property
    def ended(self) -> bool:
        """True if the answer has ended, well or with the provider's own error. Nothing is read after it."""

    def receive_data(self, data: bytes) -> list[ModelEvent]:
        """The events in one frame (WebSocket: a text frame; SSE: the data of one event). Unknown types are ignored.

        Raises a :class:`~spark_jupyter.exceptions.ProviderError` for an error event and for what is not the protocol.
        """

    def receive_end(self) -> list[ModelEvent]:
        """The last events, where the stream ends without the mark of its end and the answer is whole all the same; else none."""


class Dialect(Protocol):
    """Properties that a connection needs to know of a dialect. ``path`` is the endpoint below the base URL, ``base_path`` what a base
    URL without a path is taken to mean. The list of models is asked for at ``/models`` below it; where there is none, the profile names
    its ``model``. ``key`` is the secret, empty where there is none."""

    path: ClassVar[str]
    base_path: ClassVar[str]

    def __init__(self, profile: Profile) -> None: ...

    def headers(self, key: str) -> dict[str, str]:
        """The headers that every request to the endpoint carries, the list of models too."""

    def models(self, body: bytes) -> list[Listed]:
        """Parse the list of models. Raises what :data:`~spark_jupyter.providers.refusals.UNREADABLE` names."""


class Provider(Dialect, Protocol):
    """A dialect over HTTP: a ``POST`` is answered with server-sent events. One for each connection."""

    def endpoint(self, request: ModelRequest) -> str:
        """The address of this request, below the base URL: ``path``, where the model does not stand in it."""

    def encode(self, request: ModelRequest) -> bytes:
        """The request's body as JSON."""

    def decoder(self, request: ModelRequest, *, where: str = "") -> Decoder:
        """A decoder for the answer to ``request``. ``where`` names the host in its errors."""


@runtime_checkable
class NeedsHeaders(Protocol):
    """A dialect over HTTP some of whose requests need headers of their own."""

    def request_headers(self, request: ModelRequest) -> dict[str, str]: ...


class Envelope(Protocol):
    """Properties of a frame before it is decoded."""

    @property
    def lane(self) -> str | None:
        """The lane that it belongs to; None is the default lane."""

    @property
    def is_last(self) -> bool:
        """True if no more frames follow for this answer."""

    @property
    def is_cut(self) -> bool:
        """True if it says that the answer has ended before it was whole."""

    @property
    def is_error(self) -> bool:
        """True if it refuses something: an answer, or where nobody is on its lane, the socket."""


class LaneDecoder(Decoder, Protocol):
    """A decoder that knows what a later request could go on from."""

    @property
    def response_id(self) -> str:
        """The provider's name for the answer, empty where it gave none."""

    @property
    def text(self) -> str:
        """All the text that was delivered so far."""


class SocketProvider(Dialect, Protocol):
    """A dialect over a WebSocket: requests share a socket, each in a lane, and may go on from the last answer there."""

    def encode(
        self,
        request: ModelRequest,
        *,
        previous_response_id: str | None = None,
        new_input: tuple[Message, ...] | None = None,
        lane: str | None = None,
    ) -> bytes:
        """The request as one frame. ``new_input`` is what the response ``previous_response_id`` has not seen (None: send all)."""

    def decoder(self, request: ModelRequest, *, where: str = "") -> LaneDecoder:
        """A decoder for the answer to ``request``. ``where`` names the host in its errors."""

    def interrupt(self, response_id: str) -> bytes:
        """The frame that ends an answer at once and keeps its lane. Not every server knows it."""

    def envelope(self, data: bytes) -> Envelope | None:
        """The envelope of a frame; None for what is not the protocol."""
