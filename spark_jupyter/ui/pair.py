"""Objects of one IPython session, wired by ``%load_ext``."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from IPython.core.error import UsageError
from jupyter_core.paths import jupyter_config_path, jupyter_data_dir
from msgspec.structs import replace

from spark_jupyter.engine.comm import CommHub, subshells_supported
from spark_jupyter.engine.completion_socket import serve
from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.engine.provider_choice import Wish
from spark_jupyter.kernel_notebook import notebook_of_kernel, notebooks_run_by_program
from spark_jupyter.policy import load_policy
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.kernel_socket import line_of
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Command, Prompt, TurnStarted
from spark_jupyter.protocol.proposal_messages import Accept, ProposalChanged
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.protocol.review_messages import Remark
from spark_jupyter.protocol.rule_messages import ProjectRules
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView, current
from spark_jupyter.protocol.values import Finding, Image, NotebookCell, Proposal
from spark_jupyter.records.conversation_store import opened_store
from spark_jupyter.records.spending_log import Limits, Spending
from spark_jupyter.routing.link import linker
from spark_jupyter.sandbox import Checkpoints, KernelTrials, no_rehearsal, unavailable
from spark_jupyter.sandbox.rehearsal import Rehearsals
from spark_jupyter.session.actions import InspectCell
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.run_gate import blocked_in
from spark_jupyter.ui.image_lookup import LastFigure
from spark_jupyter.ui.shell import Shell
from spark_jupyter.ui.text import words
from spark_jupyter.ui.timeline import Timeline
from spark_jupyter.user_config import severities
from spark_jupyter.working_folder import working_folder

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from spark_jupyter.providers.profiles import Settings
    from spark_jupyter.routing.link import Link
    from spark_jupyter.sandbox.refinement_runner import RefinementSearch
    from spark_jupyter.session.guard import Watch

VARIABLES_BUDGET = 8_000
"""Tokens of a prompt for the kernel's variables."""


class Shown(Protocol):
    """A panel as far as it concerns the session: it goes when the session does."""

    cell_id: str | None

    def close(self) -> None:
        """Take it away."""


class Preferences(Protocol):
    """Settings that the magics read at each use."""

    wait: bool
    live: bool
    rules: str


class _UsualPreferences:
    wait = False
    live = False
    rules = "on"


USUAL = Configure(rehearse="stream")
"""A kernel's configuration where nobody made one."""


