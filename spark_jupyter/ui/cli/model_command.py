"""The command ``spark-jupyter model``: models in files on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import click


def _folder(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path:
    """The folder of model files: the option, ``SPARK_MODELS``, else one in Jupyter's data."""
    from spark_jupyter.providers.profiles import folder_of_models

    return Path(folder_of_models(str(value or ""), os.environ)).expanduser().absolute()


_in_folder = click.option(
    "--folder",
    callback=_folder,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the files are; by default SPARK_MODELS, else a folder in Jupyter's data.",
)


@click.group()
def model() -> None:
    """List, download and remove models that run on this machine."""


@model.command("list")
@_in_folder
def list_(folder: Path) -> None:
    """List the models of the catalogue, those that are here, and the one for this machine."""
    from spark_jupyter.connection.model_download import catalogue
    from spark_jupyter.server.engines.llama_options import free_memory

    models = catalogue()
    free = free_memory()
    fitting = [name for name, one in models.items() if one.fits(free)]
    click.echo(f"{'name':<28}{'file':>8}{'memory':>10}{'context':>10}  licence")
    for name, one in models.items():
        notes = (
            ["here"] * one.path(folder).exists()
            + ["ghost text"] * one.fills_in
            + ["fits this machine"] * (name in fitting[-1:])
        )
        shown = f"  [{', '.join(notes)}]" if notes else ""
        sizes = f"{one.gigabytes:>5.1f} GB{one.memory:>7.1f} GB{one.context:>10,}"
        click.echo(f"{name:<28}{sizes}  {one.licence}{shown}")


@model.command()
@click.argument("name")
@_in_folder
def info(name: str, folder: Path) -> None:
    """Show what a model is good for, and what it needs."""
    from spark_jupyter.connection.model_download import known_model
    from spark_jupyter.server.engines.llama_options import statement_of

    one = known_model(name)
    click.echo(f"{one.title}: {one.good_for}.")
    click.echo(f"From {one.repository}, {one.file}; licence {one.licence}; window {one.context:,} tokens.")
    if one.path(folder).exists():
        click.echo(statement_of(one.path(folder)))
    else:
        click.echo(
            f"A file of about {one.gigabytes:.1f} GB, about {one.memory:.1f} GB of memory: spark-jupyter model get {name}"
        )


@model.command()
@click.argument("name")
@_in_folder
def get(name: str, folder: Path) -> None:
    """Download a model, and check it. A download that was interrupted goes on."""
    from spark_jupyter.connection.model_download import download, known_model

    one = known_model(name)
    path = download(one, folder)
    use = "%spark suggestions provider" if one.fills_in else "%spark model"
    click.echo(f"{one.title} is in {path}. Use it: {use} {path}")


@model.command()
@click.argument("name")
@_in_folder
def rm(name: str, folder: Path) -> None:
    """Remove a model's file."""
    from spark_jupyter.connection.model_download import known_model

    path = known_model(name).path(folder)
    if not path.exists():
        raise click.ClickException(f"{name} is not in {folder}.")
    path.unlink()
    click.echo(f"Removed {path}.")
