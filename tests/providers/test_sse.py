"""Splitting server-sent events, cut at any byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.providers.sse import SSESplitter

STREAMS = [
    (b"data: one\n\ndata: two\n\n", [b"one", b"two"]),
    (b"data: one\r\n\r\ndata: two\r\n\r\n", [b"one", b"two"]),
    (b"data: one\r\rdata: two\r\r", [b"one", b"two"]),
    (b"\xef\xbb\xbfdata: one\n\n", [b"one"]),
    (b"event: x\ndata: one\nid: 7\nretry: 5\n\n", [b"one"]),
    (b": ping\n\n: ping\n\ndata: one\n\n: ping\n\n", [b"one"]),
    (b"data: a\ndata: b\ndata:\ndata: c\n\n", [b"a\nb\n\nc"]),
    (b"data:no space\n\ndata:  two spaces\n\n", [b"no space", b" two spaces"]),
    (b"\n\n\n\ndata: one\n\n\n\ndata: two\n\n", [b"one", b"two"]),
    (b"data\n\n", []),
    ("data: é🙂\n\n".encode(), ["é🙂".encode()]),
    (b"data: no blank line at the end", [b"no blank line at the end"]),
    (b"data: none here\r", [b"none here"]),
    (b'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n', [b'{"a":1}', b'{"b":2}', b"[DONE]"]),
    (b'data: {\ndata: "a":\ndata: 1}\n\n', [b'{\n"a":\n1}']),
    (b'data: data: {"a":1}\n\ndata:data:[DONE]\n\n', [b'{"a":1}', b"[DONE]"]),
    (b"data: data: a\n\n", [b"data: a"]),
    (b"database: x\n\ndata: one\n\n", [b"one"]),
    (b"", []),
]


def split(pieces: list[bytes]) -> list[bytes]:
    splitter = SSESplitter(most=2**20)
    events = [event for piece in pieces for event in splitter.receive_data(piece)]
    return events + splitter.flush()


@pytest.mark.parametrize(("stream", "events"), STREAMS)
def test_a_stream_cut_at_any_byte_gives_the_same_events(stream: bytes, events: list[bytes]) -> None:
    assert split([stream]) == events
    assert split([stream[i : i + 1] for i in range(len(stream))]) == events
    for cut in range(len(stream)):
        assert split([stream[:cut], stream[cut:]]) == events, cut


def test_an_event_is_given_as_soon_as_it_is_whole() -> None:
    splitter = SSESplitter(most=2**20)
    assert splitter.receive_data(b"data: one\n") == []
    assert splitter.receive_data(b"\ndata: two") == [b"one"]
    assert splitter.receive_data(b"\n\n") == [b"two"]
    assert splitter.flush() == []


@given(st.lists(st.tuples(st.text(alphabet="ab \r\n:", max_size=6), st.integers(1, 5)), max_size=12))
def test_any_cutting_of_anything_gives_the_same_events(pieces: list[tuple[str, int]]) -> None:
    stream = "".join(f"data: {text}\n\n" * times for text, times in pieces).encode()
    whole = split([stream])
    for size in (1, 2, 3, 7):
        assert split([stream[i : i + size] for i in range(0, len(stream), size)]) == whole
