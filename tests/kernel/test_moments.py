"""Moments on a real kernel, in the words of %spark."""

from __future__ import annotations

from .test_checkpoints import editing
from .test_magics import ANSWER, loaded


def test_a_return_shows_first_what_it_changes_and_then_does_it_and_forth_works(start_kernel):
    kernel = editing(start_kernel, "None", "sales = sales.drop(columns='price')\nx = 1")
    kernel.run("%spark save before-more")
    kernel.run("import os, random\nx = 2\nrandom.seed(1)\nos.environ['MADE'] = 'here'\nx")
    shown = kernel.run("%spark back before-more")
    assert "x: 2 → 1" in shown
    assert "the environment" in shown
    assert "%spark back before-more --yes" in shown
    assert kernel.run("print(x, os.environ['MADE'])").strip() == "2 here"
    went = kernel.run("%spark back before-more --yes")
    assert "the kernel is as it was at before-more: x, " in went
    assert "os, random removed" in went
    assert kernel.run("import os; print(x, 'MADE' in os.environ, list(sales))").strip() == "1 False ['day']"
    assert "Its output is of a run that was undone" in kernel.run("%spark review")
    kernel.run("%spark back left-1 --yes")
    assert kernel.run("print(x, os.environ['MADE'], Out)").strip().startswith("2 here {")


def test_the_conversation_comes_back_and_forth(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("x = 1")
    kernel.run("%spark save empty")
    kernel.run("%spark --wait double the pears")
    turns = (
        "get_ipython().magics_manager.magics['line']['spark'].pair.engine.read(lambda s: len(s.dialogue._exchanges))"
    )
    assert kernel.run(turns) == "1"
    assert "1 turn no longer known to the model" in kernel.run("%spark back empty --yes")
    assert kernel.run(turns) == "0"
    assert "1 turn known to it again" in kernel.run("%spark back left-1 --yes")
    assert kernel.run(turns) == "1"


def test_an_accepted_turn_has_a_moment_before_it_and_the_rest_is_said(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("pears = 1")
    kernel.run("%spark --wait double the pears")
    assert "turn 1" not in kernel.run("%spark back")
    turn = "get_ipython().magics_manager.magics['line']['spark'].pair.engine.read(lambda s: s.turns[-1].id)"
    turn_id = kernel.run(f"print({turn})").strip()
    assert "1 turn no longer known to the model" in kernel.run(f"%spark back #{turn_id}"), "its prompt is edited"
    kernel.run("%spark accept")
    assert "double the pears" in kernel.run("%spark back")
    unchanged = kernel.run("%spark back turn 1")
    assert "1 turn no longer known to the model" in unchanged
    assert "they stay as they are, as no page of JupyterLab is attached" in unchanged
    kernel.run("pears = 2")
    assert "pears: 2 → 1" in kernel.run("%spark back turn 1")
    assert "before turn 1: pears restored" in kernel.run("%spark back turn 1 --yes")
    assert kernel.run("print(pears)").strip() == "1"
    kernel.run("%spark back left-1 --yes")
    assert kernel.run("print(pears)").strip() == "2"


def test_what_is_left_is_a_branch_under_the_name_that_is_given(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("pears = 1")
    kernel.run("%spark --wait double the pears")
    kernel.run("%spark accept")
    kernel.run("pears = 2")
    assert "name that is not a number" in kernel.run("%spark back turn 1 --yes --branch 3")
    assert "Return to what you left: %spark back doubled" in kernel.run("%spark back turn 1 --yes --branch doubled")
    listed = next(line for line in kernel.run("%spark back").splitlines() if "doubled" in line)
    assert "double the pears" in listed, "the last prompt tells it from others"
    assert "Return to what you left: %spark back left-1" in kernel.run("%spark back doubled --yes")
    assert kernel.run("print(pears)").strip() == "2"
    assert "Return to what you left: %spark back doubled-1" in kernel.run("%spark back turn 1 --branch doubled --yes")


def test_a_moment_is_found_by_steps_cell_and_name_and_an_unknown_one_is_said(start_kernel):
    kernel = editing(start_kernel, "None", "x = 1")
    kernel.run("x = 2")
    kernel.run("x = 3")
    listed = kernel.run("%spark back")
    assert "cell 4" in listed
    assert "x = 3" in listed
    assert "x: 3 → 1" in kernel.run("%spark back 2")
    assert "x: 3 → 2" in kernel.run("%spark back cell 5")
    message = kernel.start("%spark back nowhere")
    kernel.until(lambda: kernel.idle(message))
    assert "There is no moment nowhere" in str(kernel.of(message, "error") + kernel.of(message, "stream"))


def test_without_checkpoints_the_cells_are_run_in_a_fresh_copy_and_offered(start_kernel):
    kernel = editing(start_kernel, "None", "x = 1")
    kernel.run('%config SparkMagics.checkpoints = "off"')
    kernel.run("x = 2")
    kernel.run("x = 3")
    shown = kernel.run("%spark back 1")
    assert "are not kept. Checkpoints were switched off." in shown
    assert "They ran in a fresh copy." in kernel.run("%spark back 1 --yes")
    assert kernel.run("print(x)").strip() == "3"


def test_files_come_back_too_where_that_is_wanted(start_kernel, tmp_path):
    kernel = editing(start_kernel, "None", f"import os; os.chdir({str(tmp_path)!r}); open('early.txt', 'w').write('x')")
    kernel.run("get_ipython().magics_manager.magics['line']['spark'].pair.folder = os.getcwd()")
    kernel.run("%config SparkMagics.back_files = True")
    kernel.run("with open('early.txt', 'w') as early: _ = early.write('later')\nopen('made.txt', 'w').close()\nx = 1")
    shown = kernel.run("%spark back 1")
    assert "files: early.txt restored, made.txt removed" in shown
    assert "was written and stays" not in shown
    assert "early.txt restored; made.txt removed" in kernel.run("%spark back 1 --yes")
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"early.txt": "x"}
    kernel.run("%spark back left-1 --yes")
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"early.txt": "later", "made.txt": ""}
