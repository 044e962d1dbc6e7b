"""A model's process that prints, goes silent or dies while it starts."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from spark_jupyter.exceptions import ServerError
from spark_jupyter.server.engines.llama import LlamaEngine, _Process
from spark_jupyter.server.engines.llama_process import Order

SILENT = "exec sleep 1000"
ORDER = Order(path="none.gguf", key="k", threads=1, context=8, lanes=1, gpu_layers=0, batch=1)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "its process ended (3)"),
        ("echo garbage; exit 3", "its process ended (3)"),
        ("""echo '{"problem": "no memory"}'; cat""", "no memory"),
        ("echo garbage; cat", "its process ended (-9)"),
        ("trap '' TERM; while :; do echo garbage; done", "its process ended (-9)"),
        ("exec tr '\\0' x </dev/zero", "its process ended (-9)"),
    ],
    ids=["dies", "prints and dies", "refuses", "prints and stays", "prints for ever", "one line without end"],
)
def test_a_process_that_does_not_start_is_ended_and_told(
    script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "python"
    file.write_text(f"#!/bin/sh\nread order\n{script}\n")
    file.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(file))
    with pytest.raises(ServerError) as caught:
        _Process(ORDER)
    assert said in caught.value.message


def test_a_models_process_gets_no_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "python"
    file.write_text("""#!/bin/sh\necho "{\\"problem\\": \\"$ANTHROPIC_API_KEY$HF_TOKEN $WHERE\\"}"; cat\n""")
    file.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(file))
    for name in ("ANTHROPIC_API_KEY", "HF_TOKEN"):
        monkeypatch.setenv(name, "hunter2")
    monkeypatch.setenv("WHERE", "at-home")
    with pytest.raises(ServerError) as caught:
        _Process(ORDER)
    assert "at-home" in caught.value.message
    assert "hunter2" not in caught.value.message


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's process that loads for ever, as a chat template with a loop without end makes it."""
    file = tmp_path / "python"
    file.write_text(f"#!/bin/sh\nread order\n{SILENT}\n")
    file.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(file))


@pytest.mark.usefixtures("silent")
def test_a_process_that_loads_for_ever_ends_with_the_engine() -> None:
    engine = LlamaEngine.__new__(LlamaEngine)
    engine._lock, engine._closing, engine._process = threading.Lock(), threading.Event(), None
    errors: list[ServerError] = []

    def load() -> None:
        with engine._lock:
            loading.set()
            try:
                _Process(ORDER, given_up=engine._closing.is_set)
            except ServerError as error:
                errors.append(error)

    loading = threading.Event()
    thread = threading.Thread(target=load)
    thread.start()
    assert loading.wait(60)
    engine.close()
    thread.join()
    assert "its process ended (-9)" in errors[0].message


@pytest.mark.usefixtures("silent")
def test_a_process_may_take_only_so_long_to_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_jupyter.server.model_loading.LOADING", 0.0)
    with pytest.raises(ServerError, match="its process ended"):
        _Process(ORDER)
