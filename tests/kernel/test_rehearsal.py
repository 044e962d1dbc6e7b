"""Rehearsal in the stream on a real kernel: what does not run is corrected before anybody reads it, and nothing is kept."""

from __future__ import annotations

import os

import pytest

from spark_jupyter.protocol.messages import Prompt
from tests.kernel.conftest import FrontEnd

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a rehearsal needs fork")

SETUP = """
import pandas as pd
class Table:
    "An object of which no static check can know what it has."
    def __init__(self, frame): self._frame = frame
    def __getattr__(self, name): return getattr(self._frame, name)
    def __dir__(self): return dir(self._frame)
table = Table(pd.DataFrame({"region": ["north", "south"], "sales": [1, 2]}))
"""
PATIENT = """
import spark_jupyter.engine.action_runner
from msgspec import structs
rehearsals = get_ipython().magics_manager.magics["line"]["spark"].pair._rehearsals
usual = spark_jupyter.engine.action_runner.PATIENCE_OF_TURN, rehearsals._limits
spark_jupyter.engine.action_runner.PATIENCE_OF_TURN, rehearsals._limits = 60, structs.replace(usual[1], statement=30.0, seconds=60.0)
"""
"""On a busy machine nothing is late that is not about being late."""
USUAL = "spark_jupyter.engine.action_runner.PATIENCE_OF_TURN, rehearsals._limits = usual"
INVENTED = "```python\nordered = table.sort_valuse('sales')\nordered.head(1)\n```\n"
CORRECTED = "```python\nordered = table.sort_values('sales')\nordered.head(1)\n```\n"


def test_an_invented_method_that_no_static_check_can_know_is_cut_and_corrected(start_kernel):
    answers = [
        {
            "match": "Run in a copy of the kernel, this failed: there is no attribute `sort_valuse`",
            "answer": CORRECTED,
        },
        {"match": "sort the table", "answer": INVENTED},
    ]
    kernel = start_kernel(answers, rate=300)
    kernel.run("%load_ext spark_jupyter")
    kernel.run(PATIENT)
    kernel.run(SETUP)
    shown = kernel.run("%spark --wait sort the table")
    assert "AttributeError: 'DataFrame' object has no attribute 'sort_valuse'" in shown
    assert "Did you mean `sort_values`?" in shown
    assert "ran in a copy in" in shown
    assert ": 1 new variable" in shown
    assert kernel.run("'ordered' in globals()").strip().endswith("False"), "nothing is kept, nothing is shown as run"
    assert "Exactly as it was tried." in kernel.run("%spark run")
    assert kernel.run("len(ordered)").strip() == "2"


def test_figures_are_one_figure_and_unload_ends_a_copy_that_still_runs(start_kernel):
    figure = "```python\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\nax.set_title('x')\nplt.show()\n```\n"
    endless = "```python\nn = 0\nwhile True:\n    n += 1\n```\n"
    kernel = start_kernel(
        [{"match": "count without end", "answer": endless}, {"match": "draw a line", "answer": figure}]
    )
    kernel.run("%matplotlib inline\nimport matplotlib.pyplot\n%load_ext spark_jupyter")
    kernel.run(PATIENT)
    assert "1 figure" in kernel.run("%spark --wait draw a line")
    kernel.run("%spark reject\n" + USUAL)
    assert "completed" in kernel.run("%spark --wait count without end")
    kernel.run("%unload_ext spark_jupyter")
    left = "[t.name for t in threading.enumerate() if t.name.startswith('spark')], children()"
    wait = f"until = time.monotonic() + 60\nwhile any(({left})) and time.monotonic() < until:\n    time.sleep(0.01)\n"
    kernel.run(
        "import psutil, threading, time\ndef children():\n"
        "    return [child.pid for child in psutil.Process().children()]"  # which any process may leave meanwhile
    )
    if os.path.isdir("/proc/self"):
        assert kernel.run(wait + left).strip() == "([], [])"


def test_it_can_be_switched_off_or_only_show_what_a_whole_cell_does(start_kernel):
    kernel = start_kernel([{"match": "sort the table", "answer": INVENTED, "repeat": True}])
    kernel.run("%load_ext spark_jupyter")
    kernel.run(SETUP)
    kernel.run("%config SparkMagics.rehearse = 'off'")
    shown = kernel.run("%spark --wait sort the table")
    assert "completed" in shown
    assert "Error" not in shown
    kernel.run("%spark reject\n%config SparkMagics.rehearse = 'ready'")
    kernel.run("%spark --wait sort the table")
    state = (
        "import time\n"
        "engine = get_ipython().magics_manager.magics['line']['spark'].pair.engine\n"
        "def latest(): return engine.read(lambda session: session.store.proposals[-1])\n"
        "until, seen = time.monotonic() + 60, latest()\n"
        "while (seen.tried is None or seen.state == 'streaming') and time.monotonic() < until:\n"
        "    time.sleep(0.01)\n"
        "    seen = latest()\n"
        "seen.state, seen.tried is not None"
    )  # a result that comes late starts a repair, which streams again
    assert kernel.run(state).strip() == "('ready', True)", "it failed in the copy, and is not cut"


def test_a_cell_that_failed_in_its_copy_is_repaired_before_the_turn_ends(start_kernel):
    answers = [
        {"match": "raised ValueError", "answer": "```python\nhalf = int('10') // 2\nhalf\n```\n"},
        {"match": "half of ten", "answer": "```python\nhalf = int('ten') // 2\nhalf\n```\n"},
    ]
    kernel = start_kernel(answers, rate=300)
    kernel.run("%load_ext spark_jupyter")
    kernel.run(PATIENT)
    shown = kernel.run("%spark --wait half of ten")
    assert "ran in a copy in" in shown
    assert "repaired once" in shown
    kernel.run("%spark run")
    assert kernel.run("half").strip() == "5"


def test_a_module_that_is_edited_beside_the_notebook_is_as_autoreload_will_have_it(start_kernel, tmp_path):
    answer = "```python\nfrom edited_beside import double\nprint(double(2), single(3, more=1))\n```\n"
    kernel = start_kernel([{"answer": answer}], rate=300)
    kernel.run("%load_ext spark_jupyter")
    kernel.run(PATIENT)
    file = tmp_path / "edited_beside.py"
    file.write_text("def single(x):\n    return x\n")
    kernel.run(f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom edited_beside import single")
    kernel.run("%load_ext autoreload\n%autoreload 2")
    file.write_text("def single(x, more=0):\n    return x + more\ndef double(x):\n    return x * 2\n")
    later = file.stat().st_mtime + 10
    os.utime(file, (later, later))
    front = FrontEnd(kernel)  # a prompt by magic is a cell, for which the module is read again
    front.say(Prompt(turn_id="t", text="double it"))
    kernel.until(lambda: "t" in front.view.turns and front.view.turns["t"].outcome)
    (proposal,) = kernel.until(lambda: [one for one in front.view.of_turn("t") if not (one.inspecting or one.trying)])
    assert (proposal.state, proposal.findings, front.view.cuts) == ("ready", (), [])
    assert not kernel.until(lambda: front.view.trials.get(proposal.cell_id)).error
