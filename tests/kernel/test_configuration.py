"""``%config SparkMagics`` and the user's configuration count, also when they change while Spark is loaded."""

from __future__ import annotations

import pytest

ANSWER = [{"answer": "```python\nx = 1\n```\n", "repeat": True}]


def test_what_is_configured_before_it_loads_counts(start_kernel):
    kernel = start_kernel(ANSWER)
    for setting in ("checkpoints = 'off'", "suggestions = 'ask'", "deep_model = 'slow'"):
        kernel.run(f"get_ipython().config.SparkMagics.{setting}")
    kernel.run("%load_ext spark_jupyter")
    assert "\nCheckpoints are off." in kernel.run("%spark status")
    assert "when you press a key" in kernel.run("%spark suggestions")
    assert "Deep work: slow" in kernel.run("%spark model --deep")


def test_what_is_configured_while_it_is_loaded_counts_at_once(start_kernel):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter")
    kernel.run("%config SparkMagics.suggest_model = 'small'")
    assert "from small at" in kernel.run("%spark suggestions")
    kernel.run("%config SparkMagics.suggestions = 'off'")
    assert "Suggestions are off" in kernel.run("%spark suggestions")
    kernel.run("%config SparkMagics.deep_model = 'slow'")
    kernel.run("%config SparkMagics.deep_effort = 'low'")
    said = kernel.run("%spark model --deep")
    assert "Deep work: slow" in said
    assert "low" in said
    kernel.run("%config SparkMagics.effort = 'high'")
    session = "get_ipython().magics_manager.magics['line']['spark'].pair.engine"
    assert kernel.run(f"{session}.read(lambda session: session.jobs.effort)") == "'high'"
    kernel.run("%config SparkMagics.deep_minutes = 2")
    assert "2 min" in kernel.run("%spark model --deep")
    kernel.run("%config SparkMagics.deep_minutes = 0")
    assert "15 min" in kernel.run("%spark model --deep")
    kernel.run("%config SparkMagics.fallback = 'groq'")
    wait = f"import time\nwhile ({session}.read(lambda session: session.jobs.fallback)) is None: time.sleep(0.01)"
    assert kernel.run(f"{wait}\n{session}.read(lambda session: session.jobs.fallback.title)") == "'Groq'"


@pytest.mark.parametrize("setting", ["model", "dialect"])
def test_what_is_read_when_it_loads_says_so_and_counts_when_it_is_loaded_anew(start_kernel, setting):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter")
    said = kernel.run(f"%config SparkMagics.{setting} = 'other'")
    assert f"{setting} takes effect after %reload_ext spark_jupyter" in said
    kernel.run("%reload_ext spark_jupyter")
    settings = "get_ipython().magics_manager.magics['line']['spark'].pair._settings"
    assert kernel.run(f"{settings}.{setting}") == "'other'"


def test_suggestions_come_from_no_provider_that_nobody_knows(start_kernel):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter")
    message_id = kernel.start("%spark suggestions provider nobody")
    kernel.until(lambda: kernel.idle(message_id))
    assert "There is no profile 'nobody'. Give the path of a .gguf file, or one of: openai" in kernel.text(message_id)
    assert "nobody" not in kernel.run("%spark suggestions")
    message_id = kernel.start("%spark suggestions model none.gguf")
    kernel.until(lambda: kernel.idle(message_id))
    assert "There is no file none.gguf." in kernel.text(message_id)


def test_a_model_file_says_what_it_takes_and_one_that_is_none_says_so_before_anything_is_loaded(start_kernel, tmp_path):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter")
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"not a model")
    for file, said in ((wrong, "no GGUF file"), (tmp_path / "none.gguf", "can't be read")):
        message_id = kernel.start(f"%spark model {file}")
        kernel.until(lambda message_id=message_id: kernel.idle(message_id))
        assert said in kernel.text(message_id)
        assert "embedded server" not in kernel.text(message_id)


def test_undo_of_another_run_than_the_last_is_refused(start_kernel):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter")
    kernel.run("x = 1")
    kernel.run("y = 2")
    message_id = kernel.start("%spark undo 2")
    kernel.until(lambda: kernel.idle(message_id))
    assert "last run" in kernel.text(message_id)
    assert kernel.run("x, y") == "(1, 2)"


def test_what_is_configured_after_it_was_loaded_anew_is_the_new_ones(start_kernel):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter\n%reload_ext spark_jupyter")
    assert kernel.run("sum(type(one).__name__ == 'SparkMagics' for one in get_ipython().configurables)") == "1"
    kernel.run("%unload_ext spark_jupyter")
    assert kernel.run("sum(type(one).__name__ == 'SparkMagics' for one in get_ipython().configurables)") == "0"


def test_the_projects_rules_are_shown_and_switched_off(start_kernel, tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text("Use polars.")
    skill = tmp_path / ".agents/skills/clean-data/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: clean-data\ndescription: Cleans a table.\n---\nDrop nothing.")
    kernel = start_kernel([{"answer": "Done.", "repeat": True}], alone=True)
    kernel.run(f"import os; os.chdir({str(tmp_path)!r})\n%load_ext spark_jupyter")
    session = "get_ipython().magics_manager.magics['line']['spark'].pair.engine"
    told = f"history = {session}.read(lambda it: it.dialogue.history())\n"
    shown = kernel.run("%spark rules")
    assert "AGENTS.md: 11 characters" in shown
    assert "/clean-data  Cleans a table." in shown
    kernel.run("%spark --wait /clean-data the orders")
    assert "True True" in kernel.run(
        told + "print('Use polars.' in history[0].text, 'Drop nothing.' in history[0].text)"
    )
    assert "are off" in kernel.run("%spark rules off")
    kernel.run("%spark --wait plot it")
    assert "True" in kernel.run(told + "print('None any more.' in history[2].text)")
