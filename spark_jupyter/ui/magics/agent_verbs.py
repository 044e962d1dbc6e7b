"""Verbs that choose an agent, and answer what agents ask."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import ConfigurationError, SessionError
from spark_jupyter.protocol.agent_messages import LONGEST_GRANT, AnswerRun, RevokeGrants
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.magics.verb_table import verb

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb(
    "list the agents on this machine, or let one answer from now on: claude-code, codex, opencode, …; --mode NAME",
    "word",
)
def agent(pair: Pair, line: MagicLine) -> None:
    """List the agents, or choose one."""
    from jupyter_core.paths import jupyter_config_path

    from spark_jupyter.providers.profiles import agents_of, load_profiles

    agents = agents_of(load_profiles(jupyter_config_path()))
    if line.text and line.text not in agents:
        raise ConfigurationError(f"There is no agent {line.text!r}.", remedy=f"Available: {', '.join(agents)}.")
    if line.text:
        pair.engine.policy.refuse("agents")
        print(pair.use(line.text, mode=line.options.mode))
        return
    for name, one in agents.items():
        is_here = shutil.which(one.command[0]) is not None
        print(f"  {name}  {one.title or name}{'' if is_here else f' (not installed: {one.install})'}")


@verb(
    "allow what an agent asks for; --minutes N: for that long also each cell that ran in a copy without findings",
    "options",
)
def allow(pair: Pair, line: MagicLine) -> None:
    """Allow what the agent that answers waits for, or the oldest run that another one asks for."""
    asked, permissions = pair.view.consent.asked, pair.view.consent.permissions
    if not (asked or permissions):
        raise SessionError("No agent waits for an answer.")
    if permissions:
        wanted = permissions[0]
        pair.say(AnswerRun(request_id=wanted.request_id, allowed=True))
        print(printable(f"{wanted.agent} may: {wanted.what}"))
        return
    minutes = min(int(line.options.minutes or 0), LONGEST_GRANT)
    one = asked[0]
    pair.say(AnswerRun(request_id=one.request_id, allowed=True, confirmed=line.options.yes, minutes=minutes))
    print(printable(f"{one.agent} runs cell {one.cell_id}."))


@verb("refuse what agents ask to run, and revoke what they may run", "nothing")
def deny(pair: Pair, line: MagicLine) -> None:
    """Refuse every run that agents wait for, and end all grants."""
    consent = pair.view.consent
    asked = [*(one.request_id for one in consent.asked), *(one.request_id for one in consent.permissions)]
    pair.say(*(AnswerRun(request_id=request_id, allowed=False) for request_id in asked), RevokeGrants())
    print(f"Refused: {len(asked)}. Agents ask for every run now.")
