"""Verbs that answer what agents ask to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.agent_messages import LONGEST_GRANT, AnswerRun, RevokeGrants
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.magics.verb_table import verb

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb(
    "let an agent run what it asks for; --minutes N: and, for so long, all that ran in a copy without findings",
    "options",
)
def allow(pair: Pair, line: MagicLine) -> None:
    """Allow the oldest run that an agent waits for."""
    asked = pair.view.consent.asked
    if not asked:
        raise SessionError("No agent waits for an answer.")
    minutes = min(int(line.options.minutes or 0), LONGEST_GRANT)
    one = asked[0]
    pair.say(AnswerRun(request_id=one.request_id, allowed=True, confirmed=line.options.yes, minutes=minutes))
    print(printable(f"{one.agent} runs cell {one.cell_id}."))


@verb("refuse what agents ask to run, and revoke what they may run", "nothing")
def deny(pair: Pair, line: MagicLine) -> None:
    """Refuse every run that agents wait for, and end all grants."""
    asked = pair.view.consent.asked
    pair.say(*(AnswerRun(request_id=one.request_id, allowed=False) for one in asked), RevokeGrants())
    print(f"Refused: {len(asked)}. Agents ask for every run now.")
