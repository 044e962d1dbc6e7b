"""Messages of a copy are an attacker's: bounded, checked against the schema, and never trusted."""

from __future__ import annotations

import base64
import io
import re
import sys

import msgspec
import PIL.Image
import PIL.PngImagePlugin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.protocol.values import Effect, Finding, Output
from spark_jupyter.sandbox.copy_protocol import (
    MOST_FRAME,
    Did,
    Ended,
    Fault,
    Frames,
    Limits,
    Measured,
    Ran,
    RunStatement,
    Wrote,
    frame,
    said,
)
from spark_jupyter.sandbox.faults.fault_findings import _RAISED, finding_of
from spark_jupyter.sandbox.message_validation import MOST_EFFECTS, MOST_OUTPUTS, MessageValidator

LIMITS = Limits(output=10_000)
LARGE_PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + (30_000).to_bytes(4) + b"IDAT" + bytes(30_004)).decode()


def shown(outputs: list[Output]) -> int:
    reception = MessageValidator(LIMITS)
    kept = [one for output in outputs for one in reception.take(Wrote(output=output))]
    return sum(len(one.output.text) + sum(map(len, one.output.data.values())) for one in kept)


def test_a_header_that_says_four_gigabytes_allocates_nothing_and_is_refused():
    with pytest.raises(msgspec.MsgspecError):
        Frames().feed(b"\xff\xff\xff\xff" + b"x" * 10)


def test_a_frame_of_the_largest_size_is_taken_wherever_it_is_cut():
    whole = frame(Wrote(output=Output(kind="stdout", text="x" * 1000))) * 3
    for step in (1, 7, 1000, len(whole)):
        frames = Frames()
        bodies = [body for start in range(0, len(whole), step) for body in frames.feed(whole[start : start + step])]
        assert [said(body).output.text for body in bodies] == ["x" * 1000] * 3
    assert MOST_FRAME < 1 << 25


@given(st.binary(max_size=300))
def test_bytes_that_are_no_message_are_refused_and_nothing_else_happens(data):
    frames, reception = Frames(), MessageValidator(LIMITS)
    try:
        for body in frames.feed(data):
            for message in reception.take(said(body)):
                assert msgspec.msgpack.encode(message)
    except msgspec.MsgspecError:
        return


MESSAGES = (
    st.builds(Wrote, output=st.builds(Output, kind=st.just("stdout"), text=st.text()), number=st.integers())
    | st.builds(
        Wrote,
        output=st.builds(Output, kind=st.just("display_data"), data=st.dictionaries(st.text(max_size=12), st.text())),
    )
    | st.builds(Ran, number=st.integers(), error=st.text(), line=st.none() | st.integers(), seconds=st.floats())
    | st.builds(Measured, number=st.integers(), effects=st.just(()), memory=st.integers())
    | st.builds(Ended, memory=st.integers(), problem=st.text())
)


@given(st.lists(MESSAGES, max_size=20))
def test_whatever_a_copy_says_in_the_form_of_messages_comes_out_bounded(messages):
    reception = MessageValidator(LIMITS)
    for message in messages:
        for kept in reception.take(message):
            match kept:
                case Ran(line=line, seconds=seconds):
                    assert line is None or line >= 1
                    assert 0 <= seconds < float("inf")
                case Measured(memory=memory) | Ended(memory=memory):
                    assert memory >= 0
                case Wrote(output=output):
                    assert set(output.data) <= {
                        "text/plain",
                        "text/markdown",
                        "text/latex",
                        "text/html",
                        "image/png",
                        "image/jpeg",
                    }


@pytest.mark.parametrize(
    "outputs",
    [
        [Output(kind="stdout", text="x" * 1_000_000)] * 3,
        [Output(kind="stdout", text="x")] * (2 * MOST_OUTPUTS),
        [Output(kind="display_data", data={"text/plain": "x" * 100_000})] * 10,
        [Output(kind="display_data", data={"text/html": "<b>x</b>" * 1_000})] * 100,
        [Output(kind="display_data", data={"image/png": LARGE_PICTURE})] * 100,
    ],
)
def test_a_flood_of_outputs_is_cut_off(outputs):
    assert shown(outputs) < 12 * LIMITS.output


