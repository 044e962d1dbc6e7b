"""Input that a spreadsheet takes for a formula."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust, merge_flows


def _check(call: Call, state: State) -> Hit | None:
    if "csv" not in call.name and "writer" not in call.name.lower():
        return None
    row = call.argument(0, "row", "rows")
    cells = row.items if isinstance(row.items, list) else [row]
    cells = [cell for cell in cells if (cell.text or "\0").startswith("\0")]  # text before the input: no formula
    flows = merge_flows(*[state.certain(cell, Danger.DATA, Trust.REMOTE) for cell in cells])
    return Hit(call.node, flows=flows) if flows else None


RULE: Final = Rule(
    id="csv-injection",
    cwe=1236,
    severity="warn",
    message="A cell that begins with =, +, - or @ runs as a formula when somebody opens the file.",
    remedy="Put ' before such a cell, or refuse it.",
    bad=('import csv\nw = csv.writer(f)\nw.writerow(request.args["row"].split(","))',),
    good=(
        'import csv\nw = csv.writer(f)\nw.writerow(["a", "b"])',
        'import csv\nw = csv.writer(f)\nw.writerow(["\'" + request.args["name"]])',
    ),
    methods=on("writerow writerows", _check),
)
