"""Answers without a model: repair, edit, table question, recipe, or a No.

An error is repaired and a cell is edited by its syntax tree (:mod:`.own_code`); a question about tables is read by one grammar
(:mod:`.tables`); anything else is answered by the recipe whose phrasings hold every word of the prompt, or by a No.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spark_jupyter.prompting import prompt_suggestions
from spark_jupyter.protocol.constants import REFUSAL, WHY
from spark_jupyter.protocol.prompt_offers import offer
from spark_jupyter.server.engines import matching, own_code, recipe_plan, slots, tables, word_forms
from spark_jupyter.server.engines.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.matching import Matcher
    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.recipe_plan import Plan
    from spark_jupyter.server.engines.request import Request

CONNECT = (
    "Connect a model with `%spark provider NAME`, or set `SPARK_BASE_URL` and `SPARK_MODEL` for a server of your own."
)
_TRIED = 4
"""So many of the best recipes are tried."""
_NEARLY = 0.15
"""Recipes whose scores differ by less fit equally well."""
_OFFERED = 3
_CHOICES = 6
_BY_MODEL = {"hints": "Hints", "explain": "Explanations"}
_BY_HAND = (
    "Follow your code by hand with the values of that check, a line at a time: at which line do you expect something else? A language "
    f"model can say more. {CONNECT}"
)
_LETTER = re.compile(r"\{\w\}")
"""A slot whose name says nothing."""
_EXPLAINS = re.compile(r"^\W*(?:please |can you )*(?:explain\b|what (?:does|do)\b.+\b(?:do|mean)\W*$)", re.IGNORECASE)
"""Words are wanted, and recipes have none."""


def answer(asked: Request, matcher: Matcher) -> Answer:
    """The answer to a request; where nothing covers it, a No."""
    wanted = "explain" if _EXPLAINS.match(asked.text) else asked.intent.partition(" ")[0]
    if wanted == "hints" and asked.text.strip() == WHY:
        return Answer(notes=_BY_HAND)
    if wanted in _BY_MODEL:
        return Answer(notes=f"{REFUSAL} {_BY_MODEL[wanted]} need a language model.\n\n{CONNECT}")
    found = find(asked, matcher)
    if found is None and own_code.wants_repair(asked.text):
        return own_code.fix(asked)
    return found if found is not None else no_answer(_nearest(asked, matcher))


def find(asked: Request, matcher: Matcher) -> Answer | None:
    """The answer to a request that is covered whole, else None."""
    if asked.intent == "explain" or _EXPLAINS.match(asked.text):  # takes a model
        return None
    if own_code.is_repair(asked):
        return own_code.fix(asked)
    if asked.steers:
        return _steered(asked, matcher)
    if asked.before and (following := _going_on(asked, matcher)) is not None:
        return following
    found = own_code.reply(asked) or tables.answer(asked.text, asked.namespace)
    if found is None and not (asked.before and word_forms.is_fragment(asked.text)):
        found = _recipe(asked.text, asked.namespace, matcher)
    return found


def no_answer(nearest: Sequence[str]) -> Answer:
    """The No: what this is, how to connect a model, and prompts to click."""
    notes = [f"{REFUSAL} I can't do that offline: recipes answer here, not a language model.", CONNECT]
    notes += ["Or try:", "\n".join(map(offer, nearest[:_OFFERED]))] if nearest else []
    return Answer(notes="\n\n".join(notes))


def _nearest(asked: Request, matcher: Matcher) -> list[str]:
    """Prompts that recipes answer, half of whose words are the prompt's own: half of that, or all that the recipe is for. Own tables have
    a place among them."""
    said = {*matcher.query(asked.text, asked.namespace).required} - word_forms.NO_MATTER
    found, frames = [], asked.namespace.of_kind("DataFrame")
    for one in matcher.rank(asked.text, asked.namespace, limit=_TRIED):
        if frames and any(replacement.kind == "DataFrame" for replacement in one.entry.replacements):
            continue  # its words are the columns of its own example
        said_so = [text for text in one.entry.phrasings if not _LETTER.search(text)]
        phrasings = [({*matching.phrasing_words(text)} - word_forms.NO_MATTER, text) for text in said_so]
        words, text = max(phrasings, key=lambda phrasing: len(phrasing[0] & said), default=(set(), ""))
        shared = 2 * len(words & said)
        within = words <= said and (len(words) > 1 or one.score >= matching.THRESHOLD)
        if shared >= max(len(words), 1) and (within or shared >= len(said)):
            found.append(slots.told(text))
    columns = ((one.name, [(column.name, column.dtype) for column in one.columns]) for one in frames)
    own = [idea for name, known in columns for idea in prompt_suggestions.about_table(name, known)]
    return [*found[: _OFFERED - 1], *own, *found[_OFFERED - 1 :]]


# --- recipes ------------------------------------------------------------------------------------------------------------


def _recipe(text: str, namespace: Namespace, matcher: Matcher) -> Answer | None:
    """The answer of the best recipe that covers the prompt; a question where two tables or columns of the user's fit equally well."""
    plan = _plan(text, namespace, matcher)
    if plan is None:
        return None
    binding = recipe_plan.binding_of(plan, namespace)
    if binding.which or binding.tables:
        return _ask("file", text, binding.which, "from") if binding.which else _ask("table", text, binding.tables, "in")
    if binding.open:
        kind, names = binding.open[0]
        return _ask("column", text, names, "by" if kind == "category column" else "of")
    return recipe_plan.carry_out(plan, namespace)


