"""One response while it is written, and its events.

The order of a response's events::

    response.created, response.in_progress
        for each output item:
            response.output_item.added
                text:  response.content_part.added, response.output_text.delta …, response.output_text.done,
                response.content_part.done call:  response.function_call_arguments.delta,
                response.function_call_arguments.done
            response.output_item.done
    response.completed | response.incomplete | response.failed

``sequence_number`` counts from 0 in each response; steering events count along in the response that they steer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from msgspec import UNSET, UnsetType, to_builtins
from msgspec.structs import replace

from spark_jupyter.providers.base import Message, PromptProgress, Usage
from spark_jupyter.server.api_messages import (
    Create,
    Json,
    RequestError,
    TextDelta,
    call_item,
    call_text,
    encode,
    error_event,
    text_item,
    text_part,
)
from spark_jupyter.server.engines.base import FunctionCall
from spark_jupyter.server.response_store import OpenCall, Past, Record

Status = Literal["completed", "incomplete", "failed"]


class Outlet(NamedTuple):
    """Output of a connection's events, as JSON, and the generator of their ids."""

    frames: list[bytes]
    new_id: Callable[[str], str]


class ResponseStream:
    """A response from ``response.created`` to its terminal event.

    Every method appends the events to the ``outlet`` in the order in which they must be sent. ``past`` is all that is answered, the
    request's own input included; ``estimate`` says how many tokens were read, and how many of them were known from the previous response.
    """

    def __init__(
        self,
        create: Create,
        past: Past,
        *,
        model: str,
        estimate: Usage,
        now: float,
        outlet: Outlet,
    ) -> None:
        self.id = outlet.new_id("resp")
        self.create = create
        self.past = past
        self.model = model
        self.ended = False
        self.output_tokens = 0
        self.now = now
        """The time, in Unix seconds, as far as it was told."""
        self.usage: Usage | None = None
        """The engine's own count of tokens; otherwise they are estimated."""
        self._estimate = estimate
        self._created_at = now
        self._out, self._new_id = outlet
        self._sequence = 0
        self._stream_id: str | UnsetType = UNSET if create.stream_id is None else create.stream_id
        self._item_id = ""  # of the text that is being written; empty between items
        self._text: list[str] = []
        self._output: list[Json] = []
        self._answer: list[Message] = []
        self._calls: list[OpenCall] = []

    @property
    def at_boundary(self) -> bool:
        """True if the text may end here: nothing is written yet, or the last line is complete."""
        return not self._item_id or self._text[-1].endswith("\n")

    def start(self) -> None:
        for kind in ("response.created", "response.in_progress"):
            self._event(kind, response=self._snapshot("in_progress"))

    def tell_progress(self, progress: PromptProgress) -> None:
        """Report the progress in reading the prompt, in the form of llama.cpp's own Responses."""
        told: dict[str, Json] = {"total": progress.total, "cache": progress.cached, "processed": progress.processed}
        if progress.waiting:
            told["waiting"] = progress.waiting
        self._event("response.in_progress", response=self._snapshot("in_progress"), prompt_progress=told)

    def add_text(self, text: str) -> None:
        """Some more text; it opens an item if none is open."""
        if not text.isascii():
            # A lone surrogate has no place in JSON on the wire.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if not self._item_id:
            self._open_text()
        self.output_tokens += 1
        self._text.append(text)
        self._out.append(
            encode(
                TextDelta(
                    item_id=self._item_id,
                    output_index=len(self._output),
                    delta=text,
                    sequence_number=self._next(),
                    stream_id=self._stream_id,
                )
            )
        )

    def add_call(self, call: FunctionCall) -> None:
        """A function call; it closes the text before it."""
        self._close_text("completed")
        item_id, call_id, index = self._new_id("fc"), self._new_id("call"), len(self._output)
        place: dict[str, Json] = {"item_id": item_id, "output_index": index}
        self._event(
            "response.output_item.added", output_index=index, item=call_item(item_id, call_id, call, "in_progress")
        )
        self._event("response.function_call_arguments.delta", **place, delta=call.arguments)
        self._event("response.function_call_arguments.done", **place, name=call.name, arguments=call.arguments)
        item = call_item(item_id, call_id, call, "completed")
        self._event("response.output_item.done", output_index=index, item=item)
        self._output.append(item)
        self._answer.append(Message("assistant", call_text(call)))
        self._calls.append(OpenCall(call_id, call.name))
        self.output_tokens += 1

    def discard_partial(self) -> None:
        """The item that is being written comes to nothing."""
        self._item_id, self._text = "", []

    def finish(self, *, incomplete: str | None = None) -> Record:
        """The end: ``completed``, or ``incomplete`` for a reason. Returns what a later response can continue."""
        # A steered text ends at a boundary and is whole as far as it goes; one that met a limit is not.
        self._close_text("incomplete" if incomplete not in (None, "steered") else "completed")
        self._terminal("incomplete" if incomplete else "completed", reason=incomplete)
        past = Past(
            conversation=self.past.conversation + tuple(self._answer),
            developer=self.past.developer,
            tokens=self.past.tokens + self.output_tokens + 4 * len(self._answer),
        )
        return Record(id=self.id, create=self.create, past=past, open_calls=tuple(self._calls))

    def fail(self, error: RequestError, *, as_response: bool) -> None:
        """The end, by a failure: ``response.failed`` or an ``error`` event."""
        if as_response:
            self._close_text("incomplete")
            self._terminal("failed", error=error)
            return
        self.ended = True
        self._out.append(error_event(error, stream_id=self.create.stream_id, sequence_number=self._next()))

    def tell(self, kind: str, **fields: Json) -> None:
        """An event that belongs to this response without being part of it (steering)."""
        self._event(kind, **fields)

    def _open_text(self) -> None:
        self._item_id, self._text = self._new_id("msg"), []
        index = len(self._output)
        self._event("response.output_item.added", output_index=index, item=text_item(self._item_id, "", "in_progress"))
        self._event(
            "response.content_part.added",
            item_id=self._item_id,
            output_index=index,
            content_index=0,
            part=text_part(""),
        )

    def _close_text(self, status: str) -> None:
        if not self._item_id:
            return
        text, index = "".join(self._text), len(self._output)
        place: dict[str, Json] = {"item_id": self._item_id, "output_index": index, "content_index": 0}
        self._event("response.output_text.done", **place, text=text, logprobs=[])
        self._event("response.content_part.done", **place, part=text_part(text))
        item = text_item(self._item_id, text, status)
        self._event("response.output_item.done", output_index=index, item=item)
        self._output.append(item)
        self._answer.append(Message("assistant", text))
        self._item_id = ""

    def _terminal(self, status: Status, *, reason: str | None = None, error: RequestError | None = None) -> None:
        self.ended = True
        response = self._snapshot(status)
        response["output"] = list(self._output)
        response["usage"] = self._usage()
        if reason:
            response["incomplete_details"] = {"reason": reason}
        if error:
            response["error"] = {"code": error.code, "message": error.message}
        self._event(f"response.{status}", response=response)

    def _usage(self) -> dict[str, Json]:
        usage = self.usage or replace(self._estimate, output_tokens=self.output_tokens)
        return {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens, "cache_write_tokens": 0},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.input_tokens + usage.output_tokens,
        }

    def _snapshot(self, status: str) -> dict[str, Json]:
        create = self.create
        # "fast" is served, and reported, as "priority"; "auto" as what was chosen (the SDK's Response.service_tier).
        tier = {None: "default", "auto": "default", "fast": "priority"}.get(create.service_tier, create.service_tier)
        reasoning: Json = to_builtins(create.reasoning) if create.reasoning else {"effort": None, "summary": None}
        return {
            "id": self.id,
            "object": "response",
            "created_at": int(self._created_at),
            "completed_at": int(self.now) if status == "completed" else None,
            "status": status,
            "background": bool(create.background),
            "error": None,
            "frequency_penalty": 0,
            "incomplete_details": None,
            "instructions": create.instructions,
            "max_output_tokens": create.max_output_tokens,
            "max_tool_calls": None,
            "metadata": dict(create.metadata or {}),
            "model": self.model,
            "output": [],
            "parallel_tool_calls": False,
            "presence_penalty": 0,
            "previous_response_id": create.previous_response_id,
            "prompt_cache_key": create.prompt_cache_key,
            "reasoning": reasoning,
            "safety_identifier": None,
            "service_tier": tier,
            "store": create.store is not False,
            "temperature": 1 if create.temperature is None else create.temperature,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_logprobs": 0,
            "top_p": 1 if create.top_p is None else create.top_p,
            "truncation": "disabled",
            "usage": None,
        }

    def _event(self, kind: str, **fields: Json) -> None:
        event: dict[str, Json] = {"type": kind, "sequence_number": self._next(), **fields}
        if self.create.stream_id is not None:
            event["stream_id"] = self.create.stream_id
        self._out.append(encode(event))

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence - 1
