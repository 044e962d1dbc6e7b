"""Turns that a notebook remembers: over a restart, a reload without the kernel, copies, and in files of strangers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nbclient import NotebookClient

from spark_jupyter.protocol.notebook import content_hash
from tests.browser.lab import Notebook, code
from tests.browser.test_lifecycle import attached_anew

DANGEROUS = "import os\nos.system('rm -rf / --no-preserve-root')"
DISARM = "import os; os.system = lambda command: print('RAN', command)"


def fenced(source: str, **fields: object) -> dict[str, object]:
    return {"answer": f"Some words.\n\n```python\n{source}\n```\n", **fields}


def open_anew(book: Notebook) -> None:
    """As on the next day: saved, the kernel gone, the page loaded again."""
    book.save()
    book.server.read(book.name)
    book.server.end_kernels()
    book.reload()
    book.open_panel()


def rows(book: Notebook, *wanted: str) -> None:
    book.page.wait_for_function(
        "wanted => [...document.querySelectorAll('.spark-CellLink-state')].map(one => one.textContent).join() === wanted",
        arg=",".join(wanted),
    )


def wait_focus(book: Notebook, action: str) -> None:
    book.page.wait_for_function("action => document.activeElement?.dataset.action === action", arg=action)


def test_turns_notes_proposals_and_reverts_come_back_without_their_kernel(notebook, model) -> None:
    book = notebook([code("x = 1", id="own")], model([fenced("x = 2"), fenced("y = 3")]))
    book.activate(0)
    book.command("spark:edit")
    book.prompt("two")
    book.wait_state("ready", 0)
    book.button("accept", 0).click()
    book.wait_until("cells => cells[0].source === 'x = 2'")
    book.prompt("three")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(1).wait_for()
    open_anew(book)
    rows(book, "Proposed")
    assert "Some words." not in book.panel.inner_text(), "the notebook has no word of it"
    book.footer(1).get_by_text("was read from the notebook").wait_for()
    book.button("run", 1).click()
    book.cell(1).locator(".jp-InputPrompt", has_text="1").wait_for()
    rows(book, "Accepted", "Accepted")
    assert "Some words." in book.panel.inner_text()
    book.screenshot("remembered")
    book.panel.get_by_role("button", name="Revert").first.click()
    book.wait_until("cells => cells[0].source === 'x = 1'")
    rows(book, "Reverted", "Accepted")


def test_a_restart_of_the_kernel_leaves_the_turns_and_their_reverts(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.prompt("two")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    rows(book, "Accepted")
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    attached_anew(book)
    rows(book, "Accepted")
    book.execute("get_ipython().run_line_magic('spark', 'revert')")
    rows(book, "Reverted")
    assert book.sources() == ["x = 1"]


@pytest.mark.parametrize("gesture", ["Shift+Enter", "run"])
def test_a_blocked_proposal_that_waited_without_its_kernel_asks_once_more(notebook, model, gesture) -> None:
    book = notebook([code("x = 1")], model([fenced(DANGEROUS, repeat=True)]))
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    open_anew(book)
    book.execute(DISARM)
    rows(book, "Blocked")
    if gesture == "run":
        book.button("run", 1).click()
    else:
        book.activate(1)
        book.page.keyboard.press(gesture)
    wait_focus(book, "dont-run")
    book.page.keyboard.press("Escape")
    book.execute("pass")
    assert "RAN" not in book.cell(1).inner_text()
    book.footer(1).locator('.spark-Finding[data-severity="block"]').first.wait_for()


def test_a_program_that_runs_the_file_leaves_alone_what_nobody_decided_on(notebook, model) -> None:
    book = notebook([code("print('own')", id="own")], model([fenced("print('pro' + 'posed')")]))
    book.prompt("print it")
    book.wait_state("ready", 1)
    assert printed_by_nbclient(book) == ["own"]
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    assert printed_by_nbclient(book) == ["own", "proposed"]


def printed_by_nbclient(book: Notebook) -> list[str]:
    """What the saved notebook prints where `jupyter execute` runs it."""
    book.save()
    done = NotebookClient(book.server.read(book.name), timeout=120).execute()
    return [output["text"].strip() for cell in done.cells for output in cell.get("outputs", []) if "text" in output]


HOSTILE: list[tuple[str, dict[str, Any], Any]] = [
    ("marked and not recorded", {"proposed": True}, None),
    ("a record that can't be read", {"proposed": True}, {"version": 1, "turns": 7}),
    (
        "said to be harmless",
        {"proposed": True},
        {
            "version": 1,
            "turns": [
                {"id": "t", "prompt": "<img src=x onerror=alert(1)>", "outcome": "completed", "notes": "<b>x</b>"}
            ],
            "proposals": [
                {
                    "cell_id": "c",
                    "turn_id": "t",
                    "state": "ready",
                    "may_run": "freely",
                    "findings": [],
                    "hash": "0" * 16,
                }
            ],
        },
    ),
]


@pytest.mark.parametrize(("mark", "record"), [one[1:] for one in HOSTILE], ids=[one[0] for one in HOSTILE])
def test_a_notebook_from_elsewhere_makes_no_blocked_cell_harmless(notebook, mark, record) -> None:
    cells = [code("x = 1"), code(DANGEROUS, id="c", metadata={"spark": mark})]
    book = notebook(cells, metadata={} if record is None else {"spark": record})
    book.execute(DISARM)
    book.wait_state("blocked", 1)
    book.activate(1)
    book.page.keyboard.press("Shift+Enter")
    wait_focus(book, "dont-run")
    book.page.keyboard.press("Escape")
    book.execute("pass")
    assert book.cell(1).locator(".jp-OutputArea-output").count() == 0
    book.open_panel()
    if record == HOSTILE[1][2]:
        book.panel.get_by_text("can’t be read").wait_for()


def test_a_copy_of_a_proposal_is_one_too(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced(DANGEROUS, repeat=True)]))
    book.execute(DISARM)
    book.prompt("clean up")
    book.wait_state("blocked", 1)
    book.activate(1)
    book.command("notebook:copy-cell")
    book.command("notebook:paste-cell-below")
    book.wait_state("blocked", 2)
    book.footer(2).get_by_text("was read from the notebook").wait_for(state="detached")  # the kernel has judged it
    book.activate(2)
    book.page.keyboard.press("Shift+Enter")
    wait_focus(book, "dont-run")
    book.page.keyboard.press("Escape")
    book.execute("pass")
    assert book.cell(2).locator(".jp-OutputArea-output").count() == 0


def test_a_command_takes_away_all_that_the_notebook_keeps_but_what_is_open(notebook, model) -> None:
    book = notebook(
        [code("x = 1")], model([{"answer": "```python\ny = 2\n```\n"}, {"answer": "```python\nz = 3\n```\n"}])
    )
    book.activate(0)
    book.prompt("the first secret wish")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer(1).wait_for(state="detached")
    book.save()
    text = (book.server.root / book.name).read_text()
    assert "spark" not in json.loads(text)["metadata"], "an accepted cell has one line of its own, the notebook nothing"
    assert book.metadata(1)["spark"]["prompt"] == "the first secret wish"
    book.command("spark:export")
    book.page.locator(".Toastify__toast", has_text="The conversation was written to").wait_for()
    (exported,) = book.server.root.glob("the first secret wish *.md")
    assert "## the first secret wish" in exported.read_text()
    book.command("spark:strip")
    book.save()
    assert "spark" not in json.loads((book.server.root / book.name).read_text())["metadata"]
    assert "spark" not in book.metadata(1)
    book.prompt("then")
    book.wait_state("ready", 2)
    book.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.getMetadata('spark')?.proposals?.length === 1"
    )
    book.save()
    assert "secret wish" not in (book.server.root / book.name).read_text()


def on_disk(book: Notebook) -> tuple[str, dict[str, Any]]:
    book.save()
    text = (book.server.root / book.name).read_text()
    return text, json.loads(text)


def test_an_open_proposal_takes_half_a_kilobyte_of_the_file_and_its_prompt_is_not_there(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2"), fenced("z = 3")]))
    before, _ = on_disk(book)
    book.prompt("a wish " * 300)
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    text, file = on_disk(book)
    assert len(json.dumps(file["metadata"]["spark"])) <= 512
    assert len(text) - len(before) <= 1_200, "the cell with its mark, and the record, with the indentation of the file"
    assert not {"a wish", "Some words"} & {phrase for phrase in ("a wish", "Some words") if phrase in text}
    assert "".join(file["cells"][1]["source"]).startswith("# Proposed by Spark, not accepted yet"), "for others to read"
    assert book.sources()[1] == "y = 2", "and not in the page"
    open_anew(book)
    book.footer(1).wait_for()
    assert book.sources()[1] == "y = 2"
    book.button("reject", 1).click()
    book.wait_until("cells => cells.length === 1")
    after, _ = on_disk(book)
    assert "spark" not in after, "nothing of what was rejected"


def test_a_notebook_of_before_is_read_once_and_emptied(notebook) -> None:
    turn = {"id": "t", "prompt": "an old wish", "notes": "Old words.", "outcome": "completed"}
    edit = {"cell_id": "c", "turn_id": "t", "kind": "edit", "state": "accepted", "base": "x = 0", "source": "x = 1"}
    record = {"version": 1, "turns": [turn], "proposals": [{**edit, "hash": content_hash("x = 1")}]}
    book = notebook([code("x = 1", id="c")], metadata={"spark": record})
    book.open_panel()
    book.panel.get_by_text("an old wish").wait_for()
    text, _ = on_disk(book)
    assert "old wish" not in text
    assert "spark" not in text


@pytest.mark.own_page
def test_the_settings_keep_no_conversation_and_no_record(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2"), fenced("z = 3")]))
    for name in ("keepConversations", "recordInNotebook"):
        book.set("spark-jupyter:plugin", name, False)
    folder = book.server.root.parent / "data/spark_jupyter/conversations"
    book.prompt("an unkept wish")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    _, file = on_disk(book)
    assert "spark" not in file["metadata"]
    assert file["cells"][1]["metadata"]["spark"].keys() == {"proposed", "cell", "life"}, "a mark, and no word of it"
    book.button("accept", 1).click()
    book.footer(1).wait_for(state="detached")
    text, _ = on_disk(book)
    assert "spark" not in text
    assert "an unkept wish" not in "".join(file.read_text() for file in folder.glob("*.jsonl"))
    book.panel.get_by_role("button", name="Conversations").click()
    book.panel.get_by_text("Conversations are not kept").wait_for()
