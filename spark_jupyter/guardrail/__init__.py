"""The security guardrail: every line is judged as it is written.

:func:`check` judges a whole cell; a :class:`Scanner` judges it while it streams; a :class:`Context` carries what earlier
cells established, which :func:`learn` takes in; :func:`asides` is what is told of a cell that is no finding. Rules are in
:mod:`spark_jupyter.guardrail.rules`, one a file.
"""

from __future__ import annotations

from spark_jupyter.guardrail.policy import DEFAULT, Policy
from spark_jupyter.guardrail.report import check_pieces, check_text, stream_report
from spark_jupyter.guardrail.scanner import Scanner, asides, learn
from spark_jupyter.guardrail.state import Context
from spark_jupyter.wire.values import Finding


def check(source: str, *, context: Context | None = None, policy: Policy = DEFAULT) -> list[Finding]:
    """The findings of a whole cell or script, in the order of its lines. Text that isn't Python is no error."""
    scanner = Scanner(context, policy=policy)
    return scanner.feed(source) + scanner.flush()


__all__ = ["Context", "Policy", "Scanner", "asides", "check", "check_pieces", "check_text", "learn", "stream_report"]
