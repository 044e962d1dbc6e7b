"""Drafts: code below what a person types, which is no part of the notebook until it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nbformat
import pytest

from tests.browser.lab import ROOT, code, markdown
from tests.browser.test_a11y import violations

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.lab import Notebook

MONTHS = "total = sum([1, 2, 39])\ntotal"
IN_CODE = """() => document.activeElement?.closest('.jp-CodeCell')
  && window.jupyterapp.shell.currentWidget.content.mode === 'edit'"""

ELSEWHERE = """() => {
  window.away = new AbortController();
  window.addEventListener('keyup', event => ['Control', 'Alt', 'ArrowDown'].includes(event.key) && event.stopImmediatePropagation(),
    { capture: true, signal: away.signal });
}"""
"""The window does not hear that the keys are let go."""


def fenced(text: str) -> str:
    return f"```python\n{text}\n```\n"


class Thinking:
    """A notebook with draft mode on, and what a person sees of drafts."""

    def __init__(self, book: Notebook) -> None:
        self.book = book
        self.page = book.page

    @property
    def draft(self) -> Locator:
        return self.page.locator(".spark-Draft:not(.lm-mod-hidden)")

    def write(self, text: str, index: int) -> None:
        """Type at the end of a cell, key by key."""
        cell = self.book.cell(index)
        if cell.locator(".jp-MarkdownOutput").is_visible():
            cell.dblclick()
        cell.locator(".cm-content").first.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(text)

    def shows(self, text: str) -> None:
        """Wait until just this is drafted, and whole."""
        self.page.wait_for_function(
            """text => {
              const draft = document.querySelector('.spark-Draft[data-state=done]');
              return [...draft?.querySelectorAll('.spark-Draft-line') ?? []].map(one => one.textContent).join('\\n') === text;
            }""",
            arg=text,
        )


@pytest.fixture
def thinking(notebook, model):
    """``thinking(cells, {"words": "code"})``: what the model says to which words; else it says that nothing is to be done."""

    def begin(cells, says: dict[str, str], *, repair: str = "off", once: bool = False) -> Thinking:
        answers = [{"match": words, "answer": answer, "repeat": not once} for words, answer in says.items()]
        book = notebook(cells, model([*answers, {"answer": "Nothing.", "repeat": True}]))
        if repair != "off":  # as the tests' settings have it
            book.set("spark-jupyter:trust", "repair", repair)
        book.start("spark:drafts")
        book.page.locator(".spark-StatusItem", has_text="Drafts").wait_for()
        return Thinking(book)

    return begin


def test_the_code_for_a_markdown_cell_stands_below_it_and_one_key_takes_and_runs_it(thinking) -> None:
    one = thinking([code("x = 1"), markdown("")], {"sum of all months": fenced(MONTHS)})
    one.write("Show the sum of all months", 1)
    one.shows(MONTHS)
    assert one.book.sources() == ["x = 1", "Show the sum of all months"]
    one.page.keyboard.press("Control+Enter")
    one.book.wait_until("cells => cells[2]?.execution_count > 0")
    assert one.book.sources()[2].strip() == MONTHS
    assert "42" in one.book.output(2)
    assert one.book.metadata(2)["spark"]
    one.draft.wait_for(state="detached")


def test_a_comment_is_drafted_below_and_tab_takes_it_into_its_cell(thinking) -> None:
    one = thinking([code("# ")], {"square of the side": fenced("area = 6**2")})
    one.write("the square of the side length", 0)
    one.shows("area = 6**2")
    one.page.keyboard.press("Tab")
    taken = "# the square of the side length\narea = 6**2"
    one.book.wait_until("(cells, source) => cells[0].source === source", taken)
    one.draft.wait_for(state="detached")


def test_a_signature_with_a_docstring_gets_its_body(thinking) -> None:
    head = 'def double(x):\n    """Twice x."""'
    one = thinking(
        [code('def double(x):\n    """Twice x."')], {"Write this function": fenced(f"{head}\n    return 2 * x")}
    )
    one.write('""', 0)
    one.shows("    return 2 * x")
    one.page.keyboard.press("Tab")
    one.book.wait_until("(cells, source) => cells[0].source === source", f"{head}\n    return 2 * x")


