"""Commands of agents, limited to reading, proposing and trying.

An agent reads, proposes and tries; it decides nothing. Its name is written into what it says here, so it can't speak as another. The
cells of an open notebook are asked of the client that shows it.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, Inquire
from spark_jupyter.protocol.messages import Command, Prompt
from spark_jupyter.protocol.proposal_messages import Revert
from spark_jupyter.protocol.trial_messages import CancelTry, Try
from spark_jupyter.protocol.values import Attempts, Turn
from spark_jupyter.session.answer_limits import MOST_CHARACTERS
from spark_jupyter.session.proposal_store import ProposalStore


def as_agent(command: Command, agent: str) -> Command:
    """The command as the agent's own. Permissions of a Try are a person's to give, so they are taken out.

    Raises :class:`~spark_jupyter.exceptions.SessionError` for what an agent may not say."""
    match command:
        case Prompt(proposes=proposes) if proposes:
            _refuse_longer(command.text, *(cell.source for cell in proposes))
            own = structs.replace(command, agent=agent, intent="generate", attempts=Attempts(), takes="")
            return structs.replace(own, follows=None, model=None, active=None)
        case Inquire():
            _refuse_longer(command.text)
            return structs.replace(command, agent=agent, live=False)
        case AskRun() | Revert() | AnswerRun():  # an answer is sent on where a person gave it to the agent's own client
            return structs.replace(command, agent=agent)
        case Try():
            return structs.replace(command, allow=())
        case CancelTry():
            return command
        case _:
            raise SessionError(
                f"An agent can't say {type(command).__name__}.", remedy="A person decides on proposals and settings."
            )


def _refuse_longer(*texts: str) -> None:
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise SessionError(
            f"That has more than {MOST_CHARACTERS:,} characters, which is more than any answer may have.",
            remedy="Say it in parts.",
        )


def check_withdrawal(command: Revert, turns: Iterable[Turn], store: ProposalStore) -> None:
    """Raise :class:`~spark_jupyter.exceptions.SessionError` unless the turn is the agent's own and nobody has decided on it."""
    own = any(turn.id == command.turn_id and turn.agent == command.agent for turn in turns)
    if not own or any(draft.decided for draft in store.of_turn(command.turn_id)):
        raise SessionError("An agent can only withdraw its own turn, while nobody has decided on it.")
