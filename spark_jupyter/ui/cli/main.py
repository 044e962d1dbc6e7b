"""The command ``spark-jupyter``: options become calls; what they do is elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from spark_jupyter import __version__
from spark_jupyter.exceptions import CheckError
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.cli.ask_command import ask
from spark_jupyter.ui.cli.command_group import CommandGroup, provider_options, settings_of
from spark_jupyter.ui.cli.course_command import course
from spark_jupyter.ui.cli.model_command import model
from spark_jupyter.ui.cli.serve_command import serve


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="spark-jupyter")
def main() -> None:
    """Cells that stream live, are checked as they are written, and land in notebooks."""
    # jsonschema, which nbformat imports, would compile a grammar of addresses: two seconds, for a format that no notebook has.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


main.add_command(ask)
main.add_command(serve)
main.add_command(model)
main.add_command(course)


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
    """Check scripts and notebooks with the guardrail. Takes .py and .ipynb files, folders, or stdin (-). Exit code 1: a finding
    blocks, 2: usage."""
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
    """Find stale, misplaced and failing cells. Restart & Run All is tried in a fresh confined process and a copy of the notebook's
    folder. Exit code 1: a cell fails or a finding blocks, 2: usage, or it could not be run to its end."""
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
@provider_options
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def doctor(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Say what works here and what to do about the rest. Exit code 1: something needed does not work."""
    from spark_jupyter.ui.cli.doctor import examine, report

    facts = examine(settings_of(options))
    click.echo(report(facts, as_json=as_json))
    ctx.exit(0 if all(fact.ok or not fact.needed for fact in facts) else 1)


@main.command()
@provider_options
@click.option("--turns", type=click.IntRange(min=1), default=5, show_default=True, help="Number of turns to measure.")
@click.option("--prompt", default="Write a function that returns the first n prime numbers.", show_default=True)
@click.option("--clients", type=click.IntRange(1, 200), default=1, help="Number of clients that prompt at once.")
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
def bench(turns: int, prompt: str, clients: int, as_json: bool, **options: Any) -> None:
    """Measure your providers. Connection, first token, tokens per second, and with --tasks the quality of the answers."""
    several = {name: options[name] for name in ("against", "tasks", "save", "report_to", "budget")}
    if clients > 1:
        if any(several.values()):
            raise click.UsageError(
                "--clients measures one provider: leave out --against, --tasks, --save, --report and --budget."
            )
        from spark_jupyter.ui.cli.bench import load_test

        load = load_test.measure_load(settings_of(options), prompt=prompt, turns=turns, clients=clients)
        click.echo(load_test.report(load, as_json=as_json))
        if not load.first:
            raise click.exceptions.Exit(1)
        return
    if not any(several.values()):
        from spark_jupyter.ui.cli.bench.measurement import measure, report

        click.echo(report(measure(settings_of(options), prompt=prompt, turns=turns), as_json=as_json))
        return
    from spark_jupyter.ui.cli.bench.bench_command import run

    click.echo(run(settings_of(options), turns=turns, prompt=prompt, as_json=as_json, **several))


@main.command()
@click.argument("recording", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="By default NAME-report.spark.jsonl."
)
def report(recording: Path, output: Path | None) -> None:
    """Make a bug report from a recording. It has no credentials, and the versions on this machine. Shows what is in it; sends nothing."""
    from spark_jupyter.recordings import bug_report
    from spark_jupyter.recordings.recording_file import encode, load
    from spark_jupyter.redaction.redactor import Redactor

    made = bug_report.make_report(load(recording), Redactor().withhold)
    output = output or recording.with_name(f"{recording.name.split('.')[0]}-report.spark.jsonl")
    try:
        with output.open("xb") as file:
            file.write(encode(made.header, made.exchanges))
    except OSError as error:
        raise click.ClickException(f"{output} can't be written: {error.strerror}.") from None
    click.echo(printable(f"{bug_report.summary(made)}\nWritten to {output}."))


@main.command()
def mcp() -> None:
    """Serve running notebooks to an agent. A Model Context Protocol server over standard input and output, for this user's notebooks."""
    try:
        from spark_jupyter.agents.mcp_server import make_server
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f'{error.name} is not installed. Install it with: pip install "spark-jupyter[mcp]"'
        ) from None
    make_server().run()


if __name__ == "__main__":
    main()
