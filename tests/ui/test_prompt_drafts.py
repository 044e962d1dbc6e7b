"""Drafts below IPython's prompt, in a real terminal and key by key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from spark_jupyter.protocol.draft_messages import SwitchDrafts
from spark_jupyter.protocol.messages import TurnEnded
from spark_jupyter.ui.prompt_drafts import PromptDrafts, words_in
from tests.ui.test_terminal import IPYTHON, shows, terminal  # noqa: F401  # a fixture

CODE = "total = sum([1, 2, 39])\ntotal"
TOTAL = {"match": "sum of all months", "answer": f"```python\n{CODE}\n```\n", "repeat": True}
ERASE = "```python\nimport os\nos.system('rm -rf ' + input())\n```\n"
BAD = {"match": "delete all old files", "answer": ERASE, "repeat": True}
NOTHING = {"answer": "Nothing.", "repeat": True}
TAKES = "Tab takes the draft, Esc hides it."


def test_in_ipython_a_comment_is_drafted_below_the_prompt_and_tab_takes_it_at_once(terminal):  # noqa: F811
    child = terminal(IPYTHON, [TOTAL, NOTHING])
    child.expect_exact("[1]:")
    child.send("%load_ext spark_jupyter\r")
    child.expect_exact("[2]:")
    child.send("import sys; 'spark_jupyter.ui.prompt_drafts' in sys.modules\r")
    child.expect_exact("False")  # off, and nothing of it is loaded
    child.expect_exact("[3]:")
    child.send("%spark draft on\r")
    child.expect_exact("Draft mode is on")
    child.expect_exact("[4]:")
    child.send("# the sum of all months")
    shows(child, TAKES)
    child.send("\t")
    shows(child, "...:")  # the comment has more lines now
    child.send("\r")
    child.expect_exact("42")
    child.expect_exact("[5]:")
    child.send("In[4]\r")
    child.expect_exact("'# the sum of all months\\ntotal = sum([1, 2, 39])\\ntotal'")
    child.send("%spark diff\r")
    child.expect_exact("no open proposal")


class Typing:
    """A prompt at which somebody types, with draft mode on."""

    def __init__(self, pair: SimpleNamespace, session: PromptSession[str], keys) -> None:
        self.pair = pair
        self.session = session
        self.type = keys.send_text
        self.drafts = PromptDrafts(session, pair)

    @property
    def text(self) -> str:
        return self.session.default_buffer.text

    @property
    def below(self) -> str:
        """What is shown below the prompt."""
        return "".join(part[1] for part in self.drafts._fragments()) if self.drafts._is_shown else ""

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not condition():
                await asyncio.sleep(0.01)


@pytest.fixture
def at_prompt(make_engine):
    """Plays a scene at a prompt whose model answers so."""

    def play(scene: Callable[[Typing], Awaitable[None]], *answers: dict[str, object]) -> None:
        watched = make_engine([*answers, NOTHING])
        assert watched.engine.wait_until_connected(60) is not None
        watched.engine.drafts(SwitchDrafts(on=True))
        shell = SimpleNamespace(cells=lambda all_inputs: (), interactive=SimpleNamespace(execution_count=1))
        pair = SimpleNamespace(engine=watched.engine, view=watched.view, shell=shell, panels=[])

        async def here() -> None:
            with create_pipe_input() as keys:
                session: PromptSession[str] = PromptSession(input=keys, output=DummyOutput(), multiline=True)
                before = session.layout.container
                typing = Typing(pair, session, keys)
                asked = asyncio.create_task(session.prompt_async())
                await typing.until(lambda: watched.view.hello.drafts and session.app.is_running)
                try:
                    await scene(typing)
                finally:
                    session.app.exit(result="")
                    await asked
                typing.drafts.close()
                assert session.layout.container is before
                assert pair.panels == []

        asyncio.run(here())

    return play


def test_a_prompt_is_drafted_while_it_is_typed_and_the_code_takes_its_place(at_prompt):
    async def scene(one: Typing) -> None:
        one.type("%spark show the sum of all months")
        await one.until(lambda: TAKES in one.below)
        assert one.below.startswith(CODE)
        one.type("\t")
        await one.until(lambda: one.text == CODE)
        await one.until(lambda: [proposal.state for proposal in one.pair.view.all_proposals] == ["accepted"])
        assert one.below == ""

    at_prompt(scene, TOTAL)


def test_a_draft_that_is_gone_takes_no_words_and_tab_takes_the_next_one(at_prompt):
    async def scene(one: Typing) -> None:
        one.type("%spark show the sum of all months")
        await one.until(lambda: TAKES in one.below)
        asked = one.drafts._asked
        one.drafts._taking = "t-lost"  # its end was said while a cell ran, and nobody heard it
        one.drafts._hear(TurnEnded(turn_id="t-lost", outcome="cancelled"))
        assert one.text == "%spark show the sum of all months"
        one.drafts._taking = "t-unheard"
        one.type("\x08" * (len(one.text) - len("%spark ")) + "print the sum of all months")
        await one.until(lambda: TAKES in one.below and one.drafts._asked is not asked)
        one.type("\t")
        await one.until(lambda: one.text == CODE)

    at_prompt(scene, TOTAL)


def test_esc_hides_it_until_the_words_change(at_prompt):
    async def scene(one: Typing) -> None:
        one.type("# the sum of all months")
        await one.until(lambda: TAKES in one.below)
        one.type("\x1b")
        await one.until(lambda: one.below == "")
        one.type(" please")
        await one.until(lambda: TAKES in one.below)

    at_prompt(scene, TOTAL)


def test_words_that_contradict_have_it_go_at_once_and_words_that_go_on_keep_it(at_prompt):
    async def scene(one: Typing) -> None:
        one.type("# the sum of all months")
        await one.until(lambda: TAKES in one.below)
        one.type(" and")
        await one.until(lambda: one.text.endswith("and"))
        assert one.below == f"{CODE}\nDraft …"
        one.type("\x01# No")
        await one.until(lambda: one.text.startswith("# No"))
        assert one.below == ""

    at_prompt(scene, TOTAL)


def test_a_blocked_draft_is_struck_out_and_not_taken(at_prompt):
    async def scene(one: Typing) -> None:
        one.type("# delete all old files")
        await one.until(lambda: "Draft, blocked: " in one.below)
        assert [text for style, text, *_ in one.drafts._fragments() if "strike" in style] == [
            "os.system('rm -rf ' + input())\n"
        ]
        one.type("\tx")
        await one.until(lambda: one.text == "# delete all old filesx")

    at_prompt(scene, BAD)


def test_off_is_off(at_prompt):
    async def scene(one: Typing) -> None:
        one.type("# the sum of all months")
        await one.until(lambda: TAKES in one.below)
        one.pair.engine.drafts(SwitchDrafts(on=False))
        await one.until(lambda: one.below == "")
        assert one.drafts._words() is None

    at_prompt(scene, TOTAL)


@pytest.mark.parametrize(
    ("source", "kind", "text", "lines"),
    [
        ("# the sum of all months", "comment", "# the sum of all months", 1),
        ("x = 1\n# the sum\n# of all months here", "comment", "# the sum\n# of all months here", 2),
        ("%spark the sum of all months ", "markdown", "the sum of all months", 1),
        ("%%spark\nthe sum\nof all months here", "markdown", "the sum\nof all months here", 2),
    ],
)
def test_words_that_ask_for_something(source, kind, text, lines):
    found = words_in(source)
    assert found is not None
    assert (found.kind, found.text, found.lines) == (kind, text, lines)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x = 1",
        "# the sum",
        "%spark",
        "%spark undo the last three runs",
        "%spark --run all the three months",
        "#!/usr/bin/env python three months",
        "# the sum of all months\nx = 1",
        "%time run all three months",
    ],
)
def test_words_that_do_not(source):
    assert words_in(source) is None
