"""Consent of a person to the runs that agents ask for.

A run is agreed to by ``AnswerRun`` or by any usual way of running its cell. A grant covers only proposals that nothing speaks against, and
that a copy has run; the rest is asked for each time.
"""

from __future__ import annotations

from collections.abc import Callable

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import (
    AnswerRun,
    AskRun,
    ConsentChanged,
    PermissionWanted,
    RevokeGrants,
    RunAsked,
    RunGrant,
)
from spark_jupyter.protocol.messages import Event
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Accept, CellEdited, Reject, Revert, Run
from spark_jupyter.providers.base import PermissionAsked
from spark_jupyter.session.actions import AnswerPermission
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.proposal_store import ProposalStore

CHANGED = "The proposal has changed since, so it was not run."
MOST_ASKED = 20
"""Runs that may wait for an answer."""
MOST_REFUSED, REFUSED_WITHIN = 3, 60.0
"""Refusals in so many seconds after which an agent has to wait as long, so that nobody agrees to be left in peace."""


class RunConsent:
    """The runs that agents wait for, and the grants. ``keep`` as in :meth:`ProposalStore.receive_command`."""

    def __init__(self, store: ProposalStore, *, keep: Callable[[str], str]) -> None:
        self._store = store
        self._keep = keep
        self._asked: dict[str, RunAsked] = {}
        self._grants: dict[str, RunGrant] = {}
        self._refused: dict[str, list[float]] = {}
        """The times of an agent's last refusals."""
        self._permissions: dict[str, tuple[int, PermissionWanted]] = {}
        """Each with the job of the agent that waits for it."""

    @property
    def value(self) -> ConsentChanged | None:
        """The state, for a client that attaches; None where there is none."""
        return self._changed() if self._asked or self._grants or self._permissions else None

    def granted(self, agent: str, *, at: float) -> bool:
        return agent in self._grants and self._grants[agent].until > at

    def receive_command(self, command: AskRun | AnswerRun | RevokeGrants, *, at: float) -> list[Event]:
        """Handle a command. Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit."""
        match command:
            case AskRun():
                return self._ask(command, at)
            case AnswerRun():
                return self._answer(command, at)
            case RevokeGrants():
                self._grants.clear()
                return [self._changed()]

    def want(self, asked: PermissionAsked, job_id: int, turn_id: str) -> list[Event]:
        """An agent that answers a turn waits for permission to do something by itself."""
        wanted = PermissionWanted(
            request_id=asked.request_id, turn_id=turn_id, agent=asked.agent, what=asked.what, detail=asked.detail
        )
        self._permissions[asked.request_id] = job_id, wanted
        return [self._changed()]

    def permit(self, command: AnswerRun) -> tuple[AnswerPermission, Event] | None:
        """Answer an agent's wish for permission; None where the command is about a run."""
        if command.agent or command.request_id not in self._permissions:
            return None
        job_id, _ = self._permissions.pop(command.request_id)
        answer = AnswerPermission(job_id=job_id, request_id=command.request_id, allowed=command.allowed)
        return answer, self._changed({command.request_id: command.allowed})

    def forget_ended(self, is_live: Callable[[int], bool]) -> list[Event]:
        """Drop the wishes of agents whose job has ended, and questions about a text that is another one by now: were it put back, a yes to
        what a person was looking at would run it."""
        ended = [key for key, (job_id, _) in self._permissions.items() if not is_live(job_id)]
        changed = [key for key, one in self._asked.items() if not self._is_about(one)]
        for key in ended:
            del self._permissions[key]
        for key in changed:
            del self._asked[key]
        return [self._changed()] if ended or changed else []

    def _is_about(self, asked: RunAsked) -> bool:
        draft = self._store.draft(asked.cell_id)
        return draft is not None and content_hash(draft.source) == asked.source_hash

    def follow(self, command: Accept | Reject | Run | Revert | CellEdited) -> list[Event]:
        """A person has decided on a cell in a usual way, which answers what an agent asked about it."""
        if not isinstance(command, Run | Reject):
            return []
        decided = {key: isinstance(command, Run) for key, one in self._asked.items() if one.cell_id == command.cell_id}
        return [self._decide(decided)] if decided else []

    def _ask(self, command: AskRun, at: float) -> list[Event]:
        draft = self._store.draft(command.cell_id)
        if draft is None or draft.runs_nothing or draft.state not in ("ready", "blocked", "accepted"):
            raise SessionError(
                f"There is no proposal for cell {command.cell_id} that could be run.", remedy="Propose it first."
            )
        if len([one for one in self._refused.get(command.agent, ()) if at - one < REFUSED_WITHIN]) >= MOST_REFUSED:
            raise SessionError(
                f"The person has refused {MOST_REFUSED} runs in the last minute.",
                remedy="Ask them in words what they want.",
            )
        if command.source_hash not in ("", content_hash(draft.source)):
            raise SessionError(CHANGED, remedy="Look at it again.")
        if command.request_id in (*self._asked, *self._permissions):
            raise SessionError("Something else is asked by that name.")
        if len(self._asked) >= MOST_ASKED:
            raise SessionError("Too many runs wait for an answer.", remedy="Wait until a person has answered.")
        asked = RunAsked(
            request_id=command.request_id,
            agent=command.agent,
            cell_id=command.cell_id,
            source_hash=content_hash(draft.source),
        )
        self._asked[command.request_id] = asked
        if self.granted(command.agent, at=at) and _is_clean(draft):
            return [*self._run(asked, confirmed=False), self._decide({command.request_id: True})]
        return [self._changed()]

    def _answer(self, command: AnswerRun, at: float) -> list[Event]:
        asked = self._asked.get(command.request_id)
        if asked is None or command.agent not in ("", asked.agent):
            raise SessionError("That run was already allowed or refused.")
        if not command.allowed:
            self._refused[asked.agent] = [*self._refused.get(asked.agent, ())[1 - MOST_REFUSED :], at]
            return [self._decide({command.request_id: False})]
        if not self._is_about(asked):
            raise SessionError(CHANGED, remedy="Refuse it: the agent can ask again.")
        events = self._run(asked, confirmed=command.confirmed)
        self._refused.pop(asked.agent, None)
        if command.minutes:
            self._grants[asked.agent] = RunGrant(agent=asked.agent, until=at + 60 * command.minutes)
        return [*events, self._decide({command.request_id: True})]

    def _run(self, asked: RunAsked, *, confirmed: bool) -> list[Event]:
        return self._store.receive_command(Run(cell_id=asked.cell_id, confirmed=confirmed), keep=self._keep)

    def _decide(self, decided: dict[str, bool]) -> ConsentChanged:
        self._asked = {key: one for key, one in self._asked.items() if key not in decided}
        return self._changed(decided)

    def _changed(self, decided: dict[str, bool] | None = None) -> ConsentChanged:
        return ConsentChanged(
            asked=tuple(self._asked.values()),
            grants=tuple(self._grants.values()),
            permissions=tuple(wanted for _, wanted in self._permissions.values()),
            decided=decided or {},
        )


def _is_clean(draft: Draft) -> bool:
    """True if it ran in a copy, all checks have ended, and nothing but hints was found."""
    waits = draft.state != "ready" or draft.inspecting or draft.trying
    has_run = draft.trial is not None and draft.tried == content_hash(draft.source) and not draft.trial.problem
    doubtful = draft.may_run != "freely" or any(finding.severity != "hint" for finding in draft.findings)
    return has_run and not waits and not doubtful
