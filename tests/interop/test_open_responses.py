"""The compliance tests of Open Responses, by their own command line, against the embedded server.

They are collected where ``scripts/interop_setup.sh`` could have their repository; tests/server/test_open_responses.py plays the same cases.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from spark_jupyter.server import serve_in_thread
from spark_jupyter.server.engines.script import ScriptEngine
from tests.interop.conftest import OPEN_RESPONSES, PATIENCE
from tests.server.test_open_responses import CALL, DOES_NOT_APPLY

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]

ANSWERS = [{"match": "weather", "call": CALL, "repeat": True}, {"answer": "Hello to you.", "repeat": True}]


def test_every_case_of_their_command_line_passes_but_those_that_do_not_apply() -> None:
    with serve_in_thread(engine=ScriptEngine({"answers": ANSWERS})) as server:  # type: ignore[dict-item]
        address = server.url.replace("ws://", "http://").removesuffix("/responses")
        options = ["-u", address, "-k", server.token, "-m", "script", "--json"]
        command = ["node_modules/.bin/bun", "run", "repo/bin/compliance-test.ts", *options]
        ran = subprocess.run(command, cwd=OPEN_RESPONSES, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.stdout, ran.stderr
    results = {one["id"]: one for one in json.loads(ran.stdout)["results"]}
    failed = {name: one["errors"] for name, one in results.items() if one["status"] != "passed"}
    assert failed.keys() == DOES_NOT_APPLY.keys(), failed
    print(f"Open Responses' command line: {len(results) - len(failed)} of {len(results)} cases passed.")
