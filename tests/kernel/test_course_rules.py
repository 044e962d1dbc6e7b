"""A signed notebook that allows hints only, against everything that a student can say in a real kernel."""

from __future__ import annotations

import json

import pytest

from spark_jupyter.course_signature import CourseRules
from spark_jupyter.protocol.agent_messages import ProposedCell
from spark_jupyter.protocol.completion_messages import Complete
from spark_jupyter.protocol.deep_messages import BeginDeep
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import Attempts
from tests.kernel.conftest import FrontEnd
from tests.kernel.test_agents import install_scripted_agent
from tests.kernel.test_widget import Widgets
from tests.test_course_rules import notebook

ANSWER = [{"answer": "What is a total?\n\n```python\ntotal = sum(values)\n```\n", "repeat": True}]
PAIR = "get_ipython().magics_manager.magics['line']['spark'].pair"
STRICT = CourseRules(
    prompts="hints", hints=2, suggestions=False, attempts=False, deep=False, auto_run=False, agents=False
)


@pytest.fixture
def lesson(start_kernel, tmp_path, script_environment):
    """A kernel that was started for a signed notebook."""

    def start(rules=STRICT, **edited):
        book = notebook(rules)
        book["metadata"]["spark"]["course"]["rules"].update(edited)
        (tmp_path / "lesson.ipynb").write_text(json.dumps(book))
        kernel = start_kernel(ANSWER)
        kernel.run(f"import os; os.environ['JPY_SESSION_NAME'] = {str(tmp_path / 'lesson.ipynb')!r}")
        kernel.run("%load_ext spark_jupyter")
        return kernel

    return start


def said(kernel, line):
    message_id = kernel.start(line)
    kernel.until(lambda: kernel.idle(message_id))
    return kernel.text(message_id)


def test_magics_and_settings_get_hints_and_no_more(lesson):
    kernel = lesson()
    for setting in ("suggestions = 'on'", "rehearse = 'stream'", "live = True"):
        kernel.run(f"%config SparkMagics.{setting}")
    for line in ("%spark --wait add", "%spark --wait hint add", "%spark --wait explain x = 1"):
        shown = said(kernel, line)
        assert "further than this hint may" in shown, line
        assert "sum(values)" not in shown, line
    assert kernel.run(f"{PAIR}.engine.read(lambda session: session.store.proposals)") == "()"
    for line in ("--run add", "deep add", "--attempts 2 add"):
        assert "not allowed by the teacher" in said(kernel, f"%spark --wait {line}"), line
    kernel.run("os.environ['JPY_SESSION_NAME'] = ''\n%reload_ext spark_jupyter")
    assert "sum(values)" not in said(kernel, "%spark --wait add")


def test_clients_get_hints_and_no_more_whatever_their_metadata_say(lesson):
    kernel = lesson()
    person = FrontEnd(kernel)
    kernel.until(lambda: person.view.hello.life)
    assert {"agents", "suggestions", "attempts", "deep", "auto_run"} <= set(person.view.hello.policy.off)
    person.say(Prompt(turn_id="t1", text="add", intent="generate"))
    kernel.until(lambda: person.view.turns["t1"].outcome if "t1" in person.view.turns else None)
    assert (person.view.turns["t1"].hint, person.view.pending()) == (1, [])
    assert "sum(values)" not in person.view.turns["t1"].notes
    for number, refused in enumerate(
        (
            Prompt(turn_id="t2", text="add", attempts=Attempts(count=3)),
            Prompt(turn_id="t3", text="add", proposes=(ProposedCell(source="total = sum(values)"),)),
            BeginDeep(work_id="w1", text="add"),
        ),
        1,
    ):
        person.say(refused)
        kernel.until(lambda count=number: len(person.view.problems) >= count)
    assert all("not allowed by the teacher" in problem.message for problem in person.view.problems)
    assert "not allowed by the teacher" in said(kernel, "%spark deep add"), "also where a client sends it for the magic"
    person.say(Complete(completion_id="k1", before="total = s", after="", asked=True, cell_id="c1"))
    kernel.until(lambda: [one for one in person.said if getattr(one, "completion_id", "") == "k1"])
    completed = next(one for one in person.said if getattr(one, "completion_id", "") == "k1")
    assert (completed.text, "not allowed by the teacher" in completed.problem) == ("", True)
    agent = FrontEnd(kernel, agent="Helper")
    kernel.until(lambda: agent.answers)
    assert "Agents are not allowed by the teacher" in agent.answers[0]["problem"]


