"""Answers to the questions of agents, without credentials.

What a copy of the kernel printed may hold a credential in any disguise. So where one is known, an agent is told our own words about a
trial, and its output only while a person's grant is in force.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import structs

from spark_jupyter.engine.broadcast import Broadcast, Subscriber
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.engine.loop_thread import FAULTS, LoopThread
from spark_jupyter.exceptions import SessionError, SparkError
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.agent_messages import Inquire, Inquired
from spark_jupyter.protocol.constants import PICTURES
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Effect, Finding, NotebookCell, Output
from spark_jupyter.redaction.namespace_secrets import held_in
from spark_jupyter.session.actions import TryProposal
from spark_jupyter.session.session import Session

WITHHELD = "Its output is withheld, because the kernel knows a credential. A person who grants runs lets it be shown."
MOST_OPEN = 100
"""Questions that may wait for their answers."""
MOST_TRIALS = 4
"""Copies of the kernel at a time."""
_LONGEST = 4_000
"""Characters of a signature and a docstring."""

Hide = Callable[[str], str]
Result = TypeVar("Result")


class Inquiries:
    """Answers one engine's agents. Only used on the engine's loop."""

    def __init__(self, session: Session, kernel: Kernel, thread: LoopThread, broadcast: Broadcast) -> None:
        self._session = session
        self._kernel = kernel
        self._thread = thread
        self._broadcast = broadcast
        self._open = 0
        self._trials = asyncio.Semaphore(MOST_TRIALS)

    def receive(self, subscriber: Subscriber, command: Inquire) -> None:
        if self._open >= MOST_OPEN:
            problem = "Too many questions wait for an answer. Ask again when some are answered."
            self._broadcast.answer(subscriber, Inquired(request_id=command.request_id, problem=problem))
            return
        self._open += 1
        self._thread.spawn(self._tell(subscriber, command))

    async def _tell(self, subscriber: Subscriber, command: Inquire) -> None:
        try:
            answer = await self._find(command)
        except SparkError as error:
            answer = Inquired(request_id=command.request_id, problem=str(error))
        except FAULTS as error:  # a fault of ours: said, and nobody waits for ever
            problem = f"spark_jupyter itself failed ({type(error).__name__}). Please report it."
            answer = Inquired(request_id=command.request_id, problem=problem)
        finally:
            self._open -= 1
        self._broadcast.answer(subscriber, answer)

    async def _find(self, command: Inquire) -> Inquired:
        answer = Inquired(request_id=command.request_id, live=command.live)
        if command.question == "check":  # needs nothing that is read of the kernel for the others, which takes a while
            return structs.replace(answer, findings=self._told_findings(await self._findings(command)))
        around = self._kernel.surroundings(Prompt(turn_id="inquiry", text=""))
        match command.question:
            case "cells" | "outputs":
                cells = self._hidden(around, lambda hide: tuple(_cell(cell, hide) for cell in command.cells))
                return structs.replace(answer, cells=cells, withheld=self._withheld(command.agent))
            case "variables":
                return structs.replace(answer, text=self._hidden(around, lambda hide: hide(around.variables)))
            case "inspect":
                text = described(command.text, self._kernel.namespace())
                return structs.replace(answer, text=self._hidden(around, lambda hide: hide(text)))
            case "try":
                return await self._try(command, answer, around)
            case "result":
                draft = self._session.store.draft(command.text)
                if draft is None or draft.trial is None:
                    return answer
                return self._told(answer, draft.trial, command.agent, around)

    def _hidden(self, around: Surroundings, make: Callable[[Hide], Result]) -> Result:
        """Made with a function that takes the credentials out of a text; made twice, as one text may give a credential of another away."""
        redactor = self._session.dialogue.redactor
        with redactor.at_once(around.secrets):
            make(redactor.withhold)
            return make(redactor.withhold)

    async def _findings(self, command: Inquire) -> tuple[Finding, ...]:
        draft, inspect_cell = self._session.judged(command.text, command.cells, request_id=command.request_id)
        if inspect_cell is not None and self._kernel.checks.inspect is not None:
            draft.add_findings(await self._kernel.checks.inspect(inspect_cell))
        return draft.grouped_findings

    def _told_findings(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """They name keys, columns and files of the kernel, which may be credentials."""
        redactor = self._session.dialogue.redactor
        with redactor.at_once(held_in(self._kernel.namespace())):
            return tuple(_finding(finding, redactor.withhold) for finding in findings)

    async def _try(self, command: Inquire, answer: Inquired, around: Surroundings) -> Inquired:
        findings = await self._findings(command)
        answer = structs.replace(answer, findings=self._told_findings(findings))
        if any(finding.blocks for finding in findings):
            return structs.replace(answer, problem="Not tried, because a finding blocks it.")
        checks = self._kernel.checks
        if checks.try_proposal is None or checks.try_unavailable:
            raise SessionError(checks.try_unavailable or "There is no kernel to try it in.")
        self._hidden(around, lambda hide: hide(""))
        action = TryProposal(
            turn_id="inquiry",
            cell_id=command.request_id,
            source=self._session.dialogue.cover(command.text),
            source_hash=content_hash(command.text),
            allow=(),
        )
        async with self._trials:
            result = await checks.try_proposal(action)
        return self._told(answer, result, command.agent, around)

    def _told(self, answer: Inquired, result: TrialResult, agent: str, around: Surroundings) -> Inquired:
        """With a trial as the agent may know it."""
        shown = self._hidden(around, lambda hide: _with_texts(result, hide))
        withheld = self._withheld(agent)
        return structs.replace(answer, trial=_in_our_words(shown) if withheld else shown, withheld=withheld)

    def _withheld(self, agent: str) -> str:
        """The reason why an agent is not shown the output or the figures of a copy; empty where it is shown them."""
        granted = self._session.consent.granted(agent, at=self._thread.clock())
        return WITHHELD if self._session.dialogue.redactor.knows_secrets and not granted else ""


def described(path: str, namespace: Mapping[str, object]) -> str:
    """A value, a column of a table, or a function with its signature and docstring. None of the user's code is run for it.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where the kernel has no such name."""
    from spark_jupyter.prompting import value_details  # off the path of %load_ext
    from spark_jupyter.reality import name_descriptions

    name, _, rest = path.partition(".")
    if name not in namespace or name.startswith("_"):
        raise SessionError(f"The kernel has no {name}.", remedy="Ask for the variables to see what it has.")
    value = namespace[name]
    if rest and not name_descriptions.is_described(value):
        text = value_details.describe(name, value, label=rest)
        if text is None:
            raise SessionError(f"{name} has no column {rest!r}.", remedy=f"Inspect {name} to see its columns.")
        return text
    if rest and (value := name_descriptions.within(value, rest)) is None:
        raise SessionError(f"{path} does not exist.")
    if name_descriptions.is_described(value):
        return name_descriptions.described(path, value)[:_LONGEST].strip()
    return value_details.describe(path, value) or path