def _plan(text: str, namespace: Namespace, matcher: Matcher) -> Plan | None:
    """The plan of the best recipe that covers the text; of nearly equal ones the first that uses the user's own data."""
    query = matcher.query(text, namespace)
    best, near = 0.0, []
    for found in matcher.rank(text, namespace, limit=_TRIED):
        if found.score < max(matching.THRESHOLD, best - _NEARLY):
            break
        plan = recipe_plan.first_plan(found.entry, text, namespace)
        if _covers(query, plan, namespace):
            best = best or found.score
            near.append(plan)
    bindings = {plan: recipe_plan.binding_of(plan, namespace) for plan in near}
    return max(near, key=lambda plan: (bindings[plan].own_data, not bindings[plan].tables)) if near else None


def _covers(query: matching.Query, plan: Plan, namespace: Namespace) -> bool:
    binding = recipe_plan.binding_of(plan, namespace)
    unfit = binding.misfits or plan.doubts or len(binding.open) > 1
    return not (unfit or recipe_plan.left_out(plan, query, namespace))


def _ask(what: str, text: str, names: Sequence[str], joined_by: str) -> Answer:
    """The question which of the user's own is meant."""
    said = text.strip().rstrip(".!?")
    offers = "\n".join(offer(f"{said} {joined_by} {name}") for name in names[:_CHOICES])
    return Answer(notes=f"Which {what} do you mean? Choose one:\n\n{offers}")


# --- what goes on from an earlier request ---------------------------------------------------------------------------------


def _steered(asked: Request, matcher: Matcher) -> Answer | None:
    """The answer that is being written, made again with what was said since; what can't be done to it is said in its notes."""
    steers = [one for one in asked.steers if not recipe_plan.is_correction(one)]
    if not steers:  # the same again, whatever earlier request it goes on from
        found = find(replace(asked, steers=()), matcher)
        return replace(found, notes=f"{found.notes}\n\n{recipe_plan.STANDS}") if found is not None else None
    found, _ = _changed(asked.text, steers, asked.namespace, matcher)
    if found is None:
        found = own_code.reply(asked)
    if found is None:  # what was written answers nothing that is known: the steer may be a request of its own
        return find(replace(asked, text=asked.steers[-1], steers=()), matcher)
    corrected = len(steers) < len(asked.steers)
    return replace(found, notes=f"{found.notes}\n\n{recipe_plan.STANDS}") if corrected else found


def _going_on(asked: Request, matcher: Matcher) -> Answer | None:
    """The answer to the requests before, changed as this one says; None where it is a request of its own.

    It is one of its own where it is understood alone, unless it begins as a follow-up does or is an edit.
    The last cell on which the user has not decided is changed, as a diff."""
    if asked.edit is None and not word_forms.goes_on(asked.text):
        alone = find(replace(asked, before=()), matcher)
        if alone is not None or _is_about_others(asked):
            return alone
    cell = asked.edit or asked.proposed
    namespace = asked.namespace.without(cell.source) if cell is not None else asked.namespace
    for first in range(len(asked.before) - 1, -1, -1):
        steers = [*asked.before[first + 1 :], asked.text]
        found, understood = _changed(asked.before[first], steers, namespace, matcher)
        if found is not None and understood:
            is_about_cell = asked.edit is not None or first == len(asked.before) - 1
            one = cell is not None and is_about_cell and len(found.cells) == 1
            return replace(found, edit=cell.id) if cell is not None and one else found
        if found is not None:
            break
    return None


def _is_about_others(asked: Request) -> bool:
    """True if a request names a table of which neither the request before nor the open cell says a word."""
    said = f"{asked.before[-1]} {asked.proposed.source if asked.proposed is not None else ''}"
    known, named = set(re.findall(r"\w+", said)), set(re.findall(r"\w+", asked.text))
    return any(one.type == "DataFrame" and one.name in named - known for one in asked.namespace.variables)


def _changed(text: str, steers: Sequence[str], namespace: Namespace, matcher: Matcher) -> tuple[Answer | None, bool]:
    """The answer to ``text``, changed by the steers in turn, and whether all of them were understood."""
    made = tables.answer(text, namespace)
    table = _changed_table(made, text, steers, namespace) if made is not None else (None, False)
    plan = None if table[1] else _plan(text, namespace, matcher)
    if plan is None:
        return table
    for steer in steers:
        plan = recipe_plan.steered(plan, steer, matcher, namespace)
    if table[0] is not None and plan.doubts:
        return table
    return recipe_plan.carry_out(plan, namespace), not plan.doubts


def _changed_table(made: Answer, text: str, steers: Sequence[str], namespace: Namespace) -> tuple[Answer, bool]:
    """The answer to a table question, changed by the steers."""
    doubts: list[str] = []
    said = [text]
    for steer in steers:
        amended = tables.amend(said, steer, namespace)
        if amended is None:
            doubts.append(recipe_plan.not_understood(recipe_plan.without_lead_in(steer)))
        else:
            said.append(steer)
            made = amended
    return replace(made, notes="\n\n".join((made.notes, *doubts))), not doubts
