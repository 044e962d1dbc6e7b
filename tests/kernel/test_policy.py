"""Every verb and every setting under an administrators' policy, in a real kernel."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import PolicyError
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.ui.magics.verbs import VERBS
from tests.kernel.conftest import FrontEnd
from tests.test_policy import write

ANSWER = [{"answer": "```python\nx = 1\n```\n", "repeat": True}]
STRICT = """
decided_by = "Physics IT"
base_urls = ["%s"]
models = ["script"]
agents = false
auto_run = false
rehearsal = false
images = false
daily_budget = 5
conversation_days = 0
"""
REFUSED = {
    "--run add": "Running cells without asking is",
    "deep --run add": "Running cells without asking is",
    "model other": "The model other is",
    "model --deep other": "The model other is",
    "provider openai": "The provider openai is",
    "images on": "Images for models are",
    "look": "Images for models are",
    "agent codex": "Agents are",
}
SAYS = {"status": "policy: ", "conversations": "not kept here, by a policy"}
UNCHANGED = {
    *(
        "again",
        "continue",
        "edit",
        "fix",
        "explain",
        "hint",
        "why",
        "steer",
        "cancel",
        "new",
        "conversation",
        "accept",
        "reject",
        "diff",
    ),
    *(
        "run",
        "review",
        "try",
        "attempts",
        "revert",
        "undo",
        "save",
        "back",
        "rerun",
        "forget-key",
        "models",
        "panel",
        "autoload",
        "live",
    ),
    *(
        "suggestions",
        "draft",
        "both",
        "rename",
        "extract",
        "inline",
        "function",
        "move",
        "refine",
        "deepen",
        "allow",
        "deny",
        "rules",
        "record",
    ),
}
"""They do what they did. What they start or ask for is held to the policy behind them: tests/engine/test_policy.py."""


@pytest.fixture
def limited_kernel(start_kernel, own_home, script_environment, monkeypatch):
    """A kernel with Spark under the strict policy, whose provider alone is allowed."""
    import os

    kernel = start_kernel(ANSWER)
    write(own_home / "jupyter_config_dir", STRICT % os.environ["SPARK_BASE_URL"])
    kernel.run("%load_ext spark_jupyter")
    return kernel


def said(kernel, line):
    message_id = kernel.start(line)
    kernel.until(lambda: kernel.idle(message_id))
    return kernel.text(message_id)


def test_of_every_verb_it_is_known_what_a_policy_does_with_it():
    named = {line.split()[0] for line in (*REFUSED, *SAYS)} | UNCHANGED
    assert not VERBS.keys() - named, "say in this file what a policy does with it"


def test_verbs_say_what_is_not_allowed(limited_kernel):
    limited_kernel.run("%spark --wait add")
    for line, sentence in REFUSED.items():
        assert f"{sentence} not allowed by Physics IT" in said(limited_kernel, f"%spark {line}"), line
    for line, sentence in SAYS.items():
        assert sentence in said(limited_kernel, f"%spark {line}"), line
    assert "not allowed by Physics IT" in said(limited_kernel, "%spark images")


def test_no_setting_lifts_it(limited_kernel):
    pair = "get_ipython().magics_manager.magics['line']['spark'].pair"
    for setting in ("rehearse = 'stream'", "conversations = 'on'", "stop_cost = 100.0", "suggest_model = 'other'"):
        limited_kernel.run(f"%config SparkMagics.{setting}")
    limited_kernel.run("%spark --wait add")
    assert limited_kernel.run(f"{pair}.engine.read(lambda session: session.rehearse)") == "'off'"
    assert limited_kernel.run(f"{pair}.engine.conversations.listed().kept") == "False"
    limited_kernel.run("%config SparkMagics.base_url = 'http://127.0.0.1:9/v1'")
    limited_kernel.run(
        "import os\nfor name in ('SPARK_BASE_URL', 'SPARK_API_KEY', 'SPARK_MODEL'): del os.environ[name]"
    )
    limited_kernel.run("os.environ['JUPYTER_CONFIG_PATH'] = '/nowhere'")
    limited_kernel.run("%reload_ext spark_jupyter")
    assert "not allowed by Physics IT" in said(limited_kernel, "%spark --wait add")


def test_an_agent_is_turned_away_and_a_person_is_not(limited_kernel):
    agent = FrontEnd(limited_kernel, agent="Helper")
    limited_kernel.until(lambda: agent.answers)
    assert "Agents are not allowed by Physics IT" in agent.answers[0]["problem"]
    assert agent.said == []
    person = FrontEnd(limited_kernel)
    limited_kernel.until(lambda: person.view.hello.life)
    assert set(person.view.hello.policy.off) == {"agents", "auto_run", "rehearsal", "images"}
    person.say(Prompt(turn_id="t1", text="add"))
    limited_kernel.until(lambda: person.view.turns["t1"].outcome if "t1" in person.view.turns else None)
    assert agent.said == []


def test_an_agents_client_does_not_begin(own_home):
    import asyncio

    from spark_jupyter.agents.agent_client import AgentClient

    write(own_home / "jupyter_config_dir", "agents = false\n")
    with pytest.raises(PolicyError, match="Agents are not allowed"):
        asyncio.run(AgentClient.attach(None, "Helper"))
