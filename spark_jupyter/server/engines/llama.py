"""Engine that runs a local GGUF file, without a network.

A recipe that fits wins; else the model answers, and each answer says which it is. The model is in a process of its own
(:mod:`.llama_process`), asked in chat completions, which use the file's chat template. A crash costs one answer: the next starts it again.
"""

from __future__ import annotations

import contextlib
import http.client
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from spark_jupyter.exceptions import ProviderError, ServerError
from spark_jupyter.prompting.budget import ANSWER_SHARE
from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.providers.base import (
    Infill,
    Message,
    ModelEvent,
    PromptProgress,
    ResponseCompleted,
    ResponseIncomplete,
    TextDelta,
)
from spark_jupyter.providers.refusals import read_refusal
from spark_jupyter.server.engines import request
from spark_jupyter.server.engines.answer import going_on
from spark_jupyter.server.engines.base import AnswerEngine, Counted, Fail, Piece, tokens
from spark_jupyter.server.engines.llama_options import Options, batch_of, fitted, statement
from spark_jupyter.server.engines.llama_process import Order, Ready
from spark_jupyter.server.engines.recipes import RecipeEngine
from spark_jupyter.server.model_loading import started, watched
from spark_jupyter.server.slot_queue import SlotQueue
from spark_jupyter.typed_decoders import decode_json

if TYPE_CHECKING:
    from spark_jupyter.server.engines.request import Request
from msgspec import Struct

from spark_jupyter.prompting.budget import estimate_tokens
from spark_jupyter.providers.base import Decoder, ModelRequest
from spark_jupyter.providers.chat_completions import ChatCompletions
from spark_jupyter.providers.llama_infill import InfillDecoder
from spark_jupyter.providers.profile import Profile
from spark_jupyter.server.engines.gguf import Marks

SMALL = 2**30
"""Bytes of a file below which its model is held to our format by a grammar: larger ones keep to it by themselves, and it costs time."""
COOL = 0.2
"""The temperature of a small model where none is asked for: at llama.cpp's own, 0.8, it goes astray; at 0 it would repeat itself."""


class LlamaEngine(AnswerEngine):
    """Answers with the model in a GGUF file, and before it with recipes. The file is examined at once; the model is loaded by
    :meth:`start`, or with the first answer. ``is_warm`` is set but while it starts."""

    name = "llama"
    fills_in = True

    def __init__(self, path: Path, options: Options, *, books: Sequence[Path] = ()) -> None:
        self.model, self.options = fitted(path, options)
        self.context_tokens = self.options.context
        self._path = path.resolve()
        self._recipes = RecipeEngine(books)
        self._process: _Process | None = None
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._queue = SlotQueue(self.options.lanes)
        self.is_warm = threading.Event()
        self.is_warm.set()

    @property
    def statement(self) -> str:
        """Sentence about the memory that it takes, before it is loaded."""
        return statement(self.model, self.options)

    def models(self) -> list[str]:
        """The file's name without its ending."""
        return [self.model.name]

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        """A recipe that fits, else the model's answer; each says which it is. With a ``temperature`` it is the model's."""
        asked = request.read(conversation)
        found = self._recipes.find(asked) if temperature is None else None
        if found is not None:
            return tokens(going_on(found, asked.so_far) if asked.so_far else found.text())
        said = tuple(_without_signature(message, self._signature) for message in conversation)
        grammar = grammar_for(asked) if self._is_small else ""
        wanted = chat(
            said,
            briefly(instructions) if grammar else instructions,
            most=int(self.context_tokens * ANSWER_SHARE),
            temperature=COOL if temperature is None and self._is_small else temperature,
            grammar=grammar,
        )
        return _Answer(self, wanted, "" if asked.so_far else self._signature)

    def fill_in(self, infill: Infill, *, temperature: float | None = None) -> Iterator[Piece]:
        """The text of the model, and nothing beside it."""
        lane = self.options.lanes - 1
        wanted = fill_in(infill, self.model.marks, window=self.context_tokens, lane=lane, temperature=temperature)
        return _Answer(self, wanted, "")

    def start(self) -> None:
        """Load the model and let it read what every prompt begins with; who asks meanwhile waits for that, which it would read itself."""
        self.is_warm.clear()
        try:
            fixed = briefly(INSTRUCTIONS) if self._is_small else INSTRUCTIONS
            for _ in _Answer(self, chat((Message("user", "Hello"),), fixed, most=1), "", warms=True):
                pass  # where it fails, the next answer says why
        finally:
            self.is_warm.set()

    def close(self) -> None:
        self._closing.set()
        with self._lock:
            process, self._process = self._process, None
            self._closing.clear()
        if process is not None:
            process.end()

    def _give_up(self, process: _Process) -> None:
        """It has not answered: it is dead, or about to be, which the system may say a moment later than its connections."""
        with self._lock:
            if self._process is process:
                self._process = None
        process.end()

    @property
    def _is_small(self) -> bool:
        return self.model.size < SMALL

    @property
    def _signature(self) -> str:
        return f"From {self.model.name}, a model on this machine: check what it writes.\n\n"

    def _running(self) -> _Process:
        """The process; started where there is none, or it has ended."""
        with self._lock:
            if self._process is None or self._process.ended is not None:
                print(self.statement, file=sys.stderr, flush=True)
                options, batch = self.options, batch_of(self.options)
                memory = self.model.memory(context=options.context, lanes=options.lanes, batch=batch)
                most, key = 0 if options.gpu_layers else 2 * memory + 2**31, secrets.token_urlsafe(24)
                order = Order(path=str(self._path), key=key, batch=batch, memory=most, **structs.asdict(options))
                self._process = _Process(order, given_up=self._closing.is_set)
            return self._process


