"""Dispatcher of commands: order, owner of each, objections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

from msgspec import structs

from spark_jupyter.author_rules import AuthorRules
from spark_jupyter.engine.action_runner import ActionRunner
from spark_jupyter.engine.background_work import BackgroundWork
from spark_jupyter.engine.broadcast import Broadcast
from spark_jupyter.engine.configuration import Configuration
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.engine.loop_thread import LoopThread
from spark_jupyter.engine.provider_choice import Choice
from spark_jupyter.exceptions import SessionError, SparkError, limit_reached
from spark_jupyter.policy import Policy
from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.prompting.skill_text import called_skill
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, Inquire
from spark_jupyter.protocol.constants import MOST_IMAGES, WHY
from spark_jupyter.protocol.conversation_messages import ConversationCommand
from spark_jupyter.protocol.deep_messages import BeginDeep, ChooseDeep, DirectDeep, SteerDeep
from spark_jupyter.protocol.draft_messages import SwitchDrafts
from spark_jupyter.protocol.messages import (
    Attach,
    Cancel,
    Command,
    Event,
    Problem,
    Prompt,
    Restore,
    Steer,
    Warm,
)
from spark_jupyter.protocol.proposal_messages import Revert, Run
from spark_jupyter.protocol.provider_messages import Configure, Models, SelectModel
from spark_jupyter.protocol.review_messages import BeginReview, CancelReview
from spark_jupyter.protocol.trial_messages import CancelTry
from spark_jupyter.protocol.values import Attempts, PromptPolicy
from spark_jupyter.records.prompt_log import Allowance
from spark_jupyter.routing.routing import DEEP_COMMANDS, Routing
from spark_jupyter.session.check_explanation import Explanation, explain, plan
from spark_jupyter.session.job_owners import TurnOwner
from spark_jupyter.session.session import Session
from spark_jupyter.session.unrun_cells import with_true_counts


class CommandDispatcher:
    """Takes commands in, in the order of their submission; a Run comes behind the inspection of its cell, a prompt behind the choice of
    who answers, a Cancel behind the end of its requests. Only used on the engine's loop."""

    def __init__(
        self,
        input_: SessionInput,
        actions: ActionRunner,
        configuration: Configuration,
        background: BackgroundWork,
        thread: LoopThread,
        broadcast: Broadcast,
    ) -> None:
        self._input = input_
        self._actions = actions
        self._configuration = configuration
        self._background = background
        self._thread = thread
        self._broadcast = broadcast
        self._before: asyncio.Task[Any] | None = None
        """The last Cancel, or the last command after it: the next command waits for that."""
        self.switch_drafts: Callable[[SwitchDrafts], object]

    def begin(self, command: Command) -> None:
        """Take a command in that nobody waits for: an objection is an event, which names the person whose command it was."""
        awaited = self._awaited(command)
        if not (awaited or asks_why(command) or isinstance(command, Cancel)):
            self._take_or_report(command)
            return
        task = self._thread.spawn(self._take_later(command, awaited))
        if isinstance(command, Cancel) or (awaited == {self._before} and not asks_why(command)):
            self._before = task  # else what comes as a Cancel ends could overtake what has waited for that

    async def wait(self, command: Command) -> None:
        """Take in a command for a caller that waits for it, and raise its errors there."""
        awaited = self._awaited(command)
        if isinstance(command, Cancel):
            self._before = asyncio.current_task()
        await self._prepare(command, awaited)
        self._take(command)

    async def _take_later(self, command: Command, awaited: set[asyncio.Future[Any]]) -> None:
        with self._reporting(command):
            await self._prepare(command, awaited)
            self._take(command)

    def _awaited(self, command: Command) -> set[asyncio.Future[Any]]:
        """What a command comes behind."""
        choice = self._configuration.choices.choosing if isinstance(command, Prompt | BeginDeep) else None
        behind = (self._actions.inspections.before(command), choice, self._before)
        return {one for one in behind if one is not None and not one.done()}

    async def _prepare(self, command: Command, awaited: set[asyncio.Future[Any]]) -> None:
        if awaited:
            await asyncio.wait(awaited)
        if isinstance(command, Cancel):
            with self._reporting(command):  # whatever happens there, the turn ends
                await self._actions.stop(command.turn_id)
        if asks_why(command):
            await self._input.run_checks(command)

    def _take_or_report(self, command: Command) -> None:
        with self._reporting(command):
            self._take(command)

    @contextmanager
    def _reporting(self, command: Command) -> Iterator[None]:
        turn_id = getattr(command, "turn_id", None) or getattr(command, "request_id", None)
        try:
            yield
        except SparkError as error:
            self._send(Problem.of(error, turn_id=turn_id, by=getattr(command, "by", None)))
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except (
            BaseException
        ) as error:  # a fault, also an object's that is read, must not leave the client without an answer
            self._thread.report("A command failed in spark_jupyter", error)
            message = f"spark_jupyter itself failed ({type(error).__name__}) on {type(command).__name__}."
            fault = Problem(code="fault", message=message, remedy="Please report it.", turn_id=turn_id)
            limit = limit_reached(error)
            self._send(fault if limit is None else Problem.of(limit, turn_id=turn_id))

    def _take(self, command: Command) -> None:
        """Give a command to its owner. Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit."""
        self._background.postpone_refinement()
        refuse(command, self._input.site_policy)
        match command:
            case Warm():
                self._actions.prewarming.begin()
            case CancelTry(cell_id=cell_id):
                self._actions.tries.cancel([cell_id, *map(TurnOwner, self._input.turns_of(cell_id))])
                self._input.end_rehearsal_of(cell_id)
            case BeginReview() | CancelReview():
                self._background.review(command)
            case SwitchDrafts():
                self.switch_drafts(command)
            case _ if isinstance(command, Choice):
                self._configuration.choices.receive(command)
            case _ if isinstance(command, ConversationCommand):
                self._configuration.records.conversations.receive_command(command, at=self._thread.clock())
            case Configure():
                self._configuration.apply_settings(command)
            case _:
                self._input.give(command)
        if isinstance(command, Cancel):
            self._cancel_tries(command.turn_id)
        if isinstance(command, SelectModel):
            self._input.routing.choose_mode(command.mode)
            self._send(Models(models=(), selected=command.model, serving=self._input.routing.serving()))
        self._actions.drain()

    def _cancel_tries(self, turn_id: str | None) -> None:
        if turn_id is None:
            self._actions.tries.cancel_all()
        else:
            self._actions.tries.cancel([*self._input.cells_of(turn_id), TurnOwner(turn_id)])

    def _send(self, event: Event) -> None:
        self._broadcast.send([event])


