"""A model may say how a slow cell becomes quicker: where that is free or within a budget, one request at a time, and whoever wants
something goes first."""

from __future__ import annotations

import asyncio
import datetime
from types import SimpleNamespace

import pytest

from spark_jupyter.engine.completion_context import CompletionContext
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.engine.refinement import RefinementByModel, Refinements
from spark_jupyter.exceptions import ProviderError
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.meter_messages import Spent
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import Priority, ResponseCompleted, TextDelta, Usage
from spark_jupyter.records.spending_log import Limits, Spending
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.routing.link import Link
from spark_jupyter.session.guard import Guard
from tests.engine.test_engine import until as wait_for
from tests.engine.test_refinements import Work, until

CELL = "found = [one for one in rows if one in others]"
QUICK = "others = set(others)\nfound = [one for one in rows if one in others]"
ANSWER = f"```python\n{QUICK}\n```\n"
USED = Usage(input_tokens=1_000_000, output_tokens=0)
"""One request: a dollar, where a million tokens cost that."""


class Model:
    """Stands for the connection to a model. It says its answer when it is let."""

    def __init__(self, answer: str = ANSWER) -> None:
        self.answer = answer
        self.asked: list = []
        self.under_way = self.most = self.ended = 0
        self.free = asyncio.Event()
        self.free.set()

    async def stream(self, request):
        self.asked.append(request)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            yield [TextDelta(self.answer[:5])]
            await self.free.wait()
            if not self.answer:
                raise ProviderError("It is gone.")
            yield [TextDelta(self.answer[5:]), ResponseCompleted(usage=USED)]
        finally:
            self.under_way -= 1
            self.ended += 1


class Asking:
    """A cell that is slow, and a model that may be asked about it."""

    def __init__(self, folder, model: Model, *, budget: float = 0.0, price: float | None = 0.0, **link: object) -> None:
        self.told: list[object] = []
        info = None if price is None else ModelInfo(id="m", input_price=price, output_price=price)
        self.link = Link(connection=model, model="m", price=lambda name: info, **link)  # type: ignore[arg-type]
        self.spending = Spending(
            folder, notebook="a.ipynb", limits=Limits(stop=5.0), today=lambda: datetime.date(2024, 5, 20)
        )
        self.by_model = RefinementByModel(
            SimpleNamespace(of_turns=(self.link, "m")),  # type: ignore[arg-type]
            CompletionContext(Kernel(), Guard(), Redactor(), withholds=lambda link: True),
            SimpleNamespace(send=self.told.extend),  # type: ignore[arg-type]
            self.spending,
        )
        self.by_model.budget = budget

    async def candidates(self, source: str = CELL) -> list[str]:
        run = SimpleNamespace(source=source, seconds=2.0, warned=())
        return [one.source for one in await self.by_model.candidates(run)]  # type: ignore[arg-type]


def asked(asking: Asking, source: str = CELL) -> list[str]:
    return asyncio.run(asking.candidates(source))


def test_a_model_that_costs_nothing_is_asked_at_the_lowest_priority(tmp_path):
    model = Model()
    assert asked(Asking(tmp_path, model)) == [QUICK]
    assert model.asked[0].priority is Priority.OFFER
    assert CELL in model.asked[0].input[0].text


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("NOTHING", CELL),
        ("```python\nx = (\n```\n", CELL),
        (f"```python\n# the same\n{CELL}\n```\n", CELL),
        (f"{ANSWER}\n{ANSWER}", CELL),
        ("", CELL),
        (ANSWER, "x = 1\n" * 2_000),
    ],
    ids=["nothing", "no Python", "the same", "two", "a failure", "too long to be shown"],
)
def test_what_is_no_other_text_is_no_candidate(tmp_path, answer, source):
    assert asked(Asking(tmp_path, Model(answer)), source) == []


def test_credentials_in_the_cell_stay_here(tmp_path):
    model = Model()
    asked(Asking(tmp_path, model), f"key = 'sk-proj-{'a1B2' * 12}'\n{CELL}")
    assert "a1B2a1B2" not in model.asked[0].input[0].text


@pytest.mark.parametrize(("budget", "price"), [(0.0, 1.0), (9.0, None), (0.001, 1.0)])
def test_one_that_costs_is_not_asked_without_a_budget_that_holds_it(tmp_path, budget, price):
    model = Model()
    assert asked(Asking(tmp_path, model, budget=budget, price=price)) == []
    assert model.asked == []


def test_a_model_on_this_machine_is_asked_whether_its_price_is_known_or_not_and_recipe_books_are_not(tmp_path):
    assert asked(Asking(tmp_path, Model(), price=None, local=True)) == [QUICK]
    assert asked(Asking(tmp_path, Model(), local=True, offline=True)) == []


def test_the_budget_of_a_day_ends_and_what_was_spent_is_told_and_counts_in_every_notebook(tmp_path):
    model = Model()
    asking = Asking(tmp_path, model, budget=1.5, price=1.0)
    assert asked(asking) == [QUICK]
    assert asking.told == [Spent(today=1.0, notebook=1.0, stop=5.0)]
    assert asked(asking) == [QUICK]
    assert asked(asking) == []
    assert asked(Asking(tmp_path, model, budget=1.5, price=1.0)) == []
    assert len(model.asked) == 2


def test_nothing_is_asked_behind_the_limit_of_the_day(tmp_path):
    model = Model()
    asking = Asking(tmp_path, model, budget=100.0, price=1.0)
    for _ in range(6):
        asked(asking)
    assert len(model.asked) == 5


def test_one_is_asked_at_a_time_and_whoever_wants_something_ends_it_which_is_paid_all_the_same(tmp_path):
    async def run() -> None:
        model = Model()
        model.free.clear()
        asking, work, tasks = Asking(tmp_path, model, budget=2.0, price=1.0), Work(CELL), []

        def spawn(coroutine):
            tasks.append(asyncio.ensure_future(coroutine))
            return tasks[-1]

        thread, broadcast = SimpleNamespace(spawn=spawn), SimpleNamespace(send=print)
        idle = Refinements(lambda: work, asking.by_model, thread, broadcast, quiet=lambda: True, idle=0.01)
        idle.ends()
        await until(lambda: model.under_way == 1)
        idle._look()
        assert len(tasks) == 1
        idle.stir()
        await until(lambda: model.ended == 1)  # a moment later another one begins
        assert model.most == 1
        assert work.tried == []
        assert 0 < asking.spending.refined < 1
        idle.switch("off")
        await asyncio.gather(*tasks)
        idle.allow(7.0)
        assert asking.by_model.budget == 7.0

    asyncio.run(run())


def test_where_the_rules_find_nothing_a_model_of_the_engine_does_and_a_turn_comes_first(make_engine, monkeypatch):
    monkeypatch.setitem(Refinements.__init__.__kwdefaults__, "idle", 0.01)
    work = Work(CELL)
    answers = [{"match": "This took", "answer": ANSWER}, {"answer": "```python\ny = 2\n```\n"}]
    watched = make_engine(answers, checks=Checks(refining=lambda: work))
    watched.engine.wait_until_connected(60)
    watched.engine.submit(Prompt(turn_id="t1", text="one"))
    watched.engine.cell_ends()
    assert watched.wait("t1", 60).outcome == "completed"
    wait_for(lambda: work.tried)
    assert work.tried == [QUICK]
