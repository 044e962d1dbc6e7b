"""Memory of an engine does not grow with the turns: a long day in small, with every bound lowered."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections import Counter
from functools import partial
from types import SimpleNamespace

from spark_jupyter.engine import broadcast
from spark_jupyter.engine.broadcast import FrameLog
from spark_jupyter.engine.check_runners import Tries
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.prompting import dialogue
from spark_jupyter.protocol.messages import Cancel, Prompt, Steer
from spark_jupyter.protocol.proposal_messages import Accept, Reject
from spark_jupyter.protocol.trial_messages import TrialResult, Try
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.redaction import redactor
from spark_jupyter.routing.link import linker
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread
from spark_jupyter.session import turn_history as history
from spark_jupyter.session.actions import ProveEdits, TryProposal

ANSWERS = [
    {"match": "## Steer", "answer": "```python continue\nlast = 1\n```\n", "repeat": True},
    {"match": "## Request\ndrop", "answer": "```python\nx = 1\ny = 2\nz = 3\n```\n", "drop_after": 6, "repeat": True},
    {"match": "## Request\nslow", "answer": "```python\nx = 1\ny = 2\nz = 3\n```\n", "stall_after": 6, "repeat": True},
    {"answer": "A note.\n\n```python\nx = 1\n```\n", "repeat": True},
]
TURNS = 24


def turns(engine: Engine, numbers: range) -> None:
    """Each with its own notebook, as a browser sends it: answered, steered, cancelled or torn off, tried and decided on."""
    for number in numbers:
        kind = ("plain", "slow", "drop", "slow")[number % 4]
        cells = tuple(NotebookCell(id=f"c{one}", source=f"a_{one} = {number}") for one in range(6))
        turn_id = f"t{number}"
        following = engine.follow(turn_id)
        last = Prompt(turn_id=turn_id, text=kind, cells=cells, target=Target(after="c5"))
        if kind == "slow":
            engine.say(last)
            while not engine.read(lambda session, turn_id=turn_id: session.store.of_turn(turn_id)):
                time.sleep(0.01)
            last = Cancel(turn_id=turn_id)
            if number % 8 == 1:
                last = Steer(turn_id=f"{turn_id}-s", steers=turn_id, text="go on")
        assert following.wait(lambda last=last: engine.say(last)).ended is not None
        for draft in engine.read(lambda session: list(session.store.undecided)):
            following = engine.follow_try(draft)
            for _ in following.through(lambda draft=draft: engine.say(Try(cell_id=draft))):
                pass
            engine.say(Accept(cell_id=draft) if number % 2 else Reject(cell_id=draft))


def objects() -> Counter[str]:
    """How many there are of each class of ours, of tasks and of coroutines."""
    gc.collect()
    names = (f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())
    return Counter(name for name in names if name.startswith(("spark_jupyter.", "_asyncio.", "builtins.coroutine")))


async def tried(action) -> TrialResult:
    return TrialResult(turn_id=action.turn_id, cell_id=action.cell_id, source_hash=action.source_hash)


def test_nothing_is_kept_for_each_turn(monkeypatch):
    monkeypatch.setattr(history, "MOST_KEPT_TURNS", 4)
    monkeypatch.setattr(history, "MOST_TOLD_TURNS", 4)
    monkeypatch.setattr(dialogue, "MOST_KEPT_TURNS", 4)
    monkeypatch.setattr(broadcast, "FrameLog", partial(FrameLog, kept=20))
    monkeypatch.setattr(redactor, "_CACHED_TEXTS", 8)
    script = ScriptEngine({"models": ["m"], "answers": ANSWERS})
    with serve_in_thread(engine=script) as info:
        settings = Settings(base_url=info.url, api_key=Secret(info.token), model="m")
        one = Engine(linker(settings), kernel=Kernel(checks=Checks(try_proposal=tried)))
        try:
            counts = []
            for start in range(0, 3 * TURNS, TURNS):
                turns(one, range(start, start + TURNS))
                script.asked.clear()
                counts.append(objects())
            _, before, after = counts
            assert not {name: more for name in after if (more := after[name] - before[name]) >= TURNS / 2}
        finally:
            one.close()


def test_edits_that_were_tried_together_leave_no_task():
    edits = tuple(
        TryProposal(turn_id="t", cell_id=cell_id, source="x = 1", source_hash="", allow=()) for cell_id in ("a", "b")
    )
    begun: list[weakref.ref[asyncio.Task[None]]] = []

    async def tried_together(action):
        return [await tried(edit) for edit in action.edits]

    def spawn(coroutine):
        task = asyncio.ensure_future(coroutine)
        begun.append(weakref.ref(task))
        return task

    async def run() -> None:
        told = asyncio.Event()
        tries = Tries(Checks(try_together=tried_together), SimpleNamespace(spawn=spawn), tell=lambda say: told.set())
        tries.try_together(ProveEdits(turn_id="t", edits=edits))
        await told.wait()
        await asyncio.sleep(0)  # what is done is taken away at the loop's next turn
        await asyncio.sleep(0)
        gc.collect()
        assert begun[0]() is None

    asyncio.run(run())
