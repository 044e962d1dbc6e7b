"""Moments: which stay, how a person names them, and that a return is the state that the runs before it make."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from spark_jupyter.sandbox.checkpoints.moments import Moment, Run, moment_named, thinned, with_variables

RUNS = tuple(Run(number=number, cell_id=f"in-{number}", source="", began=0.0) for number in range(1, 6))
MOMENTS = [
    *(Moment(id=run.number, at=0.0, runs=RUNS[: run.number - 1], number=run.number) for run in RUNS),
    Moment(id=6, at=0.0, runs=RUNS, name="clean"),
]
TURN = Moment(id=-1, at=0.0, runs=RUNS[:1], turn_id="t", next_id=3)


def after(count: int, *, pinned: int = 0) -> list[int]:
    """The moments that stay of so many, each of which is added to those that stayed."""
    kept: list[Moment] = []
    for number in range(1, count + 1):
        kept.append(Moment(id=number, at=0.0, runs=(), number=number, pinned=number == pinned))
        gone = thinned(kept)
        kept = [one for one in kept if one not in gone]
    return [one.id for one in kept]


def test_recent_moments_stay_then_every_second_then_every_fourth_and_a_named_one_for_good():
    assert after(20) == list(range(1, 21))
    assert after(100) == [24, 28, 32, 36, 40, 44, 48, 52, 56, 60, *range(62, 81, 2), *range(81, 101)]
    assert after(500, pinned=3)[0] == 3
    assert len(after(500)) == 40


def test_a_moment_before_a_turn_has_the_variables_of_the_next_one_and_goes_with_it():
    moments = [*MOMENTS[:2], TURN, *MOMENTS[2:]]
    assert thinned(moments) == []
    assert thinned([one for one in moments if one.id != 3]) == [TURN]
    known = {one.id: msgspec.structs.replace(one, parts={"of": one.id}) for one in moments}
    assert with_variables(TURN, known).parts == {"of": 3}
    assert with_variables(TURN, {1: MOMENTS[0], 2: MOMENTS[1], -1: TURN}).unchanged
    assert thinned([*MOMENTS[:2], TURN]) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1", 5),
        ("3", 3),
        ("cell 2", 2),
        ("cell [2]", 2),
        ("clean", 6),
        ("6", None),
        ("0", None),
        ("no", None),
        ("turn 1", -1),
        ("#-1", -1),
        ("#4", 4),
    ],
)
def test_a_person_names_a_moment_by_steps_cell_or_name(text, found):
    moment = moment_named(text, [*MOMENTS, TURN], RUNS)
    assert (moment.id if moment else None) == found


def test_random_sequences_come_back_to_what_a_replay_makes(request):
    """A few of them; make moments runs a thousand."""
    pytest.importorskip("polars")
    pytest.importorskip("pandas")
    command = [sys.executable, "-m", "tests.sandbox.moment_sequences", "0", "3"]
    done = subprocess.run(command, cwd=request.config.rootpath, capture_output=True, text=True)
    assert done.stdout.endswith("no difference\n"), done.stderr[-3_000:]
