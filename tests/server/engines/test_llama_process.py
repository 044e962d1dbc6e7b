"""A model's process that prints, goes silent or dies while it starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from spark_jupyter.exceptions import ServerError
from spark_jupyter.server.engines.llama import _Process
from spark_jupyter.server.engines.llama_process import Order

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
