"""An IPython shell for the programs of recipe books: without a kernel's messages, which cost as much as most programs.

It is run as a program. Each line of standard input is one program, the texts of its cells as JSON; the line that answers it is what went
wrong, or what the program wrote on standard error.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback

from IPython.core.interactiveshell import InteractiveShell


def run(shell: InteractiveShell, sources: list[str]) -> dict[str, str]:
    """Run the cells one after the other, as far as they do not fail."""
    written = io.StringIO()
    for source in sources:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(written):
            done = shell.run_cell(source)
        if error := done.error_before_exec or done.error_in_exec:
            return {"error": "".join(traceback.format_exception_only(error)), "written": written.getvalue()}
    return {"error": "", "written": written.getvalue()}


def main() -> None:
    shell = InteractiveShell.instance()
    orders, answers = sys.stdin, os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a program writes past Python's own streams is no answer
    sys.stdin = open(os.devnull)  # noqa: SIM115  # until the end
    for line in orders:
        print(json.dumps(run(shell, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
