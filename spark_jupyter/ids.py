"""Ids that clients give to turns."""

from __future__ import annotations

import uuid


def new_turn_id() -> str:
    return f"t{uuid.uuid4().hex[:12]}"
