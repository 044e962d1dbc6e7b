"""Log of spending, and its limits."""

from __future__ import annotations

import datetime

import pytest
from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.deep_messages import BeginDeep, ChooseDeep, DeepChanged, DeepState, DeepWork, DirectDeep
from spark_jupyter.protocol.messages import Problem, Prompt, Steer, TurnEnded, TurnStarted
from spark_jupyter.protocol.meter_messages import Meter, Spent
from spark_jupyter.protocol.values import Attempts, ModelInfo, Person, Turn
from spark_jupyter.records.spending_log import Limits, Spending
from spark_jupyter.routing.link import Link
from tests.engine.test_deep_routing import CHECKS, NUMBERS, PLAN, state
from tests.engine.test_engine import until

DAY = datetime.date(2024, 5, 20)
PRICES = {"free": 0.0, "dear": 1.0}


def turn(name: str, cost: float | None) -> list:
    return [Meter(turn_id=name, cost=cost, input_tokens=10), TurnEnded(turn_id=name, outcome="completed")]


def deep(state: DeepState, cost: float | None) -> DeepChanged:
    running = state in ("planning", "writing", "trying")
    return DeepChanged(work=DeepWork(id="w1", prompt="a report", state=state, running=running, cost=cost))


def of(folder, notebook: str = "a.ipynb", **limits: float) -> Spending:
    return Spending(folder, notebook=notebook, limits=Limits(**limits), today=lambda: DAY)


def test_a_turn_that_has_ended_is_added_and_told(tmp_path):
    spending = of(tmp_path)
    assert spending.receive(turn("t1", 0.25)[:1]) == []
    assert spending.receive(turn("t1", 0.25)[1:]) == [Spent(today=0.25, notebook=0.25)]
    assert spending.receive(turn("t2", None)) == [Spent(today=0.25, notebook=0.25, unknown=1)]


def test_deep_work_is_added_whenever_it_stands_and_once_where_it_becomes_a_turn(tmp_path):
    spending = of(tmp_path)
    assert spending.receive([deep("planning", None), deep("writing", 0.25)]) == []
    assert spending.receive([deep("paused", 0.5)]) == [Spent(today=0.5, notebook=0.5)]
    ended = [Meter(turn_id="w1", cost=0.75), TurnEnded(turn_id="w1", outcome="completed")]
    assert spending.receive([deep("writing", 0.5), deep("proposed", 0.75), *ended]) == [
        Spent(today=0.75, notebook=0.75)
    ]


def test_deep_work_whose_price_is_known_when_it_has_ended_is_added_too(tmp_path):
    spending = of(tmp_path)
    assert spending.receive([deep("planning", None), deep("cancelled", 0.5)]) == [Spent(today=0.5, notebook=0.5)]


def test_what_a_notebook_tells_of_deep_work_is_not_spent_now(tmp_path):
    spending = of(tmp_path)
    assert spending.receive([deep("paused", 100.0)]) == []
    spending.receive([deep("writing", 100.0), deep("paused", 101.0)])
    assert spending.total().today == 1.0


def test_each_person_whom_the_server_knows_has_a_limit(tmp_path):
    ada, nobody = Person(id="ada", name="Ada"), Person(id="0123456789abcdef" * 2, name="Anonymous Io")
    spending = of(tmp_path, person=1.0)
    for name, by in (("t1", ada), ("t2", nobody), ("t3", None)):
        spending.receive([TurnStarted(turn=Turn(id=name, prompt="x", by=by)), *turn(name, 1.0)])
    with pytest.raises(SessionError, match=r"Your limit of \$1.00 for today is used up: \$1.00 were spent."):
        spending.refuse(costs=True, by=ada)
    spending.refuse(costs=False, by=ada)
    for other in (nobody, None, Person(id="bert")):
        spending.refuse(costs=True, by=other)
    with pytest.raises(SessionError):  # of another kernel in the same home
        of(tmp_path, "b.ipynb", person=1.0).refuse(costs=True, by=ada)


def test_all_notebooks_of_a_user_count_for_today_and_one_for_itself(tmp_path):
    mine, other = of(tmp_path), of(tmp_path, "b.ipynb")
    mine.receive(turn("t1", 1.0))
    other.receive(turn("t2", 2.0))
    assert (mine.total().today, mine.total().notebook) == (3.0, 1.0)
    assert of(tmp_path, "b.ipynb").total() == Spent(today=3.0, notebook=2.0), "a new kernel knows it, too"


def test_yesterday_is_not_today_and_last_month_is_another_file(tmp_path):
    day = DAY
    spending = Spending(tmp_path, notebook="a", today=lambda: day)
    spending.receive(turn("t1", 1.0))
    day = DAY + datetime.timedelta(days=1)
    assert (spending.total().today, spending.total().notebook) == (0.0, 1.0)
    day = datetime.date(2024, 6, 1)
    assert spending.total() == Spent(today=0.0, notebook=0.0)


def test_no_word_of_what_was_asked_is_kept(tmp_path):
    of(tmp_path).receive([Meter(turn_id="secret-turn", notice="secret words", cost=1.0), *turn("secret-turn", 1.0)])
    assert "secret" not in (tmp_path / "spending-2024-05.jsonl").read_text()


