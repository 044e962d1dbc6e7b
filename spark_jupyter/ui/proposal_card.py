"""A proposal in the widget: its source, its buttons, its outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ipywidgets import HTML, Button, HBox, Layout, Output, VBox  # type: ignore[import-untyped]

from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Proposal, Turn
from spark_jupyter.ui.cell_runner import Job, Outputs
from spark_jupyter.ui.text.html_rendering import foot_html, head_html, proposal_html, small_html
from spark_jupyter.ui.text.words import ACCEPT_ANYWAY, RUN_ANYWAY

Action = Literal["accept", "run", "try", "diff", "reject"]

_BUTTONS: dict[Action, tuple[str, str, str]] = {
    "accept": ("Accept", "check", "Keep it, without running it"),
    "run": ("Run", "play", "Keep it and run it here, in your kernel"),
    "try": ("Try", "flask", "Run it in a copy of the kernel: its effects are shown, nothing is kept"),
    "diff": ("Whole cell", "columns", "Show the difference, or the cell as it would be"),
    "reject": ("Reject", "times", "Discard it"),
}
_COPY = "Accepted. Click the code to select it and copy it, or run %spark accept in a cell: the code comes as the next cell."
_RAN = "Ran. %spark accept puts the code into the next cell."
_FAILED = "It failed. Say above what should be different, or run %spark fix."


def keep_on_subshell(*widgets: Any) -> None:
    """Let what a person does with these widgets be handled while a cell runs.

    ipykernel 7.4 sends the front end's messages on a comm to the shell from which the kernel last sent on it: for a panel that is drawn
    from a thread while a cell runs, the main shell, behind that cell (``BaseComm._reply_subshell_for``). And a comm runs the hooks of
    cells around each message, of which matplotlib's shows and closes what the running cell is drawing: ours are handled without.
    """
    for widget in widgets:
        if widget.comm is not None:
            widget.comm.handle_msg = widget._handle_msg
            if hasattr(widget.comm, "_reply_subshell_for"):
                widget.comm._reply_subshell_for = None


def all_below(widget: Any) -> list[Any]:
    """A widget and all that it holds."""
    return [widget, *(one for child in getattr(widget, "children", ()) for one in all_below(child))]


def button(label: str, icon: str, tooltip: str, pressed: Callable[[], None], **options: Any) -> Any:
    """A button that is as wide as its label."""
    made = Button(description=label, icon=icon, tooltip=tooltip, layout=Layout(width="auto"), **options)
    made.on_click(lambda _: pressed())
    keep_on_subshell(made)
    return made


class Card:
    """One proposal. ``act`` is called with what a person asked for."""

    def __init__(self, act: Callable[[Action], None]) -> None:
        self._buttons = {
            action: button(label, icon, tooltip, lambda action=action: act(action))  # type: ignore[misc]
            for action, (label, icon, tooltip) in _BUTTONS.items()
        }
        self._source = HTML()
        for one in self._buttons.values():  # until it is known what is possible
            one.layout.display = "none"
        self._row = HBox(tuple(self._buttons.values()), layout=Layout(flex_flow="row wrap"))
        self._note = HTML()
        self._output = Output()
        self.widget = VBox((self._source, self._row, self._note), layout=Layout(margin="0 0 8px 0"))
        self.confirming: tuple[Action, str] | None = None  # what only a second yes does, and with which source
        self.as_diff: bool | None = None
        self.run_state = ""

    def show(self, view: TurnView, proposal: Proposal, number: int) -> int:
        """Show how the proposal stands; how many characters that took."""
        self._source.value = proposal_html(view, proposal, number, as_diff=self.as_diff)
        for action, one in self._buttons.items():
            one.layout.display = "" if action in self._possible(proposal) else "none"
        self._row.layout.display = "" if self._possible(proposal) else "none"
        self._buttons["diff"].description = "Diff" if self.as_diff is False else "Whole cell"
        if self.confirming is not None and self.confirming[1] != proposal.source:
            self.confirming = None
        wanted = None if self.confirming is None else self.confirming[0]
        accept = self._buttons["accept"]
        accept.description = "Accept anyway" if wanted == "accept" else "Accept"
        accept.button_style = "danger" if wanted == "accept" else ""
        run = self._buttons["run"]
        confirming = wanted == "run"
        run.description = "Run anyway" if confirming else "Run again" if self.run_state else "Run"
        run.button_style = "danger" if confirming else ""
        run.disabled = self.running
        self._buttons["try"].disabled = bool(view.hello.try_unavailable)
        self._buttons["try"].tooltip = view.hello.try_unavailable or _BUTTONS["try"][2]
        self._note.value = small_html(self._remark(view, proposal))
        return len(self._source.value)

    @property
    def running(self) -> bool:
        """True if it runs, or waits to."""
        return self.run_state.endswith("…")

    def job(self, source: str, *, changed: Callable[[], object]) -> Job:
        """Job that runs the proposal here. ``changed`` is called when the card is to be shown again."""

        def state(text: str) -> None:
            self.run_state = text
            changed()

        self._output.outputs = ()
        if self._output not in self.widget.children:
            self.widget.children = (*self.widget.children, self._output)
        state("Waits for the kernel …")
        return Job(
            source=source,
            begin=lambda: state("Runs …"),
            show=self._show_outputs,
            end=lambda well: state(_RAN if well else _FAILED),
        )

    def _show_outputs(self, outputs: Outputs) -> None:
        self._output.outputs = outputs

    def _possible(self, proposal: Proposal) -> list[Action]:
        code = proposal.cell_type == "code"
        match proposal.state:
            case "ready" | "blocked":
                edit = proposal.kind == "edit"
                wanted: list[Action] = ["accept", "run", "try", "diff", "reject"]
                return [one for one in wanted if (code or one not in ("run", "try")) and (edit or one != "diff")]
            case "accepted" if code:
                return ["run"]
            case _:
                return []

    def _remark(self, view: TurnView, proposal: Proposal) -> str:
        if self.confirming is not None:
            return ACCEPT_ANYWAY if self.confirming[0] == "accept" else RUN_ANYWAY
        if self.run_state:
            return self.run_state
        return _COPY if proposal.state == "accepted" and not view.hello.writer else ""


class TurnBox:
    """A turn: what was asked, the proposals, the meter."""

    def __init__(self, act: Callable[[Action, str], None], choose: Callable[[str, int], None]) -> None:
        self._act, self._choose = act, choose
        self._head, self._foot = HTML(), HTML()
        self._middle = VBox()
        self._choices = HBox(layout=Layout(flex_flow="row wrap"))
        self._chosen_from: tuple[int, ...] = ()
        self.cards: dict[str, Card] = {}
        self.widget = VBox((self._head, self._middle, self._foot, self._choices), layout=Layout(margin="4px 0 12px 0"))

    def show(self, view: TurnView, turn: Turn) -> int:
        """Show how the turn stands; how many characters that took."""
        self._head.value = head_html(view, turn)
        self._foot.value = foot_html(view, turn)
        sent = len(self._head.value) + len(self._foot.value)
        proposals = view.of_turn(turn.id)
        for number, proposal in enumerate(proposals, 1):
            sent += self._card(proposal.cell_id).show(view, proposal, number)
        self._middle.children = tuple(self.cards[proposal.cell_id].widget for proposal in proposals)
        self._show_choices(view, turn)
        return sent

    def _show_choices(self, view: TurnView, turn: Turn) -> None:
        """A button for every attempt of a race that could be proposed instead."""
        undecided = all(one.state in ("ready", "blocked") for one in view.of_turn(turn.id))
        others = [one for one in view.attempts_of(turn.id) if one.source and not one.proposed]
        choices = tuple(one.index for one in others) if turn.outcome and undecided else ()
        if choices != self._chosen_from:
            self._chosen_from = choices
            for old in self._choices.children:
                old.close()
            self._choices.children = tuple(self._choice(turn.id, index) for index in choices)

    def _choice(self, turn_id: str, index: int) -> Any:
        label = f"Take attempt {index + 1}"
        return button(label, "exchange", "Propose this attempt instead", lambda: self._choose(turn_id, index))

    def _card(self, cell_id: str) -> Card:
        if cell_id not in self.cards:
            self.cards[cell_id] = Card(lambda action: self._act(action, cell_id))
        return self.cards[cell_id]
