"""Decoder of base64 and hexadecimal text."""

from __future__ import annotations

import base64
import binascii
import re

_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+$")


def plain_text(value: str) -> str:
    """ASCII text encoded in a run of base64 or hex; empty if there is none."""
    try:
        if len(value) % 2 == 0 and _HEXADECIMAL.match(value):
            raw = bytes.fromhex(value)
        elif len(value) % 4 == 0:
            raw = base64.b64decode(value, validate=True)
        else:
            return ""
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("ascii") if raw.isascii() and all(byte >= 32 or byte in b"\t\n\r" for byte in raw) else ""
