"""Connection to an ACP agent, in the place of one to a provider.

An agent keeps its own history, so a session of it gets of a request only the last message, as long as what came before is what the session
has heard; a request with another past gets a session of its own. Several requests at once have a session each. To stop an answer the agent
is asked to; one that does not within :data:`PATIENCE` is ended, and started again by the next request.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import acp
from acp import PROTOCOL_VERSION, Client, RequestError, connect_to_agent
from acp.client.connection import ClientSideConnection
from acp.schema import (
    ClientCapabilities,
    EnvVariable,
    ImageContentBlock,
    Implementation,
    McpServerStdio,
    TextContentBlock,
)

from spark_jupyter import __version__
from spark_jupyter.agents.acp_client import AgentClient, Updates
from spark_jupyter.agents.acp_process import AgentProcess
from spark_jupyter.agents.jupyter_servers import KERNEL_VARIABLE
from spark_jupyter.exceptions import AuthenticationFailed, BadResponse, ConnectionLost, RequestRefused
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import (
    Message,
    ModelEvent,
    ModelRequest,
    Priority,
    ResponseCompleted,
    ResponseIncomplete,
    ResponseStarted,
)
from spark_jupyter.providers.profile import Profile
from spark_jupyter.source.invisible_text import printable


def _is_not_of_sdk(record: logging.LogRecord) -> bool:
    """The SDK logs what it can't read to the root logger, and with it the agent's own text."""
    return not record.pathname.startswith(os.path.dirname(acp.__file__))


PATIENCE = 5.0
"""Seconds within which an agent stops when it is asked to."""
GREETING = 60.0
"""Seconds for which an agent may take to start and to open a session."""
MOST_SESSIONS = 4
MOST_MODES = 30
MOST_VALUES = 300
LONGEST_VALUE = 200
_AUTH_REQUIRED = -32000
_REASONS = {"max_tokens": "max_output_tokens", "max_turn_requests": "too many steps", "refusal": "refusal"}
HELLO = (
    "What you write here is shown in a person's live Jupyter notebook: each ```python block becomes a cell that the person decides on. "
    "Answer with such blocks; never write or edit .ipynb files. Where you have the tools of the MCP server spark, read the notebook, look "
    "at the kernel's variables and try code with them.\n\n"
)


class AgentSession:
    """One conversation with the agent. ``heard`` is what it knows."""

    def __init__(self, session_id: str, updates: Updates) -> None:
        self.id = session_id
        self.updates = updates
        self.heard: tuple[Message, ...] = ()
        self.busy = False

    def end(self) -> None:
        """A turn has ended: what comes now is nobody's answer."""
        self.updates.end()
        self.busy = False

    def continues(self, request: ModelRequest) -> bool:
        """True if the request continues the session: its earlier turns are the same, and its last one too, but for a steer."""
        if not self.heard:
            return False
        *past, asked = self.heard
        before, same = request.input[: len(past)], request.input[len(past) : len(past) + 1]
        begins = asked.text.partition("\n\n## Steer\n")[0]
        return list(before) == past and any(message.text.startswith(begins) for message in same)

    def option(self, category: str) -> Any | None:
        """The agent's setting of that category; None where it has none."""
        return next((one for one in self.updates.options if one.type == "select" and one.category == category), None)


