"""The hub and comms that only remember: what is taken, what is acknowledged, who writes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import structs

from spark_jupyter.author_rules import AuthorRules
from spark_jupyter.engine.comm import QUIET_PINGS, CommHub
from spark_jupyter.engine.comm_clients import MISSED_PINGS
from spark_jupyter.protocol.message_frames import CommandFrame, EventFrame, decode_event_frame, encode
from spark_jupyter.protocol.messages import (
    Accept,
    Attach,
    Cancel,
    Command,
    Event,
    Hello,
    Prompt,
    PromptRequested,
    Steer,
    Warm,
)
from spark_jupyter.protocol.provider_messages import ListModels, PolicyInfo
from spark_jupyter.protocol.values import PROTOCOL_VERSION, NotebookCell, Person


class QuietEngine:
    """Takes what the hub gives, at once."""

    streams = True

    def __init__(self) -> None:
        self.submitted: list[Command] = []
        self.subscribers: list[Any] = []
        self.asked_for: list[int | None] = []
        self.repeated: list[Any] = []

    def submit(self, command: Command) -> None:
        self.submitted.append(command)

    def subscribe(self, subscriber: Any, *, last_seq: int | None = None) -> Any:
        self.subscribers.append(subscriber)
        self.asked_for.append(last_seq)
        subscriber(EventFrame(v=PROTOCOL_VERSION, seq=0, msgs=(Hello(package="0"),)))
        return lambda: self.subscribers.remove(subscriber)

    def restrict(self, rules: AuthorRules) -> None:
        self.policy = rules.prompts

    def enter(self, notebook: str) -> None:
        pass

    def policy_info(self, person: Person | None) -> PolicyInfo:
        return PolicyInfo()

    def say_hello(self) -> None:
        for subscriber in tuple(self.subscribers):
            subscriber(EventFrame(v=PROTOCOL_VERSION, seq=0, msgs=(Hello(package="0"),)))

    def repeat(self, function: Any, *, every: float) -> Any:
        assert every > 0
        self.repeated.append(function)
        return lambda: self.repeated.remove(function)


class MemoryComm:
    """A comm that keeps what was sent on it."""

    count = 0

    def __init__(self) -> None:
        MemoryComm.count += 1
        self.comm_id = f"comm-{MemoryComm.count}"
        self.sent: list[dict[str, Any]] = []
        self.closed = False
        self.handle_msg: Any = None
        self.end: Any = None

    def send(self, data: dict[str, Any]) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True

    def hear(self, data: Any) -> None:
        self.handle_msg({"content": {"data": data}})

    def on_close(self, callback: Any) -> None:
        self.end = lambda: callback({})


class Tab:
    """One front end."""

    def __init__(self, hub: CommHub, name: str, notebook: str = "", person: Person | None = None) -> None:
        self.hub = hub
        self.name = name
        self.notebook, self.person = notebook, person
        self.events, self.commands = MemoryComm(), MemoryComm()

    def attach(self, *, next_seq: int = 1, last_seq: int = 0, life: str = "") -> None:
        """On new comms."""
        life = life or self.life
        self.events, self.commands = MemoryComm(), MemoryComm()
        self.hub.open_events(self.events, {"content": {"data": {"client_id": self.name}}})
        self.hub.open_commands(self.commands, {"content": {"data": {}}})
        who = Attach(client_id=self.name, can_write=True, notebook=self.notebook, person=self.person)
        self.say(0, structs.replace(who, next_seq=next_seq, last_seq=last_seq, life=life))

    def say(self, seq: int, *commands: Command) -> None:
        self.commands.hear({"frame": encode(CommandFrame(v=PROTOCOL_VERSION, seq=seq, msgs=commands)).decode()})

    def answer(self) -> None:
        """Say that it is there."""
        self.commands.hear({"pong": 1})

    @property
    def acknowledged(self) -> int:
        number: int = self.commands.sent[-1]["ack"]
        return number

    @property
    def said(self) -> list[Event]:
        frames = [decode_event_frame(data["frame"]) for data in self.events.sent if "frame" in data]
        return [event for frame in frames for event in frame.msgs]

    @property
    def hello(self) -> Hello | None:
        return next((event for event in reversed(self.said) if isinstance(event, Hello)), None)

    @property
    def life(self) -> str:
        return self.hello.life if self.hello else ""


@pytest.fixture
def engine() -> QuietEngine:
    return QuietEngine()


@pytest.fixture
def hub(engine: QuietEngine) -> CommHub:
    return CommHub(engine, subshells=True)  # type: ignore[arg-type]


@pytest.fixture
def tab(hub: CommHub) -> Tab:
    tab = Tab(hub, "one")
    tab.attach()
    return tab


def test_a_frame_that_comes_twice_is_taken_once_and_acknowledged_twice(tab, engine):
    tab.say(1, Cancel())
    tab.say(1, Cancel())
    assert engine.submitted == [Cancel()]
    assert [answer["ack"] for answer in tab.commands.sent] == [0, 1, 1]


def test_a_frame_that_comes_before_the_one_before_it_is_not_taken(tab, engine):
    tab.say(2, Warm())
    assert engine.submitted == []
    assert tab.acknowledged == 0
    tab.say(1, Cancel())
    tab.say(2, Warm())
    assert engine.submitted == [Cancel(), Warm()]
    assert tab.acknowledged == 2


def test_what_was_taken_is_known_after_a_reattachment_on_other_comms(tab, engine):
    tab.say(1, Cancel())
    tab.events.end()
    tab.commands.end()
    tab.attach(next_seq=1)  # the acknowledgement was lost
    tab.say(1, Cancel())
    tab.say(2, Warm())
    assert engine.submitted == [Cancel(), Warm()]
    assert tab.acknowledged == 2


def test_in_another_life_the_client_says_where_it_goes_on(tab, engine):
    for seq in range(1, 4):
        tab.say(seq, Cancel())
    other = CommHub(engine, subshells=True)  # type: ignore[arg-type]
    tab.hub, before = other, tab.life
    tab.attach(next_seq=4, last_seq=7, life=before)
    tab.say(4, Warm())
    assert engine.submitted[-1] == Warm()
    assert tab.acknowledged == 4
    assert tab.life != before
    assert engine.asked_for == [0, 0], "the frames of another life are no use"


def test_after_the_extension_is_unloaded_nothing_is_taken_and_nothing_acknowledged(tab, hub, engine):
    class Manager:
        def unregister_target(self, name: str, callback: Any) -> None:
            pass

    hub.unregister(Manager())
    answers = list(tab.commands.sent)
    tab.say(1, Prompt(turn_id="t1", text="lost?"))
    assert engine.submitted == []
    assert tab.commands.sent == answers
    assert tab.commands.closed
    assert tab.events.closed


def test_a_numbered_frame_that_is_not_understood_is_answered_and_not_awaited_again(tab, engine):
    tab.commands.hear({"frame": json.dumps({"v": PROTOCOL_VERSION, "seq": 1, "msgs": [{"type": "FromTheFuture"}]})})
    assert "problem" in tab.commands.sent[-1]
    assert tab.acknowledged == 1
    tab.say(2, Warm())
    assert engine.submitted == [Warm()]


def test_commands_of_a_client_that_never_attached_are_refused(hub, engine):
    comm = MemoryComm()
    hub.open_commands(comm, {"content": {"data": {}}})
    comm.hear({"frame": encode(CommandFrame(v=PROTOCOL_VERSION, seq=1, msgs=(Warm(),))).decode()})
    assert engine.submitted == []
    assert "Attach" in comm.sent[-1]["problem"]


def test_a_writer_that_falls_silent_while_another_answers_hands_over_the_pen(tab, hub, engine):
    tab.say(1, Prompt(turn_id="t1", text="mine"))
    other = Tab(hub, "two")
    other.attach()
    assert other.hello is not None
    assert not other.hello.writer
    for _ in range(MISSED_PINGS + 1):
        engine.repeated[0]()
        other.answer()
    assert other.hello.writer
    assert not tab.hello.writer
    tab.say(2, ListModels())
    assert not tab.hello.writer, "it was only asleep, and two would write the same"
    tab.say(3, Prompt(turn_id="t2", text="mine again"))
    assert tab.hello.writer


def test_a_writer_is_missed_after_a_second_while_a_turn_streams_and_later_where_none_does(tab, hub, engine):
    other = Tab(hub, "two")
    other.attach()
    engine.streams = False
    for _ in range(QUIET_PINGS):
        engine.repeated[0]()
    assert [data for data in tab.events.sent if "ping" in data] == [{"ping": 1}]
    engine.streams = True
    engine.repeated[0]()
    assert len([data for data in tab.events.sent if "ping" in data]) == 2


def test_a_writer_whose_tab_closes_is_replaced_at_once(tab, hub):
    other = Tab(hub, "two")
    other.attach()
    tab.events.end()
    assert other.hello.writer


def test_two_notebooks_on_one_kernel_have_a_writer_each_and_turns_of_their_own(hub, engine):
    one, two = Tab(hub, "one", "a.ipynb"), Tab(hub, "two", "b.ipynb")
    one.attach()
    two.attach()
    assert one.hello.writer
    assert two.hello.writer
    assert one.hello.document != two.hello.document
    two.say(1, Prompt(turn_id="t1", text="p", document="forged"))
    assert engine.submitted[-1].document == two.hello.document
    assert one.hello.writer, "it writes into its own notebook still"
    assert hub.writer == "two"


def test_a_renamed_notebook_is_the_same_document(hub):
    one, two = Tab(hub, "one", "a.ipynb"), Tab(hub, "two", "a.ipynb")
    one.attach()
    two.attach()
    for tab in (one, two):
        tab.say(0, Attach(client_id=tab.name, can_write=True, notebook="new.ipynb", life=tab.life))
    assert one.hello.document == two.hello.document == "d1"
    assert [one.hello.writer, two.hello.writer] == [True, False]


def test_what_a_person_says_bears_the_name_under_which_their_client_attached(hub, engine):
    ada, eve = Person(id="ada", name="Ada"), Person(id="eve", name="Eve")
    tab = Tab(hub, "one", person=eve)
    tab.attach()
    tab.say(
        1,
        Prompt(turn_id="t1", text="p", by=ada),
        Accept(cell_id="c", by=ada),
        Steer(turn_id="t2", steers="t1", text="s"),
    )
    assert [command.by for command in engine.submitted] == [eve, eve, eve]


def test_where_nobody_answers_because_the_kernel_is_held_up_nobody_is_missed(tab, hub, engine):
    other = Tab(hub, "two")
    other.attach()
    for _ in range(3 * MISSED_PINGS):
        engine.repeated[0]()
    other.answer()
    engine.repeated[0]()
    assert hub.writer == "one"


def test_the_strictest_author_of_the_attached_notebooks_counts(hub, engine):
    one, two = Tab(hub, "one"), Tab(hub, "two")
    one.attach()
    two.attach()
    one.say(0, Attach(client_id="one", prompts="hints"))
    two.say(0, Attach(client_id="two"))
    assert engine.policy == "hints"


def test_a_front_end_that_is_alone_is_not_asked(tab, hub, engine):
    assert engine.repeated == []
    other = Tab(hub, "two")
    other.attach()
    other.events.end()
    engine.repeated[0]()
    assert engine.repeated == []


class RequestingEngine(QuietEngine):
    """One that keeps what it was to tell and to do later."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Event] = []
        self.later: list[Any] = []

    def tell(self, subscriber: Any, event: Event) -> None:
        self.told.append(event)

    def after(self, seconds: float, function: Any) -> None:
        assert seconds > 0
        self.later.append(function)


