"""What the models of a deep work are asked: for the plan, for each step, for a step once more. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.prompting import corrections, plan_prompts, request_text
from spark_jupyter.prompting.conversation import Answer, Conversation
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.deep_messages import DeepGear, DeepStep, DeepWork
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.session.answer_writer import AnswerWriter
from spark_jupyter.session.deep.draft_notebook import DraftNotebook
from spark_jupyter.session.deep.step_attempt import StepAttempt
from spark_jupyter.session.generation import Generation
from spark_jupyter.session.job_owners import DeepOwner
from spark_jupyter.session.jobs import Job, Receiver
from spark_jupyter.session.live_turn import SharedState
from spark_jupyter.session.proposal_store import ProposalStore
from spark_jupyter.session.turn_meter import TurnMeter


class DeepRequests:
    """Asks for one work. ``account`` is what all of it is put on; ``fast_model`` writes steps beside each other; ``handed`` is what is told
    of a fast answer that the work takes on."""

    def __init__(
        self,
        shared: SharedState,
        gear: DeepGear,
        *,
        fast_model: str,
        surroundings: Surroundings,
        handed: str,
        account: TurnMeter,
    ) -> None:
        self.surroundings = surroundings
        self.said: list[str] = []
        """What a person has said since it began."""
        self._shared = shared
        self._gear = gear
        self._fast_model = fast_model
        self._handed = handed
        self._account = account
        self._count = 0

    def conversation(self, work: DeepWork, cells: Sequence[NotebookCell]) -> Conversation:
        """What is said of the whole task."""
        return self._shared.dialogue.begin(prompt_of(work, cells), self.surroundings)

    def plan(self, work: DeepWork, cells: Sequence[NotebookCell], *, receiver: Receiver, at: float) -> Job:
        """Ask for a plan."""
        conversation = self._with_words(self.conversation(work, cells))
        asked = "\n\n".join(filter(None, [conversation.question.request, self._handed]))
        question = structs.replace(conversation.question, request=asked, intent=plan_prompts.INTENT, checks=work.checks)
        request = ModelRequest(
            model=self._gear.model,
            instructions=plan_prompts.INSTRUCTIONS,
            input=request_text.messages(structs.replace(conversation, question=question)),
            effort=self._gear.effort or None,
        )
        owner = self.owner(work.id, -1)
        return self._shared.jobs.begin(request, owner=owner, receiver=receiver, account=self._account, at=at)

    def lane(
        self, work: DeepWork, steps: Sequence[DeepStep], index: int, bench: DraftNotebook, *, fast: bool
    ) -> StepAttempt:
        """A step is to be written, on top of what stands on the bench. Nothing is asked yet."""
        owner, store, shared = self.owner(work.id, index, fast=fast), ProposalStore(), self._shared
        prompt = Prompt(turn_id=owner.turn_id, text=steps[index].text, target=bench.target, cells=bench.cells)
        conversation = shared.dialogue.begin(prompt, self.surroundings)
        task = "\n".join(filter(None, [work.prompt, self._handed]))
        plan = plan_prompts.plan_text(task, [step.text for step in steps], index)
        question = structs.replace(conversation.question, plan=shared.dialogue.hide(plan, where="the prompt"))
        answering = Generation(
            prompt,
            self._with_words(structs.replace(conversation, question=question)),
            AnswerWriter.begin(prompt, guard=shared.guard, store=store, restore=shared.dialogue.restore_known),
            owner=owner,
            account=self._account,
            jobs=shared.jobs,
            dialogue=shared.dialogue,
            model=self._fast_model if fast else self._gear.model,
            effort=None if fast else self._gear.effort or None,
        )
        return StepAttempt(owner, answering, store)

    def again(self, lane: StepAttempt, work_id: str) -> None:
        """A step that did not pass, or surprised, is told why. What the fast model did not manage is the deep one's. Nothing is
        asked yet."""
        lane.owner = self.owner(work_id, lane.owner.step)
        instruction = corrections.failure(lane.told) if lane.reason else corrections.surprise(lane.told)
        lane.answering = lane.answering.successor(instruction, owner=lane.owner, account=self._account)
        lane.answering.model, lane.answering.effort = self._gear.model, self._gear.effort or None
        lane.seen, lane.results = False, ()

    def owner(self, work_id: str, step: int, *, fast: bool = False) -> DeepOwner:
        """Who a job or a Try belongs to."""
        self._count += 1
        return DeepOwner(work_id, f"{work_id}-s{step + 1}", step, self._count, fast)

    def _with_words(self, conversation: Conversation) -> Conversation:
        """What a person has said since goes along."""
        for text in self.said:
            conversation = self._shared.dialogue.redirect(conversation, answer=Answer(), instruction=text)
        return conversation


def prompt_of(work: DeepWork, cells: Sequence[NotebookCell]) -> Prompt:
    """The whole task, as a prompt."""
    return Prompt(turn_id=work.id, text=work.prompt, target=work.target, cells=tuple(cells))
