"""Messages about conversations: begun, listed, opened, renamed, deleted."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from spark_jupyter.protocol.values import TurnId


class ConversationInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A conversation that is kept. ``changed_at`` is in Unix seconds. ``notebook`` is its file's name, empty for one of a terminal;
    ``here`` says that it is of the notebook that asks."""

    id: TurnId
    title: str
    changed_at: float = 0.0
    notebook: str = ""
    here: bool = False


class NewConversation(Struct, frozen=True, tag=True):
    """The next prompt begins a new conversation: nothing of the turns before goes along with it. Turns and proposals stay."""


class ListConversations(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """List the conversations that have every word of ``query`` in their prompts, answers or titles. Answered by :class:`Conversations`."""

    query: Annotated[str, Meta(max_length=500)] = ""


class OpenConversation(Struct, frozen=True, kw_only=True, tag=True):
    """Go on with a conversation: the model gets its turns with the next prompt."""

    id: TurnId


class RenameConversation(Struct, frozen=True, kw_only=True, tag=True):
    """Give a conversation another title."""

    id: TurnId
    title: Annotated[str, Meta(max_length=500)]


class DeleteConversation(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """Delete a conversation; None: all of them, of every notebook."""

    id: TurnId | None = None


ConversationCommand = NewConversation | ListConversations | OpenConversation | RenameConversation | DeleteConversation


class Conversations(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The conversations that fit ``query``: those of this notebook first, the youngest before older ones. ``kept``: turns are written."""

    conversations: tuple[ConversationInfo, ...] = ()
    query: str = ""
    kept: bool = True


class ConversationChanged(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The conversation that goes on. ``title`` is the one that it was given, empty where it has none yet; ``others`` are the turns so far
    that do not belong to it; those that begin from now on do."""

    id: TurnId
    title: str = ""
    others: tuple[TurnId, ...] = ()
