"""Bug reports made from recordings.

A report is a recording again, so that whoever reads it can replay it. Credentials are withheld once more: the recording may be older than a
rule that finds one.
"""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import msgspec
from msgspec import structs

from spark_jupyter import __version__
from spark_jupyter.recordings.exchange_recorder import Redact
from spark_jupyter.recordings.recording_file import Exchange, Recording, decode, encode

_PACKAGES = ("ipykernel", "ipython", "jupyterlab", "notebook", "pandas", "polars")
"""What a report tells the version of, where it is installed."""


def make_report(recording: Recording, redact: Redact) -> Recording:
    """The recording without credentials, and with the versions on this machine."""
    header = structs.replace(recording.header, environment=_environment())
    clean = [_clean_line(line, redact) for line in encode(header, recording.exchanges).splitlines()]
    return decode(b"\n".join(clean), name="The report")


def summary(report: Recording) -> str:
    """Contents of a report, for the person who passes it on."""
    environment = ", ".join(f"{name} {version}" for name, version in report.header.environment.items())
    lines = [f"Recorded on {report.header.made} by spark_jupyter {report.header.package}; this machine: {environment}."]
    for number, exchange in enumerate(report.exchanges, 1):
        lines += [f"{number}. {_asked(exchange)}", f"   {_answered(exchange)}"]
    return "\n".join(
        [
            *lines,
            "The report holds these prompts, the cells to be edited, and the answers as they are. Nothing was sent.",
        ]
    )


def _clean_line(line: bytes, redact: Redact) -> bytes:
    """The line with every text in it redacted. What an answer loses in length its deltas lose, too."""
    before = msgspec.json.decode(line)
    told = _clean(before, redact)
    if told["type"] == "text" and len(told["text"]) != len(before["text"]):
        told["deltas"] = [(sum(gap for gap, _ in told["deltas"]), len(told["text"]))]
    return msgspec.json.encode(told)


def _clean(value: Any, redact: Redact) -> Any:
    match value:
        case str():
            return redact(value)
        case dict():
            return {
                name: _clean(one, redact) if name not in ("fingerprint", "context") else one
                for name, one in value.items()
            }
        case list():
            return [_clean(one, redact) for one in value]
        case _:
            return value


def _asked(exchange: Exchange) -> str:
    ask = exchange.request.ask
    words = " ".join(f"{ask.request} {ask.steer}".split())
    edited = f" (edits {ask.edited}, {len(ask.edit.splitlines())} lines)" if ask.edited else ""
    return f"{ask.intent}: {words[:100]!r}{edited}"


def _answered(exchange: Exchange) -> str:
    end = exchange.end
    why = f" ({end.error.code})" if end.error is not None else f" ({end.reason})" if end.reason else ""
    return f"{exchange.request.model}: {end.outcome}{why}, {len(exchange.text):,} characters in {exchange.milliseconds / 1000:.1f} s"


def _environment() -> dict[str, str]:
    found = {"Python": platform.python_version(), platform.system(): platform.machine(), "spark_jupyter": __version__}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
