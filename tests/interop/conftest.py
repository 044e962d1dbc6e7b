"""Servers that this project did not write: aimock, and the LiteLLM proxy in front of it; the compliance tests of Open Responses; and
OpenCode. ``scripts/interop_setup.sh`` installs them; these tests are skipped only where that was not run and no CI asks for them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.agents.conftest import patient  # noqa: F401  # a fixture

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
AIMOCK = ROOT / ".interop" / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
OPEN_RESPONSES = ROOT / ".interop" / "open-responses"
OPENCODE = ROOT / ".interop" / "node_modules" / ".bin" / "opencode"
LITELLM = ROOT / ".interop" / "litellm-venv" / "bin" / "litellm"
PATIENCE = 240.0
"""Seconds for which a server may take to start on a slow machine."""

POEM = "Here it is:\n\n```python\nimport math\nprint(math.pi)  # é 🙂\n```\n"
FIXTURES = {
    "fixtures": [
        {"match": {"userMessage": "poem"}, "response": {"content": POEM}, "chunkSize": 5, "latency": 2},
        {"match": {"userMessage": "long"}, "response": {"content": "word " * 2000}, "chunkSize": 5, "latency": 5},
        {
            "match": {"userMessage": "cut"},
            "response": {"content": "kept and lost"},
            "chunkSize": 4,
            "truncateAfterChunks": 2,
        },
        {
            "match": {"userMessage": "class", "model": "full"},
            "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429},
        },
        {"match": {"userMessage": "class"}, "response": {"content": "```python\nx = 1\n```\n"}, "chunkSize": 5},
        {
            "match": {"userMessage": "busy"},
            "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429},
        },
    ]
}


KEYS = """
from fastapi import HTTPException
from litellm.proxy._types import UserAPIKeyAuth

LIMITS = {"sk-interop": None, "sk-ada": 5, "sk-bert": None, "sk-cleo": None}
BUDGETS = {"sk-cleo": {"model_max_budget": {"paid": {"budget_limit": 1.0, "time_period": "1d"}}}}


async def check(request, api_key):
    if api_key not in LIMITS:
        raise HTTPException(401, "That key is nobody's.")
    return UserAPIKeyAuth(api_key=api_key, user_id=api_key, rpm_limit=LIMITS[api_key], **BUDGETS.get(api_key, {}))
"""
"""Keys of a class for a LiteLLM proxy without a database: who may come in, how often in a minute, and what they may spend a day."""

collect_ignore = [] if (OPEN_RESPONSES / "repo").exists() else ["test_open_responses.py"]


def _needs(program: Path) -> None:
    if not program.exists():
        reason = f"{program.relative_to(ROOT)} is not there: run scripts/interop_setup.sh"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=30):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"{url} does not answer:\n{log.read_text()[-2000:]}")


def _run(command: list[str], log: Path, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdout=log.open("wb"),
        stderr=subprocess.STDOUT,
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and what it started: its own session's group, nothing else."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="session")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of an aimock with :data:`FIXTURES`."""
    _needs(AIMOCK)
    folder = tmp_path_factory.mktemp("aimock")
    (folder / "fixtures").mkdir()
    (folder / "fixtures" / "all.json").write_text(json.dumps(FIXTURES))
    port = free_port()
    where = ["-p", str(port), "-h", "127.0.0.1", "-f", str(folder / "fixtures")]
    process = _run(["node", str(AIMOCK), *where, "--validate-on-load"], folder / "log")
    try:
        _wait_for(f"http://127.0.0.1:{port}/v1/models", process, folder / "log")
        yield port
    finally:
        _end(process)


@pytest.fixture(scope="session")
def litellm(aimock: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a LiteLLM proxy that bridges the model ``m`` to aimock. ``class`` is a model that is full, and falls back to ``m``;
    ``limited`` lets five requests a minute through, and each token of ``paid`` costs a dollar. Each
    user has a key of their own (:data:`KEYS`)."""
    _needs(LITELLM)
    folder = tmp_path_factory.mktemp("litellm")
    # JSON is YAML. With "openai/" LiteLLM would pass a WebSocket on to the server behind it, which it can only do with TLS;
    # with this prefix it bridges, as it does for every model whose server knows no WebSocket.
    parameters = {"model": "hosted_vllm/m", "api_base": f"http://127.0.0.1:{aimock}/v1", "api_key": "sk-behind"}
    config = {
        "model_list": [
            {"model_name": "m", "litellm_params": parameters},
            {"model_name": "class", "litellm_params": {**parameters, "model": "hosted_vllm/full"}},
            {"model_name": "limited", "litellm_params": {**parameters, "rpm": 5}},
            {
                "model_name": "paid",
                "litellm_params": {**parameters, "input_cost_per_token": 1, "output_cost_per_token": 1},
            },
        ],
        "router_settings": {"optional_pre_call_checks": ["enforce_model_rate_limits"]},
        "general_settings": {"master_key": "sk-interop", "custom_auth": "keys.check"},
        "litellm_settings": {
            "num_retries": 0,
            "telemetry": False,
            "fallbacks": [{"class": ["m"]}],
            "enable_post_custom_auth_checks": True,
        },
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    (folder / "keys.py").write_text(KEYS)
    port = free_port()
    command = [str(LITELLM), "--config", str(folder / "config.yaml"), "--port", str(port), "--host", "127.0.0.1"]
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "127.0.0.1", "HOME": str(folder)}
    process = _run(command, folder / "log", offline)
    try:
        _wait_for(f"http://127.0.0.1:{port}/health/liveliness", process, folder / "log")
        yield port
    finally:
        _end(process)
