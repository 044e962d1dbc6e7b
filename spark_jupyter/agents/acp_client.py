"""Client side of the Agent Client Protocol: updates in, permissions out.

What an agent says becomes events of a provider (:mod:`spark_jupyter.providers.base`). It is offered neither files nor terminals, and
gets none if it asks all the same; a notebook's file is written by nobody but the person's own front end.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Sequence
from typing import Any, NoReturn

from acp import RequestError
from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AllowedOutcome,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    DeniedOutcome,
    FileEditToolCallContent,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)

from spark_jupyter.providers.base import ActivityShown, ModelEvent, PermissionAsked, ReasoningDelta, TextDelta
from spark_jupyter.source.invisible_text import printable

NO_FILES = (
    "This client gives no access to files or terminals. Read the notebook and propose cells with the tools of spark."
)
NOT_A_NOTEBOOK = (
    "A notebook's file is not written directly. Propose cells with the tools of spark, or answer with code blocks."
)
LONGEST_TITLE = 200
"""Characters of a tool call or a step of a plan that are shown."""
LONGEST_DETAIL = 2_000
"""Characters of what a permission is for."""
MOST_STEPS = 30
MOST_SHOWN = 500
"""Tool calls, plans and refusals of a turn that are shown."""
MOST_TITLES = 1_000
MOST_ASKED = 10
MOST_REFUSED = 3
"""Refusals in a turn after which the person is not asked again."""
ALLOW, REJECT = ("allow_once",), ("reject_once", "reject_always")
"""Kinds of answers, the wanted one first. A person says yes to one time, which is never made one for all times."""


class Updates:
    """What an agent has said in one of its sessions, since it was last read."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self.events: list[ModelEvent] = []
        self.news = asyncio.Event()
        self.options: list[Any] = []
        """The session's settings (model, mode, thought level), as the agent lists them."""
        self.mode = ""
        self.asked: dict[str, asyncio.Future[bool | None]] = {}
        """The permissions that wait for an answer."""
        self._titles: dict[str, str] = {}
        self._plan: tuple[str, ...] = ()
        self._message: str | None = None
        self._spoke = self._begins = False
        self._refusals = self._shown = 0
        self._hears = False  # what comes while nobody asks is no answer

    def begin(self) -> None:
        """A turn begins."""
        self._plan, self._message, self._spoke, self._begins = (), None, False, False
        self._refusals = self._shown = 0
        self._hears = True

    def take(self) -> list[ModelEvent]:
        self.news.clear()
        events, self.events = self.events, []
        return events

    def receive(self, update: object) -> None:
        match update:
            case AgentMessageChunk(content=content):
                self._add_text(getattr(content, "text", ""), update.message_id)
            case AgentThoughtChunk(content=content):
                self._add(ReasoningDelta(getattr(content, "text", "")))
            case ToolCallStart():
                self._titles[update.tool_call_id] = update.title[:LONGEST_TITLE]
                if len(self._titles) > MOST_TITLES:
                    del self._titles[next(iter(self._titles))]
                self._show(f"· {one_line(update.title)}")
            case ToolCallProgress(status="failed"):
                self._show(f"· failed: {one_line(update.title or self._titles.get(update.tool_call_id, ''))}")
            case AgentPlanUpdate(entries=entries):
                self._show_plan(tuple(one_line(entry.content) for entry in entries[:MOST_STEPS]))
            case ConfigOptionUpdate():
                self.options = list(update.config_options)
            case CurrentModeUpdate():
                self.mode = update.current_mode_id

    def refuse(self, tool_call: ToolCallUpdate, why: str) -> None:
        """Say that a call was refused, and why."""
        self._show(f"· refused, as {why}: {one_line(self._title(tool_call))}")

    async def ask(self, tool_call: ToolCallUpdate) -> bool | None:
        """The person's answer; None where the turn ends before it, or none is under way. Who has refused several times is not asked
        again."""
        if not self._hears:
            return None
        if self._refusals >= MOST_REFUSED:
            self.refuse(tool_call, f"you have refused {MOST_REFUSED} times")
            return False
        request_id = f"p{secrets.token_hex(8)}"
        future = self.asked[request_id] = asyncio.get_running_loop().create_future()
        what = one_line(self._title(tool_call))
        self._add(PermissionAsked(request_id=request_id, agent=self._agent, what=what, detail=detail_of(tool_call)))
        try:
            answer: bool | None = await future
            self._refusals += answer is False
            return answer
        finally:
            self.asked.pop(request_id, None)

    def answer(self, request_id: str, allowed: bool | None) -> None:
        """The person has answered, or nobody will."""
        future = self.asked.get(request_id)
        if future is not None and not future.done():
            future.set_result(allowed)

    def end(self) -> None:
        """The turn has ended: what waits for an answer gets none, and nothing of it is shown later."""
        self._hears = False
        for request_id in tuple(self.asked):
            self.answer(request_id, None)
        self.take()

    def _title(self, tool_call: ToolCallUpdate) -> str:
        return tool_call.title or self._titles.get(tool_call.tool_call_id, "") or tool_call.kind or ""

    def _show_plan(self, steps: tuple[str, ...]) -> None:
        """A plan comes again with each step that is done; it is shown where its steps have changed."""
        if steps != self._plan:
            self._plan = steps
            self._show("\n".join(["Plan:", "", *(f"{number}. {step}" for number, step in enumerate(steps, 1))]))

    def _add_text(self, text: str, message: str | None) -> None:
        """What stands in another message, or after a tool call, begins again."""
        if (self._spoke and self._begins) or (
            message is not None and self._message is not None and message != self._message
        ):
            text = f"\n\n{text}"
        self._spoke, self._begins, self._message = True, False, message
        self._add(TextDelta(text))

    def _show(self, text: str) -> None:
        self._begins = True
        self._shown += 1
        if self._shown <= MOST_SHOWN:
            self._add(ActivityShown(text if self._shown < MOST_SHOWN else "· …"))

    def _add(self, event: ModelEvent) -> None:
        if self._hears:
            self.events.append(event)
            self.news.set()


