"""The reality check on the cells of one library, beside what the library itself says: ``python -m tests.frames.judgement ibis``."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import warnings
from typing import Any

from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.reality import check
from tests.frames.cells import LIBRARIES


def judge(library: str) -> dict[str, Any]:
    """What the check said of right cells (``alarms``) and did not say of faulty and doubtful ones (``missed``, ``unwarned``), which cells
    the library itself takes for the other kind (``disputed``), and how a request tells the frames (``told``)."""
    cells = LIBRARIES[library]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    alarms: dict[str, list[str]] = {}
    missed, disputed = [], []
    if (error := run(cells.before, namespace)) is not None:
        raise error
    told = [one.line() for one in gather(dict(namespace)).variables if "lazy" in one.summary]
    for source in cells.right.strip().splitlines():
        there = dict(namespace)
        said = check(source.replace("\\n", "\n"), there)
        if said:
            alarms[source] = [finding.message for finding in said]
        if (error := run(source.replace("\\n", "\n"), _fresh(there, source))) is not None:
            disputed.append(f"{source}: {error!r:.300}")
    for source in cells.faulty.strip().splitlines():
        there = dict(namespace)
        if not check(source.replace("\\n", "\n"), there):
            missed.append(source)
        if run(source.replace("\\n", "\n"), there) is None:
            disputed.append(source)
    doubtful = cells.doubtful.strip().splitlines()
    unwarned = [source for source in doubtful if not _warns(source, dict(namespace))]
    disputed += [source for source in doubtful if run(source, dict(namespace)) is not None]
    return {"unwarned": unwarned, "alarms": alarms, "missed": missed, "disputed": disputed, "told": told}


def _warns(source: str, namespace: dict[str, Any]) -> bool:
    return [one.severity for one in check(source, namespace)] == ["warn"]


def _fresh(namespace: dict[str, Any], source: str) -> dict[str, Any]:
    """A cell that changes a frame in place has one of its own."""
    if '"] = ' in source:
        namespace["ddf"] = namespace["ddf"].copy()
    return namespace


def run(source: str, namespace: dict[str, Any]) -> BaseException | None:
    """What running it raises."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            exec(source, namespace)
    except Exception as error:
        return error
    return None


def judge_in_new_folder(library: str) -> dict[str, Any]:
    """:func:`judge` where nothing else lies."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return judge(library)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    print(json.dumps(judge_in_new_folder(sys.argv[1])))
