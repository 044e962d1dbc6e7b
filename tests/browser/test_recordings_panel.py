"""Recordings in the panel: made by a command, used after one yes."""

from __future__ import annotations

from tests.browser.lab import code

ANSWER = {"answer": "```python\nseven = 7\n```\n", "repeat": True}
KEPT = "cells => window.jupyterapp.shell.currentWidget.content.model.getMetadata('spark')?.recording"


def test_answers_are_recorded_beside_the_notebook_and_replayed_after_one_yes(notebook, model) -> None:
    book = notebook([code("%load_ext spark_jupyter"), code("")], model([ANSWER]))
    book.open_panel()
    book.start("spark:record")
    book.wait_until(KEPT)
    book.activate(1)
    book.prompt("make seven")
    book.wait_state("ready")
    book.start("spark:record")
    notice = book.panel.locator("[data-recording]")
    notice.wait_for()
    book.screenshot("recording-offered", contrast=True)
    notice.get_by_role("button", name="Use them").click()
    notice.wait_for(state="detached")
    assert "Recorded answers" in book.panel.locator(".spark-Status-provider").inner_text()
    book.prompt("Make seven.")
    book.wait_until("cells => cells.filter(cell => cell.source === 'seven = 7').length === 2")


def test_a_recording_that_is_not_there_is_not_offered(notebook, model) -> None:
    book = notebook([code("x = 1")], model([ANSWER]))
    book.page.evaluate(
        "said => window.jupyterapp.shell.currentWidget.content.model.setMetadata('spark', said)",
        {"prompts": "hints", "recording": "forgotten.spark.jsonl"},
    )
    book.open_panel()
    book.panel.locator("[data-policy=hints]").wait_for()
    assert book.panel.locator("[data-recording]").count() == 0
