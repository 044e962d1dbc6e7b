"""What a turn leaves in the tab when it has been decided on: counts of what lives, after the garbage was collected, and no megabytes."""

from __future__ import annotations

from tests.browser.lab import Notebook, code

CELL = "window.jupyterapp.shell.currentWidget.content.widgets[0]"


def living(book: Notebook, expression: str) -> int:
    """How many objects of the same class as this one live in the page."""
    client = book.page.context.new_cdp_session(book.page)
    try:
        client.send("HeapProfiler.collectGarbage")
        shape = client.send("Runtime.evaluate", {"expression": f"Object.getPrototypeOf({expression})"})["result"]
        found = client.send("Runtime.queryObjects", {"prototypeObjectId": shape["objectId"]})["objects"]
        counted = {"objectId": found["objectId"], "functionDeclaration": "function () { return this.length; }"}
        number: int = client.send("Runtime.callFunctionOn", {**counted, "returnByValue": True})["result"]["value"]
        return number
    finally:
        client.detach()


def turn(book: Notebook) -> None:
    """A turn whose cell is rejected. No element is taken out of the page meanwhile, since whoever holds one keeps all of it."""
    book.prompt("one more")
    book.page.locator(".spark-Footer[data-state=ready]").wait_for()
    book.page.locator(".spark-Turn:last-child[data-outcome=completed]").wait_for()
    book.command("spark:reject-all")
    book.page.locator(".spark-Footer").wait_for(state="detached")


def test_a_cell_that_was_rejected_leaves_no_editor_and_no_widget(notebook, model) -> None:
    book: Notebook = notebook([code("x = 1")], model([{"answer": "```python\ny = 1\n```\n", "repeat": True}]))
    turn(book)
    kinds = {"editors": f"{CELL}.editor.editor", "cells": CELL}
    before = {kind: living(book, one) for kind, one in kinds.items()}
    for _ in range(3):
        turn(book)
    for _ in range(40):
        after = {kind: living(book, one) for kind, one in kinds.items()}
        if all(after[kind] <= before[kind] for kind in kinds):
            break
        book.page.wait_for_timeout(250)  # a timer or a frame of the page may still hold the last one
    assert all(after[kind] <= before[kind] for kind in kinds), (before, after)