def test_rules_that_were_edited_in_the_file_end_prompts(lesson):
    shown = said(lesson(prompts="on"), "%spark --wait add")
    assert "were changed after they were signed" in shown
    assert "sum(values)" not in shown


def test_recordings_alone_means_that_no_model_is_asked(lesson):
    shown = said(lesson(CourseRules(offline=True)), "%spark --wait add")
    assert "Models are not allowed by the teacher" in shown
    assert "sum(values)" not in shown


def test_a_model_that_the_teacher_does_not_name_is_not_asked(lesson):
    assert "The model script is not allowed by the teacher" in said(
        lesson(CourseRules(models=("gpt-5*",))), "%spark --wait add"
    )


LIMITED = CourseRules(prompt_limit=2, log_prompts=True, decided_by="Ms Curie")


def test_every_front_says_how_many_prompts_are_left_and_none_goes_on_behind_the_last(lesson):
    kernel = lesson(LIMITED)
    first = said(kernel, "%spark --wait add")
    assert "2 of 2 prompts left." in first
    assert "Your prompts in this notebook are logged. Who can read them: Ms Curie." in first
    person = FrontEnd(kernel)
    kernel.until(lambda: person.view.hello.life and person.view.hello.policy.prompts_left == 1)
    assert (person.view.hello.policy.prompt_limit, person.view.hello.policy.logged_by) == (2, "Ms Curie")
    person.say(Prompt(turn_id="t1", text="add"))
    kernel.until(lambda: person.view.hello.policy.prompts_left == 0)
    person.say(Prompt(turn_id="t2", text="add again"))
    kernel.until(lambda: person.view.problems)
    assert "No prompts are left: this notebook allows 2" in person.view.problems[0].message
    refused = said(kernel, "%spark --wait add")
    assert "No prompts are left: this notebook allows 2" in refused
    assert "logged" not in refused, "that is said once"
    assert "0 of 2 prompts left." in said(kernel, "%spark status")
    kernel.run("%reload_ext spark_jupyter")
    assert "No prompts are left" in said(kernel, "%spark --wait add"), "and it outlives the extension"


def test_off_is_off_in_magics_and_in_the_widget(lesson):
    kernel = lesson(CourseRules(prompts="off"))
    for line in ("--wait add", "--wait hint add", "--wait why", "--wait explain x = 1", "deep add"):
        assert "Prompts are not allowed by the teacher" in said(kernel, f"%spark {line}"), line
    widgets = Widgets(kernel)
    kernel.run("%spark panel")
    widgets.enter("add")
    widgets.shows("Prompts are not allowed by the teacher")
    assert "sum(values)" not in widgets.html()
    assert kernel.run(f"{PAIR}.engine.read(lambda session: (session.turns, session.store.proposals))") == "((), ())"


def test_the_widget_gives_hints_and_says_how_many_prompts_are_left(lesson):
    kernel = lesson(CourseRules(prompts="hints", prompt_limit=5))
    widgets = Widgets(kernel)
    kernel.run("%spark panel")
    widgets.shows("5 of 5 prompts left.")
    widgets.enter("add")
    widgets.shows("What is a total?")
    widgets.shows("4 of 5 prompts left.")
    assert "sum(values)" not in widgets.html()


def test_an_agent_that_answers_is_held_to_hints_and_not_begun_where_agents_are_off(lesson, own_home, tmp_path):
    install_scripted_agent(own_home, tmp_path / "log")
    kernel = lesson(CourseRules(prompts="hints"))
    kernel.run("%spark agent scripted")
    shown = said(kernel, "%spark --wait plot it")
    assert "further than this hint may" in shown
    assert "x = 1" not in shown
    assert kernel.run(f"{PAIR}.engine.read(lambda session: session.store.proposals)") == "()"
    other = lesson(CourseRules(agents=False))
    assert "Agents are not allowed by the teacher" in said(other, "%spark agent scripted")