class AgentConnection:
    """Implements :class:`~spark_jupyter.connection.base.Connection` for an agent, which is started in ``folder``.
    ``mode`` is one of its own, in which its sessions work; empty: as it begins."""

    def __init__(self, profile: Profile, folder: Path, *, mode: str = "") -> None:
        self._wanted = mode
        self.modes: tuple[str, ...] = ()
        self.model = ""
        self.takes_images: bool | None = None
        self._profile = profile
        self._title = profile.title or profile.name
        self._folder = folder
        self._starting = asyncio.Lock()
        self._process: AgentProcess | None = None
        self._agent: ClientSideConnection | None = None
        self._client = AgentClient()
        self._sessions: list[AgentSession] = []
        self._stopping: set[asyncio.Task[None]] = set()

    @property
    def mode(self) -> str:
        """The mode that was chosen, else that of the last session; empty where the agent has none."""
        option = self._sessions[-1].option("mode") if self._sessions else None
        own = option.current_value if option is not None else self._sessions[-1].updates.mode if self._sessions else ""
        return self._wanted or printable(own[:LONGEST_VALUE])

    @mode.setter
    def mode(self, mode: str) -> None:
        self._wanted = mode

    async def open(self) -> None:
        """Start the agent where it does not run. No session is begun, so nothing is sent to its provider."""
        async with self._starting:
            if self._process is not None and not self._process.ended:
                return
            await self._end()
            self._process = await AgentProcess.start(self._profile, self._folder)
            logging.getLogger().addFilter(_is_not_of_sdk)
            self._agent = connect_to_agent(cast(Client, self._client), self._process)
            greeted = await self._call(
                self._agent.initialize(
                    PROTOCOL_VERSION,
                    ClientCapabilities(),
                    Implementation(name="spark-jupyter", title="Spark for Jupyter", version=__version__),
                )
            )
            able = greeted.agent_capabilities and greeted.agent_capabilities.prompt_capabilities
            self.takes_images = bool(able and able.image)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[list[ModelEvent], None]:
        if request.priority is not Priority.TURN:
            raise RequestRefused(
                f"{self._title} makes no suggestions.", remedy="Choose who does: %spark suggestions provider NAME."
            )
        await self.open()
        if not request.generate:
            return
        session = await self._session_for(request)
        session.busy = True
        session.updates.begin()
        answer, over = None, False
        try:
            await self._apply(session, request)
            assert self._agent is not None  # it was opened
            content = _new_content(request, first=not session.heard, images=bool(self.takes_images))
            answer = asyncio.ensure_future(self._agent.prompt(session.id, content))
            session.heard = request.input
            answer.add_done_callback(lambda _: session.updates.news.set())
            model = session.option("model")
            yield [ResponseStarted(response_id=session.id, model=model.current_value if model else self._profile.name)]
            while not answer.done():
                await session.updates.news.wait()
                if batch := session.updates.take():
                    yield batch
            response = await self._call(answer)
            reason = _REASONS.get(response.stop_reason)
            rest, over = session.updates.take(), True
            session.end()  # whoever hears of the end may ask the next at once
            yield [*rest, ResponseIncomplete(reason=reason) if reason else ResponseCompleted()]
        finally:
            if over:
                pass  # its session may be another request's by now
            elif answer is None or answer.done():
                session.end()
            else:
                task = asyncio.ensure_future(self._stop(session, answer))
                self._stopping.add(task)
                task.add_done_callback(self._stopping.discard)

    def answer_permission(self, request_id: str, allowed: bool) -> None:
        for session in self._sessions:
            session.updates.answer(request_id, allowed)

    async def models(self) -> list[ModelInfo]:
        """The models among which the agent lets one choose."""
        await self.open()
        session = self._sessions[-1] if self._sessions else await self._begin_session()
        option = session.option("model")
        if option is None:
            return []
        self.model = printable(option.current_value)
        return [ModelInfo(id=value, provider=self._title, images=self.takes_images) for value in _values_of(option)]

    async def close(self) -> None:
        async with self._starting:
            await self._end()

    # --- inside ------------------------------------------------------------------------------------------------------

    async def _end(self) -> None:
        self._sessions.clear()
        self._client.sessions.clear()
        agent, self._agent = self._agent, None
        process, self._process = self._process, None
        if agent is not None:
            with suppress(ConnectionError):  # it may have closed its end
                await agent.close()
        if process is not None:
            await process.close()

    async def _session_for(self, request: ModelRequest) -> AgentSession:
        """A session that is free and knows the request's past, else a new one."""
        await asyncio.gather(*self._stopping)
        await self.open()
        free = (session for session in self._sessions if not session.busy and session.continues(request))
        return next(free, None) or await self._begin_session()

    async def _begin_session(self) -> AgentSession:
        assert self._agent is not None  # it was opened
        begun = await self._call(self._agent.new_session(str(self._folder), mcp_servers=[*mcp_servers()]))
        updates = self._client.sessions[begun.session_id] = Updates(self._title)
        updates.options = list(begun.config_options or ())
        session = AgentSession(begun.session_id, updates)
        option = session.option("mode")
        if option is not None:
            self.modes = tuple(_values_of(option)[:MOST_MODES])
        elif begun.modes is not None:
            updates.mode = begun.modes.current_mode_id
            self.modes = tuple(printable(one.id) for one in begun.modes.available_modes[:MOST_MODES])
        self._sessions.append(session)
        idle = [one for one in self._sessions[:-1] if not one.busy]
        for old in idle[: len(self._sessions) - MOST_SESSIONS]:
            self._sessions.remove(old)
            self._client.sessions.pop(old.id, None)
        return session

    async def _apply(self, session: AgentSession, request: ModelRequest) -> None:
        """Set what the request and the person want, where the agent lets one choose it."""
        assert self._agent is not None  # it was opened
        for category, wanted in (("model", request.model), ("thought_level", request.effort), ("mode", self._wanted)):
            option = session.option(category)
            if option is None or not wanted or option.current_value == wanted or wanted not in _values_of(option):
                continue
            changed = await self._call(self._agent.set_config_option(option.id, session.id, wanted))
            session.updates.options = list(changed.config_options)
        if not self._wanted:
            return
        if self._wanted not in self.modes:
            known = ", ".join(self.modes) or "none"
            raise RequestRefused(f"{self._title} has no mode {self._wanted!r}.", remedy=f"It has: {known}.")
        if session.option("mode") is None and session.updates.mode != self._wanted:
            await self._call(self._agent.set_session_mode(session.id, self._wanted))
            session.updates.mode = self._wanted

    async def _stop(self, session: AgentSession, answer: asyncio.Future[Any]) -> None:
        """Ask the agent to stop; end it where it does not."""
        agent = self._agent
        with suppress(ConnectionError):  # it may have ended
            if agent is not None:
                await agent.cancel(session.id)
        session.updates.end()
        done, _ = await asyncio.wait([answer], timeout=PATIENCE)
        session.end()
        if not done:
            answer.cancel()
            if agent is self._agent:
                await self.close()
        await asyncio.gather(answer, return_exceptions=True)

    async def _call(self, call: Any) -> Any:
        """The result of a call of the agent. Raises a :class:`~spark_jupyter.exceptions.ProviderError` where there is none."""
        try:
            async with asyncio.timeout(None if isinstance(call, asyncio.Future) else GREETING):
                return await call
        except RequestError as error:
            said = printable(str(error))[:300]
            if error.code == _AUTH_REQUIRED:
                raise AuthenticationFailed(
                    f"{self._title} is not signed in.", remedy="Start it in a terminal, sign in there, and try again."
                ) from None
            raise RequestRefused(f"{self._title} refused: {said}.") from None
        except TimeoutError:
            raise ConnectionLost(
                f"{self._title} does not answer.", remedy="Try again, or start it in a terminal."
            ) from None
        except (ConnectionError, OSError, ValueError) as error:
            if isinstance(error, ValueError):
                raise BadResponse(f"{self._title} does not speak the Agent Client Protocol.") from None
            printed = self._process.printed if self._process is not None else ""
            said = f" It said: {printed}" if printed else ""
            raise ConnectionLost(f"{self._title} has ended.{said}", remedy="Try again.") from None


