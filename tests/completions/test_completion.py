"""A completion in the making: what is shown, when, and what is mended."""

from __future__ import annotations

import pytest

from spark_jupyter.completions.completion import Completion
from spark_jupyter.completions.screening import CodeJudge, NoJudge, split
from spark_jupyter.completions.situation import Situation
from spark_jupyter.protocol.completion_messages import Mend
from spark_jupyter.protocol.values import Finding


def against(word: str, meant: str = ""):
    """A judge that knows every name but one."""

    def opinion(code: str) -> list[Finding]:
        found = []
        for number, line in enumerate(code.split("\n"), 1):
            if word in line:
                column = len(line[: line.index(word)].encode())
                found.append(
                    Finding(
                        rule="undefined-name",
                        severity="block",
                        line=number,
                        column=column,
                        message="",
                        origin="reality",
                        wrong=word,
                        meant=meant,
                    )
                )
        return found

    return lambda settled: opinion


def completion(before: str, opinion=None, after: str = "", **fields: object) -> Completion:
    situation = Situation(before=before, after=after, **fields)
    return Completion(situation, NoJudge() if opinion is None else CodeJudge(situation, opinion))


def test_whole_tokens_of_the_first_line_are_shown_as_they_come():
    one = completion("x = ", against("nothing"))
    shown = []
    for piece in ("sa", "les", ".gro", "upby('ci", "ty')", "\n"):
        one.receive_text(piece)
        shown.append(one.shown)
    assert shown == ["", "", "sales", "sales.groupby(", "sales.groupby('city')", "sales.groupby('city')"]


def test_a_line_that_can_not_stay_is_not_shown_and_what_is_before_it_is():
    one = completion("", against("wrong"))
    one.receive_text("a = 1\nb = wrong(a)\nc = 2\n")
    one.receive_end()
    assert one.shown == "a = 1"
    assert one.silenced


def test_a_name_that_does_not_exist_is_mended_and_the_mend_is_told():
    one = completion("y = sales['é'] + ", against("totl", "total"))
    one.receive_text("a + totl * 2")
    one.receive_end()
    assert one.shown == "a + total * 2"
    assert one.mends == (Mend(start=4, wrong="totl", right="total"),)
    assert not one.silenced


def test_a_name_that_begins_before_the_cursor_is_mended_behind_it():
    one = completion("y = sales.gro", against("groupyb", "groupby"))
    one.receive_text("upyb('a')")
    one.receive_end()
    assert one.shown == "upby('a')"


def test_a_name_that_the_user_typed_wrong_is_not_ours_to_mend():
    one = completion("y = grupby", against("grupby", "groupby"))
    one.receive_text("(a)")
    one.receive_end()
    assert one.shown == "(a)"


def test_what_was_wrong_before_the_cursor_says_nothing_against_a_suggestion():
    one = completion("y = wrong + ", against("wrong"))
    one.receive_text("1")
    one.receive_end()
    assert one.shown == "1"


def test_what_can_not_be_read_as_code_is_not_shown():
    one = completion("x = ", against("nothing"))
    one.receive_text("Here is the code you wanted:")
    one.receive_end()
    assert one.shown == ""


@pytest.mark.parametrize("text", ["for x in xs:", "f(a, [1, 2])", "if x == 1:\n    pass", "df.head()"])
def test_code_that_is_not_finished_is_code(text):
    one = completion("", against("nothing"))
    one.receive_text(text)
    one.receive_end()
    assert one.shown == text


def test_what_was_suggested_here_already_is_not_shown_again():
    one = completion("x = ", other_than=("1",))
    one.receive_text("1")
    one.receive_end()
    assert one.shown == ""


def test_a_placeholder_for_a_credential_is_not_shown():
    one = completion("login(", against("nothing"))
    one.receive_text("SPARK_SECRET_1_PASSWORD)")
    one.receive_end()
    assert one.shown == ""


def test_beyond_what_is_shown_nothing_is_taken():
    one = completion("", against("nothing"))
    one.receive_text("a = 1\n\n\nb = 2\n\n\nc = 3\n")
    assert one.ended
    assert not one.receive_text("d = 4\n")
    assert one.shown == "a = 1"


def test_the_statement_of_the_cursor_begins_where_the_open_block_does():
    assert split("a = 1\nfor x in y:\n    b = x\n    ") == ("a = 1\n", "for x in y:\n    b = x\n    ")
    assert split("a = 1\nb = ") == ("a = 1\n", "b = ")
    assert split("a = 1\n") == ("a = 1\n", "")


def test_in_a_long_statement_only_whole_lines_are_judged():
    one = completion("def f():\n" + "    a = 1\n" * 400 + "    ", against("nothing"))
    assert not one.receive_text("b = a + ")
    assert one.receive_text("1\n    c")
    assert one.shown == "b = a + 1"


@pytest.mark.parametrize("piece", [" ", "<|cursor|>", "``` "])
def test_an_answer_that_never_says_anything_is_listened_to_no_longer(piece):
    one = completion("x = ")
    for _ in range(20_000):
        if one.ended:
            break
        one.receive_text(piece)
    assert one.ended
    assert one.shown == ""


def test_a_column_whose_name_is_no_plain_text_mends_nothing():
    one = completion("df['", against("total", "total'"))
    one.receive_text("total']")
    one.receive_end()
    assert one.shown == ""


def test_what_a_model_thinks_is_not_suggested():
    for pieces in (["<think>\nhead", " or tail?\n</think>\n", "head()"], ["head or tail?\n", "</think>\n", "head()"]):
        made = completion("df.")
        for piece in pieces:
            made.receive_text(piece)
        made.receive_end()
        assert made.shown == "head()"


