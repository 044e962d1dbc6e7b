"""``spark-jupyter review``: stale, failing and risky cells of a notebook file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

import msgspec
from jupyter_core.paths import jupyter_config_path

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.guardrail.severities import Policy
from spark_jupyter.protocol import notebook as notebooks
from spark_jupyter.protocol.review_messages import Reviewed
from spark_jupyter.protocol.values import Permission
from spark_jupyter.review.notebook_review import from_the_top, look, restart_of, runnable
from spark_jupyter.ui.cli.notebook_files import read_notebook
from spark_jupyter.ui.text.review_text import review_lines, waiting_lines
from spark_jupyter.user_config import severities


def review_file(
    path: Path,
    *,
    run: bool,
    allow: tuple[Permission, ...],
    read: Sequence[str] = (),
    variables: Sequence[str] = (),
    as_json: bool,
    out: TextIO,
    progress: TextIO,
) -> int:
    """Review a notebook file and print it. Its cells may ``read`` these paths and get these environment
    ``variables``. Returns the exit code: 0, 1 where a cell fails or a finding blocks, 2 where the run did not come
    to its end. Raises NotebookError for what is no notebook."""
    notebook = read_notebook(path)
    if language := notebooks.other_language(notebook):
        raise NotebookError(
            f"{path} is a notebook for {language}; only Python notebooks can be reviewed.",
            remedy="Give a Python notebook.",
        )
    cells = notebooks.cells_of(notebook)
    # What nobody decided on is no part of the notebook yet; without the tag that has programs leave it out, it is.
    waiting = notebooks.undecided(notebook) & notebooks.skipped(notebook)
    decided = tuple(cell for cell in cells if cell.id not in waiting)
    foreign = {cell.id for cell in decided if notebooks.in_another_language(notebook, cell.source)}
    kept = tuple(cell for cell in decided if cell.id not in foreign)
    remarks = look(decided, policy=Policy(severities=severities(jupyter_config_path())), foreign=foreign)
    reviewed = Reviewed(remarks=tuple(remarks))
    if run:
        folder, code = str(path.resolve().parent), runnable(kept)
        restart = restart_of(code, folder=folder, allow=allow, named=read, variables=variables)
        reviewed = from_the_top(kept, code, remarks, restart=restart, progress=partial(_progress, progress))
    if as_json:
        print(json.dumps(msgspec.to_builtins(reviewed), indent=2), file=out)
    else:
        print("\n".join([*review_lines(reviewed, cells), *waiting_lines(len(waiting))]), file=out)
    if any(remark.severity == "block" for remark in reviewed.remarks):
        return 1
    return 2 if reviewed.problem or _is_unfinished(reviewed) else 0


def _is_unfinished(reviewed: Reviewed) -> bool:
    """True if cells did not run and no remark says why: their own code may have ended the run."""
    unfinished = reviewed.ran is not None and reviewed.total is not None and reviewed.ran < reviewed.total
    return unfinished and not any(one.kind in ("fails", "untried") for one in reviewed.remarks)


def _progress(terminal: TextIO, ran: int, total: int) -> None:
    """Show the progress in one line that disappears at the end; for a person only."""
    if terminal.isatty():
        print(f"\r\033[K{f'{ran} of {total} cells' if ran < total else ''}", end="", file=terminal, flush=True)
