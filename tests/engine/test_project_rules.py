"""Rules of a project in an engine: sent, listed, switched off."""

from __future__ import annotations

import threading

from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt, Steer
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.protocol.rule_messages import ListRules, ProjectRules, RuleFile

FILES = (RuleFile(path="AGENTS.md", characters=11),)
KERNEL = Kernel(
    surroundings=lambda prompt: Surroundings(rules="Use polars.", skill="/clean\nDrop nothing."),
    project_rules=lambda: ProjectRules(files=FILES),
)
ANSWER = {"answer": "Done.", "repeat": True}


def told(watched, turn_id):
    watched.engine.say(Prompt(turn_id=turn_id, text="plot it"))
    watched.wait(turn_id)
    return watched.engine.read(lambda session: session.dialogue.history())[-2].text


def test_rules_go_along_until_the_settings_switch_them_off(make_engine):
    watched = make_engine([ANSWER], kernel=KERNEL)
    first = told(watched, "t1")
    assert first.startswith("## Project rules\nUse polars.\n\n")
    assert "## Skill\n/clean\nDrop nothing.\n\n## Request" in first
    watched.engine.say(Configure(rules="off"))
    assert "None any more." in told(watched, "t2")
    watched.engine.say(Configure())
    assert "Use polars." in told(watched, "t3")


def test_the_kernels_own_configuration_can_switch_them_off(make_engine):
    watched = make_engine([ANSWER], kernel=KERNEL, options=Options(own=Configure(rules="off")))
    assert "polars" not in told(watched, "t1")
    assert watched.engine.project_rules() == ProjectRules(on=False, files=FILES)


def test_a_client_that_asks_hears_of_the_files_alone(make_engine):
    watched = make_engine([ANSWER], kernel=KERNEL)
    heard: list[object] = []

    def asks(frame):
        heard.extend(event for event in frame.msgs if isinstance(event, ProjectRules))
        if len(heard) == 2:
            both.set()

    both = threading.Event()
    watched.engine.subscribe(asks)
    watched.engine.answer_alone(asks, ListRules())
    watched.engine.say(Configure(rules="off"))
    watched.engine.answer_alone(asks, ListRules())
    assert both.wait(60)
    assert heard == [ProjectRules(files=FILES), ProjectRules(on=False, files=FILES)]
    assert not any(isinstance(event, ProjectRules) for event in watched.events)


def test_a_steer_that_begins_with_a_skill_gets_its_instructions(make_engine):
    slow = {"answer": "```python\nx = 1\ny = 2\nz = 3\n```\n", "stall_after": 6, "repeat": True}
    watched = make_engine([{**ANSWER, "match": "## Steer"}, slow], kernel=KERNEL)
    watched.engine.say(Prompt(turn_id="t1", text="plot it"))
    watched.engine.say(Steer(turn_id="t2", steers="t1", text="/clean the rows"))
    watched.wait("t2")
    asked = watched.engine.read(lambda session: session.dialogue.history())[-2].text
    assert "## Steer\n/clean the rows\n\n/clean\nDrop nothing." in asked
    assert watched.engine.read(lambda session: session.turns[-1].prompt) == "/clean the rows"
