"""Why a check fails, in a real kernel: what is said, what a model gets, and that hidden tests are nowhere."""

from __future__ import annotations

import json

from spark_jupyter.protocol.constants import WHY
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell, Target
from tests.kernel.conftest import FrontEnd
from tests.kernel.test_course_rules import PAIR, said

WORK = "def mean(xs):\n    print('seen', xs)\n    return sum(xs)"
CHECK = "assert mean([1, 2, 3]) == 2, 'The mean of 1, 2 and 3 is 2.'"
HIDDEN = "### BEGIN HIDDEN TESTS\nassert mean([4711]) == 4712, 'of 4711'\n### END HIDDEN TESTS"
TRACEBACK = "----> 2 assert mean([4711]) == 4712, 'of 4711'\n\nAssertionError: of 4711"
ANSWER = [{"answer": "A mean is a total by a count.\n\n```python\nsum(xs) / len(xs)\n```\n", "repeat": True}]


def test_the_magic_explains_the_check_that_failed_and_keeps_the_solution_out(start_kernel):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter")
    kernel.run(WORK)
    said(kernel, CHECK)
    shown = said(kernel, "%spark --wait why")
    assert "Check 1 of 1 fails. The mean of 1, 2 and 3 is 2." in shown.replace("**", "")
    assert "mean([1, 2, 3]) is 6. The check expects 2." in shown.replace("`", "")
    assert "A mean is a total by a count." in shown
    assert "len(xs)" not in shown
    assert "seen" not in shown, "what the copy prints is nobody's"


def test_a_hidden_check_is_in_no_word_event_or_request(start_kernel):
    kernel = start_kernel(ANSWER)
    kernel.run("%load_ext spark_jupyter")
    kernel.run(WORK)
    person = FrontEnd(kernel)
    kernel.until(lambda: person.view.hello.life)
    cells = (
        NotebookCell(id="c1", source=WORK),
        NotebookCell(id="c2", source=HIDDEN, check=True, error=TRACEBACK),
    )
    person.say(Prompt(turn_id="t1", text=WHY, intent="hints", cells=cells, target=Target(after="c2")))
    kernel.until(lambda: "t1" in person.view.turns and person.view.turns["t1"].outcome)
    turn = person.view.turns["t1"]
    assert turn.outcome == "completed"
    assert "A hidden check fails" in turn.notes
    assert "A mean is a total" in turn.notes
    assert "4711" not in json.dumps([str(event) for event in person.said])
    request = kernel.run(
        "from spark_jupyter.prompting.request_text import messages\n"
        f"print(messages({PAIR}.engine.read(lambda session: session.history.get('t1').generation.conversation)))"
    )
    assert "A check that is hidden fails." in request
    assert "4711" not in request
