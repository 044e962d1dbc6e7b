"""Access to the user's kernel: reads, and checks in copies.

Both are given by whoever makes an engine: in a notebook by ``ui/``, on the command line with a sandbox for files, in tests by the test.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.review_messages import Remark
from spark_jupyter.protocol.rule_messages import ProjectRules
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Attempts, Finding, Image, NotebookCell
from spark_jupyter.session.actions import InspectCell, ProveEdits, TryProposal
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, TryBoth
from spark_jupyter.session.rehearsal_feed import RehearsalAction, Rehearsed

if TYPE_CHECKING:
    from spark_jupyter.sandbox.refinement_runner import RefinementSearch

CheckpointMode = Literal["auto", "on", "off"]


class Checks(Struct, frozen=True, kw_only=True):
    """The slower checks. Each is called on the engine's loop and may take its time in a thread; None where there is none."""

    inspect: Callable[[InspectCell], Awaitable[Sequence[Finding]]] | None = None
    try_proposal: Callable[[TryProposal], Awaitable[TrialResult]] | None = None
    try_together: Callable[[ProveEdits], Awaitable[Sequence[TrialResult]]] | None = None
    try_answer: Callable[[TryAnswer], Awaitable[AnswerTrial]] | None = None
    try_both: Callable[[TryBoth], Awaitable[Sequence[AnswerTrial]]] | None = None
    try_unavailable: str = ""
    """Why nothing can be tried; empty where it can."""
    rehearse: Callable[[RehearsalAction, Callable[[Rehearsed], None]], None] | None = None
    """Returns at once and works in a thread of its own; reports on any thread."""
    no_rehearsal: Callable[[], str] | None = None
    """Why nothing may be rehearsed; empty where it may. Called once, on the engine's loop: it may take some milliseconds."""
    set_checkpoints: Callable[[CheckpointMode], None] | None = None
    """Setter of the checkpoints before each cell."""
    refining: Callable[[], RefinementSearch] | None = None
    """Makes what proves better texts of cells in idle time. Called in a thread, at the first need."""
    review: Callable[[Sequence[NotebookCell]], list[Remark]] | None = None
    """The remarks on a notebook that need no run of it. Called in a thread."""
    named: Callable[[], Collection[str]] = tuple
    """The paths that the user's own cells and prompts name."""

    @property
    def no_try(self) -> str:
        """Why no answer can be tried; empty where it can."""
        none = "" if self.try_answer else "There is no kernel to try them in."
        return self.try_unavailable or none

    def no_attempts(self, wish: Attempts) -> str:
        """Why these attempts can't be made; empty where they can."""
        return self.no_try or ("" if self.try_both or not wish.compare else "Answers are compared in a notebook only.")


class Kernel(Struct, frozen=True):
    """Reads the kernel. Called on the engine's loop; none of it runs the user's code."""

    namespace: Callable[[], Mapping[str, object]] = dict
    moment: Callable[[], int] = int
    """Another number whenever a cell has begun to run or has ended."""
    surroundings: Callable[[Prompt], Surroundings] = lambda prompt: Surroundings()
    """Context of a prompt at the moment."""
    images: Callable[[str, Sequence[Image]], tuple[Image, ...]] = lambda text, brought: ()
    """The images that words point at, besides those that were brought."""
    mentions: Callable[[str], Sequence[str]] = lambda prefix: ()
    """Completions of a prefix after ``@``."""
    project_rules: Callable[[], ProjectRules] = ProjectRules
    """Rules and skills of the notebook's project."""
    ideas: Callable[[], Sequence[str]] = tuple
    """Prompts to suggest."""
    checks: Checks = Checks()
    """Trials and checks in copies of the kernel."""