ASKED = Prompt(
    turn_id="t1",
    text="explain",
    active="b",
    cells=(NotebookCell(id="in-1", source="a"), NotebookCell(id="b", source="b")),
)


def requesting(*, subshells: bool = True, notebook: str = "") -> tuple[RequestingEngine, CommHub, Tab]:
    engine = RequestingEngine()
    hub = CommHub(engine, subshells=subshells)
    tab = Tab(hub, "one", notebook)
    tab.attach()
    return engine, hub, tab


def test_a_prompt_by_magic_is_sent_by_the_client_that_has_the_notebook():
    engine, hub, tab = requesting()
    assert hub.request_prompt(ASKED, waits=True)
    assert engine.told == [PromptRequested(prompt=structs.replace(ASKED, cells=ASKED.cells[1:]))]
    tab.say(1, Prompt(turn_id="t1", text="explain", cells=(NotebookCell(id="real", source="a", outputs="1"),)))
    engine.later[0]()
    assert [command.cells[0].id for command in engine.submitted] == ["real"]


def test_a_prompt_that_goes_without_that_client_is_still_for_its_notebook_alone():
    engine, hub, _tab = requesting(notebook="a.ipynb")
    assert hub.request_prompt(ASKED, waits=True)
    engine.later[0]()
    assert engine.submitted == [structs.replace(ASKED, document="d1")]


