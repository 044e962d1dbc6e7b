"""Steer and cancel, from the panel and from a magic."""

from __future__ import annotations

from tests.browser.lab import Notebook, code, program
from tests.browser.test_panel import destination


def fenced(source: str, **fields: object) -> dict[str, object]:
    return {"answer": f"```python\n{source}\n```\n", **fields}


def test_a_turn_is_steered_in_mid_cell(notebook, model) -> None:
    answers = [fenced("a = 1\nb = 2", match="## Steer"), fenced(program(8000))]
    book = notebook([code("x = 1")], model(answers, rate=400))
    book.prompt("write a lot")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 100")
    destination(book, "Steer the answer being written")
    book.box.fill("shorter")
    book.box.press("Enter")
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", "a = 1\nb = 2"]
    book.panel.get_by_text("Steer: shorter").wait_for()
    book.screenshot("steered")
    book.panel.locator('.spark-Turn[data-outcome="superseded"]').wait_for()


HOLD_THE_STEER = """() => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const comm = [...kernel._comms.values()].find(comm => comm.targetName === 'spark_jupyter.commands');
  const { send } = comm;
  comm.send = (...message) => {
    if (!JSON.stringify(message).includes('in polars')) {
      return send.apply(comm, message);
    }
    comm.send = send;
    window.arrives = () => send.apply(comm, message);
  };
}"""


def test_words_that_come_a_moment_after_the_turn_they_steer_has_ended_are_a_new_prompt(notebook, model) -> None:
    answers = [fenced("y = 2", match="## Request\nin polars"), fenced(program(800))]
    book = notebook([code("x = 1")], model(answers, rate=400))
    book.prompt("write a lot")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 100")
    book.page.evaluate(HOLD_THE_STEER)
    book.box.fill("in polars")
    book.box.press("Enter")
    book.page.wait_for_function("() => window.arrives !== undefined")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.page.evaluate("() => window.arrives()")
    book.wait_state("ready", 2)
    assert book.sources() == ["x = 1", program(800), "y = 2"]
    book.in_box("")
    assert book.panel.locator(".spark-Problem").count() == 0


def warm(book: Notebook) -> None:
    """Attach before the kernel is busy, as a person who types does."""
    book.open_panel()
    book.box.fill("warm")
    book.panel.locator(".spark-Status-provider").wait_for()


NOTE_WHAT_STANDS = """() => document.addEventListener('keydown', function note(event) {
  if (event.key !== 'Escape') return;
  document.removeEventListener('keydown', note, true);
  setTimeout(() => {
    window.stands = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[1].source;
  });
}, true)"""


def test_escape_stops_a_turn_while_a_cell_runs_and_the_cell_goes_on(notebook, model) -> None:
    book = notebook([code("print('begun')\nn = 0\nwhile True:\n    n += 1")], model([fenced(program(3000))], rate=300))
    warm(book)
    book.page.evaluate(NOTE_WHAT_STANDS)
    book.start_busy(0)
    book.prompt("write a lot")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 100")
    book.box.press("Escape")
    book.wait_state("ready", 1)
    written = book.sources()[1]
    assert program(3000).startswith(written)
    assert written == book.page.evaluate("() => window.stands"), "nothing came after the key"
    assert book.cell(0).locator(".jp-InputPrompt").inner_text() == "[*]:"
    assert "KeyboardInterrupt" not in book.cell(0).inner_text()
    book.panel.locator('.spark-Turn[data-outcome="cancelled"]').wait_for()
    book.command("notebook:interrupt-kernel")
    book.cell(0).get_by_text("KeyboardInterrupt").first.wait_for()


def test_what_is_asked_is_on_the_screen_at_once_also_where_the_kernel_is_busy_and_has_no_spark_yet(
    notebook, model
) -> None:
    wait = "print('begun')\nimport pathlib, time\nwhile not pathlib.Path('asked.go').exists():\n    time.sleep(0.02)"
    book = notebook([code(wait)], model([fenced("y = 2")]))
    book.start_busy(0)
    book.prompt("two, please")
    asked = book.panel.locator('.spark-Turn[data-outcome="asked"]', has_text="two, please")
    asked.get_by_text("Sending…").wait_for()
    book.in_box("")
    book.screenshot("asked")
    book.box.press("Escape")
    asked.wait_for(state="detached")
    book.in_box("two, please")
    book.box.press("Enter")
    asked.wait_for()
    (book.server.root / "asked.go").touch()
    book.wait_state("ready", 1)
    asked.wait_for(state="detached")


