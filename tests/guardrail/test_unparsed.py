"""Text that is not Python, or not yet: what can be read of it is judged, and nothing around it goes unseen."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

VIEW = "import os\ndef view(request):\n"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            "    cur.execute('SELECT * FROM t WHERE a = 1\n      AND b = %s' % request.args['b'])\n",
            {("sql-injection", 3)},
        ),
        (
            "    q = \"SELECT a FROM t\n      WHERE b = '%s'\" % request.args['b']\n    cur.execute(q)\n",
            {("sql-injection", 5)},
        ),
        ("    os.system(f\"ls\n      {request.args['p']}\")\n", {("command-injection", 3)}),
        ("    print(\"looking\n    p = request.args['p']\n    os.system('ls ' + p)\n", {("command-injection", 5)}),
        ("    x = f(1))\n    os.system(request.args['p'])\n", {("command-injection", 4)}),
        ("    os.system('ls ' + request.args['p']", {("command-injection", 3)}),
        ("    os.system('ls %s' % request.args['p'], 'rest of", {("command-injection", 3)}),
    ],
    ids=[
        "a call",
        "an assignment",
        "an f-string",
        "never closed",
        "closed twice",
        "a bracket cut off",
        "a string cut off",
    ],
)
def test_a_broken_line_is_judged_and_silences_no_other(body: str, found: set[tuple[str, int]]) -> None:
    assert {(finding.rule, finding.line) for finding in check(VIEW + body)} == found


@pytest.mark.parametrize(
    "body",
    [
        "    cur.execute('SELECT * FROM t WHERE a = 1\n      AND b = %s', (request.args['b'],))\n",
        "    print(\"looking\n    os.system('ls')\n",
        "    os.system('ls'",
    ],
)
def test_a_broken_line_in_which_nothing_is_wrong_is_left_alone(body: str) -> None:
    assert {finding.rule for finding in check(VIEW + body)} <= {"shell-without-need"}