def test_of_two_notebooks_the_one_that_has_the_cell_sends_the_prompt_though_the_other_was_prompted_last():
    engine, hub, tab = requesting(notebook="a.ipynb")
    other = Tab(hub, "two", "b.ipynb")
    other.attach()
    other.say(1, Prompt(turn_id="t0", text="first", cells=()))
    assert hub.request_prompt(ASKED, waits=True)
    assert [type(event) for event in engine.told] == [PromptRequested, PromptRequested]
    tab.say(1, Prompt(turn_id="t1", text="explain", cells=()))
    assert [command.document for command in engine.submitted] == ["d2", "d1"]


def test_where_that_client_sleeps_the_prompt_goes_as_it_is_and_once():
    engine, hub, tab = requesting()
    assert hub.request_prompt(ASKED, waits=True)
    engine.later[0]()
    tab.say(1, Prompt(turn_id="t1", text="explain", cells=()))
    assert engine.submitted == [ASKED]
    tab.say(2, Prompt(turn_id="t2", text="next", cells=()))
    assert [command.turn_id for command in engine.submitted] == ["t1", "t2"]


def test_a_magic_that_waits_asks_nobody_whom_the_kernel_can_not_hear_meanwhile():
    _engine, hub, _tab = requesting(subshells=False)
    assert not hub.request_prompt(ASKED, waits=True)
    assert hub.request_prompt(ASKED, waits=False)
    assert not CommHub(RequestingEngine(), subshells=True).request_prompt(ASKED, waits=False)


