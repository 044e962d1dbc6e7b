"""Better texts are looked for when nobody wants anything, one at a time, and told to all."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.engine.refinement import Refinements
from spark_jupyter.protocol.completion_messages import DropCompletion
from spark_jupyter.sandbox.refinement_runner import Better
from tests.engine import long_answer

LOOP = "for _, row in df.iterrows():\n    total += row['a']"
FOUND = Better(cell_id="c", base=LOOP, source="total += df['a'].sum()", words="sum the columns at once: 2.0 s → 4 ms")


class Work:
    """Stands for the copies. ``cells`` are those that are worth a look."""

    def __init__(self, *cells: str, seconds: float = 2.0, warned: tuple[str, ...] = ()) -> None:
        self.cells = list(cells)
        self.seconds, self.warned = seconds, warned
        self.tried: list[str] = []
        self.stopped = 0
        self.free = threading.Event()
        self.free.set()

    def next(self) -> SimpleNamespace | None:
        self.stopped = 0
        return (
            SimpleNamespace(run=SimpleNamespace(source=self.cells[0], seconds=self.seconds, warned=self.warned))
            if self.cells
            else None
        )

    def first(self, kept: SimpleNamespace, candidates: list) -> Better | None:
        self.tried += [one.source for one in candidates]
        self.free.wait(60)
        return None if self.stopped else FOUND

    def done_with(self, kept: SimpleNamespace) -> None:
        if not self.stopped:
            self.cells.pop(0)

    def stop(self) -> None:
        self.stopped += 1

    def for_cell(self, cell_id: str, source: str) -> Better | None:
        return FOUND if (cell_id, source) == ("c", LOOP) else None


def played(work: Work, play, *, quiet=lambda: True) -> list[object]:
    """What is told where ``play`` says what happens."""
    told: list[object] = []

    async def run() -> None:
        tasks = []

        def spawn(coroutine):
            tasks.append(asyncio.ensure_future(coroutine))
            return tasks[-1]

        thread, broadcast = SimpleNamespace(spawn=spawn), SimpleNamespace(send=told.extend)
        idle = Refinements(lambda: work, None, thread, broadcast, quiet=quiet, idle=0.01)
        await play(idle, tasks)
        idle.begins()
        work.free.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())
    return told


async def until(condition) -> None:
    while not condition():
        await asyncio.sleep(0.005)


def test_after_a_cell_the_next_idle_moment_finds_a_better_text_and_goes_on_to_the_next_cell():
    work = Work(LOOP, "x = 1")

    async def play(idle, tasks) -> None:
        idle.ends()
        await until(lambda: not work.cells)
        assert idle.for_cell("c", LOOP) == (FOUND.source, FOUND.words)
        assert idle.for_cell("c", "x") is None

    assert played(work, play) == [FOUND.event]
    assert work.tried == ["total += (df['a']).sum()"]


def test_a_quick_cell_is_looked_at_for_a_shorter_text_and_one_that_warned_for_a_quieter_one():
    filled = "xs = []\nfor x in ys:\n    xs.append(x)"
    warning = "`row_stack` alias is deprecated. Use `np.vstack` directly."
    work = Work(LOOP, filled, "a = np.row_stack([b])", seconds=0.01, warned=(warning,))

    async def play(idle, tasks) -> None:
        idle.ends()
        await until(lambda: not work.cells)

    assert played(work, play) == [FOUND.event] * 2
    assert work.tried == ["xs = [x for x in ys]", "a = np.vstack([b])"]


def test_whoever_wants_something_ends_it_and_nothing_is_told():
    work = Work(LOOP)
    work.free.clear()

    async def play(idle, tasks) -> None:
        idle.ends()
        await until(lambda: work.tried)
        idle.stir()
        assert work.stopped == 1
        work.free.set()
        await until(lambda: tasks[0].done())

    assert played(work, play) == []


def test_while_something_streams_it_waits_and_where_it_is_off_nothing_begins():
    work, busy = Work(LOOP), [True]

    async def play(idle, tasks) -> None:
        idle.switch("off")
        idle.ends()
        idle.switch("on")
        idle.ends()
        await asyncio.sleep(0.05)
        assert tasks == []
        busy.clear()
        await until(lambda: not work.cells)

    assert played(work, play, quiet=lambda: not busy) == [FOUND.event]


def test_a_key_in_a_cell_ends_it_too(monkeypatch):
    monkeypatch.setitem(Refinements.__init__.__kwdefaults__, "idle", 0.01)
    ended = threading.Event()

    class UntilStopped(Work):
        def first(self, kept, candidates):
            self.tried += candidates
            ended.wait()

        def stop(self) -> None:
            ended.set()

    work = UntilStopped(LOOP)
    engine = Engine(unlinked, kernel=Kernel(checks=Checks(refining=lambda: work)))
    try:
        engine.cell_ends()
        long_answer.until(lambda: work.tried)
        engine.answer_alone(lambda frame: None, DropCompletion(completion_id="c1"))
        long_answer.until(ended.is_set)
    finally:
        engine.close()


async def unlinked():
    raise AssertionError("No model is asked.")
