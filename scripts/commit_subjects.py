"""Check that subjects of commits have at most 72 characters.

Earlier commits are left as they are: what has landed is not rewritten.
"""

from __future__ import annotations

import subprocess
import sys

LIMIT = 72
SINCE = "2026-11-26T19:00:00+00:00"


def main() -> int:
    """0 where every subject since ``SINCE`` is short enough, or where there is no history to read."""
    log = subprocess.run(
        ["git", "log", f"--since={SINCE}", "--no-merges", "--format=%h %s"], capture_output=True, text=True
    )
    if log.returncode != 0:
        return 0
    long = [line for line in log.stdout.splitlines() if len(line.partition(" ")[2]) > LIMIT]
    for line in long:
        print(f"The subject of a commit has more than {LIMIT} characters. Shorten it: {line}", file=sys.stderr)
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
