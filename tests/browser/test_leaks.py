"""Objects that a decided turn leaves in the tab, counted after a garbage collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.lab import Notebook, code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playwright.sync_api import CDPSession

CELL = "window.jupyterapp.shell.currentWidget.content.widgets[0]"


def living(book: Notebook, expressions: Iterable[str]) -> list[int]:
    """How many objects of the same class as each of these live in the page. Who asks has the garbage collected first."""
    client = book.page.context.new_cdp_session(book.page)
    try:
        return [_alike(client, one) for one in expressions]
    finally:
        client.detach()


def _alike(client: CDPSession, expression: str) -> int:
    shape = client.send("Runtime.evaluate", {"expression": f"Object.getPrototypeOf({expression})"})["result"]
    found = client.send("Runtime.queryObjects", {"prototypeObjectId": shape["objectId"]})["objects"]
    counted = {"objectId": found["objectId"], "functionDeclaration": "function () { return this.length; }"}
    number: int = client.send("Runtime.callFunctionOn", {**counted, "returnByValue": True})["result"]["value"]
    client.send("Runtime.releaseObject", {"objectId": found["objectId"]})  # a list of them keeps them
    return number


def turn(book: Notebook, number: int) -> None:
    """Turn ``number`` (from 0), whose cell is rejected. No element is taken out of the page: whoever holds one keeps all of it."""
    book.prompt("one more")
    book.page.locator(".spark-Footer[data-state=ready]").wait_for()
    book.page.locator(".spark-Turn[data-outcome=completed]").nth(number).wait_for()
    book.command("spark:reject-all")
    book.page.locator(".spark-Footer").wait_for(state="detached")


def test_a_cell_that_was_rejected_leaves_no_editor_and_no_widget(notebook, model) -> None:
    book: Notebook = notebook([code("x = 1")], model([{"answer": "```python\ny = 1\n```\n", "repeat": True}]))
    turn(book, 0)
    kinds = (f"{CELL}.editor.editor", CELL)
    before = living(book, kinds)
    for number in range(1, 7):
        turn(book, number)
    for _ in range(10):
        after = living(book, kinds)
        if not grown(before, after):
            break
        book.page.wait_for_timeout(250)  # a timer or a frame of the page may still hold the last ones
    assert not grown(before, after), (before, after)


def grown(before: list[int], after: list[int]) -> bool:
    """Whether turns left something. The last cell that was taken away may be held until the next one is, at either time."""
    return any(now > then + 1 for now, then in zip(after, before, strict=True))
