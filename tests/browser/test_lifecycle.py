"""Reloads, restarts, dropped sockets and second tabs: no text is lost, doubled or reordered."""

from __future__ import annotations

import time

from tests.browser.lab import Notebook, code, program


def fenced(source: str, **fields: object) -> dict[str, object]:
    return {"answer": f"```python\n{source}\n```\n", **fields}


def remarks(tokens: int) -> str:
    """As ``program``, and whole wherever it is cut: what parses is not asked about twice."""
    return program(tokens).replace("value", "# value")


def begun(notebook, model, text: str, *, rate: float = 300) -> Notebook:
    """A notebook in which a turn streams."""
    book: Notebook = notebook([code("x = 1"), code("last")], model([fenced(text)], rate=rate))
    book.activate(0)
    book.prompt("write")
    book.wait_until("cells => cells.length === 3 && cells[1].source.length > 100")
    return book


def test_a_reload_in_mid_stream_loses_nothing(notebook, model) -> None:
    text = program(900)
    book = begun(notebook, model, text)
    book.reload()
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", text, "last"]


def test_a_reload_after_saving_in_mid_stream_completes_the_cell(notebook, model) -> None:
    text = program(900)
    book = begun(notebook, model, text)
    book.save()
    saved = book.server.read(book.name).cells
    assert len(saved) == 3
    notice, _, written = saved[1].source.partition("\n")
    assert notice.startswith("# Proposed by Spark")
    assert text.startswith(written)
    book.reload()
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", text, "last"]


def test_a_reload_after_the_turn_has_ended_shows_what_waits(notebook, model) -> None:
    weak = "import hashlib\ny = hashlib.md5(b'a').hexdigest()"
    book = notebook([code("x = 1")], model([{"answer": f"Some words on it.\n```python\n{weak}\n```\n"}]))
    book.prompt("one")
    book.wait_state("ready", 1)
    result = book.footer(1).locator(".spark-Footer-digest")
    findings = book.footer(1).locator(".spark-Finding")
    notes = book.panel.locator(".spark-Notes")

    def shown() -> list[str]:
        result.wait_for()
        return [result.inner_text(), findings.first.inner_text(), notes.inner_text()]

    said = shown()
    assert "Some words on it." in said[2]
    book.save()
    book.reload()
    book.wait_state("ready", 1)
    book.open_panel()
    assert shown() == said
    assert book.sources() == ["x = 1", weak]
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    assert book.metadata(1)["spark"]["prompt"] == "one"


def test_a_cell_cut_by_a_restart_of_the_kernel_can_be_continued(notebook, model) -> None:
    long = "values = [\n" + "".join(f"    {n},\n" for n in range(900)) + "]"
    book = notebook([code("x = 1")], model([fenced(long)], rate=300))
    book.prompt("write")
    book.wait_until("cells => cells.length === 2 && cells[1].source.length > 100")
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    book.button("continue", 1).wait_for()
    assert book.footer(1).get_attribute("data-state") == "ready"


def attached_anew(book: Notebook) -> None:
    """Wait until the panel has attached by itself to a kernel that was restarted: that one knows of no model, nor of any turn."""
    book.panel.locator(".spark-Status-provider", has_text="Offline recipes").wait_for(timeout=60_000)


def test_a_kernel_restart_in_mid_stream_keeps_what_was_written(notebook, model) -> None:
    text = remarks(3000)
    book = begun(notebook, model, text)
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    book.wait_state("ready", 1)
    written = book.sources()[1]
    assert len(written) > 50
    assert text.startswith(written)
    reason = book.panel.locator(".spark-Turn-reason", has_text="The kernel was restarted.")
    reason.wait_for()
    attached_anew(book)
    assert reason.is_visible()
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    assert book.sources() == ["x = 1", written, "last"]
    assert book.metadata(1)["spark"]["prompt"] == "write"


def test_a_kernel_that_is_killed_in_mid_stream_leaves_a_cell_that_is_written_on(notebook, model) -> None:
    text = remarks(3000)
    book = begun(notebook, model, text)
    book.execute("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", wait=False)
    book.page.locator(".jp-Dialog", has_text="It will restart automatically").get_by_role("button", name="Ok").click()
    book.wait_state("ready", 1, timeout=60_000)
    written = book.sources()[1]
    assert text.startswith(written)
    attached_anew(book)
    turn = book.panel.locator(".spark-Turn[data-outcome='failed']")
    assert turn.locator(".spark-Turn-reason", has_text="The kernel was restarted.").is_visible()
    book.screenshot("kernel-killed")
    turn.get_by_role("button", name="Continue").click()
    book.panel.locator(".spark-Turn-prompt", has_text="go on where it ends").wait_for()
    assert book.sources() == ["x = 1", written, "last"]


