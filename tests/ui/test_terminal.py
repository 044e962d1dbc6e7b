"""The terminal: what is drawn, and a real pseudo-terminal with IPython and the command line in it."""

from __future__ import annotations

import io
import os
import re
import sys
import threading

import pexpect
import pytest

from spark_jupyter.protocol.messages import Meter, NotesAdded, Problem, TurnEnded, TurnStarted
from spark_jupyter.protocol.proposal_messages import AttemptChanged, CellsChanged, Findings, ProposalChanged
from spark_jupyter.protocol.values import AppendSource, Finding, InsertCell, Proposal, ReplaceSource, Turn
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.terminal import TerminalView
from spark_jupyter.ui.terminal_screen import Highlighter, clip
from spark_jupyter.ui.text.words import attempts_lines, meter_text
from tests.nursery import commands
from tests.proportion import assert_in_proportion

LONG = "\n".join(f"value_{n} = {n}" for n in range(400))
SLOW = {"answer": f"```python\n{LONG}\n```\n", "repeat": True}
HALF = {"answer": f"```python\nvalue = {list(range(400))}\n```\n"}
STEERED = {"match": "## Steer", "answer": "```python continue\nlast = 'steered'\n```\n", "repeat": True}


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


# --- drawing -------------------------------------------------------------------------------------------------------


def drawn(*events):
    out = io.StringIO()
    view = TerminalView(out)
    for event in events:
        view.receive(event)
        view.draw()
    view.draw(live=False)
    return out.getvalue()


OPEN = ProposalChanged(proposal=Proposal(cell_id="t1-1", turn_id="t1"))
READY = ProposalChanged(proposal=Proposal(cell_id="t1-1", turn_id="t1", state="ready"))


def change(*changes):
    return CellsChanged(turn_id="t1", changes=changes)


def attempt(index, state, **fields):
    return AttemptChanged(turn_id="t1", index=index, model="m", state=state, **fields)


def test_of_each_attempt_of_a_race_a_line_says_how_it_ended_and_why():
    text = drawn(
        attempt(0, "streaming"),
        attempt(1, "streaming"),
        attempt(0, "trying"),
        attempt(0, "failed", reason="assert f(3) == 5 failed: f(3) is \x1b[31m4"),
        attempt(1, "trying"),
        attempt(1, "passed", proposed=True, source="x = 1"),
        attempt(1, "passed", source="x = 1"),
    )
    assert text.splitlines() == ["  1 failed (m): assert f(3) == 5 failed: f(3) is \ufffd[31m4", "  2 passed (m)"]


def test_the_attempts_are_a_short_table_with_the_proposed_one_marked():
    attempts = [attempt(0, "failed", reason="a\nb"), attempt(1, "passed", proposed=True, source="x = 1\ny = 2")]
    assert attempts_lines(attempts) == ["  1 failed (m): a; b", "→ 2 passed (m)", "    | x = 1", "    | y = 2"]


def test_each_line_is_printed_once_when_it_is_finished():
    text = drawn(
        OPEN,
        change(InsertCell(cell_id="t1-1"), AppendSource(cell_id="t1-1", text="a = 1\nb")),
        change(AppendSource(cell_id="t1-1", text=" = 2\n\nc = 3")),
        READY,
        TurnEnded(turn_id="t1", outcome="completed"),
    )
    assert text.splitlines() == ["── cell 1 ──", "a = 1", "b = 2", "", "c = 3", "completed."]


def test_a_rewritten_cell_is_announced_and_printed_anew():
    text = drawn(
        OPEN,
        change(AppendSource(cell_id="t1-1", text="a = 1\nb = 2\n")),
        TurnStarted(turn=Turn(id="t2", prompt="use cubes", steers="t1")),
        change(ReplaceSource(cell_id="t1-1", source="a = 1\nc = 3\n")),
        READY,
    )
    assert "steered: use cubes" in text
    assert text.splitlines()[-2:] == ["a = 1", "c = 3"]


def test_a_replacement_that_only_goes_on_prints_nothing_twice():
    text = drawn(
        OPEN,
        change(AppendSource(cell_id="t1-1", text="a = 1\n")),
        change(ReplaceSource(cell_id="t1-1", source="a = 1\nb = 2\n")),
        READY,
    )
    assert text.splitlines() == ["── cell 1 ──", "a = 1", "b = 2"]


