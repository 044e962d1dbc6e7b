"""The command ``spark-jupyter``: options become calls; what they do is elsewhere."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from spark_jupyter import __version__
from spark_jupyter.exceptions import CheckError, SparkError
from spark_jupyter.import_guard import guard_imports
from spark_jupyter.providers import dialects
from spark_jupyter.server.engines import ENGINES
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.text.words import CANCELLED


class _Group(click.Group):
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
        """Run the command."""
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


def _provider_options(command: Callable[..., Any]) -> Callable[..., Any]:
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


_SHORTEST_TOKEN = 16
"""Characters of a token: 64 bits where they are hexadecimal digits (OWASP, session identifiers)."""


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="spark-jupyter")
def main() -> None:
    """Cells that stream live, are checked as they are written, and land in notebooks."""


@main.command()
@click.argument("prompt")
@click.option("--notebook", type=click.Path(dir_okay=False, path_type=Path), help="The notebook to work on.")
@click.option("--after", metavar="ID", help="Put new cells below this cell.")
@click.option("--at", type=int, metavar="N", help="Put new cells at this place; 1 is below the first cell.")
@click.option("--edit", metavar="ID|N", help="Edit this cell instead of writing new ones.")
@click.option("--apply", is_flag=True, help="Write the file. Without it a diff is printed and the file left alone.")
@click.option("--run", is_flag=True, help="Run the notebook up to the new cells.")
@click.option(
    "--try",
    "try_first",
    is_flag=True,
    help="Run the answer in a copy, after the notebook's cells above it, and show what it does. Nothing of it is kept; "
    "--apply and --run then need --yes if it fails or surprises.",
)
@click.option(
    "--yes",
    is_flag=True,
    help="Go ahead even if a finding blocks, the code fails or surprises in a copy, or no attempt passed.",
)
@click.option(
    "--attempts", default=1, metavar="N", help="Write N answers at once; the first that runs in a copy is proposed."
)
@click.option(
    "--check", "checks", multiple=True, metavar="CODE", help="Code that an answer must pass: 'assert f(3) == 5'."
)
@click.option("--models", default="", metavar="A,B,…", help="Write one attempt with each of these models.")
@click.option("--until-green", default=0, metavar="N", help="Tell a failing attempt why it failed, up to N times.")
@click.option(
    "--deep", is_flag=True, help="Let a slower model plan, write and run the answer in a copy until it passes."
)
@click.option("--deep-model", default="", metavar="NAME", help="Model for --deep; by default the provider's.")
@click.option("--allow", default="", metavar="files,network,shell,read", help="Permissions of code that is tried.")
@_provider_options
@click.option("--json", "as_json", is_flag=True, help="Print every event as a line of JSON when it happens.")
@click.option("--steer-from", type=click.File("r"), metavar="-", help="Steer with each line of this file (-: stdin).")
@click.pass_context
def ask(ctx: click.Context, /, prompt: str, **options: Any) -> None:
    """Ask for cells. Exit code 0: completed, 130: cancelled, 1: failed, 2: usage."""
    if not prompt.strip():
        raise click.UsageError("The prompt is empty. Say what the cell should do.")
    if sum(options[name] is not None for name in ("after", "at", "edit")) > 1:
        raise click.UsageError("Give one of --after, --at and --edit.")
    if options["deep"] and (options["attempts"] > 1 or options["models"] or options["until_green"]):
        raise click.UsageError(
            "--deep repairs its answer itself. Use --check, and leave out --attempts, --models and --until-green."
        )
    if options["apply"] and options["notebook"] is None:
        raise click.UsageError("--apply needs --notebook FILE.")
    if (options["after"] or options["edit"] or options["at"] is not None) and options["notebook"] is None:
        raise click.UsageError("--after, --at and --edit need --notebook FILE.")
    from spark_jupyter.engine.engine import Engine, Options
    from spark_jupyter.engine.kernel_access import Checks, Kernel
    from spark_jupyter.protocol.deep_messages import ChooseDeep
    from spark_jupyter.protocol.provider_messages import Configure
    from spark_jupyter.routing.link import linker
    from spark_jupyter.sandbox import unavailable
    from spark_jupyter.sandbox.notebook_trials import FileTrials
    from spark_jupyter.ui.cli.ask import Question, ask

    question = Question(
        text=prompt,
        notebook=options["notebook"],
        after=options["after"],
        at=options["at"],
        edit=options["edit"],
        apply=options["apply"],
        run=options["run"],
        try_first=options["try_first"],
        confirmed=options["yes"],
        attempts=_attempts(options),
        deep=options["deep"],
    )
    trials = FileTrials(folder=question.notebook.parent if question.notebook else Path())
    checks = Checks(try_answer=trials.try_answer, try_unavailable=unavailable())
    engine = Engine(
        linker(_settings(options), warn=partial(click.echo, err=True)),
        kernel=Kernel(checks=checks),
        options=Options(own=Configure(deep=ChooseDeep(model=options["deep_model"]))),
    )
    try:
        code = ask(
            engine,
            question,
            out=sys.stdout,
            as_json=options["as_json"],
            steer_from=options["steer_from"],
            trials=trials,
        )
    finally:
        engine.close()
    ctx.exit(code)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0 takes a free port.")
@click.option("--token", default=None, help="Token that clients must present; generated by default.")
@click.option(
    "--engine",
    type=click.Choice(tuple(ENGINES)),
    default="recipes",
    show_default=True,
    help="script plays the answers of a FILE; llama runs the model in a GGUF file.",
)
@click.option(
    "--gguf",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The model for --engine llama.",
)
@click.option("--threads", type=click.IntRange(min=1), help="Threads for --engine llama; by default all.")
@click.option(
    "--context",
    type=click.IntRange(min=512),
    help="Context in tokens for each of two requests at a time; by default up to 8,192.",
)
@click.option(
    "--gpu-layers", type=click.IntRange(min=0), help="Layers of the model that run on the GPU; by default none."
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    metavar="TOKENS_PER_SECOND",
    help="Pace of the answers; by default as fast as possible.",
)
@click.option(
    "--book",
    "books",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A folder of recipe books (or one book) that comes before the package's own.",
)
@click.option("--idle", type=float, default=None, metavar="SECONDS", help="Stop after so long without a connection.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def serve(
    host: str,
    port: int,
    token: str | None,
    engine: str,
    rate: float | None,
    books: tuple[Path, ...],
    idle: float | None,
    gguf: Path | None,
    file: Path | None,
    **how: int | None,
) -> None:
    """Serve the Responses API over WebSocket, offline. Prints {"url": …, "token": …} when it is ready."""
    if (engine == "llama") != (gguf is not None):
        raise click.UsageError("--engine llama and --gguf FILE go together.")
    if any(value is not None for value in how.values()) and gguf is None:
        raise click.UsageError("--threads, --context and --gpu-layers are for --engine llama.")
    file = gguf or file
    if bool(ENGINES[engine].argument) != (file is not None):
        raise click.UsageError(f"--engine {engine} {'needs a' if file is None else 'takes no'} FILE.")
    _check_exposure(host, token)
    from spark_jupyter.server.server_runner import run

    def ready(info: Any) -> None:
        click.echo(json.dumps({"url": info.url, "token": info.token}))
        sys.stdout.flush()

    options = "&".join(f"{name}={value}" for name, value in how.items() if value is not None)
    chosen = engine if file is None else f"{engine}:{file}" + (f"?{options}" if options else "")
    run(ready=ready, idle=idle, host=host, port=port, token=token, engine=chosen, rate=rate, books=books)


@main.command()
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON.")
@click.option("--sarif", "as_sarif", is_flag=True, help="Findings as SARIF 2.1.0, for code hosts.")
@click.option("--github", is_flag=True, help="Findings as annotations of a GitHub workflow.")
@click.option("--diff", metavar="REV", help="Only findings in lines that are new since this git revision.")
@click.option("--baseline", metavar="FILE", help="Leave out the findings that this file lists.")
@click.option("--write-baseline", metavar="FILE", help="Write the findings to this file as known ones.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes to the files, list them, and check the rest.")
@click.option("--stream", is_flag=True, help="Feed token by token; report each finding's delay and the cost per token.")
@click.option("--fix-prompt", is_flag=True, help="Print the correction that a model would get.")
@click.option("--explain", metavar="RULE", help="Say why a rule exists, what it finds and how to allow it.")
@click.pass_context
def check(ctx: click.Context, /, files: tuple[str, ...], explain: str | None, **options: Any) -> None:
    """Check .py and .ipynb files, folders or stdin (-) with the guardrail. Exit code 1: a finding blocks, 2: usage."""
    if sum(bool(options[name]) for name in ("as_json", "as_sarif", "github", "fix_prompt")) > 1:
        raise click.UsageError("Give one of --json, --sarif, --github and --fix-prompt.")
    if options["fix"] and "-" in files:
        raise click.UsageError("--fix changes files, so it can't be used with stdin. Give the name of a file.")
    from spark_jupyter.ui.cli.check import Asked, check_files, explained

    if explain is not None:
        click.echo(explained(explain))
        return
    if not files:
        raise click.UsageError("Missing argument 'FILES...'.")
    try:
        ctx.exit(check_files(files, Asked(**options), out=sys.stdout))
    except CheckError as error:  # 1 would say that something blocks
        click.echo(printable(f"spark-jupyter: {error}"), err=True)
        ctx.exit(2)


@main.command()
@click.argument("notebook", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--no-run", is_flag=True, help="Only read it: do not run it from the top in a copy.")
@click.option("--allow", default="", metavar="files,network,shell,read", help="Permissions of its cells when they run.")
@click.option("--read", multiple=True, metavar="PATH", help="Its cells may read this, which is not in its folder.")
@click.option("--env", "variables", multiple=True, metavar="NAME", help="Its cells get this environment variable.")
@click.option("--json", "as_json", is_flag=True, help="Remarks as JSON.")
@click.pass_context
def review(ctx: click.Context, /, notebook: Path, no_run: bool, allow: str, **options: Any) -> None:
    """Find the stale and misplaced cells of a notebook, its findings, and the cells that fail on Restart & Run All, which is tried in a
    fresh confined process and a copy of its folder. Exit code 1: a cell fails or a finding blocks, 2: usage, or it could not be run to
    its end."""
    from spark_jupyter.exceptions import ConfigurationError, NotebookError
    from spark_jupyter.ui.cli.review import review_file
    from spark_jupyter.ui.text.magic_line import permissions

    try:
        may = permissions(allow)
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from None
    try:
        code = review_file(notebook, run=not no_run, allow=may, out=sys.stdout, progress=sys.stderr, **options)
    except NotebookError as error:  # 1 would say that something is wrong in it
        click.echo(printable(f"spark-jupyter: {error}"), err=True)
        code = 2
    ctx.exit(code)


@main.command()
@_provider_options
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def doctor(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Say what works here and what to do about the rest. Exit code 1: something needed does not work."""
    from spark_jupyter.ui.cli.doctor import examine, report

    facts = examine(_settings(options))
    click.echo(report(facts, as_json=as_json))
    ctx.exit(0 if all(fact.ok or not fact.needed for fact in facts) else 1)


