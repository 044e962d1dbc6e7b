"""Restart & Run All in a fresh process: what fails there is told, and nothing of it is kept."""

from __future__ import annotations

import os
import threading

import pytest

from spark_jupyter.sandbox import unavailable
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.restart_check import Restart


@pytest.fixture
def outcomes(tmp_path):
    if reason := unavailable():
        pytest.skip(reason)

    def run(*sources, **options):
        found = []
        problem = Restart(sources, folder=str(tmp_path), **options).run(found.append)
        return found, problem

    return run


def test_each_cell_is_told_up_to_the_first_that_fails(outcomes):
    found, problem = outcomes("x = 1", "y = x + 1\nprint(y)\nundefined", "never = 1")
    assert problem == ""
    assert [(one.number, one.error, one.line) for one in found] == [
        (0, "", None),
        (1, "NameError: name 'undefined' is not defined", 3),
    ]


def test_files_are_written_in_a_copy_of_the_folder_and_read_again(outcomes, tmp_path):
    (tmp_path / "data.csv").write_text("a\n1\n")
    (tmp_path / "helper.py").write_text("number = 42\n")
    found, problem = outcomes(
        "import helper\ntext = open('data.csv').read()\nopen('data.csv', 'w').write('b')\nopen('more.txt', 'w').write('m')",
        "assert (text, open('data.csv').read(), open('more.txt').read(), helper.number) == ('a\\n1\\n', 'b', 'm', 42)",
    )
    assert (problem, [one.error for one in found]) == ("", ["", ""])
    assert (tmp_path / "data.csv").read_text() == "a\n1\n"
    assert sorted(os.listdir(tmp_path)) == ["data.csv", "helper.py"]


def test_what_surprises_is_told_with_its_cell(outcomes):
    pytest.importorskip("numpy")
    found, _ = outcomes(
        "import numpy as np\ny = np.arange(5)", "guess = y.copy()\nguess.shape = (5, 1)", "error = y - guess"
    )
    assert [(one.number, [sighting.rule for sighting in one.sightings]) for one in found] == [
        (0, []),
        (1, []),
        (2, ["broadcast-by-accident"]),
    ]


def test_a_wall_and_the_time_are_no_fault_of_the_cell(outcomes):
    found, _ = outcomes("import socket\nsocket.create_connection(('127.0.0.1', 9))")
    assert [one.refused for one in found if one.error] == [True]
    found, problem = outcomes("x = 1", "import time\ntime.sleep(60)", limits=Limits(seconds=1.5))
    assert problem or any(one.late for one in found)


def test_a_cell_that_ends_the_process_is_a_problem_and_leaves_nothing(outcomes):
    found, problem = outcomes("x = 1", "import os\nos._exit(3)")
    assert [one.number for one in found] == [0]
    assert "exit status 3" in problem


def test_a_run_that_is_cancelled_ends_at_once(tmp_path):
    if reason := unavailable():
        pytest.skip(reason)
    restart = Restart(("x = 1", "import time\ntime.sleep(600)"), folder=str(tmp_path))
    begun, ended = threading.Event(), threading.Event()
    said = []

    def run():
        said.append(restart.run(lambda outcome: begun.set()))
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    assert begun.wait(60)
    restart.cancel()
    assert ended.wait(60)
    assert said == [""]


def test_a_path_that_only_the_notebook_names_is_not_read(outcomes, tmp_path_factory):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.txt"
    secret.write_text("hidden")
    source = f"text = open({str(secret)!r}).read()"
    assert [(one.error[:15], one.refused) for one in outcomes(source)[0] if one.error] == [("PermissionError", True)]
    assert not any(one.error for one in outcomes(source, named=[str(secret)])[0])


def test_the_environment_is_thin_and_a_withheld_variable_is_no_fault(outcomes, monkeypatch):
    monkeypatch.setenv("A_TOKEN", "hush-hush")
    attempt = "assert 'hush' not in open('/proc/self/environ').read() + str(dict(os.environ))"
    found = [one for one in outcomes("import os", attempt, "os.environ['A_TOKEN']")[0] if one.error]
    assert [(one.number, one.refused) for one in found] == [(2, True)]
    assert "A_TOKEN is not given" in found[0].error
    found, _ = outcomes("import os", "assert os.environ['A_TOKEN'] == 'hush-hush'", variables=["A_TOKEN"])
    assert not any(one.error for one in found)


def test_results_that_a_cell_writes_itself_are_none(outcomes):
    forge = """
import os
from spark_jupyter.sandbox.copy_protocol import Ended, Measured, Ran, frame
said = b"".join(map(frame, [Ran(number=0), Measured(number=0, effects=(), memory=0), Ran(number=1), Ended()]))
for name in os.listdir("/proc/self/fd"):
    try:
        if int(name) > 2:
            os.write(int(name), said)
    except OSError:
        pass
"""
    found, problem = outcomes(forge, "raise ValueError")
    assert "wrote results itself" in problem
    assert {one.number for one in found} <= {0}


def test_a_folder_that_is_too_deep_is_copied_so_far(outcomes, deep_folder):
    (deep_folder / "a.csv").write_text("x")
    found, problem = outcomes("open('deep/a.csv').read()")
    assert (problem, [one.error for one in found]) == ("", [""])
