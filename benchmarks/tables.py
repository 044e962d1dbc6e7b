"""CPU time of an answer about tables: ``python benchmarks/tables.py``.

Prompts of 40 words over two tables of 100 columns in all, answered in the form of conditions, groups and pictures that people chain.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from spark_jupyter.server.engines import namespace, tables

BAR = 30.0
"""Milliseconds, at the 95th percentile."""
KNOWN = namespace.read(
    "orders: DataFrame (900 × 90): price float64, quantity int64, country str(has 'DE'), status str(has 'open'), "
    "ordered_at datetime64[ns], "
    + ", ".join(f"sensor_{number}_value float64" for number in range(85))
    + "\ncustomers: DataFrame (50 × 10): country str, age int64, "
    + ", ".join(f"answer_{number} int64" for number in range(8))
)
HEADS = (
    "please show me all the orders",
    "what is the average price of the orders",
    "can you give me the number of orders",
)
CONDITIONS = (
    "where the price is above 5",
    "and the quantity is at least 7",
    "and the status is open",
    "and the sensor 12 value is below 3",
    "and the price is between 10 and 20",
    "and the quantity is under 90",
)
ENDS = (
    "for each country",
    "per month",
    "for each country, highest first, as a bar chart in red",
    "sorted by price descending",
)


def prompts() -> list[str]:
    """Prompts of about 40 words."""
    chosen = itertools.product(HEADS, itertools.combinations(CONDITIONS, 4), ENDS)
    made = [" ".join((head, *conditions, end)) for head, conditions, end in chosen]
    return [prompt for prompt in made if 34 <= len(prompt.split()) <= 46]


def main() -> None:
    """Print how long the answers take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    tables.answer("average price", KNOWN)  # compiles the grammar
    took, answered = [], 0
    for prompt in prompts():
        started = time.process_time()
        answer = tables.answer(prompt, KNOWN)
        took.append(1000 * (time.process_time() - started))
        answered += answer is not None
    took.sort()
    median, p95 = took[len(took) // 2], took[int(0.95 * len(took))]
    if options.json:
        print(
            json.dumps(
                {"prompts": len(took), "answered": answered, "ms p50": round(median, 1), "ms p95": round(p95, 1)}
            )
        )
        return
    print(f"tables: {len(took)} prompts of 40 words over 100 columns, {answered} answered")
    print(
        f"CPU: median {median:.1f} ms, p95 {p95:.1f} ms; the bar of {BAR:.0f} ms is {'met' if p95 <= BAR else 'missed'}"
    )


if __name__ == "__main__":
    main()
