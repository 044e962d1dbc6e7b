"""ACP agent for tests, on the agent side of the official SDK: what it does is a word in the request."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, Agent, RequestError, run_agent
from acp.helpers import (
    plan_entry,
    start_tool_call,
    text_block,
    tool_diff_content,
    update_agent_message,
    update_agent_thought,
    update_plan,
    update_tool_call,
)
from acp.schema import (
    AgentCapabilities,
    AgentMessageChunk,
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PromptCapabilities,
    PromptResponse,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
    ToolCallUpdate,
)

LOG = Path(sys.argv[1])
OPTIONS = [
    PermissionOption(option_id="always", name="Always", kind="allow_always"),
    PermissionOption(option_id="once", name="Once", kind="allow_once"),
    PermissionOption(option_id="no", name="No", kind="reject_once"),
]


def log(kind: str, value: Any) -> None:
    with LOG.open("a") as file:
        file.write(json.dumps([kind, value]) + "\n")


class Scripted(Agent):
    def __init__(self) -> None:
        self.count = 0
        self.cancelled = asyncio.Event()
        self.model = "small"

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, client_capabilities: Any = None, **_: Any) -> InitializeResponse:
        log("environment", dict(os.environ))
        log("capabilities", client_capabilities.model_dump(exclude_none=True))
        able = AgentCapabilities(prompt_capabilities=PromptCapabilities(image="sees" in sys.argv))
        return InitializeResponse(protocol_version=PROTOCOL_VERSION, agent_capabilities=able)

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> NewSessionResponse:
        if "signed-out" in sys.argv:
            raise RequestError.auth_required()
        self.count += 1
        self.servers = mcp_servers or []
        log("session", {"cwd": cwd, "servers": [server.name for server in mcp_servers or []]})
        modes = SessionModeState(
            current_mode_id="ask",
            available_modes=[SessionMode(id="ask", name="Ask"), SessionMode(id="plan", name="Plan")],
        )
        return NewSessionResponse(session_id=f"s{self.count}", modes=modes, config_options=self.options())

    def options(self) -> list[SessionConfigOptionSelect]:
        choices = [SessionConfigSelectOption(value=name, name=name) for name in ("small", "large")]
        return [
            SessionConfigOptionSelect(
                id="m", name="Model", category="model", type="select", current_value=self.model, options=choices
            )
        ]

    async def set_config_option(self, config_id: str, session_id: str, value: Any, **_: Any) -> Any:
        log("option", [config_id, value])
        self.model = value
        return SetSessionConfigOptionResponse(config_options=self.options())

    async def set_session_mode(self, mode_id: str, session_id: str, **_: Any) -> Any:
        log("mode", mode_id)
        return SetSessionModeResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        log("cancel", session_id)
        self.cancelled.set()

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> PromptResponse:
        text = "\n".join(block.text for block in prompt if block.type == "text")
        log("prompt", [session_id, text])
        log("images", [[block.mime_type, block.data] for block in prompt if block.type == "image"])
        self.cancelled.clear()
        word = text.rpartition("## Request\n")[2].split()[0]
        if "## Steer" in text:
            word = text.rpartition("## Steer\n")[2].split()[0]
        reason = await getattr(self, word)(session_id)
        return PromptResponse(stop_reason=reason or "end_turn")

    async def say(self, session_id: str, text: str) -> None:
        await self.client.session_update(session_id, update_agent_message(text_block(text)))

    # --- words -------------------------------------------------------------------------------------------------------

    async def plot(self, session_id: str) -> None:
        send = self.client.session_update
        await send(session_id, update_plan([plan_entry("Look at the `data`"), plan_entry("Plot it\x1b[2J")]))
        await send(session_id, update_agent_thought(text_block("Hm.")))
        await self.say(session_id, "I look.")
        await send(session_id, start_tool_call("c1", "Read sales.csv\x1b[2J\n<script>", kind="read"))
        await send(
            session_id,
            update_plan([plan_entry("Look at the `data`", status="completed"), plan_entry("Plot it\x1b[2J")]),
        )
        await send(session_id, update_tool_call("c1", status="failed"))
        await self.say(session_id, "Here:\n\n```python\nx = ")
        await self.say(session_id, "1\n```\n")

    async def deeply(self, session_id: str) -> None:
        await self.say(session_id, "1. Make numbers\n")

    async def Make(self, session_id: str) -> None:  # noqa: N802  # a step of that plan
        await self.say(session_id, "```python\nnumbers = [1, 2]\n```\n")

    async def slow(self, session_id: str) -> str:
        await self.say(session_id, "```python\n")
        for number in range(10_000):
            await self.say(session_id, f"value_{number} = {number}\n")
            await asyncio.sleep(0.01)
            if self.cancelled.is_set():
                return "cancelled"
        return "end_turn"

    async def stubborn(self, session_id: str) -> None:
        await self.say(session_id, "I go on.\n")
        await asyncio.sleep(600)

    async def permission(self, session_id: str) -> None:
        call = ToolCallUpdate(
            tool_call_id="c2", title="rm -rf `build`", kind="execute", raw_input={"command": "rm -rf build"}
        )
        answer = await self.client.request_permission(session_id, call, OPTIONS)
        await self.say(session_id, f"Answer: {getattr(answer.outcome, 'option_id', answer.outcome.outcome)}.")

    async def insist(self, session_id: str) -> None:
        for _ in range(5):
            await self.permission(session_id)

    async def notebook(self, session_id: str) -> None:
        call = ToolCallUpdate(tool_call_id="c3", title="Edit", content=[tool_diff_content("/w/nb.ipynb", "{}", "")])
        answer = await self.client.request_permission(session_id, call, OPTIONS)
        await self.say(session_id, f"Answer: {answer.outcome.option_id}.")

    async def files(self, session_id: str) -> None:
        said = []
        for method, arguments in (
            ("write_text_file", {"path": "/w/nb.ipynb", "content": "{}"}),
            ("read_text_file", {"path": "/etc/passwd"}),
            ("create_terminal", {"command": "id"}),
        ):
            try:
                await getattr(self.client, method)(session_id=session_id, **arguments)
                said.append("done")
            except RequestError as error:
                said.append(str(error))
        await self.say(session_id, "|".join(said))

    async def die(self, session_id: str) -> None:
        await self.say(session_id, "```python\nx = 1\n")
        print("out of\x1b[2J memory", file=sys.stderr, flush=True)
        await asyncio.sleep(0.2)
        os._exit(3)

    async def garbage(self, session_id: str) -> None:
        for line in (
            b"Welcome\x1b[2J!\n",
            b"[1, 2]\n",
            b'{"jsonrpc":"2.0","method":"session/update","params":{"a\\u001b[2J":1}}\n',
        ):
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        await self.say(session_id, "Still here.")

    async def tools(self, session_id: str) -> None:
        from mcp import Client, StdioServerParameters  # a second, and only needed here
        from mcp.types import Implementation

        (server,) = self.servers
        command = StdioServerParameters(
            command=server.command, args=server.args, env={one.name: one.value for one in server.env}
        )
        async with Client(command, client_info=Implementation(name="scripted", version="1")) as client:
            change = {"action": "insert", "source": "proposed = rows[-1]", "after": "cell-1"}
            for tool, arguments in (
                ("read_notebook", {"detail": "full"}),
                ("try_code", {"code": "print(sum(rows) * 7)"}),
                ("propose", {"summary": "Takes the last row.", "changes": [change]}),
                ("undo", {}),
            ):
                result = await client.call_tool(tool, arguments)
                log("tool", [tool, result.content[0].text])
        await self.say(session_id, "Done.\n\n```python\nanswered = len(rows)\n```\n")

    async def strangers(self, session_id: str) -> None:
        await self.client.session_update(
            "another", AgentMessageChunk(**update_agent_message(text_block("lost")).model_dump())
        )
        await self.say(session_id, "Mine.")


asyncio.run(run_agent(Scripted()))
