"""Writer of the index of the package's recipe books.

    python scripts/index_recipes.py [--check]

``--check`` writes nothing, and returns 1 where the index is not what would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from spark_jupyter.server.engines import library


def main() -> int:
    written = library.index()
    if "--check" not in sys.argv[1:]:
        library.INDEX.write_bytes(written)
        return 0
    if library.INDEX.exists() and library.INDEX.read_bytes() == written:
        return 0
    print("The index of the recipe books is not up to date: run python scripts/index_recipes.py.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