class Pair:
    """The parts, and their life: made when the extension loads, closed when it is unloaded or the process ends."""

    def __init__(
        self,
        shell: InteractiveShell,
        *,
        settings: Settings,
        own: Configure = USUAL,
        reality: bool = True,
        suggest: Wish | None = None,
        effort: str | None = None,
    ) -> None:
        # In front of what proposes a fix by itself: then it is known of a cell that it failed.
        self.checkpoints = Checkpoints(shell, mode=own.checkpoints or "auto", refused=no_rehearsal)
        self.shell = Shell(shell)
        self.folder = working_folder()
        """The notebook's, from which its project's rules are read: where code goes later is no matter."""
        self.last_figure = LastFigure(shell.display_pub, self._waiting_trials)
        self.preferences: Preferences = _UsualPreferences()
        self._noticed: Link | None = None
        self.followed = ""  # the deep work that somebody watches
        self.panels: list[Shown] = []
        self.failed_before: tuple[TrialResult, ...] = ()  # the Tries that had failed when a cell did
        self.unplaced: list[Proposal] = []  # accepted in a panel, which can't write cells: %spark accept does
        self.silent_tools: set[str] = set()
        self._reality = reality
        self._settings = settings
        others = [self._reality_watch] if reality else []
        policy = load_policy()
        notebook = notebook_of_kernel()
        limits = Limits(warn=own.warn_cost or 0.0, stop=own.stop_cost or 0.0, person=own.person_cost or 0.0)
        self.folder_of_logs = Path(jupyter_data_dir()) / "spark_jupyter"
        self.prompt_reader = ""  # who reads the log of prompts, as far as it was said
        self.spending = Spending(self.folder_of_logs, notebook=notebook, limits=limits)
        self.trials = KernelTrials(shell, checkpoints=self.checkpoints)
        self._rehearsals = Rehearsals(shell, self.trials)
        self.engine = Engine(
            linker(settings),
            guard=Guard(severities=severities(jupyter_config_path()), others=others),
            kernel=Kernel(
                lambda: self.shell.namespace,
                lambda: self.shell.moment,
                surroundings=self._surroundings,
                images=self._images,
                mentions=self._mentions,
                project_rules=self._project_rules,
                ideas=self._ideas,
                checks=Checks(
                    inspect=self._inspect,
                    try_proposal=self.trials.try_proposal,
                    try_together=self.trials.try_together,
                    try_answer=self.trials.try_answer,
                    try_both=self.trials.try_both,
                    try_unavailable=unavailable(),
                    rehearse=self._rehearsals.act,
                    no_rehearsal=no_rehearsal,
                    set_checkpoints=self.checkpoints.switch,
                    refining=self._refining,
                    review=self.review,
                    named=self.trials.named.paths,
                ),
            ),
            spending=self.spending,
            conversations=opened_store(policy.conversation_days),
            options=Options(
                own=own,
                policy=policy,
                notebook=notebook,
                model=settings.model,
                effort=effort,
                suggest=suggest or Wish(),
                model_folder=settings.model_folder,
                log_folder=self.folder_of_logs,
            ),
        )
        self.view = TurnView()
        """View of the proposals, as of the last event."""
        self.timeline = Timeline(self.checkpoints, self.engine)
        self.engine.subscribe(self._listen)
        self._process = os.getpid()
        self._events = shell.events
        self._events.register("pre_run_cell", self._cell_begins)
        self._events.register("post_run_cell", self._cell_ends)
        self.shell.may_run = self._refuse_blocked
        self.shell.runs = self._accept_what_runs
        kernel = self.shell.kernel
        self.hub = CommHub(self.engine, subshells=subshells_supported(kernel))
        self.hub.open_files([notebook] if notebook else notebooks_run_by_program())
        self.engine.conversations.is_shown = lambda: self.hub.is_shown
        if kernel is not None:
            self.hub.register(kernel.comm_manager)
            if connection_file := getattr(kernel.parent, "abs_connection_file", ""):
                self.engine.run(lambda: serve(line_of(connection_file), self.hub.open_line))

    @property
    def model_folder(self) -> str:
        """The user's folder of model files; empty: the usual one."""
        return self._settings.model_folder

    def say(self, *commands: Command) -> None:
        """Submit commands one after the other. Raises the :class:`~spark_jupyter.exceptions.SessionError` of one that is refused."""
        for command in commands:
            self.engine.say(command)

    def take_notice(self) -> str:
        """The notice of a provider that was chosen since the last call; empty otherwise."""
        link = self.engine.link
        if link is None or not link.notice or link is self._noticed:
            return ""
        self._noticed = link
        return link.notice

    def use(self, profile: str, *, mode: str = "") -> str:
        """Let the provider or the agent of this profile answer from now on, because the user named it; an agent in this mode of its own.
        Returns the banner."""
        named = replace(
            self._settings, mode=mode, profile=profile, base_url="", model="", dialect="", source="as chosen"
        )
        return self.engine.use(linker(named)).banner

    def run_model(self, file: str) -> str:
        """Let the model in a GGUF file answer from now on, on this machine. Returns the banner."""
        named = replace(self._settings, profile="", base_url="", model=file, dialect="", source="as chosen")
        return self.engine.use(linker(named)).banner

    def model_statement(self, file: str) -> str:
        """Requirements of the model in a GGUF file, before :meth:`run_model` has it loaded. Raises
        :class:`~spark_jupyter.exceptions.ConfigurationError` where there is none in it."""
        from spark_jupyter.connection.discovery import model_file
        from spark_jupyter.providers.profiles import folder_of_models
        from spark_jupyter.server.engines.llama_options import statement_of

        return statement_of(model_file(file, folder_of_models(self._settings.model_folder, os.environ)))

    def model_files(self) -> list[str]:
        """The models in the user's folder of models, that :meth:`run_model` runs."""
        from spark_jupyter.connection.discovery import model_files
        from spark_jupyter.providers.profiles import folder_of_models

        return [file.name for file in model_files(folder_of_models(self._settings.model_folder, os.environ))]

    def close(self) -> None:
        """End everything. Idempotent."""
        for panel in tuple(self.panels):
            panel.close()
        kernel = self.shell.kernel
        if kernel is not None:
            self.hub.unregister(kernel.comm_manager)
        self.shell.leave()
        self.last_figure.close()
        self._events.unregister("pre_run_cell", self._cell_begins)
        self._events.unregister("post_run_cell", self._cell_ends)
        self.trials.close()
        self.checkpoints.close()
        self.engine.close()
        self._rehearsals.close()

    def _refuse_blocked(self, text: str) -> None:
        """Whatever gesture sent it (a console, another extension's way to run cells, a paste): what a finding blocks runs after a second
        yes alone."""
        finding = self._blocked(text, self.view.all_proposals)
        if finding and self._blocked(text, self._proposals()):  # an Accept may have been said a moment ago
            message = f"Not run: this code belongs to a blocked proposal. {finding.message}"
            raise UsageError(words.problem_line(message, "Review it there, or run it with %spark run --yes."))

    def _blocked(self, text: str, proposals: Sequence[Proposal]) -> Finding | None:
        return blocked_in(text, self.shell.cell_id, list(proposals))

    def _proposals(self) -> tuple[Proposal, ...]:
        return self.engine.read(lambda session: session.store.proposals)

    def _accept_what_runs(self, text: str) -> None:
        """A proposal that is run as its cell counts as accepted."""
        cell_id = self.shell.cell_id or ""
        if self._waits(cell_id, self.view.proposals) and self._waits(cell_id, current(self._proposals())):
            self.engine.submit(Accept(cell_id=cell_id, source=text, confirmed=True))

    @staticmethod
    def _waits(cell_id: str, proposals: Mapping[str, Proposal]) -> bool:
        proposal = proposals.get(cell_id)
        return proposal is not None and proposal.kind == "insert" and proposal.state == "ready"

    def _listen(self, frame: EventFrame) -> None:
        """Whose words are whose: a copy may read what a person names now, and not what a model or a notebook does."""
        self.view.receive_all(frame.msgs)
        for event in frame.msgs:
            self.timeline.receive(event)
            match event:
                case TurnStarted(turn=turn) if turn.outcome is None and not turn.agent:
                    self.trials.named.say(turn.prompt, prompt=True)
                case ProposalChanged(proposal=proposal) if proposal.state != "streaming":
                    self.trials.named.propose(proposal.source)
                case _:
                    pass

    def review(self, cells: Sequence[NotebookCell]) -> list[Remark]:
        """Review the notebook without running anything. From any thread."""
        from spark_jupyter.guardrail.severities import Policy
        from spark_jupyter.review.notebook_review import look

        policy = Policy(severities=severities(jupyter_config_path()))
        ran = {number: text for number, text in self.shell.inputs.items() if number not in self.checkpoints.log.left}
        return look(cells, ran=ran, namespace=dict(self.shell.namespace), policy=policy)

    def _cell_begins(self, info: object) -> None:
        if os.getpid() == self._process:
            self.last_figure.listen()
            self.engine.cell_begins()

    def _cell_ends(self, result: object) -> None:
        if os.getpid() == self._process:
            self.engine.cell_ends()

    def _refining(self) -> RefinementSearch:
        from spark_jupyter.sandbox.refinement_runner import RefinementSearch
        from spark_jupyter.source.cell_dependencies import needs  # neither is needed before the first idle moment

        def reads(source: str) -> set[str]:
            told = needs(source)
            return set(re.findall(r"\w+", source)) if told.broken else {one.name for one in told.reads}

        return RefinementSearch(self.checkpoints, named=self.trials.named.paths, reads=reads)

    # --- what the engine asks; on its thread --------------------------------------------------------------------------

    def _surroundings(self, prompt: Prompt) -> Surroundings:
        from spark_jupyter.guardrail.package_names import KNOWN
        from spark_jupyter.prompting import budget, kernel_context
        from spark_jupyter.prompting.value_details import tables
        from spark_jupyter.reality.file_preview import preview_files
        from spark_jupyter.reality.package_versions import versions
        from spark_jupyter.redaction.namespace_secrets import held_in
        from spark_jupyter.ui.mention_lookup import describe
        from spark_jupyter.ui.rule_files import rules_for, skill_for

        failure = self.shell.failure_for(prompt)
        known = kernel_context.gather(
            self.shell.namespace, last_error=failure.error if failure else None, prompt=prompt.text
        )
        variables = budget.describe(known, budget_tokens=VARIABLES_BUDGET, prompt=prompt.text)
        mentioned = describe(prompt, self.shell.namespace, folder=working_folder())
        secrets = held_in(self.shell.namespace)
        sources = [cell.source for cell in prompt.cells if cell.cell_type == "code"]
        return Surroundings(
            variables=variables,
            versions=versions(self.shell.namespace, prompt=prompt.text, sources=sources, known=KNOWN),
            rules="" if prompt.proposes else rules_for(self.folder),
            skill=skill_for(prompt.text, self.folder),
            files=preview_files(prompt.text, folder=working_folder(), anywhere=True),
            last_error=known.last_error,
            mentioned=mentioned,
            images=self._images(prompt.text, prompt.images),
            secrets=secrets,
            tables=tables(self.shell.namespace) if prompt.follows is not None else {},
            checkpoints=self.checkpoints.cells,
            refined=self._refined(prompt) if prompt.intent == "refactor" else {},
        )

    def _waiting_trials(self) -> Iterable[TrialResult]:
        """The last Try of each proposal that waits."""
        waiting = {proposal.cell_id for proposal in self.view.pending()}
        return (trial for cell_id, trial in self.view.trials.items() if cell_id in waiting)

    def _images(self, text: str, brought: Sequence[Image]) -> tuple[Image, ...]:
        from spark_jupyter.ui.image_lookup import images

        return images(text, brought, folder=working_folder(), figure=self.last_figure)

    def _refined(self, prompt: Prompt) -> dict[str, tuple[str, str]]:
        found = {cell.id: self.engine.refined(cell.id, cell.source) for cell in prompt.cells}
        return {cell_id: one for cell_id, one in found.items() if one is not None}

    def _project_rules(self) -> ProjectRules:
        from spark_jupyter.ui.rule_files import project_rules

        return project_rules(self.folder)

    def _mentions(self, prefix: str) -> list[str]:
        from spark_jupyter.ui.mention_lookup import completions

        return completions(prefix, self.shell.namespace, folder=working_folder())

    def _ideas(self) -> tuple[str, ...]:
        from spark_jupyter.prompting import kernel_context
        from spark_jupyter.prompting.prompt_suggestions import ideas

        files = sorted(file.name for file in working_folder().glob("*.csv"))
        return ideas(kernel_context.gather(self.shell.namespace).variables, files[:3])

    def _reality_watch(self, unrun: Sequence[str], earlier: Sequence[str]) -> Watch:
        """In the stream nothing is waited for: what the helper process says too late comes with the inspection."""
        from spark_jupyter.reality import Checker

        return Checker(self.shell.namespace, unrun=unrun, earlier=earlier, patience=0.0, patience_at_end=0.0)

    async def _inspect(self, action: InspectCell) -> list[Finding]:
        """The slower checks, in a thread."""
        return await asyncio.to_thread(self._second_opinion, action)

    def _second_opinion(self, action: InspectCell) -> list[Finding]:
        from spark_jupyter.review.linters import second_opinion

        opinion = second_opinion(action.source, findings=action.findings, earlier=(*action.before, *action.earlier))
        self.silent_tools.update(opinion.silent)
        found = list(opinion.findings)
        if self._reality:
            from spark_jupyter.reality import check

            source = action.source.rpartition("\n")[0] if action.unfinished else action.source
            found += check(source, self.shell.namespace, earlier=action.earlier, unrun=action.unrun)
        return found
