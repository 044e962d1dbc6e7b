"""JSON of texts with half characters in them."""

from __future__ import annotations

import json

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.messages import NotesAdded


def test_half_a_character_is_sent_as_the_replacement_character() -> None:
    assert json.loads(json_text.encode({"caf\udce9": ["\ud83c", 1, None]})) == {"caf\ufffd": ["\ufffd", 1, None]}
    sent = json.loads(json_text.encode(NotesAdded(turn_id="t1", text="a\ud83c")))
    assert sent["text"] == "a\ufffd"
    assert sent["type"] == "NotesAdded"


def test_whole_characters_stay() -> None:
    assert json.loads(json_text.encode({"é": "🎉"})) == {"é": "🎉"}