def test_what_stands_there_and_is_no_entry_is_passed_over(tmp_path):
    (tmp_path / "spending-2024-05.jsonl").write_bytes(b'no json\n{"day": 7}\n\xff\n' + b"[" * 5000 + b"\n{half")
    spending = of(tmp_path)
    assert spending.total().today == 0.0


def test_a_folder_that_can_not_be_written_costs_nothing_but_the_memory(tmp_path):
    (tmp_path / "file").write_text("")
    spending = of(tmp_path / "file")
    assert spending.receive(turn("t1", 0.5)) == [Spent(today=0.5, notebook=0.5)]


def test_that_it_gets_much_is_said_once_a_day(tmp_path):
    spending = of(tmp_path, warn=0.4)
    assert not [each for each in spending.receive(turn("t1", 0.3)) if isinstance(each, Problem)]
    assert [each.code for each in spending.receive(turn("t2", 0.3)) if isinstance(each, Problem)] == ["spending"]
    assert not [each for each in spending.receive(turn("t3", 0.3)) if isinstance(each, Problem)]


def test_a_limit_stops_what_costs_and_nothing_else(tmp_path):
    spending = of(tmp_path, stop=0.5)
    spending.refuse(costs=True)
    spending.receive(turn("t1", 0.5))
    with pytest.raises(SessionError, match="limit"):
        spending.refuse(costs=True)
    spending.refuse(costs=False)


def test_the_engine_asks_nothing_more_that_costs(make_engine, tmp_path):
    spending = Spending(tmp_path, notebook="", limits=Limits(stop=0.5))
    watched = make_engine([{"answer": "```python\nx = 1\n```\n", "repeat": True}], spending=spending)
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1", 60).outcome == "completed"
    until(lambda: any(isinstance(event, Spent) for event in watched.events))
    spent = [event for event in watched.events if isinstance(event, Spent)]
    assert spent[-1].unknown == 1, "nobody gave a price"
    spending.receive([Meter(turn_id="t0", cost=0.6), TurnEnded(turn_id="t0", outcome="completed")])
    with pytest.raises(SessionError, match="limit"):
        watched.engine.say(Prompt(turn_id="t2", text="x"))


@pytest.fixture
def at_the_limit(make_engine, tmp_path):
    """An engine whose models ``free`` and ``dear`` have a price, where a turn, and deep work, have begun before the limit was reached."""
    spending = Spending(tmp_path, notebook="", limits=Limits(stop=0.5))
    stalls = [{"answer": "```python\nx = 1\n```\n", "stall_after": 1}]
    engine = make_engine([PLAN, {**NUMBERS, "stall_after": 1}, *stalls], checks=CHECKS, spending=spending).engine
    prices = {name: ModelInfo(id=name, input_price=price, output_price=price) for name, price in PRICES.items()}
    engine.wait_until_connected(60)
    connect = engine._routing.turns.connect

    async def priced() -> Link:
        return structs.replace(await connect(), price=prices.get)

    engine.use(priced)
    engine.say(BeginDeep(work_id="w1", text="a report"))
    until(lambda: state(engine) == "writing")
    engine.say(DirectDeep(work_id="w1", what="pause"))
    engine.say(Prompt(turn_id="t1", text="a value"))
    spending.receive(turn("t0", 0.6))
    return engine


@pytest.mark.parametrize(
    "command",
    [
        Prompt(turn_id="t2", text="x", model="dear"),
        Prompt(turn_id="t2", text="x", attempts=Attempts(models=("free", "dear"))),
        Steer(turn_id="t2", steers="t1", text="x"),
        DirectDeep(work_id="w1", what="go-on"),
        BeginDeep(work_id="w2", text="x"),
    ],
)
def test_whatever_asks_a_model_that_costs_is_refused_at_the_limit(at_the_limit, command):
    at_the_limit.read(lambda session: setattr(session, "model", "free"))
    at_the_limit.submit(ChooseDeep(model="dear"))
    until(lambda: at_the_limit.hello().deep.model == "dear")
    with pytest.raises(SessionError, match="limit"):
        at_the_limit.say(command)


@pytest.mark.parametrize("command", [Prompt(turn_id="t2", text="x"), BeginDeep(work_id="w2", text="x")])
def test_what_costs_nothing_is_asked_at_the_limit_too(at_the_limit, command):
    at_the_limit.read(lambda session: setattr(session, "model", "free"))
    at_the_limit.submit(ChooseDeep(model="free"))
    until(lambda: at_the_limit.hello().deep.model == "free")
    at_the_limit.say(command)


def test_a_price_of_nothing_is_no_cost_and_one_that_is_not_known_may_be():
    from spark_jupyter.prompting.dialogue import Dialogue
    from spark_jupyter.redaction.redactor import Redactor
    from spark_jupyter.session.jobs import Jobs

    prices = {
        "free": ModelInfo(id="free", input_price=0.0, output_price=0.0),
        "dear": ModelInfo(id="dear", input_price=1.0),
    }
    jobs = Jobs(Dialogue(Redactor()), price=prices.get)
    assert [jobs.costs(model) for model in ("free", "dear", "unknown")] == [False, True, True]
