"""``spark-jupyter doctor``: what works here, and what to do about the rest."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from spark_jupyter import __version__
from spark_jupyter.engine.provider_choice import looked_at
from spark_jupyter.exceptions import SparkError
from spark_jupyter.policy import load_policy
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker

if TYPE_CHECKING:
    from spark_jupyter.sandbox import Checkpoints


class Fact(Struct, frozen=True, kw_only=True):
    """One thing that was looked at. ``needed``: without it the main job does not work."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    needed: bool = False


def examine(settings: Settings) -> list[Fact]:
    """Look at everything. Raises nothing: what fails is a fact."""
    looks: list[Callable[[], Fact]] = [
        _python,
        _kernel,
        _labextension,
        _server_extension,
        _policy,
        _plugins,
        lambda: _provider(settings),
        _keys,
        _guardrail,
        _linters,
        _try,
        _walls,
        _checkpoints,
    ]
    return [look() for look in looks]


def report(facts: list[Fact], *, as_json: bool) -> str:
    """The facts as text, or as JSON."""
    if as_json:
        return json.dumps(msgspec.to_builtins(facts), indent=2)
    lines = [f"spark_jupyter {__version__}"]
    for fact in facts:
        lines.append(f"{'ok' if fact.ok else '!!' if fact.needed else '--'}  {fact.name}: {fact.detail}")
        if fact.remedy and not fact.ok:
            lines.append(f"      {fact.remedy}")
    return "\n".join(lines)


def _python() -> Fact:
    version = ".".join(map(str, sys.version_info[:3]))
    return Fact(
        name="Python",
        ok=sys.version_info >= (3, 11),
        detail=version,
        remedy="spark_jupyter needs Python 3.11 or later.",
        needed=True,
    )


def _kernel() -> Fact:
    version = importlib.metadata.version("ipykernel")
    subshells = int(version.split(".")[0]) >= 7
    return Fact(
        name="ipykernel",
        ok=subshells,
        detail=version + (" (commands work while a cell runs)" if subshells else ""),
        remedy="Steer and cancel wait for the running cell with this version: pip install 'ipykernel>=7'.",
    )


def _labextension() -> Fact:
    from jupyter_core.paths import jupyter_path

    folders = [Path(folder, "labextensions", "spark-jupyter") for folder in jupyter_path()]
    found = next((folder for folder in folders if (folder / "package.json").exists()), None)
    return Fact(
        name="JupyterLab extension",
        ok=found is not None,
        detail=str(found) if found else "not installed here",
        remedy="Install the package with pip, not from its sources only. %spark panel works without it.",
    )


def _server_extension() -> Fact:
    from jupyter_core.paths import jupyter_config_path

    folders = [Path(folder, "jupyter_server_config.d", "spark_jupyter.json") for folder in jupyter_config_path()]
    found = any(file.exists() for file in folders)
    return Fact(
        name="server extension",
        ok=found,
        detail="enabled" if found else "not enabled here",
        remedy="Cells grow less smoothly without it: jupyter server extension enable spark_jupyter.serverextension.",
    )


def _policy() -> Fact:
    policy = load_policy()
    faults = [file.fault for file in policy.files if file.fault]
    detail = "; ".join(policy.lines) or "none is in force"
    return Fact(name="policy", ok=not faults, detail=detail, remedy=" ".join(faults), needed=True)


def _plugins() -> Fact:
    """Each group is loaded, so that what can't be is known."""
    from spark_jupyter.plugins import installed_plugins, plugin_faults
    from spark_jupyter.providers.profiles import load_profiles
    from spark_jupyter.server.engines import engines

    for module in ("guardrail.rules", "sandbox.surprises.rules", "ui.magics.verbs"):
        importlib.import_module(f"spark_jupyter.{module}")
    load_profiles()
    engines()
    faults = plugin_faults()
    names = ", ".join(installed_plugins()) or "none"
    return Fact(name="plug-ins", ok=not faults, detail=names, remedy=" ".join(map(str, faults)))


