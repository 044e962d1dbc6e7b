"""The magics in a real kernel, without any front end of ours: as in VS Code, Colab, nbclient."""

from __future__ import annotations

import re

import pytest

CODE = "def double(x):\n    return 2 * x\n\n\nanswer = double(21)\nanswer"
ANSWER = {"answer": f"Doubling.\n\n```python\n{CODE}\n```\n", "repeat": True}
LONG = "\n".join(f"value_{n} = {n}" for n in range(400))
SLOW = {"answer": f"```python\n{LONG}\n```\n", "repeat": True}
PROPOSALS = (
    "get_ipython().magics_manager.magics['line']['spark'].pair.engine.read(lambda session: session.store.proposals)"
)
WRITTEN = f"print(*(one.source for one in {PROPOSALS}))"


def loaded(start_kernel, answers, **options):
    kernel = start_kernel(answers, **options)
    kernel.run("%load_ext spark_jupyter")
    return kernel


def fails(kernel, code):
    message_id = kernel.start(code)
    kernel.until(lambda: kernel.idle(message_id))
    errors = kernel.of(message_id, "error")
    return (errors[0]["evalue"] if errors else "") + kernel.text(message_id)


def test_a_cell_magic_that_waits_shows_the_answer_and_run_runs_it(start_kernel):
    kernel = loaded(start_kernel, [ANSWER], alone=True)
    shown = kernel.run("%%spark --wait\ndouble a number")
    assert "def double(x):" in shown
    assert "completed" in shown
    updates = [m["content"]["data"] for m in kernel.messages if m["msg_type"] == "update_display_data"]
    assert "not accepted yet" in updates[-1]["text/html"]
    assert "⚡ …" not in updates[-1]["text/plain"]
    assert "42" in kernel.run("%spark run")
    assert "42" in kernel.run("answer")


def test_where_a_program_runs_the_notebook_the_magic_waits_by_itself(start_kernel):
    kernel = loaded(start_kernel, [ANSWER], rate=300)
    assert "completed" in kernel.run("%spark double a number", allow_stdin=False)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"fail": {"status": 400, "message": "out of order"}}, "this cell fails"),
        ({"answer": "There is nothing to do."}, "Nothing of the answer was run"),
    ],
)
def test_where_a_program_runs_the_notebook_what_did_not_run_fails_the_cell(start_kernel, answer, said):
    kernel = loaded(start_kernel, [answer])
    message_id = kernel.start("%spark --run double a number", allow_stdin=False)
    kernel.until(lambda: kernel.idle(message_id))
    assert said in kernel.text(message_id)
    assert kernel.reply(message_id)["status"] == "error"


