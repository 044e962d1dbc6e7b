"""``spark-jupyter check`` in a repository as people have them: renamed and deleted files, submodules, line ends and encodings of others."""

from __future__ import annotations

import json
import py_compile
import subprocess

import pytest

from tests.nursery import commands

LOADS = "import yaml\nd = yaml.load(f, Loader=yaml.Loader)\n"
SAFE = "import yaml\nd = yaml.safe_load(f)\n"
FILLED = "".join(f"x{n} = {n}\n" for n in range(9))


def check(*arguments, cwd):
    return subprocess.run(
        commands().spark("check", *arguments), cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=60
    )


def git(folder, *arguments):
    options = ["-c", "user.email=a@b.c", "-c", "user.name=n", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder, **files):
    folder.mkdir(exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    for name, data in files.items():
        (folder / f"{name}.py").write_bytes(data.encode() if isinstance(data, str) else data)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "more")
    return folder


@pytest.fixture
def repository(tmp_path):
    return commit(tmp_path / "a project", loads=LOADS + FILLED, other=FILLED)


def test_a_renamed_file_has_nothing_new(repository):
    git(repository, "mv", "loads.py", "new name.py")
    assert check("new name.py", "--diff", "HEAD", cwd=repository).stdout == ""
    (repository / "new name.py").write_text(LOADS + FILLED + "e = yaml.load(g, Loader=yaml.Loader)\n")
    assert "new name.py:12:" in check("new name.py", "--diff", "HEAD", cwd=repository).stdout


def test_a_line_that_input_reaches_since_then_is_new(repository):
    commit(repository, runs="import os\ncommand = 'ls'\nos.system(command)\n")
    (repository / "runs.py").write_text("import os\ncommand = input()\nos.system(command)\n")
    done = check("runs.py", "--diff", "HEAD", cwd=repository)
    assert done.returncode == 1
    assert "runs.py:3:" in done.stdout


def test_a_new_file_beside_a_deleted_one_of_other_text_is_new(repository):
    git(repository, "rm", "-q", "other.py")
    (repository / "fresh.py").write_text(LOADS)
    assert "fresh.py:2:" in check("fresh.py", "--diff", "HEAD", cwd=repository).stdout


def test_a_file_that_was_deleted_since_is_no_error(repository):
    git(repository, "rm", "-q", "loads.py")
    done = check("loads.py", "other.py", "--diff", "HEAD", cwd=repository)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert check("never.py", "--diff", "HEAD", cwd=repository).returncode == 2
    assert check("loads.py", cwd=repository).returncode == 2


def test_line_ends_of_another_system_make_no_line_new(repository):
    commit(repository, ends=LOADS.replace("\n", "\r\n"))
    with (repository / "ends.py").open("ab") as file:
        file.write(b"z = 1\r\n")
    assert check("ends.py", "--diff", "HEAD", cwd=repository).stdout == ""
    (repository / "ends.py").write_bytes(LOADS.encode())
    assert check("ends.py", "--diff", "HEAD", cwd=repository).stdout == ""


def test_in_a_submodule_the_revision_is_that_of_the_repository_around_it(repository, tmp_path):
    inner = commit(tmp_path / "inner", s=LOADS)
    git(repository, "submodule", "add", "-q", str(inner), "sub mod/inner")
    commit(repository)
    path = "sub mod/inner/s.py"
    assert check(path, "--diff", "HEAD", cwd=repository).stdout == ""
    assert "s.py:2:" in check(path, "--diff", "HEAD~1", cwd=repository).stdout
    assert check("s.py", "--diff", "HEAD", cwd=repository / "sub mod" / "inner").stdout == ""
    assert "git has no revision nothing" in check(path, "--diff", "nothing", cwd=repository).stderr


def test_a_mark_at_the_beginning_and_a_declared_encoding_are_no_findings(tmp_path):
    (tmp_path / "mark.py").write_bytes(b"\xef\xbb\xbf" + SAFE.encode())
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\nname = 'caf\xe9'\n")
    assert check("mark.py", "latin.py", cwd=tmp_path).stdout == ""


