"""Functions called with data from strangers.

A bot, a broker, a dashboard, a page or a model with tools calls them.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State, Summary
from spark_jupyter.guardrail.taint_values import Value, words

_DECORATED: Final = {
    "command event hybrid_command listen": words("discord nextcord disnake"),
    "command message event action shortcut view": words("slack_bolt"),
    "on event on_event": words("flask_socketio socketio"),
    "message_handler message callback_query_handler callback_query on_message inline_handler": words(
        "telebot aiogram pyrogram telethon"
    ),
    "callback": words("dash"),
    "tool": words("mcp fastmcp langchain langchain_core agents pydantic_ai smolagents"),
}
"""Decorators of handlers, by their libraries."""

_PARAMETERS: Final = {
    ("update", "context"): words("telegram"),
    ("ch", "method", "properties", "body"): words("pika"),
    ("channel", "method", "properties", "body"): words("pika"),
    ("client", "userdata", "msg"): words("paho"),
    ("client", "userdata", "message"): words("paho"),
    ("websocket",): words("websockets"),
    ("websocket", "path"): words("websockets"),
    ("message",): words("discord nextcord disnake"),
}
"""First parameters of functions that a library calls."""

_SERVICE: Final = re.compile(r"Servicer$|AsyncWebsocketConsumer$|WebSocketEndpoint$")
_OWN: Final = words("ack say respond client userdata bot ch channel method properties logger state db session config")
"""Parameters that hold the library's own values."""

_NUMBERED: Final = words("id file_id file_unique_id message_id chat_id user_id update_id thread_id")
_CHATS: Final = words("telebot telegram aiogram pyrogram telethon discord nextcord disnake slack_bolt")


def names_itself(attribute: str, state: State) -> bool:
    """True if a message's attribute of this name was set by the service, not by the author of the message."""
    return attribute in _NUMBERED and state.uses(*_CHATS)


_TAKES: Final = words("gradio.Interface gradio.ChatInterface")
_EVENTS: Final = words("click submit change upload select input")


def serves(bases: tuple[str, ...]) -> bool:
    """True if the methods of a class with these bases receive data from others."""
    return any(_SERVICE.search(base) for base in bases)


def is_fed(names: list[str], tails: set[str], state: State) -> bool:
    """True if others choose the arguments of a function with these parameters; ``tails`` are its decorators."""
    own = tuple(name for name in names if name not in ("self", "cls"))
    for decorators, libraries in _DECORATED.items():
        if state.uses(*libraries) and tails & words(decorators):
            return True
    return any(
        own[: len(parameters)] == parameters and state.uses(*libraries) for parameters, libraries in _PARAMETERS.items()
    )


def is_own(name: str) -> bool:
    """True if a parameter of such a function holds the library's own value."""
    return name in _OWN


def given_away(event: Call, state: State) -> list[Summary]:
    """Functions of the notebook that a call hands to a page: ``gr.Interface(fn=answer, …)``, ``button.click(answer, …)``."""
    if event.name not in _TAKES and not (event.tail in _EVENTS and state.uses("gradio")):
        return []
    given: list[Value] = [event.argument(0, "fn")]
    functions = state.context.functions
    return [functions[value.name] for value in given if value.name in functions]
