"""Questions behind the magics: prompts, where IPython would show help."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell

from spark_jupyter.ui.prompt_questions import keep_questions


@pytest.fixture
def transform():
    shell = InteractiveShell()
    end = keep_questions(shell, names=["spark", "pair"])
    yield shell.transform_cell
    end()


@pytest.mark.parametrize("line", ["%spark which category sells best?", "%pair what is df?", "%spark is df empty ??"])
def test_a_question_is_a_prompt(transform, line):
    assert "run_line_magic" in transform(line)
    assert "pinfo" not in transform(line)


def test_what_comes_before_it_stays(transform):
    assert transform("x = 1\nif x:\n    %spark which one is best?\n").startswith(
        "x = 1\nif x:\n    get_ipython().run_line_magic('spark'"
    )


@pytest.mark.parametrize("line", ["%spark?", "%spark??", "%timeit sum?", "len?"])
def test_help_stays_help(transform, line):
    assert "pinfo" in transform(line)


def test_text_in_a_string_stays_text(transform):
    cell = '"""\n%spark which one is best?\n"""\n'
    assert transform(cell) == cell


def test_in_the_cell_that_loads_the_extension_a_question_is_a_prompt_too(capsys):
    shell, asked = InteractiveShell(), []

    def load() -> None:
        shell.register_magic_function(asked.append, magic_name="spark")
        ends.append(keep_questions(shell, names=["spark"]))

    ends = []
    shell.user_ns["load"] = load
    shell.run_cell("load()\n%spark which category sells best?\n  \nnothing?\n%spark what is load??", store_history=True)
    assert asked == ["which category sells best?", "what is load??"]
    assert "`nothing` not found" in capsys.readouterr().out, "help stays help"
    shell.run_cell("best?", store_history=True)
    assert "`best` not found" in capsys.readouterr().out
    ends[0]()


def test_an_extension_that_is_loaded_twice_in_one_cell_leaves_nothing_behind(capsys):
    shell, asked = InteractiveShell(), []

    def load() -> None:
        shell.register_magic_function(asked.append, magic_name="spark")
        ends.append(keep_questions(shell, names=["spark"]))

    ends = []
    shell.user_ns["load"] = load
    shell.run_cell("load()\nload()\n%spark which category sells best?", store_history=True)
    assert asked == ["which category sells best?"]
    assert "Error" not in capsys.readouterr().out
    assert "run_line_magic" not in vars(shell)
    for end in ends:
        end()
