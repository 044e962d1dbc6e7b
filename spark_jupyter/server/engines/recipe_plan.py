"""Plan of a recipe's answer, with later instructions applied."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from spark_jupyter.server.engines import coverage, word_forms
from spark_jupyter.server.engines.answer import Answer
from spark_jupyter.server.engines.binding import Binding, bind
from spark_jupyter.server.engines.book import Entry, Variant
from spark_jupyter.server.engines.composition import EXAMPLE, compose
from spark_jupyter.server.engines.matching import THRESHOLD, Matcher, Query
from spark_jupyter.server.engines.namespace import Namespace

_INSTEAD = re.compile(
    r"^\W*(?:no|nope|wait|stop|sorry|actually|now|rather|better|please|and|but|instead|ok|okay|then|i meant?|"
    r"make (?:it|that|this)|do|use|show|try|change (?:it|this|that) (?:to|into)|turn (?:it|this) into|with|as|a|an|the)\b\W*",
    re.IGNORECASE,
)
_LIBRARY = re.compile(
    r"\b(?:use|with|in|using|via)\s+(?:the\s+)?(?P<name>polars|plotly|altair|bokeh|seaborn|numpy|pandas|"
    r"scipy|sklearn|scikit-learn|duckdb|matplotlib|pytorch|tensorflow|spark|pyspark|R|julia)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(r"\A(?:This was taken out of the cell\b|The check says:)")
"""The beginning of the text of :func:`spark_jupyter.prompting.corrections.correction`."""
STANDS = (
    "A check blocks a line of this recipe, and offline it can't be written in another way: read the finding, then "
    "change that line or leave it out."
)
"""The sentence for a line that a check took out."""


class Plan(Struct, frozen=True, kw_only=True):
    """The recipe and variant for a text and later wishes."""

    entry: Entry
    text: str
    variant: Variant | None = None
    wishes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def first_plan(entry: Entry, text: str, namespace: Namespace) -> Plan:
    """The plan for a request before any steer."""
    variant = choose_variant(entry, text)
    if variant is None and any("read_csv(" in cell.source for cell in entry.cells):
        variant = choose_variant(entry, "european csv") if _is_european(text, namespace.files) else None
    plan = Plan(entry=entry, text=text, variant=variant)
    unknown = _unknown_library(text, entry, plan.variant)
    return replace(plan, doubts=(unknown,)) if unknown else plan


def _is_european(text: str, files: str) -> bool:
    """True if a file that the text names, or the only one, has semicolons between its values, and no decimal points."""
    every = re.split(r"\n(?! )", files)
    named = [one for one in every if one.partition(":")[0] in text] or every[: len(every) < 2]
    return any("separated by ';'" in one and not re.search(r" float64: .*'-?\d+\.\d", one) for one in named)


def steered(plan: Plan, instruction: str, matcher: Matcher, namespace: Namespace) -> Plan:
    """The plan as the instruction changes it. What can't be understood is said, and changes nothing."""
    instruction = without_lead_in(instruction)
    known_library = _unknown_library(instruction, plan.entry, plan.variant)
    variant = choose_variant(plan.entry, instruction)
    if known_library and variant is None:
        return replace(plan, doubts=(*plan.doubts, known_library))
    wished = replace(plan, variant=variant or plan.variant, wishes=(*plan.wishes, instruction))
    works = variant is not None or carry_out(wished, namespace).cells != carry_out(plan, namespace).cells
    understood = works and not _left_out(instruction, wished, binding_of(wished, namespace))
    other = None if understood else _another_entry(plan, instruction, matcher, namespace)
    if other is not None:
        return replace(wished, entry=other, variant=choose_variant(other, instruction))
    if understood:
        return wished
    return replace(plan, doubts=(*plan.doubts, not_understood(instruction, plan.entry)))


def _left_out(instruction: str, plan: Plan, binding: Binding) -> bool:
    """True if a word of the instruction means nothing to the plan that was made with it."""
    said = [*binding.chosen.values(), *binding.said, *(source for _, source in binding.given)]
    said += [plan.variant.title, *plan.variant.phrases] if plan.variant else []
    for one in plan.entry.replacements:
        said += [one.slot, one.kind, *one.labels, *(word for choice in one.choices for word in choice.words)]
    known = {word for text in said for word in word_forms.content(text)} | word_forms.FILLER | word_forms.GOING_ON
    return not set(word_forms.content(instruction)) <= known