DEEP = f'{{"v": {PROTOCOL_VERSION}, "seq": 1, "msgs": {"[" * 100_000}'
NO_MESSAGES: list[Any] = [
    None,
    [],
    "x",
    7,
    {},
    *({"frame": text} for text in (None, 7, [1], "{", DEEP, "\ud800", "x" * 5_000_000, "null")),
]


@pytest.mark.parametrize("data", NO_MESSAGES, ids=lambda data: str(data)[:20])
def test_what_is_no_message_harms_nobody(hub, tab, engine, data):
    stranger = MemoryComm()
    hub.open_commands(stranger, {"content": {"data": data}})
    for comm in (stranger, tab.commands):
        comm.hear(data)
    tab.say(1, Warm())
    assert tab.acknowledged == 1
    assert engine.submitted == [Warm()]


@pytest.mark.parametrize(
    "data", [None, [], "x", 7, {}, *({"client_id": one} for one in (None, 7, [], {}, "", "x" * 100_000))]
)
def test_a_comm_for_events_without_a_name_is_closed(hub, tab, data):
    comm = MemoryComm()
    hub.open_events(comm, {"content": {"data": data}})
    assert comm.closed
    assert hub.writer == tab.name


def test_a_frame_without_a_number_could_come_again_so_it_holds_no_commands(hub, tab, engine):
    for comm in (tab.commands, MemoryComm()):
        if comm is not tab.commands:
            hub.open_commands(comm, {"content": {"data": {}}})
        comm.hear({"frame": encode(CommandFrame(v=PROTOCOL_VERSION, seq=0, msgs=(Warm(),))).decode()})
        assert "without a number" in comm.sent[-1]["problem"]
    assert engine.submitted == []
