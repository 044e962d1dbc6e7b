"""Write docs/magics.md from the tables of verbs, options and settings; with --check only compare."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from spark_jupyter.ui.magics.spark_magics import SparkMagics
from spark_jupyter.ui.magics.verbs import VERBS
from spark_jupyter.ui.text.magic_line import OPTIONS

PAGE = Path(__file__).parent.parent / "docs" / "magics.md"
TEXT = """\
# Magics

Written by `scripts/magics_page.py`; `%spark?` prints the same in a notebook, and [Using Spark](usage.md) says what it is for.
Where the name `%spark` is taken, say `%pair`.

| magic | effect |
|---|---|
| `%spark PROMPT` | new cells below, written live |
| `%%spark [options]` | the same with the prompt in the cell |
| `%%spark edit INSTRUCTION` | edit the code below this line, as a diff on this cell |
{verbs}

## Options

They stand before the prompt.

| option | effect |
|---|---|
{options}

## Settings

`%config SparkMagics.NAME = value` in a notebook, `c.SparkMagics.NAME = value` in `ipython_config.py`.

| setting | default | meaning |
|---|---|---|
{settings}
"""


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows of a Markdown table; what would end a field is escaped."""
    return "\n".join(
        f"| {' | '.join(' '.join(field.replace('|', chr(92) + '|').split()) for field in row)} |" for row in rows
    )


def page() -> str:
    """The text of the page."""
    settings = sorted(SparkMagics.class_own_traits(config=True).items())
    return TEXT.format(
        verbs=table((f"`%spark {name}`", verb.what) for name, verb in VERBS.items()),
        options=table((f"`{option.shown}`", option.what) for option in OPTIONS if option.shown),
        settings=table((f"`{name}`", f"`{trait.default_value!r}`", trait.help) for name, trait in settings),
    )


def main() -> int:
    """0 where the page is as the code says; without --check it is written."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        print("docs/magics.md is not as the code says: make codegen", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