class _Process:
    """The process that has the model. Raises :class:`~spark_jupyter.exceptions.ServerError` where it can't be loaded, or is given up."""

    def __init__(self, order: Order, *, given_up: Callable[[], bool] = lambda: False) -> None:
        self.key = order.key
        self._popen = started()
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # a process that has ended says nothing, which is told below
            self._popen.stdin.write(msgspec.json.encode(order) + b"\n")
            self._popen.stdin.flush()
        try:
            with watched(self._popen, given_up):
                ready = decode_json(self._popen.stdout.readline(2**16), Ready)
        except msgspec.DecodeError:  # it ends by itself, or has written what is no answer
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(1)
            self.end()
            ready = Ready(problem=f"its process ended ({self._popen.returncode})")
        if ready.problem:
            self.end()
            raise ServerError(
                f"The model can't be loaded: {ready.problem}.",
                remedy="See whether the file is whole, and there is memory for it.",
            )
        self.address = urlsplit(ready.url)

    @property
    def ended(self) -> int | None:
        """The exit code, None while it runs."""
        return self._popen.poll()

    def end(self) -> None:
        with self._popen:
            self._popen.kill()


class _Answer(Iterator[Piece]):
    """One answer of the model. :meth:`stop` may be called from another thread: it ends the request at once, also where nothing comes."""

    def __init__(self, engine: LlamaEngine, asked: Asked, signature: str, *, warms: bool = False) -> None:
        self._connection: http.client.HTTPConnection | None = None
        self._stopped = threading.Event()
        pieces = self._ask(engine, asked, signature, warms)
        self._pieces = pieces if warms else engine._queue.after(pieces, self._stopped)

    def __next__(self) -> Piece:
        return next(self._pieces)

    def stop(self) -> None:
        """Nobody waits for it any more."""
        self._stopped.set()
        sock = self._connection.sock if self._connection is not None else None
        if sock is not None:
            with contextlib.suppress(OSError):  # the socket is closed already
                sock.shutdown(2)

    def close(self) -> None:
        """Let go of it; in the thread that pulls it."""
        self._pieces.close()

    def _ask(self, engine: LlamaEngine, asked: Asked, signature: str, warms: bool) -> Generator[Piece, None, None]:
        while not (warms or engine.is_warm.wait(0.05)):
            if self._stopped.is_set():
                return
            yield ""
        try:
            process = engine._running()
        except ServerError as error:
            yield Fail(message=str(error), as_response=True)
            return
        self._connection = http.client.HTTPConnection(process.address.hostname or "", process.address.port)
        try:
            yield from self._talk(self._connection, process, asked, signature)
        except (OSError, http.client.HTTPException):
            if not self._stopped.is_set():
                engine._give_up(process)
                yield Fail(
                    message="The model's process ended before the answer was whole. The next prompt starts it anew.",
                    as_response=True,
                )
        except ProviderError as error:
            yield Fail(message=error.message, as_response=True)
        finally:
            self._connection.close()

    def _talk(
        self, connection: http.client.HTTPConnection, process: _Process, asked: Asked, signature: str
    ) -> Iterator[Piece]:
        headers = {"Authorization": f"Bearer {process.key}", "Content-Type": "application/json"}
        connection.request("POST", asked.path, asked.body, headers)
        if self._stopped.is_set():
            return
        response = connection.getresponse()
        if response.status != 200:
            refusal = read_refusal(response.read(2**16), status=response.status)
            yield Fail(status=response.status, code=refusal.kind or refusal.code, message=refusal.message)
            return
        for line in response:
            for event in asked.decoder.receive_data(line[6:]) if line.startswith(b"data: ") else ():
                if signature and isinstance(event, TextDelta):
                    yield signature
                    signature = ""
                yield from _pieces(event)
        if not asked.decoder.ended:
            raise http.client.IncompleteRead(b"")


