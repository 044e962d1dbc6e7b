"""The check looks at a kernel full of objects that tell on whoever calls them."""

from __future__ import annotations

import sys
import types

import pandas as pd
import pytest

from spark_jupyter.reality import Checker, check


class Told(BaseException):
    """Raised by code that must not run; no ``except Exception`` can hide it."""


def tell(*arguments, **keywords):
    raise Told("user code was run")


HOOKS = (
    "__getattr__ __getattribute__ __repr__ __str__ __eq__ __len__ __iter__ __bool__ __dir__ __call__ __contains__ "
    "__getitem__ __format__ __index__ __hash__".split()
)


def touchy_class():
    """A class of which every hook tells. (Made in the test: pytest itself looks at what a test module holds.)"""
    return type("Touchy", (), {**dict.fromkeys(HOOKS, tell), "prop": property(tell), "meth": lambda self, a: None})


def class_of_touchy_metaclass():
    hooks = "__getattribute__ __instancecheck__ __subclasscheck__ __call__ __repr__ __eq__".split()
    return type.__new__(
        type("Meta", (type,), {**dict.fromkeys(hooks, tell), "__hash__": type.__hash__}), "M", (), {"x": 1}
    )


def with_hooks():
    """An instance of a class with descriptors, and with its ``__dict__`` and ``__class__`` replaced by such."""
    hook = object.__new__(type("Hook", (), {"__get__": tell, "__set__": tell}))
    names = {"prop": property(tell), "__dict__": property(tell), "__class__": property(tell), "descriptor": hook}
    return object.__new__(type("WithHooks", (), names))


def touchy_str():
    names = {"__slots__": (), "__eq__": tell, "__len__": tell, "__getattribute__": tell, "__hash__": str.__hash__}
    return type("TouchyStr", (str,), names)("x")


@pytest.fixture
def namespace():
    touchy = touchy_class()
    module = types.ModuleType("lazy")
    module.__getattr__ = tell
    module.__dir__ = tell
    signed = lambda a: None  # noqa: E731
    signed.__signature__ = object.__new__(touchy)
    wrapped = lambda a: None  # noqa: E731
    wrapped.__wrapped__ = object.__new__(touchy)
    frame = pd.DataFrame(
        [[1, 2]], columns=["a", object.__new__(type("Label", (), {"__repr__": tell, "__str__": tell}))]
    )
    return {
        "t": object.__new__(touchy),
        "T": touchy,
        "M": class_of_touchy_metaclass(),
        "h": with_hooks(),
        "lazy": module,
        "signed": signed,
        "wrapped": wrapped,
        "frame": frame,
        "s": touchy_str(),
        "mine": type("DataFrame", (pd.DataFrame,), {"columns": property(tell), "__getitem__": tell})({"a": [1]}),
        "listed": [object.__new__(touchy)],
        "default": lambda a=object.__new__(touchy): None,  # noqa: B008
    }


STATEMENTS = [
    "{0}",
    "{0}.prop",
    "{0}.missing_one",
    "{0}.meth(1, 2, b=3)",
    "{0}(1, x=2).y",
    "{0}[0]",
    "{0}['a']",
    "{0} + {0}, {0} == {0}, -{0}, not {0}",
    "for i in {0}:\n    i.x",
    "with {0} as w:\n    w.x",
    "f'{{{0}}} {{{0}!r:>{{{0}}}}}'",
    "[i for i in {0} if i]",
    "len({0}), str({0}), repr({0}), isinstance({0}, int), bool({0})",
    "{0}.plain, {0}.descriptor, {0}.__class__, {0}.__dict__",
    "a, *b = {0}",
    "{0}.x = 1\n{0}.x",
    "del {0}",
    "{0} += 1",
    "import pandas as pd\npd.DataFrame({0}), pd.DataFrame({{{0}: 1}})",
    "try:\n    raise {0}\nexcept {0}:\n    pass",
    "match {0}:\n    case 1:\n        pass",
    "class A({0}):\n    pass\nA().x",
    "@{0}\ndef f(): pass\nf.x",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_code_of_the_users_runs(namespace, statement):
    for name in namespace:
        checker = Checker(namespace, patience=0)
        checker.feed(statement.format(name) + "\n")
        checker.flush()
        assert checker.failures == 0, name


def test_the_traps_are_set(namespace):
    for touch in (
        lambda: namespace["t"].prop,
        lambda: namespace["h"].prop,
        lambda: namespace["lazy"].x,
        lambda: repr(namespace["t"]),
    ):
        with pytest.raises(Told):
            touch()


def test_nothing_is_imported_into_the_kernel(tmp_path, monkeypatch):
    (tmp_path / "mine_with_effects.py").write_text("raise SystemExit('imported')")
    package = tmp_path / "package_with_effects"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')")
    (package / "inner.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    source = "import mine_with_effects, colorsys\nimport package_with_effects.inner\nmine_with_effects.x\n"
    assert check(source, {}) == []
    assert [f.rule for f in check("import package_with_effects.outer", {})] == ["missing-module"]
    new = {
        name
        for name in set(sys.modules) - before
        if not name.startswith(("spark_jupyter", "importlib", "email", "json"))
    }
    assert not new & {"mine_with_effects", "colorsys", "package_with_effects"}
