"""Random schedule of several people in one notebook, each in a browser of their own."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.browser.lab import Notebook, code, program
from tests.browser.network_line import NetworkLine

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from spark_jupyter.server.app import ServerInfo
    from tests.browser.server import LabServer

OFFLINE = 5.0
"""Seconds."""
PATIENCE = 150.0
"""Seconds until all pages must show the same, also where 15 processes share two cores."""
TEXT = program(150)
ANSWER = {"answer": f"```python\n{TEXT}\n```\n", "repeat": True}
TYPED = re.compile(r"#\d+;")
"""What a person types: it is told apart from what is streamed."""

_STATE = """() => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const turns = [...document.querySelectorAll('.spark-Panel .spark-Turn')].map(turn => [
    turn.dataset.turn,
    turn.dataset.outcome,
    [...turn.querySelectorAll('.spark-CellLink')].map(link => link.dataset.state)
  ]);
  const cells = content.model.sharedModel.cells.map(cell => [cell.id, cell.source]);
  return { turns, cells };
}"""
_NOT_ONE_S_OWN = (
    """all => all.map(note => note.textContent).filter(text => /was read from the notebook|text differs/.test(text))"""
)
_REVERT = """() => {
  const buttons = document.querySelectorAll('.spark-Panel [title^="Take back every"]');
  buttons.item(buttons.length - 1)?.click();
}"""
_CONNECTION = """() => {
  const { session } = window.jupyterapp.shell.currentWidget.sessionContext;
  const status = document.querySelector('.spark-Panel .spark-Status')?.textContent;
  return `${session?.kernel?.connectionStatus} ${session?.kernel?.status} ${status}`;
}"""
_DIALOG = ".jp-Dialog .jp-Dialog-button.jp-mod-accept"


class Person:
    """Somebody with a browser, a line to the server, and the notebook open."""

    def __init__(self, server: LabServer, browser: Browser, name: str) -> None:
        self.line = NetworkLine(server.port)
        self.back_at = 0.0
        self._context = browser.new_context(viewport={"width": 1280, "height": 800})
        self._context.set_default_timeout(60_000)
        page = self._context.new_page()
        # That a server does not answer, or that a turn is another person's.
        page.add_locator_handler(page.locator(_DIALOG).first, lambda: page.evaluate(_CLOSE_DIALOG))
        page.on("dialog", lambda dialog: dialog.accept())
        self.book = Notebook(server, page, name)
        self.open()

    def open(self) -> None:
        """Load the page, also again."""
        book = self.book
        book.page.goto(f"http://127.0.0.1:{self.line.port}/lab/tree/{book.name}?token={book.server.token}&reset")
        book.wait_ready()
        book.open_panel()

    def state(self) -> dict[str, Any]:
        """Every cell, and every turn with the states of its cells."""
        state: dict[str, Any] = self.book.page.evaluate(_STATE)
        return state

    def close(self) -> None:
        """Close the browser without a word."""
        self._context.close()
        self.line.close()


_CLOSE_DIALOG = f"() => document.querySelector('{_DIALOG}')?.click()"


class Room:
    """People with one notebook, and a schedule that a seed decides. ``log`` is what they did."""

    def __init__(self, server: LabServer, browser: Browser, model: ServerInfo, *, seed: int, people: int) -> None:
        self.log: list[str] = []
        self._server, self._browser, self._model = server, browser, model
        self._random = random.Random(seed)
        self._typed = 0
        self._name = server.write(f"schedule-{seed}.ipynb", [code("x = 1", id="own"), code("y = 2", id="other")])
        self.people = [self._enter() for _ in range(people)]
        self.people[0].book.configure(model)

    def _enter(self) -> Person:
        return Person(self._server, self._browser, self._name)

    @property
    def shares_document(self) -> bool:
        """True where the server merges what all pages write."""
        shares: bool = self.people[0].book.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.context.model.collaborative ?? false"
        )
        return shares

    def run(self, steps: int) -> None:
        """So many steps, then everybody is back."""
        weighted: dict[Callable[[Person], object], int] = {
            self._type: 4,
            self._prompt: 5,
            self._accept: 4,
            self._reject: 2,
            self._run: 3,
            self._cancel: 1,
            self._undo: 1,
            self._revert: 1,
            self._go_offline: 2,
            self._reload: 1,
            self._close: 1,
            self.restart: 1,
        }
        for _ in range(steps):
            self._bring_back(time.monotonic())
            place = self._random.randrange(len(self.people))
            person = self.people[place]
            (step,) = self._random.choices(list(weighted), list(weighted.values()))
            pause = self._random.choice((50, 200, 800))
            self.log.append(f"{place} {step.__name__.strip('_')}")
            step(person)
            self.people[place].book.page.wait_for_timeout(pause)
        self._bring_back(float("inf"))

    def _bring_back(self, now: float) -> None:
        for person in self.people:
            if person.line.is_cut and person.back_at <= now:
                person.line.mend()

    # --- steps -------------------------------------------------------------------------------------------------------

    def _type(self, person: Person) -> None:
        """At the end of any cell, as one who clicks there."""
        book = person.book
        self._typed += 1
        book.activate(self._random.randrange(len(book.ids())))
        book.page.keyboard.press("Enter")
        book.page.keyboard.press("Control+End")
        book.page.keyboard.insert_text(f"#{self._typed};")
        book.page.keyboard.press("Escape")

    def _prompt(self, person: Person) -> None:
        """Steers where an answer is being written."""
        person.book.say(f"write {len(self.log)}")

    def _accept(self, person: Person) -> None:
        self._press(person, "accept")

    def _reject(self, person: Person) -> None:
        self._press(person, "reject")

    def _press(self, person: Person, action: str) -> None:
        pressed = person.book.page.evaluate(
            "action => { const b = document.querySelector(`.spark-Footer [data-action='${action}']`); b?.click(); return !!b; }",
            action,
        )
        self.log[-1] += "" if pressed else " (nothing)"

    def _run(self, person: Person) -> None:
        person.book.activate(self._random.randrange(len(person.book.ids())))
        person.book.page.keyboard.press("Shift+Enter")

    def _cancel(self, person: Person) -> None:
        person.book.start("spark:cancel")

    def _undo(self, person: Person) -> None:
        person.book.activate(0)
        person.book.page.keyboard.press("z")

    def _revert(self, person: Person) -> None:
        person.book.page.evaluate(_REVERT)

    def _go_offline(self, person: Person) -> None:
        person.line.cut()
        person.back_at = time.monotonic() + OFFLINE

    def _reload(self, person: Person) -> None:
        if not person.line.is_cut:
            person.open()

    def _close(self, person: Person) -> None:
        """One leaves without a word, another comes."""
        person.close()
        self.people[self.people.index(person)] = self._enter()

    def restart(self, person: Person) -> None:
        """By one page; who comes first after it says again who answers."""
        if person.line.is_cut:
            return
        person.book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
        person.book.wait_ready()
        person.book.configure(self._model)

    # --- what holds ---------------------------------------------------------------------------------------------------

    def check(self, *, one_text: bool) -> None:
        """All pages show the same turns, and with ``one_text`` the same cells; so does the file, when all is decided."""
        self._settle(one_text=one_text)
        for person in self.people:
            notes = person.book.page.locator(".spark-Footer-note").evaluate_all(_NOT_ONE_S_OWN)
            assert notes == [], self.log
        if one_text:
            self._check_text()
            self._check_file()

    def _check_text(self) -> None:
        for cell_id, source in self.people[0].state()["cells"]:
            if cell_id not in ("own", "other"):
                streamed = TYPED.sub("", source)
                assert TEXT.startswith(streamed), (self.log, source)
            typed = TYPED.findall(source)
            assert len(typed) == len(set(typed)), (self.log, source)

    def _check_file(self) -> None:
        """Saved when nothing waits: what waits has a notice in the file."""
        first = self.people[0]
        first.book.page.evaluate("() => window.jupyterapp.commands.execute('spark:accept-all')")
        self._settle(one_text=True)
        first.book.save()
        sources = first.book.sources()
        self._until(lambda: [cell.source for cell in self._server.read(self._name).cells] == sources, lambda: sources)

    def _settle(self, *, one_text: bool) -> None:
        def shown() -> list[Mapping[str, Any]]:
            for person in self.people:
                person.book.page.evaluate(_CLOSE_DIALOG)
            states = [person.state() for person in self.people]
            return states if one_text else [{"turns": state["turns"]} for state in states]

        def is_one() -> bool:
            first, *others = shown()
            streams = any(outcome in ("streaming", "asked") for _, outcome, _ in first["turns"])
            return not streams and all(other == first for other in others)

        self._until(is_one, shown)

    def _until(self, condition: Callable[[], bool], shown: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"{self.log}\n{json.dumps([*shown(), *self._connections()])}"
            self.people[0].book.page.wait_for_timeout(300)

    def _connections(self) -> list[str]:
        return [person.book.page.evaluate(_CONNECTION) for person in self.people]

    def close(self) -> None:
        """Everybody leaves."""
        for person in self.people:
            person.close()
        Path(self._server.root / self._name).unlink(missing_ok=True)
