"""A teacher's rules, signed into notebooks: what is valid, what shows, and what the command line says."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys

import msgspec
import pytest
from click.testing import CliRunner

from spark_jupyter.author_rules import AuthorRules, file_rules, rules_of, strictest, with_memory
from spark_jupyter.course_signature import CourseRules, hashes_of, new_key, sign
from spark_jupyter.exceptions import ConfigurationError, PolicyError
from spark_jupyter.policy import Policy, load_policy
from spark_jupyter.ui.cli.main import main
from tests.test_policy import write

SECRET, PUBLIC = new_key()
HINTS = CourseRules(prompts="hints", hints=3, suggestions=False, agents=False, decided_by="Ms Curie")


def cell(cell_id, source, cell_type="code", **metadata):
    made = {"id": cell_id, "cell_type": cell_type, "source": source, "metadata": metadata}
    return made if cell_type != "code" else {**made, "outputs": [], "execution_count": None}


CELLS = [
    cell("title", "# Means", "markdown"),
    cell("work", "def mean(xs): ..."),
    cell("test", "assert mean([1]) == 1", tags=["check"]),
]


def notebook(rules=HINTS, secret=SECRET, cells=CELLS, **spark):
    book = {"cells": copy.deepcopy(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    if rules is not None:
        hashes = hashes_of(book)
        signed = {name: hashes[name] for name in ("title", "test")}
        spark["course"] = msgspec.to_builtins(sign(rules, signed, secret))
    book["metadata"]["spark"] = spark
    return book


def faults(book):
    return [file.fault for file in rules_of(book, "a.ipynb").signed if file.fault]


def refusal(rules, policy=None):
    return rules.above(policy or Policy()).prompts_refusal


def test_signed_rules_hold_as_a_policy_does():
    rules = rules_of(notebook(), "a.ipynb")
    assert (rules.keys, rules.hints, rules.strictest_prompts) == ((PUBLIC,), 3, "hints")
    policy = rules.above(Policy())
    assert policy.hints_only
    assert policy.prompts_refusal is None
    with pytest.raises(PolicyError, match="not allowed by Ms Curie"):
        policy.refuse("suggestions")
    policy.refuse("images")


def test_what_a_student_does_in_cells_of_their_own_changes_nothing():
    book = notebook()
    book["cells"][1]["source"] = "def mean(xs): return sum(xs) / len(xs)"
    book["cells"].append(cell("more", "1 + 1"))
    book["metadata"]["kernelspec"] = {"name": "python3"}
    assert faults(book) == []


TAMPERED = {
    "a rule": lambda book: book["metadata"]["spark"]["course"]["rules"].update(prompts="on"),
    "another rule": lambda book: book["metadata"]["spark"]["course"]["rules"].update(attempts=True, offline=True),
    "an unknown rule": lambda book: book["metadata"]["spark"]["course"]["rules"].update(promts="on"),
    "the signed cells": lambda book: book["metadata"]["spark"]["course"].update(cells={}),
    "the signature": lambda book: book["metadata"]["spark"]["course"].update(signature="AAAA"),
    "no base64": lambda book: book["metadata"]["spark"]["course"].update(signature="ä!"),
    "the key": lambda book: book["metadata"]["spark"]["course"].update(key=new_key()[1]),
    "a text": lambda book: book["metadata"]["spark"].update(course="off"),
    "a check": lambda book: book["cells"][2].update(source="assert True"),
    "a check that is gone": lambda book: book["cells"].pop(),
    "a check that is a note": lambda book: book["cells"][2].update(cell_type="raw"),
    "another cell of a check's id": lambda book: book["cells"].insert(2, cell(book["cells"][2]["id"], "assert True")),
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED.keys())
def test_what_is_changed_shows_and_ends_prompts(change):
    book = notebook()
    change(book)
    assert len(faults(book)) == 1
    refused = refusal(rules_of(book, "a.ipynb"))
    assert refused is not None
    assert "a.ipynb" in refused.message
    assert "signs it again: spark-jupyter course sign" in refused.message
    assert rules_of(book, "a.ipynb").keys == ()


def test_rules_of_another_lesson_do_not_fit():
    other = notebook(CourseRules(), cells=[cell("title", "# Games"), *CELLS[1:]])
    book = notebook()
    book["metadata"]["spark"]["course"] = other["metadata"]["spark"]["course"]
    assert "cell title" in faults(book)[0]


def test_taking_a_signature_out_ends_prompts_until_the_kernel_starts_anew():
    signed = rules_of(notebook(), "a.ipynb")
    for now in (rules_of(notebook(None), "a.ipynb"), rules_of(notebook(CourseRules(), new_key()[0]), "a.ipynb")):
        kept = with_memory(signed, now, "a.ipynb")
        assert "was taken out" in refusal(kept).message
    again = rules_of(notebook(CourseRules()), "a.ipynb")
    assert with_memory(signed, again, "a.ipynb") == again
    assert with_memory(None, AuthorRules(), "a.ipynb") == AuthorRules()


@pytest.fixture
def required(own_home):
    """A policy that wants notebooks signed with the teacher's key."""
    write(own_home / "jupyter_config_dir", f'course_keys = ["{PUBLIC}"]\ndecided_by = "Physics IT"\n')
    return load_policy()


