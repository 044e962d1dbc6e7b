"""The panel made of widgets, for front ends without the labextension.

What a person does comes in on a subshell's thread (so Steer and Cancel work while a cell runs), what the session says on the engine's;
one lock keeps them apart. It is never held while the engine is waited for.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ipywidgets import HTML, Dropdown, HBox, Layout, Text, VBox  # type: ignore[import-untyped]

from spark_jupyter.exceptions import SessionError, SparkError, TurnOver
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Cancel, Command, Problem, Prompt, Steer, TurnEnded, TurnStarted
from spark_jupyter.protocol.proposal_messages import Accept, ChooseAttempt, Reject, Run
from spark_jupyter.protocol.provider_messages import ListModels, SelectModel, UseProvider
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.protocol.turn_view import TurnView, current
from spark_jupyter.protocol.values import Proposal, Target, Turn
from spark_jupyter.ui.cell_runner import OwnKernel
from spark_jupyter.ui.proposal_card import Action, Card, TurnBox, all_below, button, keep_on_subshell
from spark_jupyter.ui.text.html_rendering import problem_html, small_html
from spark_jupyter.ui.text.words import left_text, logged_text
from spark_jupyter.ui.turn_output import Paced

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair

SHOWN_TURNS = 4
"""Turns that are shown; older ones also stay as long as one of their proposals waits."""
OFFERED = "It answers on this machine, and gets nothing of the notebook before you say so"
ASKS = "Ask for a cell, or redirect the answer that is written: Enter sends"
SETTLING = 0.3
"""Seconds from Enter to the box's text at most: a browser says that Enter was pressed before it says what was typed."""


def panel(pair: Pair) -> Panel:
    """A new panel for this session. One in the same cell before it is closed: the front end shows it no more.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where there is no notebook to show it in.
    """
    if pair.shell.kernel is None:
        raise SessionError("The panel needs a notebook.", remedy="In a terminal, %spark PROMPT shows everything.")
    cell_id = pair.shell.cell_id
    for old in [old for old in pair.panels if old.cell_id == cell_id is not None]:
        old.close()
    made = Panel(pair, cell_id=cell_id)
    pair.panels.append(made)
    return made