def test_what_goes_on_after_a_steering_says_of_which_cell_it_is_and_repeats_the_broken_line():
    steering = Turn(id="t2", prompt="in metres", model="m", steers="t1")
    shown = drawn(
        OPEN,
        change(AppendSource(cell_id="t1-1", text="a = 1\nlen")),
        TurnEnded(turn_id="t1", outcome="superseded"),
        TurnStarted(turn=steering),
        NotesAdded(turn_id="t2", text="In metres.\n"),
        ProposalChanged(proposal=Proposal(cell_id="t1-1", turn_id="t2")),
        change(AppendSource(cell_id="t1-1", text="gth = 2\n")),
        TurnEnded(turn_id="t2", outcome="completed"),
    )
    lines = plain(shown).splitlines()
    assert lines[:4] == ["── cell 1 ──", "a = 1", "len", "── steered: in metres ──"]
    assert lines[4:7] == ["In metres.", "── cell 1 goes on ──", "length = 2"]


def test_the_line_that_was_cut_is_shown_with_its_finding():
    finding = Finding(rule="sql-injection", severity="block", line=2, message="Text in SQL.", remedy="Use ?.", cwe=89)
    text = drawn(
        OPEN,
        change(AppendSource(cell_id="t1-1", text="a = 1\ndb.execute(f'…')\n")),
        change(ReplaceSource(cell_id="t1-1", source="a = 1\n")),
        Findings(turn_id="t1", cell_id="t1-1", findings=(finding,), cut="db.execute(f'…')\n"),
    )
    assert text.splitlines()[-2:] == [
        "db.execute(f'…')",
        "  ▲ line 2: Text in SQL. [sql-injection CWE-89] Use ?.",
    ]


def test_problems_and_notes_are_lines():
    text = drawn(NotesAdded(turn_id="t1", text="Here\nit is"), Problem(code="x", message="No.", remedy="Do."))
    assert "Here" in text
    assert "✗ No. Do." in text


@pytest.mark.parametrize("hostile", ["\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\r\x08"])
def test_what_a_model_writes_does_not_drive_the_terminal(hostile):
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", printable(hostile))
    text = drawn(OPEN, change(AppendSource(cell_id="t1-1", text=f"x = '{hostile}'\n")), READY)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text.replace("\n", ""))


@pytest.mark.parametrize(
    ("text", "width", "columns"), [("abcdef", 3, 3), ("日本語", 4, 4), ("日本語", 5, 4), ("ab", 9, 2)]
)
def test_live_rows_are_cut_to_the_width(text, width, columns):
    cut = plain(clip(f"\x1b[1m{text}", width))
    assert sum(2 if ord(character) > 0x1000 else 1 for character in cut) == columns


def test_a_string_over_several_lines_keeps_its_colour_and_no_line_is_lost():
    lines = ["def f():", '    """Text', "", "    more text", '    """', "    return 1", "x = f()"]
    highlighter = Highlighter("code", colour=True)
    coloured = [highlighter.line(line) for line in lines]
    assert [plain(line) for line in coloured] == lines
    string = Highlighter("code", colour=True).line("'text'")
    colour = re.match(r"\x1b\[[0-9;]*m", string)[0]
    assert colour in coloured[3], "the middle of a docstring is coloured as a string"


@pytest.mark.parametrize("line", ["    x = 1", "a,b"])
def test_a_line_is_coloured_without_those_before_it(line):
    def coloured(lines: int) -> None:
        highlighter = Highlighter("code", colour=True)
        for each in ["def f():" if line[0] == " " else 'data = """', *[line] * lines]:
            highlighter.line(each)

    assert_in_proportion(coloured, 100)


# --- in a real terminal ------------------------------------------------------------------------------------------------


@pytest.fixture
def terminal(script_environment):
    """Starts a program in a pseudo-terminal whose provider plays these answers."""
    children = []

    def start(command, answers, **options):
        script_environment(answers, **options)
        environment = {**os.environ, "TERM": "xterm-256color"}
        first, *rest = command
        child = pexpect.spawn(first, rest, env=environment, encoding="utf-8", timeout=90, dimensions=(40, 100))
        children.append(child)
        return child

    yield start
    for child in children:
        child.close(force=True)


def shows(child: pexpect.spawn, text: str) -> None:
    """Wait until the prompt shows a text. Another size has it draw all of it, and not what is new alone."""
    for width in range(100, 130):
        child.setwinsize(40, width)
        if child.expect_exact([text, pexpect.TIMEOUT], timeout=2) == 0:
            return
    raise AssertionError(f"not shown: {text} in {child.before!r}")


IPYTHON = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "--no-confirm-exit"]
"""As a person starts it, for what needs the whole prompt."""


