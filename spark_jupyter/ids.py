"""Ids are made at the edge, by the fronts; the pure parts only get them."""

from __future__ import annotations

import uuid


def new_turn_id() -> str:
    """A turn id that no other turn has."""
    return f"t{uuid.uuid4().hex[:12]}"
