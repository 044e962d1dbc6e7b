"""Second session with the settings of another, for drafts."""

from __future__ import annotations

from spark_jupyter.providers.base import Priority
from spark_jupyter.session.session import Session


def companion(main: Session, *, priority: Priority) -> Session:
    """A session with the checks, knowledge and permissions that ``main`` has now. Its requests begin like those of ``main``, with
    another priority."""
    session = Session(model=main.model, guard=main.guard, redactor=main.dialogue.redactor, rehearse=main.rehearse)
    session.repairs = main.repairs
    jobs, dialogue = session.jobs, session.dialogue
    jobs.priority, jobs.price, jobs.fallback = priority, main.jobs.price, main.jobs.fallback
    jobs.effort, jobs.tier, jobs.profile_tier = main.jobs.effort, main.jobs.tier, main.jobs.profile_tier
    dialogue.window, dialogue.most_output = main.dialogue.window, main.dialogue.most_output
    dialogue.withholds = main.dialogue.withholds
    dialogue.talk_to(main.dialogue.provider)
    dialogue.resume(main.dialogue.heard())
    return session