class SessionInput:
    """Gives the session its commands, with what the kernel holds at that moment where the session is to know it."""

    def __init__(
        self,
        session: Session,
        routing: Routing,
        kernel: Kernel,
        configuration: Configuration,
        thread: LoopThread,
        site_policy: Policy,
    ) -> None:
        self.routing = routing
        self._session = session
        self._kernel = kernel
        self._configuration = configuration
        self._thread = thread
        self._prompts = configuration.records.prompts
        self._explained: dict[str, Explanation] = {}
        self.draft_of: Callable[[Prompt], tuple[str, Answer]] = no_draft
        """The model and the text of the draft that a prompt takes; raises where it is gone."""
        self.restrict(AuthorRules(), site_policy)

    def restrict(self, rules: AuthorRules, policy: Policy) -> None:
        """Hold prompts to what the author of the notebook allows, and everything to ``policy``."""
        self.policy = "hints" if policy.hints_only and rules.prompts == "on" else rules.prompts
        self._session.most_hints = min((rules.hints, *(file.rules.hints for file in policy.files)))
        self.site_policy = policy
        self.routing.hold(policy)
        if self._prompts is not None:
            limits = [limit for limit in (rules.prompt_limit, policy.prompt_limit) if limit is not None]
            self._prompts.allowance = Allowance(
                lesson=rules.lesson,
                notebook=rules.notebook,
                limit=min(limits, default=None),
                reader=policy.prompt_reader,
            )

    async def run_checks(self, command: Prompt) -> None:
        """Run the checks that a prompt is about in a copy of the kernel, before :meth:`give` has the session take it in.

        Raises a :class:`~spark_jupyter.exceptions.SparkError` where prompts are not allowed, or nothing can be checked."""
        refuse(command, self.site_policy)
        if self._prompts is not None:
            self._prompts.refuse(command)
        prompt = restricted(command, self.policy)
        checks = self._kernel.checks
        if not isinstance(prompt, Prompt) or prompt.intent != "hints":
            return
        if checks.try_answer is None or checks.no_try:
            raise SessionError(f"Checks are run in a copy of the kernel. {checks.no_try}")
        planned = plan(prompt.cells, prompt.active or prompt.target.edit or prompt.target.after)
        trial = await checks.try_answer(planned.trial(prompt.turn_id, prompt.cells))
        self._explained[prompt.turn_id] = explain(planned, trial)

    def give(self, command: Command) -> None:
        """Have the session take a command in. Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit."""
        command = restricted(command, self.policy)
        if self._prompts is not None:
            self._prompts.refuse(command)
        self._configuration.refuse_over_limit(costs=self.routing.costs(command), by=getattr(command, "by", None))
        checks = self._kernel.checks
        if isinstance(command, Prompt) and command.attempts.races and (reason := checks.no_attempts(command.attempts)):
            raise SessionError(
                f"Attempts are judged by trying them. {reason}", remedy="Prompt without attempts and checks."
            )
        prompt = self.routing.deep.prepare(command) if isinstance(command, DEEP_COMMANDS) else command
        if isinstance(prompt, Prompt) and prompt.proposes:  # what an agent says names no file for anybody to read
            prompt = structs.replace(prompt, text="", active=None)
        surroundings = self._kernel.surroundings(_with_other(prompt)) if isinstance(prompt, Prompt) else None
        if isinstance(command, Prompt) and surroundings is not None and command.takes:
            self.admit_drafts()
            model, drafted = self.draft_of(command)
            command, surroundings = (
                structs.replace(command, model=model),
                structs.replace(surroundings, drafted=drafted),
            )
        known = self._explained.pop(command.turn_id, None) if isinstance(command, Prompt) else None
        if surroundings is not None and known is not None:
            surroundings = structs.replace(surroundings, explained=known.text, tried=known.told)
        if surroundings is not None and not self._configuration.rules_on:
            surroundings = structs.replace(surroundings, rules="")
        self._configuration.copies.allow(self._session)
        if isinstance(command, Restore):
            command = self._configuration.records.conversations.with_kept(command)
        if isinstance(command, Steer | SteerDeep):
            found = self._kernel.images(command.text, command.images)
            command = structs.replace(command, images=(*command.images, *found)[:MOST_IMAGES])
            if called_skill(command.text):
                around = self._kernel.surroundings(Prompt(turn_id="steer", text=command.text))
                surroundings = Surroundings(skill=around.skill)
        if isinstance(command, Prompt | Restore | BeginDeep | DirectDeep) and command.cells:
            command = structs.replace(command, cells=with_true_counts(command.cells, self._kernel.namespace()))
        self._session.receive_command(command, at=self._thread.clock(), surroundings=surroundings)
        if self._prompts is not None:
            self._prompts.add(command)

    def admit_drafts(self) -> None:
        """Raise a :class:`~spark_jupyter.exceptions.SparkError` where prompts or suggestions are not allowed, or prompts are counted or
        logged: a draft is asked for by no prompt."""
        refuse(Prompt(turn_id="draft", text=""), self.site_policy)
        self.site_policy.refuse("suggestions")
        allowed = self._prompts.allowance if self._prompts is not None else None
        counted = allowed is not None and (allowed.limit is not None or bool(allowed.reader))
        if counted or self.policy != "on":
            raise SessionError("The author of this notebook allows no drafts.", remedy="Ask with a prompt.")

    def end_rehearsal_of(self, cell_id: str) -> None:
        """Have the session end the copy that still runs a cell."""
        self._session.end_rehearsal_of(cell_id, at=self._thread.clock())

    def turns_of(self, cell_id: str) -> list[str]:
        """The turn whose proposal a cell has; none where it has no proposal."""
        draft = self._session.store.draft(cell_id)
        return [draft.turn_id] if draft is not None else []

    def cells_of(self, turn_id: str) -> list[str]:
        return [draft.cell_id for draft in self._session.store.of_turn(turn_id)]


