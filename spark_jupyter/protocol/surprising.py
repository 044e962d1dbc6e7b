"""Surprises: effects of a Try that a data scientist wants to know first. Pure."""

from __future__ import annotations

from msgspec import Struct


class Surprise(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One effect that a person is told first: ``message`` is a sentence of ours, in which names stand in backticks, ``remedy`` says what to
    look at. ``rule`` names what found it, see :mod:`spark_jupyter.sandbox.surprises`. It speaks of the user's data, so no model is told."""

    rule: str
    message: str
    remedy: str = ""
