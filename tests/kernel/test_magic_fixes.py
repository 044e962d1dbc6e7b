"""Fixes of cells that failed, asked for by a magic or offered by ``live``, in a real kernel."""

from __future__ import annotations

from tests.kernel.test_magics import ANSWER, fails, loaded


def test_fix_sends_the_cell_that_failed_and_its_traceback(start_kernel):
    fix = {"match": "ZeroDivisionError", "answer": "```python cell=cell-3\nx = 1 / 1\n```\n"}
    kernel = loaded(start_kernel, [fix])
    fails_id = kernel.start("x = 1 / 0", cell_id="cell-3")
    kernel.until(lambda: kernel.idle(fails_id))
    kernel.run("%spark fix", allow_stdin=False)
    assert "+x = 1 / 1" in kernel.run("%spark diff")


def test_fix_before_anything_failed_says_what_to_do(start_kernel):
    kernel = loaded(start_kernel, [ANSWER])
    assert "No cell has failed" in fails(kernel, "%spark fix")


def test_fix_repairs_the_open_proposal_that_failed_in_a_copy_unless_a_cell_failed_since(start_kernel):
    wrong = {"answer": "```python\nprice = int('two')\n```\n"}
    repaired = {"match": "Fix the error that this cell raises", "answer": "```python\nprice = 2\n```\n"}
    kernel = loaded(start_kernel, [{**FIXED, "match": "division by zero"}, repaired, wrong])
    kernel.run("%config SparkMagics.rehearse = 'off'")
    kernel.run("%spark --wait a price")
    kernel.run("%spark try")
    kernel.run("%spark --wait fix")
    assert "+price = 2" in kernel.run("%spark diff")
    assert "not defined" in fails(kernel, "price"), "a copy ran it"
    failing(kernel)
    kernel.run("%spark --wait fix")
    assert "+x = 1 / 1" in kernel.run("%spark diff")


FIXED = {
    "match": "ZeroDivisionError",
    "answer": "```python cell=cell-3\nx = 1 / 1\nprint('x is', x)\n```\n",
    "repeat": True,
}


def failing(kernel, code="x = 1 / 0"):
    """Run a cell that fails, and wait until all that follows by itself is done."""
    message_id = kernel.start(code, cell_id="cell-3")
    kernel.until(lambda: kernel.idle(message_id))
    return message_id


def test_a_fix_is_already_tried_and_says_whether_it_runs_now(start_kernel):
    still = {"match": "NameError", "answer": "```python cell=cell-3\ny = int('two')\n```\n"}
    kernel = loaded(start_kernel, [still, FIXED])
    failing(kernel)
    assert "runs now, output x is 1.0" in kernel.run("%spark fix", allow_stdin=False)
    assert "not defined" in fails(kernel, "x")
    failing(kernel, "y = missing")
    assert "still fails: ValueError: invalid literal for int() with base 10: 'two' (line 1)" in kernel.run(
        "%spark --wait fix"
    )


def test_live_proposes_a_tried_fix_after_an_exception_and_not_after_an_interrupt(start_kernel):
    kernel = loaded(start_kernel, [FIXED])
    assert "⚡" not in kernel.text(failing(kernel)), "it is off by default"
    kernel.run("%spark live on")
    assert "%spark live off" in kernel.run("%spark status")
    failed = failing(kernel)
    assert "%spark live off" in kernel.text(failed)

    def html():
        updates = [m["content"]["data"]["text/html"] for m in kernel.messages if m["msg_type"] == "update_display_data"]
        return updates[-1] if updates and "runs now, output x is 1.0" in updates[-1] else ""

    kernel.until(html)
    for code in ("raise KeyboardInterrupt", "raise SystemExit"):
        assert "⚡" not in kernel.text(failing(kernel, code))
    kernel.run("%spark live off")
    assert "⚡" not in kernel.text(failing(kernel))


def test_live_where_the_cell_waits_for_its_fix_tries_that_alone(start_kernel):
    kernel = loaded(start_kernel, [FIXED])
    kernel.run("%spark live on")
    message_id = kernel.start("x = 1 / 0", cell_id="cell-3", allow_stdin=False)
    kernel.until(lambda: kernel.idle(message_id))
    said = kernel.text(message_id)
    assert "runs now, output x is 1.0" in said
    assert "differs" not in said, "the old text failed, and is not run again"


def test_cancel_ends_a_try_that_runs_by_itself(start_kernel):
    endless = {"match": "ZeroDivisionError", "answer": "```python cell=cell-3\nwhile True:\n    pass\n```\n"}
    kernel = loaded(start_kernel, [endless])
    failing(kernel)
    kernel.run("%spark fix")
    kernel.until(lambda: "is being tried" in kernel.run("%spark status"))
    kernel.run("%spark cancel")
    kernel.until(lambda: "is being tried" not in kernel.run("%spark status"))
    assert "nothing to cancel" in fails(kernel, "%spark cancel")
