"""How much the guardrail finds, how much it flags that is clean, and what a token costs.

    python benchmarks/guardrail.py [--json] [--misses]

The corpora are for evaluation only and lie outside the repository (``../shared/corpora``); without them only the installed
packages are measured, and the costs with the examples of the rules. Besides the exact CWE a
*related* one counts in the column of that name: the groups are this benchmark's own choice of neighbouring weaknesses, listed in
``FAMILIES`` (parents, children and those that one and the same line shows). Costs are processor time.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import sysconfig
import time
from collections import defaultdict
from pathlib import Path

from spark_jupyter.guardrail import Scanner, check
from spark_jupyter.guardrail.rules import RULES
from spark_jupyter.source.lexer import Lexer

CORPORA = Path(__file__).resolve().parent.parent.parent / "shared" / "corpora"
FAMILIES = (
    {22, 23, 36, 73, 99, 425, 434, 641, 706},
    {77, 78, 88},
    {79, 80, 116},
    {94, 95, 96, 470, 1336},
    {89, 564, 943},
    {74, 113, 93},
    {117, 532},
    {200, 209, 210, 215, 489},
    {259, 321, 798, 521, 1391, 522},
    {295, 297, 319, 523},
    {326, 327, 328, 329, 759, 760, 916, 1204, 310},
    {330, 331, 335, 336, 337, 338, 339, 340},
    {377, 378, 379, 668},
    {400, 730, 1333, 770, 776, 835},
    {601, 20},
    {611, 776, 827, 20},
    {614, 1004, 311},
    {250, 269, 732, 276},
)


def tokens_of(text: str) -> list[str]:
    """Pieces as a model would send them: about four characters each, broken at words."""
    return re.findall(r" ?[A-Za-z_]{1,6}|\d{1,3}| +|\n|[^\sA-Za-z_\d]", text)


def related(one: int, other: int) -> bool:
    return one == other or any(one in family and other in family for family in FAMILIES)


def recall(rows: list[dict[str, object]], show: bool) -> dict[str, object]:
    """Per corpus: exact CWE, related CWE, any finding; by CWE: found of all."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    by_cwe: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for row in rows:
        corpus, cwe, code = str(row["corpus"]), int(str(row["cwe"])), str(row["code"])
        found = {finding.cwe for finding in check(code) if finding.cwe}
        count = counts[corpus]
        count[0] += 1
        count[1] += cwe in found
        hit = any(related(cwe, one) for one in found)
        count[2] += hit
        count[3] += bool(found)
        good = hit if corpus != "cyberseceval" else bool(found)
        by_cwe[corpus][cwe][0] += good
        by_cwe[corpus][cwe][1] += 1
        if show and not good:
            print(f"--- {row['id']} CWE-{cwe} found {sorted(found)}\n{code}\n", file=sys.stderr)
    return {
        corpus: {
            "snippets": n,
            "exact": round(exact / n, 3),
            "related": round(rel / n, 3),
            "any": round(anything / n, 3),
            "by_cwe": {str(cwe): f"{a}/{b}" for cwe, (a, b) in sorted(by_cwe[corpus].items())},
        }
        for corpus, (n, exact, rel, anything) in counts.items()
    }


def clean(rows: list[dict[str, object]], show: bool) -> dict[str, object]:
    """Cells with nothing wrong that are flagged, that are blocked, and of which there is only a hint."""
    flagged = hinted = blocked = 0
    for row in rows:
        findings = check(str(row["code"]))
        hints = sum(finding.severity == "hint" for finding in findings)
        flagged += len(findings) > hints
        hinted += 0 < hints == len(findings)
        blocked += any(finding.blocks for finding in findings)
        if show and findings:
            print(f"+++ {row['id']} {findings}\n{row['code']}\n", file=sys.stderr)
    return {
        "cells": len(rows),
        "flagged": flagged,
        "hinted": hinted,
        "blocked": blocked,
        "share": round(flagged / max(1, len(rows)), 5),
    }


def installed(files: int, show: bool) -> dict[str, object]:
    """The standard library and installed scientific packages, a sample: findings per 1,000 lines."""
    roots = [Path(sysconfig.get_paths()["stdlib"])]
    site = Path(sysconfig.get_paths()["purelib"])
    roots += [site / name for name in ("numpy", "pandas", "scipy", "sklearn", "matplotlib") if (site / name).is_dir()]
    result: dict[str, object] = {}
    for root in roots:
        paths = sorted(
            path
            for path in root.rglob("*.py")
            if "site-packages" not in path.relative_to(root).parts and "test" not in str(path.relative_to(root))
        )
        random.Random(0).shuffle(paths)
        lines = found = blocked = 0
        rules: dict[str, int] = defaultdict(int)
        for path in paths[:files]:
            text = path.read_text(encoding="utf-8", errors="replace")
            lines += text.count("\n")
            for finding in check(text):
                found += 1
                blocked += finding.blocks
                rules[finding.rule] += 1
                if show:
                    line = text.split("\n")[finding.line - 1].strip()[:140]
                    place = f"{path.relative_to(root)}:{finding.line}"
                    print(f"@@@ {place} {finding.rule} {finding.severity}: {line}", file=sys.stderr)
        result[root.name] = {
            "lines": lines,
            "findings": found,
            "blocked": blocked,
            "per_1000_lines": round(1000 * found / max(1, lines), 2),
            "rules": dict(sorted(rules.items(), key=lambda item: -item[1])),
        }
    return result


def cost(texts: list[str]) -> dict[str, object]:
    """Microseconds that a token costs, and how many tokens after its line's end a finding comes."""
    times: list[float] = []
    delays: list[int] = []
    clock = time.thread_time_ns  # the processor time of this thread: other programs on the machine do not count
    for text in texts:
        scanner, lexer = Scanner(), Lexer()
        ended: dict[int, int] = {}
        for index, token in enumerate(tokens_of(text)):
            begin = clock()
            findings = scanner.feed(token)
            times.append((clock() - begin) / 1000)
            for line in lexer.feed(token):
                ended.update(dict.fromkeys(range(line.number, line.number + line.height), index))
            delays += [index - ended[finding.line] for finding in findings if finding.line in ended]
        begin = clock()
        scanner.flush()
        times[-1:] = [times[-1] + (clock() - begin) / 1000] if times else []
    times.sort()
    return {
        "tokens": len(times),
        "mean_us": round(statistics.fmean(times), 2),
        "p99_us": round(times[int(len(times) * 0.99)], 1),
        "max_us": round(times[-1], 1),
        "delay_tokens_max": max(delays, default=0),
    }


def examples() -> list[str]:
    """Right and wrong code of the rules' own pages."""
    return [text for rule in RULES.rules for text in (*rule.bad, *rule.good)]


def rows_of(name: str) -> list[dict[str, object]]:
    path = CORPORA / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--misses", action="store_true", help="print what was missed or flagged wrongly to stderr")
    parser.add_argument("--files", type=int, default=40, help="files of each installed package to read (default 40)")
    options = parser.parse_args()
    vulnerable, cells = rows_of("guardrail-dev.jsonl"), rows_of("clean-cells-dev.jsonl")
    result = {
        "recall": recall(vulnerable, options.misses),
        "clean_cells": clean(cells, options.misses),
        "installed": installed(options.files, options.misses) if options.files else {},
        "cost": cost([str(row["code"]) for row in (vulnerable + cells)[::3]] or examples()),
    }
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
