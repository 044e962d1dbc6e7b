"""The keys of a terminal: what a person types, pastes and presses becomes a line, and nothing else does."""

from __future__ import annotations

import os
import pty

import pytest

from spark_jupyter.ui.keyboard import TypedLine, reading


@pytest.fixture
def keyboard():
    """A terminal: what is written to the first is read from the second as keys."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "r") as stream:
        yield master, stream
    os.close(master)


def typed(keyboard, data: bytes) -> tuple[list[str], str]:
    """The lines that were sent, and what stands in the line that was not."""
    master, stream = keyboard
    line, sent = TypedLine(), []
    with reading(stream) as keys:
        os.write(master, data)
        while pressed := keys():
            sent += [done for press in pressed if (done := line.press(press.key, press.data))]
    return sent, line.text


def test_enter_ends_a_line_and_an_empty_one_is_none(keyboard):
    assert typed(keyboard, b"use cubes\r\r  \rand more") == (["use cubes"], "and more")


def test_backspace_takes_back_a_character_and_control_u_the_line(keyboard):
    assert typed(keyboard, "schöne\x7f\x7f\x7f".encode()) == ([], "sch")
    assert typed(keyboard, b"wrong\x15right\r") == (["right"], "")


def test_an_arrow_or_another_key_without_a_character_leaves_the_line_as_it_is(keyboard):
    assert typed(keyboard, b"a\x1b[D\x1b[3~\x1bOPb\r") == (["ab"], "")


def test_what_is_pasted_is_one_text_with_its_newlines(keyboard):
    assert typed(keyboard, b"say: \x1b[200~one\rtwo\x1b[201~\r") == (["say: one\ntwo"], "")


def test_a_character_that_comes_in_halves_is_whole(keyboard):
    master, stream = keyboard
    line = TypedLine()
    with reading(stream) as keys:
        for half in (b"\xc3", b"\xb6"):
            os.write(master, half)
            for press in keys():
                line.press(press.key, press.data)
    assert line.text == "ö"


def test_where_there_is_no_terminal_no_key_is_read():
    with open(os.devnull) as stream, reading(stream) as keys:
        assert keys is None