class AgentClient:
    """Implements the SDK's ``Client`` for all sessions of one agent."""

    def __init__(self) -> None:
        self.sessions: dict[str, Updates] = {}

    def on_connect(self, conn: object) -> None:
        """The SDK hands over the other side, which is held elsewhere."""

    async def session_update(self, session_id: str, update: object, **_: Any) -> None:
        """Take in what the agent said; a session that does not exist has no listener, so its update is dropped."""
        if session_id in self.sessions:
            self.sessions[session_id].receive(update)

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Ask the person; nobody needs to be asked whether a notebook's file may be written, or for a yes to all further times."""
        updates = self.sessions.get(session_id)
        if updates is None or len(updates.asked) >= MOST_ASKED:
            return answered(options, REJECT)
        if touches_notebook(tool_call):
            updates.refuse(tool_call, "it writes a notebook's file")
            return answered(options, REJECT)
        if not any(option.kind in ALLOW for option in options):
            updates.refuse(tool_call, "it can't be allowed for one time only")
            return answered(options, REJECT)
        answer = await updates.ask(tool_call)
        return answered(options, {True: ALLOW, False: REJECT, None: ()}[answer])

    async def read_text_file(self, **_: Any) -> NoReturn:
        raise RequestError(-32601, NO_FILES)

    async def write_text_file(self, path: str = "", **_: Any) -> NoReturn:
        raise RequestError(-32601, NOT_A_NOTEBOOK if path.endswith(".ipynb") else NO_FILES)

    create_terminal = terminal_output = release_terminal = wait_for_terminal_exit = kill_terminal = read_text_file


def one_line(text: str) -> str:
    """A text of the agent's as one line of plain text: nothing in it is Markdown."""
    line = printable(" ".join(text.split()))[:LONGEST_TITLE].replace("`", "'")
    return f"`{line or '…'}`"


def answered(options: Sequence[PermissionOption], kinds: Sequence[str]) -> RequestPermissionResponse:
    """The answer with the first of these kinds that the agent offers; as if the turn were cancelled where it offers none."""
    found = next((option for kind in kinds for option in options if option.kind == kind), None)
    if found is None:
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
    return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=found.option_id))


def detail_of(tool_call: ToolCallUpdate) -> str:
    """What a call would do, as far as the agent says it: the file and its new text, or the tool's arguments."""
    edits = [one for one in tool_call.content or () if isinstance(one, FileEditToolCallContent)]
    if edits:
        text = "\n".join(f"{edit.path}\n{edit.new_text}" for edit in edits)
    else:
        text = "" if tool_call.raw_input is None else json.dumps(tool_call.raw_input, ensure_ascii=False, default=str)
    hidden = len(text) - LONGEST_DETAIL
    if hidden > 0:  # nobody agrees to an end that is not seen
        half = LONGEST_DETAIL // 2
        text = f"{text[:half]}\n… {hidden:,} characters …\n{text[-half:]}"
    return "\n".join(printable(line) for line in text.splitlines())


def touches_notebook(tool_call: ToolCallUpdate) -> bool:
    """True if a tool call names a notebook's file to be written."""
    edits = [one.path for one in tool_call.content or () if isinstance(one, FileEditToolCallContent)]
    named = [one.path for one in tool_call.locations or ()] if tool_call.kind in ("edit", "delete", "move") else []
    return any(path.lower().endswith(".ipynb") for path in (*edits, *named))
