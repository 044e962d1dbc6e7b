"""Catalogue of model files for this machine, and their download from the hub.

``huggingface_hub`` (an extra) asks the hub, or the mirror that ``HF_ENDPOINT`` names. What came before a download was interrupted is
kept, and the whole is checked against the hub's SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError, ServerError
from spark_jupyter.typed_decoders import convert

MISSING = "pip install 'spark-jupyter[hub]'"
_SHA256 = re.compile("[0-9a-f]{64}")
"""The tag of every large file on the hub; a small one has another."""


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
    text = Path(__file__).with_name("model_files.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), dict[str, ModelFile])


def known_model(name: str) -> ModelFile:
    """The model of that name. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where there is none."""
    models = catalogue()
    if name not in models:
        raise ConfigurationError(f"There is no model {name!r}.", remedy=f"Available: {', '.join(models)}.")
    return models[name]


def draft_of(model: ModelFile, folder: Path) -> Path:
    """Where what came of it lies until it is whole."""
    path = model.path(folder)
    return path.with_name(f"{path.name}.part")


def download(model: ModelFile, folder: Path) -> Path:
    """Download a model into a folder, where it is not there yet; progress goes to the standard error. What the hub's own cache on this
    machine has is copied, and nobody is asked.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where ``huggingface_hub`` or the room on the disk is missing, and
    :class:`~spark_jupyter.exceptions.ServerError` where the hub can't be asked or the file is not what the hub says.
    """
    path = model.path(folder)
    if path.exists():
        return path
    try:
        import huggingface_hub as hub
        from huggingface_hub import errors
    except ModuleNotFoundError:
        raise ConfigurationError(
            "To download a model, one more package is needed.", remedy=f"Install it: {MISSING}"
        ) from None
    # Of whichever HTTP library it uses; the name is there, and not in its types.
    network_error: type[Exception] = vars(errors)["HTTPError"]
    draft = draft_of(model, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        cached = hub.try_to_load_from_cache(model.repository, model.file)
        is_named = isinstance(cached, str) and _SHA256.fullmatch(Path(cached).resolve().name)
        expected = _copy(Path(cached), draft) if isinstance(cached, str) and is_named else _fetch(model, draft)
    except (network_error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise ConfigurationError(
                f"{draft} can't be written: {error.strerror or error}.", remedy="Name another --folder."
            ) from error
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ServerError(
            f"{model.title} can't be downloaded: {reason}",
            remedy="Try again, and it goes on where it ended; HF_ENDPOINT names a mirror.",
        ) from error
    _check_sum(draft, expected)
    draft.replace(path)
    return path


def _copy(cached: Path, draft: Path) -> str:
    """Copy from the hub's cache, whose files are named after their SHA-256 where the system has links; it is returned."""
    _check_room(draft.parent, cached.stat().st_size)
    shutil.copyfile(cached, draft)
    return cached.resolve().name


def _fetch(model: ModelFile, draft: Path) -> str:
    """Download what is still missing in the draft. Returns the SHA-256 that the hub tells."""
    import huggingface_hub as hub
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils._headers import build_hf_headers

    endpoint = os.environ.get("HF_ENDPOINT") or None
    url = hub.hf_hub_url(model.repository, model.file, endpoint=endpoint)
    told = hub.get_hf_file_metadata(url, endpoint=endpoint)
    expected = told.etag or ""
    if not _SHA256.fullmatch(expected):
        raise ServerError(
            f"No SHA-256 of {model.file} is told, so it could not be verified.",
            remedy="Name another mirror with HF_ENDPOINT.",
        )
    headers = build_hf_headers()
    if urlsplit(told.location)[:2] != urlsplit(url)[:2]:
        headers.pop("authorization", None)  # the user's token is for the hub, not for where it keeps its files
    begun = draft.stat().st_size if draft.exists() else 0
    if begun > (told.size or begun):  # of another version: nothing can go on behind its end
        draft.unlink()
        begun = 0
    _check_room(draft.parent, (told.size or 0) - begun)
    with draft.open("ab") as file:  # the library itself keeps nothing of a download that was interrupted
        http_get(told.location, file, resume_size=begun, headers=headers, expected_size=told.size)
    return expected


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if size > free:
        raise ConfigurationError(
            f"The file has {size / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free in {folder}.",
            remedy="Name another --folder.",
        )


def _check_sum(file: Path, expected: str) -> None:
    """Compare with the hub's SHA-256. Removes a file that is another one."""
    with file.open("rb") as opened:
        found = hashlib.file_digest(opened, "sha256").hexdigest()
    if found != expected:
        file.unlink()
        raise ServerError("What was downloaded is not what the hub says it is.", remedy="Try again, or another mirror.")
