"""Main loop of the helper process.

It reads requests as JSON lines and writes replies; see :mod:`spark_jupyter.reality.helper_process`.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import BinaryIO

from spark_jupyter.protocol import json_text
from spark_jupyter.reality import Checker, module_lookup, static_lookup
from spark_jupyter.reality.abstract_values import UNKNOWN, Live, Of, Table, Value
from spark_jupyter.reality.findings import Rule
from spark_jupyter.reality.helper_process import KnownName, Reply, Request, Sort, may_import
from spark_jupyter.source.statements import Statement
from spark_jupyter.typed_decoders import json_decoder

_RULES = frozenset(Rule) - {Rule.UNDEFINED_NAME, Rule.MISSING_MODULE, Rule.MISSING_KEY, Rule.MISSING_FILE}
"""Rules that the helper may judge. Names and modules are the kernel's own matter."""
_failed: set[str] = set()


def bring(name: str) -> object:
    """The module, imported if it may be; None otherwise."""
    if name in sys.modules:
        return sys.modules[name]
    if name in _failed or not may_import(name):
        return None
    try:
        return importlib.import_module(name)
    except BaseException:  # whatever an import raises here, the module is just not known then
        _failed.add(name)
        return None


def value_of(known: KnownName) -> Value:
    """A variable of the kernel as an abstract value."""
    module = bring(known.where)
    if module is None:
        return UNKNOWN
    if known.sort is Sort.MODULE:
        return Live(module)
    if known.sort is Sort.TABLE:
        frame = getattr(bring(static_lookup.root(known.where)), "DataFrame", None)
        if isinstance(frame, type):
            return Of(frame, exact=True, table=Table(known.columns, levels=known.levels))
        return UNKNOWN
    found = getattr(module, known.name, None)
    if not isinstance(found, type):
        return UNKNOWN
    return Live(found) if known.sort is Sort.CLASS else Of(found, exact=True)


class _Names(dict[str, object]):
    """The helper has no variables of its own."""


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer until the requests end."""
    decoder = json_decoder(Request)
    sessions: dict[int, Checker] = {}
    for line in requests:
        request = decoder.decode(line)
        if request.ends:
            sessions.pop(request.session, None)
            continue
        if request.session not in sessions:
            values = {name: value_of(known) for name, known in (request.names or {}).items()}
            sessions[request.session] = Checker(_Names(), known=values)
        checker, statement = sessions[request.session], Statement(request.text, request.line, request.magic)
        checker.allow_for_the_kernels(request.bound)
        findings = checker.last() if request.last else checker.look(statement, silent=request.silent)
        kept = tuple(finding for finding in findings if finding.rule in _RULES)
        replies.write(json_text.encode(Reply(request.session, request.serial, kept)) + b"\n")
        replies.flush()


def main() -> None:
    """Keep stdout for replies alone, and serve."""
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    module_lookup.importer = bring
    serve(sys.stdin.buffer, replies)


if __name__ == "__main__":
    main()
