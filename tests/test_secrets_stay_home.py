"""Nothing of a secret leaves: everything that full runs write and send is searched for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import nbformat
import pytest

from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Kernel as Reads
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.message_frames import encode
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.proposal_messages import Accept
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread
from tests.conftest import Watched
from tests.engine.test_engine import until
from tests.kernel.conftest import Kernel, Started

# Built from parts, so that no scanner takes this file for a leak.
PASSWORD = "correct-" + "horse-" + "7battery"
AWS = "AKIA" + "Q3EGRTB4" + "ZK7XWNYD"
URL_PASSWORD = "s3cr3t" + "Pa55word"
SECRETS = (PASSWORD, AWS, URL_PASSWORD)
ANSWER = {"answer": "```python\nprint('connected')\n```\n", "repeat": True}


@pytest.fixture
def listening():
    """A server that remembers what it was asked."""
    script = ScriptEngine({"answers": [ANSWER]})
    with serve_in_thread(engine=script) as info:
        yield script, info


def asked(script):
    return "\n".join(str(message) for conversation in script.asked for message in conversation)


def none_of(secrets, text, where):
    for secret in secrets:
        assert secret not in text, f"{where} has a secret"


def test_what_cells_outputs_tracebacks_and_variables_hold_is_not_sent_nor_said(listening):
    script, info = listening
    cells = (
        NotebookCell(id="a", source=f'password = "{PASSWORD}"'),
        NotebookCell(id="b", source="print(key)", outputs=f"aws_access_key_id = {AWS}"),
        NotebookCell(id="c", source="connect()", error=f"OperationalError: postgresql://me:{URL_PASSWORD}@db/shop"),
    )
    engine = Engine(
        linker(Settings(base_url=info.url, api_key=Secret(info.token), model="script")),
        kernel=Reads(
            surroundings=lambda prompt: Surroundings(
                variables=f"dsn: str 'postgresql://me:{URL_PASSWORD}@db'", last_error=AWS
            )
        ),
    )
    try:
        watched = Watched(engine)
        engine.submit(Prompt(turn_id="t1", text=f"use {PASSWORD} to connect", cells=cells))
        assert watched.wait("t1", 60).outcome == "completed"
        said = b"".join(encode(frame) for frame in watched.frames).decode()
        # the user's own words are his: they come back to him in the turn's prompt, and nowhere else
        none_of((AWS, URL_PASSWORD, info.token), said, "an event")
        none_of((*SECRETS, info.token), asked(script), "the request")
        withheld = watched.view.turns["t1"].withheld
        assert any("cell 1" in name for name in withheld)
        assert any("output of cell 2" in name for name in withheld)
        none_of(SECRETS, str(withheld), "what is said to be withheld")
    finally:
        engine.close()


def test_an_answer_that_uses_the_placeholder_gets_the_secret_back_here():
    cell = NotebookCell(id="a", source=f'password = "{PASSWORD}"')

    class Echo(ScriptEngine):
        def answer(self, conversation, *, instructions, model, temperature=None):
            text = conversation[-1].text
            placeholder = next(word.strip('"') for word in text.split() if "SPARK_SECRET_" in word)
            yield from ("```python\nlogin(", placeholder[:9], placeholder[9:], ")\n```\n")

    with serve_in_thread(engine=Echo({"answers": []})) as info:
        engine = Engine(linker(Settings(base_url=info.url, api_key=Secret(info.token), model="script")))
        try:
            watched = Watched(engine)
            engine.submit(Prompt(turn_id="t1", text="log in", cells=(cell,)))
            assert watched.wait("t1", 60).outcome == "completed"
            none_of((PASSWORD,), watched.view.proposals["t1-1"].source, "what nobody has kept yet")
            engine.say(Accept(cell_id="t1-1"))
            until(lambda: watched.view.proposals["t1-1"].source == f"login({PASSWORD})")
        finally:
            engine.close()


def test_a_local_model_gets_the_secret_only_where_that_was_chosen(listening):
    script, info = listening
    settings = Settings(base_url=info.url, api_key=Secret(info.token), model="script")
    engine = Engine(linker(settings), options=Options(own=Configure(withhold="remote")))
    watched = Watched(engine)
    try:
        engine.wait_until_connected(60)
        engine.submit(
            Prompt(turn_id="t1", text="log in", cells=(NotebookCell(id="a", source=f'password = "{PASSWORD}"'),))
        )
        assert watched.wait("t1", 60).outcome == "completed"
        assert PASSWORD in asked(script)
    finally:
        engine.close()


def written(folder):
    """The text of every file below a folder."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    found[path] = file.read()
            except OSError:
                continue  # a socket
    return found


