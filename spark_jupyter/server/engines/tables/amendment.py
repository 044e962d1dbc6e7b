"""Plans changed by a follow-up or a steer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.server.engines.tables.resolution import complete
from spark_jupyter.server.engines.tables.table_plan import Measure, Order, Plan, override

if TYPE_CHECKING:
    from spark_jupyter.server.engines.tables.lexicon import Schema


def amended(before: Plan, new: Plan, end: str, schema: Schema) -> list[Plan]:
    """The plans that ``before`` may become by ``new``, which replaces what both speak of; ``end`` is ``too`` or ``instead`` where that was
    said."""
    if before.change is not None or new.change is not None or (new.table and new.table != before.table):
        return []
    changed = _with_columns(before, new) if new.look == "instead" else _with_parts(before, new, end)
    return complete(changed, schema) if changed is not None else []


def _with_columns(before: Plan, new: Plan) -> Plan | None:
    """The same for other columns."""
    rest = override(before, structs.replace(new, columns=(), look=""))
    if before.measures and all(one.of is not None for one in before.measures):
        hows = dict.fromkeys(one.how for one in before.measures)
        return structs.replace(rest, measures=tuple(Measure(how, ref) for ref in new.columns for how in hows))
    if before.measures and before.groups and len(new.columns) == len(before.groups) == 1:
        return structs.replace(rest, groups=new.columns)
    if before.columns and len(new.columns) == len(before.columns):
        return structs.replace(rest, columns=new.columns)
    return None


def _with_parts(before: Plan, new: Plan, end: str) -> Plan | None:
    added = {
        name: (*getattr(before, name), *getattr(new, name)) for name in ("groups", "measures") if getattr(new, name)
    }
    changed = override(before, structs.replace(new, look=""))
    if end == "too" or (new.measures and end != "instead" and before.groups):
        changed = structs.replace(changed, **added)
    if new.order is not None and not new.order.keys and before.order is not None and before.order.keys:
        changed = structs.replace(changed, order=Order(before.order.keys, new.order.descending))
    if new.measures and before.look == "rows" and not before.columns:
        changed = structs.replace(changed, look="", order=None)
    return changed
