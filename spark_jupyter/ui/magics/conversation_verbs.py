"""Verbs that list, open, rename and delete conversations."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.conversation_messages import (
    DeleteConversation,
    NewConversation,
    OpenConversation,
    RenameConversation,
)
from spark_jupyter.ui.magics.verb_table import verb

if TYPE_CHECKING:
    from spark_jupyter.protocol.conversation_messages import ConversationInfo, Conversations
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine

_HOW = "%spark conversation open N, rename N TITLE, delete N, delete --all"


@verb("begin a new conversation: the next prompt is sent without the earlier turns", "nothing")
def new(pair: Pair, line: MagicLine) -> None:
    """Begin a new conversation. Turns and proposals stay."""
    pair.say(NewConversation())
    print("New conversation. Your next prompt is sent without the earlier turns; open proposals stay.")


@verb("list the conversations that are kept, or those with these words in them")
def conversations(pair: Pair, line: MagicLine) -> None:
    """List the conversations, those of this notebook first."""
    found = _list(pair, line.text)
    current = pair.engine.read(lambda _: pair.engine.conversations.current).id
    for number, one in enumerate(_list(pair).conversations, 1):
        if one in found.conversations:
            day = time.strftime("%Y-%m-%d %H:%M", time.localtime(one.changed_at))
            where = "" if one.here else f" · {one.notebook or 'terminal'}"
            print(f"{number:3}  {day}  {one.title}{where}{' · this one' if one.id == current else ''}")
    print(
        _HOW
        if found.conversations
        else "There is no such conversation."
        if line.text
        else "No conversation is kept yet."
    )
    if pair.engine.policy.conversation_days == 0:
        print("Conversations are not kept here, by a policy: %spark status names it.")
    elif not found.kept:
        print('Conversations are not kept: %config SparkMagics.conversations = "on" keeps them.')


@verb("open N: go on with it; rename N TITLE; delete N, or delete --all", "conversation")
def conversation(pair: Pair, line: MagicLine) -> None:
    """Open, rename or delete a conversation, by its number in the list."""
    what, _, rest = line.text.partition(" ")
    number, _, title = rest.strip().partition(" ")
    if what == "delete" and number == "--all":
        count = len(_list(pair).conversations)
        pair.say(DeleteConversation())
        print(f"Deleted {count} {'conversation' if count == 1 else 'conversations'}, of all notebooks.")
        return
    one = _numbered(pair, number)
    if what == "open":
        pair.say(OpenConversation(id=one.id))
        print(f"Opened: {one.title}. Your next prompt is sent with its turns.")
    elif what == "rename":
        pair.say(RenameConversation(id=one.id, title=title))
        print(f"Renamed to: {title}.")
    else:
        pair.say(DeleteConversation(id=one.id))
        print(f"Deleted: {one.title}.")


def _list(pair: Pair, query: str = "") -> Conversations:
    return pair.engine.read(lambda _: pair.engine.conversations.listed(query))


def _numbered(pair: Pair, number: str) -> ConversationInfo:
    known = _list(pair).conversations
    if not number.isdecimal() or not 1 <= int(number) <= len(known):
        raise SessionError("There is no such conversation.", remedy=f"%spark conversations lists them. {_HOW}")
    return known[int(number) - 1]