def test_escape_hides_it_until_the_words_change(thinking) -> None:
    one = thinking([markdown("")], {"sum of all months": fenced(MONTHS)})
    one.write("Show the sum of all months", 0)
    one.shows(MONTHS)
    one.page.keyboard.press("Escape")
    one.draft.wait_for(state="detached")
    one.page.keyboard.type(" and years")
    one.shows(MONTHS)


def test_where_the_words_go_on_lines_that_stay_are_the_same_and_where_they_contradict_it_is_gone(thinking) -> None:
    more = "import math\ntotal = sum([1, 2, 39])\nprint(total)"
    says = {"months as a line": fenced(more), "sum of all months": fenced(f"import math\n{MONTHS}")}
    one = thinking([markdown("")], says)
    one.write("Show the sum of all months", 0)
    one.shows(f"import math\n{MONTHS}")
    one.page.evaluate(
        "() => document.querySelectorAll('.spark-Draft-line').forEach(line => { line.dataset.seen = 'yes'; })"
    )
    one.page.keyboard.type(" as a line")
    one.shows(more)
    seen = one.page.evaluate(
        "() => [...document.querySelectorAll('.spark-Draft-line')].map(line => line.dataset.seen ?? '')"
    )
    assert seen == ["yes", "yes", ""]
    one.page.keyboard.press("Control+Home")
    one.page.keyboard.type("No")
    one.draft.wait_for(state="detached")


def test_a_dangerous_line_is_struck_out_and_not_taken_silently(thinking) -> None:
    bad = "import os\nos.system('rm -rf ' + input())"
    one = thinking([markdown("")], {"delete all old files": fenced(bad)})
    one.write("Please delete all old files", 0)
    line = one.page.locator("[data-state=done] .spark-Draft-line[data-blocked=true]", has_text="os.system")
    line.wait_for()
    changes = """line => {
      const draft = line.closest('.spark-Draft');
      window.changes = [];
      window.states = [];
      new MutationObserver(records => window.changes.push(...records.map(one => one.attributeName)))
        .observe(line, { attributes: true, characterData: true, childList: true, subtree: true });
      const states = new MutationObserver(() => window.states.push(draft.dataset.state));
      states.observe(draft, { attributes: true, attributeFilter: ['data-state'] });
    }"""
    line.evaluate(changes)
    one.page.keyboard.type(" now, all of them")
    one.page.wait_for_function("() => window.states.length > 1 && window.states.at(-1) === 'done'")
    assert one.page.evaluate("() => window.changes") == []  # it stays struck out while it is written again
    one.page.keyboard.press("Tab")
    one.book.wait_state("blocked")


def test_a_draft_is_run_in_a_copy_and_its_result_stands_below_it_and_off_is_off(thinking) -> None:
    one = thinking([markdown("")], {"sum of all months": fenced(MONTHS)})
    one.write("Show the sum of all months", 0)
    one.draft.locator(".spark-Draft-result[data-outcome=tested]", has_text="42").wait_for()
    assert violations(one.book, ".spark-Draft") == []
    one.book.screenshot("draft")
    one.page.locator(".spark-StatusItem button", has_text="Drafts").click()
    one.draft.wait_for(state="detached")
    one.page.locator(".spark-StatusItem", has_text="Drafts").wait_for(state="hidden")


def test_what_surprises_in_a_draft_is_said_in_one_line(thinking) -> None:
    tables = """import pandas as pd
orders = pd.DataFrame({"id": range(8), "product": list("aabbccdd")})
prices = pd.DataFrame({"product": ["a", "b"], "price": [1, 2]})"""
    one = thinking(
        [code(tables), markdown("")], {"price of each order": fenced("priced = orders.merge(prices)\npriced")}
    )
    one.book.cell(0).locator(".cm-content").click()
    one.page.keyboard.press("Control+Enter")
    one.book.wait_until("cells => cells[0].execution_count !== null")
    one.write("Show the price of each order", 1)
    one.shows("priced = orders.merge(prices)\npriced")
    surprise = one.draft.locator(".spark-Draft-surprise")
    surprise.get_by_text("Surprise:").wait_for()
    assert "which have no partner in prices" in surprise.inner_text()
    assert surprise.count() == 1


@pytest.mark.own_page  # it changes a setting
def test_a_draft_that_fails_in_its_copy_is_repaired_before_it_is_shown_as_good(thinking) -> None:
    bad = "total = sum([1, 2, '39'])\ntotal"
    one = thinking([markdown("")], {"TypeError": fenced(MONTHS), "sum of all months": fenced(bad)}, repair="on")
    one.write("Show the sum of all months", 0)
    one.draft.locator(".spark-Draft-result[data-outcome=tested]", has_text="repaired once").wait_for()
    assert "42" in one.draft.inner_text()
    one.shows(MONTHS)