def no_draft(prompt: Prompt) -> tuple[str, Answer]:
    """Raise :class:`~spark_jupyter.exceptions.SessionError`: the draft is not there, or not any more."""
    raise SessionError("That draft is gone.", remedy="Go on typing: another one comes.")


def refuse(command: Command, policy: Policy) -> None:
    """Raise :class:`~spark_jupyter.exceptions.PolicyError` for a command that administrators do not allow. Providers, images and budgets
    are refused where requests are sent (:mod:`spark_jupyter.routing`)."""
    _refuse_prompts(command, policy)
    match command:
        case AskRun() | Inquire():
            policy.refuse("agents")
        case Attach(agent=agent) | Prompt(agent=agent) | Revert(agent=agent) if agent:
            policy.refuse("agents")
        case Prompt(proposes=proposes) if proposes:
            policy.refuse("agents")
        case Run(unasked=True):
            policy.refuse("auto_run")
        case AnswerRun(allowed=True, minutes=minutes) if minutes:
            policy.refuse("auto_run")
        case SelectModel(model=model) if model:
            policy.refuse_model(model)
        case Prompt(model=model, attempts=attempts):
            for name in filter(None, (model, *attempts.models)):
                policy.refuse_model(name)
        case ChooseDeep(model=model) if model:
            policy.refuse_model(model)
        case _:
            pass


