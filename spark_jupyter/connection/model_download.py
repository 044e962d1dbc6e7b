"""Catalogue of model files for this machine, and their download from the hub.

``huggingface_hub`` (an extra) asks the hub, or the mirror that ``HF_ENDPOINT`` names. What came before a download was interrupted is
kept, and the whole is checked against the hub's SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError, ServerError
from spark_jupyter.typed_decoders import convert

MISSING = "pip install 'spark-jupyter[hub]'"


class ModelFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model in the catalogue. The fields are explained at the top of ``model_files.toml``."""

    title: str
    repository: str
    file: str
    gigabytes: float
    licence: str
    context: int
    good_for: str
    fills_in: bool = False

    @property
    def memory(self) -> float:
        """About how many gigabytes of memory it takes: the file, what is kept of 8,192 tokens in two lanes, and the program."""
        return self.gigabytes * 1.1 + 0.7

    def fits(self, free: int | None) -> bool:
        """True if it answers prompts in so many bytes of free memory; None: not known."""
        return not self.fills_in and free is not None and self.memory * 1e9 <= free

    def path(self, folder: Path) -> Path:
        """Where it lies when it is downloaded."""
        return folder / self.file


def catalogue() -> dict[str, ModelFile]:
    """The models by name."""
    text = Path(__file__).with_name("model_files.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), dict[str, ModelFile])


def known_model(name: str) -> ModelFile:
    """The model of that name. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where there is none."""
    models = catalogue()
    if name not in models:
        raise ConfigurationError(f"There is no model {name!r}.", remedy=f"There are: {', '.join(models)}.")
    return models[name]


def draft_of(model: ModelFile, folder: Path) -> Path:
    """Where what came of it lies until it is whole."""
    path = model.path(folder)
    return path.with_name(f"{path.name}.part")


def download(model: ModelFile, folder: Path) -> Path:
    """Download a model into a folder, where it is not there yet; progress goes to the standard error.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where ``huggingface_hub`` or the room on the disk is missing, and
    :class:`~spark_jupyter.exceptions.ServerError` where the hub can't be asked or the file is not what the hub says.
    """
    path = model.path(folder)
    if path.exists():
        return path
    try:
        import huggingface_hub as hub
        from huggingface_hub import errors
        from huggingface_hub.file_download import http_get
        from huggingface_hub.utils._headers import build_hf_headers
    except ModuleNotFoundError:
        raise ConfigurationError(
            "To download a model, one more package is needed.", remedy=f"Install it: {MISSING}"
        ) from None
    # Of whichever HTTP library it uses; the name is there, and not in its types.
    network_error: type[Exception] = vars(errors)["HTTPError"]
    endpoint = os.environ.get("HF_ENDPOINT") or None
    url = hub.hf_hub_url(model.repository, model.file, endpoint=endpoint)
    draft = draft_of(model, folder)
    try:
        told = hub.get_hf_file_metadata(url, endpoint=endpoint)
        folder.mkdir(parents=True, exist_ok=True)
        headers = build_hf_headers()
        if urlsplit(told.location)[:2] != urlsplit(url)[:2]:
            headers.pop("authorization", None)  # the user's token is for the hub, not for where it keeps its files
        begun = draft.stat().st_size if draft.exists() else 0
        _check_room(folder, (told.size or 0) - begun)
        with draft.open("ab") as file:  # the library itself keeps nothing of a download that was interrupted
            http_get(told.location, file, resume_size=begun, headers=headers, expected_size=told.size)
    except network_error as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ServerError(
            f"{model.title} can't be downloaded: {reason}",
            remedy="Try again, and it goes on where it ended; HF_ENDPOINT names a mirror.",
        ) from error
    except OSError as error:
        raise ConfigurationError(
            f"{draft} can't be written: {error.strerror or error}.", remedy="Name another --folder."
        ) from error
    _check_sum(draft, told.etag or "")
    draft.replace(path)
    return path


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise ConfigurationError(
            f"The file has {size / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free in {folder}.",
            remedy="Name another --folder.",
        )


def _check_sum(file: Path, expected: str) -> None:
    """Compare with the hub's SHA-256, which is the tag of every large file there. Removes a file that is another one."""
    with file.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != expected:
        file.unlink()
        raise ServerError("What was downloaded is not what the hub says it is.", remedy="Try again, or another mirror.")
