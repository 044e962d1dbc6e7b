"""Command group that shows errors as sentences, and the provider's options."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from spark_jupyter.exceptions import SparkError
from spark_jupyter.import_guard import guard_imports
from spark_jupyter.providers import dialects
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.text.words import CANCELLED


class CommandGroup(click.Group):
    """Shows our own errors as a sentence, not as a traceback. Exit code 1; 130 where Ctrl-C ended it."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run as a program. A standard stream that whoever started this has closed is an empty one; what an encoding lacks is escaped."""
        guard_imports()
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            if getattr(sys, name) is None:
                setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # for as long as the program runs
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SparkError as error:
            click.echo(printable(f"spark-jupyter: {error}"), err=True)
        except KeyboardInterrupt:
            click.echo(CANCELLED, err=True)
            ctx.exit(130)
        except OSError as error:  # what comes from a file has its own sentence: this is the output's
            if error.errno == errno.EPIPE:
                raise  # click's: whoever read the output has gone
            click.echo(f"spark-jupyter: The output can't be written: {error.strerror}.", err=True)
            sys.stdout = None  # nor could what is still in it, at the end
        ctx.exit(1)


def provider_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that choose where the model is."""
    for option in (
        click.option(
            "--dialect", type=click.Choice(dialects.names()), help="The wire format, if the base URL does not tell it."
        ),
        click.option("--base-url", default="", help="Address of the model's server, e.g. http://localhost:8000/v1."),
        click.option("--profile", default="", help="Provider profile: openai, ollama, … or your own."),
        click.option("--model", "-m", default="", help="Model; by default the provider's."),
    ):
        command = option(command)
    return command


def settings_of(options: dict[str, Any]) -> Any:
    from spark_jupyter.providers.profiles import Settings, secret_of

    key = os.environ.get("SPARK_API_KEY", "") if options["base_url"] else ""
    return Settings(
        profile=options["profile"],
        base_url=options["base_url"],
        model=options["model"],
        dialect=options["dialect"] or "",
        api_key=secret_of(key, "SPARK_API_KEY"),
    )