def _refuse_prompts(command: Command, policy: Policy) -> None:
    if isinstance(command, Prompt | Steer | BeginDeep | SteerDeep) and (refusal := policy.prompts_refusal) is not None:
        raise refusal
    if isinstance(command, BeginDeep | SteerDeep):
        policy.refuse("deep")
    if isinstance(command, Prompt) and command.attempts.races:
        policy.refuse("attempts")


def _with_other(prompt: Prompt) -> Prompt:
    """The prompt with the words of the one that it is compared with: both answers are to know what either points at."""
    other = prompt.attempts.other
    return structs.replace(prompt, text=f"{prompt.text}\n{other}") if other else prompt


def asks_why(command: Command) -> TypeGuard[Prompt]:
    """True for the prompt that has checks run and explained, where it is one for a hint."""
    return isinstance(command, Prompt) and command.text.strip() == WHY and not command.proposes


def restricted(command: Command, policy: PromptPolicy) -> Command:
    """The command as far as the author of the notebook allows it. Raises :class:`~spark_jupyter.exceptions.SessionError` where it is
    forbidden."""
    if policy == "on" or not isinstance(command, Prompt | Steer | BeginDeep | SteerDeep):
        return command
    if policy == "hints" and isinstance(command, Prompt) and not command.proposes:
        return structs.replace(command, intent="hints", attempts=Attempts())
    if policy == "hints" and isinstance(command, Steer):
        return command
    raise SessionError(
        "The author of this notebook wants you to write the code yourself.",
        remedy="Ask for a hint with a prompt."
        if policy == "hints"
        else "Prompts are off here; checks, Try and Undo still work.",
    )
