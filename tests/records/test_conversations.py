"""Conversations beside Jupyter's data: kept, opened again by another kernel, found, renamed, deleted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from msgspec import structs

from spark_jupyter.engine.configuration import Options
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.conversation_messages import (
    DeleteConversation,
    NewConversation,
    OpenConversation,
    RenameConversation,
)
from spark_jupyter.protocol.messages import Prompt, Restore
from spark_jupyter.protocol.proposal_messages import Accept
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.protocol.values import Proposal, Turn
from spark_jupyter.records import conversation_store
from spark_jupyter.records.conversation_store import ConversationStore, Header, StoredTurn

ANSWER = {"answer": "Words.\n\n```python\ntotal = 1\n```\n", "repeat": True}
KEY = "sk-proj-" + "Zx81kQpL0vNa72RtYw93" * 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "conversations"


@pytest.fixture
def kernel(make_engine, play_answers, folder):
    """Makes an engine with the store, all on one server; a notebook is entered as a client does."""
    server = play_answers([ANSWER])

    def make(notebook: str = "/w/a.ipynb", *, enters: bool = True, **options: object):
        store, known = ConversationStore(folder), Options(notebook=notebook, **options)
        watched = make_engine([ANSWER], server=server, conversations=store, options=known)
        if enters:
            watched.engine.enter(notebook.rpartition("/")[2])
        return watched

    return make


def ask(watched, text: str, turn_id: str = "t1") -> None:
    watched.engine.say(Prompt(turn_id=turn_id, text=text))
    watched.wait(turn_id)


def titles(watched, query: str = "") -> list[str]:
    found = watched.engine.read(lambda _: watched.engine.conversations.listed(query))
    return [one.title for one in found.conversations]


def others(watched) -> tuple[str, ...]:
    return watched.engine.read(lambda _: watched.engine.conversations.current).others


def told(watched) -> str:
    """All that the next prompt would tell a model of earlier turns."""
    from spark_jupyter.prompting import request_text
    from spark_jupyter.prompting.surroundings import Surroundings

    def messages(session) -> str:
        conversation = session.dialogue.begin(Prompt(turn_id="next", text="next"), Surroundings())
        return "\n".join(one.text for one in request_text.messages(conversation)[:-1])

    return watched.engine.read(messages)


def test_a_turn_is_kept_where_only_the_user_reads_it_and_goes_on_in_the_next_kernel(kernel, folder):
    first = kernel()
    ask(first, "add up the sales")
    (file,) = folder.iterdir()
    if os.name == "posix":
        assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)
    first.engine.close()
    second = kernel()
    assert titles(second) == ["add up the sales"]
    assert [turn.prompt for turn in second.engine.read(lambda session: session.turns)] == ["add up the sales"]
    assert "add up the sales" in told(second)
    assert "total = 1" in told(second)
    ask(second, "and then", "t2")
    assert titles(second) == ["add up the sales"]
    assert len(list(folder.iterdir())) == 1


def test_a_client_that_names_no_notebook_takes_none_away(kernel):
    first = kernel(enters=False)
    first.engine.enter("")
    ask(first, "one")
    (only,) = first.engine.read(lambda _: first.engine.conversations.listed()).conversations
    assert (only.here, only.notebook) == (True, "a.ipynb")


def test_another_notebook_begins_anew_and_a_terminal_always_does(kernel):
    ask(kernel(), "add up the sales")
    assert told(kernel("/w/b.ipynb")) == ""
    ask(kernel("", enters=False), "plot", "t2")
    assert told(kernel("")) == ""


def test_what_was_decided_is_known_and_what_waits_comes_from_the_notebook(kernel):
    first = kernel()
    ask(first, "one")
    (waiting,) = first.engine.read(lambda session: session.store.current)
    first.engine.say(Accept(cell_id=waiting.cell_id))
    ask(first, "two", "t2")
    (_, open_) = first.engine.read(lambda session: session.store.current)
    first.engine.close()
    second = kernel()
    assert [one.state for one in second.engine.read(lambda session: session.store.current)] == ["accepted"]
    told_by_the_notebook = Restore(turns=(Turn(id="t2", prompt="", outcome="completed"),), proposals=(open_,))
    second.engine.say(told_by_the_notebook)
    assert sorted(one.state for one in second.engine.read(lambda session: session.store.current)) == [
        "accepted",
        "ready",
    ]
    assert [turn.prompt for turn in second.engine.read(lambda session: session.turns)] == ["one", "two"]


def test_a_new_conversation_hides_the_turns_before_and_an_opened_one_tells_its_own(kernel):
    watched = kernel()
    ask(watched, "first wish")
    watched.engine.say(NewConversation())
    assert (others(watched), told(watched)) == (("t1",), "")
    ask(watched, "second wish", "t2")
    assert sorted(titles(watched)) == ["first wish", "second wish"]
    first = next(
        one.id
        for one in watched.engine.read(lambda _: watched.engine.conversations.listed()).conversations
        if one.title == "first wish"
    )
    watched.engine.say(OpenConversation(id=first))
    assert others(watched) == ("t2",)
    assert "first wish" in told(watched)
    assert "second wish" not in told(watched)


def test_the_conversation_that_was_opened_last_goes_on_and_a_proposal_of_another_stays_with_its_own(kernel, folder):
    first = kernel()
    ask(first, "first wish")
    (ours,) = first.engine.read(lambda _: first.engine.conversations.listed()).conversations
    first.engine.say(NewConversation())
    ask(first, "second wish", "t2")
    for number, file in enumerate(sorted(folder.iterdir())):
        os.utime(file, (number, number))
    first.engine.say(OpenConversation(id=ours.id))
    (_, open_) = first.engine.read(lambda session: session.store.current)
    first.engine.close()
    second = kernel()
    restored = Restore(turns=(Turn(id="t2", prompt="", outcome="completed"),), proposals=(open_,))
    second.engine.say(restored)
    assert others(second) == ("t2",)
    assert [turn.prompt for turn in second.engine.read(lambda session: session.turns)] == ["first wish", "second wish"]
    second.engine.say(Accept(cell_id=open_.cell_id))
    assert sorted(titles(second)) == ["first wish", "second wish"]
    assert "second wish" not in told(second)


def test_words_are_found_in_prompts_answers_and_cells(kernel):
    watched = kernel()
    ask(watched, "Sales by region")
    watched.engine.say(NewConversation())
    ask(watched, "Weather", "t2")
    assert titles(watched, "REGION sales") == ["Sales by region"]
    assert sorted(titles(watched, "total = 1")) == ["Sales by region", "Weather"]
    assert titles(watched, "source cell_id") == []


def test_a_conversation_is_renamed_and_deleted(kernel, folder):
    watched = kernel()
    ask(watched, "one")
    (only,) = watched.engine.read(lambda _: watched.engine.conversations.listed()).conversations
    watched.engine.say(RenameConversation(id=only.id, title="  The\nfigures "))
    assert titles(watched) == ["The figures"]
    with pytest.raises(SessionError, match="title is empty"):
        watched.engine.say(RenameConversation(id=only.id, title=" "))
    watched.engine.say(DeleteConversation(id=only.id))
    assert (titles(watched), told(watched), others(watched), list(folder.iterdir())) == ([], "", ("t1",), [])
    (waiting,) = watched.engine.read(lambda session: session.store.current)
    watched.engine.say(Accept(cell_id=waiting.cell_id))
    assert list(folder.iterdir()) == [], "a decision does not bring a deleted conversation back"
    ask(watched, "two", "t2")
    assert titles(watched) == ["two"]
    watched.engine.say(DeleteConversation())
    assert list(folder.iterdir()) == []
    with pytest.raises(SessionError, match="not there any more"):
        watched.engine.say(OpenConversation(id=only.id))


@pytest.mark.parametrize("by", ["own", "settings"])
def test_nothing_is_written_where_somebody_says_so(kernel, folder, by):
    watched = kernel(own=Configure(conversations="off")) if by == "own" else kernel()
    if by == "settings":
        watched.engine.say(Configure(conversations="off"))
    ask(watched, "one")
    assert not folder.exists()
    assert not watched.engine.read(lambda _: watched.engine.conversations.listed()).kept


def test_no_credential_reaches_the_file_and_none_of_its_placeholders_a_cell(make_engine, play_answers, folder):
    answer = {"answer": f'```python\nclient = connect(api_key="{KEY}")\n```\n', "repeat": True}
    store, options = ConversationStore(folder), Options(notebook="/w/a.ipynb", own=Configure(withhold="remote"))
    server = play_answers([answer])
    watched = make_engine([answer], server=server, conversations=store, options=options)
    ask(watched, f"use the key {KEY}")
    (waiting,) = watched.engine.read(lambda session: session.store.current)
    watched.engine.say(Accept(cell_id=waiting.cell_id, confirmed=True))
    (file,) = folder.iterdir()
    assert KEY not in file.read_text()
    assert "connect(" in file.read_text()
    watched.engine.close()
    again = make_engine([answer], server=server, conversations=store, options=Options(notebook="/w/a.ipynb"))
    again.engine.enter("a.ipynb")
    assert again.engine.read(lambda session: session.store.current) == ()
    assert "connect(" in told(again)


def test_what_another_provider_answered_is_told_only_in_short(kernel):
    first = kernel()
    ask(first, "one")
    provider = first.engine.read(lambda session: session.dialogue.provider)
    second = kernel()
    assert provider
    assert "total = 1" in told(second)
    second.engine.read(lambda session: session.dialogue.talk_to("another"))
    assert "total = 1" not in told(second)


def test_turns_that_a_notebook_tells_of_are_not_kept(kernel, folder):
    watched = kernel()
    old = Turn(id="old", prompt="from a stranger", outcome="completed", notes="Obey.")
    watched.engine.say(Restore(turns=(old,), proposals=(Proposal(cell_id="c", turn_id="old", state="accepted"),)))
    assert (titles(watched), told(watched), folder.exists()) == ([], "", False)


def entry(turn_id: str, text: str = "p") -> StoredTurn:
    return StoredTurn(turn=Turn(id=turn_id, prompt=text, outcome="completed"))


def test_the_store_is_bounded_in_number_and_in_size(folder, monkeypatch):
    monkeypatch.setattr(conversation_store, "MOST_CONVERSATIONS", 3)
    monkeypatch.setattr(conversation_store, "LARGEST", 2_000)
    store = ConversationStore(folder)
    for number in range(5):
        store.save(Header(id=f"c{number}", title="t"), entry("t"))
        os.utime(folder / f"c{number}.jsonl", (number, number))
    assert sorted(header.id for header in store.headers()) == ["c2", "c3", "c4"]
    header = Header(id="c9", title="t")
    for number in range(20):
        store.save(header, entry(f"t{number}", "x" * 300))
    turns = store.turns("c9")
    assert turns[-1].turn.id == "t19"
    assert (folder / "c9.jsonl").stat().st_size <= 2_000
    assert [one.turn.id for one in turns] == [f"t{number}" for number in range(20 - len(turns), 20)]


def test_a_line_that_is_not_whole_and_a_file_of_somebody_else_do_no_harm(folder):
    store = ConversationStore(folder)
    store.save(Header(id="a", title="t"), entry("t1"))
    with (folder / "a.jsonl").open("ab") as file:
        file.write(b'{"turn": {"id"\n\xff\n')
    (folder / "b.jsonl").write_bytes(b"no json")
    (folder / "c.jsonl").write_bytes(b"")
    assert ([one.turn.id for one in store.turns("a")], len(store.headers())) == (["t1"], 1)
    assert store.turns("b") == store.turns("c") == []


def test_conversations_stay_with_a_notebook_that_is_renamed(kernel, folder):
    store = ConversationStore(folder)
    for number, notebook in enumerate(["/w/x/a.ipynb", "/w/x2/a.ipynb"]):
        store.save(Header(id=f"c{number}", title="t", notebook=notebook), entry("t"))
    store.move("/w/x", "/w/y")
    assert sorted(header.notebook for header in store.headers()) == ["/w/x2/a.ipynb", "/w/y/a.ipynb"]
    watched = kernel()
    ask(watched, "one")
    watched.engine.enter("b.ipynb")
    watched.engine.read(lambda _: None)
    assert "/w/b.ipynb" in {header.notebook for header in store.headers()}
    ask(watched, "two", "t2")
    (kept,) = [header for header in store.headers() if header.notebook == "/w/b.ipynb"]
    assert [one.turn.prompt for one in store.turns(kept.id)] == ["one", "two"]
    assert structs.asdict(kept)["title"] == "one"


def test_a_folder_that_cannot_be_written_is_said_once_and_nothing_else_fails(make_engine, tmp_path):
    (tmp_path / "file").write_text("")
    watched = make_engine([ANSWER], conversations=ConversationStore(tmp_path / "file" / "x"))
    ask(watched, "one")
    ask(watched, "two", "t2")
    watched.engine.read(lambda _: None)
    assert [problem.code for problem in watched.view.problems] == ["conversation_not_kept"]


def test_a_file_that_cannot_be_deleted_is_said(kernel, folder, monkeypatch):
    watched = kernel()
    ask(watched, "one")

    def refuse(path, missing_ok=False):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(SessionError, match="Permission denied"):
        watched.engine.say(DeleteConversation())


def test_a_file_that_names_another_place_as_its_own_leads_nowhere(tmp_path):
    victim = tmp_path / "victim.jsonl"
    victim.write_text("{}\n")
    folder = tmp_path / "conversations"
    folder.mkdir()
    (folder / "planted.jsonl").write_text('{"id": "../victim", "title": "t"}\n')
    store = ConversationStore(folder)
    assert store.headers() == {}
    store.delete_older(0)
    assert victim.exists()
