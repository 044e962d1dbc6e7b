"""Settings of deep work and spending in the panel, and its texts while it waits and for a long conversation."""

from __future__ import annotations

import pytest

from tests.browser.lab import Notebook, code

SETTINGS = {("deep-work", "deepModel"): "slow-thinker", ("deep-work", "deepMinutes"): 2, ("models", "stopCost"): 3}
BUSY = {"status": 429, "code": "rate_limit_exceeded", "message": "Too many.", "headers": {"retry-after": "100"}}


@pytest.mark.own_page  # it changes settings
def test_who_does_deep_work_and_the_limit_of_a_day_come_from_the_settings(notebook, model) -> None:
    book: Notebook = notebook([code("x = 1")], model([{"answer": "```python\ny = 1\n```\n", "repeat": True}]))
    book.open_panel()
    try:
        for (page, name), value in SETTINGS.items():
            book.set(f"spark-jupyter:{page}", name, value)
        book.prompt("go")
        book.wait_state("ready", 1)
        book.panel.get_by_text("of $3.00").wait_for()
        book.panel.get_by_role("button", name="Connect a model…").first.click()
        book.page.get_by_text("Deep model: slow-thinker").click()  # unfolds it
        form = book.page.get_by_label("Who does deep work")
        use = form.get_by_role("button", name="Use for deep work")
        assert use.is_disabled(), "nothing was changed"
        provider, effort = form.locator("select").all()
        provider.select_option("openai")
        form.get_by_placeholder("another model").fill("slower-thinker")
        effort.select_option("high")
        book.screenshot("settings-deep")
        use.click()
        form.get_by_text("Deep model: slower-thinker").wait_for()
        assert (provider.input_value(), effort.input_value()) == ("openai", "high")
    finally:
        for page, name in SETTINGS:
            book.set(f"spark-jupyter:{page}", name, None)


def test_a_countdown_says_when_it_is_asked_again_and_older_turns_are_told_in_short(notebook, model) -> None:
    answers = [
        {"match": "## Request\nlate", "fail": BUSY},
        {"answer": "```python\ny = 1\n```\n", "repeat": True},
    ]
    book: Notebook = notebook([code("x = 1")], model(answers))
    book.execute("import spark_jupyter.prompting.dialogue as dialogue; dialogue.MOST_KEPT_TURNS = 0")
    book.prompt("go")
    book.wait_state("ready", 1)
    book.panel.locator(".spark-Turn[data-outcome=completed]").wait_for()  # or what is said next would steer it
    book.command("spark:accept-all")
    book.footer().wait_for(state="detached")
    book.prompt("late")
    turn = book.panel.locator(".spark-Turn[data-outcome=streaming]")
    turn.get_by_text("Retrying in").wait_for()
    turn.get_by_text("Waiting…").wait_for()
    turn.get_by_text("1 earlier turn is summarised for the model.").wait_for()
    line = turn.locator(".spark-Meter").bounding_box()
    whole = turn.bounding_box()
    assert line is not None
    assert whole is not None
    assert whole["x"] <= line["x"] < line["x"] + line["width"] <= whole["x"] + whole["width"]
    book.screenshot("countdown")
    book.panel.get_by_role("button", name="Stop").click()
    book.panel.locator(".spark-Turn[data-outcome=cancelled]").wait_for()


def test_the_second_provider_is_said_before_it_is_asked_and_stands_with_its_answer(notebook, model, tmp_path) -> None:
    text = "```python\ny = 1\n```\n"
    second = model([{"match": "## Request\nlong", "answer": text, "stall_after": 0}, {"answer": text}])
    folder = tmp_path / "spark_jupyter"
    folder.mkdir()
    profile = f'[second]\ntitle = "Second place"\nbase_url = "{second.url}"\nkey_env = "SECOND_KEY"\nmodel = "script"\n'
    (folder / "profiles.toml").write_text(profile + 'dialect = "responses-websocket"\n')
    book: Notebook = notebook([code("x = 1")], model([{"fail": BUSY, "repeat": True}]))
    named = {"JUPYTER_CONFIG_PATH": str(tmp_path), "SECOND_KEY": second.token, "SPARK_FALLBACK": "second"}
    book.execute(f"import os; os.environ.update({named!r})")
    book.prompt("long")
    streaming = book.panel.locator(".spark-Turn[data-outcome=streaming]")
    streaming.get_by_text("Second place is asked instead, as configured.").wait_for()
    streaming.get_by_text("Waiting…").wait_for()
    assert len(book.sources()) == 1, "it is said before anything comes of it"
    book.screenshot("fallback-asked")
    book.panel.get_by_role("button", name="Stop").click()
    book.panel.locator(".spark-Turn[data-outcome=cancelled]").wait_for()
    book.prompt("go")
    book.wait_state("ready", 1)
    done = book.panel.locator(".spark-Turn[data-outcome=completed]")
    done.get_by_text("Second place is asked instead").wait_for()
    book.screenshot("fallback-answered")
