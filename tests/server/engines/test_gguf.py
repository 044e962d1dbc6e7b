"""Facts in a GGUF file about its model, errors for other files, and the engine's options. Needs no weights."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.server.engines import gguf
from spark_jupyter.server.engines.llama import LlamaEngine, grammar_for
from spark_jupyter.server.engines.llama_options import Options, batch_of, parse, statement_of
from spark_jupyter.server.engines.request import Request

TEXT, LIST, UINT = 8, 9, 4


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def field(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def number(key: str, value: int) -> bytes:
    return field(f"llama.{key}", UINT, struct.pack("<I", value))


def header(
    *fields: bytes, magic: bytes = b"GGUF", version: int = 3, count: int | None = None, tensors: int = 0
) -> bytes:
    return struct.pack("<4sIQQ", magic, version, tensors, len(fields) if count is None else count) + b"".join(fields)


def tensor(name: str, offset: int) -> bytes:
    """A matrix of 8 · 4 numbers of four bytes."""
    return text(name) + struct.pack("<IQQIQ", 2, 8, 4, 0, offset)


NAME = field("general.architecture", TEXT, text("llama"))
TOKENS = field("tokenizer.ggml.tokens", LIST, struct.pack("<IQ", TEXT, 3) + text("a") + text("bc") + text("é"))
MODEL = (
    NAME,
    number("context_length", 2048),
    number("embedding_length", 64),
    number("attention.head_count", 4),
    number("block_count", 3),
)


def written(folder: Path, data: bytes) -> Path:
    file = folder / "tiny.gguf"
    file.write_bytes(data)
    return file


def test_a_model_tells_its_window_and_what_a_token_of_context_takes(tmp_path: Path) -> None:
    model = gguf.examine(written(tmp_path, header(*MODEL, number("attention.head_count_kv", 2), TOKENS) + b"\0" * 100))
    assert (model.name, model.trained, model.vocabulary) == ("tiny", 2048, 3)
    assert model.of_a_token == 3 * 2 * (16 + 16) * 2  # layers, heads, a key and a value, two bytes each
    small = model.memory(context=100, lanes=1, batch=1)
    assert model.memory(context=200, lanes=2, batch=1) - small == 300 * model.of_a_token


def test_a_model_that_was_trained_to_fill_in_is_known_by_all_three_of_its_marks(tmp_path: Path) -> None:
    def marks(*words: str) -> gguf.Marks | None:
        value = struct.pack("<IQ", TEXT, len(words)) + b"".join(map(text, words))
        return gguf.examine(written(tmp_path, header(*MODEL, field("tokenizer.ggml.tokens", LIST, value)))).marks

    assert marks("a", "<fim_middle>", "<fim_prefix>", "<fim_suffix>") == gguf.FILLING[1]
    assert marks("a", "<fim_prefix>", "<fim_suffix>") is None


def test_a_header_that_says_more_than_any_models_is_not_read_to_its_end(tmp_path: Path) -> None:
    """Ten thousand lists of nothing, which take no room on the disk, would be read for hours."""
    count, wide = 2**22, 10
    file = written(tmp_path, header(*MODEL, count=len(MODEL) + 3))
    with file.open("r+b") as data:
        data.seek(0, 2)
        for name in "abc":
            data.write(field(name, LIST, struct.pack("<IQ", wide, count)))
            data.seek(8 * count, 1)
        data.truncate()
    with pytest.raises(ConfigurationError):
        gguf.examine(file)


def test_heads_that_differ_from_layer_to_layer_count_as_the_most(tmp_path: Path) -> None:
    heads = field("llama.attention.head_count_kv", LIST, struct.pack("<IQ3I", UINT, 3, 1, 4, 2))
    assert gguf.examine(written(tmp_path, header(*MODEL, heads))).of_a_token == 3 * 4 * 32 * 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 a zip file, which is no model",
        header(*MODEL, magic=b"GGML"),
        header(*MODEL, version=99),
        header(*MODEL)[:-3],
        header(*MODEL, count=10**9),
        header(NAME),
        header(*MODEL[:3], number("attention.head_count", 0), MODEL[4]),
        header(field("x" * 10, TEXT, struct.pack("<Q", 2**60))),
        header(field("x", LIST, struct.pack("<IQ", UINT, 2**60))),
        header(field("x", LIST, struct.pack("<IQ", LIST, 1))),
        header(field("x", 77, b"")),
        header(field("x", TEXT, struct.pack("<Q", 2) + b"\xff\xfe")),
    ],
)
def test_what_is_no_model_is_said_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ConfigurationError, match="no GGUF file"):
        gguf.examine(written(tmp_path, data))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="can't be read"):
        gguf.examine(tmp_path / "none.gguf")


def test_how_a_model_is_run_stands_behind_its_file() -> None:
    assert parse("/models/a.gguf") == (Path("/models/a.gguf"), Options())
    assert parse("/a?b/c.gguf?threads=2&context=4096") == (Path("/a?b/c.gguf"), Options(threads=2, context=4096))
    for wrong in ("a.gguf?threads=many", "a.gguf?speed=9", "a.gguf?threads"):
        with pytest.raises(ConfigurationError, match="no way to run a model"):
            parse(wrong)


def test_a_prompt_is_read_in_small_batches_between_which_it_can_be_dropped_and_a_gpu_gets_larger_ones() -> None:
    assert batch_of(Options()) <= 16 < batch_of(Options(gpu_layers=1))


def test_the_grammar_is_one_block_and_an_edit_names_its_cell() -> None:
    assert grammar_for(Request(text="x")).startswith('root ::= "```python\\n" line+ "```\\n"\n')
    assert '"```python cell=a-1\\n"' in grammar_for(Request(text="x", edit=NotebookCell(id="a-1", source="")))
    assert grammar_for(Request(text="x", intent="explain")) == ""
    assert grammar_for(Request(text="x", so_far="```python\nx = 1")) == ""


def test_without_its_package_one_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match="one more package") as missing:
        LlamaEngine(written(tmp_path, header(*MODEL)), Options())
    assert missing.value.remedy == "Install it: pip install 'spark-jupyter[model]'"


def test_what_a_model_will_take_is_said_without_the_package_that_runs_it(tmp_path: Path) -> None:
    said = statement_of(written(tmp_path, header(*MODEL)))
    assert "tokens of context" in said
    assert "of memory" in said


def test_a_file_that_ends_before_its_last_tensor_is_not_whole(tmp_path: Path) -> None:
    begin = header(*MODEL, tensors=2) + tensor("a", 0) + tensor("b", 128)
    whole = begin + b"\0" * (-len(begin) % 32) + b"\0" * 256
    assert gguf.examine(written(tmp_path, whole)).trained == 2048
    for length in (len(whole) - 129, len(begin), len(begin) - 1):
        with pytest.raises(ConfigurationError, match="is not whole"):
            gguf.examine(written(tmp_path, whole[:length]))