def _finding(finding: Finding, hide: Hide) -> Finding:
    hidden = {name: hide(getattr(finding, name)) for name in ("message", "remedy", "raised", "wrong", "meant")}
    return structs.replace(finding, **hidden)


def _cell(cell: NotebookCell, hide: Hide) -> NotebookCell:
    return structs.replace(cell, source=hide(cell.source), outputs=hide(cell.outputs), error=hide(cell.error))


def _with_texts(result: TrialResult, hide: Hide) -> TrialResult:
    """The result with every text of it hidden, and no HTML."""
    proof = result.proof
    if proof is not None:
        differences = tuple(structs.replace(one, detail=hide(one.detail)) for one in proof.differences)
        proof = structs.replace(proof, differences=differences, summary=hide(proof.summary))
    return structs.replace(
        result,
        outputs=tuple(_output(output, hide) for output in result.outputs),
        effects=tuple(_effect(effect, hide) for effect in result.effects),
        error=hide(result.error),
        summary=hide(result.summary),
        decisive=hide(result.decisive),
        surprises=tuple(structs.replace(one, message=hide(one.message)) for one in result.surprises),
        proof=proof,
    )


def _output(output: Output, hide: Hide) -> Output:
    data = {
        kind: value if kind in PICTURES else hide(value)
        for kind, value in output.data.items()
        if kind in (*PICTURES, "text/plain")
    }
    return structs.replace(output, text=hide(output.text), data=data)


def _effect(effect: Effect, hide: Hide) -> Effect:
    return structs.replace(
        effect, name=hide(effect.name), before=hide(effect.before), after=hide(effect.after), detail=hide(effect.detail)
    )


def _in_our_words(result: TrialResult) -> TrialResult:
    """The result without anything that the code could have put into words: that it failed, and the rules of its surprises."""
    proof = result.proof
    if proof is not None:
        proof = structs.replace(proof, differences=(), unclear=(), summary="")
    return structs.replace(
        result,
        outputs=(),
        effects=(),
        error="it failed" if result.error else "",
        not_tried="a limit of the copy ended it" if result.not_tried else "",
        summary="",
        decisive="",
        surprises=tuple(structs.replace(one, message=one.rule, remedy="") for one in result.surprises),
        proof=proof,
    )
