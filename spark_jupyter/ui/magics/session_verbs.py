"""Verbs for the model, the provider and the state of the session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.provider_messages import SelectModel
from spark_jupyter.providers.profile import GGUF, RECORDING, refuse_other_file
from spark_jupyter.ui.magics.deep_verbs import choose_deep
from spark_jupyter.ui.magics.verb_table import verb
from spark_jupyter.ui.text import words

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb(
    "show the model, or choose one: NAME, FILE.gguf to run it here, or a recording; --tier NAME: how fast; --deep: for deep work",
    "word",
)
def model(pair: Pair, line: MagicLine) -> None:
    """Show or choose the model."""
    if line.options.deep:
        choose_deep(pair, ChooseDeep(model=line.text or None, effort=line.options.effort, tier=line.options.tier))
        return
    if line.text.endswith((GGUF, RECORDING)):
        if line.text.endswith(GGUF):
            print(pair.model_statement(line.text), flush=True)
        print(pair.run_model(line.text))
        return
    refuse_other_file(line.text)
    tier = line.options.tier
    if line.text or tier is not None:
        pair.say(SelectModel(model=line.text or pair.engine.read(lambda session: session.model), tier=tier))
    from spark_jupyter.ui.text.status_text import model_text

    link = pair.engine.wait_until_connected(5)
    chosen, served = pair.engine.read(lambda session: (session.model, session.jobs.tier))
    print(model_text(line.text or chosen, link, tier=served if tier is None else tier))


@verb("show the provider, or choose one by its profile: ollama, openai, …; --deep: for deep work", "word")
def provider(pair: Pair, line: MagicLine) -> None:
    """Show or choose the provider."""
    if line.options.deep:
        from spark_jupyter.routing.link import known_profile

        choose_deep(pair, ChooseDeep(profile=known_profile(line.text) if line.text else None))
        return
    link = pair.engine.wait_until_connected(5) if not line.text else None
    print(pair.use(line.text) if line.text else link.banner if link else words.NOT_CONNECTED)


@verb("show whose pasted keys are kept, and where; with a provider's profile or URL: forget its key", "word")
def forget_key(pair: Pair, line: MagicLine) -> None:
    """Show the kept keys, or forget one."""
    from spark_jupyter.engine import provider_choice

    print(provider_choice.forget_key(line.text))


@verb("list the models of the provider", "nothing")
def models(pair: Pair, line: MagicLine) -> None:
    """List the models."""
    from spark_jupyter.ui.text.status_text import models_text

    print(models_text(pair.engine.models(), files=pair.model_files()))


@verb("show what is connected, proposed, found and withheld, and what was spent", "nothing")
def status(pair: Pair, line: MagicLine) -> None:
    """Show the state of the session."""
    from spark_jupyter.plugins import plugin_faults
    from spark_jupyter.ui.text.meter_text import spent_text
    from spark_jupyter.ui.text.status_text import status_text

    engine, why = pair.engine, pair.engine.hello().rehearsal_unavailable
    print(engine.read(lambda it: status_text(it, engine.link, silent_tools=pair.silent_tools, no_rehearsal=why)))
    info = engine.read(lambda _: engine.policy_info(None))
    print(spent_text(engine.read(lambda _: pair.spending.total())))
    print(
        "\n".join(
            [
                *pair.checkpoints.status(),
                *(f"policy: {line}" for line in engine.policy.lines),
                *filter(None, (words.left_text(info), words.logged_text(info))),
                *map(str, plugin_faults()),
            ]
        )
    )
    if pair.preferences.live:
        print(words.LIVE_ON)


@verb("show the AGENTS.md files that go along with prompts, and the skills that /NAME adds to one; on or off", "switch")
def rules(pair: Pair, line: MagicLine) -> None:
    """Show the project's rules and skills, or switch the rules on or off."""
    from spark_jupyter.ui.text.rule_text import rules_text

    if line.text:
        pair.preferences.rules = line.text
    print(rules_text(pair.engine.project_rules()))


@verb(
    "FILE: record what the model answers, without credentials, to replay it (%spark model FILE); off: stop recording",
    "word",
)
def record(pair: Pair, line: MagicLine) -> None:
    """Record into a file, or say what is recorded."""
    if line.text == "off":
        pair.engine.record(None)
    elif line.text:
        named = os.path.expanduser(line.text)
        is_whole = named.endswith(RECORDING) or (
            os.path.exists(named) and not os.path.isfile(named)
        )  # said as it is named
        pair.engine.record(Path(named if is_whole else f"{named}{RECORDING}"))
    print(words.recording_line(*pair.engine.recording))


@verb("show the panel made of widgets, where there is no JupyterLab extension", "nothing")
def panel(pair: Pair, line: MagicLine) -> None:
    """Show the widget."""
    from IPython.display import display

    from spark_jupyter.ui.widget import panel as make_panel

    display(make_panel(pair))


@verb("on: load this extension in every new kernel and shell of your IPython profile; off: not any more", "switch")
def autoload(pair: Pair, line: MagicLine) -> None:
    """Switch the loading of the extension on or off, and say how it is set."""
    from spark_jupyter.ui.autoload import is_on, switch

    interactive: Any = pair.shell.interactive
    profile = Path(interactive.profile_dir.location)
    if line.text:
        switch(profile, on=line.text == "on")
    print(words.AUTOLOAD_ON if is_on(profile) else words.AUTOLOAD_OFF)


@verb("on: propose a fix after every exception; off (the default): only after %spark fix", "switch")
def live(pair: Pair, line: MagicLine) -> None:
    """Switch fixes that nobody asked for on or off."""
    if line.text:
        pair.preferences.live = line.text == "on"
    print(words.LIVE_ON if pair.preferences.live else words.LIVE_OFF)
