"""The panel has what the kernel says in other languages, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jupyter.connection.model_downloads import NOT_ALLOWED
from spark_jupyter.guardrail import check
from spark_jupyter.guardrail.rules import RULES
from spark_jupyter.policy import FORBIDS_ALL, SAID, RuleFile
from spark_jupyter.prompting.hint_filter import LEFT_OUT
from spark_jupyter.prompting.prompt_suggestions import about_table, ideas
from spark_jupyter.providers.profiles import Embedded, Secret, choose, load_profiles
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy.limit_detection import limit_of
from spark_jupyter.sandbox.walls import Walls
from spark_jupyter.session import stop_reasons
from tests.guardrail.rule_cases import cases_of
from tests.translated_texts import is_translated, notes, sentences

PACKAGE = Path(__file__).parents[1] / "spark_jupyter"
FILES = [
    *(path for path in (PACKAGE / "guardrail" / "rules").glob("*.py")),
    *(PACKAGE / "guardrail" / name for name in ("syntax_check.py", "taint_interpreter.py")),
    *(path for path in (PACKAGE / "reality").glob("*.py") if path.name != "rule_explanations.py"),
    PACKAGE / "sandbox" / "faults" / "fault_findings.py",
    *(PACKAGE / "sandbox" / "checkpoints" / name for name in ("undo.py", "checkpoint_store.py", "file_history.py")),
    *(
        PACKAGE / "session" / name
        for name in ("answer_limits.py", "proposal_store.py", "hint_steps.py", "retry_policy.py")
    ),
    *(PACKAGE / "session" / "deep" / name for name in ("budget_use.py", "escalation.py")),
    *(PACKAGE / "server" / "engines" / "repairs").glob("*.py"),
    *(PACKAGE / "refactoring" / name for name in ("rename.py", "rename_column.py")),
    *(PACKAGE / "refactoring" / name for name in ("move_to_module.py", "extract_function.py")),
    *(PACKAGE / "records" / name for name in ("prompt_log.py", "spending_log.py")),
    *(PACKAGE / "connection" / name for name in ("network_errors.py", "idle_timeout.py", "model_catalogue.py")),
    *(PACKAGE / name for name in ("providers/refusals.py", "providers/fim.py", "engine/drafter.py")),
    *(PACKAGE / name for name in ("completions/staleness.py", "exceptions.py", "sandbox/refinement_runner.py")),
]
DEEP = sorted((PACKAGE / "session" / "deep").glob("*.py"))
LIMITS = [value for value in vars(limit_sentences).values() if isinstance(value, limit_sentences.Limit)]
OTHER_LIMITS = [
    limit_sentences.time(10),
    limit_sentences.folder(1 << 29),
    limit_sentences.not_copied(OSError("no memory")),
    limit_sentences.cluster("dask"),
    limit_sentences.not_installed("polars"),
    limit_of(PermissionError("[Errno 13] Permission denied: 'x'"), allow=(), seconds=1.0),
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_what_a_module_says_to_a_person_is_translated(path: Path) -> None:
    assert [sentence for sentence in sorted(sentences(path)) if not is_translated(sentence)] == []


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.id)
def test_what_is_said_of_a_rules_examples_is_translated(rule) -> None:
    found = [finding for text in cases_of(rule, "bad") for finding in check(text)]
    said = {text for finding in found for text in (finding.message, finding.remedy) if text}
    assert [text for text in sorted(said) if not is_translated(text)] == []


@pytest.mark.parametrize(
    "reason", ["max_output_tokens", "paused", "context_window", "content_filter", "refusal", "tool_call", "own"]
)
def test_why_an_answer_was_cut_short_is_translated(reason: str) -> None:
    assert is_translated(stop_reasons.sentence(reason))


def test_where_a_hint_was_cut_it_says_so_in_other_languages_too() -> None:
    assert is_translated(LEFT_OUT.strip())


def test_why_nothing_was_tried_is_translated() -> None:
    assert LIMITS
    assert [limit for limit in (*LIMITS, *OTHER_LIMITS) if not is_translated(limit)] == []


def test_what_repairs_and_refactorings_say_is_translated() -> None:
    said = [
        "Offline repair for KeyError: There is no column 'amout'; `amount` is near it.",
        "Offline edit: With type hints where the code shows them.",
        "Renamed `df` to `sales` in 3 cells.",
        "Renamed the column `price` of `df` to `cost`.",
        "sum the columns at once: 2.1 s → 0.1 s, 21×",
        "5 lines → 2",
        "same result for all 2 cells",
        "Deep work: 1 of 2 steps done, run in a copy.",
    ]
    assert [text for text in said if not is_translated(text)] == []


def test_ideas_for_a_prompt_are_translated() -> None:
    columns = [("price", "float64"), ("units", "int64"), ("at", "datetime64[ns]"), ("day", "str"), ("region", "str")]
    found = [
        *(idea for number in range(len(columns)) for idea in about_table("sales", columns[number:])),
        *ideas([], []),
        *ideas([], ["sales.csv"]),
        *about_table("sales", columns[:1]),
        "show the first rows of sales",
    ]
    assert [text for text in found if not is_translated(text)] == []


@pytest.mark.parametrize("walls", [(False, 0), (True, 0), (False, 4)], ids=str)
def test_what_is_not_enforced_is_translated(walls: tuple[bool, int]) -> None:
    assert is_translated(Walls(seccomp=walls[0], landlock=walls[1]).missing)


@pytest.mark.parametrize("place", ["policy.toml", "lesson.ipynb"])
def test_what_is_not_allowed_is_translated(place: str) -> None:
    file = RuleFile(path=Path(place), rules=FORBIDS_ALL)
    whats = [
        *SAID.values(),
        "Prompts are",
        "Models are",
        "The provider x is",
        "The model x is",
        "A model without a name is",
    ]
    refused = [file.refusal(what) for what in (*whats, "Agents, whose cost is not known here, are")]
    said = {text for error in refused for text in (str(error), error.remedy)} | {NOT_ALLOWED}
    assert [text for text in sorted(said) if not is_translated(text)] == []


@pytest.mark.parametrize(
    "environ", [{}, {"SPARK_PROFILE": "openai"}, {"SPARK_BASE_URL": "http://a.example/v1"}, {"OPENAI_API_KEY": "k"}]
)
def test_who_answers_is_translated(environ: dict[str, str]) -> None:
    embedded = Embedded(url="http://127.0.0.1:1/v1", token=Secret("t"))
    choice = choose(profiles=load_profiles([]), environ={"SPARK_API_KEY": "k", **environ}, embedded=embedded)
    assert choice is not None
    assert is_translated(choice.banner)


@pytest.mark.parametrize("path", DEEP, ids=lambda path: path.stem)
def test_what_the_log_of_deep_work_says_is_translated(path: Path) -> None:
    assert [note for note in sorted(notes(path)) if not is_translated(note)] == []
