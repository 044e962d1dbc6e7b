"""Each mend by its pair: what it makes of the weak code, and that it leaves alone what only looks like it."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import Policy, check, fixes, learn
from spark_jupyter.guardrail.fixes import MENDERS, mended
from spark_jupyter.guardrail.rules import RULES

MENDED = {
    "unsafe-deserialisation": [
        (
            'import yaml\nd = yaml.load(open("a.yml"), Loader=yaml.Loader)  # read\n',
            'import yaml\nd = yaml.safe_load(open("a.yml"))  # read\n',
        ),
        (
            "import yaml\nd = yaml.load(\n    text,\n    yaml.UnsafeLoader,\n)\n",
            "import yaml\nd = yaml.safe_load(\n    text,\n)\n",
        ),
        ("import yaml\nd = list(yaml.load_all(text))\n", "import yaml\nd = list(yaml.safe_load_all(text))\n"),
    ],
    "weak-hash": [
        (
            "import hashlib\ndef file_checksum(data):\n    return hashlib.md5(data).hexdigest()\n",
            "import hashlib\ndef file_checksum(data):\n    return hashlib.md5(data, usedforsecurity=False).hexdigest()\n",
        ),
        (
            "import hashlib\ndef cache_key():\n    h = hashlib.sha1()\n",
            "import hashlib\ndef cache_key():\n    h = hashlib.sha1(usedforsecurity=False)\n",
        ),
    ],
    "archive-extraction": [
        (
            'import tarfile\nwith tarfile.open("a.tar") as tar:\n    tar.extractall("out")\n',
            'import tarfile\nwith tarfile.open("a.tar") as tar:\n    tar.extractall("out", filter="data")\n',
        ),
        (
            'import shutil\nshutil.unpack_archive("a.tar")\n',
            'import shutil\nshutil.unpack_archive("a.tar", filter="data")\n',
        ),
    ],
    "predictable-random": [
        (
            '"""Doc."""\nimport random\ndef token():\n    return "".join(random.choice(chars) for _ in a)\n',
            '"""Doc."""\nimport secrets\nimport random\ndef token():\n    return "".join(secrets.choice(chars) for _ in a)\n',
        ),
        (
            "import random, secrets\nimport secrets\ndef otp_code():\n    return random.randint(1000, 9999)\n",
            "import random, secrets\nimport secrets\ndef otp_code():\n    return secrets.SystemRandom().randint(1000, 9999)\n",
        ),
    ],
    "shell-without-need": [
        (
            'import subprocess\nsubprocess.run("git log -3", shell=True, check=True)\n',
            'import subprocess\nsubprocess.run(["git", "log", "-3"], check=True)\n',
        ),
        (
            '%matplotlib inline\nimport subprocess\n!ls\nsubprocess.run("git log é", shell=True)\n',
            '%matplotlib inline\nimport subprocess\n!ls\nsubprocess.run(["git", "log", "é"])\n',
        ),
    ],
    "command-injection": [
        (
            'import subprocess\nhost = input()\nsubprocess.run(f"ping -c 1 {host}", shell=True, check=True)\n',
            'import subprocess\nhost = input()\nsubprocess.run(["ping", "-c", "1", str(host)], check=True)\n',
        ),
        (
            'import subprocess\nn = input()\nsubprocess.call(f"convert a.png -size={n}x{n} b.png", shell=True)\n',
            'import subprocess\nn = input()\nsubprocess.call(["convert", "a.png", f\'-size={n}x{n}\', "b.png"])\n',
        ),
    ],
}
LEFT = (
    "import hashlib\ndef store(password):\n    return hashlib.md5(password).hexdigest()\n",  # there it is meant to protect
    'import subprocess\nsubprocess.run("ls | wc -l", shell=True)\n',
    'import subprocess\nname = input()\nsubprocess.run(f"{name} --help", shell=True)\n',
    'import subprocess\nname = input()\nsubprocess.run(f"LANG=C ls {name}", shell=True)\n',
    "import subprocess\nname = input()\nsubprocess.run(f\"ls '{name}'\", shell=True)\n",
    "from yaml import load\nload(open('a.yml'))\n",
    "import yaml\nyaml.load(open('a.yml'))  # spark: allow unsafe-deserialisation own file\n",
    'import zipfile\nz = zipfile.ZipFile(request.files["f"])\nz.extractall("out")\n',
    "import yaml\nyaml.load(text\n",
)
EXAMPLES = [(rule, *pair) for rule, pairs in MENDED.items() for pair in pairs]


@pytest.mark.parametrize(("rule", "weak", "good"), EXAMPLES)
def test_a_mend_takes_the_finding_away_and_nothing_else(rule: str, weak: str, good: str) -> None:
    source, gone = mended(weak)
    assert source == good
    assert [finding.rule for finding in gone] == [rule]
    assert not any(finding.blocks for finding in check(source))
    assert mended(source) == (source, [])


@pytest.mark.parametrize("source", LEFT)
def test_what_a_person_must_decide_is_left(source: str) -> None:
    assert mended(source) == (source, [])


def test_every_mend_has_its_pair_and_its_rule() -> None:
    assert MENDERS.keys() == MENDED.keys()
    assert MENDERS.keys() <= RULES.by_id.keys()


def test_several_are_mended_in_one_go_with_one_import() -> None:
    weak = "import random\ndef token():\n    return random.choice('ab') + random.choice('cd')\n"
    weak += "def password():\n    return random.choice('ab')\n"
    source, gone = mended(weak)
    assert source.count("secrets.choice") == 3
    assert source.count("import secrets") == 1
    assert {finding.rule for finding in gone} == {"predictable-random"}


def test_what_earlier_cells_established_counts() -> None:
    context = learn("import subprocess\nhost = input()")
    source, _ = mended('subprocess.run(f"ping {host}", shell=True)', context=context)
    assert source == 'subprocess.run(["ping", str(host)])'


def test_a_policy_that_takes_the_power_to_block_leaves_mending_as_it_is() -> None:
    weak, good = MENDED["command-injection"][0]
    assert mended(weak, policy=Policy(severities={"command-injection": "warn"}))[0] == good


def test_many_are_mended_by_few_checks_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[str] = []
    judge = fixes._findings
    monkeypatch.setattr(fixes, "_findings", lambda source, *rest: checks.append(source) or judge(source, *rest))
    weak = "import yaml\n" + "x = yaml.load(f, Loader=yaml.Loader)\n" * 40
    better, gone = fixes.mended(weak)
    assert (len(gone), better.count("safe_load(f)")) == (40, 40)
    assert len(checks) == 2


def test_in_a_long_cell_few_mends_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[str] = []
    monkeypatch.setattr(fixes, "_LINES_LIMIT", 100)
    judge = fixes._findings
    monkeypatch.setattr(fixes, "_findings", lambda source, *rest: checks.append(source) or judge(source, *rest))
    fixes.mended("import yaml\n" + "x = yaml.load(f, Loader=yaml.Loader)\n" * 60 + "x = (\n")
    assert len(checks) <= 3
