"""Dialect of a gateway that speaks chat completions at a path of its own."""

from typing import ClassVar

from spark_jupyter.providers.chat_completions import ChatCompletions


class ExampleChat(ChatCompletions):
    """The dialect ``example-chat``."""

    path: ClassVar[str] = "/converse"
