"""News of deep work and late repairs above IPython's prompt."""

from __future__ import annotations

import asyncio
import threading

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from spark_jupyter.protocol.deep_messages import DeepChanged, DeepState, DeepWork
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import TurnEnded, TurnStarted
from spark_jupyter.protocol.values import PROTOCOL_VERSION, Turn
from spark_jupyter.session.live_turn import REPAIR
from spark_jupyter.ui.prompt_notices import Announcer
from tests.ui.test_terminal import IPYTHON, terminal  # noqa: F401  # a fixture


def frame(state: DeepState, work_id: str = "w", *, running: bool = False) -> EventFrame:
    work = DeepWork(id=work_id, prompt="p", state=state, running=running)
    return EventFrame(v=PROTOCOL_VERSION, seq=1, msgs=(DeepChanged(work=work),))


def said_at_a_prompt(capsys, *, before=(), meanwhile=(), expected: str = "", followed: str = "") -> str:
    """What is printed while a prompt is shown, until ``expected`` stands there: frames that came before it, and from another thread."""
    printed = ""

    async def run() -> None:
        nonlocal printed
        with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
            session: PromptSession[str] = PromptSession()
            announcer = Announcer(session.app)
            for each in before:
                announcer.receive(each, followed=followed)
            prompt = asyncio.ensure_future(session.prompt_async())
            while not session.app.is_running:
                await asyncio.sleep(0.01)

            def tell() -> None:
                for each in meanwhile:
                    announcer.receive(each, followed=followed)

            teller = threading.Thread(target=tell)
            teller.start()
            while expected not in printed:
                await asyncio.sleep(0.01)
                printed += capsys.readouterr().out
            teller.join()
            announcer.close()
            keys.send_text("\r")
            await prompt

    asyncio.run(asyncio.wait_for(run(), 60))
    return printed + capsys.readouterr().out


def test_it_is_said_above_the_prompt_that_is_shown(capsys) -> None:
    frames = [frame("writing", running=True), frame("proposed")]
    said = said_at_a_prompt(capsys, meanwhile=frames, expected="shows it")
    assert "deep: done: see its proposals" in said
    assert said.count("deep:") == 1


def test_what_happens_while_a_cell_runs_is_said_with_the_next_prompt(capsys) -> None:
    frames = [frame("planning", running=True), frame("planned"), frame("proposed", "of a notebook")]
    said = said_at_a_prompt(capsys, before=frames, expected="shows it")
    assert "plan ready: approve or edit it" in said
    assert "done" not in said, "a notebook has kept it: it did not end now"


def test_what_a_person_did_or_watches_is_not_said(capsys) -> None:
    quiet = [frame("writing", running=True), frame("paused"), frame("writing", running=True), frame("cancelled")]
    assert said_at_a_prompt(capsys, meanwhile=quiet) == ""
    ended = [frame("writing", running=True), frame("proposed")]
    assert said_at_a_prompt(capsys, meanwhile=ended, followed="w") == ""


def turn(*events: TurnStarted | TurnEnded) -> EventFrame:
    return EventFrame(v=PROTOCOL_VERSION, seq=1, msgs=events)


def started(turn_id: str, prompt: str) -> EventFrame:
    return turn(TurnStarted(turn=Turn(id=turn_id, prompt=prompt, model="m")))


def test_a_repair_that_nobody_watches_is_said_when_it_has_ended(capsys) -> None:
    frames = [started("t-repair", REPAIR), turn(TurnEnded(turn_id="t-repair", outcome="completed"))]
    said = said_at_a_prompt(capsys, meanwhile=frames, expected="shows it")
    assert "failed in a copy, so it was rewritten" in said


def test_a_repair_that_fails_is_said_with_its_reason(capsys) -> None:
    ended = TurnEnded(turn_id="t-repair", outcome="failed", reason="The provider is gone.")
    said = said_at_a_prompt(capsys, meanwhile=[started("t-repair", REPAIR), turn(ended)], expected="gone")
    assert "was not rewritten. The provider is gone." in said


def test_a_turn_of_a_person_is_not_said(capsys) -> None:
    frames = [started("t", "plot it"), turn(TurnEnded(turn_id="t", outcome="completed"))]
    assert said_at_a_prompt(capsys, meanwhile=frames) == ""


def test_ipython_says_it_while_nobody_waits(terminal):  # noqa: F811
    plan = {"match": "## Intent\nplan", "answer": "1. Make numbers\n"}
    child = terminal(IPYTHON, [plan, {"answer": "```python\nnumbers = [1, 2]\n```\n", "repeat": True}])
    child.expect_exact("[1]:")
    child.send("%load_ext spark_jupyter\r")
    child.expect_exact("[2]:")
    child.send("%spark deep a report\r")
    child.expect_exact("done: see its proposals")