def test_html_is_made_harmless_in_the_kernel_whatever_the_copy_did_to_its_own_sanitiser():
    [wrote] = MessageValidator(LIMITS).take(
        Wrote(
            output=Output(kind="display_data", data={"text/html": "<img src=http://evil><script>x</script><b>ok</b>"})
        )
    )
    assert wrote.output.data == {"text/html": "<b>ok</b>"}


def test_a_picture_that_is_no_base64_and_a_type_that_is_not_shown_do_not_come_through():
    data = {"image/png": '" onerror="alert(1)', "application/javascript": "alert(1)", "image/svg+xml": "<svg/>"}
    assert MessageValidator(LIMITS).take(Wrote(output=Output(kind="display_data", data=data))) == []


def test_effects_are_bounded_in_number_and_in_length():
    effect = Effect(kind="variable", action="new", name="n" * 10_000, after="a" * 10_000)
    reception = MessageValidator(LIMITS)
    kept = [one for _ in range(3) for one in reception.take(Measured(number=0, effects=(effect,) * 1_500, memory=0))]
    assert sum(len(one.effects) for one in kept) == MOST_EFFECTS
    assert max(len(one.name) for one in kept[0].effects) <= 500
    assert reception.take(Did(effect=effect)) == []


# --- what a fault may say ----------------------------------------------------------------------------------------------

SOURCE = "import math\nmath.sqtr(4)"


def judged(fault: Fault, source: str = SOURCE, *, ran: str = "", namespace: dict | None = None) -> Finding | None:
    """What becomes of a fault that comes when a statement of ``source`` ran, its last line where it is not said."""
    ran = ran or source.split("\n")[-1]
    line = source[: source.rindex(ran)].count("\n") + 1
    asked = RunStatement(text=ran, line=line, number=0)
    return finding_of(fault, ran=asked, cells=[source], namespace=namespace or {})


def test_a_name_that_does_not_stand_in_the_code_is_not_repeated():
    fault = Fault(number=0, line=2, rule="missing-attribute", name="c2VjcmV0LXBhc3N3b3Jk", owner="math", raised="x")
    finding = judged(fault)
    assert "c2VjcmV0" not in finding.message + finding.remedy


def test_what_the_error_said_is_for_a_person_only():
    fault = Fault(number=0, line=2, rule="missing-attribute", name="sqtr", owner="math", raised="root:x:0:0")
    finding = judged(fault)
    assert finding.raised == "root:x:0:0"
    assert "root:x" not in finding.message + finding.remedy
    assert "`sqtr`" in finding.message
    assert "`sqrt`" in finding.remedy


WHOLE = """\
key = "c2VjcmV0"
table = {"alpha": 1, "beta": 2}
def total(data):
    return data.summ()
def other(data):
    return data.maks()
total([key]).rot13("alpha", base=table)"""


@pytest.mark.parametrize(
    ("rule", "name", "line"),
    [
        ("missing-column", "c2VjcmV0", 1),  # another statement than the one that ran
        ("missing-attribute", "maks", 6),  # in a function that it does not call
        ("wrong-call", "", 10**9),
        ("wrong-call", "", 8),
    ],
)
def test_a_fault_of_another_statement_than_the_one_that_ran_is_none(rule, name, line):
    assert judged(Fault(number=0, line=line, rule=rule, name=name), WHOLE) is None


@pytest.mark.parametrize("number", [1, 2**40])
def test_a_fault_of_a_cell_that_is_not_there_is_none(number):
    assert judged(Fault(number=number, line=1, rule="wrong-call")) is None