@pytest.mark.parametrize(
    "data",
    [
        LOADS.encode(),
        LOADS.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + LOADS.encode(),
        b"# coding: latin-1\nname = 'caf\xe9'\n" + LOADS.encode(),
        b"import random\r\ntoken = random.choice(letters)\r\n",
        b'"""A title."""\nimport random\n\n\ntoken = "".join(random.choice(letters) for _ in range(9))  # why\n',
    ],
)
def test_a_mended_file_parses_has_the_same_ends_and_encoding_and_is_not_mended_again(tmp_path, data):
    file = tmp_path / "file.py"
    file.write_bytes(data)
    assert "mended" in check("--fix", "file.py", cwd=tmp_path).stderr
    better = file.read_bytes()
    py_compile.compile(str(file), cfile=str(tmp_path / "c"), doraise=True)
    assert better.startswith(data[:3]) or data.startswith((b"import random", b'"""'))
    assert better.count(b"\r\n") in {0, better.count(b"\n")}
    again = check("--fix", "file.py", cwd=tmp_path)
    assert (again.stdout, again.stderr, file.read_bytes()) == ("", "", better)


def test_what_can_not_be_mended_does_not_keep_the_others_from_it(tmp_path):
    (tmp_path / "a.py").write_bytes(b"x = '\xff\xfe'\n" + LOADS.encode())
    (tmp_path / "b.py").write_text(LOADS)
    done = check("--fix", "a.py", "b.py", cwd=tmp_path)
    assert "a.py: not fixed: it is not utf-8" in done.stderr
    assert (tmp_path / "b.py").read_text() == SAFE
    assert done.returncode == 2


@pytest.mark.parametrize("indent", [1, 4, None])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_of_a_notebook_only_the_lines_that_are_mended_change(tmp_path, indent, ends):
    cells = [
        {
            "cell_type": "code",
            "id": "a",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": LOADS.splitlines(True),
        },
        {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "caf\u00e9"},
        {
            "cell_type": "code",
            "id": "c",
            "metadata": {},
            "outputs": [],
            "execution_count": 1,
            "source": "yaml.load(f, Loader=yaml.Loader)",
        },
    ]
    book = {
        "metadata": {"language_info": {"name": "python"}, "x": 1.5},
        "cells": cells,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    before = json.dumps(book, indent=indent).replace("1.5", "1.50").replace("\n", ends)
    file = tmp_path / "book.ipynb"
    file.write_bytes(before.encode())
    assert check("--fix", "book.ipynb", cwd=tmp_path).stderr.count("mended") == 2
    after = file.read_bytes().decode()
    assert after == before.replace("yaml.load(f, Loader=yaml.Loader)", "yaml.safe_load(f)")
    assert check("--fix", "book.ipynb", cwd=tmp_path).stderr == ""


def test_a_baseline_knows_a_file_however_its_path_is_typed(repository):
    check("--write-baseline", "known.json", "./loads.py", cwd=repository)
    for path in ("loads.py", "./loads.py", "../a project/loads.py"):
        known = path != "../a project/loads.py"
        assert (check("--baseline", "known.json", path, cwd=repository).stdout == "") == known


@pytest.fixture
def program(tmp_path):
    """A program that a repository names, and what tells that it ran."""
    ran, file = tmp_path / "ran", tmp_path / "program"
    file.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    file.chmod(0o755)
    return file, ran


def test_nothing_that_a_repository_names_is_run_to_fetch_what_it_lacks(repository, program):
    file, ran = program
    (repository / "loads.py").write_text(LOADS + FILLED + LOADS)
    blob = subprocess.run(["git", "rev-parse", "HEAD:loads.py"], cwd=repository, capture_output=True, text=True)
    name = blob.stdout.strip()
    (repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": str(repository),
        "remote.origin.uploadpack": str(file),
        "core.fsmonitor": str(file),
    }.items():
        git(repository, "config", key, value)
    assert "loads.py" in check("loads.py", "--diff", "HEAD", cwd=repository).stdout
    assert not ran.exists()


def test_nothing_that_the_repository_around_another_one_names_is_run(repository, program):
    file, ran = program
    commit(repository / "inner", loads=LOADS + FILLED)
    git(repository, "add", "-A", "-f")
    git(repository, "commit", "-qm", "with another repository in it")
    git(repository, "config", "core.fsmonitor", str(file))
    (repository / "inner" / "loads.py").write_text(LOADS + FILLED + LOADS)
    ran.unlink(missing_ok=True)
    assert check("inner/loads.py", "--diff", "HEAD", cwd=repository).stdout.count("loads.py:") == 1
    assert not ran.exists()
