"""The guardrail and the reality check in the stream: over real sockets, with the embedded server playing the answers."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager

import pandas as pd
import pytest

from spark_jupyter.engine.engine import Engine
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.proposal_messages import Run
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.reality import Checker
from spark_jupyter.routing.link import linker
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread
from spark_jupyter.session.guard import Guard
from spark_jupyter.ui.text.status_text import status_text
from tests.conftest import Watched, write_script
from tests.engine.test_engine import until

SAFE = "```python\nprint('safe')\n```\n"
SQL = (
    "```python\nimport sqlite3\nname = input()\ndb = sqlite3.connect('shop.db')\n"
    "rows = db.execute(f\"SELECT * FROM users WHERE name = '{name}'\")\nprint(rows.fetchall())\n```\n"
)
SQL_CORRECTED = "```python continue\nrows = db.execute('SELECT * FROM users WHERE name = ?', (name,))\nprint(rows.fetchall())\n```\n"
KEY = "sk-" + "proj-" + "Zb81kQx07LmWs93Tuv65" * 2


def ask(watched, text="x", *, turn_id="t1", **options):
    watched.engine.submit(Prompt(turn_id=turn_id, text=text, **options))
    ended = watched.wait(turn_id)
    assert ended.outcome == "completed", ended.reason
    return watched.view.proposals


def rules(watched):
    return [finding.rule for cut in watched.view.cuts_of("t1") for finding in cut.findings if finding.blocks]


def test_sql_injection_is_cut_and_corrected_from_the_line_above(make_engine):
    watched = make_engine([{"answer": SQL}, {"match": "sql-injection", "answer": SQL_CORRECTED}], rate=400)
    proposal = ask(watched)["t1-1"]
    assert rules(watched) == ["sql-injection"]
    assert "WHERE name = ?" in proposal.source
    assert 'f"SELECT' not in proposal.source
    assert proposal.source.startswith("import sqlite3\nname = input()\n")
    assert proposal.state == "ready"
    said = watched.engine.read(lambda session: status_text(session, watched.engine.link))
    assert "corrected 1×" in said
    assert "sql-injection" in said
    assert "linters that do not work" not in said


def test_the_status_names_the_tools_of_the_second_opinion_that_did_not_work(make_engine):
    watched = make_engine([{"answer": SQL_CORRECTED}])
    said = watched.engine.read(lambda session: status_text(session, None, silent_tools={"ruff", "bandit"}))
    assert "linters that do not work: bandit, ruff" in said


def test_a_key_is_cut_and_replaced_by_the_environment_and_goes_nowhere(make_engine, play_answers):
    answers = [
        {"answer": f'```python\nfrom openai import OpenAI\nclient = OpenAI(api_key="{KEY}")\nprint(1)\n```\n'},
        {
            "match": "os.environ",
            "answer": "```python continue\nimport os\nclient = OpenAI(api_key=os.environ['OPENAI_API_KEY'])\n```\n",
        },
    ]
    watched = make_engine(answers)
    proposal = ask(watched)["t1-1"]
    assert rules(watched) == ["hardcoded-credential"]
    assert "os.environ['OPENAI_API_KEY']" in proposal.source
    assert KEY not in proposal.source


def test_a_model_that_insists_ends_blocked_and_run_asks(make_engine):
    watched = make_engine([{"answer": SQL, "repeat": True}])
    proposal = ask(watched)["t1-1"]
    assert len(watched.view.cuts_of("t1")) == 2
    assert proposal.state == "blocked"
    with pytest.raises(SessionError, match="blocks"):
        watched.engine.say(Run(cell_id="t1-1"))
    watched.engine.say(Run(cell_id="t1-1", confirmed=True))


def test_a_finding_on_the_last_line_without_newline_in_a_fence_that_never_closes_is_corrected(make_engine):
    bad = "```python\nimport os\nos.system(input())"
    watched = make_engine([{"answer": bad}, {"match": "command-injection", "answer": SAFE}])
    assert ask(watched)["t1-1"].source == "print('safe')"
    assert rules(watched) == ["command-injection"]


@pytest.mark.parametrize("tokens", ["split", "characters", "lines"])
def test_a_finding_is_cut_the_same_however_the_text_is_cut_into_deltas(play_answers, tokens):
    answers = [{"answer": SQL}, {"match": "sql-injection", "answer": SQL_CORRECTED}]
    with serve_in_thread(engine=ScriptEngine({"tokens": tokens, "answers": answers})) as info:
        engine = Engine(linker(Settings(base_url=info.url, api_key=Secret(info.token), model="script")))
        try:
            watched = Watched(engine)
            ask(watched)
            assert [cut.cut for cut in watched.view.cuts_of("t1")] == [SQL.split("\n")[4] + "\n"]
        finally:
            engine.close()


def test_a_fence_that_never_closes_is_judged_line_by_line_like_any_other(make_engine):
    bad = "```python\nimport os\nname = input()\nos.system('ls ' + name)\nprint('on and on')\n"
    watched = make_engine([{"answer": bad}, {"match": "command-injection", "answer": SAFE}])
    assert ask(watched)["t1-1"].source == "print('safe')"
    assert [cut.cut for cut in watched.view.cuts_of("t1")] == ["os.system('ls ' + name)\n"]


def test_a_finding_in_an_edit_is_cut_and_the_cell_itself_is_left_alone(make_engine):
    cell = NotebookCell(id="c1", source="name = input()\nprint(name)")
    bad = "```python cell=c1\nimport os\nname = input()\nos.system(name)\n```\n"
    good = "```python cell=c1\nname = input()\nprint(name.title())\n```\n"
    watched = make_engine([{"answer": bad}, {"match": "command-injection", "answer": good}])
    proposal = ask(watched, cells=(cell,), target=Target(edit="c1"), intent="edit")["c1"]
    assert (proposal.kind, proposal.state, proposal.base) == ("edit", "ready", cell.source)
    assert proposal.source == "name = input()\nprint(name.title())"


def test_code_in_a_markdown_cell_only_warns(make_engine):
    answer = "````markdown\n# How not to\n\n```python\nimport os\nos.system(input())\n```\n````\n"
    watched = make_engine([{"answer": answer}])
    proposal = ask(watched)["t1-1"]
    assert proposal.state == "ready"
    assert [finding.severity for finding in proposal.findings] == ["warn"]
    assert watched.view.cuts == []


ALLOWED = "import os\nos.system(input())  # spark: allow command-injection a lesson in shells"


def test_what_a_person_allowed_in_the_cell_stays_allowed_in_its_edit(make_engine):
    answer = f"```python cell=c1\n{ALLOWED}\nprint('done')\n```\n"
    watched = make_engine([{"answer": answer}])
    proposal = ask(watched, cells=(NotebookCell(id="c1", source=ALLOWED),), target=Target(edit="c1"))["c1"]
    assert (proposal.kind, proposal.state) == ("edit", "ready")
    assert [finding.allowed for finding in proposal.findings] == ["a lesson in shells"]


@pytest.mark.parametrize(
    "line",
    [
        "os.system(input())  # spark: allow command-injection a lesson",
        "# spark: allow all a lesson\nos.system(input())",
        "os.system(input())  # noqa # nosec # spark: allow all no reason",
    ],
)
def test_what_the_model_allows_itself_is_cut_all_the_same(make_engine, line):
    answer = f"```python\nimport os\n{line}\n```\n"
    watched = make_engine([{"answer": answer}, {"match": "command-injection", "answer": SAFE}])
    assert ask(watched)["t1-1"].source == "print('safe')"


def test_an_allowance_in_an_edit_counts_only_on_the_line_on_which_the_person_wrote_it(make_engine):
    other = "```python cell=c1\nimport os\nos.system(input('again'))  # spark: allow command-injection a lesson in shells\n```\n"
    watched = make_engine([{"answer": other, "repeat": True}])
    proposal = ask(watched, cells=(NotebookCell(id="c1", source=ALLOWED),), target=Target(edit="c1"))["c1"]
    assert proposal.state == "blocked"


def test_the_model_cannot_agree_with_itself_over_two_turns(make_engine):
    new = f"```python\n{ALLOWED}\n```\n"
    watched = make_engine([{"answer": new, "repeat": True}])
    assert ask(watched)["t1-1"].state == "blocked"
    standing = NotebookCell(id="t1-1", source=ALLOWED)
    assert ask(watched, turn_id="t2", target=Target(edit="t1-1"), cells=(standing,))["t1-1"].state == "blocked"


def test_taint_is_followed_from_the_cells_above(make_engine):
    above = NotebookCell(id="c1", source="import os\npath = input('which file? ')", execution_count=1)
    bad = "```python\nos.system('cat ' + path)\nprint('done')\n```\n"
    watched = make_engine([{"answer": bad}, {"match": "command-injection", "answer": SAFE}])
    assert ask(watched, cells=(above,))["t1-1"].source == "print('safe')"


def test_the_status_says_what_was_found_allowed_corrected_and_withheld(make_engine):
    warned = "```python\nimport hashlib, os\nprint(hashlib.md5(b'x'))\nos.system(input())  # spark: allow command-injection a lesson\n```\n"
    watched = make_engine([{"answer": SQL}, {"match": "sql-injection", "answer": warned}])
    allowing = NotebookCell(id="c2", source="os.system(input())  # spark: allow command-injection a lesson")
    ask(watched, cells=(NotebookCell(id="c1", source=f'key = "{KEY}"'), allowing), target=Target(edit="c2"))
    said = watched.engine.read(lambda session: status_text(session, watched.engine.link))
    assert "corrected 1×" in said
    assert "[sql-injection CWE-89]" in said
    assert "[weak-hash CWE-" in said
    assert "allowed: a lesson" in said
    assert "withheld from prompts: " in said
    assert "cell 1" in said
    assert KEY not in said


# --- the server as a process ---------------------------------------------------------------------------------------------


@contextmanager
def serving(path, answers):
    """``spark-jupyter serve --engine script FILE`` with these answers, and an engine on it."""
    command = [
        sys.executable,
        "-m",
        "spark_jupyter.ui.cli.main",
        "serve",
        "--engine",
        "script",
        str(write_script(path, answers)),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        info = json.loads(process.stdout.readline())
        engine = Engine(linker(Settings(base_url=info["url"], api_key=Secret(info["token"]), model="script")))
        try:
            yield Watched(engine)
        finally:
            engine.close()
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def test_a_served_script_is_cut_and_corrected(tmp_path):
    answers = [{"answer": SQL}, {"match": "sql-injection", "answer": SQL_CORRECTED}]
    with serving(tmp_path / "script.json", answers) as watched:
        proposal = ask(watched)["t1-1"]
        assert rules(watched) == ["sql-injection"]
        assert (proposal.state, "WHERE name = ?" in proposal.source) == ("ready", True)


def test_a_served_script_that_insists_ends_blocked_after_two_corrections(tmp_path):
    with serving(tmp_path / "script.json", [{"answer": SQL, "repeat": True}]) as watched:
        assert ask(watched)["t1-1"].state == "blocked"
        assert rules(watched) == ["sql-injection", "sql-injection"]
        with pytest.raises(SessionError, match="blocks"):
            watched.engine.say(Run(cell_id="t1-1"))


# --- what does not exist ---------------------------------------------------------------------------------------------


def knowing(namespace):
    return Guard(
        others=[
            lambda unrun, earlier: Checker(namespace, unrun=unrun, earlier=earlier, patience=0.0, patience_at_end=0.0)
        ]
    )


def test_an_invented_function_is_cut_and_the_model_is_told_the_nearest_real_one(make_engine):
    import math

    answers = [
        {"answer": "```python\nroot = math.sqroot(2)\nprint(root)\n```\n"},
        {"match": "sqrt", "answer": "```python\nroot = math.sqrt(2)\nprint(root)\n```\n"},
    ]
    watched = make_engine(answers, guard=knowing({"math": math}))
    assert ask(watched)["t1-1"].source == "root = math.sqrt(2)\nprint(root)"
    assert rules(watched) == ["missing-attribute"]


def test_a_column_that_the_living_table_lacks_is_cut(make_engine):
    frame = pd.DataFrame({"price": [1.0, 2.0], "region": ["a", "b"]})
    answers = [
        {"answer": "```python\nby_region = df.groupby('regoin')['price'].mean()\nprint(by_region)\n```\n"},
        {"match": "region", "answer": "```python\nprint(df.groupby('region')['price'].mean())\n```\n"},
    ]
    watched = make_engine(answers, guard=knowing({"df": frame}))
    assert "groupby('region')" in ask(watched)["t1-1"].source
    assert rules(watched) == ["missing-column"]


def test_a_name_that_a_cell_above_will_define_is_not_missed(make_engine):
    not_run = NotebookCell(id="c1", source="total = 3")
    watched = make_engine([{"answer": "```python\nprint(total + 1)\nprint('x')\n```\n"}], guard=knowing({}))
    assert ask(watched, cells=(not_run,))["t1-1"].findings == ()


def test_without_the_reality_check_an_invention_passes(make_engine):
    watched = make_engine([{"answer": "```python\nimport math\nmath.sqroot(2)\nprint(1)\n```\n"}])
    assert "sqroot" in ask(watched)["t1-1"].source
    until(lambda: watched.view.turns["t1"].outcome == "completed")


def test_a_corrected_answer_does_not_say_its_notes_twice(make_engine):
    from spark_jupyter.ids import new_turn_id
    from spark_jupyter.protocol.messages import Prompt

    preface = "This lists the files.\n\nIt asks for a folder first.\n\n"
    bad = preface + "```python\nimport os\nname = input()\nos.system('ls ' + name)\n```\n"
    good = {"match": "## Steer", "answer": preface + "Now without a shell.\n\n```python\nprint(1)\n```\nDone."}
    watched = make_engine([good, {"answer": bad}])
    turn_id = new_turn_id()
    watched.engine.submit(Prompt(turn_id=turn_id, text="list files"))
    assert watched.wait(turn_id, 30).outcome == "completed"
    watched.engine.read(lambda session: None)
    notes = watched.view.turns[turn_id].notes
    assert [line for line in notes.splitlines() if line] == [
        "This lists the files.",
        "It asks for a folder first.",
        "Now without a shell.",
        "Done.",
    ]
    assert watched.engine.read(lambda session: session.turns[-1].notes) == notes


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("earlier", "text", "new"),
    [
        ("One.\nTwo.\n", "One.\nTwo.\n", ""),
        ("One.\n", "One more.\nOne.\n", "One more.\n"),
        ("One.\n\n", "One.\n\nThree", "Three"),
        ("One.", "One.", ""),
        ("", "One.\nOne.\n", "One.\nOne.\n"),
        ("One.", "\nTwo.\n\nThree.\n", "\nTwo.\n\nThree.\n"),
    ],
)
def test_only_whole_lines_that_were_said_are_dropped(earlier, text, new, size):
    from spark_jupyter.prompting.repeated_notes import RepeatedNotes

    repeats = RepeatedNotes(earlier)
    shown = "".join(repeats.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert shown + repeats.flush() == new