@main.command()
@_provider_options
@click.option("--turns", type=click.IntRange(min=1), default=5, show_default=True, help="Number of turns to measure.")
@click.option("--prompt", default="Write a function that returns the first n prime numbers.", show_default=True)
@click.option("--json", "as_json", is_flag=True)
@click.option(
    "--against",
    multiple=True,
    metavar="PROFILE[=MODEL]",
    help="Another provider or model, side by side; again for more.",
)
@click.option(
    "--tasks",
    type=click.IntRange(min=0),
    default=0,
    help="Number of notebook tasks (at most 20), checked by running them in a copy.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the figures here; the same command continues from there.",
)
@click.option(
    "--report",
    "report_to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a notebook with the figures and plots.",
)
@click.option("--budget", type=click.FloatRange(min=0, min_open=True), help="Budget of the whole run, in US dollars.")
def bench(turns: int, prompt: str, as_json: bool, **options: Any) -> None:
    """Measure this machine and your providers: connection, first token, tokens per second, and with --tasks the quality of the answers."""
    several = {name: options[name] for name in ("against", "tasks", "save", "report_to", "budget")}
    if not any(several.values()):
        from spark_jupyter.ui.cli.bench.measurement import measure, report

        click.echo(report(measure(_settings(options), prompt=prompt, turns=turns), as_json=as_json))
        return
    from spark_jupyter.ui.cli.bench.bench_command import run

    click.echo(run(_settings(options), turns=turns, prompt=prompt, as_json=as_json, **several))