def test_a_run_on_the_command_line_writes_no_secret_but_the_users_own(listening, own_home, tmp_path, monkeypatch):
    script, info = listening
    notebook = tmp_path / "work.ipynb"
    cells = [
        nbformat.v4.new_code_cell(f'password = "{PASSWORD}"', id="a"),
        nbformat.v4.new_code_cell("1 / 0", id="b", outputs=[nbformat.v4.new_output("stream", text=f"key {AWS}")]),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), notebook)
    for name, value in (("SPARK_BASE_URL", info.url), ("SPARK_API_KEY", info.token), ("SPARK_MODEL", "script")):
        monkeypatch.setenv(name, value)
    command = [
        sys.executable,
        "-m",
        "spark_jupyter.ui.cli.main",
        "ask",
        "connect",
        "--notebook",
        str(notebook),
        "--apply",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    none_of((*SECRETS, info.token), done.stdout + done.stderr, "the output")
    none_of((*SECRETS, info.token), asked(script), "the request")
    for path, text in written(own_home).items():
        none_of((*SECRETS, info.token), text, path)
    after = json.loads(notebook.read_text())
    none_of((*SECRETS, info.token), json.dumps(after["cells"][2:]), "the new cells")
    none_of((*SECRETS, info.token), json.dumps([cell["metadata"] for cell in after["cells"]]), "the metadata")
    assert PASSWORD in "".join(after["cells"][0]["source"]), "the user's own cell is his own"


def test_a_kernel_sends_and_says_no_secret(listening, own_home, monkeypatch):
    script, info = listening
    for name, value in (("SPARK_BASE_URL", info.url), ("SPARK_API_KEY", info.token), ("SPARK_MODEL", "script")):
        monkeypatch.setenv(name, value)
    kernel = Kernel(Started())
    try:
        kernel.run("%load_ext spark_jupyter")
        # a store that is switched on writes what the user runs; that is the user's own, as the notebook's file is
        kernel.run("get_ipython().history_manager.enabled = False")
        kernel.run(f'password = "{PASSWORD}"\naws = dict(aws_access_key_id="{AWS}")')
        failed = kernel.start(f"raise RuntimeError('postgresql://me:{URL_PASSWORD}@db/shop')")
        kernel.until(lambda: kernel.idle(failed))
        shown = kernel.run("%%spark --wait\nconnect with the password") + kernel.run("%spark --wait fix")
        shown += kernel.run("%spark status")
        said = json.dumps(
            [
                message
                for message in kernel.messages
                if message["parent_header"].get("msg_id") != failed and message["msg_type"] != "execute_input"
            ],
            default=str,
        )
    finally:
        kernel.close()
    assert "withheld from prompts" in shown
    assert len(script.asked) == 2
    none_of((*SECRETS, info.token), shown, "the output")
    none_of((*SECRETS, info.token), said, "a message of the kernel")
    none_of((*SECRETS, info.token), asked(script), "the request")
    for path, text in written(own_home).items():
        none_of((*SECRETS, info.token), text, path)


def test_what_the_kernel_holds_is_not_sent_in_other_words(listening, monkeypatch):
    script, info = listening
    for name, value in (("SPARK_BASE_URL", info.url), ("SPARK_API_KEY", info.token), ("SPARK_MODEL", "script")):
        monkeypatch.setenv(name, value)
    kernel = Kernel(Started())
    encoded = PASSWORD.encode().hex()
    try:
        kernel.run("%load_ext spark_jupyter")
        kernel.run(f"db_pass = bytes.fromhex('{encoded}'[::-1][::-1]).decode()")
        kernel.run(f"%spark --wait what is {encoded} and {PASSWORD[::-1]}")
    finally:
        kernel.close()
    assert len(script.asked) == 1
    none_of((PASSWORD, encoded, PASSWORD[::-1]), asked(script), "the request")


def test_a_kernel_sends_to_a_local_model_what_its_user_chose_to_send(listening, monkeypatch):
    script, info = listening
    for name, value in (("SPARK_BASE_URL", info.url), ("SPARK_API_KEY", info.token), ("SPARK_MODEL", "script")):
        monkeypatch.setenv(name, value)
    kernel = Kernel(Started())
    try:
        kernel.run("get_ipython().config.SparkMagics.withhold = 'remote'")
        kernel.run("%load_ext spark_jupyter")
        kernel.run("%spark models")  # until it is known that the model is on this machine, all is withheld
        kernel.run(f"%spark --wait log in with {AWS}")
    finally:
        kernel.close()
    assert AWS in asked(script)


def test_a_failed_turn_names_no_key(listening):
    _, info = listening
    wrong = "wrong-" + "token-0123456789"
    engine = Engine(linker(Settings(base_url=info.url, api_key=Secret(wrong), model="script")))
    try:
        watched = Watched(engine)
        engine.submit(Prompt(turn_id="t1", text="x"))
        assert watched.wait("t1", 60).outcome == "failed"
        assert watched.view.problems[0].code == "authentication_failed"
        said = b"".join(encode(frame) for frame in watched.frames).decode()
        none_of((wrong, info.token), said, "an event")
    finally:
        engine.close()
