"""Write guardrail/package_names.bloom, the names of packages that there are.

    pip install pigar; python scripts/known_packages.py [DATABASE]

The names are those of the database that pigar (BSD-3-Clause) brings along, and of what is installed here and required by it. Run it now
and then, outside of the project's own environment: nothing of pigar's is used but these names.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from spark_jupyter.guardrail import package_names

ERROR = 0.01
TARGET = Path(package_names.__file__).parent / package_names.BLOOM


def database() -> Path:
    """The database that was named, or the one of the pigar that is installed."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    spec = find_spec("pigar")
    if spec is None or spec.origin is None:
        sys.exit("pip install pigar, or name its database")
    return Path(spec.origin).parent / ".db.sqlite3"


def listed(path: Path) -> set[str]:
    """The names of all distributions in pigar's database."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        return {str(name) for (name,) in connection.execute("SELECT name FROM distributions")}


def installed() -> set[str]:
    """The names of what is installed here, and of what that requires."""
    found = set()
    for distribution in metadata.distributions():
        found.add(distribution.metadata["Name"] or "")
        found |= {match[0] for line in distribution.requires or () if (match := re.match(r"[\w.-]+", line))}
    return found


def main() -> None:
    """Write the file."""
    names = {re.sub(r"[-_.]+", "-", name).lower() for name in listed(database()) | installed()} - {""}
    TARGET.write_bytes(package_names.Bloom.of(names, error=ERROR).encoded())
    print(f"{len(names)} names in {TARGET.stat().st_size >> 10} KiB: {TARGET}")


if __name__ == "__main__":
    main()
