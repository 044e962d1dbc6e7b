"""JSON of texts with half characters in them."""

from __future__ import annotations

import json

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.messages import NotesAdded, Prompt
from spark_jupyter.protocol.values import NotebookCell, Target


def test_half_a_character_is_sent_as_the_replacement_character() -> None:
    assert json.loads(json_text.encode({"caf\udce9": ["\ud83c", 1, None]})) == {"caf\ufffd": ["\ufffd", 1, None]}
    sent = json.loads(json_text.encode(NotesAdded(turn_id="t1", text="a\ud83c")))
    assert sent["text"] == "a\ufffd"
    assert sent["type"] == "NotesAdded"


def test_whole_characters_stay() -> None:
    assert json.loads(json_text.encode({"é": "🎉"})) == {"é": "🎉"}


def test_a_message_is_made_whole_and_one_that_is_whole_is_left_as_it_is() -> None:
    cell = NotebookCell(id="a", cell_type="code", source="x = '\udce9'")
    prompt = Prompt(turn_id="t1", text="mean of \ud83c", cells=(cell,), target=Target(after="a"))
    made = json_text.whole(prompt)
    assert (made.text, made.cells[0].source, made.target) == ("mean of \ufffd", "x = '\ufffd'", prompt.target)
    assert json_text.whole(made) is made
