"""The panel on a real ipykernel, driven on the wire as a browser's widget manager drives it."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from ipywidgets import Button

from spark_jupyter.ui.proposal_card import Card, all_below

from .conftest import BUSY, Kernel

CODE = "\n".join(f"value_{n} = {n}" for n in range(300))
LONG = {"answer": f"Many values.\n\n```python\n{CODE}\n```\n", "repeat": True}
SHORT = {"answer": "A sum.\n\n```python\ntotal = sum(range(10))\nprint('<b>printed</b>')\ntotal\n```\n", "repeat": True}
BLOCKED = {"answer": "```python\nimport os\nimport sys\nos.system('echo ' + sys.argv[0])\n```\n", "repeat": True}


VIEW = "application/vnd.jupyter.widget-view+json"


def _id(reference: str) -> str:
    return reference.removeprefix("IPY_MODEL_")


class Widgets:
    """The models of all widgets, from what the kernel sent; messages go over the subshell of ``jupyter.widget``, as in JupyterLab 4.6."""

    def __init__(self, kernel: Kernel, *, subshell: bool = True) -> None:
        self.kernel = kernel
        self.subshell = kernel.create_subshell() if subshell else None

    @property
    def models(self) -> dict[str, dict[str, Any]]:
        models: dict[str, dict[str, Any]] = {}
        for message in self.kernel.messages:
            content = message["content"]
            match message["msg_type"]:
                case "comm_open" if content["target_name"] == "jupyter.widget":
                    models[content["comm_id"]] = dict(content["data"]["state"])
                case "comm_msg" if content["comm_id"] in models and content["data"]["method"] == "update":
                    models[content["comm_id"]] |= content["data"]["state"]
                case "comm_close":
                    models.pop(content["comm_id"], None)
                case _:
                    pass
        return models

    def find(self, name: str, **state: object) -> list[str]:
        """The ids of the models of one kind that are on the screen and have this state."""
        models = self.models
        shown = self.shown(models)
        return [
            comm_id
            for comm_id, model in models.items()
            if comm_id in shown
            and model["_model_name"] == f"{name}Model"
            and all(model.get(key) == value for key, value in state.items())
        ]

    def shown(self, models: dict[str, dict[str, Any]]) -> set[str]:
        """What is displayed, and what is in it. What has only been made is not: nobody listens to it yet."""
        displayed = [
            one["content"]["data"].get(VIEW) for one in self.kernel.messages if one["msg_type"] == "display_data"
        ]
        todo = [view["model_id"] for view in displayed if view is not None]
        found: set[str] = set()
        while todo:
            model = models.get(one := todo.pop())
            if model is not None and models.get(_id(model["layout"]), {}).get("display") != "none":
                found.add(one)
                todo += map(_id, model.get("children", ()))
        return found

    def wait(self, name: str, **state: object) -> str:
        return self.kernel.until(lambda: self.find(name, **state))[-1]

    def html(self) -> str:
        return "\n".join(model["value"] for model in self.models.values() if model["_model_name"] == "HTMLModel")

    def shows(self, text: str) -> None:
        self.kernel.until(lambda: text in self.html())

    def outputs(self) -> list[dict[str, Any]]:
        return [one for model in self.models.values() for one in model.get("outputs", ())]

    def send(self, comm_id: str, data: dict[str, Any]) -> None:
        self.kernel.send("comm_msg", {"comm_id": comm_id, "data": data}, self.subshell)

    def click(self, label: str) -> None:
        self.send(
            self.wait("Button", description=label, disabled=False), {"method": "custom", "content": {"event": "click"}}
        )

    def set(self, comm_id: str, **state: object) -> None:
        self.send(comm_id, {"method": "update", "state": state, "buffer_paths": []})

    def enter(self, text: str) -> None:
        """What a browser sends: first that Enter was pressed, then the text."""
        box = self.wait("Text")
        self.send(box, {"method": "custom", "content": {"event": "submit"}})
        self.set(box, value=text)


def opened(kernel: Kernel, **options: Any) -> Widgets:
    kernel.run("%load_ext spark_jupyter")
    widgets = Widgets(kernel, **options)
    kernel.run("%spark panel")
    return widgets


def test_a_prompt_is_sent_with_enter_and_its_proposal_shown(start_kernel):
    widgets = opened(start_kernel([SHORT]))
    widgets.enter("sum up")
    widgets.shows("not accepted yet")
    assert "A sum." in widgets.html()
    assert "sum up" in widgets.html()
    assert widgets.models[widgets.find("Text")[0]]["value"] == ""


def test_enter_on_a_text_that_the_kernel_has_already_sends_it_once(start_kernel):
    kernel = start_kernel([SHORT])
    widgets = opened(kernel)
    box = widgets.wait("Text")
    widgets.set(box, value="sum up")
    widgets.send(box, {"method": "custom", "content": {"event": "submit"}})
    widgets.shows("not accepted yet")
    assert len(re.findall(r"^turn \d+:", kernel.run("%spark status"), re.MULTILINE)) == 1


def test_leaving_the_box_sends_nothing(start_kernel):
    kernel = start_kernel([SHORT])
    widgets = opened(kernel)
    widgets.set(widgets.wait("Text"), value="not yet")
    kernel.run("import time; time.sleep(0.5)")
    assert not re.search(r"^turn \d+:", kernel.run("%spark status"), re.MULTILINE)
    widgets.click("Send")
    widgets.shows("not accepted yet")


def test_steer_and_cancel_work_while_a_cell_runs_and_the_cell_goes_on(start_kernel):
    kernel = start_kernel([LONG], rate=100)
    widgets = opened(kernel)
    busy = kernel.start_busy()
    widgets.enter("values")
    widgets.shows("writing …")
    widgets.wait("Button", description="Steer")
    widgets.enter("other values")
    widgets.shows("other values")
    widgets.shows("writing …")
    widgets.click("Cancel")
    widgets.shows("(stopped)")
    widgets.wait("Button", description="Send")
    assert not kernel.idle(busy), "the user's cell was not disturbed"
    kernel.process.interrupt()
    kernel.until(lambda: kernel.idle(busy))


TOO_LATE = """
from spark_jupyter.engine.engine import Engine
from spark_jupyter.protocol.messages import Cancel, Steer

