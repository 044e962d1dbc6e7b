"""Drafts below IPython's prompt, for a comment or a prompt that is being typed.

The last lines of a cell that are a comment, and the words behind ``%spark``, are drafted after a pause. The draft stands in grey below what
is typed; Tab takes it as an accepted proposal, Esc hides it until the words change. Loaded where draft mode is on, and not before.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import deque
from typing import TYPE_CHECKING

from msgspec import Struct
from prompt_toolkit.application import get_app
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, emacs_mode, has_completions, is_done, vi_insert_mode
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import BufferControl, ConditionalContainer, HSplit, VerticalAlign, Window
from prompt_toolkit.layout.controls import FormattedTextControl

from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.constants import LONGEST_AROUND
from spark_jupyter.protocol.draft_messages import BeginDraft, Drafted, DraftKind, DropDraft
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Event, Hello, Problem, Prompt, TurnEnded
from spark_jupyter.protocol.proposal_messages import Accept
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.source.ipython_lines import asks_spark
from spark_jupyter.ui.magics.verbs import VERBS
from spark_jupyter.ui.shell import joined
from spark_jupyter.ui.text.words import problem_line, trial_lines

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from prompt_toolkit import PromptSession
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyPressEvent

    from spark_jupyter.ui.pair import Pair

PAUSE = 0.2
"""Seconds without a key after which a draft is asked for."""
_PATIENCE = 1.5
"""Seconds for which a draft may go on while the words grow."""
_MOST, _WITHIN = 6, 66.0
"""So many drafts in so many seconds, as in a browser."""
_LEAST = 3
"""Content words below which words can't mean anything yet."""
_ROWS = 14
"""Rows of a draft, and of what its copy showed; fewer on a low screen."""
_WORD = re.compile(
    r"\b(?!(?:the|an|of|in|on|at|to|for|and|or|by|with|from|as|is|are|it|its|this|that|me|my|let|us|be)\b)[^\W\d_][\w'’-]+",
    re.IGNORECASE,
)
"""A word that says something by itself."""
_COMMENT = re.compile(r"#(?![%!])")
_MARKS = re.compile(r"^#+[ \t]*", re.MULTILINE)
_GREY, _STRUCK, _FOOT = "fg:ansibrightblack", "fg:ansired strike", "fg:ansibrightblack italic"


class Words(Struct, frozen=True):
    """Words for which a draft can be written: the last ``lines`` lines of a cell."""

    kind: DraftKind
    text: str
    lines: int


def words_in(source: str) -> Words | None:
    """The prompt that is typed, or the comment at the end of a cell; None where it can't mean anything yet."""
    text = source.rstrip()
    if asks_spark(text):
        _, *rest = text.split(maxsplit=1)
        said = "".join(rest)
        first = said.split(maxsplit=1)[:1]
        found = Words("markdown", said, said.count("\n") + 1)
        if not first or first[0] in VERBS or first[0].startswith(("-", "/")):
            return None
    else:
        lines = text.split("\n")
        code = max((number for number, line in enumerate(lines, 1) if not _COMMENT.match(line)), default=0)
        comment = lines[code:]
        found = Words("comment", "\n".join(comment), len(comment))
    return found if len(_WORD.findall(found.text)) >= _LEAST and len(text) <= LONGEST_AROUND else None


class _Asked(Struct, frozen=True, kw_only=True):
    """What a draft was asked for: the words, and the cell as it stood."""

    draft_id: str
    words: Words
    source: str
    cell: NotebookCell
    cells: tuple[NotebookCell, ...]
    at: float