def _values_of(option: Any) -> list[str]:
    """The values of a setting, out of their groups."""
    flat = [one for entry in option.options for one in getattr(entry, "options", None) or (entry,)]
    return [printable(one.value) for one in flat[:MOST_VALUES] if len(one.value) <= LONGEST_VALUE]


def _new_content(request: ModelRequest, *, first: bool, images: bool) -> list[Any]:
    """The messages that are new to the agent: the last one, or all in a new session. ``images``: with the images of the last one."""
    last = request.input[-1]
    texts = [
        f"# {'You answered' if one.role == 'assistant' else 'The person asked'}\n{one.text}"
        for one in request.input[:-1]
    ]
    text = "\n\n".join([HELLO + request.instructions, *texts, last.text]) if first else last.text
    shown = last.images if images else ()
    pictures = [ImageContentBlock(type="image", data=one.data, mime_type=one.media_type) for one in shown]
    return [TextContentBlock(type="text", text=text), *pictures]


MCP_ARGUMENTS = ["-P", "-m", "spark_jupyter.ui.cli.main", "mcp"]
"""Of Python, for our MCP server. -P: an agent starts it in the project's folder, where a file may have a module's name."""


def mcp_servers() -> list[McpServerStdio]:
    """Our own MCP server, for the kernel in which this runs; none where it is not installed, or this is no kernel of Jupyter's."""
    application = getattr(sys.modules.get("ipykernel.kernelapp"), "IPKernelApp", None)
    if application is None or not application.initialized() or find_spec("mcp") is None:
        return []
    kernel_id = Path(application.instance().abs_connection_file).stem.removeprefix("kernel-")
    named = {KERNEL_VARIABLE: kernel_id}
    named |= {name: os.environ[name] for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR") if name in os.environ}
    env = [EnvVariable(name=name, value=value) for name, value in named.items()]
    return [McpServerStdio(name="spark", command=sys.executable, args=MCP_ARGUMENTS, env=env)]