def _pieces(event: ModelEvent) -> Iterator[Piece]:
    match event:
        case TextDelta(text=text):
            yield text
        case PromptProgress():
            yield event
        case ResponseCompleted(usage=usage) if usage is not None:
            yield Counted(usage)
        case ResponseIncomplete(usage=usage, reason=reason):
            yield Counted(usage, incomplete=reason)


def _without_signature(message: Message, signature: str) -> Message:
    """The message as the model wrote it, which is what its cache holds."""
    return Message(message.role, message.text.removeprefix(signature)) if message.role == "assistant" else message


# --- GBNF grammar that holds a small model to the answer format ---
# A weak model that is held to it (the grammar as llama.cpp describes it) writes one block, closes it, and nothing after it; free, it
# fills the rest with repetitions.
_LINES = r"""
line ::= [^`\n] [^\n]* "\n" | "\n"
"""


def grammar_for(asked: Request) -> str:
    """The grammar for the answer to a request; empty where prose is asked for, or an answer goes on."""
    if asked.so_far or asked.intent == "explain":
        return ""
    place = "" if asked.edit is None else f" cell={asked.edit.id}"
    return f'root ::= "```python{place}\\n" line+ "```\\n"{_LINES}'


_BRIEF = """\
You write Python for a Jupyter notebook. Answer with one ```python block: only code that runs as it stands. Use the
variables that are there. Import what you use. No text outside the block.
"""


def briefly(instructions: str) -> str:
    """The instructions for a model that the grammar holds, shorter by what it need not know; somebody else's stay as they are."""
    return _BRIEF if instructions == INSTRUCTIONS else instructions


# --- Requests to llama.cpp's HTTP server ---
# A chat for an answer, bare text for ghost text. What stays the same is in front, where the server's prompt cache finds it. Source of the
# fields: the README of llama.cpp's server, "POST /completion" and "POST /v1/chat/completions".
MOST_FILLED = 96
"""Tokens that are written at a cursor: a block of some lines. Whoever typed has typed on long before that is there."""
_CHAT = ChatCompletions(Profile(name="llama", progress=True))


class Asked(Struct, frozen=True, kw_only=True):
    """A request: where it goes, and what reads the events that come back."""

    path: str
    body: bytes
    decoder: Decoder


def chat(
    said: tuple[Message, ...], instructions: str, *, most: int, temperature: float | None = None, grammar: str = ""
) -> Asked:
    """An answer of ``most`` tokens, held to a ``grammar`` where there is one."""
    request = ModelRequest(
        model="", instructions=instructions, input=said, temperature=temperature, max_output_tokens=most
    )
    fields = decode_json(_CHAT.encode(request), dict[str, object])
    fields["cache_prompt"] = True
    if grammar:
        fields["grammar"] = grammar
    return Asked(path="/v1/chat/completions", body=msgspec.json.encode(fields), decoder=_CHAT.decoder(request))


def fill_in(infill: Infill, marks: Marks | None, *, window: int, lane: int, temperature: float | None = None) -> Asked:
    """Request for the text between two texts. ``marks`` are those of a model that was trained to fill in; another goes on from the text
    before, and knows nothing of what comes behind. It has a ``lane`` of its own, so that no chat loses what is cached in another.

    The server's own ``/infill`` is not used: it takes no more of the text before than three quarters of a batch, and ours are small."""
    room = window - MOST_FILLED
    fields: dict[str, object] = {
        "prompt": _bare(infill, room) if marks is None else _marked(infill, marks, room),
        "n_predict": MOST_FILLED,
        "temperature": temperature or 0.0,
        "stop": ["\n\n\n", "\n```"],
        "id_slot": lane,
        "cache_prompt": True,
        "stream": True,
    }
    return Asked(path="/completion", body=msgspec.json.encode(fields), decoder=InfillDecoder())


def _bare(infill: Infill, room: int) -> str:
    """The text before. A space at its end is left to the model: it knows words that begin with one, and seldom one that follows it."""
    return _end_of(infill.before.removesuffix(" "), room)


def _marked(infill: Infill, marks: Marks, room: int) -> str:
    suffix = infill.suffix if estimate_tokens(infill.suffix) < room / 4 else ""
    before = _end_of(infill.before, room - estimate_tokens(suffix) - len(marks))
    return f"{marks.prefix}{before}{marks.suffix}{suffix}{marks.middle}"


def _end_of(text: str, room: int) -> str:
    """As many of the last lines as there is room for, in tokens; the last one in any case."""
    lines = text.split("\n")
    taken, used = 1, estimate_tokens(lines[-1])
    for line in reversed(lines[:-1]):
        used += estimate_tokens(line) + 1
        if used > room:
            break
        taken += 1
    return "\n".join(lines[-taken:])
