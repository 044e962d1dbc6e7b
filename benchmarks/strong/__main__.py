"""``make bench-strong``: recorded notebooks with a strong model's answers, played in a real kernel.

It prints for each notebook: answers that landed as they were meant, right answers that were cut or shown with a fault, planted faults that
were caught, the tokens of all requests, the share of them that stood at the beginning of an earlier request of this run, and the wait
after the last text. ``--json`` prints the sums, ``--requests FOLDER`` keeps what was sent. Names choose notebooks. ``--replay FOLDER``
records the answers there as lessons are recorded, plays each notebook again from its recording, and says where another cell came.
"""

from __future__ import annotations

import argparse
import itertools
import json
import operator
import statistics
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchmarks.strong.files import MAKERS
from benchmarks.strong.notebook import Notebook
from benchmarks.strong.relay import Relay
from spark_jupyter.prompting.budget import estimate_tokens
from spark_jupyter.prompting.known_facts import fenced_blocks
from spark_jupyter.prompting.thinking_filter import without_thinking
from spark_jupyter.protocol.values import Proposal, Target

NOTEBOOKS = Path(__file__).parent / "notebooks"


class Score(Struct):
    """The figures of one notebook, or of several."""

    turns: int = 0
    landed: int = 0
    false_cuts: int = 0
    false_faults: int = 0
    planted: int = 0
    caught: int = 0
    requests: int = 0
    tokens: int = 0
    cached: int = 0
    played: int = 0
    replayed: int = 0
    waits: list[float] = []

    def add(self, other: Score) -> None:
        """Add the figures of another one."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def line(self) -> str:
        """The figures in a line."""
        cached = self.cached / self.tokens if self.tokens else 0.0
        replay = f", {self.replayed} of {self.played} cells replayed" if self.played else ""
        wait = f"{statistics.median(self.waits):.2f} s median, {max(self.waits):.2f} s at most" if self.waits else "-"
        return (
            f"landed {self.landed} of {self.turns}, false cuts {self.false_cuts}, faults below right code {self.false_faults}, "
            f"planted faults caught {self.caught} of {self.planted}, {self.tokens:,} tokens in {self.requests} requests, "
            f"{cached:.0%} cacheable, wait {wait}{replay}"
        )


def main() -> int:
    """Play them. Returns the exit code: 1 where an answer did not land, or right code was cut or shown with a fault."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strong", description=__doc__)
    parser.add_argument("names", nargs="*", help="of notebooks; all where none is given")
    parser.add_argument("--json", action="store_true", help="print the sums as one object")
    parser.add_argument("--requests", type=Path, help="a folder for the texts of all requests")
    parser.add_argument("--replay", type=Path, help="a folder for recordings, from which all is played a second time")
    options = parser.parse_args()
    total, sent = Score(), list[str]()
    for path in sorted(NOTEBOOKS.glob("*.toml")):
        if options.names and path.stem not in options.names:
            continue
        score = play(path, options.requests, sent, options.replay)
        total.add(score)
        print(f"{path.stem}: {score.line()}", file=sys.stderr if options.json else sys.stdout, flush=True)
    summary = {name: getattr(total, name) for name in total.__struct_fields__}
    print(json.dumps(summary) if options.json else f"all: {total.line()}")
    return int(
        total.landed < total.turns or total.false_cuts > 0 or total.false_faults > 0 or total.replayed < total.played
    )


def play(path: Path, kept: Path | None, sent: list[str], recordings: Path | None = None) -> Score:
    """Play one notebook. Its requests are added to those ``sent`` before."""
    script = tomllib.loads(path.read_text(encoding="utf-8"))
    relay, score = Relay(), Score()
    file = None if recordings is None else (recordings / f"{path.stem}.spark.jsonl").absolute()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
    try:
        cells = _play(script, relay, score, path.stem, record=file)
    finally:
        relay.close()
    if file is not None:
        again = _play(script, relay, Score(), path.stem, replay=file)
        score.played, score.replayed = len(cells), sum(map(operator.eq, cells, again))
        for first, second in itertools.zip_longest(cells, again):
            if first != second:
                print(f"{path.stem}: played {first!r}, replayed {second!r}", file=sys.stderr)
    for text in relay.requests:
        _count(text, sent, score)
        sent.append(text)
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(relay.requests, 1):
            (kept / f"{path.stem}-{number:02}.txt").write_text(text, encoding="utf-8")
    return score


