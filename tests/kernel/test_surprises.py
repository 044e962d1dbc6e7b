"""Surprises and reviews on a real kernel: with its inline figures, and with what it has run."""

from __future__ import annotations

import os

import pytest

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell, Target
from tests.kernel.conftest import FrontEnd
from tests.kernel.test_try import propose, proposing, try_it

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")


def test_a_figure_without_data_is_said_in_a_kernel_that_shows_it_inline(start_kernel):
    setup = "%matplotlib inline\nimport matplotlib.pyplot as plt"
    kernel = proposing(start_kernel, "plt.plot([], [])", "plt.plot([1, 2], [3, 4])", setup=setup)
    assert "Surprise: The plot shows no data." in str(try_it(kernel))
    assert "Surprise" not in str(try_it(kernel, 1))


def test_what_surprises_is_left_out_of_accept_and_said_before_it_runs(start_kernel):
    setup = "import numpy as np\ny = np.arange(4)\nguess = np.ones((4, 1))"
    kernel = proposing(start_kernel, "error = y - guess\nprint('shape', error.shape)", setup=setup)
    propose(kernel)
    kernel.run("%spark try")
    assert "Left out: 1 with a surprise." in str(kernel.run("%spark accept"))
    ran = str(kernel.run("%spark run"))
    assert "! Surprise: `y` and `guess` were combined to 4 × 4 values" in ran
    assert "shape (4, 4)" in ran


def test_a_review_of_a_kernel_knows_what_ran(start_kernel):
    kernel = proposing(start_kernel, "x = 1")
    kernel.run("import yaml")
    kernel.run("made = yaml.load('x: 1', Loader=yaml.Loader)")
    said = str(kernel.run("%spark review"))
    assert "unsafe-deserialisation" in said
    assert "1 remark." in said
    assert "cells ran from the top, in a copy." in str(kernel.run("%spark review --run"))


def test_a_column_that_a_deleted_cell_made_is_not_said_to_be_missing(start_kernel):
    kernel = start_kernel([{"answer": "```python\nbest = df[['price', 'total']].max()\n```\n"}])
    kernel.run("%load_ext spark_jupyter")
    front = FrontEnd(kernel)
    load = "import pandas as pd\ndf = pd.DataFrame({'price': [1, 2], 'qty': [3, 4]})"
    kernel.run(load, cell_id="load")
    kernel.run("df['total'] = df.price * df.qty", cell_id="deleted")
    cell = NotebookCell(id="load", source=load, execution_count=2)
    front.say(Prompt(turn_id="t", text="the largest", cells=(cell,), target=Target(after="load")))
    kernel.until(lambda: "t" in front.view.turns and front.view.turns["t"].outcome)
    (proposal,) = kernel.until(lambda: [one for one in front.view.of_turn("t") if not one.inspecting])
    assert (proposal.state, proposal.findings) == ("ready", ())
    assert front.view.cuts == []
