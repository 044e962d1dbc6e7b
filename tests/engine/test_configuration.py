"""Settings of deep work, a fallback and limits reach a running kernel."""

from __future__ import annotations

import datetime

import pytest

from spark_jupyter.engine.configuration import Options
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.deep_messages import ChooseDeep, DeepBudget, DeepLimits
from spark_jupyter.protocol.messages import Problem
from spark_jupyter.protocol.provider_messages import Configure, UseProvider
from spark_jupyter.records.spending_log import Limits, Spending
from spark_jupyter.session.transitions import MOST_REPAIRS
from tests.engine.long_answer import until


def test_who_does_deep_work_and_what_it_may_use(make_engine):
    watched = make_engine([])
    limits, budget = DeepLimits(seconds=120.0, dollars=0.5), DeepBudget(seconds=120.0, dollars=0.5)
    watched.engine.say(Configure(deep=ChooseDeep(model="slow", effort="high", budget=limits)))
    until(lambda: watched.engine.hello().deep.model == "slow")
    deep = watched.engine.hello().deep
    assert (deep.effort, deep.budget) == ("high", budget)
    watched.engine.say(ChooseDeep(model="slower"))
    watched.engine.say(Configure(deep=ChooseDeep(model="slow", effort="high", budget=limits)))
    assert watched.engine.hello().deep.model == "slower", "it was chosen since, and the settings say what they said"
    watched.engine.say(Configure(deep=ChooseDeep(model="slow", effort="low")))
    until(lambda: watched.engine.hello().deep.effort == "low")
    assert watched.engine.hello().deep.model == "slow"


def test_of_what_the_settings_no_longer_say_the_kernels_own_configuration_counts_again(make_engine, tmp_path):
    spending = Spending(tmp_path, notebook="n", limits=Limits(stop=5.0))
    mine = ChooseDeep(model="mine", profile="", effort="low", budget=DeepLimits(seconds=60.0))
    own = Configure(
        withhold="remote", warn_only=(), suggest=UseProvider(), deep=mine, warn_cost=0.0, stop_cost=5.0, refine="on"
    )
    engine = make_engine([], options=Options(own=own), spending=spending).engine
    engine.wait_until_connected(60)
    model = UseProvider(model="small")
    engine.say(
        Configure(
            withhold="always",
            warn_only=("all",),
            suggest=model,
            deep=ChooseDeep(model="theirs"),
            fallback="groq",
            stop_cost=1.0,
            refine="off",
        )
    )
    until(lambda: engine.hello().deep.model == "theirs")
    until(lambda: engine.read(lambda session: session.jobs.fallback) is not None)
    assert (engine.hello().deep.effort, engine.hello().deep.budget.seconds) == ("low", 60.0), "each part for itself"
    assert engine.read(lambda session: session.dialogue.withholds)
    assert engine.suggest(lambda sources: sources.by) == model
    assert (spending.limits.stop, engine._background.refinements.mode) == (1.0, "off")
    engine.configure(Configure(stop_cost=7.0))
    assert spending.limits.stop == 7.0, "what was said last counts"
    engine.say(Configure())
    until(lambda: engine.hello().deep.model == "mine")
    until(lambda: engine.read(lambda session: session.jobs.fallback) is None)
    assert not engine.read(lambda session: session.dialogue.withholds)
    assert engine.suggest(lambda sources: sources.by) == UseProvider()
    assert (spending.limits.stop, engine._background.refinements.mode) == (7.0, "on")


def test_repairs_are_on_and_can_be_switched_off(make_engine):
    engine = make_engine([]).engine
    assert engine.wait_until_connected(60) is not None
    assert engine.read(lambda session: session.repairs) == MOST_REPAIRS
    engine.say(Configure(repair="off"))
    until(lambda: engine.read(lambda session: session.repairs) == 0)
    engine.say(Configure(repair="on"))
    until(lambda: engine.read(lambda session: session.repairs) == MOST_REPAIRS)


def test_a_fallback_is_taken_and_given_up_and_one_that_does_not_exist_is_said(make_engine):
    watched = make_engine([])
    engine = watched.engine
    assert engine.wait_until_connected(60) is not None
    engine.say(Configure(fallback="groq"))
    until(lambda: engine.read(lambda session: session.jobs.fallback) is not None)
    engine.say(Configure(fallback="nobody"))
    until(lambda: any(isinstance(event, Problem) and "'nobody'" in event.message for event in watched.events))
    assert engine.read(lambda session: session.jobs.fallback.title) == "Groq"
    engine.say(Configure(fallback="groq", rehearse="off"))
    assert engine.read(lambda session: session.jobs.fallback) is not None
    engine.say(Configure(fallback=""))
    until(lambda: engine.read(lambda session: session.jobs.fallback) is None)


def test_a_rule_that_does_not_exist_is_said_with_the_nearest_one(make_engine):
    watched = make_engine([])
    watched.engine.wait_until_connected(60)
    watched.engine.say(Configure(warn_only=("weak-hsh", "missing-column", "bandit:B602", "all")))
    until(lambda: any(isinstance(event, Problem) for event in watched.events))
    problem = next(event for event in watched.events if isinstance(event, Problem))
    assert "no rule of the name weak-hsh," in problem.message
    assert "weak-hash" in problem.remedy
    assert "bandit" not in problem.message


def test_rules_that_exist_may_only_warn_without_a_word(make_engine):
    watched = make_engine([])
    watched.engine.wait_until_connected(60)
    watched.engine.say(Configure(warn_only=("weak-hash", "missing-column"), refine="off"))
    until(lambda: watched.engine._background.refinements.mode == "off")
    assert not any(isinstance(event, Problem) for event in watched.events)


def test_limits_are_those_that_were_set_last(tmp_path):
    spending = Spending(tmp_path, notebook="n", today=lambda: datetime.date(2026, 11, 22))
    spending.limit(stop=0.5)
    spending.limit(warn=0.1)
    assert (spending.limits.warn, spending.limits.stop) == (0.1, 0.5)
    spending.refuse(costs=True)
    (tmp_path / "spending-2026-11.jsonl").write_text('{"day":"2026-11-22","notebook":"m","cost":0.5}\n')
    with pytest.raises(SessionError, match=r"limit of \$0.50"):
        spending.refuse(costs=True)
    spending.limit(warn=None, stop=0.0)
    spending.refuse(costs=True)
