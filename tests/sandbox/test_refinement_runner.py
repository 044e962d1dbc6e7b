"""In idle time a better text of a cell is found, but only one that is proven the same and clearly better: faster, shorter, or quieter."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec import structs

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.refactoring.deprecations import mended
from spark_jupyter.refactoring.simplify import shorter
from spark_jupyter.refactoring.vectorise import faster_versions
from spark_jupyter.sandbox import refinement_runner as module
from spark_jupyter.sandbox.checkpoints.moments import Kept
from spark_jupyter.sandbox.refinement_runner import Candidate, RefinementSearch

from .leavings import children, until
from .test_checkpoints import Past

TABLE = "import pandas as pd\ndf = pd.DataFrame({'a': range(12_000), 'b': 2})"
SLOW = "total = 0\nfor _, row in df.iterrows():\n    total += row['a'] * row['b']\ntotal"
SAME = "total = 0\ntotal += int((df['a'] * df['b']).sum())\ntotal"


def timed(kept: Kept, seconds: float) -> Kept:
    """As if its cell had taken so long."""
    return structs.replace(kept, run=structs.replace(kept.run, seconds=seconds))


class Idle(Past):
    """A shell in which there is time."""

    def __init__(self, shell) -> None:
        super().__init__(shell)
        self.refining = RefinementSearch(self.kept, named=tuple)

    def first(self, *sources: str):
        kept = self.refining.next()
        assert kept is not None
        return self.refining.first(kept, [Candidate(source=one, words="better") for one in sources])


@pytest.fixture
def idle(bench, monkeypatch) -> Iterator[Idle]:
    pytest.importorskip("pandas")
    monkeypatch.setattr(module, "SLOW", 0.0)
    made = Idle(bench.shell)
    made.run(TABLE)
    made.refining.done_with(made.refining.next())
    yield made
    made.kept.close()


def test_what_is_the_same_and_faster_is_found_and_nothing_of_it_is_in_the_kernel(idle):
    idle.run(SLOW, cell_id="slow")
    before = children()
    candidates = [one.source for one in faster_versions(SLOW)]
    found = idle.first("total = 1\ntotal", *candidates, SAME)
    assert found is not None
    assert (found.cell_id, found.base) == ("slow", SLOW)
    assert "→" in found.words
    assert found.event.source_hash == content_hash(SLOW)
    assert idle.refining.for_cell("slow", SLOW) == found
    assert idle.refining.for_cell("slow", SLOW + "\nmore") is None
    assert "row" in idle.shell.user_ns
    until(lambda: not children() - before)


def test_how_much_faster_it_is_is_said_where_both_are_quick(idle, monkeypatch):
    idle.run("quick = 1", cell_id="quick")
    proof = Proof(verdict="same", seconds_before=0.09, seconds=0.01)
    monkeypatch.setattr(idle.refining, "_proof", lambda kept, candidate: proof)
    found = idle.refining.first(timed(idle.refining.next(), 0.09), [Candidate(source="quick = 1 + 0", words="better")])
    assert found is not None
    assert found.words == "better: 0.1 s → 10 ms, 9×"


def test_a_sum_that_is_rounded_otherwise_is_offered_as_what_it_is(idle):
    idle.run("fine = pd.DataFrame({'a': [0.1, 3.1, 2.7] * 3_000, 'b': 3})")
    idle.refining.done_with(idle.refining.next())
    loop = SLOW.replace("df", "fine")
    idle.run(loop)
    found = idle.first(*(one.source for one in faster_versions(loop)))
    assert found is not None
    assert found.event.digits in range(12, 15)


def test_a_cell_that_warned_gets_the_text_that_does_not_and_still_warns_in_the_kernel(idle, warning):
    idle.run("df.drop(columns='b', inplace=True)\nprint(len(df))", cell_id="warns")
    kept = idle.refining.next()
    assert any("inplace" in text for text in kept.run.warned)
    quieter = [
        Candidate(source=one.source, words=one.words, gain="quieter")
        for one in mended(kept.run.source, kept.run.warned)
    ]
    found = idle.refining.first(kept, [Candidate(source=kept.run.source + "\n", words="no", gain="quieter"), *quieter])
    assert found is not None
    assert (found.source, found.words) == (
        "df = df.drop(columns='b')\nprint(len(df))",
        "without what is deprecated: 1 warning less",
    )


def test_a_table_that_somebody_else_holds_is_not_bound_anew_to_be_rid_of_a_warning(idle, warning):
    idle.run("tables = [df]")
    idle.run("df.drop(columns='b', inplace=True)")
    kept = idle.refining.next()
    quieter = [
        Candidate(source=one.source, words=one.words, gain="quieter")
        for one in mended(kept.run.source, kept.run.warned)
    ]
    assert quieter
    assert idle.refining.first(kept, quieter) is None


def test_a_shorter_text_is_found_whose_loop_leaves_a_variable_that_nobody_reads(idle):
    loop = "big = []\nfor one in df['a']:\n    if one > 11_000:\n        big.append(one)\nlen(big)"
    idle.run("for one in 'ab': pass", cell_id="binds")
    idle.refining.done_with(idle.refining.next())
    idle.shell.user_ns.pop("one")
    idle.refining._reads = lambda source: set()
    idle.run(loop, cell_id="loop")
    kept = idle.refining.next()
    found = idle.refining.first(
        kept, [Candidate(source=one.source, words=one.words, gain="shorter") for one in shorter(loop)]
    )
    assert found is not None
    assert found.source == "big = [one for one in df['a'] if one > 11_000]\nlen(big)"
    assert found.words == "5 lines → 2"


def test_what_is_shorter_and_much_slower_is_not_better(idle, monkeypatch):
    idle.run("quick = 1", cell_id="quick")
    proof = Proof(verdict="same", seconds_before=0.1, seconds=5.0)
    monkeypatch.setattr(idle.refining, "_proof", lambda kept, candidate: proof)
    assert idle.refining.first(idle.refining.next(), [Candidate(source="q", words="", gain="shorter")]) is None


def test_what_differs_or_is_no_faster_is_not_offered_and_a_cell_is_looked_at_once(idle, monkeypatch):
    idle.run(SLOW)
    assert idle.first("total = 5\ntotal") is None
    kept = idle.refining.next()
    for before, ran, seconds in ((0.5, 0.5, 0.4), (0.5, 0.2, 0.2), (0.2, 0.5, 0.2)):
        proof = Proof(verdict="same", seconds_before=before, seconds=seconds)
        monkeypatch.setattr(idle.refining, "_proof", lambda kept, candidate, proof=proof: proof)
        assert idle.refining.first(timed(kept, ran), [Candidate(source=SLOW + "\n", words="the same")]) is None
    idle.refining.done_with(kept)
    assert idle.refining.next() is None


def test_a_variable_that_another_cell_reads_does_not_go(idle):
    idle.run("row = None")
    idle.refining.done_with(idle.refining.next())
    idle.run(SLOW)
    assert idle.first(SAME) is None


def test_who_goes_on_ends_it_and_it_is_looked_at_another_time(idle):
    idle.run(SLOW)
    kept = idle.refining.next()
    idle.refining.stop()
    assert idle.refining.first(kept, [Candidate(source=SAME, words="better")]) is None
    idle.refining.done_with(kept)
    assert idle.refining.next() == kept


def test_who_goes_on_while_the_copies_are_about_to_be_made_ends_them_too(idle, monkeypatch):
    idle.run(SLOW)
    make = module.ProofRun

    def made_late(*given, **options):
        proof_run = make(*given, **options)
        idle.refining.stop()
        return proof_run

    monkeypatch.setattr(module, "ProofRun", made_late)
    assert idle.first(*(one.source for one in faster_versions(SLOW))) is None


def test_a_candidate_that_reaches_out_is_refused_in_its_copy(idle, tmp_path):
    idle.run(SLOW)
    target = tmp_path / "written"
    assert idle.first(f"import os\nos.system('touch {target}')\n{SAME}") is None
    assert not target.exists()
