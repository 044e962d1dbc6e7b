"""``make bench``: every benchmark that needs no browser, one after the other. ``--json`` prints one object; names choose some.
Further options go to the one that is named: ``python -m benchmarks guardrail --misses``; ``guardrail --help`` tells which it has.

Each prints ratios of things measured in the same run; absolute times are this machine's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = (
    "client",
    "first_use",
    "stream",
    "connection",
    "guardrail",
    "reality",
    "figures",
    "solutions",
    "recipes",
    "tables",
    "trial",
    "rehearsal",
    "checkpoints",
    "undoing",
    "moments",
    "race",
    "floods",
    "withholding",
    "agent_calls",
    "completions",
    "sessions",
)


def chosen(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The names and ``--json``, and after a single name the options of that benchmark."""
    single = arguments[0] if arguments and arguments[0] in NAMES else ""
    about = f"After a single NAME its own options may follow; they are told by: python -m benchmarks {single or 'NAME'} --help"
    parser = argparse.ArgumentParser(prog="python -m benchmarks", epilog=about, allow_abbrev=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all without one")
    parser.add_argument("--json", action="store_true", help="print one object, with a member for each benchmark")
    if single and not any(argument in NAMES for argument in arguments[1:]):
        further = [argument for argument in arguments[1:] if argument != "--json"]
        return argparse.Namespace(names=[single], json="--json" in arguments), further
    options = parser.parse_args(arguments)
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    return options, []


def main() -> None:
    """Run them."""
    options, further = chosen(sys.argv[1:])
    results = {}
    failed = []
    for name in options.names or NAMES:
        print(f"== {name}", file=sys.stderr, flush=True)
        command = [sys.executable, str(HERE / f"{name}.py"), *(["--json"] if options.json else []), *further]
        done = subprocess.run(command, stdout=subprocess.PIPE if options.json else None, text=True)
        if done.returncode:
            failed.append(name)
        elif options.json and "--help" not in further:
            results[name] = json.loads(done.stdout)
    if options.json:
        print(json.dumps(results, indent=2))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