def ipython(terminal, answers, *, rate=None):
    options = ("--no-banner", "--colors=NoColor", "--simple-prompt")
    child = terminal(commands().ipython(*options), answers, rate=rate)
    child.expect_exact("In [1]: ")
    child.sendline("%load_ext spark_jupyter")
    child.expect_exact("In [2]: ")
    return child


def test_in_ipython_a_typed_line_steers(terminal):
    child = ipython(terminal, [STEERED, SLOW], rate=100)
    child.sendline("%spark many values")
    child.expect("value_5")
    child.send("stop here")
    child.expect("› stop here")
    child.send("\r")
    child.expect("steered: stop here")
    child.expect("completed")
    child.expect_exact("In [3]: ")
    child.sendline("%spark diff")
    child.expect_exact("+last = 'steered'")
    assert "value_399" not in child.before


def test_in_ipython_what_is_pasted_steers_as_one_text(terminal):
    child = ipython(terminal, [STEERED, SLOW], rate=100)
    child.sendline("%spark many values")
    child.expect("value_5")
    child.send("\x1b[200~stop\nhere\x1b[201~")
    child.expect("› stop⏎here")
    child.send("\x1b[D\r")
    child.expect("steered: stop")
    child.expect("completed")
    child.expect_exact("In [3]: ")


def test_in_ipython_what_was_being_typed_when_the_turn_ended_stands_at_the_next_prompt(terminal):
    may_end = threading.Event()
    child = terminal(IPYTHON, [SLOW], may_end=may_end)
    child.expect("In .*1")
    child.send("%load_ext spark_jupyter\r")
    child.expect("In .*2")
    child.send("%spark many values\r")
    child.expect("value_5")
    child.send("use polars")
    child.expect("› use polars")
    may_end.set()
    child.expect("completed")
    child.expect("In .*3.*use polars")


def test_a_script_that_ipython_runs_ends_at_a_turn_that_ran_nothing(terminal):
    code = "%load_ext spark_jupyter\n%spark --run many values\nprint('went', 'on')"
    child = terminal([*IPYTHON, "--simple-prompt", "-c", code], [{"answer": "There is nothing to do."}])
    child.expect_exact("Nothing of the answer was run")
    child.expect(pexpect.EOF)
    assert "went on" not in child.before
    child.close()
    assert child.exitstatus == 1


def test_in_ipython_ctrl_c_cancels_and_the_shell_lives(terminal):
    child = ipython(terminal, [SLOW], rate=100)
    child.sendline("%spark many values")
    child.expect("value_3")
    child.sendintr()
    child.expect("stopped")
    child.expect_exact("In [3]: ")
    child.sendline("6 * 7")
    child.expect("42")


def test_in_ipython_a_half_line_says_what_is_missing_and_goes_on_with_continue_and_not_with_run(terminal):
    child = ipython(terminal, [{"answer": "```python\nvalue = 7\n```\n", "match": "was stopped"}, HALF], rate=20)
    child.sendline("%spark many values")
    child.expect("value = .0, 1")
    child.sendintr()
    child.expect("stopped")
    child.expect("Stopped at line 1")
    child.expect_exact("%spark continue · %spark accept · %spark reject")
    child.expect_exact("In [3]: ")
    child.sendline("%spark continue")
    child.expect("completed")
    child.expect_exact("%spark accept · %spark run")
    child.expect_exact("In [4]: ")
    child.sendline("%spark run")
    child.expect_exact("In [6]: ")
    child.sendline("value + 1")
    child.expect("8")


def test_in_ipython_what_is_rejected_and_what_a_diff_is_of_are_named_as_a_person_knows_them(terminal):
    child = ipython(terminal, [{"answer": "```python\nimport math\nhalf = math.pi / 2\n```\n"}])
    child.sendline("%spark half of pi")
    child.expect_exact("In [3]: ")
    child.sendline("%spark diff")
    child.expect_exact("+++ b/new cell")
    child.expect_exact("In [4]: ")
    child.sendline("%spark reject 2")
    child.expect_exact("There is no proposal 2. There is only one.")
    child.expect_exact("In [5]: ")
    child.sendline("%spark reject")
    child.expect_exact("Rejected: half = math.pi / 2")
    child.sendline("%spark revert")
    child.expect_exact("The turn has nothing to take back")


