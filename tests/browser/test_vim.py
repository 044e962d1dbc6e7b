"""Ghost text under Vim's keys, with the labextension that people use for them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import pytest

from spark_jupyter.completions.completion_request import CURSOR
from tests.browser.ghost_text import Writing
from tests.browser.lab import Notebook, code
from tests.browser.server import LabServer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


def has_vim() -> bool:
    try:
        return bool(version("jupyterlab-vim"))
    except PackageNotFoundError:
        return False


pytestmark = [pytest.mark.own_page, pytest.mark.skipif(not has_vim(), reason="jupyterlab-vim is not installed")]
JOINED = 600
"""Milliseconds after which a change is a step of undo of its own: CodeMirror joins those of half a second (its ``newGroupDelay``)."""
SAYS = {"total = su": "m([1, 2])", "\nmore = ": "total + 1"}


@pytest.fixture
def vim(tmp_path: Path) -> Iterator[LabServer]:
    server = LabServer(tmp_path, vim=True)
    yield server
    server.close()


def mode(one: Writing, name: str) -> None:
    """Wait until Vim is in this mode."""
    one.page.wait_for_function(
        """name => {
          const { vim } = window.jupyterapp.shell.currentWidget.content.activeCell.editor.editor.cm.state;
          return (vim.insertMode ? 'insert' : vim.visualMode ? 'visual' : 'normal') === name;
        }""",
        arg=name,
    )


def test_tab_takes_it_while_one_inserts_escape_leaves_as_ever_and_commands_bring_none(
    vim: LabServer, page: Page, model
) -> None:
    answers = [{"match": f"{before}{CURSOR}", "answer": text, "repeat": True} for before, text in SAYS.items()]
    book = Notebook(vim, page, vim.write("vim.ipynb", [code("")])).open()
    book.configure(model([*answers, {"answer": "", "repeat": True}]))
    book.open_panel()
    book.box.type("w")
    book.panel.locator(".spark-Status-provider").wait_for()
    book.autocomplete("on")
    one = Writing(book)
    one.enter(0)
    mode(one, "normal")
    one.press("i")
    mode(one, "insert")
    page.keyboard.type("total = su")
    one.shows("m([1, 2])")
    one.press("Tab")
    one.holds("total = sum([1, 2])")
    one.shows_nothing()
    one.press("Enter")
    page.keyboard.type("more = ")
    one.shows("total + 1")
    one.press("Escape")
    one.shows_nothing()
    mode(one, "normal")
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.content.mode") == "edit"
    asked = one.requests()
    page.wait_for_timeout(JOINED)
    one.press("0", "$", "k", "j", "x")
    one.holds("total = sum([1, 2])\nmore =")
    assert one.requests() == asked
    assert one.ghost.count() == 0
    one.press("u")
    one.holds("total = sum([1, 2])\nmore = ")
    assert one.ghost.count() == 0
    one.press("A")
    mode(one, "insert")
    one.press("Alt+\\")
    one.shows("total + 1")
    one.press("Control+ArrowRight")
    one.shows(" + 1")
    one.holds("total = sum([1, 2])\nmore = total")
    book.screenshot("vim-ghost")
