"""State that no variable holds comes back with a moment, or is named."""

from __future__ import annotations

import re

import pytest

from spark_jupyter.sandbox.values.process_state import held_parts, restore_parts

from .test_undo import Undoing

KINDS = {
    "a warning filter": (
        "import warnings\nbefore = list(warnings.filters)",
        "warnings.simplefilter('error')",
        "[one for one in warnings.filters if one[0] == 'error' and one[2] is Warning] == []",
        "Python's warning filters",
    ),
    "levels and handlers of loggers": (
        "import logging\nroot, log = logging.getLogger(), logging.getLogger('mine')\nbefore = [*map(id, root.handlers)], root.level",
        "root.setLevel(1); root.addHandler(logging.StreamHandler())\nlog.setLevel(2); logging.disable(3)",
        "([*map(id, root.handlers)], root.level) == before and (log.level, root.manager.disable) == (0, 0)",
        "the settings of logging",
    ),
    "a signal handler": (
        "import signal",
        "signal.signal(signal.SIGUSR2, lambda number, frame: None)",
        "signal.getsignal(signal.SIGUSR2) == signal.SIG_DFL",
        "signal handlers",
    ),
    "the locale": (
        "import locale\nlocale.setlocale(locale.LC_ALL, 'C.UTF-8')",
        "locale.setlocale(locale.LC_ALL, 'C')",
        "locale.setlocale(locale.LC_ALL).endswith('UTF-8')",
        "the locale",
    ),
    "traps of decimal": (
        "import decimal",
        "decimal.getcontext().traps[decimal.Inexact] = True",
        "not decimal.getcontext().traps[decimal.Inexact]",
        "decimal's context",
    ),
    "arguments, limits and the collector": (
        "import gc, os, resource, socket, sys\nwanted = resource.getrlimit(resource.RLIMIT_NOFILE), list(sys.argv), gc.get_threshold()",
        (
            "gc.disable(); gc.set_threshold(7); sys.argv.append('-x'); socket.setdefaulttimeout(1); mask = os.umask(0o077)\n"
            "resource.setrlimit(resource.RLIMIT_NOFILE, (500, wanted[0][1])); sys.set_int_max_str_digits(900)"
        ),
        (
            "(resource.getrlimit(resource.RLIMIT_NOFILE), sys.argv, gc.get_threshold()) == wanted and gc.isenabled()"
            " and socket.getdefaulttimeout() is None and os.umask(0o022) != 0o077 and sys.get_int_max_str_digits() != 900"
        ),
        "settings of the process",
    ),
    "options of polars that it reads once": (
        "import polars as pl\nframe = pl.DataFrame({'n': range(9)}); before = repr(frame)",
        "pl.Config.set_tbl_rows(2); pl.Config.set_thousands_separator(' ')",
        "repr(frame) == before",
        "polars' options",
    ),
    "options of scikit-learn": (
        "import sklearn",
        "sklearn.set_config(assume_finite=True)",
        "not sklearn.get_config()['assume_finite']",
        "scikit-learn's options",
    ),
    "seaborn's shades": (
        "import matplotlib as mpl, matplotlib.colors, seaborn as sns",
        "sns.set_theme()",
        "mpl.colors.to_rgb('b') == (0, 0, 1)",
        "matplotlib's settings",
    ),
    "the precision of IPython, which sets numpy's": (
        "import numpy as np\nnp.set_printoptions(precision=3)",
        "%precision 2\nnp.set_printoptions(precision=3)",
        (
            "np.get_printoptions()['precision'] == 3 and"
            " get_ipython().display_formatter.formatters['text/plain'].float_format == '%r'"
        ),
        "IPython's settings",
    ),
    "a printer of a cell": (
        "class A: pass\nhtml = 'text/html'",
        "get_ipython().display_formatter.formatters[html].for_type(A, lambda a: 'x')",
        "A not in get_ipython().display_formatter.formatters[html].type_printers",
        "IPython's settings",
    ),
    "magics and callbacks of cells": (
        "ip = get_ipython()",
        "%alias_magic tt timeit\ndef told(*given): pass\nip.events.register('pre_run_cell', told)\nip.register_magic_function(told)",
        (
            "not {'tt', 'told'} & ip.magics_manager.magics['line'].keys()"
            " and all(one.__name__ != 'told' for one in ip.events.callbacks['pre_run_cell'])"
        ),
        "IPython's magics and callbacks",
    ),
    "how errors are shown": (
        "ip = get_ipython()",
        "%xmode Context\n%pdb on",
        "(ip.InteractiveTB.mode, ip.call_pdb) == ('Plain', False)",
        "IPython's magics and callbacks",
    ),
    "a method that a class of a library did not have": (
        "import pandas as pd",
        "pd.DataFrame.shout = lambda self: 1",
        "not hasattr(pd.DataFrame, 'shout')",
        "pd.DataFrame.shout",
    ),
    "a method that it inherits": (
        "import collections",
        "collections.ChainMap.items = len",
        "'items' not in vars(collections.ChainMap)",
        "collections.ChainMap.items",
    ),
    "a method of a library that the cell itself imports": (
        "import sys",
        "from fractions import Fraction as F\nimport fractions as f\ndef patch():\n    setattr(F, 'shout', 1)\npatch()\nf.here = 2",
        "not {'shout', 'here'} & ({*vars(sys.modules['fractions'].Fraction)} | {*vars(sys.modules['fractions'])})",
        "F.shout",
    ),
    "a function of Python": (
        "import builtins\nbefore = builtins.oct",
        "builtins.oct = hex",
        "builtins.oct is before",
        "builtins.oct",
    ),
    "an object in a module": (
        "import locale, logging",
        "logging.root.seen = 1; del logging.WARN",
        "not hasattr(logging.root, 'seen') and logging.WARN == 30",
        "logging.WARN",
    ),
}