def test_a_column_that_a_statement_above_names_for_this_one_is_told_with_its_line():
    finding = judged(Fault(number=0, line=7, rule="missing-column", name="beta"), WHOLE)
    assert (finding.line, finding.cause) == (7, 2)
    assert "`beta`" in finding.message


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("missing-attribute", "rot"),  # a part of a token
        ("missing-attribute", "13"),
        ("missing-attribute", "total"),  # not what the rule is about
        ("undefined-name", "rot13"),
        ("undefined-name", "alpha"),
        ("unknown-keyword", "table"),
        ("missing-column", "base"),
        ("missing-column", "alph"),
        ("missing-module", "total"),
        ("missing-column", '"alpha", base'),
    ],
)
def test_a_fault_names_only_a_whole_token_of_its_statement_and_of_its_rules_kind(rule, name):
    finding = judged(Fault(number=0, line=7, rule=rule, name=name), WHOLE)
    assert finding.line == 7
    assert f"`{name}`" not in finding.message + finding.remedy


@pytest.mark.parametrize(
    ("rule", "name", "line"),
    [
        ("missing-attribute", "rot13", 7),
        ("missing-column", "alpha", 7),
        ("undefined-name", "total", 7),
        ("unknown-keyword", "base", 7),
        ("missing-attribute", "summ", 4),  # in a function that it calls
    ],
)
def test_what_an_honest_fault_names_is_named(rule, name, line):
    finding = judged(Fault(number=0, line=line, rule=rule, name=name), WHOLE)
    assert f"`{name}`" in finding.message


def test_a_class_of_a_package_that_nobody_uses_gives_no_remedy():
    import decimal

    fault = Fault(number=0, line=1, rule="missing-attribute", name="sqtr", owner="decimal.Decimal")
    assert "sqrt" not in judged(fault, "x.sqtr()").remedy
    assert "sqrt" in judged(fault, "x.sqtr()", namespace={"x": decimal.Decimal(1)}).remedy
    assert "sqrt" in judged(fault, "import decimal; x.sqtr()").remedy


def test_a_class_that_does_not_exist_and_an_owner_that_is_nonsense_give_no_remedy():
    for owner in ("no.such.Thing", "os.environ", "../../etc/passwd", "sys.modules"):
        fault = Fault(number=0, line=3, rule="missing-attribute", name="sqtr", owner=owner)
        assert "environ" not in judged(fault, "import os\n\nx.sqtr()").remedy


def test_a_remedy_runs_nothing_of_the_users():
    class Trap:
        def __getattr__(self, name):
            raise AssertionError("it was run")

        @property
        def sqtr_of(self):
            raise AssertionError("it was run")

    fault = Fault(number=0, line=1, rule="missing-attribute", name="sqtr")
    finding = judged(fault, "trap.sqtr()", namespace={"trap": Trap()})
    assert "sqtr_of" in finding.remedy


def test_the_schema_refuses_a_rule_that_is_none_and_a_text_without_end():
    for wrong in (
        Fault(number=0, line=1, rule="say this to the model"),
        Fault(number=0, line=1, rule="wrong-call", raised="x" * 10_000),
    ):
        with pytest.raises(msgspec.MsgspecError):
            said(frame(Ran(fault=wrong))[4:])


@pytest.mark.parametrize(
    "body",
    [b"\x82\xa4type\xa3Ran\xa5error\xa2\xff\xfe", b"\x82\xa4type\xa3Ran\xa1z" + b"\x91" * 200_000, b"\x92" * 100, b""],
)
def test_what_is_no_text_or_nests_without_end_is_no_message(body):
    with pytest.raises(msgspec.MsgspecError):
        said(body)


def test_a_namespace_with_odd_keys_and_a_module_that_is_none_are_no_fault_of_ours(monkeypatch):
    monkeypatch.setitem(sys.modules, "odd_module", None)
    assert judged(Fault(number=0, line=1, rule="undefined-name", name="x"), "x", namespace={5: 1})
    assert judged(Fault(number=0, line=1, rule="missing-attribute", name="x", owner="odd_module.y"), "a.x; odd_module")


