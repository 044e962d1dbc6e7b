"""Files that runs wrote come back with the variables: all of them or nothing, within the folder, and nobody else's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.sandbox.checkpoints import file_history
from spark_jupyter.sandbox.checkpoints.restoration import prepared

from .leavings import until
from .test_checkpoints import Past
from .test_undo import Undoing


@pytest.fixture
def work(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("a.csv", "gone.txt", "untouched.txt"):
        (folder / name).write_text("before")
    (folder / "data").mkdir()
    (folder / "data" / "b.csv").write_text("before")
    return folder


@pytest.fixture
def past(bench, work) -> Iterator[Undoing]:
    made = Undoing(bench.shell)
    made.kept.keep_files(str(work))
    made.run("from pathlib import Path\nimport os, shutil\nx = 1")
    yield made
    made.kept.close()


def tree(folder: Path) -> dict[str, str]:
    return {
        str(one.relative_to(folder)): one.read_text() if one.is_file() else "folder"
        for one in sorted(folder.rglob("*"))
    }


def back_to(past: Past, number: int) -> None:
    """Go back to before a run, and keep what is left."""
    moment = past.kept.before_run(number)
    assert moment is not None
    go(past, moment)


def go(past, moment) -> None:
    with prepared(past.shell, past.kept, moment) as ready:
        past.kept.save("left", pinned=False)
        ready.apply()
    past.kept.came_back(moment)


WRITES = """x = 2
Path('a.csv').write_text('after')
Path('data/b.csv').write_text('longer than before')
os.unlink('gone.txt')
os.makedirs('out/deep/empty')
Path('out/deep/new.png').write_text('new')
"""


def test_files_that_a_run_wrote_made_and_deleted_come_back_and_go_forth_again(past, work):
    before, inode = tree(work), (work / "untouched.txt").stat()
    past.run(WRITES)
    after = tree(work)
    back_to(past, 2)
    assert tree(work) == before
    assert past["x"] == 1
    assert (work / "untouched.txt").stat() == inode
    go(past, next(one for one in past.kept.moments if one.name == "left"))
    assert tree(work) == after
    assert past["x"] == 2
    past.run("Path('a.csv').write_text('later')")
    assert "a.csv restored" in past.undo()
    assert tree(work) == after


def test_a_file_that_came_back_is_named_no_more(past):
    past.run("Path('a.csv').write_text('after')")
    past.run("x = 2")
    back_to(past, 2)
    moment = past.kept.before_run(2)
    past.run("x = 3")
    with prepared(past.shell, past.kept, moment) as ready:
        assert (ready.changes.files_words, ready.changes.files) == ((), ())


def test_undo_names_what_becomes_of_each_file(past):
    past.run(WRITES)
    said = past.undo()
    assert all(f"{name} restored" in said for name in ("a.csv", "data/b.csv", "gone.txt"))
    assert "out/deep/new.png removed" in said
    assert "untouched" not in said
    assert "Not undone" not in said


def test_rights_and_time_of_a_file_come_back(past, work):
    os.chmod(work / "a.csv", 0o640)
    then = (work / "a.csv").stat()
    past.run("Path('a.csv').unlink()\nPath('a.csv').write_text('other')\nos.chmod('a.csv', 0o600)")
    past.undo()
    now = (work / "a.csv").stat()
    assert (now.st_mode, now.st_mtime_ns) == (then.st_mode, then.st_mtime_ns)


def test_what_something_else_has_written_since_stays_and_is_named(past, work):
    past.run("Path('a.csv').write_text('by the run'); Path('gone.txt').write_text('by the run')")
    (work / "a.csv").write_text("by an editor")
    (work / "notes.txt").write_text("by an editor")
    said = past.undo()
    assert (work / "a.csv").read_text() == "by an editor"
    assert (work / "gone.txt").read_text() == "before"
    assert (work / "notes.txt").exists()
    assert "a.csv was written and stays" in said
    assert "notes.txt was written and stays" in said


def test_a_file_that_is_written_while_a_return_is_prepared_stays(past, work):
    past.run("Path('a.csv').write_text('by the run')")
    with prepared(past.shell, past.kept, past.kept.before_run(1)) as ready:
        (work / "a.csv").write_text("by an editor")
        with pytest.raises(SessionError, match="written meanwhile"):
            ready.apply()
    assert (work / "a.csv").read_text() == "by an editor"


def test_cells_run_on_where_the_folder_is_gone(past, work):
    shutil.rmtree(work)
    past.run("y = 3")
    past.run("y = 4")
    assert "y restored" in past.undo()
    assert past["y"] == 3


def test_hidden_files_and_folders_and_notebooks_are_left_alone(past, work):
    (work / "book.ipynb").write_text("{}")
    past.run("Path('.env').write_text('a')")
    past.run(
        "Path('book.ipynb').write_text('[]'); os.mkdir('.cache'); Path('.cache/x').write_text('x'); Path('.env').write_text('b')"
    )
    assert "Not undone: .env was written and stays" in past.undo()
    assert (work / "book.ipynb").read_text() == "[]"
    assert (work / ".cache" / "x").exists()


@pytest.mark.parametrize("name", ["data/b.csv", "a.csv"])
def test_no_link_is_followed(past, work, name):
    outside = work.parent / "outside"
    outside.mkdir()
    (outside / "b.csv").write_text("outside")
    target = outside if "/" in name else outside / "b.csv"
    linked = work / name.partition("/")[0]
    past.run(
        f"Path({name!r}).write_text('after')\nif Path({str(linked)!r}).is_dir(): shutil.rmtree({str(linked)!r})\n"
        f"else: os.unlink({str(linked)!r})\nos.symlink({str(target)!r}, {str(linked)!r})\nx = 2"
    )
    past.undo()
    assert (outside / "b.csv").read_text() == "outside"
    assert (work / name).read_text() == "before"
    assert not linked.is_symlink()


def test_a_file_with_another_name_is_not_written_through_it(past, work):
    outside = work.parent / "outside.csv"
    past.run(f"Path('a.csv').write_text('after'); os.link('a.csv', {str(outside)!r})")
    past.undo()
    assert outside.read_text() == "after"
    assert (work / "a.csv").read_text() == "before"


def test_where_one_file_cannot_come_back_nothing_is_changed(past, work, monkeypatch):
    past.run(WRITES)
    after = tree(work)
    fill = file_history._Place.fill

    def fails(self, path, staged):
        if path == "gone.txt":
            raise OSError(28, "No space left on device")
        fill(self, path, staged)

    with monkeypatch.context() as full:
        full.setattr(file_history._Place, "fill", fails)
        with pytest.raises(SessionError, match="Nothing was changed"):
            past.undo()
    assert tree(work) == after
    assert past["x"] == 2
    past.undo()
    assert (work / "a.csv").read_text() == "before"
    assert past["x"] == 1


def test_a_folder_in_which_there_is_something_else_now_stays(past, work):
    past.run("os.mkdir('out'); Path('out/new.txt').write_text('new')")
    (work / "out" / "mine.txt").write_text("mine")
    past.undo()
    assert tree(work / "out") == {"mine.txt": "mine"}


def test_too_many_files_and_too_large_ones_stay(past, work, monkeypatch):
    monkeypatch.setattr(file_history, "_MOST_OF_ONE", 10)
    past.run("Path('large.bin').write_text('x' * 100)")
    past.run("Path('large.bin').write_text('y' * 100)")
    assert "large.bin was written and stays" in past.undo()
    assert "large.bin was written and stays" in past.undo(), "it can't come forth again"
    assert (work / "large.bin").read_text() == "y" * 100
    monkeypatch.setattr(file_history, "MOST_FILES", 3)
    past.run("Path('a.csv').write_text('after')")
    assert "a.csv was written and stays" in past.undo()
    assert "Files do not come back: the folder holds more than 3." in past.kept.status()
    assert (work / "a.csv").read_text() == "after"


def test_contents_go_with_their_moments_and_with_the_history(past, work):
    assert past.kept.files is not None
    folder = Path(past.kept.files._folder.path)
    assert folder.stat().st_mode & 0o777 == 0o700
    for number in range(3):
        past.run(f"Path('a.csv').write_text('{number}')")
    many = len(list(folder.iterdir()))
    for run in past.kept.runs[1:]:
        past.kept.forget(run)
    past.run("pass")
    until(lambda: len(list(folder.iterdir())) < many)  # a thread may hold the last one for a moment
    past.kept.keep_files("")
    assert not folder.exists()


def test_a_folder_that_is_too_deep_keeps_no_other_from_coming_back(deep_folder):
    (deep_folder / "a.csv").write_text("before")
    history = file_history.FileHistory(str(deep_folder))
    then = history.state()
    (deep_folder / "a.csv").write_text("after")
    history.ran(then)
    changes = history.changes(then)
    assert changes is not None
    assert changes.back == ("a.csv",)
    history.bring_back(then, changes)
    assert (deep_folder / "a.csv").read_text() == "before"
    history.close()