say = Engine.say


def say_late(engine, command):
    if isinstance(command, Steer):
        say(engine, Cancel())
    return say(engine, command)


Engine.say = say_late
"""


def test_words_that_were_to_steer_a_turn_that_has_just_ended_are_a_new_prompt(start_kernel):
    kernel = start_kernel([{"match": "a sum", "answer": SHORT["answer"]}, LONG], rate=100)
    widgets = opened(kernel)
    kernel.run(TOO_LATE)
    widgets.enter("values")
    widgets.shows("writing …")
    widgets.wait("Button", description="Steer")
    widgets.enter("a sum")
    widgets.shows("not accepted yet")
    widgets.shows("(stopped)")
    widgets.shows("total")
    assert "can&#x27;t be steered" not in widgets.html()


def test_a_turn_that_a_busy_cell_began_is_cancelled_from_the_panel(start_kernel):
    kernel = start_kernel([LONG], rate=100)
    widgets = opened(kernel)
    busy = kernel.start("%spark values\n" + BUSY)
    widgets.shows("writing …")
    widgets.click("Cancel")
    widgets.shows("(stopped)")
    assert not kernel.idle(busy)


@pytest.mark.parametrize("subshell", [True, False])
def test_run_executes_the_proposal_in_the_users_namespace_and_shows_its_output_below(start_kernel, subshell):
    kernel = start_kernel([SHORT])
    widgets = opened(kernel, subshell=subshell)
    widgets.enter("sum up")
    widgets.click("Run")
    widgets.shows("Ran.")
    assert [one["output_type"] for one in widgets.outputs()] == ["stream", "execute_result"]
    assert widgets.outputs()[0]["text"] == "<b>printed</b>\n"
    assert widgets.outputs()[1]["data"]["text/plain"] == "45"
    assert kernel.run("total") == "45"
    assert "accepted" in kernel.run("%spark status")


BEHIND = """
from spark_jupyter.ui.widget import Panel

