"""Objects in the kernel whose names are not their class's: members, fields, keys, steps."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator

import pytest

from spark_jupyter.reality import check

KERNEL = """
import argparse
import enum
import pathlib
import types
import ipywidgets
from collections import namedtuple
from typing import NamedTuple
from pydantic import BaseModel, ConfigDict
from scipy import optimize
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"
    @property
    def pretty(self): return self.name.title()
class Right(enum.IntFlag):
    READ = enum.auto()
    WRITE = enum.auto()
class Point(NamedTuple):
    x: float
    y: float = 0.0
Place = namedtuple("Place", ["lat", "lon", "alt"], defaults=[0])
class Address(BaseModel):
    city: str
    code: str = ""
class Person(BaseModel):
    name: str
    address: Address
    _seen: int = 0
class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str
person = Person(name="Ada", address={"city": "Bonn"})
opened = Open(name="Ada", nick="A")
space = types.SimpleNamespace(a=1, b=types.SimpleNamespace(c=2))
args = argparse.Namespace(epochs=3)
found = optimize.minimize(lambda x: x @ x, [1.0])
iris = load_iris(as_frame=True)
pipe = Pipeline([("scale", StandardScaler()), ("fit", LogisticRegression())]).fit(iris.data, iris.target)
class Settings:
    def __init__(self, **given): self.__dict__.update(given)
    def load(self, **given):
        for name, value in given.items(): setattr(self, name, value)
settings = Settings(rate=1)
slider = ipywidgets.IntSlider()
root = pathlib.Path()
Planet = enum.Enum("Planet", "MERCURY VENUS")
noted = Pipeline([("fit", LogisticRegression())])
noted.source = "a"
"""
RIGHT = r"""
Colour.RED.pretty.upper(), Colour["BLUE"].value, Colour("r").name, Colour.__members__["RED"], [one.value for one in Colour], len(Colour)
Right.READ | Right.WRITE, Right.READ.bit_length(), (Right.READ | Right.WRITE).value, Right["READ"], Right(3)
Point(1), Point(1, y=2)._replace(x=3).x, Point._fields, Place(1, 2).alt, Place._make([1, 2, 3])._asdict(), Place(lat=1, lon=2, alt=3)
person.address.city.upper(), person.model_dump(), person._seen, Person.model_fields, person.model_fields_set, person.model_extra
Person(name="B", address=Address(city="X")).address.code, person.model_copy(update={"name": "C"}).name, opened.nick, Open(name="a", q=1).q
space.b.c, args.epochs, space.__dict__
space.d = 3\nspace.d
setattr(space, "e", 3)\nspace.e
args.rate = 0.1\nargs.rate
found.x, found["fun"], found.keys(), found.get("jac"), found.success
found["note"] = 1\nfound["note"], found.note
found.note = 1\nfound["note"]
iris.frame["sepal length (cm)"], iris.data.shape, iris["target"], iris.keys()
iris["more"] = 1\niris.more
iris.update(extra=2)\niris["extra"]
pipe["fit"].coef_, pipe[-1].coef_, pipe.named_steps["scale"].mean_, pipe.named_steps.fit.classes_
pipe[:-1].transform(iris.data), pipe.classes_
pipe.steps.append(("more", LogisticRegression()))\npipe["more"]
pipe.set_params(fit__C=2).fit(iris.data, iris.target).predict(iris.data)
noted.source.upper(), noted["fit"]
settings.rate
settings.load(size=3)\nsettings.size
other = settings\nother.load(size=3)\nsettings.size
def prepare(what):\n    what.load(size=3)\nprepare(settings)\nsettings.size
vars(settings).update(size=3)\nsettings.size
slider.value, slider.layout.width, slider.model_id, slider.trait_names()
Planet.VENUS.value, Planet["MERCURY"], enum.Enum("Other", "A B").B
(root / "a" / "b.csv").suffix.upper(), root.parent, (root / "a").parent.name
"""
WRONG = r"""
Colour.GREEN
Colour["GREEN"]
Colour.RED.label
Right.EXECUTE
Point(1, 2, 3)
Point(z=3)
Place(1)
person.nam
person.address.street
person.model_dumps()
space.d
space.b.d
args.epoch
found.nfevals
found["nfevals"]
iris.frame["sepal_length"]
iris.frames
pipe["fit"].feature_importances_
pipe.named_steps["model"]
pipe.named_steps.scale.means_
settings.size
slider.onclick(print)
(root / "a").read_texts()
Planet.EARTH
"""


def lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.fixture
def kernel() -> Iterator[dict[str, object]]:
    yield from made_kernel()


@pytest.fixture(scope="module")
def kept() -> Iterator[dict[str, object]]:
    yield from made_kernel()


def made_kernel() -> Iterator[dict[str, object]]:
    main = types.ModuleType("__main__")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", main)
        exec(KERNEL, vars(main))
        yield vars(main)


@pytest.mark.parametrize("source", lines(WRONG))
def test_what_an_object_lacks_is_missing(kept: dict[str, object], source: str) -> None:
    with pytest.raises((AttributeError, KeyError, TypeError)):
        exec(source, dict(kept))
    assert check(source, kept)


@pytest.mark.parametrize("source", lines(RIGHT))
def test_what_an_object_has_is_not_missing(kernel: dict[str, object], source: str) -> None:
    assert check(source, kernel) == []
    exec(source, kernel)


REMEDIES = {
    "search.best_params": "Did you mean `best_params_`?",
    "levels['level_mm']": "Did you mean `level_cm`? The columns are: level_cm, e.",
    "levels['z']": "The columns are: level_cm, e.",
    "levels.with_columns(x=1)": "Write `assign` instead.",
    "levels['e'].with_columns(x=1)": "",
    "pl_levels.apply(len)": "",
}


@pytest.mark.parametrize("source", REMEDIES)
def test_a_remedy_names_what_is_there(source: str) -> None:
    import pandas as pd
    import polars as pl
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(Ridge(), {"alpha": [1]}, cv=2).fit([[1], [2], [3], [4]], [1, 2, 3, 4])
    columns = {"level_cm": [1.0], "e": [1.0]}
    (found,) = check(source, {"search": search, "levels": pd.DataFrame(columns), "pl_levels": pl.DataFrame(columns)})
    assert found.remedy == REMEDIES[source]
