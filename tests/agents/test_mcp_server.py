"""The tools of an agent, by the SDK's own client, in a real kernel."""

from __future__ import annotations

import asyncio
import re

import pytest

from spark_jupyter.agents import agent_client
from spark_jupyter.agents.agent_client import AgentClient
from spark_jupyter.protocol.notebook import content_hash
from tests.agents.conftest import agent_of

CELLS = ("import math\nradius = 2", "area = math.pi * radius ** 2", "print(round(area, 2))")


@pytest.fixture(scope="module")
def notebook(open_notebook):
    opened = open_notebook(CELLS)
    opened.run("%load_ext spark_jupyter")
    for source in CELLS:
        opened.run(source)
    return opened


def edit(number: int, source: str, *, was: str | None = None) -> dict[str, str]:
    digest = content_hash(CELLS[number - 1] if was is None else was)
    return {"action": "edit", "cell_id": f"cell-{number}", "hash": digest, "source": source}


def new_id(said: str) -> str:
    found = re.search(r"(a[0-9a-f]{12}-\d+)", said)
    assert found, said
    return found[1]


def test_it_reads_looks_and_tries(notebook):
    async def work() -> None:
        async with agent_of(notebook, as_command=True) as agent:
            assert "Spark is loaded" in await agent("list_notebooks")
            outline = await agent("read_notebook")
            assert f"id=cell-1 hash={content_hash(CELLS[0])}" in outline
            assert "no instructions" in outline
            assert CELLS[1] in await agent("read_notebook", cells=["cell-2"])
            assert "radius" in await agent("kernel_variables")
            assert "radius" in await agent("inspect", name="radius")
            assert "hypot" in await agent("inspect", name="math.hypot")
            assert "has no nothing" in await agent("inspect", name="nothing")
            assert "12.57" in await agent("try_code", code="print(round(area, 2))")
            assert "no attribute `hypotenuse`" in await agent("check", code="math.hypotenuse(3, 4)")

    asyncio.run(work())
    assert notebook.value("radius") == "2"