def test_a_prompt_is_answered_where_the_working_folder_was_deleted(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("import os, tempfile\nfolder = tempfile.mkdtemp()\nos.chdir(folder)\nos.rmdir(folder)")
    shown = kernel.run("%spark --wait double a number with @x and a.csv")
    assert "completed" in shown
    assert "answer = double(21)" in shown


def test_in_a_notebook_the_magic_returns_at_once_and_its_output_grows(start_kernel):
    kernel = loaded(start_kernel, [SLOW], rate=100)
    message_id = kernel.start("%spark many values")
    kernel.until(lambda: kernel.idle(message_id))
    assert "value_399" not in kernel.text(message_id)

    def shown():
        updates = [m["content"] for m in kernel.messages if m["msg_type"] == "update_display_data"]
        return updates and updates[-1]["data"]["text/html"]

    kernel.until(lambda: "value_9 " in (shown() or ""))
    kernel.run("%spark cancel")


def test_what_a_model_writes_is_never_live_html(start_kernel):
    hostile = {"answer": "<script>alert(1)</script>\n\n```python\nx = '<img src=x onerror=alert(1)>'\n```\n"}
    kernel = loaded(start_kernel, [hostile])
    message_id = kernel.start("%spark anything")
    kernel.until(lambda: kernel.idle(message_id))

    def html():
        updates = [m["content"]["data"]["text/html"] for m in kernel.messages if m["msg_type"] == "update_display_data"]
        return updates[-1] if updates and "not accepted yet" in updates[-1] else ""

    shown = kernel.until(html)
    assert "<script" not in shown
    assert "<img" not in shown


def test_a_turn_is_steered_from_another_cell(start_kernel):
    steered = {"match": "## Steer", "answer": "```python continue\nlast = 'steered'\n```\n"}
    kernel = loaded(start_kernel, [steered, SLOW], rate=100)
    kernel.run("%spark many values")
    kernel.until(lambda: "value_1 = 1\n" in kernel.run(WRITTEN))
    kernel.run("%spark steer stop here")
    kernel.until(lambda: "not accepted yet" in kernel.run("%spark status"))
    assert "last = 'steered'" in kernel.run("%spark diff")


def test_a_turn_is_cancelled_from_another_cell_and_keeps_what_came(start_kernel):
    kernel = loaded(start_kernel, [SLOW], rate=100)
    kernel.run("%spark many values")
    kernel.until(lambda: "value_1 = 1\n" in kernel.run(WRITTEN))
    kernel.run("%spark cancel")
    assert "stopped" in kernel.run("%spark status")
    diff = kernel.run("%spark diff")
    assert "value_1 = 1" in diff
    assert "value_399" not in diff


def test_an_interrupt_cancels_a_turn_that_waits(start_kernel):
    kernel = loaded(start_kernel, [SLOW], rate=50)
    message_id = kernel.start("%spark --wait many values")
    kernel.until(lambda: "value_1" in kernel.text(message_id))
    kernel.process.interrupt()
    kernel.until(lambda: kernel.idle(message_id))
    assert "stopped" in kernel.text(message_id)
    assert "stopped" in kernel.run("%spark status")


def test_accept_puts_the_code_into_the_next_cell(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("%spark --wait double a number")
    payload = kernel.payload("%spark accept")
    assert payload == [{"source": "set_next_input", "text": CODE, "replace": False}]
    assert "no open proposal" in fails(kernel, "%spark accept")
    assert kernel.payload("%spark --accept double a number") == payload, "--accept keeps it in the same place"


def test_edit_proposes_a_diff_on_this_cell_and_does_not_run_it(start_kernel):
    edited = {"answer": "```python cell=cell-7\nx = [n * n for n in range(10)]\n```\n"}
    kernel = loaded(start_kernel, [edited])
    kernel.run(
        "%%spark --wait edit use a comprehension\nx = []\nfor n in range(10):\n    x.append(n * n)", cell_id="cell-7"
    )
    diff = kernel.run("%spark diff")
    assert "-for n in range(10):" in diff
    assert "+x = [n * n for n in range(10)]" in diff
    assert "not defined" in fails(kernel, "x")


def test_a_blocked_proposal_runs_only_with_a_second_yes(start_kernel):
    bad = {"answer": "```python\nimport os\nos.system('echo ' + input_text)\n```\n", "repeat": True}
    kernel = loaded(start_kernel, [bad])
    kernel.run("import sys\ninput_text = sys.argv[0]")
    kernel.run("%spark --wait run it")
    assert "blocked" in kernel.run("%spark status")
    assert "blocks" in fails(kernel, "%spark run")


def test_accept_of_all_leaves_out_what_is_blocked_and_says_how_to_take_it(start_kernel):
    both = "```python\nfine = 1\n```\n\n```python\nimport os\nos.system('echo ' + input_text)\n```\n"
    kernel = loaded(start_kernel, [{"answer": both, "repeat": True}])
    kernel.run("import sys\ninput_text = sys.argv[0]")
    kernel.run("%spark --wait two cells")
    said = kernel.run("%spark accept")
    assert "Left out: 1 blocked by a finding. Use %spark accept 1 to accept it anyway" in said
    assert "os.system" not in said
    assert "os.system" in kernel.payload("%spark accept 1")[0]["text"]
    assert "Left out: 1 blocked" in kernel.run("%spark --accept two cells")


def test_run_with_the_option_runs_the_answer_at_once(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("%spark --run double a number")
    assert "42" in kernel.run("answer")


def test_reject_and_revert_take_proposals_back(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("%spark --wait double")
    kernel.run("%spark reject")
    assert "rejected" in kernel.run("%spark status")
    kernel.run("%spark --wait double")
    kernel.run("%spark accept")
    kernel.run("%spark revert")
    assert "reverted" in kernel.run("%spark status")


def test_models_and_model_and_help(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    assert "script" in kernel.run("%spark models")
    assert "Model: script" in kernel.run("%spark model")
    kernel.run("%spark model other")
    assert "Model: other" in kernel.run("%spark status"), "not the one that was connected to"
    assert "does not serve" in kernel.run("%spark --wait double")
    payload = kernel.payload("%spark?")
    assert "steer" in payload[0]["data"]["text/plain"]


def test_an_unknown_option_says_where_the_help_is(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    assert "%spark?" in fails(kernel, "%spark --nonsense 1 double")


def test_where_the_name_is_taken_only_pair_is_registered(start_kernel):
    kernel = start_kernel([ANSWER])
    kernel.run("spark = 'a PySpark session'")
    assert "%pair" in kernel.run("%load_ext spark_jupyter")
    assert "completed" in kernel.run("%pair --wait double a number")
    assert "not found" in fails(kernel, "%spark double")


def test_unloading_takes_the_magics_away_and_loading_again_works(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("%unload_ext spark_jupyter")
    assert "not found" in fails(kernel, "%spark double")
    kernel.run("%load_ext spark_jupyter")
    assert "completed" in kernel.run("%spark --wait double a number")


def test_the_prompt_takes_the_variables_and_the_cells_along(start_kernel):
    echo = {"match": "prices: list (3) of float", "answer": "```python\nseen = True\n```\n"}
    kernel = loaded(start_kernel, [echo])
    kernel.run("prices = [1.0, 2.0, 3.0]")
    kernel.run("%spark --run sum the prices")
    assert "True" in kernel.run("seen")


def test_a_cell_may_use_what_an_earlier_cell_of_its_answer_defines(start_kernel):
    two = {"answer": "```python\nnumbers = [1, 2]\n```\n\n```python\nprint(max(numbers))\n```\n"}
    kernel = loaded(start_kernel, [two])
    kernel.run("%spark --wait the largest")
    # the slower checks come after the end of the turn
    kernel.until(lambda: kernel.run(f"any(one.inspecting for one in {PROPOSALS})") == "False")
    status = kernel.run("%spark status")
    assert "undefined-name" not in status
    assert status.count("insert, not accepted yet") == 2


def test_words_that_come_too_late_to_steer_are_a_prompt(start_kernel):
    more = {"match": "with decimals", "answer": "```python\nmore = 0.5\n```\n"}
    kernel = loaded(start_kernel, [more, ANSWER])
    assert "no turn to steer" in kernel.run("%spark steer with decimals")
    kernel.run("%spark --wait double a number")
    assert "Sent as a new prompt" in kernel.run("%spark --wait steer with decimals")
    assert "more = 0.5" in kernel.run("%spark diff")


def test_a_diff_in_a_notebook_says_nothing_of_newlines_that_cells_do_not_have(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("%spark --wait double a number")
    diff = kernel.run("%spark diff")
    assert "+answer\n" in diff
    assert "No newline" not in diff


# --- A conversation that goes on -----------------------------------------------------------------------------------------

ASKED = """
session = get_ipython().magics_manager.magics["line"]["spark"].pair.engine.read(lambda session: session)
from spark_jupyter.prompting.request_text import question_text
print(question_text(list(session.dialogue._exchanges.values())[-1].question))
"""
TABLE = "import pandas as pd\nsales = pd.DataFrame({'price': ['$1', '$2']})"


def test_no_opening_words_of_a_prompt_change_a_cell(start_kernel):
    kernel = loaded(start_kernel, [ANSWER, {"answer": "```python\nanswer = 43\n```\n", "repeat": True}])
    kernel.run("%spark --wait double a number")
    assert "Changes the cell" not in kernel.run("%spark --wait With duckdb, what is 42 + 1?")
    assert "-def double" not in kernel.run("%spark diff")
    kernel.run("%spark reject")


def test_what_a_prompt_points_at_goes_along_without_its_secrets(start_kernel, tmp_path):
    (tmp_path / "keys.txt").write_text("password = 'Tr0ub4dor&3xyz'\n")
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run(f"import os; os.chdir({str(tmp_path)!r})\n{TABLE}")
    kernel.run("%spark --wait strip the $ from @sales.price as in @keys.txt")
    told = kernel.run(ASKED)
    assert "@sales.price" in told
    assert "'$1', '$2'" in told
    assert "keys.txt: 28 bytes" in told
    assert "Tr0ub4dor" not in told
    assert "no column 'prise'" in fails(kernel, "%spark --wait sum @sales.prise")


def test_again_asks_the_last_prompt_once_more_in_the_place_of_what_waits(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    assert "no prompt yet" in fails(kernel, "%spark again")
    kernel.run("%spark --wait double a number")
    assert "def double(x):" in kernel.run("%spark --wait again")
    assert kernel.run("%spark diff").count("+def double(x):") == 1


def test_tab_completes_what_can_be_pointed_at(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run(TABLE)
    assert "sales" in kernel.complete("%spark plot @sa")
    assert kernel.complete("%spark plot @sales.") == ["sales.price"]
    kernel.run("%config IPCompleter.use_jedi = False")  # it would read half of pandas, and has no part in this
    assert "sales.price" not in kernel.complete("x = @sales.")


def test_a_provider_is_used_after_its_name_was_said_and_one_that_there_is_not_is_refused(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    assert "profile" in fails(kernel, "%spark provider nosuch")
    assert "completed" in kernel.run("%%spark --wait\ndouble a number")
    banner = kernel.run("%spark provider embedded")
    assert "Offline recipes" in banner
    assert banner.strip() in kernel.run("%spark provider")
    assert "Offline recipes" in kernel.run("%spark status")


def test_suggestions_and_drafts_are_switched_and_given_a_model_of_their_own_by_a_magic(start_kernel):
    kernel = loaded(start_kernel, [{"answer": "1", "repeat": True}], models=("script", "small"))
    assert "are on" in kernel.run("%spark suggestions")
    assert "small" in kernel.run("%spark suggestions model small")
    assert "a key" in kernel.run("%spark suggestions ask")
    assert "are off" in kernel.run("%spark suggestions off")
    assert "at most $0.20 a day" in kernel.run("%spark draft on 0.20")
    assert "mode is off" in kernel.run("%spark draft off")
    assert "mode is off" in kernel.run("%spark draft")


def test_a_prompt_that_ends_with_a_question_mark_is_a_prompt(start_kernel):
    kernel = loaded(start_kernel, [ANSWER], alone=True)
    shown = kernel.run("%pair --wait which number is the answer?")
    assert "def double(x):" in shown
    assert "Object `answer` not found" not in shown


def test_a_command_with_a_question_mark_shows_its_help(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    assert "accept the proposals, or proposal N" in kernel.run("%spark accept?")


def test_tab_completes_the_commands_of_the_magic(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    assert "accept" in kernel.run("get_ipython().complete('acc', '%spark acc', 10)[1]")


def test_conversations_are_listed_opened_renamed_and_deleted(start_kernel):
    answers = [{"answer": f"```python\n{source}\n```\n"} for source in ("a = 1", "b = 2", "c = 3")]
    kernel = loaded(start_kernel, answers, alone=True)
    assert "No conversation is kept yet" in kernel.run("%spark conversations")
    kernel.run("%spark --wait remember the zebra")
    kernel.run("%spark new")
    kernel.run("%spark --wait count the cells")
    assert re.search(r"1 .*count the cells · this one\n  2 .*remember the zebra\n", kernel.run("%spark conversations"))
    assert "count" not in kernel.run("%spark conversations zebra a = 1").partition("\n")[0]
    assert "Opened: remember the zebra" in kernel.run("%spark conversation open 2")
    assert "c = 3" in kernel.run("%spark --wait go on")
    assert "Renamed to: Animals" in kernel.run("%spark conversation rename 1 Animals")
    assert "There is no such conversation" in fails(kernel, "%spark conversation open 7")
    assert "Deleted: count the cells" in kernel.run("%spark conversation delete 2")
    assert "Deleted 1 conversation" in kernel.run("%spark conversation delete --all")
    assert "No conversation is kept yet" in kernel.run("%spark conversations")


def test_a_new_conversation_sends_nothing_of_the_turns_before(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    kernel.run("%spark --wait double the pears")
    assert "New conversation" in kernel.run("%spark new")
    earlier = (
        "get_ipython().magics_manager.magics['line']['spark'].pair.engine.read(lambda s: len(s.dialogue._exchanges))"
    )
    assert kernel.run(earlier) == "0"


def test_what_fails_for_want_of_descriptors_is_said_in_a_sentence(start_kernel):
    kernel = loaded(start_kernel, [ANSWER], alone=True)
    kernel.run("%%spark --wait\ndouble a number")
    kernel.run(
        "import os, resource\nkept = [os.dup(0) for _ in range(9)]\nlimits = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (max(kept) + 1, limits[1]))"
    )
    for verb in ("try", "undo", "review --run"):
        said = fails(kernel, f"%spark {verb}")
        assert "more files" in said or "too many open files" in said.lower() or "checkpoint" in said, said
        assert "/spark_jupyter/" not in said, "a traceback of ours: IPython's thread for its history may print its own"
    kernel.run("resource.setrlimit(resource.RLIMIT_NOFILE, limits)")
    assert "ran in a copy" in kernel.run("%spark try")


def test_in_a_console_that_knows_no_update_of_a_display_the_answer_is_printed(start_kernel):
    kernel = start_kernel([ANSWER])
    kernel.run("%load_ext spark_jupyter", cell_id="")
    message = kernel.start("%spark values", cell_id="")
    kernel.until(lambda: kernel.idle(message))
    printed = "".join(one["text"] for one in kernel.of(message, "stream"))
    assert "def double(x):" in printed
    assert "%spark accept" in printed
    assert not kernel.of(message, "display_data")
    kernel.run("%spark run", cell_id="")
    assert kernel.run("print(double(2))", cell_id="").strip() == "4"
