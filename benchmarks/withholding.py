"""How many credentials are kept out of a prompt, how many harmless lines are touched, and what it costs.

    python benchmarks/withholding.py [--json] [--misses]

The corpus is our own; ``tests/prompting/secret_corpus.py`` says which of it was held out, and for how long.
Bars: at least 95 % of the texts with credentials, at most 1 % of the harmless ones; time in proportion to the text, a second a megabyte
at most; 1,000 cells in at most 35 ms once they were seen. Costs are processor time.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from spark_jupyter.prompting.dialogue import Surroundings, withheld_prompt
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.redaction.redactor import Redactor
from tests.redaction.secret_corpus import harmless, samples

HALVES = ("first half", "second half")


def found(*, misses: bool) -> dict[str, object]:
    """For each half: the share of texts with credentials of which none leaves, and of harmless texts that are touched."""
    result: dict[str, object] = {}
    for half, name in enumerate(HALVES):
        secrets = [sample for sample in samples() if sample.half == half]
        clean = [line for line in harmless() if line.half == half]
        leaking = [sample for sample in secrets if sample.leaks()]
        touched = [line for line in clean if line.withheld()]
        if misses:
            for text in (*leaking, *touched):
                print(f"--- {name}: {text}", file=sys.stderr)
        result[name] = {
            "secrets": len(secrets),
            "kinds": len({sample.kind for sample in secrets}),
            "withheld": round(1 - len(leaking) / len(secrets), 3),
            "harmless": len(clean),
            "touched": round(len(touched) / len(clean), 4),
        }
    return result


def seconds(text: str) -> float:
    """Processor time that one text takes."""
    redactor = Redactor(environ={"A_TOKEN": "x7k9fjq02m"})
    began = time.process_time()
    redactor.withhold(text)
    return time.process_time() - began


def costs() -> dict[str, object]:
    """Of a long run of base64, and of a long notebook."""
    run = base64.b64encode(random.Random(1).randbytes(750_000)).decode()
    seconds(run[:10_000])
    whole, half = seconds(run), seconds(run[: len(run) // 2])
    code = "df = pd.read_csv('data{n}.csv')\nmodel.fit(X_train, y_train)\nplt.plot(df['a'], label='{n}')\n"
    cells = tuple(
        NotebookCell(id=str(n), source=code.replace("{n}", str(n)), outputs=f"accuracy {n}") for n in range(1_000)
    )
    prompt, redactor = Prompt(turn_id="t", text="plot it", cells=cells), Redactor(environ={})
    times = []
    for _ in range(3):
        began = time.process_time()
        withheld_prompt(redactor, prompt, Surroundings())
        times.append(time.process_time() - began)
    return {
        "1 MB of base64, s": round(whole, 2),
        "1 MB over 0.5 MB": round(whole / half, 2),
        "1,000 cells for the first time, ms": round(times[0] * 1e3),
        "1,000 cells again, ms": round(min(times[1:]) * 1e3),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--misses", action="store_true", help="show what leaks and what is touched, on stderr")
    options = parser.parse_args()
    result = {"corpus": found(misses=options.misses), "costs": costs()}
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for part in result.values():
        for name, value in part.items():
            print(
                f"{name}: {', '.join(f'{key} {each}' for key, each in value.items()) if isinstance(value, dict) else value}"
            )


if __name__ == "__main__":
    main()
