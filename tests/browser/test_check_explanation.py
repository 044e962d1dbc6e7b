"""A check that failed, in the notebook and the panel: why, and how many prompts are left."""

from __future__ import annotations

from tests.browser.lab import code


def test_a_check_that_failed_says_why_and_the_panel_how_many_prompts_are_left(notebook, model) -> None:
    answers = [{"answer": "A mean is a total by a count.\n\n```python\nsum(xs) / len(xs)\n```\n", "repeat": True}]
    cells = [code("def mean(xs): return sum(xs)"), code("assert mean([1, 2, 3]) == 2, 'Think of the count.'")]
    book = notebook(cells, model(answers), metadata={"spark": {"prompt_limit": 3}})
    book.open_panel()
    book.panel.get_by_text("3 of 3 prompts left").wait_for()
    for place in (0, 1):
        book.activate(place)
        book.command("notebook:run-cell")
    book.panel.get_by_text("The active cell failed").wait_for()
    book.panel.get_by_role("button", name="Why is this wrong?").click()
    book.panel.get_by_text("Check 1 of 1 fails.").wait_for()
    book.panel.locator(".spark-Notes", has_text="is 6. The check expects 2.").wait_for()
    book.panel.get_by_text("A mean is a total by a count.").wait_for()
    book.panel.get_by_text("2 of 3 prompts left").wait_for()
    book.screenshot("check")
    assert "len(xs)" not in book.panel.inner_text()
    assert book.sources()[0] == "def mean(xs): return sum(xs)"
