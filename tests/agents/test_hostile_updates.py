"""Updates of a hostile ACP agent: bounded, heard only during its turn, and never without an end."""

from __future__ import annotations

import asyncio

from acp.helpers import start_tool_call, text_block, update_agent_message
from acp.schema import PermissionOption, ToolCallUpdate

from spark_jupyter.agents.acp_client import LONGEST_DETAIL, MOST_SHOWN, MOST_TITLES, AgentClient, Updates, detail_of
from spark_jupyter.providers.base import ActivityShown, PermissionAsked


def call(**fields: object) -> ToolCallUpdate:
    return ToolCallUpdate(tool_call_id="c1", title="Run", kind="execute", **fields)


def test_what_it_says_while_nobody_asks_is_neither_kept_nor_shown_with_the_next_answer():
    updates = Updates("Ada")
    updates.receive(update_agent_message(text_block("before the first")))
    updates.begin()
    updates.receive(update_agent_message(text_block("an answer")))
    assert [event.text for event in updates.take()] == ["an answer"]
    updates.end()
    for _ in range(10):
        updates.receive(update_agent_message(text_block("late")))
        updates.receive(start_tool_call("c1", "Read", kind="read"))
    assert updates.events == []
    updates.begin()
    assert updates.take() == []


def test_it_asks_for_nothing_while_nobody_asks_it():
    async def asked() -> bool | None:
        return await asyncio.wait_for(Updates("Ada").ask(call()), 60)

    assert asyncio.run(asked()) is None


def test_a_flood_of_tool_calls_is_shown_and_kept_up_to_a_limit():
    updates = Updates("Ada")
    updates.begin()
    for number in range(MOST_TITLES + 500):
        updates.receive(start_tool_call(f"c{number}", "x" * 5_000, kind="read"))
    shown = [event.text for event in updates.take() if isinstance(event, ActivityShown)]
    assert len(shown) == MOST_SHOWN
    assert shown[-1] == "· …"
    assert len(updates._titles) == MOST_TITLES
    assert max(map(len, updates._titles.values())) <= 200


def test_the_end_of_what_a_permission_is_for_is_seen():
    detail = detail_of(call(raw_input={"command": "echo a" + " " * 50_000 + "; rm -rf ~"}))
    assert detail.startswith('{"command": "echo a')
    assert detail.endswith('rm -rf ~"}')
    assert "characters …" in detail
    assert len(detail) < LONGEST_DETAIL + 100
    assert "…" not in detail_of(call(raw_input={"command": "ls"}))


def test_a_yes_to_one_time_is_never_one_to_all_times():
    async def answered(*kinds: str) -> tuple[str, list[object]]:
        client, updates = AgentClient(), Updates("Ada")
        client.sessions["s"] = updates
        updates.begin()
        options = [PermissionOption(option_id=kind, name=kind, kind=kind) for kind in kinds]
        asked = asyncio.ensure_future(client.request_permission("s", call(), options))
        while not asked.done() and not updates.asked:
            await asyncio.sleep(0)
        for request_id in tuple(updates.asked):
            updates.answer(request_id, True)
        outcome = (await asked).outcome
        return getattr(outcome, "option_id", outcome.outcome), updates.take()

    chosen, events = asyncio.run(answered("allow_always", "allow_once", "reject_once"))
    assert chosen == "allow_once"
    assert [type(event) for event in events] == [PermissionAsked]
    for kinds, refused in [(("allow_always", "reject_once"), "reject_once"), (("allow_always",), "cancelled")]:
        chosen, events = asyncio.run(answered(*kinds))
        assert chosen == refused
        assert [event.text for event in events] == ["· refused, as it can't be allowed for one time only: `Run`"]
