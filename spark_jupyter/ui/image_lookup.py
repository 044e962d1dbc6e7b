"""Images of a prompt: files after an ``@``, and the last figure.

They are scaled to what models read, by Pillow where it is installed; without it a PNG within the limits goes as it is.
"""

from __future__ import annotations

import base64
import io
import os
import re
import stat
import struct
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.mentions import mentions
from spark_jupyter.protocol.constants import IMAGE_EDGE, IMAGE_PIXELS, LONGEST_IMAGE, NAMES_FIGURE, PLOTLY
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Image

ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
"""File name endings of images."""
FIGURE = "figure"
"""The name of the last figure."""
_LARGEST_FILE = 50_000_000
"""Bytes that are read of a file."""
_PNG = b"\x89PNG\r\n\x1a\n"
_QUALITY = 88
"""Of a JPEG, in percent."""


def images(text: str, brought: Sequence[Image] = (), *, folder: Path, figure: LastFigure) -> tuple[Image, ...]:
    """The images that ``text`` points at besides those ``brought`` along.

    Raises :class:`~spark_jupyter.exceptions.SessionError` for an image that is not there."""
    named = [each for each in mentions(text) if each.kind == "name"]
    found = [_file(each.text, folder / os.path.expanduser(each.name)) for each in named if _is_image(each.name)]
    if re.search(NAMES_FIGURE, text, re.IGNORECASE) and all(each.name != FIGURE for each in brought):
        if png := figure.png():
            found.append(read(base64.b64decode(png), name=FIGURE))
        elif any(each.kind == "figure" for each in mentions(text)):
            raise figure.missing("point at")
    return tuple(found)


def read(data: bytes, *, name: str) -> Image:
    """An image as it goes to a model. Raises :class:`~spark_jupyter.exceptions.SessionError` for what is none."""
    if find_spec("PIL") is None:
        return _plain_png(data, name)
    import PIL.Image

    try:
        with PIL.Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as picture:
            return _scaled(picture, data, name)
    except (OSError, ValueError, SyntaxError, PIL.Image.DecompressionBombError):
        raise SessionError(f"{name} is not a readable image.", remedy="Use PNG, JPEG, GIF or WebP.") from None


def _scaled(picture: Any, data: bytes, name: str) -> Image:
    kind, (width, height) = picture.format, picture.size
    factor = min(1.0, IMAGE_EDGE / max(width, height), (IMAGE_PIXELS / (width * height)) ** 0.5)
    if factor == 1.0 and len(data) * 4 / 3 <= LONGEST_IMAGE - 4:
        return _image(kind, data, width, height, name)
    size = max(1, int(width * factor)), max(1, int(height * factor))
    picture = picture.convert("RGBA" if kind == "PNG" else "RGB").resize(size)
    written = io.BytesIO()
    picture.save(written, "PNG" if kind == "PNG" else "JPEG", quality=_QUALITY)
    if kind == "PNG" and len(written.getvalue()) * 4 / 3 > LONGEST_IMAGE - 4:  # a photograph
        written = io.BytesIO()
        picture.convert("RGB").save(written, "JPEG", quality=_QUALITY)
        kind = "JPEG"
    return _image("PNG" if kind == "PNG" else "JPEG", written.getvalue(), *size, name)


def _plain_png(data: bytes, name: str) -> Image:
    """A PNG as it is (PNG specification, section 11.2.1: width and height stand at byte 16)."""
    if not data.startswith(_PNG) or len(data) < 24:
        raise SessionError(f"{name} can't be read without Pillow.", remedy="Install pillow, or use a PNG.")
    width, height = struct.unpack(">II", data[16:24])
    if not (width > 0 and 0 < height <= IMAGE_EDGE >= width and len(data) * 4 / 3 <= LONGEST_IMAGE - 4):
        raise SessionError(f"{name} is too large to be sent.", remedy="Install pillow, so that it can be scaled.")
    return _image("PNG", data, width, height, name)


def _image(kind: str, data: bytes, width: int, height: int, name: str) -> Image:
    text = base64.b64encode(data).decode()
    return Image(media_type=f"image/{kind.lower()}", data=text, width=width, height=height, name=name[:200])  # type: ignore[arg-type]  # one of the four


def _is_image(name: str) -> bool:
    return Path(name).suffix.lower() in ENDINGS


def _file(text: str, path: Path) -> Image:
    """An image file. What is no ordinary file is not opened: a pipe would be waited for."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
                raise SessionError(f"{text} is no image file of at most {_LARGEST_FILE // 10**6} MB.")
            return read(file.read(_LARGEST_FILE), name=path.name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file is named so"
        raise SessionError(f"{text} can't be read ({reason}).", remedy="Name a file in the working folder.") from None


class LastFigure:
    """The last figure that a cell displayed in this kernel; one of a Try that waits, which ``tried`` gives, goes before it."""

    def __init__(self, publisher: Any, tried: Callable[[], Iterable[TrialResult]] = tuple) -> None:
        self._publisher = publisher if hasattr(publisher, "register_hook") else None  # a terminal has windows for them
        self._tried = tried
        self._shown = ""
        self._is_interactive = False
        self._thread = threading.local()
        self.listen()

    def listen(self) -> None:
        """See what this thread displays from now on. ipykernel keeps hooks by thread, and cells need not run on the one that made the
        session. Idempotent."""
        if self._publisher is not None and not hasattr(self._thread, "listens"):
            self._thread.listens = True
            self._publisher.register_hook(self._see)

    def close(self) -> None:
        """See no more."""
        if self._publisher is not None:
            self._publisher.unregister_hook(self._see)

    def png(self) -> str:
        """The figure in base64, empty where there is none."""
        tried = [
            each.data["image/png"] for trial in self._tried() for each in trial.outputs if "image/png" in each.data
        ]
        return tried[-1] if tried else self._shown

    def missing(self, what: str) -> SessionError:
        """The error that says why there is no figure to look or point at."""
        if self._is_interactive:
            remedy = 'Show it as one, fig.show("png"), which needs the package kaleido; or name a file: @plot.png.'
            return SessionError("The last figure is interactive and has no picture.", remedy=remedy)
        return SessionError(f"There is no figure to {what}.", remedy="Draw one first, or name a file: @plot.png.")

    def _see(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        data = message.get("content", {}).get("data", {})
        picture = data.get("image/png")
        if isinstance(picture, bytes):
            picture = base64.b64encode(picture).decode()
        if isinstance(picture, str) and len(picture) <= 2 * LONGEST_IMAGE:
            self._shown, self._is_interactive = picture, False
        elif PLOTLY in data:
            self._shown, self._is_interactive = "", True
        return message
