"""Signed rules of a course in a notebook's metadata.

``metadata.spark.course`` has the rules, the hashes of the cells that a student is not to change, the teacher's public key, and an Ed25519
signature (RFC 8032) over all of that, so that a class can check it without the teacher's secret. The cells that are signed are the first
one and those tagged ``check``: they tie the rules to their lesson.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, structs

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.constants import MOST_HINTS
from spark_jupyter.protocol.notebook import Cell, Json, content_hash, is_check, raw_cells, source_of
from spark_jupyter.protocol.values import PromptPolicy

_PREFIX = b"spark-jupyter course 1\n"


class CourseRules(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Rules of a teacher. ``hints`` is the furthest step of a hint, ``models`` are patterns, ``offline`` allows recordings and recipes
    alone. ``prompt_limit`` is the number of prompts of each person; ``log_prompts``: their text is kept, and they are told so."""

    decided_by: Annotated[str, Meta(max_length=200)] = "the teacher of this course"
    prompts: PromptPolicy = "on"
    hints: Annotated[int, Meta(ge=1, le=MOST_HINTS)] = MOST_HINTS
    models: tuple[str, ...] | None = None
    offline: bool = False
    suggestions: bool = True
    attempts: bool = True
    deep: bool = True
    auto_run: bool = True
    agents: bool = True
    prompt_limit: Annotated[int, Meta(ge=1)] | None = None
    log_prompts: bool = False


class Course(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules with what ties them to a notebook. ``cells`` has the hash of each signed cell, ``key`` the public key and ``signature`` in
    base64."""

    rules: CourseRules
    cells: Annotated[dict[str, Annotated[str, Meta(min_length=1)]], Meta(min_length=1)]
    key: str
    signature: str = ""

    @property
    def message(self) -> bytes:
        """The bytes that are signed: JSON with sorted keys."""
        return _PREFIX + msgspec.json.encode(structs.replace(self, signature=""), order="sorted")


def new_key() -> tuple[bytes, str]:
    """A secret key in PEM (PKCS 8), and its public key in base64."""
    secret = require_library().Ed25519PrivateKey.generate()
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), _public(secret)


def sign(rules: CourseRules, cells: Mapping[str, str], secret: bytes) -> Course:
    """The rules, signed with a secret key in PEM. Raises ConfigurationError for what is no Ed25519 key."""
    library = require_library()
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(secret, password=None)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(f"The course key can't be read: {error}.") from None
    if not isinstance(key, library.Ed25519PrivateKey):
        raise ConfigurationError("The course key is no Ed25519 key.", remedy="Make one: spark-jupyter course init.")
    course = Course(rules=rules, cells=dict(cells), key=_public(key))
    return structs.replace(course, signature=b64encode(key.sign(course.message)).decode())


def is_signed(course: Course) -> bool | None:
    """True if the signature fits the rules and the key; None where no library can tell."""
    try:
        library = require_library()
    except ConfigurationError:
        return None
    from cryptography.exceptions import InvalidSignature

    try:
        key = library.Ed25519PublicKey.from_public_bytes(b64decode(course.key, validate=True))
        key.verify(b64decode(course.signature, validate=True), course.message)
    except (InvalidSignature, ValueError):
        return False
    return True


def changed_cells(course: Course, hashes: Mapping[str, str]) -> list[str]:
    """The ids of signed cells that have changed or are gone; ``hashes`` are those of the notebook's cells."""
    return [cell_id for cell_id, known in course.cells.items() if hashes.get(cell_id) != known]


def hashes_of(notebook: Mapping[str, Json]) -> dict[str, str]:
    """The hash of each cell's text, by its id; no hash of what two cells are called."""
    hashes: dict[str, str] = {}
    for cell in raw_cells(notebook):
        cell_id, kind = str(cell.get("id")), cell.get("cell_type")
        text = (
            source_of(cell) if kind == "code" else f"{kind}\n{source_of(cell)}"
        )  # a check that is made a note checks nothing
        hashes[cell_id] = "" if cell_id in hashes else content_hash(text)
    return hashes


def cells_to_sign(notebook: Mapping[str, Json]) -> list[Cell]:
    """The first cell, and the cells with checks."""
    return [cell for place, cell in enumerate(raw_cells(notebook)) if place == 0 or is_check(cell)]


def require_library() -> Any:
    """The library's module for Ed25519. Raises ConfigurationError where it is not installed."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ModuleNotFoundError:
        raise ConfigurationError(
            "Signatures of a course need the package cryptography.",
            remedy='Install it: pip install "spark-jupyter[course]".',
        ) from None
    return ed25519


def _public(secret: Any) -> str:
    return b64encode(secret.public_key().public_bytes_raw()).decode()