def test_a_copy_that_does_not_read_is_ended_and_nobody_waits_for_it(bench):
    from spark_jupyter.sandbox import limit_sentences
    from spark_jupyter.sandbox.copy_protocol import RunStatement
    from spark_jupyter.sandbox.forking import Copy, LiveKernel

    copy = Copy(LiveKernel(bench.shell), None, allow=(), limits=Limits())
    try:
        for number in range(20):
            copy.ask(RunStatement(text=f"import time; time.sleep(30)  # {'x' * 40_000}", line=1, number=number))
        copy.listen(lambda message: None)
        assert copy.problem == limit_sentences.DEAF
    finally:
        copy.close()


FAULTS = st.builds(
    Fault,
    number=st.integers(0, 3),
    line=st.integers(1, 12),
    rule=st.sampled_from([*_RAISED]),
    name=st.text(max_size=200) | st.sampled_from(["summ", "rot13", "alpha", "base", "c2VjcmV0", "beta"]),
    owner=st.sampled_from(["", "decimal.Decimal", "builtins.list", "os"]) | st.text(max_size=60),
)


@given(FAULTS)
def test_whatever_a_copy_says_of_a_fault_the_model_hears_our_words_and_a_token_of_the_statement(fault):
    finding = judged(fault, WHOLE)
    if finding is None:
        return
    assert finding.line in (4, 7)  # what ran, and the function that it calls
    said = re.findall(r"`([^`]*)`", finding.message)
    above = {"c2VjcmV0", "alpha", "beta"} if finding.cause else set()  # texts that this statement uses
    assert set(said) <= {"summ", "data", "total", "key", "rot13", "alpha", "base", "table"} | above
    cause = f"; it comes from line {finding.cause}" if finding.cause else ""
    assert finding.message in {
        f"Run in a copy of the kernel, this failed: {_RAISED[fault.rule].format(name=name)}{cause}."
        for name in ("that is used", *(f"`{one}`" for one in said))
    }


def picture_of(data: bytes) -> bytes:
    output = Output(kind="display_data", data={"image/png": base64.b64encode(data).decode()})
    kept = MessageValidator(Limits()).take(Wrote(output=output))
    return base64.b64decode(kept[0].output.data["image/png"]) if kept else b""


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L"])
def test_a_picture_brings_along_what_is_seen_of_it_and_nothing_else(mode: str) -> None:
    drawn = PIL.Image.effect_mandelbrot((90, 60), (-2, -1, 1, 1), 20).convert(mode)
    hidden = PIL.PngImagePlugin.PngInfo()
    hidden.add_text("Comment", "MARKER of a text")
    hidden.add_itxt("XML", "MARKER of another")
    hidden.add(b"pHYs", b"MARKER that is too long")
    hidden.add(b"prVt", b"MARKER of a private chunk")
    written = io.BytesIO()
    drawn.save(written, "PNG", pnginfo=hidden, exif=b"Exif\0\0MARKER", icc_profile=b"MARKER" * 30)
    kept = picture_of(written.getvalue() + b"MARKER behind the end")
    assert b"MARKER" not in kept
    seen = PIL.Image.open(io.BytesIO(kept))
    assert seen.convert("RGBA").tobytes() == drawn.convert("RGBA").tobytes()
    assert not seen.info.keys() & {"Comment", "XML", "exif", "icc_profile"}


@pytest.mark.parametrize("data", [b"", b"\xff\xd8\xff\xe0 a JPEG's beginning", b"\x89PNG", b"MARKER"])
def test_what_is_no_png_does_not_come_through_as_one(data: bytes) -> None:
    assert picture_of(data) == b""


def test_a_png_that_was_cut_off_ends_the_reading() -> None:
    written = io.BytesIO()
    PIL.Image.new("RGB", (9, 9)).save(written, "PNG")
    whole = written.getvalue()
    for end in range(8, len(whole)):
        assert whole.startswith(picture_of(whole[:end])[:8])
