"""Code that a constant says in another encoding is judged as the code that it is."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import lzma
import zlib

import pytest

from spark_jupyter.guardrail import check

CODE = "import os; os.system('rm -rf ~')"
LONG = "x = 1\n" * 3_000 + CODE


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


HIDDEN = {
    "base64": f"import base64\nexec(base64.b64decode('{_b64(CODE.encode())}'))",
    "long base64": f"import base64\nexec(base64.b64decode('{_b64(LONG.encode())}').decode('utf-8'))",
    "a long text": f"exec('''{LONG}''')",
    "long bytes": f"exec(b'''{LONG}''')",
    "zlib": f"import base64, zlib\nexec(zlib.decompress(base64.b64decode('{_b64(zlib.compress(LONG.encode()))}')))",
    "zlib in a variable": f"import zlib\ndata = {zlib.compress(CODE.encode())!r}\ncode = zlib.decompress(data).decode()\nexec(code)",
    "gzip": f"import base64, gzip\nexec(gzip.decompress(base64.b64decode('{_b64(gzip.compress(CODE.encode()))}')))",
    "bz2": f"import base64, bz2\nexec(bz2.decompress(base64.b85decode({base64.b85encode(bz2.compress(CODE.encode()))!r})))",
    "lzma, compiled": f"import lzma\nexec(compile(lzma.decompress({lzma.compress(CODE.encode())!r}), 'x', 'exec'))",
    "rot13": f"import codecs\nexec(codecs.decode({codecs.encode(CODE, 'rot13')!r}, 'rot13'))",
    "hexadecimal": f"exec(bytes.fromhex('{CODE.encode().hex()}'))",
    "numbers": f"exec(bytes({[*CODE.encode()]}))",
    "characters": f"exec(''.join(map(chr, {[*CODE.encode()]})))",
    "characters one by one": f"exec(''.join([chr(one) for one in {[*CODE.encode()]}]))",
    "backwards": f"exec({CODE[::-1]!r}[::-1])",
    "UTF-16": f"exec({CODE.encode('utf-16')!r}.decode('utf-16'))",
    "letters that are replaced": f"exec({CODE.replace('s', '5')!r}.replace('5', 's'))",
    "imported in place": f"exec(__import__('base64').b64decode('{_b64(CODE.encode())}'))",
    "a packed command": f"import os, zlib\nos.system(zlib.decompress({zlib.compress(b'rm -rf ~')!r}).decode())",
}


@pytest.mark.parametrize("cell", HIDDEN.values(), ids=HIDDEN)
def test_code_in_an_encoded_constant_is_judged(cell: str) -> None:
    assert "destructive-command" in [finding.rule for finding in check(cell) if finding.blocks]


UNREAD = {
    "too large": f"import base64, zlib\nexec(zlib.decompress(base64.b64decode('{_b64(zlib.compress(b'0' * 20_000_000))}')))",
    "cut off": "import base64, zlib\nexec(zlib.decompress(base64.b64decode('eJxLy8xL1VAqKS1')))",
    "computed characters": "exec(''.join(chr(one ^ 7) for one in [110, 106]))",
    "by a function": f"_ = lambda __: __import__('zlib').decompress(__import__('base64').b64decode(__[::-1]))\nexec((_)(b'{'=' * 40}'))",
}


@pytest.mark.parametrize("cell", UNREAD.values(), ids=UNREAD)
def test_code_that_can_not_be_unpacked_here_is_warned_of(cell: str) -> None:
    assert [(finding.rule, finding.severity) for finding in check(cell)] == [("code-injection", "warn")]


@pytest.mark.parametrize(
    "cell",
    [
        "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))",
        "import base64\nimage = base64.b64decode(answer['image'])",
        "import codecs\nprint(codecs.decode('Uryyb', 'rot13'))",
        "import zlib\nlen(zlib.decompress(data))",
        "print(''.join(map(chr, range(97, 123))))",
        "word = 'level'\nprint(word == word[::-1])",
    ],
)
def test_decoding_by_itself_is_left_alone(cell: str) -> None:
    assert check(cell) == []
