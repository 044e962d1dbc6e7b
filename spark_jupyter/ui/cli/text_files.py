"""Text files with their encoding, byte order mark and line ends."""

from __future__ import annotations

import io
import tokenize

from spark_jupyter.guardrail.code_files import MARKDOWN
from spark_jupyter.protocol.notebook_validation import why_not_json


def encoding_of(data: bytes, name: str) -> str:
    """The encoding of a file: of a notebook or of Markdown UTF-8, else what its mark or its first lines say (PEP 263). Raises
    ValueError for one that there is not."""
    if name.lower().endswith((".ipynb", *MARKDOWN)):
        return "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        b" ".decode(encoding, "replace")
        return encoding
    except LookupError:
        raise ValueError("its declared encoding is not a text encoding") from None
    except SyntaxError as error:
        if b"coding" in data[:400]:
            raise ValueError(f"its declared encoding can't be used ({error.msg})") from None
        return "utf-8"  # what is no UTF-8 is read all the same


def text_of(data: bytes, name: str) -> str:
    """The text of a file, with line ends as Python sees them; what its encoding has not is replaced. Raises ValueError for an encoding
    that there is not, and for a notebook that is not UTF-8: Jupyter does not open it."""
    encoding = encoding_of(data, name)
    try:
        text = data.decode(encoding, "strict" if name.lower().endswith(".ipynb") else "replace")
    except UnicodeDecodeError:
        raise ValueError(f"not a notebook: {why_not_json(data)}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