def test_a_policy_can_want_notebooks_signed(required):
    assert refusal(rules_of(notebook(), "a.ipynb"), required) is None
    unknown = rules_of(notebook(HINTS, new_key()[0]), "a.ipynb")
    for rules in (rules_of(notebook(None), "a.ipynb"), unknown, AuthorRules()):
        assert "not signed by a teacher" in refusal(rules, required).message
    both = strictest([rules_of(notebook(), "a.ipynb"), rules_of(notebook(None), "b.ipynb")])
    assert refusal(both, required) is not None


def test_without_the_library_rules_hold_and_count_as_unsigned(required, monkeypatch):
    book = notebook()
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    rules = rules_of(book, "a.ipynb")
    assert rules.above(Policy()).hints_only
    assert refusal(rules, required) is not None


@pytest.mark.parametrize("secret", [b"", b"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_key_does_not_sign(secret):
    with pytest.raises(ConfigurationError, match="can't be read"):
        sign(HINTS, {}, secret)


def test_a_file_that_is_no_notebook_says_nothing(tmp_path):
    (tmp_path / "a.ipynb").write_text("{")
    (tmp_path / "b.ipynb").write_text("[]")
    for name in ("a.ipynb", "b.ipynb", "c.ipynb", "", "a"):
        assert file_rules(str(tmp_path / name) if name else "") == AuthorRules()


@pytest.mark.parametrize(("rules", "runs"), [(None, True), (CourseRules(prompts="off", decided_by="Ms Curie"), False)])
def test_signed_rules_hold_where_nbconvert_runs_the_lesson(tmp_path, script_environment, rules, runs):
    """It tells the kernel of no notebook."""
    script_environment([{"answer": "```python\nseven = 7\n```\n"}])
    prompts = [cell("load", "%load_ext spark_jupyter"), cell("ask", "%spark --run make seven"), cell("see", "seven")]
    book = notebook(rules, cells=[*CELLS[:2], *prompts, CELLS[2]])
    book["cells"][1]["source"] = "def mean(xs): return xs[0]"
    (tmp_path / "lesson.ipynb").write_text(json.dumps(book))
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", "lesson.ipynb"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert (done.returncode == 0) is runs, done.stderr
    assert runs or "Ms Curie" in done.stderr


def run(*arguments):
    return CliRunner().invoke(main, ["course", *map(str, arguments)])


def test_a_teacher_signs_lessons_on_the_command_line(tmp_path):
    made = run("init", "--folder", tmp_path)
    assert made.exit_code == 0, made.output
    public = made.output.split()[-1]
    assert (tmp_path / "course.key").stat().st_mode & 0o77 == 0
    assert run("init", "--folder", tmp_path).exit_code == 1, "a key is not overwritten"
    lesson = tmp_path / "lesson.ipynb"
    written = notebook(None, suggestions="off")
    written["cells"][1]["metadata"] = {"tags": ["task"], "spark": {"hints": [1, 2], "model": "m"}}
    lesson.write_text(json.dumps(written))
    assert "is not signed" in run("verify", lesson).output
    options = ("--key", tmp_path / "course.key", "--rules", tmp_path / "course.toml")
    assert run("sign", lesson, *options).exit_code == 0
    assert run("verify", lesson, "--key", public).output.strip().endswith("as it was signed")
    assert run("verify", lesson, "--key", PUBLIC).exit_code == 1
    book = json.loads(lesson.read_text())
    assert [one["metadata"].get("editable") for one in book["cells"]] == [False, None, False]
    assert book["metadata"]["spark"]["suggestions"] == "off"
    assert book["cells"][1]["metadata"] == {"tags": ["task"]}, "hints that the teacher tried are no student's"
    assert file_rules(str(lesson)).hints == 4
    book["cells"][2]["source"] = ["assert True"]
    lesson.write_text(json.dumps(book))
    changed = run("verify", lesson)
    assert (changed.exit_code, "cell test" in changed.output) == (1, True)
    book["metadata"]["spark"]["course"] = msgspec.to_builtins(sign(HINTS, {"a\n::error::\x1b[2J\u202e": "h"}, SECRET))
    lesson.write_text(json.dumps(book))
    hostile = run("verify", lesson).output
    assert "::error" in hostile
    assert hostile.count("\n") == 1, "a cell's id says nothing to a terminal or to CI"
    assert hostile.strip().isprintable()
    lesson.write_text(json.dumps(notebook(None, cells=[])))
    assert "has no cells" in run("sign", lesson, *options).output
    (tmp_path / "course.toml").write_text("promts = 'off'\n")
    refused = run("sign", lesson, *options)
    assert (refused.exit_code, "promts" in refused.output) == (1, True)


def test_a_limit_counts_by_the_signature_and_an_unsigned_one_by_the_path():
    limited = CourseRules(prompt_limit=10, log_prompts=True, decided_by="Ms Curie")
    signed = rules_of(notebook(limited), "a.ipynb")
    policy = signed.above(Policy())
    assert (policy.prompt_limit, policy.prompt_reader, signed.counts_prompts) == (10, "Ms Curie", True)
    assert signed.lesson == rules_of(notebook(limited), "copy.ipynb").lesson
    unsigned = rules_of(notebook(None, prompt_limit=3), "a.ipynb")
    assert (unsigned.prompt_limit, unsigned.lesson, unsigned.counts_prompts) == (3, "a.ipynb", True)
    both = strictest([AuthorRules(lesson="b.ipynb", notebook="b.ipynb"), signed, unsigned])
    assert (both.prompt_limit, both.lesson, both.above(Policy()).prompt_limit) == (3, signed.lesson, 10)
    for wrong in (0, -1, True, "3", 1.5, None):
        assert rules_of(notebook(None, prompt_limit=wrong), "a.ipynb").prompt_limit is None


def test_nobodys_words_are_kept_for_a_teacher_whose_signature_was_not_looked_at(monkeypatch):
    book = notebook(CourseRules(prompt_limit=10, log_prompts=True))
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    policy = rules_of(book, "a.ipynb").above(Policy())
    assert (policy.prompt_limit, policy.prompt_reader) == (10, "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes and devices in folders")
def test_the_log_is_written_for_a_spreadsheet(tmp_path):
    folder = tmp_path / "ana" / "spark_jupyter" / "prompts"
    folder.mkdir(parents=True)
    entries = [
        {"time": "2026-11-27T10:00:00+00:00", "text": "=1+1", "kind": "hints"},
        {"time": "2026", "person": "ana"},
    ]
    deep = '{"time": ' + "[" * 100_000
    (folder / "1.jsonl").write_text("\n".join([deep, *map(json.dumps, entries)]))
    (folder / "2.jsonl").symlink_to("/dev/zero")
    os.mkfifo(folder / "3.jsonl")
    output = tmp_path / "prompts.csv"
    said = run("log", "--data", tmp_path / "ana", "--data", tmp_path / "nobody", "--output", output)
    assert said.output == f"1 prompts written to {output}.\n"
    header, line = output.read_text().splitlines()
    assert header == "data,time,person,name,notebook,kind,text"
    assert line.endswith("hints,'=1+1")
