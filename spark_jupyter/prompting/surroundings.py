"""Kernel state at the moment of a prompt, as a value."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.prompting.conversation import Answer
from spark_jupyter.protocol.values import Image


class Surroundings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """State of the kernel at the moment of a prompt, as text (see :mod:`spark_jupyter.prompting.kernel_context`).

    ``versions`` are those of Python and of the packages in use, and which packages are missing. ``files`` are the heads of files that the
    prompt names. ``rules`` are those of the project, ``skill`` is the one that the prompt begins with. ``tried`` are the results that
    copies of the kernel showed of earlier cells, in our own words. ``mentioned`` is what the prompt points at, in detail, ``images`` are
    those that it points at. ``secrets`` are the names and values of the credentials that the
    kernel holds. They are not sent; they say what must not be. ``tables`` are the columns of its tables, where the prompt wants next
    edits. ``checkpoints`` are the cells before which the kernel is kept as it was. ``refined`` are the better texts that are known of
    cells as they are, each with what it does, where the prompt wants a refactoring. ``explained`` is what the checks of a student's code
    showed, for the person alone. ``drafted`` is the draft that the prompt takes.
    """

    variables: str = ""
    versions: str = ""
    files: str = ""
    rules: str = ""
    skill: str = ""
    tried: tuple[str, ...] = ()
    last_error: str = ""
    mentioned: str = ""
    images: tuple[Image, ...] = ()
    secrets: tuple[tuple[str, str], ...] = ()
    tables: dict[str, frozenset[str]] = {}
    checkpoints: tuple[str, ...] = ()
    refined: dict[str, tuple[str, str]] = {}
    explained: str = ""
    drafted: Answer | None = None
