"""Arrays of objects in the kernel, such as the Axes of an earlier cell."""

from __future__ import annotations

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from spark_jupyter.reality import check

IN_CELL = "fig, axes = plt.subplots(2, 2)\n"
RIGHT = [
    "axes[0, 1].set_title('x')",
    "axes[0][1].set_title('x')",
    "(a, b), (c, d) = axes\na.plot([1])",
    "axes.T[0, 0].plot([1])",
    "axes.reshape(-1)[0].plot([1])",
    "axes.ravel()[:2][1].twinx()",
    "np.ravel(axes)[0].plot([1])",
    "np.concatenate([axes, axes])[0, 0].plot([1])",
    "np.atleast_2d(axes)[0, 0].plot([1])",
    "for ax in axes.flat:\n    ax.set_title('x')",
    "mixed[0].anything",
]
WRONG = [
    "axes[0].set_title('x')",
    "axes[0, 0].set_titel('x')",
    "axes.flat[0].plott([1])",
    "numbers[0, 0].set_title('x')",
]


MADE = [
    "np.array(things)[0].size_of()",
    "np.array([make(1), make(2)])[0].size_of()",
    "np.array([one for one in things])[1].size_of()",
    "np.array(list(objects))[0].size_of()",
    "np.array([thing])[0].size_of()",
    "np.where([True, False], objects, None)[0].size_of()",
    "np.select([np.array([True, False])], [objects], None)[0].size_of()",
    "np.full(2, thing)[0].size_of()",
    "np.extract([True, False], objects)[0].size_of()",
    "np.random.default_rng(0).permutation(objects)[0].size_of()",
    "np.array([pd.Timestamp('2025')])[0].year",
    "pd.Series(objects).to_numpy()[0].size_of()",
    "pd.DataFrame({'one': objects}).values[0, 0].size_of()",
]


@pytest.fixture
def namespace():
    figure, axes = plt.subplots(2, 2)
    yield {"plt": plt, "np": np, "axes": axes, "mixed": np.array([{}, [1]], dtype=object), "numbers": np.ones((2, 2))}
    plt.close(figure)


@pytest.mark.parametrize("source", RIGHT)
def test_what_an_object_in_an_array_has_is_not_missing(namespace, source):
    assert check(source, namespace) == []
    assert check(IN_CELL + source, namespace) == []


@pytest.mark.parametrize("source", MADE)
def test_what_an_object_has_is_not_missing_in_an_array_made_of_it(source):
    class Thing:
        def size_of(self):
            return 1

    things = [Thing(), Thing()]
    namespace = {"np": np, "pd": pd, "thing": things[0], "things": things, "make": lambda _: Thing(), "Thing": Thing}
    namespace["objects"] = np.array(things, dtype=object)
    exec(source, namespace)
    assert check(source, namespace) == []


@pytest.mark.parametrize(
    "source", ["np.array(things).size_of()", "np.zeros(3)[0].size_of()", "np.array([1, 2])[0].size_of()"]
)
def test_what_no_array_has_is_missing(source):
    assert [one.wrong for one in check(source, {"np": np, "things": [object()]})] == ["size_of"]


@pytest.mark.parametrize("source", WRONG)
def test_what_an_object_in_an_array_lacks_is_missing(namespace, source):
    assert check(source, namespace)
    assert check(IN_CELL + source, namespace)


@pytest.mark.parametrize(
    "source",
    [
        "m = np.ma.array(x, mask=[0])\nm.mask, m.compressed(), m.filled(0)",
        "np.ma.asarray(x).mask",
        "np.ma.asanyarray(x).mask",
        "np.char.array(['a', x]).upper()",
    ],
)
def test_an_array_of_another_class_has_what_its_class_has(source):
    source = "x = eval('1')\n" + source
    exec(source, {"np": np})
    assert check(source, {"np": np}) == []
