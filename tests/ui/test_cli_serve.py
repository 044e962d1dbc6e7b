"""The command line: serve, doctor and bench."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

from tests.conftest import write_script
from tests.ui.commands import CELL, spark, start


def test_serve_prints_where_it_is_and_serves_a_script(tmp_path, monkeypatch):
    script = write_script(tmp_path / "answers.json", [CELL])
    process = start("serve", "--engine", "script", script)
    try:
        ready = json.loads(process.stdout.readline())
        assert ready["url"].startswith("ws://127.0.0.1:")
        monkeypatch.setenv("SPARK_API_KEY", ready["token"])
        done = spark("ask", "double", "--base-url", ready["url"], "--model", "script")
        assert "def double" in done.stdout, done.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert process.returncode == 0


def test_doctor_says_what_works(script_environment):
    script_environment([CELL])
    done = spark("doctor", "--json")
    facts = {fact["name"]: fact for fact in json.loads(done.stdout)}
    assert facts["provider"]["ok"]
    assert facts["guardrail"]["ok"]
    assert facts["linters"]["ok"]
    assert "bandit" in facts["linters"]["detail"]
    assert facts["walls of a copy"]["ok"] or sys.platform != "linux", facts["walls of a copy"]
    assert done.returncode == 0


def test_doctor_says_what_to_do_where_nobody_listens(unused_port):
    done = spark("doctor", "--base-url", f"ws://127.0.0.1:{unused_port}/v1", "--model", "m")
    assert done.returncode == 1
    assert "!!  provider" in done.stdout


def test_bench_measures_this_provider(script_environment):
    script_environment([CELL])
    done = spark("bench", "--turns", 2, "--json")
    assert len(json.loads(done.stdout)["turns"]) == 2, done.stderr


def test_each_user_of_a_list_has_a_token(tmp_path):
    token, users = "3f9c0d51b6a84e27", tmp_path / "users"
    users.write_text(f"ada {token}\n")
    users.chmod(0o600)
    script = write_script(tmp_path / "answers.json", [CELL])
    process = start("serve", "--engine", "script", script, "--users", users)
    try:
        ready = json.loads(process.stdout.readline())
        done = spark(
            "ask", "double", "--base-url", ready["url"], "--model", "script", env={**os.environ, "SPARK_API_KEY": token}
        )
        assert "def double" in done.stdout, done.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def test_a_list_of_users_that_is_wrong_is_a_sentence(tmp_path):
    users = tmp_path / "users"
    users.write_text("ada\n")
    users.chmod(0o600)
    done = spark("serve", "--users", users)
    assert done.returncode != 0
    assert f"Line 1 of {users} is not a name and a token" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_token_that_can_be_guessed_is_refused_where_others_can_try_it():
    done = spark("serve", "--host", "0.0.0.0", "--token", "secret")
    assert done.returncode == 2
    assert "too short" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "warning"),
    [(["--host", "0.0.0.0"], "Other machines"), (["--token", "secret"], "can guess"), ([], "")],
)
def test_a_server_that_others_could_use_says_so(arguments, warning):
    done = spark("serve", "--idle", "0.1", *arguments)
    assert done.returncode == 0
    assert warning in done.stderr
    assert bool(warning) == bool(done.stderr)
    assert "url" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "llama"], "go together"),
        (["--gguf", __file__], "go together"),
        (["--threads", "2"], "are for --engine llama"),
        (["--engine", "llama", "--gguf", "none.gguf"], "does not exist"),
    ],
)
def test_serve_says_what_a_model_of_ones_own_needs(arguments, said):
    done = spark("serve", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