def test_a_prompt_is_drafted_before_it_is_sent_and_enter_asks_nobody_again(thinking) -> None:
    one = thinking([code("x = 1")], {"sum of all months": fenced(MONTHS)}, once=True)
    one.book.open_panel()
    one.book.box.click()
    one.page.keyboard.type("Show the sum of all months")
    one.shows(MONTHS)
    assert one.book.sources() == ["x = 1"]
    assert one.book.cell(0).locator(".spark-Draft").count() == 1
    one.book.panel.locator(".spark-Header-spent", has_text="Drafts: ").wait_for()
    one.book.screenshot("draft-prompt")
    one.page.keyboard.press("Enter")
    one.book.wait_state("ready", 1)
    assert one.book.sources()[1].strip() == MONTHS  # another request would have been answered otherwise
    one.draft.wait_for(state="detached")
    one.book.in_box("")


def test_the_rest_of_a_half_written_cell_is_drafted(thinking) -> None:
    begun = "prices = [1, 2, 39]\nfor price in prices:"
    one = thinking([code(begun[:-1])], {"Write this cell whole": fenced(f"{begun}\n    print(price * 2)")})
    one.book.autocomplete("off")
    one.write(":", 0)
    one.shows("    print(price * 2)")
    one.page.keyboard.press("Tab")
    one.book.wait_until("(cells, source) => cells[0].source === source", f"{begun}\n    print(price * 2)")


def test_one_key_takes_a_line_with_what_it_came_from_and_the_cursor_stands_behind_it(thinking) -> None:
    one = thinking([markdown("")], {"sum of all months": fenced(f"import math\n{MONTHS}")})
    one.write("Show the sum of all months", 0)
    one.shows(f"import math\n{MONTHS}")
    one.page.keyboard.press("Control+Alt+ArrowDown")
    one.book.wait_until("cells => cells[1]?.getMetadata('spark')?.prompt")
    one.page.wait_for_function(IN_CODE)
    one.page.keyboard.type("  # mine")
    one.book.wait_until("cells => cells[1].source === 'import math  # mine'")


def test_more_lines_are_taken_while_the_keys_are_held(thinking) -> None:
    one = thinking([markdown("")], {"sum of all months": fenced(f"import math\n{MONTHS}")})
    one.write("Show the sum of all months", 0)
    one.shows(f"import math\n{MONTHS}")
    one.page.keyboard.down("Control")
    one.page.keyboard.down("Alt")
    for key in ("Down", "Down", "Down", "Up"):
        one.page.keyboard.press(f"Arrow{key}")
    one.draft.get_by_text("Draft, its first 2 lines").wait_for()
    one.book.screenshot("draft-lines")
    one.page.keyboard.up("Alt")
    assert len(one.book.sources()) == 1
    one.page.keyboard.up("Control")
    one.book.wait_until("cells => cells[1]?.getMetadata('spark')?.prompt")
    assert one.book.sources()[1] == "import math\ntotal = sum([1, 2, 39])"


def test_lines_wait_for_tab_where_another_window_had_the_keys_that_were_let_go(thinking) -> None:
    one = thinking([markdown("")], {"sum of all months": fenced(f"import math\n{MONTHS}")})
    one.write("Show the sum of all months", 0)
    one.shows(f"import math\n{MONTHS}")
    one.page.evaluate(ELSEWHERE)
    one.page.keyboard.press("Control+Alt+ArrowDown")
    one.draft.get_by_text("Draft, its first line").wait_for()
    one.page.evaluate("() => window.dispatchEvent(new Event('blur'))")
    one.page.keyboard.press("Shift")
    one.page.keyboard.press("Control+Alt+ArrowDown")
    one.draft.get_by_text("Draft, its first 2 lines").wait_for()
    one.page.evaluate("() => away.abort()")
    one.page.keyboard.press("Tab")
    one.book.wait_until("cells => cells[1]?.getMetadata('spark')?.prompt")
    assert one.book.sources()[1] == "import math\ntotal = sum([1, 2, 39])"


