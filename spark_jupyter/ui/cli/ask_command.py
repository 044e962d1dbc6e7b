"""The command ``spark-jupyter ask``: its options, checked and handed on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from spark_jupyter.standard_error import tell
from spark_jupyter.ui.cli.command_group import provider_options, settings_of


@click.command()
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
@provider_options
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
    from jupyter_core.paths import jupyter_data_dir

    from spark_jupyter.author_rules import file_rules
    from spark_jupyter.engine.configuration import Options
    from spark_jupyter.engine.engine import Engine
    from spark_jupyter.engine.kernel_access import Checks, Kernel
    from spark_jupyter.policy import load_policy
    from spark_jupyter.protocol.deep_messages import ChooseDeep
    from spark_jupyter.protocol.provider_messages import Configure
    from spark_jupyter.routing.link import linker
    from spark_jupyter.sandbox import unavailable
    from spark_jupyter.sandbox.notebook_trials import FileTrials
    from spark_jupyter.ui.cli.ask import Question, ask
    from spark_jupyter.ui.text import words

    policy = load_policy()
    if options["run"]:
        policy.refuse("auto_run")
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
        linker(settings_of(options), warn=tell),
        kernel=Kernel(checks=checks),
        options=Options(
            own=Configure(deep=ChooseDeep(model=options["deep_model"])),
            policy=policy,
            log_folder=Path(jupyter_data_dir()) / "spark_jupyter",
        ),
    )
    engine.restrict(file_rules(str(question.notebook or "")))
    info = engine.read(lambda _: engine.policy_info(None))
    for told in filter(None, (words.logged_text(info), words.left_text(info))):
        tell(told)
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
