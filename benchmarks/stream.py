"""The decoder's work per token: ``python benchmarks/stream.py [--json]``.

A token is taken for four characters. The answer is ordinary: prose, imports, functions with docstrings, a plot. Bar: the decoder, the
session and the coalescing together take no more than 15 µs a token; the decoder's part of it should stay below 3 µs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

from spark_jupyter.prompting.answer_decoder import AnswerDecoder
from spark_jupyter.protocol.values import Target

CHARACTERS = 4
ANSWER = '''\
Here is a function that reads the file and one that draws it. It uses `pandas`.

```python
import matplotlib.pyplot as plt
import pandas as pd


def load(path: str, *, column: str = "value") -> pd.DataFrame:
    """Read a table and drop what is missing.

    The column's name may be given; it's "value" otherwise.
    """
    frame = pd.read_csv(path)  # one row a day
    frame = frame.dropna(subset=[column])
    return frame.assign(**{column: frame[column].astype(float)})
```

Then plot it:

```python
fig, ax = plt.subplots(figsize=(8, 4))
for name, group in load("data.csv").groupby("site"):
    ax.plot(group["date"], group["value"], label=f"{name}: {len(group)} rows")
ax.set(xlabel="date", ylabel="value", title='Values by "site"')
ax.legend()
plt.show()
```

Each line is one site.
'''


def microseconds_per_token(answer: str, *, size: int = CHARACTERS, repeats: int = 9) -> float:
    """The median over ``repeats`` runs of the decoder's time for one delta of ``size`` characters, in µs."""
    deltas = [answer[start : start + size] for start in range(0, len(answer), size)]
    times: list[float] = []
    for _ in range(repeats):
        decoder = AnswerDecoder("t", target=Target(), known_cells={})
        begin = time.perf_counter()
        for delta in deltas:
            decoder.decode(delta)
        decoder.flush()
        times.append((time.perf_counter() - begin) / len(deltas) * 1e6)
    return statistics.median(times)


def main() -> None:
    """Print the table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    results = {
        "short answer": microseconds_per_token(ANSWER),
        "5,000 tokens": microseconds_per_token(ANSWER * 20),
        "one character a delta": microseconds_per_token(ANSWER, size=1),
        "one line of 1 MB": microseconds_per_token("```python\nx = '" + "ab" * 500_000 + "'\n```\n", repeats=1),
    }
    if as_json:
        print(json.dumps({name: round(value, 3) for name, value in results.items()}))
        return
    for name, value in results.items():
        print(f"{name:24} {value:7.2f} µs a token")


if __name__ == "__main__":
    main()
