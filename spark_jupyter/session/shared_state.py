"""State shared by all turns of a session."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from spark_jupyter.prompting.dialogue import Dialogue
from spark_jupyter.protocol.deep_messages import DeepOffered
from spark_jupyter.protocol.messages import Event, Prompt
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Permission
from spark_jupyter.session.actions import Action, TryProposal
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.jobs import Jobs
from spark_jupyter.session.proposal_store import ProposalStore


class SharedState(Struct, kw_only=True):
    """Proposals, conversation, jobs and guard of a session, with the events and actions that it has not drained yet.

    ``tries``: proposals may be tried without being asked. ``repairs``: how often an answer that fails in its copy is repaired.
    ``deep_offers`` are the answers offered to the deep model, by turn.
    """

    store: ProposalStore
    dialogue: Dialogue
    jobs: Jobs
    guard: Guard
    tries: bool = False
    repairs: int = 0
    events: list[Event] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    deep_offers: dict[str, DeepOffered] = field(default_factory=dict)

    def begin_try(self, draft: Draft, source: str, *, allow: tuple[Permission, ...] = ()) -> None:
        """Try ``source`` in place of a draft's text."""
        self.events += self.store.mark_trying(draft, on=True)
        self.actions.append(
            TryProposal(
                turn_id=draft.turn_id,
                cell_id=draft.cell_id,
                source=self.dialogue.cover(source),
                source_hash=content_hash(source),
                allow=allow,
                base=self.dialogue.cover(draft.base) if draft.kind == "edit" else "",
            )
        )

    def try_new_with_edits(self, drafts: Sequence[Draft], prompt: Prompt) -> bool:
        """Try the new cells of a turn behind its edits, where it has both; whether it has."""
        from spark_jupyter.session.edit_trial import edit_trial  # off the path of %load_ext

        request = edit_trial(drafts, prompt, self.dialogue.cover)
        if request is None:
            return False
        for draft in drafts:
            if draft.kind == "insert" and draft.cell_id in request.ids:
                self.events += self.store.mark_trying(draft, on=True)
        self.actions.append(request)
        return True

    def prove_edits(self, drafts: Sequence[Draft], prompt: Prompt, results: Sequence[TrialResult] = ()) -> None:
        """Prove the edits of a turn as one, where they can be. ``results`` is what they have shown already."""
        from spark_jupyter.session.proof_request import proof_request  # off the path of %load_ext

        request = proof_request(drafts, prompt, self.dialogue.cover, results)
        if request is None:
            return
        edited = {edit.cell_id for edit in request.edits}
        for draft in drafts:
            if draft.cell_id in edited:
                self.events += self.store.mark_trying(draft, on=True)
        self.actions.append(request)
