"""Types from the stubs of libraries and of the standard library."""

from __future__ import annotations

import datetime
import re

import matplotlib.pyplot as plt
import pytest

from spark_jupyter.reality import Checker, check

AXES = "fig, ax = plt.subplots()\n"
PAIRS = [
    # invented, valid
    ("re.compile('a').fullmatch('b').grouping()", "re.compile('a').fullmatch('b').group()"),
    ("datetime.datetime.now().year.foo()", "datetime.datetime.now().year.bit_length()"),
    ("datetime.timedelta(1).total_seconds().foo()", "datetime.timedelta(1).total_seconds().is_integer()"),
    (AXES + "ax.twinx().set_ylabels('a')", AXES + "ax.twinx().set_ylabel('a')"),
    (AXES + "ax.xaxis.set_major_formater(1)", AXES + "ax.xaxis.set_major_formatter('{x}')"),
    (AXES + "fig.axes[0].get_titel()", AXES + "fig.axes[0].get_title().upper()"),
    (AXES + "ax.get_legend().get_text()", AXES + "ax.get_legend().get_texts()[0].get_text()"),
    (AXES + "ax.get_title().uper()", AXES + "ax.get_title().upper()"),
    (AXES + "ax.twinx().fill_between([1], [2], alphas=1)", AXES + "ax.twinx().fill_between([1], [2], alpha=1)"),
    # Axes may be of a projection, whose class has more
    (AXES + "fig.axes[0].set_zlabels('a')", AXES + "fig.axes[0].set_zlabel('a')"),
    # a patch that is given back is of the class that was given
    (AXES + "ax.add_patches(1)", AXES + "ax.add_patch(plt.Rectangle((0, 0), 1, 1)).get_width()"),
]


@pytest.mark.parametrize(("invented", "valid"), PAIRS)
def test_what_a_stub_says_is_followed(invented: str, valid: str) -> None:
    namespace = {"plt": plt, "re": re, "datetime": datetime}
    assert check(invented, namespace) != []
    checker = Checker(namespace)
    assert [*checker.feed(valid), *checker.flush()] == []
    assert checker.failures == 0
