"""Records that an engine keeps: spending, conversations, recordings of answers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from spark_jupyter.protocol.messages import Event
from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.records.conversation_keeper import ConversationKeeper
from spark_jupyter.records.prompt_log import PromptLog
from spark_jupyter.records.spending_log import Spending


class Records(Struct, frozen=True):
    """What is written of the events. Without ``spending`` or ``prompts`` neither is counted; a ``kind`` names what is no turn."""

    conversations: ConversationKeeper
    recorder: Recorder
    spending: Spending | None = None
    prompts: PromptLog | None = None
    kind: str = ""

    def receive(self, events: Sequence[Event]) -> list[Event]:
        """Write what the events say; returns what is to be said of it."""
        spent = self.spending.receive(events, kind=self.kind) if self.spending is not None else []
        if self.kind:
            return spent
        if self.prompts is not None:
            self.prompts.receive(events)
        return [*spent, *self.conversations.receive(events)]
