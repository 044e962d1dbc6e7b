"""``make bench``: every benchmark that needs no browser, one after the other. ``--json`` prints one object; names choose some.

Each prints ratios of things measured in the same run; absolute times are this machine's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("client", "stream", "connection", "guardrail", "reality", "recipes", "trial", "rehearsal", "race")


def main() -> None:
    """Run them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all without one")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    results = {}
    failed = []
    for name in options.names or NAMES:
        print(f"== {name}", file=sys.stderr, flush=True)
        command = [sys.executable, str(HERE / f"{name}.py"), *(["--json"] if options.json else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE if options.json else None, text=True)
        if done.returncode:
            failed.append(name)
        elif options.json:
            results[name] = json.loads(done.stdout)
    if options.json:
        print(json.dumps(results, indent=2))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
