"""The format of recordings."""

from __future__ import annotations

import os

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.recordings.recording_file import (
    Ask,
    Call,
    End,
    Exchange,
    Header,
    Recording,
    Request,
    Text,
    decode,
    encode,
    load,
)

HEADER = Header(version=1, made="2026-11-27", package="1")
EXCHANGE = Exchange(
    Request(fingerprint="f", model="m", ask=Ask(request="sum")),
    (Text("thinks", ((3, 6),), thinking=True), Text("a\n", ((10, 1), (5, 1))), Call(name="f", arguments="{}", after=4)),
    End(outcome="completed", after=2),
)


def test_what_is_written_is_read_again():
    assert decode(encode(HEADER, [EXCHANGE, EXCHANGE])) == Recording(HEADER, (EXCHANGE, EXCHANGE))


def test_an_exchange_knows_its_answer_and_its_time():
    assert EXCHANGE.text == "a\n"
    assert EXCHANGE.milliseconds == 24


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes and devices in folders")
def test_what_never_ends_is_no_recording(tmp_path):
    link, pipe = tmp_path / "link.spark.jsonl", tmp_path / "pipe.spark.jsonl"
    link.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    for path in (link, pipe):
        with pytest.raises(ConfigurationError, match="is no file"):
            load(path)


def test_an_exchange_that_a_crash_left_without_its_end_is_left_out():
    lines = encode(HEADER, [EXCHANGE]).splitlines(keepends=True)
    assert decode(b"".join([*lines, *lines[1:3]])).exchanges == (EXCHANGE,)


def test_fields_and_places_of_a_later_package_do_no_harm():
    data = encode(HEADER, [EXCHANGE]).replace(b'"made"', b'"new":[1],"made"')
    assert decode(data).exchanges == (EXCHANGE,)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "its first line is missing"),
        (b"not json\n", "line 1 can't be read"),
        (encode(HEADER, []) + b'{"type":"text"}\n', "line 2 can't be read"),
        (b'{"type":"recording","version":2,"made":"","package":""}\n', "newer version"),
        (b"\xff\xfe\n", "line 1 can't be read"),
    ],
)
def test_what_is_no_recording_is_refused_with_its_place(data, said):
    with pytest.raises(ConfigurationError, match=said):
        decode(data)
