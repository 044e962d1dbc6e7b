"""Requests of deep work: plan, step, repeated step."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from msgspec import structs

from spark_jupyter.prompting import corrections, plan_prompts, request_text
from spark_jupyter.prompting.conversation import Answer, Conversation
from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.deep_messages import DeepGear, DeepStep, DeepWork
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import Image, NotebookCell
from spark_jupyter.providers.base import ModelRequest, Overnight
from spark_jupyter.session.answer_writer import AnswerWriter
from spark_jupyter.session.deep.budget_use import next_window
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.step_attempt import StepAttempt
from spark_jupyter.session.generation import Assignment, Generation
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.jobs import Job, Receiver
from spark_jupyter.session.proposal_store import ProposalStore
from spark_jupyter.session.shared_state import SharedState
from spark_jupyter.session.turn_meter import TurnMeter


class DeepRequests:
    """Makes the requests of one work.

    ``fast_model`` writes independent steps in parallel. ``handed`` describes a fast answer that the work takes over. All cost goes on
    the ``meter``."""

    def __init__(
        self,
        shared: SharedState,
        gear: DeepGear,
        *,
        fast_model: str,
        surroundings: Surroundings,
        handed: str,
        images: Sequence[Image],
        meter: TurnMeter,
    ) -> None:
        self.surroundings = surroundings
        self.images = tuple(images)
        """The images that the user brought, last with an instruction."""
        self.instructions: list[str] = []
        """The user's instructions since it began."""
        self._shared = shared
        self._gear = gear
        self._fast_model = fast_model
        self._handed = handed
        self._meter = meter
        self._count = 0

    def conversation(self, work: DeepWork, cells: Sequence[NotebookCell]) -> Conversation:
        return self._begin(prompt_of(work, cells))

    def plan(self, work: DeepWork, cells: Sequence[NotebookCell], *, receiver: Receiver, at: float) -> Job:
        conversation = self._with_instructions(self.conversation(work, cells))
        task = "\n\n".join(filter(None, [conversation.question.request, self._handed]))
        question = structs.replace(conversation.question, request=task, intent=plan_prompts.INTENT, checks=work.checks)
        request = ModelRequest(
            model=self._gear.model,
            instructions=INSTRUCTIONS,
            input=request_text.messages(structs.replace(conversation, question=question)),
            effort=self._gear.effort or None,
        )
        owner = self.owner(work, -1)
        return self._shared.jobs.begin(request, owner=owner, receiver=receiver, meter=self._meter, at=at)

    def first_attempt(
        self, work: DeepWork, steps: Sequence[DeepStep], index: int, notebook: DraftNotebook, *, fast: bool
    ) -> StepAttempt:
        """The first attempt at a step, on top of ``notebook``. No request is sent yet."""
        owner, store, shared = self.owner(work, index, steps[index].text, fast=fast), ProposalStore(), self._shared
        prompt = Prompt(turn_id=owner.turn_id, text=steps[index].text, target=notebook.target, cells=notebook.cells)
        conversation = self._begin(prompt)
        task = "\n".join(filter(None, [work.prompt, self._handed]))
        plan = plan_prompts.plan_text(task, [step.text for step in steps])
        question = structs.replace(conversation.question, plan=shared.dialogue.hide(plan, where="the prompt"))
        assignment = Assignment(
            prompt=prompt,
            conversation=self._with_instructions(structs.replace(conversation, question=question)),
            owner=owner,
            model=self._fast_model if fast else self._gear.model,
            effort=None if fast else self._gear.effort or None,
        )
        generation = Generation(assignment, AnswerWriter(prompt, shared, store), self._meter, shared)
        return StepAttempt(owner, generation, store)

    def next_round(self, attempt: StepAttempt, work: DeepWork) -> None:
        """Prepare an attempt that did not pass, or surprised, for another round by the deep model. No request is sent yet."""
        attempt.owner = self.owner(work, attempt.owner.step, attempt.feedback)
        instruction = (
            corrections.failure(attempt.feedback) if attempt.reason else corrections.surprise(attempt.feedback)
        )
        attempt.generation = attempt.generation.successor(instruction, owner=attempt.owner, meter=self._meter)
        attempt.generation.use_model(self._gear.model, effort=self._gear.effort or None)
        attempt.is_handled, attempt.results = False, ()

    def owner(self, work: DeepWork, step: int, text: str = "", *, fast: bool = False) -> DeepOwner:
        """A new owner for a request or trial of a step. Of an overnight work the same ``text`` asks for the same answer, in another kernel
        too."""
        self._count += 1
        window, overnight = next_window(work.within, work.elapsed), None
        if window and not fast:
            asked = "\n".join((work.id, str(step), text, *self.instructions))
            overnight = Overnight(window=window, work_id=work.id, key=sha256(asked.encode()).hexdigest()[:32])
        return DeepOwner(work.id, f"{work.id}-s{step + 1}", step, self._count, fast, overnight)

    def _begin(self, prompt: Prompt) -> Conversation:
        return self._shared.dialogue.begin(structs.replace(prompt, images=self.images), self.surroundings)

    def _with_instructions(self, conversation: Conversation) -> Conversation:
        """The conversation with the user's instructions."""
        for text in self.instructions:
            conversation = self._shared.dialogue.redirect(conversation, answer=Answer(), instruction=text)
        return conversation


def prompt_of(work: DeepWork, cells: Sequence[NotebookCell]) -> Prompt:
    """The whole task as a prompt."""
    return Prompt(turn_id=work.id, text=work.prompt, target=work.target, cells=tuple(cells))
