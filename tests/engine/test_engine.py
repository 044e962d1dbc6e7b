"""The engine on real sockets: the embedded server plays the answers."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from contextlib import closing

import pytest

from spark_jupyter.engine import broadcast
from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks
from spark_jupyter.exceptions import ConnectionRefused, SessionError
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Cancel, Hello, Problem, Prompt, Snapshot, Steer, Warm
from spark_jupyter.protocol.proposal_messages import Accept, CellsChanged, Run, RunRequested
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.protocol.trial_messages import CancelTry, TrialResult, Try
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Finding, NotebookCell, Person, Target
from spark_jupyter.providers.base import ResponseStarted, TextDelta
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import Link, linker
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.rehearsal_feed import AwaitRehearsal
from tests.conftest import Watched
from tests.engine.long_answer import ANSWER, CODE, until


def test_an_answer_arrives_whole_and_in_order(make_engine):
    watched = make_engine([{"answer": ANSWER}])
    watched.engine.submit(Prompt(turn_id="t1", text="values"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].source == CODE
    numbers = [frame.seq for frame in watched.frames]  # a Hello may have left before anybody listened
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


@pytest.mark.parametrize("method", ["submit", "say"])
def test_half_a_character_in_a_prompt_is_one_that_all_can_show(make_engine, method):
    watched = make_engine([{"answer": ANSWER}])
    cells = (NotebookCell(id="a", cell_type="code", source="name = '\udce9'"),)
    getattr(watched.engine, method)(Prompt(turn_id="t1", text="values of \ud83c", cells=cells))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.view.turns["t1"].prompt == "values of \ufffd"
    assert watched.view.proposals["t1-1"].source == CODE


def test_a_flood_becomes_few_frames(make_engine, monkeypatch):
    monkeypatch.setattr(broadcast, "FRAME_INTERVAL", 0.5)
    watched = make_engine([{"answer": ANSWER}], rate=5000)
    watched.engine.submit(Prompt(turn_id="t1", text="values"))
    watched.wait("t1", 60)
    changes = sum(len(event.changes) for event in watched.events if isinstance(event, CellsChanged))
    assert changes < 250, "about a thousand tokens came, and so many frames take two minutes"
    assert watched.view.proposals["t1-1"].source == CODE


def test_a_cancelled_turn_ends_and_the_next_one_works(make_engine):
    watched = make_engine([{"answer": ANSWER}, {"answer": "```python\nx = 1\n```\n"}], rate=100)
    watched.engine.submit(Prompt(turn_id="t1", text="values"))
    until(lambda: "t1-1" in watched.view.proposals and len(watched.view.proposals["t1-1"].source) > 20)
    watched.engine.submit(Cancel())
    assert watched.wait("t1", 60).outcome == "cancelled"
    kept = watched.view.proposals["t1-1"].source
    assert CODE.startswith(kept.rstrip("\n"))
    assert len(kept) < len(CODE)
    watched.engine.submit(Prompt(turn_id="t2", text="more"))
    assert watched.wait("t2", 60).outcome == "completed"
    assert watched.view.proposals["t2-1"].source == "x = 1"
    assert watched.view.proposals["t1-1"].source == kept, "the tail was not written"


class Endless:
    """A connection whose answer begins and does not end, and a judge: what happens to both, in order."""

    def __init__(self) -> None:
        self.order: list[str] = []

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def stream(self, request):
        try:
            yield [ResponseStarted(response_id="r", model="m"), TextDelta("```python\na = 1\nb = 2\n")]
            await asyncio.Event().wait()
        finally:
            self.order.append("left")

    def watch(self, unrun, earlier):
        self.order.append("judged")
        return self

    def feed(self, text):
        return []

    def flush(self):
        return []


def test_a_provider_hears_of_a_cancel_before_what_stands_is_judged_and_what_follows_comes_behind_it():
    endless = Endless()

    async def connect() -> Link:
        return Link(connection=endless, model="m")

    with closing(Engine(connect, guard=Guard(others=[endless.watch]))) as engine:
        watched = Watched(engine)
        engine.submit(Prompt(turn_id="t1", text="values"))
        until(lambda: "t1-1" in watched.view.proposals and "b = 2" in watched.view.proposals["t1-1"].source)
        endless.order.clear()
        engine.submit(Cancel(turn_id="t1", shown={"t1-1": "a = 1\n"}))
        engine.submit(Accept(cell_id="t1-1", source="a = 1\n"))
        until(lambda: watched.view.proposals["t1-1"].state == "accepted")
        assert endless.order[:2] == ["left", "judged"]
        assert not [event for event in watched.events if isinstance(event, Problem)]
        assert watched.wait("t1", 60).outcome == "cancelled"


def test_what_comes_as_a_cancel_ends_stays_behind_what_waits_for_it(make_engine, monkeypatch):
    watched = make_engine([{"answer": ANSWER}])
    taken: list[str] = []
    commands = watched.engine._commands
    monkeypatch.setattr(commands, "_take", lambda command: taken.append(type(command).__name__))

    def begin() -> None:
        commands.begin(Cancel())
        commands._before.add_done_callback(lambda _: commands.begin(Accept(cell_id="t1-1")))
        commands.begin(Prompt(turn_id="t1", text="a"))

    watched.engine._thread.ask(begin)
    until(lambda: len(taken) == 3)
    assert taken == ["Cancel", "Prompt", "Accept"]


def test_what_comes_while_somebody_waits_for_a_cancel_stays_behind_it(make_engine, monkeypatch):
    watched = make_engine([{"answer": ANSWER}])
    taken: list[str] = []
    commands = watched.engine._commands
    monkeypatch.setattr(commands, "_take", lambda command: taken.append(type(command).__name__))

    async def begin() -> None:
        waits = asyncio.create_task(commands.wait(Cancel()))
        await asyncio.sleep(0)
        commands.begin(Prompt(turn_id="t1", text="a"))
        await waits

    watched.engine._thread.wait_for(begin(), 60)
    until(lambda: len(taken) == 2)
    assert taken == ["Cancel", "Prompt"]


def test_a_steer_redirects_at_once_and_keeps_the_whole_lines(make_engine):
    answers = [
        {"answer": ANSWER},
        {"match": "## Steer", "answer": "```python continue\nlast = 'steered'\n```\n"},
    ]
    watched = make_engine(answers, rate=100)
    watched.engine.submit(Prompt(turn_id="t1", text="values"))
    until(lambda: "t1-1" in watched.view.proposals and watched.view.proposals["t1-1"].source.count("\n") > 2)
    watched.engine.submit(Steer(turn_id="t2", steers="t1", text="end it"))
    assert watched.wait("t2", 60).outcome == "completed"
    *kept, last = watched.view.proposals["t1-1"].source.split("\n")
    assert last == "last = 'steered'"
    assert kept
    assert CODE.startswith("\n".join(kept))
    assert watched.wait("t1", 60).outcome == "superseded"


def test_a_cut_by_the_guardrail_is_corrected_over_the_wire(make_engine):
    answers = [
        {"answer": "```python\nimport os\nos.system(input())\nprint('more')\n```\n"},
        {"match": "command-injection", "answer": "```python\nprint('safe')\n```\n"},
    ]
    watched = make_engine(answers)
    watched.engine.submit(Prompt(turn_id="t1", text="run what I type"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].source == "print('safe')"
    assert watched.view.cuts[0].cut == "os.system(input())\n"


def test_two_turns_stream_beside_each_other(make_engine):
    watched = make_engine([{"match": "one", "answer": ANSWER}, {"match": "two", "answer": ANSWER}], rate=2_000)
    watched.engine.submit(Prompt(turn_id="t1", text="one"))
    watched.engine.submit(Prompt(turn_id="t2", text="two"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.wait("t2", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].source == watched.view.proposals["t2-1"].source == CODE


def without_greetings(frames: list[EventFrame]) -> list[EventFrame]:
    return [frame for frame in frames if not (frame.msgs and all(isinstance(event, Hello) for event in frame.msgs))]


def test_who_attaches_late_gets_a_snapshot_and_who_missed_frames_gets_them(make_engine):
    watched = make_engine([{"answer": ANSWER}], rate=2000)
    watched.engine.submit(Prompt(turn_id="t1", text="values"))
    until(lambda: len(watched.frames) > 3)  # a busy machine makes few of them
    late, missed = TurnView(), TurnView()
    late_frames, missed_frames = [], []
    watched.engine.subscribe(lambda f: (late_frames.append(f), late.receive_all(f.msgs)), last_seq=0)
    missed.receive_all([event for frame in watched.frames[:3] for event in frame.msgs])
    watched.engine.subscribe(lambda f: (missed_frames.append(f), missed.receive_all(f.msgs)), last_seq=3)
    watched.wait("t1", 60)
    until(lambda: late.turns["t1"].outcome and missed.turns["t1"].outcome)
    assert isinstance(late_frames[0].msgs[0], Hello)
    assert isinstance(late_frames[0].msgs[1], Snapshot)
    assert [f.seq for f in late_frames] == list(range(late_frames[0].seq, late_frames[-1].seq + 1))
    assert not any(isinstance(event, Snapshot) for frame in missed_frames for event in frame.msgs)
    assert [f.seq for f in without_greetings(missed_frames)] == list(range(4, missed_frames[-1].seq + 1))
    assert late.proposals == missed.proposals == watched.view.proposals


def test_frames_can_be_had_again(make_engine):
    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}])
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    watched.wait("t1", 60)
    again = []
    watched.engine.resend(again.append, from_seq=2)
    until(lambda: len(again) == len(watched.frames) + 1)
    assert [frame.msgs[0].catching_up for frame in (again[0], again[-1])] == [True, False], "it may write behind them"
    said = [
        [event for frame in frames for event in frame.msgs if not isinstance(event, Hello)]
        for frames in (again, watched.frames[1:])
    ]
    assert said[0] == said[1]


def test_nothing_of_the_context_that_a_turn_is_begun_in_goes_along(make_engine):
    watched = make_engine([{"answer": ANSWER}])
    cell = contextvars.ContextVar("cell")
    cell.set("the cell that prompts")
    seen = []
    watched.engine.subscribe(lambda frame: seen.append(cell.get(None)))
    watched.engine.say(Prompt(turn_id="t1", text="x"))
    watched.engine.submit(Warm())
    watched.wait("t1", 60)
    assert set(seen) == {None}


def test_a_front_end_that_fails_does_not_disturb_the_others(make_engine, caplog):
    watched = make_engine([{"answer": ANSWER}])

    def broken(frame):
        raise RuntimeError("no")

    watched.engine.subscribe(broken)
    watched.engine.submit(Prompt(turn_id="t1", text="values"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].source == CODE


def test_without_a_server_the_turn_fails_with_a_remedy_and_the_session_lives(unused_port):
    engine = Engine(linker(Settings(base_url=f"ws://127.0.0.1:{unused_port}/v1", model="m")))
    watched = Watched(engine)
    try:
        engine.submit(Prompt(turn_id="t1", text="x"))
        assert watched.wait("t1", 60).outcome == "failed"
        assert watched.view.problems[0].code == "connection_refused"
        assert watched.view.problems[0].remedy
        with pytest.raises(ConnectionRefused):
            engine.models()
    finally:
        engine.close()


def test_the_next_turn_connects_where_the_first_could_not(unused_port, play_answers):
    from spark_jupyter.server.engines.script import ScriptEngine
    from spark_jupyter.server.server_runner import serve_in_thread

    settings = Settings(
        base_url=f"ws://127.0.0.1:{unused_port}/v1", model="script", api_key=Secret("token-token-token")
    )
    engine = Engine(linker(settings))
    watched = Watched(engine)
    try:
        engine.submit(Prompt(turn_id="t1", text="x"))
        assert watched.wait("t1", 60).outcome == "failed"
        script = ScriptEngine({"answers": [{"answer": "```python\nx = 1\n```\n"}]})
        with serve_in_thread(engine=script, port=unused_port, token="token-token-token"):
            engine.submit(Prompt(turn_id="t2", text="x"))
            assert watched.wait("t2", 60).outcome == "completed"
    finally:
        engine.close()


def test_a_command_that_does_not_fit_is_raised_to_who_waits_and_told_to_who_does_not(make_engine):
    watched = make_engine([])
    with pytest.raises(SessionError):
        watched.engine.say(Accept(cell_id="nothing"))
    watched.engine.submit(Accept(cell_id="nothing"))
    until(lambda: any(isinstance(event, Problem) for event in watched.events))


def test_a_second_opinion_blocks_a_cell_that_was_ready(make_engine):
    async def inspect(action):
        return [Finding(rule="S1", severity="block", line=1, message="No.", origin="second-opinion")]

    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=Checks(inspect=inspect))
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    until(lambda: watched.view.proposals.get("t1-1") and watched.view.proposals["t1-1"].state == "blocked")
    with pytest.raises(SessionError):
        watched.engine.say(Run(cell_id="t1-1"))


def test_a_second_opinion_that_fails_is_said_and_leaves_the_answer(make_engine):
    async def inspect(action):
        raise OSError("no such tool")

    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=Checks(inspect=inspect))
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    until(lambda: watched.view.problems)
    assert "no such tool" in watched.view.problems[0].message
    assert watched.wait("t1", 60).outcome == "completed"


def slow_inspection(findings=()):
    """An inspection that ends when it is told to."""
    may_end = threading.Event()

    async def inspect(action):
        while not may_end.is_set():
            await asyncio.sleep(0.005)
        return findings

    return Checks(inspect=inspect), may_end


def test_run_waits_for_the_second_opinion_which_may_block_it(make_engine, monkeypatch):
    monkeypatch.setattr("spark_jupyter.engine.action_runner.PATIENCE_OF_TURN", 0.0)  # a turn's patience is not Run's
    finding = Finding(rule="S1", severity="block", line=1, message="No.", origin="second-opinion")
    checks, may_end = slow_inspection([finding])
    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=checks)
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    until(lambda: watched.view.proposals.get("t1-1") and watched.view.proposals["t1-1"].state == "ready")
    assert watched.view.proposals["t1-1"].inspecting
    watched.engine.submit(Run(cell_id="t1-1"))
    assert not watched.engine.read(lambda session: session.store.draft("t1-1").state == "accepted")
    may_end.set()
    until(lambda: any(isinstance(event, Problem) for event in watched.events))
    until(lambda: watched.view.proposals["t1-1"].state == "blocked")
    assert not any(isinstance(event, RunRequested) for event in watched.events)
    with pytest.raises(SessionError, match="blocks"):
        watched.engine.say(Run(cell_id="t1-1"))


def test_run_waits_for_a_second_opinion_only_so_long(make_engine, monkeypatch):
    monkeypatch.setattr("spark_jupyter.engine.check_runners.PATIENCE_OF_RUN", 0.3)
    checks, may_end = slow_inspection()
    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=checks)
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    until(lambda: watched.view.proposals.get("t1-1") and watched.view.proposals["t1-1"].state == "ready")
    assert watched.view.proposals["t1-1"].inspecting
    watched.engine.say(Run(cell_id="t1-1"))
    until(lambda: any(isinstance(event, RunRequested) for event in watched.events))
    until(lambda: [event.code for event in watched.events if isinstance(event, Problem)] == ["checks_late"])
    may_end.set()


def test_a_turn_waits_for_its_rehearsal_only_so_long(make_engine, monkeypatch):
    monkeypatch.setattr("spark_jupyter.engine.action_runner.PATIENCE_OF_TURN", 0.05)
    monkeypatch.setattr("spark_jupyter.engine.check_runners.PATIENCE_OF_RUN", 600.0)
    asked = []
    checks = Checks(rehearse=lambda action, say: asked.append(action))  # it never says anything
    watched = make_engine(
        [{"answer": "```python\nx = 1\n```\n"}], checks=checks, options=Options(own=Configure(rehearse="stream"))
    )
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert any(isinstance(action, AwaitRehearsal) for action in asked)


def test_where_nothing_inspects_nothing_is_waited_for(make_engine):
    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}])
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    watched.wait("t1", 60)
    until(lambda: watched.view.proposals["t1-1"].state == "ready")
    assert not watched.view.proposals["t1-1"].inspecting


def test_a_try_where_there_is_none_says_why(make_engine):
    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=Checks(try_unavailable="No fork here."))
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    watched.wait("t1", 60)
    watched.engine.say(Try(cell_id="t1-1"))
    until(lambda: any(isinstance(event, TrialResult) for event in watched.events))
    assert watched.view.trials["t1-1"].problem == "No fork here."


def test_a_cancelled_turn_ends_its_own_tries_and_a_cancel_of_all_ends_all(make_engine):
    async def never(action):
        await asyncio.Event().wait()

    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}] * 2, checks=Checks(try_proposal=never))
    for turn_id in ("t1", "t2"):
        watched.engine.submit(Prompt(turn_id=turn_id, text="x"))
        watched.wait(turn_id, 60)
        watched.engine.say(Try(cell_id=f"{turn_id}-1"))
    watched.engine.say(CancelTry(cell_id="t1-1"))
    until(lambda: "t1-1" in watched.view.trials)
    assert watched.engine.read(lambda session: session.trying) == ("t2-1",)
    watched.engine.say(Try(cell_id="t1-1"))
    watched.engine.say(Cancel(turn_id="t1"))
    until(lambda: watched.engine.read(lambda session: session.trying) == ("t2-1",))
    assert watched.engine.read(lambda session: session.trying) == ("t2-1",)
    watched.engine.say(Cancel())
    until(lambda: "t2-1" in watched.view.trials)
    assert watched.view.trials["t1-1"].problem == watched.view.trials["t2-1"].problem == "The Try was cancelled."


@pytest.mark.parametrize(("missing", "tried"), [("", ["c"]), ("Not enforced here: what it writes.", [])])
def test_where_a_wall_is_missing_nothing_is_tried_that_nobody_asked_for(make_engine, missing, tried):
    asked = []

    async def try_it(action):
        asked.append(action.cell_id)
        return TrialResult(turn_id=action.turn_id, cell_id=action.cell_id, unenforced=missing)

    checks = Checks(try_proposal=try_it, no_rehearsal=lambda: missing)
    watched = make_engine([{"answer": "```python cell=c\nx = 1\n```\n"}], checks=checks)
    cells = (NotebookCell(id="c", source="x = 1 / 0"),)
    watched.engine.submit(Prompt(turn_id="t1", text="Fix it.", intent="fix", target=Target(edit="c"), cells=cells))
    watched.wait("t1", 60)
    until(lambda: not watched.engine.read(lambda session: session.trying))
    assert asked == tried
    watched.engine.say(Try(cell_id="c"))
    until(lambda: len(asked) > len(tried))  # a person did


def test_closing_ends_the_thread_and_wakes_who_waits(make_engine):
    before = set(threading.enumerate())
    watched = make_engine([{"answer": ANSWER}], rate=20)
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    until(lambda: watched.frames)
    waiter = threading.Thread(target=watched.engine.follow("t1").wait, args=(lambda: None,))
    waiter.start()
    watched.engine.close()
    waiter.join(60)
    assert not waiter.is_alive()
    until(lambda: not [one for one in set(threading.enumerate()) - before if one.name == "spark-engine"])


@pytest.mark.parametrize("kind", [RuntimeError, SystemExit, KeyboardInterrupt])
def test_a_fault_of_our_own_ends_the_turn_and_says_so(make_engine, kind):
    class Broken(Guard):
        def watch(self, context, unrun, earlier, *, base=""):
            raise kind("a bug")

    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], guard=Broken())
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    ended = watched.wait("t1", 60)
    assert ended.outcome == "failed"
    assert kind.__name__ in ended.reason


@pytest.mark.parametrize("kind", [RuntimeError, SystemExit, KeyboardInterrupt])
def test_a_check_that_meets_an_object_which_ends_the_program_is_reported(make_engine, kind):
    async def fails(action):
        raise kind("a bug")

    watched = make_engine([{"answer": "```python\nx = 1\n```\n"}], checks=Checks(inspect=fails, try_proposal=fails))
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1", 60).outcome == "completed"
    until(lambda: any(kind.__name__ in one.message for one in watched.view.problems))
    until(lambda: not watched.view.proposals["t1-1"].inspecting)
    watched.engine.say(Try(cell_id="t1-1"))
    until(lambda: "t1-1" in watched.view.trials)
    assert kind.__name__ in watched.view.trials["t1-1"].problem


def test_a_fault_on_a_command_is_said(make_engine):
    class Broken(Guard):
        def context(self, sources):
            raise RuntimeError("a bug")

    watched = make_engine([], guard=Broken())
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    until(lambda: watched.view.problems)
    assert "RuntimeError" in watched.view.problems[0].message
    assert watched.view.problems[0].turn_id == "t1", "who asked for it waits no longer"


def test_a_cancel_is_taken_in_between_the_pieces_of_a_flood(make_engine):
    watched = make_engine([{"answer": "```python\n" + "value = [1, 2, 3]\n" * 15_000}])
    watched.engine.submit(Prompt(turn_id="t1", text="flood"))
    until(lambda: watched.view.proposals)
    watched.engine.say(Cancel(turn_id="t1"))
    assert watched.wait("t1", 60).outcome == "cancelled"
    assert len(watched.view.proposals["t1-1"].source) < 200_000, "it did not wait for the rest of what had come"


def test_who_hears_of_a_refused_command_is_told_whose_it_was(make_engine) -> None:
    watched = make_engine([])
    watched.engine.submit(Steer(turn_id="t2", steers="t1", text="otherwise", by=Person(id="ada")))
    until(lambda: any(isinstance(event, Problem) for event in watched.events))
    assert [event.by for event in watched.events if isinstance(event, Problem)] == [Person(id="ada")]