@pytest.mark.parametrize(
    ("before", "said", "shown"),
    [
        ('df.groupby("ci', '<|fim_middle|>ty").mean()', 'ty").mean()'),
        ('df.groupby("ci', '<fim_middle>ty").mean()', 'ty").mean()'),
        ('df.groupby("ci', 'ty").mean()<|endoftext|>\n# next', 'ty").mean()'),
        ('df.groupby("ci', 'ty").mean()<|file_sep|>other.py\nimport os', 'ty").mean()'),
        ('df.groupby("ci', 'ty").mean() <EOT>', 'ty").mean()'),
        ('df.groupby("ci', 'ty").mean()</s>', 'ty").mean()'),
        ('df.groupby("ci', 'ty").mean()\n```\n\nIt groups.', 'ty").mean()'),
        ("x = ", "<\uff5cfim\u2581end\uff5c>5", "5"),
        ("x = ", "5<|im_end|>\n<|im_start|>user\n6", "5"),
        ("stop = [", '"<|im_end|>", "</s>"]', '"<|im_end|>", "</s>"]'),
        ('stop = "', '<|im_end|>"', '<|im_end|>"'),
        ("x = ", "5\x00 + 6", "5"),
        ("x = y ", "< z", "< z"),
    ],
)
def test_tokens_of_a_models_template_end_a_suggestion_and_are_none_of_it(before, said, shown):
    for size in (1, 3, 1_000):
        made = completion(before)
        for at in range(0, len(said), size):
            made.receive_text(said[at : at + size])
        made.receive_end()
        assert made.shown == shown, size


CHATTER = [
    "Sure! Here is the completion:\n\n```python\nty')['price'].mean()\n```\nThis computes the mean.",
    "Here's the code:\nty')['price'].mean()",
    "I'd complete this with the mean of the price.\n",
    "To complete this code, you can use the mean method.\n",
    "The completion is `ty')`.\n",
    "analysisThe user wants the mean. assistantfinal",
    "It groups by the city:\n```python\nty')\n```",
]


@pytest.mark.parametrize("said", CHATTER)
@pytest.mark.parametrize("before", ["df.groupby('ci", 'df.groupby("ci', "# load the ci", "!ls ci", 'text = """ci'])
def test_what_a_chat_model_says_about_its_completion_is_never_shown(before: str, said: str) -> None:
    for size in (1, 7, len(said)):
        one = completion(before, lambda settled: lambda code: [])
        for start in range(0, len(said), size):
            one.receive_text(said[start : start + size])
            assert one.shown == ""
        one.receive_end()
        assert one.shown == ""


@pytest.mark.parametrize(
    "said",
    ["<think>\nThe user groups by city.\n</think>\nty').sum()", "The user groups by city.\n</think>\nty').sum()"],
)
def test_thinking_is_not_shown_in_a_string_either(said: str) -> None:
    one = completion("df.groupby('ci", lambda settled: lambda code: [])
    shown = set()
    for character in said:
        one.receive_text(character)
        shown.add(one.shown)
    one.receive_end()
    assert not any("user" in text for text in shown)
    assert one.shown == "ty').sum()"


def test_a_string_of_one_line_is_not_continued_over_its_end() -> None:
    one = completion("df.groupby('ci")
    one.receive_text("ty of the world\nand its price')\n")
    one.receive_end()
    assert one.shown == ""
    closed = completion("df.groupby('ci", after="')")
    closed.receive_text("ty\nand its price")
    closed.receive_end()
    assert closed.shown == "ty"


def test_the_line_of_the_cursor_once_more_is_waited_for() -> None:
    one = completion("df.groupby('ci", lambda settled: lambda code: [])
    shown = set()
    for character in "```python\ndf.groupby('city')\n```":
        one.receive_text(character)
        shown.add(one.shown)
    one.receive_end()
    assert shown | {one.shown} <= {"", "ty'", "ty')"}


@pytest.mark.parametrize("before", ["x = df.groupby('ci", "# total by c", "!ls ", "", "def f(x):\n    "])
@pytest.mark.parametrize(
    "said",
    [
        "--- a/cell.py\n+++ b/cell.py\n@@ -1 +1,2 @@\n-x = 1\n+x = df.sum()\n",
        "```diff\n- old\n+ df.sum()\n```",
        "@@ -1,2 +1,2 @@\n- old\n+ new\n",
        '{"name": "insert_text", "arguments": {"text": "df.head()"}}',
        '```json\n{"name": "insert_text", "arguments": {"text": "df.head()"}}\n```',
        '<tool_call>\n{"name": "insert", "arguments": {"code": "df.head()"}}\n</tool_call>',
        '[TOOL_CALLS] [{"name": "insert"}]',
    ],
)
def test_a_difference_or_a_tools_call_is_no_completion(before, said):
    one = completion(before, against("nothing"))
    for start in range(0, len(said), 4):
        one.receive_text(said[start : start + 4])
        assert one.shown == ""
    one.receive_end()
    assert one.shown == ""


@pytest.mark.parametrize(
    ("before", "said", "shown"),
    [
        ("call = ", '{"name": "add", "arguments": {}}', '{"name": "add", "arguments": {}}'),
        ("tools = [\n    ", '{"name": "add", "arguments": {}}', '{"name": "add", "arguments": {}}'),
        ("row = ", '{"name": "Ann", "age": 3}', '{"name": "Ann", "age": 3}'),
        ("", "~~~python\nx = 1\n~~~\n", "x = 1"),
        ("y = ", "-x", "-x"),
    ],
)
def test_a_dictionary_that_is_meant_and_what_a_fence_of_tildes_holds_are_shown(before, said, shown):
    one = completion(before, against("nothing"))
    one.receive_text(said)
    one.receive_end()
    assert one.shown == shown