@main.command()
def mcp() -> None:
    """Serve the running notebooks of this user to an agent: a Model Context Protocol server over standard input and output."""
    try:
        from spark_jupyter.agents.mcp_server import make_server
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f'{error.name} is not installed. Install it with: pip install "spark-jupyter[mcp]"'
        ) from None
    make_server().run()


def _check_exposure(host: str, token: str | None) -> None:
    """Refuse or warn of a server that others could use: of a token that can be guessed, and of an address that others reach."""
    from spark_jupyter.providers.addresses import is_loopback

    guessable = token is not None and len(token) < _SHORTEST_TOKEN
    near = is_loopback(f"ws://[{host}]" if ":" in host else f"ws://{host}")
    if guessable and not near:
        raise click.UsageError(
            f"The token is too short for --host {host}, which others can reach. "
            f"Give --token at least {_SHORTEST_TOKEN} characters, or leave it out."
        )
    if guessable:
        click.echo(
            f"Others on this machine can guess the token. Give --token at least {_SHORTEST_TOKEN} characters, or leave it out.",
            err=True,
        )
    if not near:
        click.echo(f"Other machines can reach {host}, and nothing is encrypted: they can read your requests.", err=True)


def _attempts(options: dict[str, Any]) -> Any:
    from spark_jupyter.exceptions import ConfigurationError
    from spark_jupyter.ui.text.magic_line import attempts, permissions

    try:
        return attempts(
            count=options["attempts"],
            models=options["models"],
            checks=options["checks"],
            until_green=options["until_green"],
            allow=permissions(options["allow"]),
        )
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from None


def _settings(options: dict[str, Any]) -> Any:
    from spark_jupyter.providers.profiles import Secret, Settings

    key = os.environ.get("SPARK_API_KEY")
    return Settings(
        profile=options["profile"],
        base_url=options["base_url"],
        model=options["model"],
        dialect=options["dialect"] or "",
        api_key=Secret(key) if key and options["base_url"] else None,
    )


if __name__ == "__main__":
    main()