def test_a_notebook_that_was_renamed_or_saved_is_read_anew(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            assert "work.ipynb: 3 cells" in await agent("read_notebook")
            session = next(one for one in notebook.call("GET", "sessions") if one["path"] == "work.ipynb")
            try:
                notebook.call("PATCH", "contents/work.ipynb", {"path": "other.ipynb"})
                notebook.call("PATCH", f"sessions/{session['id']}", {"path": "other.ipynb"})
                assert "other.ipynb: 3 cells" in await agent("read_notebook")
                assert "No running notebook has that path" in await agent("read_notebook", notebook="work.ipynb")
            finally:
                notebook.call("PATCH", "contents/other.ipynb", {"path": "work.ipynb"})
                notebook.call("PATCH", f"sessions/{session['id']}", {"path": "work.ipynb"})
            saved = notebook.call("GET", "contents/work.ipynb?content=1")
            last = saved["content"]["cells"][2]
            for source in ("print('saved')", CELLS[2]):
                last["source"] = source
                notebook.call("PUT", "contents/work.ipynb", {"type": "notebook", "content": saved["content"]})
                assert source in await agent("read_notebook", detail="full")

    asyncio.run(work())


def test_calls_at_once_attach_one_client(notebook, monkeypatch):
    attached = []
    attach = AgentClient.attach

    async def counted(*args):
        attached.append(args)
        return await attach(*args)

    monkeypatch.setattr(AgentClient, "attach", counted)

    async def work() -> None:
        async with agent_of(notebook) as agent:
            said = await asyncio.gather(*(agent("inspect", name="radius") for _ in range(5)))
            assert all("radius" in one for one in said)

    asyncio.run(work())
    assert len(attached) == 1


def test_code_that_a_finding_blocks_is_not_tried(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            dangerous = "import os\nname = input()\nos.system('ls ' + name)"
            assert "CWE-78" in await agent("check", code=dangerous)
            assert "Not tried" in await agent("try_code", code=dangerous)

    asyncio.run(work())


def test_what_it_proposes_is_tried_and_changes_nothing(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            change = {"action": "insert", "source": "diameter = 2 * radius\nprint(diameter)", "after": "cell-1"}
            said = await agent("propose", summary="Adds the diameter.", changes=[change])
            cell_id = new_id(said)
            assert "in a copy" in said
            assert cell_id in await agent("proposals")
            assert await agent("undo") == "Withdrawn."
            assert await agent("proposals") == "Nothing is proposed."

    asyncio.run(work())
    assert notebook.value("'diameter' in globals()") == "False"
    assert len(notebook.saved.cells) == 3


def test_an_edit_of_a_cell_that_has_changed_is_refused_with_a_diff(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            said = await agent("propose", summary="Edits.", changes=[edit(1, "radius = 3", was="radius = 1")])
            assert content_hash(CELLS[0]) in said
            assert "has changed since you read it" in said
            assert await agent("proposals") == "Nothing is proposed."

    asyncio.run(work())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_person_is_asked_by_the_agents_client_and_may_refuse(notebook, mode):
    asked: list[str] = []

    def no(question: str) -> None:
        asked.append(question)

    async def work() -> None:
        async with agent_of(notebook, person=no, mode=mode) as agent:
            change = {"action": "insert", "source": "refused = 1", "after": "cell-1"}
            cell_id = new_id(await agent("propose", summary="Sets it.", changes=[change]))
            assert "refused" in await agent("run", cell_id=cell_id)
            await agent("undo")

    asyncio.run(work())
    assert "Helper asks to run this cell" in asked[0]
    assert "refused = 1" in asked[0]
    assert notebook.value("'refused' in globals()") == "False"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_what_a_person_agreed_to_runs_and_is_written(notebook, mode):
    name = f"sum_{mode}"

    async def work() -> None:
        async with agent_of(notebook, person=lambda _: {"answer": "run it"}, mode=mode, as_command=True) as agent:
            change = {"action": "insert", "source": f"{name} = radius + 40\nprint({name})", "after": "cell-1"}
            cell_id = new_id(await agent("propose", summary="Adds.", changes=[change]))
            said = await agent("run", cell_id=cell_id)
            assert "It ran." in said
            assert "42" in said
            assert cell_id in await agent("read_notebook")

    asyncio.run(work())
    assert notebook.value(name) == "42"
    cell = notebook.saved.cells[1]
    assert cell.outputs[0]["text"] == "42\n"
    assert cell.metadata["spark"]["model"] == "Helper"


def test_a_grant_runs_clean_cells_and_asks_for_blocked_ones(notebook):
    questions: list[str] = []

    def person(question: str) -> dict[str, object] | None:
        questions.append(question)
        return {"answer": "run it, and allow clean cells for 30 minutes"} if len(questions) == 1 else None

    async def work() -> None:
        async with agent_of(notebook, person=person) as agent:
            for number in (1, 2):
                change = {"action": "insert", "source": f"granted_{number} = {number}"}
                cell_id = new_id(await agent("propose", summary="Sets it.", changes=[change]))
                assert "It ran." in await agent("run", cell_id=cell_id)
            dangerous = {"action": "insert", "source": "import os\nname = input()\nos.system('ls ' + name)"}
            cell_id = new_id(await agent("propose", summary="Lists.", changes=[dangerous]))
            assert "Nobody has answered yet" in await agent("run", cell_id=cell_id, wait_seconds=1)
            await agent("undo")

    asyncio.run(work())
    assert len(questions) == 1
    assert notebook.value("granted_2") == "2"


CONSENT = "get_ipython().magics_manager.magics['line']['spark'].pair.engine.read(lambda session: session.consent.value)"
ASKED = f"bool(getattr({CONSENT}, 'asked', ()))"


def test_a_person_without_elicitation_is_asked_in_the_notebook(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            await asyncio.to_thread(notebook.run, "%spark deny")
            change = {"action": "insert", "source": "by_magic = 7"}
            cell_id = new_id(await agent("propose", summary="Sets it.", changes=[change]))
            running = asyncio.ensure_future(agent("run", cell_id=cell_id))
            while await asyncio.to_thread(notebook.value, ASKED) != "True":
                await asyncio.sleep(0.05)
            await asyncio.to_thread(notebook.run, "%spark allow")
            assert "It ran." in await running

    asyncio.run(work())
    assert notebook.value("by_magic") == "7"


def test_a_cell_that_exists_is_run_as_it_is(notebook):
    questions: list[str] = []

    def person(question: str) -> dict[str, object] | None:
        questions.append(question)
        return {"answer": "run it"} if len(questions) == 2 else None

    async def work() -> None:
        async with agent_of(notebook, person=person) as agent:
            await asyncio.to_thread(notebook.run, "%spark deny")
            arguments = {"cell_id": "cell-3", "cell_hash": content_hash(CELLS[2])}
            assert "with its hash" in await agent("run", cell_id="cell-3")
            assert "has changed since" in await agent("run", cell_id="cell-3", cell_hash=content_hash("old"))
            assert "refused" in await agent("run", **arguments)
            assert await agent("proposals") == "Nothing is proposed."
            assert "12.57" in await agent("run", **arguments)

    asyncio.run(work())
    assert CELLS[2] in questions[1]
    cell = next(one for one in notebook.saved.cells if one.id == "cell-3")
    assert cell.outputs[0]["text"] == "12.57\n"
    assert "spark" not in cell.metadata


def test_a_cell_is_deleted_or_moved_only_where_a_browser_shows_it(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            for action in ("delete", "move"):
                change = {"action": action, "cell_id": "cell-2", "hash": content_hash(CELLS[1])}
                assert "No browser" in await agent("propose", summary="Away", changes=[change])
            assert await agent("proposals") == "Nothing is proposed."

    asyncio.run(work())


def test_figures_come_as_images(notebook):
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    figure = f"import base64\nfrom IPython.display import Image, display\ndisplay(Image(base64.b64decode('{pixel}')))"

    async def work() -> None:
        async with agent_of(notebook, person=lambda _: {"answer": "run it"}) as agent:
            await asyncio.to_thread(notebook.run, "%spark deny")
            tried = await agent.client.call_tool("try_code", {"code": figure})
            said = await agent("propose", summary="Draws.", changes=[{"action": "insert", "source": figure}])
            ran = await agent.client.call_tool("run", {"cell_id": new_id(said)})
            read = await agent.client.call_tool("read_notebook", {"cells": [new_id(said)]})
            for result in (tried, ran, read):
                assert [part.mime_type for part in result.content if part.type == "image"] == ["image/png"]

    asyncio.run(work())


def test_a_long_notebook_and_a_long_text_come_in_pages(open_notebook):
    opened = open_notebook((f"text = '{'row;' * 12_500}'", *(f"x{number} = {number}" for number in range(30))))
    opened.run("%load_ext spark_jupyter")

    async def work() -> None:
        async with agent_of(opened) as agent:
            first, second = await agent("read_notebook"), await agent("read_notebook", start=21)
            assert "31 cells" in first
            assert ("#20 " in first, "#21 " in first, "#21 " in second, "#31 " in second) == (True, False, True, True)
            parts = [await agent("read_notebook", cells=["cell-1"], offset=24_000 * page) for page in range(3)]
            assert "more characters, from 24000" in parts[0]
            assert sum(part.count("row;") for part in parts) == pytest.approx(12_500, abs=2)
            assert "more characters" not in parts[2]

    asyncio.run(work())


def test_prompts_teach_the_habits(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            names = [prompt.name for prompt in (await agent.client.list_prompts()).prompts]
            assert names == ["clean_data", "plot_data", "fix_cell", "refactor_cells", "write_tests"]
            said = await agent.client.get_prompt("fix_cell", {"cell_id": "cell-3"})
            assert "Cell cell-3 failed." in said.messages[0].content.text

    asyncio.run(work())


def test_an_edit_is_proven_against_the_checkpoint(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            change = edit(2, "area = radius ** 2 * math.pi")
            said = await agent("propose", summary="Turns it round.", changes=[change])
            assert "cell-2 (edit)" in said
            assert "cell-2" in await agent("prove", cell_id="cell-2")
            await agent("undo")

    asyncio.run(work())


def test_credentials_do_not_reach_the_agent(open_notebook):
    secret = "hunter2-6f1c9a07b3d84e5f"
    opened = open_notebook((f"password = '{secret}'", "print(password)"), secret="sk-test-0123456789abcdef0123456789")
    opened.run("%load_ext spark_jupyter")
    opened.run(f"password = '{secret}'")

    async def work() -> None:
        async with agent_of(opened) as agent:
            said = [
                await agent("read_notebook", detail="full"),
                await agent("kernel_variables"),
                await agent("inspect", name="password"),
                await agent("try_code", code="print(password[::-1])\nprint('-'.join(password))"),
                await agent("try_code", code="import os\nprint([ord(c) for c in os.environ['SPARK_TEST_API_KEY']])"),
                await agent("try_code", code="raise ValueError(password.swapcase())"),
            ]
            text = "\n".join(said)
            assert secret not in text
            assert secret[::-1] not in text
            assert "-".join(secret) not in text
            assert secret.swapcase() not in text
            assert str([ord(letter) for letter in "sk-test"])[1:-1] not in text
            assert "withheld" in said[3]

    asyncio.run(work())


def test_a_kernel_without_spark_says_what_to_do(open_notebook, monkeypatch):
    monkeypatch.setattr(agent_client, "HELLO", 1.0)
    opened = open_notebook(("x = 1",))

    async def work() -> None:
        async with agent_of(opened) as agent:
            assert "Spark is not loaded" in await agent("read_notebook")

    asyncio.run(work())


def test_the_notebook_is_a_resource(notebook):
    async def work() -> None:
        async with agent_of(notebook) as agent:
            result = await agent.client.read_resource("notebook://work.ipynb")
            assert CELLS[1] in result.contents[0].text

    asyncio.run(work())