def test_a_draft_at_the_lower_edge_is_brought_into_view(thinking) -> None:
    one = thinking([code("\n".join(f"x{n} = {n}" for n in range(60))), markdown("")], {"all months": fenced(MONTHS)})
    one.write("", 1)
    scroller = "document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer')"
    bottom = "one => one.getBoundingClientRect().bottom"
    one.book.cell(1).evaluate(f"cell => {{ {scroller}.scrollTop += ({bottom})(cell) - ({bottom})({scroller}); }}")
    one.page.keyboard.type("Show the sum of all months")
    one.shows(MONTHS)
    one.draft.locator(".spark-Draft-result", has_text="42").wait_for()
    seen = f"({bottom})(document.querySelector('.spark-Draft[data-state=done]')) < ({bottom})({scroller}) + 1"
    one.page.wait_for_function(f"() => {seen}")
    assert one.book.cell(1).locator(".cm-content").is_visible()


def test_who_clicks_into_a_draft_goes_on_writing_there(thinking) -> None:
    one = thinking([markdown("")], {"sum of all months": fenced(MONTHS)})
    one.write("Show the sum of all months", 0)
    one.shows(MONTHS)
    one.draft.locator(".spark-Draft-line").first.click()
    one.page.wait_for_function(IN_CODE)
    one.page.keyboard.type("  # mine")
    one.book.wait_until("(cells, source) => cells[1]?.source.trim() === source", MONTHS.replace("\n", "  # mine\n"))
    assert one.book.metadata(1)["spark"]


def test_of_two_readings_one_is_chosen_and_drafted(thinking) -> None:
    question = "Which date?\n\n- Ask: “Sum by order date”\n- Ask: “Sum by ship date”\n"
    one = thinking([markdown("")], {"Sum by ship date": fenced(MONTHS), "sum of the months": question})
    one.write("## Show the sum of the months", 0)
    one.draft.get_by_role("group", name="What is meant?").wait_for()
    one.book.screenshot("draft-readings")
    one.draft.get_by_role("button", name="Sum by ship date").click()
    one.shows(MONTHS)
    assert one.book.sources() == ["## Sum by ship date"]


def test_a_prompt_that_is_meant_in_two_ways_is_drafted_as_it_was_chosen(thinking) -> None:
    question = "Which date?\n\n- Ask: “Sum by order date”\n- Ask: “Sum by ship date”\n"
    one = thinking([code("x = 1"), code("y = 2")], {"Sum by ship date": fenced(MONTHS), "sum of the months": question})
    one.book.open_panel()
    one.book.box.click()
    one.page.keyboard.type("Show the sum of the months")
    one.draft.get_by_role("button", name="Sum by ship date").click()
    one.shows(MONTHS)
    one.book.in_box("Sum by ship date")
    one.page.keyboard.press("Enter")
    one.book.wait_state("ready", 1)


def test_who_clicks_into_the_second_cell_of_a_draft_goes_on_writing_there(thinking) -> None:
    one = thinking([markdown("")], {"sum of all months": fenced("months = [1, 2, 39]") + fenced(MONTHS)})
    one.write("Show the sum of all months", 0)
    one.shows(f"months = [1, 2, 39]\n{MONTHS}")
    one.draft.locator(".spark-Draft-line").nth(1).click()
    one.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex === 2 && document.activeElement?.closest('.jp-CodeCell')"
    )
    one.page.keyboard.type("  # mine")
    one.book.wait_until("(cells, source) => cells[2]?.source.trim() === source", MONTHS.replace("\n", "  # mine\n"))


def test_the_lesson_drafts_offline_what_it_says(notebook) -> None:
    lesson = nbformat.read(ROOT / "notebooks" / "11-as-you-think.ipynb", as_version=4)
    ids = [cell.id for cell in lesson.cells]
    one = Thinking(notebook(lesson.cells))
    for name in ("load", "table"):
        one.book.cell(ids.index(name)).locator(".cm-content").first.click()
        one.page.keyboard.press("Control+Enter")
        one.book.wait_until("(cells, index) => cells[index].execution_count > 0", ids.index(name))
    one.page.locator(".spark-StatusItem", has_text="Drafts").wait_for()
    one.write("\n\naverage price per region", ids.index("think"))
    one.page.locator(".spark-Draft[data-state=done] .spark-Draft-line", has_text='groupby("region")').wait_for()
    one.page.keyboard.press("Control+Enter")
    one.book.wait_until("(cells, index) => cells[index].execution_count > 0", ids.index("think") + 1)
    assert "2.25" in one.book.output(ids.index("think") + 1)