def test_a_restart_by_somebody_else_is_noticed_and_what_was_written_stays(notebook, model) -> None:
    text = remarks(3000)
    book = begun(notebook, model, text)
    book.server.restart_kernels()
    reason = book.panel.locator(".spark-Turn-reason", has_text="The kernel was restarted.")
    # Jupyter tells the news to those who asked for it only; the others hear the new kernel speak. What comes before it listens is lost.
    deadline = time.monotonic() + 60
    while not reason.is_visible():
        assert time.monotonic() < deadline, "nobody heard the new kernel"
        book.execute("pass", wait=False)
        book.page.wait_for_timeout(500)
    book.wait_state("ready", 1)
    written = book.sources()[1]
    assert text.startswith(written)
    attached_anew(book)
    assert reason.is_visible()
    book.button("accept", 1).click()
    book.footer().wait_for(state="detached")
    assert book.sources() == ["x = 1", written, "last"]


def test_after_a_kernel_restart_the_next_prompt_works(notebook, model) -> None:
    server = model([fenced("y = 2"), fenced("z = 3")])
    book = notebook([code("x = 1")], server)
    book.prompt("one")
    book.wait_state("ready", 1)
    book.button("accept", 1).click()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    book.wait_ready()
    book.configure(server)
    book.activate(1)
    book.prompt("two")
    book.wait_state("ready", 2)
    assert book.sources() == ["x = 1", "y = 2", "z = 3"]


def test_a_socket_that_drops_in_mid_stream_loses_nothing(notebook, model) -> None:
    text = program(700)
    book = begun(notebook, model, text)
    book.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel._ws.close(4000, 'test')"
    )
    book.wait_state("ready", 1, timeout=60_000)
    assert book.sources() == ["x = 1", text, "last"]


def test_the_provider_breaking_off_keeps_what_came_and_says_why(notebook, model) -> None:
    text = program(400)
    book = notebook([code("x = 1")], model([fenced(text, drop_after=120)]))
    book.prompt("write")
    book.wait_state("ready", 1)
    written = book.sources()[1]
    assert written
    assert text.startswith(written)
    assert book.panel.locator('.spark-Turn[data-outcome="failed"] .spark-Turn-reason').inner_text()


def test_of_two_tabs_one_writes_and_both_show(notebook, model, page) -> None:
    text = program(600)
    book = notebook([code("x = 1")], model([fenced(text)], rate=300))
    first = Notebook(book.server, page.context.new_page(), book.name).open()
    first.open_panel()
    first.box.fill("write")
    first.panel.locator(".spark-Status-provider").wait_for()
    book.open_panel()
    book.box.fill("attach")
    book.panel.get_by_text("Another tab writes").wait_for()
    first.box.press("Enter")
    first.wait_state("ready", 1)
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.panel.locator('.spark-CellLink[data-state="ready"]').wait_for()
    first.panel.get_by_role("button", name="Accept all").wait_for()
    decisions = book.panel.locator(".spark-Decisions")
    assert decisions.count() == 0, "it does not have that cell"
    assert first.sources() == ["x = 1", text]
    assert book.sources() == ["x = 1"]
    first.leave()
    book.panel.get_by_text("Another tab writes").wait_for(state="detached")
    book.wait_state("ready", 1)
    decisions.wait_for()
    assert book.sources() == ["x = 1", text]


def test_an_edit_is_decided_in_the_tab_that_only_shows_too(notebook, model, page) -> None:
    book = notebook([code("x = 1", id="own")], model([fenced("x = 2")]))
    first = Notebook(book.server, page.context.new_page(), book.name).open()
    first.activate(0)
    first.open_panel()
    first.panel.get_by_label("Edit this cell").check()
    first.prompt("two")
    first.wait_state("ready", 0)
    book.open_panel()
    book.box.fill("attach")
    book.panel.get_by_text("Another tab writes").wait_for()
    book.panel.get_by_role("button", name="Accept all").click()
    first.wait_until("cells => cells[0].source === 'x = 2'")
    first.leave()


def test_where_a_tab_goes_without_a_word_the_other_one_writes(notebook, model, page) -> None:
    book = notebook([code("x = 1")], model([fenced("y = 2")]))
    first = Notebook(book.server, page.context.new_page(), book.name).open()
    first.prompt("one")
    first.wait_state("ready", 1)
    book.open_panel()
    book.box.fill("attach")
    book.panel.get_by_text("Another tab writes").wait_for()
    first.page.evaluate("() => { WebSocket.prototype.send = () => undefined; }")
    first.leave()
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", "y = 2"]


def test_a_renamed_notebook_goes_on(notebook, model) -> None:
    text = program(600)
    book = begun(notebook, model, text)
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.rename('renamed.ipynb')")
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", text, "last"]


def test_a_closed_notebook_gets_its_answer_when_it_is_opened_again(notebook, model) -> None:
    text = program(600)
    book = begun(notebook, model, text)
    book.save()
    book.page.evaluate("() => window.jupyterapp.shell.currentWidget.dispose()")
    book.page.locator(".jp-NotebookPanel").wait_for(state="detached")
    book.page.evaluate(
        "name => window.jupyterapp.commands.execute('docmanager:open', { path: name }).then(() => null)", book.name
    )
    book.wait_ready()
    book.wait_state("ready", 1)
    assert book.sources() == ["x = 1", text, "last"]
