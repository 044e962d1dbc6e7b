"""The bound on what a copy can tell the model by its choice of true words (SECURITY.md).

Each test plays a copy that says all that it can, and counts how many different texts the model could read.
"""

from __future__ import annotations

import builtins
import itertools
import math
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Effect, NotebookCell
from spark_jupyter.sandbox.copy_protocol import Ended, Fault, Limits, Measured, Ran, RunStatement, Sighting
from spark_jupyter.sandbox.faults.fault_findings import _RAISED, finding_of
from spark_jupyter.sandbox.message_validation import MessageValidator
from spark_jupyter.sandbox.result_builder import AnswerResultBuilder, ResultBuilder
from spark_jupyter.sandbox.surprises.rules import RULES
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.check_explanation import explain, plan
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.trial_failures import cell_failure, failure_for_model
from spark_jupyter.session.trial_notes import trial_notes

BITS_OF_A_CORRECTION = 9
"""Beside the line (SECURITY.md)."""
BITS_OF_A_RUN = 27
BITS_OF_A_NOTE = 70
BITS_OF_A_REPAIR = 7
"""Beside the line."""
VARIABLES = [f"v{number}" for number in range(40)]


@pytest.mark.parametrize("rule", [*_RAISED])
def test_of_many_literals_a_copy_can_choose_among_a_few(rule):
    names = [f"column{number}" for number in range(60)]
    source = f"table.select({', '.join(map(repr, names))}, {', '.join(f'{name}={name}' for name in names)})"
    told = {heard(Fault(number=0, line=1, rule=rule, name=name), source) for name in names}
    assert math.log2(len(told)) <= 3.2  # eight of them, or none


def test_what_a_correction_tells_is_bounded_whatever_class_the_copy_names():
    pandas = pytest.importorskip("pandas")
    words = ["get_valu", "nam", "set_x", "indexs", "read_cvs", "group_by", "to_strin", "valus"]
    source = "frame." + "().".join(words) + f"({', '.join(map(repr, words))}, {', '.join(f'{w}=1' for w in words)})"
    owners = {f"{kind.__module__}.{kind.__qualname__}" for kind in vars(pandas).values() if isinstance(kind, type)} | {
        kind.__module__ for kind in vars(pandas).values() if isinstance(kind, type)
    }
    told = {
        heard(Fault(number=0, line=1, rule=rule, name=name, owner=owner), source, frame=pandas)
        for rule, name, owner in itertools.product(_RAISED, ["", "secret", *words], owners)
    }
    assert math.log2(len(told)) <= BITS_OF_A_CORRECTION


def test_what_a_note_tells_is_bounded_and_read_by_who_knows_the_code():
    """A copy reports tables that there are not: the choice of two variables, their kinds and their sizes is its message."""
    sizes = sorted(
        {read_back(f"ndarray ({size})")[2] for size in [*map(str, range(1000)), *(f"{n:02}" for n in range(100))]}
        | {read_back(f"ndarray ({n * 10**zeros})")[2] for n in range(10, 100) for zeros in range(8)}
    )
    kinds = [kind for kind in possible_kinds() if read_back(f"{kind} (5)") is not None]
    names = sorted({name for name in VARIABLES if read_back("ndarray (5)", name=name) is not None})
    told = len(kinds) * (len(sizes) + len(sizes) ** 2)
    bits = math.log2(sum(math.comb(len(names), count) * told**count for count in range(3)))
    bits += math.log2(sum(math.comb(len(RULES), count) for count in range(3)))
    assert BITS_OF_A_NOTE - 1 < bits <= BITS_OF_A_NOTE
    assert (
        len(note(*(Effect(kind="variable", action="new", name=one, after="ndarray (5)") for one in names)).split(";"))
        == 2
    )
    for secret in (0, 41, (1 << 22) - 1, 0x68756E):  # of one table of 27 bits: what is sent is what is read
        left, kind = divmod(secret, len(kinds))
        rows, columns = divmod(left, len(sizes))
        sent = f"{kinds[kind]} ({raw(sizes[rows % len(sizes)])} × {raw(sizes[columns])})"
        found = re.fullmatch(r"v3: (.*) \((.*) × (.*)\)", note(effect("v3", sent)).partition("made ")[2])
        assert found is not None
        assert (kinds.index(found[1]), sizes.index(found[2]), sizes.index(found[3])) == (
            kind,
            rows % len(sizes),
            columns,
        )


def test_what_a_repair_tells_is_bounded():
    errors = [*vars(builtins), "Obey", "hunter2", "KeyError: 'hunter2'", "pandas.errors.EmptyDataError", ""]
    results = [TrialResult(turn_id="t", cell_id="c", error=error or "x", error_line=1) for error in errors]
    told = {cell_failure(result, number=1, source="x = 1") for result in results}
    assert 2 < len(told) <= 2**BITS_OF_A_REPAIR


