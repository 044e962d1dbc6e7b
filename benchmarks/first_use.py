"""Cost of ``%load_ext`` over a bare IPython, and the wait for a fresh kernel's first answer without a model.

Printed by ``make bench``; ``--json`` prints one object. Absolute times depend on the machine and on its other work, so the bare IPython is
measured in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
READING = 3.0
"""Seconds between loading and the first prompt: a person reads or types meanwhile."""
PROMPT = "plot a histogram"

_SHELL = (
    "import os, time; from IPython.core.interactiveshell import InteractiveShell; import ipykernel.ipkernel;"
    "shell = InteractiveShell.instance(); shell.run_cell('None'); begin = time.process_time();"
    "{statement}; loaded = time.process_time(); print(begin, loaded, flush=True); os._exit(0)"
)
BARS = {"load_ext_cpu_ms": "≤ 150", "first_text_ms_median": "≤ 150"}


def loading() -> dict[str, float]:
    """CPU milliseconds of a bare shell and of loading the extension in it: medians."""
    bare, loads = [], []
    for _ in range(ROUNDS):
        code = _SHELL.format(statement="shell.run_line_magic('load_ext', 'spark_jupyter')")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        begin, loaded = map(float, done.stdout.split()[-2:])
        bare.append(begin * 1000)
        loads.append((loaded - begin) * 1000)
    shell, load = statistics.median(bare), statistics.median(loads)
    return {"bare_ipython_cpu_ms": shell, "load_ext_cpu_ms": load, "load_ext_ratio": (shell + load) / shell}


def first_answers(rounds: int = ROUNDS) -> dict[str, float]:
    """Milliseconds from Enter to the first text in fresh kernels with a fresh embedded server, and to the end of the answer."""
    firsts, wholes = zip(*(_first_answer() for _ in range(rounds)), strict=True)
    return {
        "first_text_ms_median": statistics.median(firsts),
        "first_text_ms_worst": max(firsts),
        "first_answer_ms_median": statistics.median(wholes),
    }


def _first_answer() -> tuple[float, float]:
    from jupyter_client.manager import KernelManager

    with tempfile.TemporaryDirectory() as folder:
        names = {
            name: f"{folder}/{name.lower()}" for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR")
        }
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel(env={**os.environ, **names}, cwd=folder)
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            client.execute_interactive("%load_ext spark_jupyter", timeout=60)
            time.sleep(READING)
            return _timed(client)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def _timed(client) -> tuple[float, float]:  # type: ignore[no-untyped-def]  # jupyter_client has no types
    begin = time.perf_counter()
    content = {"code": f"%pair {PROMPT}", "silent": False, "allow_stdin": True, "stop_on_error": True}
    request = client.session.msg(
        "execute_request", content, metadata={"cellId": "prompt"}
    )  # as of a notebook, not of a console
    client.shell_channel.send(request)
    first = 0.0
    while time.perf_counter() - begin < 60:
        message = client.get_iopub_msg(timeout=60)
        if message["msg_type"] != "update_display_data":
            continue
        text = message["content"]["data"]["text/plain"]
        now = (time.perf_counter() - begin) * 1000
        if not first and "From the recipe" in text:
            first = now
        if "completed" in text or "refused" in text:
            return first or now, now
    raise TimeoutError("The answer did not end.")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    figures = {**loading(), **first_answers()}
    if parser.parse_args().json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:28} {value:10,.1f}   {BARS.get(name, '')}")


if __name__ == "__main__":
    main()
