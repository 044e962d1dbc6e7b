"""Ghost text through the engine, on real sockets: the embedded server plays the model."""

from __future__ import annotations

import pytest

from spark_jupyter.engine.engine import Engine
from spark_jupyter.protocol.completion_messages import Complete, Completed, DropCompletion
from spark_jupyter.protocol.messages import Hello, Prompt
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker
from tests.conftest import Watched
from tests.engine.test_engine import until


class Typist(Watched):
    """A front end that is told its completions."""

    def complete(self, before: str, *, completion_id: str = "c1", **fields: object) -> None:
        command = Complete(completion_id=completion_id, cell_id="cell", before=before, **fields)
        self.engine.answer_alone(self.receive, command)

    @property
    def told(self) -> list[Completed]:
        return [event for event in self.events if isinstance(event, Completed)]

    def done(self, completion_id: str = "c1") -> Completed:
        def ended() -> list[Completed]:
            return [one for one in self.told if one.done and one.completion_id == completion_id]

        until(ended)
        return ended()[0]


@pytest.fixture
def typist(make_engine):
    """A front end of an engine whose model plays these answers."""

    def make(*answers: object, **options: object) -> Typist:
        scripted = [each if isinstance(each, dict) else {"answer": each} for each in answers]
        return Typist(make_engine(scripted, **options).engine)

    return make


def test_what_the_model_says_is_told_to_who_asked_alone_and_in_no_numbered_frame(typist):
    asks = typist("range(10):")
    other = Typist(asks.engine)
    asks.complete("for i in ")
    assert asks.done().text == "range(10):"
    assert other.told == []
    assert {frame.seq for frame in asks.frames if any(isinstance(event, Completed) for event in frame.msgs)} == {0}


def test_a_completion_says_how_long_the_provider_took_to_its_first_text(typist):
    asks = typist("range(10):")
    asks.complete("for i in ")
    first = asks.done().first_text
    assert first is not None
    assert 0 < first < 10


def test_it_is_told_in_whole_tokens_while_it_is_written(typist):
    asks = typist("total = max(12345, 67890) + min(12345, 3)", rate=8)
    asks.complete("")
    asks.done()
    partial = [one.text for one in asks.told if not one.done]
    assert len(partial) > 1
    for text in partial:
        rest = asks.done().text.removeprefix(text)
        assert text + rest == asks.done().text
        assert not (text[-1:].isalnum() and rest[:1].isalnum())


def test_the_newest_completion_takes_the_place_of_the_one_before(typist):
    asks = typist({"match": "slow", "answer": "1 + " * 500}, {"match": "quick", "answer": "1"}, rate=50)
    asks.complete("slow = ", completion_id="c1")
    until(lambda: asks.told)
    asks.complete("quick = ", completion_id="c2")
    assert asks.done("c2").text == "1"
    assert not any(one.done for one in asks.told if one.completion_id == "c1")


def test_a_dropped_completion_is_told_no_further_and_the_next_one_works(typist):
    asks = typist({"match": "slow", "answer": "1 + " * 500}, {"match": "quick", "answer": "1"}, rate=50)
    asks.complete("slow = ", completion_id="c1")
    until(lambda: asks.told)
    asks.engine.answer_alone(asks.receive, DropCompletion(completion_id="c1"))
    asks.complete("quick = ", completion_id="c2")
    asks.done("c2")
    assert not any(one.done for one in asks.told if one.completion_id == "c1")


def test_dropping_one_that_is_over_does_not_end_the_next(typist):
    asks = typist({"match": "first", "answer": "1"}, {"match": "second", "answer": "22 + 33", "repeat": True}, rate=100)
    asks.complete("first = ", completion_id="c1")
    asks.done("c1")
    asks.complete("second = ", completion_id="c2")
    asks.engine.answer_alone(asks.receive, DropCompletion(completion_id="c1"))
    assert asks.done("c2").text == "22 + 33"


def test_a_turn_goes_before_a_completion(typist):
    asks = typist(
        {"match": "slow", "answer": "1 + " * 2000}, {"match": "values", "answer": "```python\nx = 1\n```\n"}, rate=100
    )
    asks.complete("slow = ")
    until(lambda: asks.told)
    asks.engine.submit(Prompt(turn_id="t1", text="values"))
    assert asks.wait("t1", 60).outcome == "completed"
    assert asks.done().problem == "", "nobody had asked for it by a key"


@pytest.mark.parametrize(("asked", "says"), [(True, True), (False, False)])
def test_a_failure_is_silent_unless_it_was_asked_for_by_a_key(asked, says, unused_port):
    engine = Engine(linker(Settings(base_url=f"http://127.0.0.1:{unused_port}", model="m")))
    try:
        asks = Typist(engine)
        asks.complete("x = ", asked=asked)
        done = asks.done()
        assert done.text == ""
        assert bool(done.problem) is says
    finally:
        engine.close()


def test_a_provider_that_refuses_is_left_alone_for_a_while_but_for_who_asks_by_a_key(typist):
    refusal = {"status": 429, "code": "rate_limit_exceeded", "message": "slow down", "headers": {"retry-after": "40"}}
    asks = typist(
        {"match": "x = ", "fail": refusal, "answer": "1"}, {"match": "x = ", "answer": "2 + 3", "repeat": True}
    )
    asks.complete("x = ")
    assert asks.done().text == ""
    asks.complete("x = ", completion_id="c2")
    assert asks.done("c2").text == ""
    asks.complete("x = ", completion_id="c3", asked=True)
    assert asks.done("c3").text == "2 + 3"
    asks.complete("x = ", completion_id="c4")
    assert asks.done("c4").text == "2 + 3", "it has answered: the rest is over"


def test_an_empty_answer_took_the_provider_its_time_too(typist):
    asks = typist("")
    asks.complete("for i in ")
    first = asks.done().first_text
    assert first is not None
    assert first > 0


def test_a_credential_in_the_cell_does_not_leave_this_machine(typist):
    asks = typist({"match": "hunter2secret", "answer": "False"}, {"match": "SPARK_SECRET", "answer": "True)"})
    asks.complete('password = "hunter2secret"\nlogin(')
    assert asks.done().text == "True)"


def test_cells_that_are_not_sent_again_are_those_of_the_completion_before(typist):
    from spark_jupyter.protocol.values import NotebookCell

    cells = (NotebookCell(id="a", source="import numpy as np"),)
    asks = typist({"match": "import numpy", "answer": "True", "repeat": True})
    asks.complete("x = ", cells=cells, position=1)
    asks.done("c1")
    asks.complete("y = ", completion_id="c2", position=1)
    assert asks.done("c2").text == "True"


def test_the_fronts_are_told_when_suggestions_are_made_and_when_no_longer(typist):
    one = typist("x")
    assert one.engine.wait_until_connected(60) is not None  # then a Hello has been said, or is

    def said() -> list[str]:
        return [event.suggestions for event in one.events if isinstance(event, Hello)]

    def switch(mode: str) -> None:
        one.engine.suggest(lambda sources: setattr(sources, "mode", mode))

    switch("off")
    switch("off")
    switch("on")
    until(lambda: said() == ["on", "off", "on"])
    assert one.engine.hello().suggestions == "on"
