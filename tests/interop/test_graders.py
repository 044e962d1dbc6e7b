"""Real assignments of otter-grader and nbgrader: nothing of their hidden tests is in a prompt or in what is said about a failed check."""

from __future__ import annotations

import json
import os
import subprocess

import nbformat
import pytest
from nbclient import NotebookClient

from benchmarks.strong.relay import Relay
from tests.interop.conftest import ROOT, _needs

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("own_home")]
PROGRAMS = ROOT / ".interop" / "graders-venv" / "bin"
HIDDEN = ("7.125", "8.375", "7.75", "quagga")
TEST = "assert mean([7.125, 8.375]) == 7.75, 'quagga'"
RIGHT, WRONG = "def mean(xs):\n    return sum(xs) / len(xs)", "def mean(xs):\n    return sum(xs) // len(xs)"


def write(path, cells):
    path.parent.mkdir(parents=True, exist_ok=True)
    made = {"code": nbformat.v4.new_code_cell, "raw": nbformat.v4.new_raw_cell}
    book = nbformat.v4.new_notebook(cells=[made[kind](source, metadata=more) for kind, source, more in cells])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, path)


def run(program, *arguments, folder):
    _needs(PROGRAMS / program)
    environment = {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}  # it starts others beside it
    command = [PROGRAMS / program, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def otter(folder):
    """The source of an assignment, and what its students and its grader get."""
    marks = ["# ASSIGNMENT CONFIG\nrun_tests: false", "# BEGIN QUESTION\nname: q1", "# BEGIN SOLUTION"]
    ends = ["# END SOLUTION", "# BEGIN TESTS"]
    tests = ["assert mean([1, 2, 3]) == 2", f"# HIDDEN\n{TEST}"]
    cells = [("raw", mark, {}) for mark in marks] + [("code", f"{RIGHT} # SOLUTION", {})]
    cells += [("raw", mark, {}) for mark in ends] + [("code", test, {}) for test in tests]
    write(folder / "hw.ipynb", [*cells, ("raw", "# END TESTS", {}), ("raw", "# END QUESTION", {})])
    run("otter", "assign", "--no-pdfs", "hw.ipynb", "dist", folder=folder)
    return [folder / "hw.ipynb", *(folder / "dist" / who / "hw.ipynb" for who in ("student", "autograder"))]


def nbgrader(folder):
    """The source of an assignment, and what its students get."""
    about = {"schema_version": 3, "locked": False, "task": False, "grade": False, "solution": True, "grade_id": "q"}
    checks = {**about, "locked": True, "grade": True, "solution": False, "grade_id": "t", "points": 2}
    asserts = f"assert mean([1, 2, 3]) == 2\n### BEGIN HIDDEN TESTS\n{TEST}\n### END HIDDEN TESTS"
    solution = RIGHT.replace("    return", "    ### BEGIN SOLUTION\n    return") + "\n    ### END SOLUTION"
    path = folder / "source" / "hw" / "hw.ipynb"
    write(path, [("code", solution, {"nbgrader": about}), ("code", asserts, {"nbgrader": checks})])
    run("nbgrader", "generate_assignment", "hw", "--CourseDirectory.course_id=c", folder=folder)
    return [path, folder / "release" / "hw" / "hw.ipynb"]


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Runs a notebook with a wrong solution, and below it prompts; what those show, and the requests."""
    spec = {"argv": [str(PROGRAMS / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]}
    (tmp_path / "kernels" / "graders").mkdir(parents=True)
    file = tmp_path / "kernels" / "graders" / "kernel.json"
    file.write_text(json.dumps({**spec, "display_name": "graders", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))

    def play(path):
        relay = Relay()
        monkeypatch.setenv("SPARK_BASE_URL", relay.url)
        monkeypatch.setenv("SPARK_MODEL", "strong")
        book = nbformat.read(path, 4)
        for cell in book.cells:
            cell.source = WRONG if "def mean" in cell.source else cell.source
        prompts = [nbformat.v4.new_code_cell(f"%spark --wait {one}") for one in ("why", "explain", "now the median")]
        book.cells = [nbformat.v4.new_code_cell("%load_ext spark_jupyter"), *book.cells, *prompts]
        where = {"metadata": {"path": str(path.parent)}}
        try:
            NotebookClient(
                book, kernel_name="graders", timeout=300, startup_timeout=300, allow_errors=True, resources=where
            ).execute()
        finally:
            relay.close()
        return [json.dumps(cell.outputs) for cell in prompts], relay.requests

    return play


@pytest.mark.parametrize("make", [otter, nbgrader])
def test_hidden_tests_of_an_assignment_are_never_told(make, play, tmp_path):
    for path in make(tmp_path / "course"):
        shown, requests = play(path)
        assert requests
        assert not [hidden for hidden in HIDDEN for text in (*shown, *requests) if hidden in text], path
        assert "hidden check fails" in shown[0] or not any(hidden in path.read_text() for hidden in HIDDEN)