def _provider(settings: Settings) -> Fact:
    async def connect() -> str:
        begin = time.perf_counter()
        link, models, service = await looked_at(linker(settings))
        took = time.perf_counter() - begin
        return f"{link.banner} Connected in {took:.2f} s; {len(models)} model(s) listed. {service}".strip()

    try:
        return Fact(name="provider", ok=True, detail=asyncio.run(connect()), needed=True)
    except SparkError as error:
        return Fact(name="provider", ok=False, detail=error.message, remedy=error.remedy, needed=True)


def _keys() -> Fact:
    from spark_jupyter.connection.kept_keys import own_keys, system_keyring

    found = system_keyring() is not None
    return Fact(
        name="pasted keys",
        ok=found,
        detail=f"are kept in {own_keys('Jupyter’s server').place()}",
        remedy="They are asked for again when Jupyter restarts. To keep them: pip install 'spark-jupyter[keyring]' and a system's keyring.",
    )


def _guardrail() -> Fact:
    from spark_jupyter.guardrail import check

    ok = any(finding.blocks for finding in check("import os\nos.system(input())\n"))
    return Fact(
        name="guardrail",
        ok=ok,
        detail="finds its test case" if ok else "misses its test case",
        remedy="Install the package again.",
        needed=True,
    )


def _linters() -> Fact:
    from spark_jupyter.review.linters import TOOLS, canary

    silent = [name for name in TOOLS if not canary(name)]
    return Fact(
        name="linters",
        ok=not silent,
        detail=f"{', '.join(silent)} miss their test cases" if silent else f"{', '.join(TOOLS)} find their test cases",
        remedy=f"The guardrail works without; to have them too: pip install {' '.join(silent)}.",
    )


def _try() -> Fact:
    ok = hasattr(os, "fork")
    return Fact(
        name="Try",
        ok=ok,
        detail="this system can fork a kernel" if ok else "this system can't fork a kernel",
        remedy="Proposals can be read, diffed and run, but not rehearsed.",
    )


def _walls() -> Fact:
    from spark_jupyter.sandbox import KernelTrials
    from spark_jupyter.sandbox.notebook_trials import empty_shell
    from spark_jupyter.sandbox.walls import enforced
    from spark_jupyter.sandbox.walls.canaries import CANARIES, broken_walls

    down = broken_walls(KernelTrials(empty_shell()))
    holding = [name for name in CANARIES if name not in down]
    detail = [f"{', '.join(holding)} hold" if holding else "", f"{', '.join(down)} do not hold" if down else ""]
    return Fact(
        name="walls of a copy",
        ok=not down,
        detail="; ".join(filter(None, detail)),
        remedy=f"Only what you ask for is run in a copy. {enforced().missing}".strip(),
    )


def _took(checkpoints: Checkpoints, shell: Any) -> float:
    shell.run_cell("None", store_history=True)
    return checkpoints.last


def _checkpoints() -> Fact:
    """One is taken of this process while it holds a quarter of a GB."""
    from spark_jupyter.sandbox import no_rehearsal
    from spark_jupyter.sandbox.checkpoints.checkpoint_costs import Budget, size_text
    from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
    from spark_jupyter.sandbox.checkpoints.moments import RECENT
    from spark_jupyter.sandbox.memory_usage import free, resident
    from spark_jupyter.sandbox.notebook_trials import empty_shell

    if reason := no_rehearsal():
        return Fact(name="checkpoints", ok=False, detail="none are taken", remedy=reason)
    held = bytearray(b"x") * (256 << 20)
    shell, budget = empty_shell(), Budget()
    checkpoints = Checkpoints(shell, budget=budget)
    try:
        took = min(_took(checkpoints, shell) for _ in range(4)) * 1000
    finally:
        checkpoints.close()
    room = free()
    most = f", {size_text(int(budget.share * room))} now" if room is not None else ""
    detail = f"one keeps a cell waiting for {took:.0f} ms where the kernel holds {size_text(resident())}"
    kept = f"the last {RECENT} are kept, and fewer of those before, in at most {budget.share:.0%} of the memory that is free{most}"
    del held
    return Fact(name="checkpoints", ok=True, detail=f"{detail}; {kept}")