@pytest.fixture
def past(bench):
    made, parts = Undoing(bench.shell), held_parts()
    yield made
    made.kept.close()
    restore_parts(parts)


@pytest.mark.parametrize("kind", KINDS)
def test_it_comes_back_and_is_named(past, kind):
    before, change, check, named = KINDS[kind]
    library = re.search(r"polars|sklearn|seaborn", before)
    if library:
        pytest.importorskip(library[0])
    past.run(before)
    past.run(change)
    assert not eval(check, past.shell.user_ns), "it is what the cell changes"
    assert named in past.undo()
    assert eval(check, past.shell.user_ns)


def test_what_a_library_set_up_when_it_was_imported_stays(past):
    past.run("import logging, sys, types")
    past.run(
        "sys.modules['made_up'] = types.ModuleType('made_up')\n"
        "logging.getLogger('made_up').setLevel(7); logging.getLogger('made_up').addHandler(logging.NullHandler())"
    )
    try:
        assert "logging" not in past.undo()
        assert past["logging"].getLogger("made_up").level == 7
    finally:
        del past["sys"].modules["made_up"]


def test_an_attribute_whose_value_before_nobody_knows_is_named(past, tmp_path):
    (tmp_path / "own_settings.py").write_text("LEVEL = 1")
    past.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r})")
    past.run("import own_settings\nown_settings.LEVEL = 2")
    past.run("own_settings.LEVEL = 3")
    try:
        past.undo()
        assert past["own_settings"].LEVEL == 2
        assert "own_settings.LEVEL stays as it is" in past.undo()
    finally:
        past.shell.run_cell("del sys.modules['own_settings']")


def test_a_library_whose_parts_fail_to_load_keeps_no_cell_from_its_moment(past, capsys):
    past.run(
        "import sys, types\nlazy = types.ModuleType('lazy')\n"
        "def load(name): raise ImportError(name)\nlazy.__getattr__ = load; sys.modules['lazy'] = lazy"
    )
    past.run("try:\n    lazy.part.option = lazy.plain.option = 1\nexcept ImportError:\n    lazy.own = x = 1")
    past.run("x = 2")
    try:
        assert "Error in callback" not in capsys.readouterr().err
        assert past.undo().startswith("Undid the run of [3]: x restored.")
        assert "lazy.own stays as it is" in past.undo()
    finally:
        past.shell.run_cell("del sys.modules['lazy']")


def test_colors_that_can_not_be_compared_keep_nothing_from_coming_back(past):
    pytest.importorskip("matplotlib")
    past.run(
        "import matplotlib as mpl, numpy as np\nfrom cycler import cycler\nfirst = mpl.rcParams['axes.prop_cycle']"
    )
    past.run("mpl.rcParams['axes.prop_cycle'] = cycler(color=np.eye(3))")
    past.run("mpl.rcParams['axes.prop_cycle'] = cycler(color=np.eye(3)[::-1]); x = 1")
    said = past.undo()
    assert "x removed" in said
    assert "matplotlib's settings" in said
    assert next(iter(past["mpl"].rcParams["axes.prop_cycle"]))["color"][0] == 1
    past.undo()
    assert past["mpl"].rcParams["axes.prop_cycle"] == past["first"]


def test_what_atexit_was_given_is_named(past):
    past.run("import atexit\ndef bye(): pass")
    past.run("atexit.register(bye); x = 1")
    assert "functions registered with atexit stays as it is" in past.undo()
    past.shell.run_cell("atexit.unregister(bye)")


def test_objects_of_the_kernel_keep_nothing_from_coming_back(past):
    past.run(
        "import sys, ipywidgets\nip, hook, slider = get_ipython(), get_ipython().showtraceback, ipywidgets.IntSlider()\nx = 1"
    )
    past.run("x = 2")
    assert past.undo().startswith("Undid the run of [2]: x restored.")
    past.run("slider.value = 5; x = 3")
    assert "slider (IntSlider) stays as it is" in past.undo()
    assert past["x"] == 1
