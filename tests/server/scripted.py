"""A server that plays a script."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines.base import Piece
from spark_jupyter.server.engines.script import ScriptEngine

ANSWER = "```python\nimport pandas as pd\n\ndf = pd.read_csv('a.csv')\n```\n"


def script(*answers: dict[str, object]) -> ScriptEngine:
    return ScriptEngine({"answers": list(answers) or [{"answer": ANSWER, "repeat": True}]})


class Waits(ScriptEngine):
    """An engine that reads its prompt for as long as the test says, and says so when it is closed."""

    def __init__(self) -> None:
        super().__init__({"answers": [{"answer": "fine"}]})
        self.may_go_on = threading.Event()
        self.closed = threading.Event()
        self.asked_to_end = False

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        if conversation[-1].text == "wait":
            return self._wait()
        return super().answer(conversation, instructions=instructions, model=model)

    def _wait(self) -> Iterator[Piece]:
        try:
            yield "begun\n"
            while not self.may_go_on.wait(0.01):
                yield ""
            yield "done\n"
        finally:
            self.closed.set()

    def close(self) -> None:
        self.asked_to_end = True