class PromptDrafts:
    """The draft of one prompt. All but :meth:`_receive` is called on the prompt's thread."""

    cell_id: str | None = None
    """As :class:`~spark_jupyter.ui.pair.Shown` has it: it belongs to no cell."""

    def __init__(self, session: PromptSession[str], pair: Pair) -> None:
        self._session = session
        self._pair = pair
        self._asked: _Asked | None = None
        self._drafted: Drafted | None = None
        self._lines: list[
            tuple[str, str]
        ] = []  # style and text; a draft that is written again covers the one before line by line
        self._hidden = ""
        self._taking = ""  # the turn that takes the draft
        self._times: deque[float] = deque(maxlen=_MOST)
        self._timer: asyncio.TimerHandle | None = None
        self._layout = _Layout(
            session, shown=Condition(lambda: self._is_shown), lines=self._fragments, keys=self._keys()
        )
        session.default_buffer.on_text_changed += self._typed
        session.app.after_render += self._rendered
        self._unsubscribe = pair.engine.subscribe(self._receive)
        pair.panels.append(self)

    def close(self) -> None:
        self._drop()
        self._unsubscribe()
        self._session.default_buffer.on_text_changed -= self._typed
        self._session.app.after_render -= self._rendered
        self._layout.remove()
        self._pair.panels.remove(self)

    # --- what is typed ------------------------------------------------------------------------------------------------

    @property
    def _source(self) -> str:
        return self._session.default_buffer.text

    def _words(self) -> Words | None:
        document = self._session.default_buffer.document
        if not self._pair.view.hello.drafts or not document.is_cursor_at_the_end or document.text == self._hidden:
            return None
        return words_in(document.text)

    def _typed(self, _: object) -> None:
        if self._source != self._hidden:
            self._hidden = ""
        words, asked = self._words(), self._asked
        if asked is not None and not (words is not None and _goes_on(asked.words, words)):
            self._drop()
        self._wait(PAUSE if words is not None and (self._asked is None or self._asked.words != words) else None)

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None and (loop := self._session.app.loop) is not None:
            self._timer = loop.call_later(seconds, self._wake)

    def _wake(self) -> None:
        """The pause is over."""
        words, now = self._words(), time.monotonic()
        if words is None or (self._asked is not None and self._asked.words == words):
            return
        if self._asked is not None and self._is_written and now - self._asked.at < _PATIENCE:
            return  # what is written ends first, and asks again then
        if len(self._times) == _MOST and (wait := self._times[0] + _WITHIN - now) > 0:
            self._wait(wait)
            return
        self._times.append(now)
        self._ask(words, now)

    def _ask(self, words: Words, now: float) -> None:
        shell = self._pair.shell
        is_prompt = words.kind == "markdown"
        cell = NotebookCell(
            id=f"in-{shell.interactive.execution_count}",
            cell_type="markdown" if is_prompt else "code",
            source=words.text if is_prompt else self._source.rstrip(),
        )
        cells = (*shell.cells(all_inputs=True), cell)
        draft_id = new_turn_id()
        self._asked = _Asked(draft_id=draft_id, words=words, source=self._source, cell=cell, cells=cells, at=now)
        self._drafted = None
        begin = BeginDraft(
            draft_id=draft_id, cell_id=cell.id, kind=words.kind, words=words.text, lines=words.lines, cells=cells
        )
        self._pair.engine.answer_alone(self._receive, begin)

    def _drop(self) -> None:
        self._wait(None)
        self._lines = []
        self._drafted = None
        self._taking = ""
        if (asked := self._asked) is not None:
            self._asked = None
            self._pair.engine.answer_alone(self._receive, DropDraft(draft_id=asked.draft_id))

    def _rendered(self, _: object) -> None:
        """What was sent needs no draft any more."""
        if self._session.app.is_done:
            self._drop()

    # --- what comes ---------------------------------------------------------------------------------------------------

    def _receive(self, frame: EventFrame) -> None:
        """On the engine's thread."""
        for event in frame.msgs:
            if (
                isinstance(event, Drafted | Hello | TurnEnded | Problem)
                and (loop := self._session.app.loop) is not None
            ):
                with contextlib.suppress(RuntimeError):  # the prompt has ended, and its loop with it
                    loop.call_soon_threadsafe(self._hear, event)

    def _hear(self, event: Event) -> None:
        match event:
            case Hello(drafts=False):
                self._drop()
            case Drafted(draft_id=draft_id) if self._asked is not None and self._asked.draft_id == draft_id:
                self._show(event)
            case TurnEnded(turn_id=turn_id) | Problem(turn_id=turn_id) if turn_id and turn_id == self._taking:
                self._taking = ""
                self._place(event)
            case _:
                return
        self._session.app.invalidate()

    def _show(self, drafted: Drafted) -> None:
        self._drafted = drafted
        lines = [line for cell in drafted.cells for line in _styled(cell.source, cell.blocked)]
        writes = drafted.state == "writing"
        self._session.default_buffer.suggestion = None  # one suggestion for a place is enough
        self._lines = lines + self._lines[len(lines) :] if writes else lines
        if not writes:
            self._wake()

    @property
    def _is_written(self) -> bool:
        return self._drafted is None or self._drafted.state == "writing"

    @property
    def _is_shown(self) -> bool:
        drafted = self._drafted
        text = self._words() is not None and (self._lines or (drafted is not None and drafted.problem))
        return bool(text) and not self._session.app.is_done

    @property
    def _is_whole(self) -> bool:
        """A whole draft for just these words is shown."""
        if self._drafted is None or self._is_written or not self._drafted.cells or self._asked is None:
            return False
        return self._is_shown and self._asked.source == self._source

    def _fragments(self) -> StyleAndTextTuples:
        typed = self._source.count("\n") + 1
        most = max(2, min(_ROWS, self._session.app.output.get_size().rows - typed - 5))
        rows, foot = self._lines[:most], self._foot()
        if len(self._lines) > most:
            rows = [*rows[:-1], (_GREY, f"… {len(self._lines) - most + 1} more lines")]
        foot = [*foot[:-1][:most], foot[-1]]
        return [*((style, f"{line}\n") for style, line in rows), (_FOOT, "\n".join(foot))]

    def _foot(self) -> list[str]:
        drafted = self._drafted
        if drafted is None or drafted.state == "writing" or self._asked is None or self._asked.source != self._source:
            return ["Draft …"]
        if drafted.problem:
            return [printable(drafted.problem)]
        reasons = [cell.reason for cell in drafted.cells if cell.blocked]
        tried = [line for cell in drafted.cells if cell.trial is not None for line in trial_lines(cell.trial)]
        if reasons:
            return [
                printable(f"Draft, blocked: {reasons[0]}"),
                "Press Enter on a %spark prompt to decide on such code.",
            ]
        running = ["Draft, running in a copy …"] if drafted.state == "trying" else []
        return [*tried, *running, "Tab takes the draft, Esc hides it."]

    # --- keys ---------------------------------------------------------------------------------------------------------

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        typing = (emacs_mode | vi_insert_mode) & ~has_completions & ~is_done
        keys.add("tab", filter=typing & Condition(lambda: self._is_whole))(self._take)
        alone = Condition(lambda: self._is_shown and not get_app().key_processor.input_queue)  # no Alt with another key
        keys.add("escape", filter=emacs_mode & ~has_completions & alone, eager=True)(self._hide)
        return keys

    def _hide(self, _: KeyPressEvent) -> None:
        self._hidden = self._source
        self._drop()

    def _take(self, _: KeyPressEvent) -> None:
        asked, drafted = self._asked, self._drafted
        assert asked is not None  # or there is nothing to take
        assert drafted is not None
        if self._taking or any(cell.blocked for cell in drafted.cells):
            return
        cell_id = asked.cell.id
        prompt = Prompt(
            turn_id=new_turn_id(),
            text=_MARKS.sub("", asked.words.text),
            target=Target(after=cell_id) if asked.words.kind == "markdown" else Target(edit=cell_id),
            cells=asked.cells,
            active=cell_id,
            takes=asked.draft_id,
        )
        self._taking = prompt.turn_id
        self._pair.engine.submit(prompt)

    def _place(self, ended: Event) -> None:
        """Have what was taken stand at the prompt, unless somebody typed on or it may not: then it waits for %spark accept."""
        if isinstance(ended, Problem):
            self._lines = [(_FOOT, problem_line(ended.message, ended.remedy))]
            return
        assert isinstance(ended, TurnEnded)
        asked, buffer = self._asked, self._session.default_buffer
        proposals = self._pair.view.of_turn(ended.turn_id)
        if (
            not proposals
            or asked is None
            or asked.source != buffer.text
            or not all(one.state == "ready" for one in proposals)
        ):
            return
        for one in proposals:
            self._pair.engine.submit(Accept(cell_id=one.cell_id))
        sources = self._pair.engine.read(lambda session: [session.restored_source(one) for one in proposals])
        buffer.save_to_undo_stack()
        buffer.document = Document(joined(sources))