def test_escape_before_the_kernel_has_begun_the_turn_stops_it_too(notebook, model) -> None:
    answers = [
        fenced("y = 2", match="write a little"),
        fenced(program(3000)),
    ]  # the first may be stopped before it is asked
    book = notebook([code("x = 1")], model(answers, rate=300))
    warm(book)
    book.execute("sum(range(100_000_000))", wait=False)  # one C call: the kernel can't answer meanwhile
    book.prompt("write a lot")
    book.box.press("Escape")
    book.panel.locator('.spark-Turn[data-outcome="cancelled"]').wait_for()
    assert book.sources() == ["x = 1"]
    book.screenshot("stopped")
    book.prompt("write a little")
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", "y = 2"]


def test_a_magic_in_a_cell_writes_cells_below_it(notebook, model) -> None:
    text = program(200)
    source = "%%spark\nwrite two hundred"
    book = notebook([code("%load_ext spark_jupyter"), code(source), code("last")], model([fenced(text)], rate=800))
    book.activate(0)
    book.command("notebook:run-cell-and-select-next")
    book.start("notebook:run-cell")
    book.wait_state("ready", 2)
    assert book.sources() == ["%load_ext spark_jupyter", source, text, "last"]


def test_the_extension_can_come_and_go_and_is_loaded_when_it_is_needed(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2", repeat=True)]))
    for count in range(1, 5):
        book.prompt("write a cell")
        book.wait_until("(cells, count) => cells.length === count + 1", count)
        book.panel.locator('.spark-Turn[data-outcome="completed"]').nth(count - 1).wait_for()
        book.page.evaluate("() => window.jupyterapp.commands.execute('spark:accept-all')")
        book.footer().wait_for(state="detached")
        book.execute("get_ipython().run_line_magic('unload_ext', 'spark_jupyter')")


def test_what_was_not_decided_when_the_extension_went_can_be_decided_when_it_is_back(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2"), fenced("z = 3")]))
    book.prompt("one")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.execute("get_ipython().run_line_magic('unload_ext', 'spark_jupyter')")
    book.prompt("two")
    book.panel.locator('.spark-Turn[data-outcome="completed"]', has_text="two").wait_for()
    book.in_box("")
    book.command("spark:accept-all")
    book.footer().wait_for(state="detached")
    assert set(book.sources()) == {"x = 1", "y = 2", "z = 3"}
    assert all("spark" in book.metadata(book.sources().index(source)) for source in ("y = 2", "z = 3"))


def test_a_prompt_into_a_subshell_that_has_died_arrives_once_all_the_same(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2", repeat=True)]))
    warm(book)
    book.page.evaluate(
        """async () => {
          const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
          const comm = [...kernel._comms.values()].find(comm => comm.targetName === 'spark_jupyter.commands');
          await kernel.requestDeleteSubshell({ subshell_id: comm.subshellId }).done;
        }"""
    )
    book.prompt("again")
    book.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    assert book.sources() == ["x = 1", "y = 2"]


def test_a_whole_turn_is_reverted(notebook, model) -> None:
    text = "```python cell=first\nx = 100\n```\n\n```python\ny = 2\n```\n\n```python\nz = 3\n```\n"
    book = notebook([code("x = 1", id="first")], model([{"answer": text}]))
    book.prompt("several")
    book.wait_state("ready", 2)
    book.panel.get_by_role("button", name="Accept all").click()
    book.wait_until("cells => cells[0].source === 'x = 100'")
    book.panel.get_by_role("button", name="Revert").click()
    book.wait_until("cells => cells.length === 1 && cells[0].source === 'x = 1'")


def test_reverting_leaves_what_the_user_changed_since_and_says_so(notebook, model) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    book.prompt("one")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    book.page.evaluate(
        """() => {
          const cell = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells[1];
          cell.updateSource(0, 0, '# mine\\n');
        }"""
    )
    book.panel.get_by_role("button", name="Revert").click()
    book.panel.get_by_text("was changed after it was accepted").wait_for()
    assert book.sources() == ["x = 1", "# mine\ny = 2"]