receive = Panel._receive_frame


def receive_up_to_the_first_text(panel, frame):
    if not any(one.source for one in panel._view.proposals.values()):
        receive(panel, frame)


Panel._receive_frame = receive_up_to_the_first_text
"""


def test_what_runs_is_what_the_session_has_where_the_panel_is_a_frame_behind(start_kernel):
    kernel = start_kernel([SHORT], rate=100)
    kernel.run(BEHIND)
    widgets = opened(kernel)
    widgets.enter("sum up")
    run = kernel.until(lambda: [one for one, model in widgets.models.items() if model.get("description") == "Run"])[0]
    kernel.until(lambda: "not accepted yet" in kernel.run("%spark status"))
    widgets.send(run, {"method": "custom", "content": {"event": "click"}})
    kernel.until(lambda: len(widgets.outputs()) == 2)
    assert kernel.run("total") == "45"


def test_a_card_shows_no_button_before_it_knows_what_is_possible():
    card = Card(lambda action: None)
    assert {one.layout.display for one in all_below(card.widget) if isinstance(one, Button)} == {"none"}


def test_user_code_runs_on_the_main_thread_after_the_cell_that_runs(start_kernel, tmp_path):
    where = "import threading\nhere = threading.current_thread() is threading.main_thread()\norder.append('panel')"
    kernel = start_kernel([{"answer": f"```python\n{where}\n```\n"}])
    widgets = opened(kernel)
    kernel.run("order = []")
    widgets.enter("where")
    widgets.shows("not accepted yet")
    go = tmp_path / "go"
    kernel.start(
        f"import pathlib, time\nwhile not pathlib.Path({str(go)!r}).exists(): time.sleep(0.01)\norder.append('cell')"
    )
    widgets.click("Run")
    widgets.shows("Waits for the kernel …")
    go.touch()
    widgets.shows("Ran.")
    assert kernel.run("print(here, order)") == "True ['cell', 'panel']\n"


def test_what_fails_shows_its_traceback_and_can_be_fixed(start_kernel):
    kernel = start_kernel([{"answer": "```python\nprint(1 / 0)\n```\n", "repeat": True}])
    widgets = opened(kernel)
    widgets.enter("fail")
    widgets.click("Run")
    widgets.shows("It failed.")
    assert widgets.outputs()[-1]["ename"] == "ZeroDivisionError"


def test_a_blocked_proposal_runs_only_after_a_second_yes(start_kernel):
    kernel = start_kernel([BLOCKED])
    widgets = opened(kernel)
    widgets.enter("run what I type")
    widgets.shows("blocked: review it before you run it")
    widgets.click("Run")
    widgets.shows("A finding blocks this cell.")
    assert "accepted" not in kernel.run("%spark status")
    widgets.click("Run anyway")
    widgets.shows("Ran.")


def test_what_does_not_parse_is_accepted_only_after_a_second_yes(start_kernel):
    kernel = start_kernel([{"answer": "```python\ny = = x\n```\n", "repeat": True}])
    widgets = opened(kernel)
    widgets.enter("write it")
    widgets.shows("blocked: review it before you run it")
    widgets.click("Accept")
    widgets.shows("This cell does not parse.")
    assert "does not parse" in kernel.run("%spark accept 1")
    assert "accepted" not in kernel.run("%spark status")
    widgets.click("Accept anyway")
    widgets.shows("Accepted. Click the code")


def test_an_accepted_proposal_becomes_the_next_cell_by_the_magic(start_kernel):
    kernel = start_kernel([SHORT])
    widgets = opened(kernel)
    widgets.enter("sum up")
    widgets.click("Accept")
    widgets.shows("Accepted. Click the code")
    assert not widgets.find("Button", description="Accept")
    payload = kernel.payload("%spark accept")
    assert payload[0]["source"] == "set_next_input"
    assert payload[0]["text"].startswith("total = sum")


def test_a_rejected_proposal_goes_and_can_not_be_run(start_kernel):
    widgets = opened(start_kernel([SHORT]))
    widgets.enter("sum up")
    widgets.click("Reject")
    widgets.shows("rejected")
    widgets.kernel.until(lambda: not widgets.find("Button", description="Run"))
    assert "sum(range" not in re.sub("<[^>]*>", "", widgets.html())


def test_what_a_model_writes_is_never_live_html(start_kernel):
    hostile = "<script>alert(1)</script>\n\n```python\nx = '<img src=x onerror=alert(1)>'  # <b>\n```\n"
    widgets = opened(start_kernel([{"answer": hostile}]))
    widgets.enter("<i>anything</i>")
    widgets.shows("not accepted yet")
    html = widgets.html()
    assert "&lt;img" in html
    assert not re.search("<(script|img|i>)", html)


def test_the_model_is_chosen_from_the_providers_list(start_kernel):
    kernel = start_kernel([SHORT], models=["script", "other"])
    widgets = opened(kernel)
    dropdown = kernel.until(lambda: widgets.find("Dropdown", _options_labels=["script", "other"]))[0]
    widgets.set(dropdown, index=1)
    kernel.until(lambda: "other" in kernel.run("%spark model"))
    assert widgets.models[dropdown]["_options_labels"] == ["script", "other"]
    widgets.enter("sum up")
    widgets.shows("not accepted yet")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")
def test_the_attempts_of_a_race_are_shown_and_another_one_is_taken(start_kernel):
    answers = [{"model": model, "answer": f"```python\nwinner = {model!r}\n```\n"} for model in ("bad", "good")]
    kernel = start_kernel(answers, models=("*",))
    widgets = opened(kernel)
    kernel.run("%spark --models bad,good --check \"assert winner == 'good'\" who wins")
    widgets.shows("2 passed (good)")
    widgets.click("Take attempt 1")
    widgets.shows("→ 1 ")
    widgets.wait("Button", description="Take attempt 2")
    widgets.click("Accept")
    kernel.until(lambda: not widgets.find("Button", description="Take attempt 2"))
    assert "winner = 'bad'" in kernel.payload("%spark accept")[0]["text"]


def test_several_panels_show_the_same_and_one_is_closed_alone(start_kernel):
    kernel = start_kernel([SHORT])
    widgets = opened(kernel)
    kernel.run("%spark panel", cell_id="cell-2")
    assert len(widgets.find("Text")) == 2
    widgets.enter("sum up")
    kernel.until(lambda: widgets.html().count("not accepted yet") == 2)
    widgets.send(
        widgets.find("Button", icon="times", description="")[0], {"method": "custom", "content": {"event": "click"}}
    )
    kernel.until(lambda: len(widgets.find("Text")) == 1)
    widgets.click("Accept")
    widgets.shows("Accepted. Click the code")


def test_a_panel_shown_again_by_its_cell_takes_the_old_ones_place_and_knows_the_turns(start_kernel):
    kernel = start_kernel([SHORT])
    widgets = opened(kernel)
    widgets.enter("sum up")
    widgets.shows("not accepted yet")
    kernel.run("%spark panel")
    kernel.until(lambda: len(widgets.find("Text")) == 1)
    widgets.shows("not accepted yet")


def test_unloading_the_extension_takes_the_panels_away(start_kernel):
    kernel = start_kernel([LONG], rate=100)
    widgets = opened(kernel)
    widgets.enter("values")
    widgets.shows("writing …")
    kernel.run("%unload_ext spark_jupyter")
    kernel.until(lambda: not widgets.find("Text") and not widgets.find("Button"))
    assert kernel.run("1 + 1") == "2"


def test_what_was_objected_to_is_said_and_the_typed_text_is_kept(start_kernel):
    kernel = start_kernel([SHORT])
    widgets = opened(kernel)
    widgets.enter("sum up")
    widgets.shows("not accepted yet")
    kernel.run("%spark reject")
    widgets.shows("rejected")
    kernel.until(lambda: not widgets.find("Button", description="Accept"))