class _Layout:
    """A window of the prompt below what is typed, as long as it is shown."""

    def __init__(
        self,
        session: PromptSession[str],
        *,
        shown: Condition,
        lines: Callable[[], StyleAndTextTuples],
        keys: KeyBindings,
    ) -> None:
        self._layout = session.layout
        self._before = session.layout.container
        self._typed = [
            (window, window.dont_extend_height)
            for window in session.layout.find_all_windows()
            if isinstance(window.content, BufferControl) and window.content.buffer is session.default_buffer
        ]
        for window, always in self._typed:  # or it takes all rows of the screen, and the draft stands at its end
            window.dont_extend_height = always | shown
        below = Window(FormattedTextControl(lines), dont_extend_height=True, wrap_lines=True)
        rows = [self._before, ConditionalContainer(below, shown & ~has_completions & ~is_done)]
        self._own = session.layout.container = HSplit(rows, align=VerticalAlign.TOP, key_bindings=keys)
        session.layout.update_parents_relations()  # a key may come before the next drawing, and keys are looked up by them

    def remove(self) -> None:
        """Leave the prompt as it was."""
        if self._layout.container is self._own:
            self._layout.container = self._before
        for window, always in self._typed:
            window.dont_extend_height = always


def _goes_on(asked: Words, now: Words) -> bool:
    return asked.kind == now.kind and now.text.startswith(asked.text)


def _styled(source: str, blocked: tuple[int, ...]) -> list[tuple[str, str]]:
    lines = enumerate(source.rstrip().split("\n"), 1)
    return [(_STRUCK if number in blocked else _GREY, printable(line)) for number, line in lines]
