"""Write the rules' pages, docs/rules, from the rules; with --check only say whether they are as they should be."""

from __future__ import annotations

import sys
from pathlib import Path

from spark_jupyter.guardrail.rule_pages import FOLDER, index, page
from spark_jupyter.guardrail.rules import RULES, why
from spark_jupyter.reality import rule_explanations as reality

ROOT = Path(__file__).parent.parent


def main() -> int:
    """0 where every page is as the rules say; without --check it is written and then so."""
    wanted = {f"{rule.id}.md": page(rule, why(rule.id)) for rule in RULES.rules} | {"README.md": index(RULES.rules)}
    wanted |= {f"{rule.value}.md": reality.page(rule) for rule in reality.EXPLANATIONS}
    wanted["README.md"] += reality.index()
    folder = ROOT / FOLDER
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    if there == wanted:
        return 0
    if "--check" in sys.argv[1:]:
        changed = sorted(name for name in there.keys() | wanted.keys() if there.get(name) != wanted.get(name))
        print(f"{FOLDER} is not as the rules say ({', '.join(changed[:5])}): make codegen", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name in there.keys() - wanted.keys():
        (folder / name).unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"wrote {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
