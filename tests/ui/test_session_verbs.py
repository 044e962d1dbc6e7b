"""Names that the verbs for the session take, and those that they refuse at once."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from spark_jupyter.connection.discovery import model_file
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.profile import refuse_other_file
from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.server.engines.llama_options import statement_of
from spark_jupyter.ui.magics import session_verbs


@pytest.mark.parametrize(
    ("named", "file"),
    [
        ("lesson", "lesson.spark.jsonl"),
        ("lesson.spark.jsonl", "lesson.spark.jsonl"),
        ("notes.txt", "notes.txt.spark.jsonl"),
        (".", "."),
        ("folder", "folder"),
        (os.devnull, os.devnull),
    ],
)
def test_a_folder_or_a_device_is_recorded_into_as_it_is_named(tmp_path, monkeypatch, named, file):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("")
    asked = []
    engine = SimpleNamespace(record=asked.append, recording=(None, 0))
    session_verbs.record(SimpleNamespace(engine=engine), SimpleNamespace(text=named))
    assert [os.path.normpath(path) for path in asked] == [os.path.normpath(file)]


@pytest.mark.parametrize("name", [".", "..", "./", "~", "bad.json", "Lesson.JSONL", "folder/answers.yaml"])
def test_a_file_that_is_no_model_is_refused_at_once(name):
    with pytest.raises(ConfigurationError, match="no model file"):
        refuse_other_file(name)


@pytest.mark.parametrize("name", ["", "gpt-5.1", "meta/llama-4", "/models/llama", "./models/qwen", "ggml-q4.bin"])
def test_a_name_that_a_server_may_serve_is_taken(name):
    refuse_other_file(name)


def test_where_the_working_folder_is_gone_one_sentence_says_so(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ConfigurationError, match="The working folder is gone"):
        Recorder(report=pytest.fail).begin(Path("lesson.spark.jsonl"))
    with pytest.raises(ConfigurationError, match="can't be read"):
        statement_of(model_file("none.gguf", ""))
