"""Questions and answers of a conversation, as frozen values.

They become text in one place (:mod:`spark_jupyter.prompting.request_text`), when a request is sent; nothing reads our own text back.
"""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.protocol.values import CellId, CellOperation, CellType, Image, NotebookCell, ProposalKind


class Note(Struct, frozen=True, tag=True):
    """Prose of an answer, as it came."""

    text: str


class Block(Struct, frozen=True, kw_only=True, tag=True):
    """A cell of an answer, as it stands in the notebook. ``open``: the answer is still in it, or was cut in it: what follows
    ``source`` was not written, or was taken out. ``after`` is the cell above a new one, ``base`` the source of one that is edited.
    ``operation``: it is deleted, moved, or run as it is."""

    cell_id: CellId
    source: str
    kind: ProposalKind = "insert"
    cell_type: CellType = "code"
    base: str = ""
    after: CellId | None = None
    open: bool = False
    operation: CellOperation | None = None


class Answer(Struct, frozen=True):
    """An answer in the order in which it came, up to the place at which it was cut."""

    parts: tuple[Note | Block, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(part for part in self.parts if isinstance(part, Block))

    @property
    def notes(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, Note))

    def without_notes(self) -> Answer:
        """Its cells alone."""
        return Answer(self.blocks)


class Question(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Content of a user's message. Each fact is told once in a conversation, and later only named.

    ``variables``, ``versions``, ``files``, ``rules``, ``skill``, ``last_error``, ``mentioned`` and ``images`` are those of
    :class:`~.surroundings.Surroundings`; of
    variables, versions and rules only what no earlier message tells. ``gone_variables`` are those that are not there any more, and
    ``prompt_words`` tell where tables have words of the prompt; with ``same_error`` the last error is only named. ``cells`` are all
    cells that go along, ``edit`` is the one to be edited: an earlier message has those in ``as_before`` as they are, and the source of
    those in ``same_source``; the source of those in ``answered`` is a block of the answer just before, with this number. ``order`` has
    the cells of the message before. ``active`` is the cell in which the user is, ``proposed`` are the model's own cells on which the user
    has not decided. ``tried`` tells what copies of the kernel showed of earlier cells, a line each. ``plan`` is the task that the request
    is a step of; ``checks`` must hold after the answer ran. The user's ``steers`` and our own ``corrections`` redirect the ``answer`` so
    far, oldest first."""

    request: str
    intent: str = "generate"
    plan: str = ""
    checks: tuple[str, ...] = ()
    variables: str = ""
    prompt_words: tuple[str, ...] = ()
    gone_variables: tuple[str, ...] = ()
    versions: str = ""
    files: str = ""
    rules: str = ""
    skill: str = ""
    tried: tuple[str, ...] = ()
    last_error: str = ""
    same_error: bool = False
    mentioned: str = ""
    images: tuple[Image, ...] = ()
    cells: tuple[NotebookCell, ...] = ()
    order: tuple[CellId, ...] = ()
    as_before: frozenset[CellId] = frozenset()
    same_source: frozenset[CellId] = frozenset()
    answered: tuple[tuple[CellId, int], ...] = ()
    active: CellId | None = None
    proposed: tuple[CellId, ...] = ()
    edit: NotebookCell | None = None
    steers: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    answer: Answer = Answer()


class Exchange(Struct, frozen=True):
    """A question and what was answered: as the model said it, or as it was chosen from several answers."""

    question: Question
    answer: str | Answer


class Conversation(Struct, frozen=True):
    """Content of a request: the exchanges before, oldest first, and the question. ``folded`` are those before these, in a line each."""

    question: Question
    earlier: tuple[Exchange, ...] = ()
    folded: tuple[str, ...] = ()