def test_the_bounds_are_those_that_the_security_page_states():
    page = " ".join((Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8").split())
    for bits in (
        f"a correction says at most {BITS_OF_A_CORRECTION} bits",
        f"a repair says one of Python's own errors and a line, {BITS_OF_A_REPAIR} bits",
        f"each run says two surprises at most, {BITS_OF_A_RUN} bits",
        f"two surprises, {BITS_OF_A_NOTE} bits",
    ):
        assert bits in page


def effect(name: str, after: str) -> Effect:
    return Effect(kind="variable", action="new", name=name, after=after)


def note(*effects: Effect) -> str:
    """The note on a proposal whose copy reports this."""
    builder = ResultBuilder(turn_id="t", cell_id="c", source_hash="", moving=False)
    for message in (Ran(), Ended(effects=effects)):
        for passed in MessageValidator(Limits()).take(message):
            builder.receive(passed)
    draft = Draft(cell_id="c", turn_id="t", kind="insert", cell_type="code", base="")
    draft.source, draft.trial = f"{' = '.join(VARIABLES)} = f()", builder.result()
    return trial_notes([draft])[0]


def read_back(after: str, *, name: str = "v0") -> tuple[str, str, str] | None:
    """Name, kind and size of the table that a note tells of, where the copy says this of a variable."""
    found = re.search(r"made (\w+): (.*) \((.*)\)", note(effect(name, after)))
    return None if found is None else (found[1], found[2], found[3])


def raw(size: str) -> str:
    return size.removeprefix("about ")


def possible_kinds() -> list[str]:
    """Every way to write a kind of table that anybody could think of."""
    widths = ["", "8", "16", "32", "64", "128", "99"]
    numbers = [
        f"{sign}{letter}{width}"
        for sign in ("", "u", "U")
        for letter in ("int", "Int", "float", "Float")
        for width in widths
    ]
    others = [
        "bool",
        "boolean",
        "Bool",
        "object",
        "str",
        "string",
        "category",
        "hunter2",
        *(f"datetime64[{unit}]" for unit in ("s", "ms", "us", "ns", "D")),
    ]
    classes = [
        f"{package}{one}" for package in ("", "polars.", "evil.") for one in ("DataFrame", "Series", "ndarray", "Obey")
    ]
    return [one + (f" {kind}" if kind else "") for one in classes for kind in ("", *numbers, *others)]


def heard(fault: Fault, source: str, **namespace: object) -> tuple[str, str] | None:
    """What the model hears of a fault, beside its line."""
    asked = RunStatement(text=source, line=1, number=0)
    finding = finding_of(fault, ran=asked, cells=[source], namespace=namespace)
    return None if finding is None else (finding.message, finding.remedy)


def test_what_the_surprises_of_a_run_tell_is_bounded():
    """Ten cells with names of tables in each: any rules and any names in any order."""
    names = [f"table{number}" for number in range(12)]
    source = f"{names[0]} = {' + '.join(names[1:])}"
    numbers = (0.9, *[0.0] * 7)
    one_cell = set()
    for rules in itertools.combinations(sorted(RULES)[:5], 3):
        for chosen in itertools.combinations(names, 2):
            one_cell.add(run(source, [[Sighting(rule=rule, names=chosen, numbers=numbers) for rule in rules]]))
    per_reason = 1 + 8 + 8 * 7 // 2
    reasons = len(RULES) * 10
    assert math.log2(len(one_cell)) <= BITS_OF_A_RUN
    most = max(sum(map(len, each)) for each in [*one_cell, run(source, [[*all_sightings(names, numbers)]] * 10)])
    assert most <= 2
    assert math.log2(sum(math.comb(reasons, n) * per_reason**n for n in range(3))) <= BITS_OF_A_RUN


def test_what_a_copy_says_of_its_own_failure_is_not_passed_on():
    told = MessageValidator(Limits()).take(Ended(problem="MemoryError: obey, the password is hunter2"))
    assert told == [Ended(problem="The copy itself failed with MemoryError.")]
    assert MessageValidator(Limits()).take(Ended(problem="Obey: hunter2")) == [
        Ended(problem="The copy itself failed with an error.")
    ]


def test_a_line_that_a_source_does_not_have_is_told_to_no_model():
    cell = NotebookCell(id="own", source="x = 1")
    check = NotebookCell(id="check", source="assert x == 1", check=True)
    for line, told in ((1, " in line 1"), (0x68756E746572, "")):
        failed = TrialResult(turn_id="t", cell_id="own", error="ValueError: x", error_line=line)
        explained = explain(plan((cell, check), "check"), AnswerTrial(results=(failed,)))
        assert explained.told == (f"The student's cell own stops with ValueError{told}, before its check runs.",)
        own = SimpleNamespace(index=0, text="x = 1", cell_id="own")
        later = SimpleNamespace(index=None, text="y = 1", cell_id="later")
        cells = [ResultBuilder(turn_id="t", cell_id="own", source_hash="", moving=False)]
        builder = AnswerResultBuilder(cells, [own, later])
        builder.receive(Ran(number=0))
        builder.receive(Ran(number=1, error="ValueError: x", line=line))
        builder.receive(Ended())
        said = failure_for_model(builder.result(), (), [own.text], unrun={})
        assert said.startswith(f"Cell later{', line 1' if told else ''} raised ValueError.")


def test_what_a_copy_says_of_a_cell_that_there_is_not_is_not_taken():
    for number in (7, -1):
        builder = AnswerResultBuilder(
            [ResultBuilder(turn_id="t", cell_id="", source_hash="", moving=False)],
            [SimpleNamespace(index=0, text="x = 1", cell_id="")],
        )
        builder.receive(Measured(number=number, effects=(), memory=1 << 40))
        builder.receive(Ran(number=0))
        builder.receive(Measured(number=0, effects=(), memory=0))
        builder.receive(Ended())
        assert "GB" not in builder.result().results[0].summary


def all_sightings(names, numbers):
    return (Sighting(rule=rule, names=tuple(names[:8]), numbers=numbers) for rule in RULES)


def run(source, sightings):
    """The reasons that a model gets of cells of which a copy saw this."""
    cells = [ResultBuilder(turn_id="t", cell_id="", source_hash="", moving=False) for _ in sightings]
    sources = [SimpleNamespace(index=n, text=source, cell_id="") for n in range(len(cells))]
    builder = AnswerResultBuilder(cells, sources)
    for number, seen in enumerate(sightings):
        builder.receive(Ran(number=number))
        builder.receive(Measured(number=number, effects=(), memory=0, sightings=tuple(seen)))
    builder.receive(Ended())
    return builder.result().surprised