def left_out(plan: Plan, query: Query, namespace: Namespace) -> tuple[str, ...]:
    """The parts of the plan's text that its answer does nothing about."""
    cells = [cell.source for cell in carry_out(plan, namespace).cells]
    code, made_up = "\n".join(cells), "\n".join(cell for cell in cells if cell.startswith(EXAMPLE))
    binding = binding_of(plan, namespace)
    given = coverage.Given(entry=plan.entry, variant=plan.variant, binding=binding, code=code, made_up=made_up)
    return coverage.left_out(plan.text, query, given, namespace)


@lru_cache(maxsize=64)
def carry_out(plan: Plan, namespace: Namespace) -> Answer:
    answer = compose(plan.entry, binding_of(plan, namespace), namespace, variant=plan.variant)
    return replace(answer, notes="\n\n".join((answer.notes, *plan.doubts)))


def is_correction(instruction: str) -> bool:
    """True if a check says it, not a person."""
    return _CORRECTION.match(instruction) is not None


def choose_variant(entry: Entry, text: str) -> Variant | None:
    """The variant whose phrase ``text`` holds, by its meaning or as it stands; of several the one with the longest."""
    said = [f" {form} " for form in _forms(text)]
    best: tuple[int, Variant] | None = None
    for variant in entry.variants:
        for phrase in variant.phrases:
            held = any(f" {form} " in one for form, one in zip(_forms(phrase), said, strict=True) if form)
            if held and (best is None or len(phrase) > best[0]):
                best = (len(phrase), variant)
    return best[1] if best else None


def _forms(text: str) -> tuple[str, str]:
    """The text as canonical words, and its words (``>=`` too) as they stand."""
    return " ".join(map(word_forms.canonical, word_forms.split(text))), " ".join(
        re.findall(r"\w+|[<>=]+", text.lower())
    )


@lru_cache(maxsize=64)
def binding_of(plan: Plan, namespace: Namespace) -> Binding:
    """The user's names and values that the plan puts into the recipe."""
    return bind(plan.entry, plan.text, namespace, wishes=plan.wishes[::-1])


def without_lead_in(instruction: str) -> str:
    """The instruction without "no, wait, instead …" before it."""
    while (shorter := _INSTEAD.sub("", instruction, count=1)) != instruction and len(shorter) > 2:
        if _LIBRARY.match(instruction):
            break
        instruction = shorter
    return re.sub(r"\s+(?:instead|please|rather)\W*$", "", instruction, flags=re.IGNORECASE)


def _another_entry(plan: Plan, instruction: str, matcher: Matcher, namespace: Namespace) -> Entry | None:
    """The entry that the instruction asks for instead, if it is a request of its own and the entry covers all of it."""
    content = [
        word
        for word in word_forms.content(instruction)
        if word not in word_forms.MODIFIERS and word not in word_forms.WEAK
    ]
    if not content or word_forms.points_back(instruction):
        return None
    ranked = matcher.rank(instruction, namespace, limit=1)
    if not ranked or ranked[0].score < THRESHOLD or ranked[0].entry.title == plan.entry.title:
        return None
    other = first_plan(ranked[0].entry, instruction, namespace)
    return other.entry if not left_out(other, matcher.query(instruction, namespace), namespace) else None


def _unknown_library(instruction: str, entry: Entry, variant: Variant | None) -> str:
    named = _LIBRARY.search(instruction)
    if not named:
        return ""
    name = {"scikit-learn": "sklearn"}.get(named["name"].lower(), named["name"].lower())
    cells = (variant.cells if variant else ()) or entry.cells
    if any(name in cell.source for cell in cells) or (name == "pandas" and "df" in "".join(c.source for c in cells)):
        return ""
    return f"The recipe has no variant with {named['name']}{_variants(entry)}."


def not_understood(instruction: str, entry: Entry | None = None) -> str:
    """The sentence that says so, with what could be asked instead."""
    asked = instruction.strip().rstrip(".!?")
    return (
        f"Offline I don't understand “{asked}”, so the recipe is unchanged{_variants(entry) if entry else ''}. I can change names, "
        "columns and numbers, or take another recipe."
    )


def _variants(entry: Entry) -> str:
    titles = ", ".join(variant.title for variant in entry.variants)
    return f"; its variants are: {titles}" if titles else ""