def test_in_ipython_an_edit_is_of_an_input_by_its_number(terminal):
    child = ipython(terminal, [{"answer": "```python\n1 / 2\n```\n"}])
    child.sendline("1 / 0")
    child.expect_exact("In [3]: ")
    child.sendline("%spark fix")
    child.expect_exact("edit of [2]")
    child.expect_exact("In [4]: ")
    child.sendline("%spark diff")
    child.expect_exact("+++ b/[2]")


def test_in_ipython_run_runs_the_proposal_in_the_users_namespace(terminal):
    child = ipython(terminal, [{"answer": "```python\nanswer = 6 * 7\nprint('the answer is', answer)\n```\n"}])
    child.sendline("%spark the answer")
    child.expect("%spark accept")
    child.expect_exact("In [3]: ")
    child.sendline("%spark run")
    child.expect("the answer is 42")
    child.sendline("answer + 1")
    child.expect("43")


def test_in_ipython_what_to_say_to_a_proposal_is_offered_only_where_this_turn_proposed_something(terminal):
    child = ipython(terminal, [{"answer": "```python\nx = 1\n```\n"}, {"answer": "It is one."}])
    child.sendline("%spark x")
    child.expect("%spark accept")
    child.expect_exact("In [3]: ")
    child.sendline("%spark explain x")
    child.expect("completed")
    child.expect_exact("In [4]: ")
    assert "%spark accept" not in child.before


def test_the_terminal_is_as_before_after_a_turn(terminal):
    child = ipython(terminal, [{"answer": "```python\nx = 1\n```\n"}])
    child.sendline("%spark x")
    child.expect_exact("In [3]: ")
    child.sendline("print('ech' + 'o')")
    child.expect(r"print\('ech' \+ 'o'\)")  # what is typed is echoed again
    child.expect("echo")


def test_on_the_command_line_ctrl_c_cancels_with_exit_code_130(terminal):
    child = terminal(commands().spark("ask", "many values"), [SLOW], rate=100)
    child.expect("value")
    child.sendintr()
    child.expect("stopped")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 130


def test_on_the_command_line_a_typed_line_steers(terminal):
    child = terminal(commands().spark("ask", "many values"), [STEERED, SLOW], rate=100)
    child.expect("value")
    child.send("stop here\r")
    child.expect("steered: stop here")
    child.expect("completed")
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0


def test_the_terminal_is_told_to_bracket_what_is_pasted_only_while_a_turn_streams(terminal):
    child = ipython(terminal, [{"answer": "```python\nx = 1\n```\n"}])
    child.sendline("%spark x")
    child.expect_exact("In [3]: ")
    assert child.before.count("\x1b[?2004h") == child.before.count("\x1b[?2004l") == 1
    assert child.before.index("\x1b[?2004h") < child.before.index("completed") < child.before.index("\x1b[?2004l")


def test_the_live_rows_never_wrap(terminal):
    wide = {"answer": "```python\ntext = '" + "long " * 200 + "'\n```\n"}
    child = terminal(commands().spark("ask", "a long line"), [wide], rate=200)
    child.expect("completed")
    live = re.findall(r"\x1b\[J(.*?)\x1b\[\?2026l", child.before, re.DOTALL)
    for update in live:
        for row in plain(update).split("\r\n")[-2:]:
            if row.startswith(("text", "⚡")):
                assert len(row) < 100


def test_what_stands_above_a_cut_line_is_printed_above_it_even_when_both_come_at_once():
    out = io.StringIO()
    view = TerminalView(out)
    finding = Finding(rule="sql-injection", severity="block", line=2, message="Text in SQL.")
    for event in (
        OPEN,
        change(AppendSource(cell_id="t1-1", text="a = 1\n"), ReplaceSource(cell_id="t1-1", source="a = 1\n")),
        Findings(turn_id="t1", cell_id="t1-1", findings=(finding,), cut="bad()\n"),
    ):
        view.receive(event)
    view.draw(live=False)
    assert out.getvalue().splitlines()[:3] == ["── cell 1 ──", "a = 1", "bad()"]


def test_what_costs_nothing_has_no_price_on_the_meter():
    assert "$" not in meter_text(Meter(turn_id="t", output_tokens=5, cost=0.0))
    assert "$0.0200" in meter_text(Meter(turn_id="t", output_tokens=5, cost=0.02))


def test_notes_in_the_terminal_have_no_asterisks_of_markdown():
    text = plain(
        drawn(
            NotesAdded(turn_id="t1", text="Choose *Connect…* first.\nThen *go on*"),
            TurnEnded(turn_id="t1", outcome="completed"),
        )
    )
    assert "Choose Connect… first." in text
    assert "Then go on" in text
    assert "*" not in text