class Panel(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Prompt box, model, the last turns. Closing it ends nothing that streams."""

    def __init__(self, pair: Pair, *, cell_id: str | None = None) -> None:
        self._pair = pair
        self._engine = pair.engine
        self.cell_id = cell_id
        self._view = TurnView()
        self._lock = threading.RLock()
        self._paced = Paced(self._show)
        self._kernel = OwnKernel()
        self._boxes: dict[str, TurnBox] = {}
        self._entered: threading.Timer | None = None
        self._filling = 0
        self._trouble = ""
        self._closed = False
        self._make_controls()
        super().__init__((self._top, self._ask, self._status, self._use, self._turns), layout=Layout(padding="4px"))
        keep_on_subshell(*all_below(self))
        self._unsubscribe = self._engine.subscribe(self._receive_frame, last_seq=0)
        self._engine.submit(ListModels())

    def _make_controls(self) -> None:
        self._title = HTML("<b>⚡ Spark</b>", layout=Layout(flex="1 1 auto"))
        self._models = Dropdown(
            options=(), description="Model", layout=Layout(width="16em"), tooltip="The model, from the next prompt on"
        )
        self._models.style.description_width = "initial"
        close = button("", "times", "Close this panel", self.close)
        self._top = HBox((self._title, self._models, close))
        # Nothing of the box changes while an answer comes and goes: with each change the browser shows the kernel's text in it, which
        # is without what is being typed.
        self._box = Text(placeholder=ASKS, continuous_update=False, layout=Layout(flex="1 1 auto", width="auto"))
        self._send_button = button("Send", "bolt", "", self._send, button_style="primary")
        self._cancel = button("Cancel", "stop", "Stop the answer. What was written is kept", self._stop)
        self._ask = HBox((self._box, self._send_button, self._cancel))
        self._status = HTML()
        self._use = button("", "plug", OFFERED, self._use_offered)
        self._turns = VBox()
        self._show_controls()
        self._box.on_msg(self._on_box_message)
        self._box.observe(self._on_text, "value")
        self._models.observe(self._on_model, "value")

    def close(self) -> None:
        """Take the panel away. Idempotent."""
        if not self._closed:
            with self._lock:
                self._closed = True
            self._pair.panels.remove(self)
            self._unsubscribe()
            self._kernel.close()
            for widget in reversed(all_below(self)[1:]):
                widget.close()
        super().close()

    # --- what the session says; on the engine's thread ----------------------------------------------------------------

    def _receive_frame(self, frame: EventFrame) -> None:
        with self._lock:
            self._view.receive_all(frame.msgs)
            for event in frame.msgs:
                if isinstance(event, TurnStarted):
                    self._trouble = ""
                    self._hand_over(event.turn)
                elif isinstance(event, Problem) and event.turn_id not in self._view.turns:
                    self._trouble = problem_html(event.message, event.remedy)
        self._paced.ask(at_once=any(isinstance(event, TurnEnded) for event in frame.msgs))

    def _hand_over(self, turn: Turn) -> None:
        """A steered turn's place, cards and all, is its successor's."""
        if turn.steers in self._boxes:
            self._boxes[turn.id] = self._boxes.pop(turn.steers)

    def _show(self) -> int:
        with self._lock:
            if self._closed:
                return 0
            shown = self._shown_turns()
            for turn in shown:
                if turn.id not in self._boxes:
                    self._boxes[turn.id] = TurnBox(self._act, self._choose)
            sent = sum(self._boxes[turn.id].show(self._view, turn) for turn in shown)
            self._turns.children = tuple(self._boxes[turn.id].widget for turn in shown)
            self._forget({turn.id for turn in shown})
            self._show_controls()
        return sent

    def _shown_turns(self) -> list[Turn]:
        """The youngest first. A turn that was steered is shown as the one that steers it."""
        turns = [turn for turn in self._view.turns.values() if turn.outcome != "superseded"]
        waiting = {proposal.turn_id for proposal in self._view.pending()}
        return [turn for turn in reversed(turns) if turn in turns[-SHOWN_TURNS:] or turn.id in waiting]

    def _forget(self, shown: set[str]) -> None:
        for turn_id in [turn_id for turn_id in self._boxes if turn_id not in shown]:
            for widget in reversed(all_below(self._boxes.pop(turn_id).widget)):
                widget.close()

    def _show_controls(self) -> None:
        streams = self._view.streaming is not None
        self._send_button.description = "Steer" if streams else "Send"
        self._send_button.tooltip = "Redirect the answer at once" if streams else "Ask for a cell"
        self._cancel.disabled = not streams
        hello = self._view.hello
        limits = filter(None, (hello.banner or "Connecting …", left_text(hello.policy), logged_text(hello.policy)))
        self._status.value = self._trouble or small_html(" ".join(limits))
        self._use.layout.display = "" if hello.offered else "none"
        self._use.description = f"Use {hello.offered_title or hello.offered}"
        self._show_models(self._view.model)

    def _show_models(self, selected: str) -> None:
        names = tuple(model.id for model in self._view.models)
        names = names if selected in names or not selected else (selected, *names)
        self._filling = threading.get_ident()
        with self._models.hold_sync():  # in one message: who chose between the two would have the choice undone
            if self._models.options != names:
                self._models.options = names
            if selected and self._models.value != selected:
                self._models.value = selected
        self._filling = 0

    # --- what a person does; on the thread of a subshell, or the main one where there is none --------------------------

    def _on_box_message(self, _: Any, content: dict[str, Any], __: Any) -> None:
        """Enter. The text comes after it where it was changed; else the box has it already."""
        if content.get("event") == "submit":
            with self._lock:
                self._entered = threading.Timer(SETTLING, self._send_entered)
                self._entered.daemon = True
                self._entered.start()

    def _on_text(self, _: Any) -> None:
        self._send_entered()

    def _send_entered(self) -> None:
        with self._lock:
            entered, self._entered = self._entered, None
        if entered is not None:
            entered.cancel()
            self._send()

    def _send(self) -> None:
        with self._lock:
            text = self._box.value.strip()
            streaming = self._view.streaming
            self._box.value = ""
        if text and not (self._steered(streaming, text) if streaming else self._prompted(text)):
            self._box.value = text  # nothing that was typed is lost

    def _steered(self, turn: Turn, text: str) -> bool:
        """True if the words were accepted: as a new prompt if the turn has ended a moment ago."""
        try:
            self._engine.say(Steer(turn_id=new_turn_id(), steers=turn.id, text=text))
        except TurnOver:
            return self._prompted(text)
        except SparkError as error:
            self._object(error)
            return False
        return True

    def _prompted(self, text: str) -> bool:
        """True if the words were taken in as a prompt, with the cells of the client that has the notebook, where there is one."""
        cells = self._pair.shell.cells(all_inputs=True)
        prompt = Prompt(turn_id=new_turn_id(), text=text, target=Target(after=self.cell_id), cells=cells)
        return self._pair.hub.request_prompt(prompt, waits=False) or self._said(prompt)

    def _stop(self) -> None:
        self._said(Cancel())

    def _on_model(self, change: dict[str, Any]) -> None:
        if self._filling != threading.get_ident() and change["new"]:
            self._said(SelectModel(model=change["new"]))

    def _act(self, action: Action, cell_id: str) -> None:
        with self._lock:
            proposal = self._view.proposals[cell_id]
            card = self._boxes[proposal.turn_id].cards[cell_id]
            confirmed, card.confirming = card.confirming == (action, proposal.source), None
            if action == "diff":
                card.as_diff = card.as_diff is False
            wants = {"run": proposal.may_run, "accept": proposal.may_accept}.get(action, "freely")
            if wants == "when-confirmed" and not confirmed:
                card.confirming = (action, proposal.source)
        match action:
            case "accept" if card.confirming is None and self._said(Accept(cell_id=cell_id, confirmed=confirmed)):
                self._keep(self._accepted(cell_id))
            case "reject":
                self._said(Reject(cell_id=cell_id))
            case "try":
                self._said(Try(cell_id=cell_id))
            case "run" if card.confirming is None and self._said(Run(cell_id=cell_id, confirmed=confirmed)):
                proposal = self._accepted(cell_id)
                self._keep(proposal)
                self._run(card, self._engine.read(lambda session: session.restored_source(proposal)))
            case _:
                pass
        self._show()

    def _accepted(self, cell_id: str) -> Proposal:
        """The current proposal of a cell as the session has it: what this panel shows may be a frame behind."""
        return self._engine.read(lambda session: current(session.store.proposals)[cell_id])

    def _use_offered(self) -> None:
        self._said(UseProvider(profile=self._view.hello.offered))

    def _choose(self, turn_id: str, index: int) -> None:
        self._said(ChooseAttempt(turn_id=turn_id, index=index))

    def _keep(self, proposal: Proposal) -> None:
        """No cell has the code yet, and a widget can't make one: ``%spark accept`` can. That is about one turn at a time."""
        if self._pair.hub.writer is None:
            others = [
                one
                for one in self._pair.unplaced
                if one.turn_id == proposal.turn_id and one.cell_id != proposal.cell_id
            ]
            self._pair.unplaced = [*others, proposal]

    def _run(self, card: Card, source: str) -> None:
        if self._pair.hub.writer is None:  # else the labextension runs the cell where it stands
            self._kernel.run(card.job(source, changed=self._show))

    def _said(self, command: Command) -> bool:
        """Say it; what the session objects to is shown."""
        try:
            self._engine.say(command)
        except SparkError as error:
            self._object(error)
            return False
        return True

    def _object(self, error: SparkError) -> None:
        with self._lock:
            self._trouble = problem_html(error.message, error.remedy)
            self._show_controls()
