"""The command ``spark-jupyter course``: signed rules, and a report on a class."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import click

RULES = """\
# Rules of a course: spark-jupyter course sign puts them into notebooks. What a line leaves out is not limited.
decided_by = "the teacher of this course"  # named wherever something is refused
prompts = "hints"      # "on", "hints" or "off"
hints = 4              # furthest step of a hint: 1 question, 2 idea, 3 signature, 4 skeleton, 5 the whole
suggestions = false    # grey text while you type
attempts = false       # several answers at once
deep = false           # deep work
auto_run = false       # cells that run unasked
agents = false         # MCP tools and agents
# prompt_limit = 10    # prompts of each student
# log_prompts = true   # keep their text for you: students are told
# offline = true       # recorded answers and recipes alone
# models = ["gpt-5*"]  # patterns of the models that may answer
"""
_files = click.argument("notebooks", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))


@click.group()
def course() -> None:
    """Sign and verify the rules of a course. A teacher's rules go into notebooks, and hold while they are as they were signed."""


@course.command()
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default=Path(), help="By default this one.")
def init(folder: Path) -> None:
    """Make a secret key (course.key) and rules to be edited (course.toml), and show the public key."""
    from spark_jupyter.course_signature import new_key

    secret, public = new_key()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with open(os.open(folder / "course.key", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secret)
        with (folder / "course.toml").open("x", encoding="utf-8") as file:
            file.write(RULES)
    except OSError as error:
        raise click.ClickException(f"{error.filename} can't be written: {error.strerror}.") from None
    click.echo(f"Keep {folder / 'course.key'} secret. Edit {folder / 'course.toml'}, then sign your notebooks.")
    click.echo(f"Public key: {public}")


@course.command()
@_files
@click.option("--key", type=click.Path(dir_okay=False, path_type=Path), default=Path("course.key"), show_default=True)
@click.option(
    "--rules", type=click.Path(dir_okay=False, path_type=Path), default=Path("course.toml"), show_default=True
)
def sign(notebooks: tuple[Path, ...], key: Path, rules: Path) -> None:
    """Sign the rules into notebooks. Their first cells and their checks are signed too, and locked against slips; what Spark recorded in
    cells while you wrote the lesson is removed, hints that you tried among it. Open proposals stay."""
    import msgspec

    from spark_jupyter.config_files import config_text
    from spark_jupyter.course_signature import CourseRules, cells_to_sign, hashes_of
    from spark_jupyter.course_signature import sign as signed
    from spark_jupyter.protocol.constants import METADATA_KEY
    from spark_jupyter.protocol.notebook import raw_cells
    from spark_jupyter.typed_decoders import convert
    from spark_jupyter.ui.cli.notebook_files import read_notebook, write_notebook

    try:
        known = convert(tomllib.loads(config_text(rules)), CourseRules)
        secret = key.read_bytes()
    except OSError as error:
        raise click.ClickException(
            f"{error.filename or rules} can't be read: {error.strerror}. Make one: spark-jupyter course init"
        ) from None
    except ValueError as error:
        raise click.ClickException(f"{rules} can't be read: {error}.") from None
    for path in notebooks:
        notebook = read_notebook(path)
        cells = cells_to_sign(notebook)
        if not cells:
            raise click.ClickException(f"{path} has no cells, so its rules would fit every notebook.")
        for cell in raw_cells(notebook):
            metadata = cell.get("metadata")
            recorded = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
            if isinstance(metadata, dict) and not (isinstance(recorded, dict) and recorded.get("proposed")):
                metadata.pop(METADATA_KEY, None)
        for cell in cells:
            metadata = cell.get("metadata")
            cell["metadata"] = {
                **(metadata if isinstance(metadata, dict) else {}),
                "editable": False,
                "deletable": False,
            }
        named = {str(cell["id"]) for cell in cells}
        hashes = {cell_id: found for cell_id, found in hashes_of(notebook).items() if cell_id in named}
        metadata = notebook.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        said = metadata.get(METADATA_KEY)
        block = msgspec.to_builtins(signed(known, hashes, secret))
        spark = {**(said if isinstance(said, dict) else {}), "course": block}
        write_notebook(path, {**notebook, "metadata": {**metadata, METADATA_KEY: spark}})
        click.echo(f"{path}: signed with {len(hashes)} cell{'s' * (len(hashes) != 1)}")


@course.command()
@_files
@click.option("--key", help="The teacher's public key; without it any key counts.")
@click.pass_context
def verify(ctx: click.Context, /, notebooks: tuple[Path, ...], key: str | None) -> None:
    """Look whether notebooks are as they were signed. Exit code 1: one is not."""
    from spark_jupyter.author_rules import rules_of
    from spark_jupyter.course_signature import require_library
    from spark_jupyter.source.invisible_text import printable
    from spark_jupyter.ui.cli.notebook_files import read_notebook

    require_library()
    fine = True
    for path in notebooks:
        rules = rules_of(read_notebook(path), str(path))
        faults = [file.fault for file in rules.signed if file.fault]
        if not (rules.signed or faults):
            faults = [f"{path} is not signed."]
        elif not faults and key is not None and rules.keys != (key,):
            faults = [f"{path} is signed with another key."]
        fine = fine and not faults
        click.echo(" ".join(printable(faults[0] if faults else f"{path}: as it was signed").split()))
    ctx.exit(0 if fine else 1)


@course.command()
@_files
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("course-report"),
    show_default=True,
    help="Folder of cells.csv and report.html.",
)
@click.option("--prompts", is_flag=True, help="Put the prompts into cells.csv. Tell your students before.")
@click.pass_context
def report(ctx: click.Context, /, notebooks: tuple[Path, ...], output: Path, prompts: bool) -> None:
    """Report what was written, suggested, hinted and accepted in notebooks. Exit code 1: one could not be read."""
    from spark_jupyter.exceptions import NotebookError
    from spark_jupyter.review.course_report import as_csv, as_html, cells_of, checks_passed, hints_taken, shares
    from spark_jupyter.source.invisible_text import printable
    from spark_jupyter.ui.cli.notebook_files import read_notebook

    found = {}
    for path in notebooks:
        try:
            cells = found[str(path)] = cells_of(str(path), read_notebook(path))
        except NotebookError as error:
            click.echo(printable(f"Left out: {error}"), err=True)
            continue
        parts = ", ".join(f"{part.lines} {part.label}" for part in shares(cells))
        click.echo(printable(f"{path}: lines: {parts}; hints: {hints_taken(cells)}; checks: {checks_passed(cells)}"))
    try:
        output.mkdir(parents=True, exist_ok=True)
        all_cells = [cell for cells in found.values() for cell in cells]
        (output / "cells.csv").write_text(as_csv(all_cells, prompts=prompts), encoding="utf-8")
        (output / "report.html").write_text(as_html(found), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{error.filename} can't be written: {error.strerror}.") from None
    click.echo(f"Written to {output / 'cells.csv'} and {output / 'report.html'}.")
    ctx.exit(0 if len(found) == len(set(map(str, notebooks))) else 1)


@course.command()
@click.option(
    "--data",
    multiple=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Jupyter's data folder of a student; by default your own. May be given several times.",
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), default=Path("prompts.csv"), show_default=True
)
def log(data: tuple[Path, ...], output: Path) -> None:
    """Write the prompts that notebooks with log_prompts have logged. Their students were told."""
    from jupyter_core.paths import jupyter_data_dir

    from spark_jupyter.records.prompt_log import logged_prompts
    from spark_jupyter.review.course_report import table_as_csv

    folders = data or (Path(jupyter_data_dir()),)
    names = ("time", "person", "name", "notebook", "kind", "text")
    found = [(folder, entry) for folder in folders for entry in logged_prompts(folder / "spark_jupyter")]
    rows = [[str(folder), *(getattr(entry, name) for name in names)] for folder, entry in found]
    try:
        output.write_text(table_as_csv(("data", *names), rows), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"{output} can't be written: {error.strerror}.") from None
    click.echo(f"{len(found)} prompts written to {output}.")
