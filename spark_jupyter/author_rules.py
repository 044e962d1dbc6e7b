"""Rules that a notebook's author sets in its metadata, signed or not.

Rules without a signature (``prompts``, ``hints``) are a request. Signed ones count as a file of the policy does; where the signature or a
signed cell does not fit, prompts are off and the reason is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from spark_jupyter.course_signature import Course, changed_cells, hashes_of, is_signed
from spark_jupyter.policy import FORBIDS_ALL, Policy, RuleFile, Rules
from spark_jupyter.protocol.constants import METADATA_KEY, MOST_HINTS
from spark_jupyter.protocol.notebook import Json
from spark_jupyter.protocol.values import PromptPolicy
from spark_jupyter.typed_decoders import convert

STRICTER: tuple[PromptPolicy, ...] = ("on", "hints", "off")
"""What authors of notebooks allow, the strictest last: of several the strictest counts."""

SIGN_AGAIN = "Its teacher signs it again: spark-jupyter course sign."
"""What helps a lesson that was changed on purpose, or was signed by a version that signed cells in another way."""


class AuthorRules(Struct, frozen=True, kw_only=True):
    """What an author, or several, allow. ``signed`` are their signed rules, ``keys`` the public keys of those that are valid; of an
    ``unsigned`` notebook there are none. ``prompt_limit`` is the number of prompts of each person, ``lesson`` what they are counted by: the
    signature, or the path of the ``notebook``."""

    prompts: PromptPolicy = "on"
    hints: int = MOST_HINTS
    signed: tuple[RuleFile, ...] = ()
    keys: tuple[str, ...] = ()
    unsigned: bool = False
    prompt_limit: int | None = None
    lesson: str = ""
    notebook: str = ""

    @property
    def strictest_prompts(self) -> PromptPolicy:
        """What prompts may write, signed or not."""
        return max((self.prompts, *(file.rules.prompts for file in self.signed)), key=STRICTER.index)

    @property
    def counts_prompts(self) -> bool:
        """True if prompts are limited or logged."""
        signed = any(file.rules.prompt_limit or file.rules.log_prompts for file in self.signed)
        return signed or self.prompt_limit is not None

    def above(self, policy: Policy) -> Policy:
        """The policy together with what is signed; where it names keys, a notebook without one of them allows no prompts."""
        trusted = policy.course_keys
        missing = trusted is not None and (self.unsigned or not self.keys or not set(self.keys) <= trusted)
        if not missing:
            return structs.replace(policy, files=(*policy.files, *self.signed))
        fault = "this notebook is not signed by a teacher whose key is known here."
        required = next(file for file in policy.files if file.rules.course_keys is not None)
        unknown = RuleFile(path=required.path, rules=_off(required.rules.decided_by), fault=fault)
        return structs.replace(policy, files=(unknown, *policy.files, *self.signed))


def strictest(rules: Sequence[AuthorRules]) -> AuthorRules:
    """What all of them allow. Prompts are counted with the first that limits or logs them."""
    counting = min(rules, key=lambda one: (not one.counts_prompts, not one.lesson), default=AuthorRules())
    return AuthorRules(
        prompts=max((one.prompts for one in rules), key=STRICTER.index, default="on"),
        hints=min((one.hints for one in rules), default=MOST_HINTS),
        signed=tuple({file: file for one in rules for file in one.signed}),
        keys=tuple(dict.fromkeys(key for one in rules for key in one.keys)),
        unsigned=any(one.unsigned for one in rules),
        prompt_limit=min((one.prompt_limit for one in rules if one.prompt_limit is not None), default=None),
        lesson=counting.lesson,
        notebook=counting.notebook,
    )


def rules_of(notebook: Mapping[str, Json], path: str) -> AuthorRules:
    """What a notebook's metadata say."""
    metadata = notebook.get("metadata")
    said = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    if not isinstance(said, dict):
        return _unsigned(path)
    default: PromptPolicy = "hints" if said.get("suggestions") == "off" else "on"
    prompts = next((one for one in STRICTER if one == said.get("prompts")), default)
    hints = said.get("hints")
    most = hints if type(hints) is int and 1 <= hints <= MOST_HINTS else MOST_HINTS
    limit = said.get("prompt_limit")
    signed = signed_rules(said.get("course"), hashes_of(notebook), path)
    return structs.replace(
        signed,
        prompts=prompts,
        hints=min(most, signed.hints),
        prompt_limit=limit if type(limit) is int and limit > 0 else None,
    )


def signed_rules(course: object, hashes: Mapping[str, str], path: str) -> AuthorRules:
    """The rules of ``metadata.spark.course``; ``hashes`` are those of the notebook's cells, by their ids."""
    if course is None:
        return _unsigned(path)
    try:
        known = convert(course, Course)
    except msgspec.ValidationError as error:
        return _fault(f"the rules of {path} can't be read ({error}). Update spark_jupyter. {SIGN_AGAIN}", path)
    fits = is_signed(known)
    if fits is False:
        return _fault(
            f"the rules of {path} were changed after they were signed. Get the notebook again. {SIGN_AGAIN}", path
        )
    if changed := changed_cells(known, hashes):
        cells = ", ".join(changed[:3])
        return _fault(
            f"{path} was changed where it is signed (cell {cells}). Undo that, or get the notebook again. {SIGN_AGAIN}",
            path,
        )
    rules = Rules(**structs.asdict(known.rules))
    if not fits:  # nobody's word is kept for somebody whom nobody knows
        rules = structs.replace(rules, log_prompts=False)
    file = RuleFile(path=Path(path), rules=rules)
    keys = (known.key,) if fits else ()
    return AuthorRules(hints=rules.hints, signed=(file,), keys=keys, lesson=known.signature, notebook=path)


def _unsigned(path: str) -> AuthorRules:
    return AuthorRules(unsigned=True, lesson=path, notebook=path)


def file_rules(path: str) -> AuthorRules:
    """What a notebook's file says; nothing where there is no such file, or no notebook in it."""
    try:
        file = Path(path)  # from a pipe nothing may ever come
        notebook = msgspec.json.decode(file.read_bytes()) if file.suffix == ".ipynb" and file.is_file() else None
    except (OSError, msgspec.DecodeError, RecursionError):
        notebook = None
    return rules_of(notebook, path) if isinstance(notebook, dict) else AuthorRules()


def with_memory(known: AuthorRules | None, now: AuthorRules, path: str) -> AuthorRules:
    """The rules of a notebook that had others before in this kernel: signed ones stay until the same teacher signs others."""
    if known is None or not known.keys or set(known.keys) == set(now.keys):
        return now
    if now.signed and now.signed[0].fault:
        return now
    return structs.replace(
        _fault(f"the signature of {path} was taken out. Get the notebook again. {SIGN_AGAIN}", path),
        unsigned=now.unsigned,
    )


def _fault(fault: str, path: str) -> AuthorRules:
    return AuthorRules(signed=(RuleFile(path=Path(path), rules=_off("the teacher"), fault=fault),), unsigned=True)


def _off(decided_by: str) -> Rules:
    return structs.replace(FORBIDS_ALL, decided_by=decided_by, providers=None, models=None, daily_budget=None)