def _play(
    script: dict[str, Any],
    relay: Relay,
    score: Score,
    name: str,
    *,
    record: Path | None = None,
    replay: Path | None = None,
) -> list[str]:
    """Play the steps in a folder of their own. Returns the source of each cell at the end."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "work"
        folder.mkdir()
        for file in script["files"]:
            MAKERS[file](folder / file)
        notebook = Notebook(folder, relay.url, record=record, replay=replay)
        try:
            for number, step in enumerate(script["steps"], 1):
                if "run" in step:
                    notebook.run(step["run"], step.get("id", f"cell-{number}"))
                else:
                    _ask(notebook, relay, step, f"t{number}", score, name)
        finally:
            notebook.close()
        # not their ids: a cell takes the next one where thinking had begun to stand in a cell before it was known as such
        return [cell.source for cell in notebook.cells]


def _ask(notebook: Notebook, relay: Relay, step: dict[str, Any], turn_id: str, score: Score, name: str) -> None:
    """Play one turn, judge it, and accept and run what it proposes."""
    relay.answers.clear()
    relay.answers.extend(step["answers"])
    options: dict[str, Any] = {"intent": step.get("intent", "generate")}
    if "edit" in step:
        options.update(intent=step.get("intent", "edit"), target=Target(edit=step["edit"]))
    if "steer" in step:
        options["steer"] = (step["steer"]["after"], step["steer"]["text"])
    proposals = notebook.ask(turn_id, step["ask"], **options)
    turn_id = f"{turn_id}-s" if "steer" in step else turn_id
    score.turns += 1
    score.waits.append(max(0.0, notebook.ended_at(turn_id) - relay.last_text_at))
    # a fault that only warns does not cut the answer: then the first one stands, and says so
    meant = step["answers"] if "planted" in step else step["answers"][-1:]
    meant = [
        [source.strip("\n") for source in step.get("lands", fenced_blocks(without_thinking(answer)))]
        for answer in meant
    ]
    found = [one.source.strip("\n") for one in proposals]
    edits = [one.cell_id for one in proposals if one.kind == "edit"]
    landed = found in meant and edits == step.get("edits", [step["edit"]] if "edit" in step and found else [])
    score.landed += landed
    cuts = [cut for cut in notebook.view.cuts if cut.turn_id == turn_id]
    faults = [*cuts, *_faults(notebook, proposals)]
    if "planted" in step and len(relay.answers) < len(step["answers"]) - 1:
        faults.append("asked again")
    if "planted" in step:
        score.planted += 1
        score.caught += bool(faults)
    else:
        score.false_cuts += len(cuts)
        score.false_faults += bool(faults) and not cuts
    missed = "planted" in step and not faults
    if not landed or missed or (faults and "planted" not in step):
        print(
            f"{name} {turn_id} ({step['ask'][:60]}): {'landed' if landed else f'landed as {found} {edits}'}; {faults}",
            file=sys.stderr,
        )
    if step.get("accept", True):
        notebook.run_proposals(turn_id)
    time.sleep(0.1)


def _faults(notebook: Notebook, proposals: list[Proposal]) -> list[object]:
    """Return the faults of these proposals that a person is shown."""
    found: list[object] = []
    for proposal in proposals:
        found += [one for one in proposal.findings if one.severity in ("warn", "block")]
        found += proposal.surprises
        trial = notebook.view.trials.get(proposal.cell_id)
        if trial is not None and trial.error and not trial.refused:
            found.append(trial.error)
    return found


def _count(text: str, sent: list[str], score: Score) -> None:
    """Count the tokens of a request, and those of the longest beginning that one before had."""
    score.requests += 1
    score.tokens += estimate_tokens(text)
    score.cached += estimate_tokens(text[: max((_shared(text, before) for before in sent), default=0)])


def _shared(text: str, before: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(text, before, strict=False)) if a != b), min(len(text), len(before))
    )


if __name__ == "__main__":
    sys.exit(main())
