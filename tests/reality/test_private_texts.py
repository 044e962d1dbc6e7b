"""Findings that name what is missing, and credentials of the kernel that code turns round."""

from __future__ import annotations

import types
from dataclasses import dataclass

import pandas as pd
import pytest

from spark_jupyter.reality import Checker

# Built from parts, so that no scanner takes this file for a leak.
SECRET = "zq-" + "Hunter2" + "SecretPw9"
TURNED = (
    "{0}",
    "{0}.swapcase()",
    "{0}.replace('-', '_').upper()",
    "'/'.join({0}.split('e'))",
    "'x' + {0}.lower()",
    "f'{{{0}}}x'",
    "{0}.partition('-')[2]",
    "(lambda text: text.swapcase())({0})",
)
USES = (
    "df[{0}]",
    "df.agg({0})",
    "df.assign(**{{{0}: 1}})['zz']",
    "df.rename(columns={{'a': {0}}})['zz']",
    "made = {{{0}: 1}}\nmade['q']",
    "open({0} + '.csv')",
    "df.sort_values('a', kind={0})",
)


@dataclass
class Settings:
    api_key: str


class Shop:
    password = SECRET


def namespace(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.setenv("SHOP_API_KEY", SECRET)
    module = types.ModuleType("keys_of_shop")
    module.TOKEN = SECRET
    return {
        "api_key": SECRET,
        "x": SECRET,  # the environment says what it is
        "address": f"https://me:{SECRET}@example.com/shop",
        "settings": Settings(SECRET),
        "shop": Shop(),
        "keys_of_shop": module,
        "df": pd.DataFrame({"a": [1]}),
    }


@pytest.mark.parametrize("use", USES)
def test_no_finding_tells_a_credential_of_the_kernel_however_code_turns_it_round(use, monkeypatch):
    names = namespace(monkeypatch)
    for place in ("api_key", "x", "address", "settings.api_key", "shop.password", "keys_of_shop.TOKEN"):
        for turned in TURNED:
            checker = Checker(names, helper=False)
            found = [*checker.feed(f"{use.format(turned.format(place))}\n"), *checker.flush()]
            said = " ".join(f"{one.message} {one.remedy} {one.wrong} {one.meant}" for one in found).lower()
            assert not [part for part in ("hunt", "r2s", "pw9") if part in said], (place, turned)


def test_no_finding_tells_what_a_cell_above_calls_a_credential():
    names = {"df": pd.DataFrame({"a": [1]})}
    for above in (
        f'password = "{SECRET}"',
        f'user, password = "a", "{SECRET}"',
        f'for password in ["{SECRET}"]:\n    pass',
    ):
        checker = Checker(names, earlier=[f"{above}\n"], helper=False)
        assert [*checker.feed("df[password.swapcase()]\n"), *checker.flush()] == []


def test_no_finding_lists_the_credentials_in_a_column():
    users = pd.DataFrame({"password": [SECRET, "Win-" + "7er"], "kind": ["new", "old"], "n": [1, 2], "i": [1, 2]})
    for column, told in (("password", False), ("kind", True)):
        checker = Checker({"users": users}, helper=False)
        text = f"wide = users.pivot(index='i', columns='{column}', values='n')\nwide['zz']\n"
        found = [*checker.feed(text), *checker.flush()]
        assert bool(found) is told
    assert "new, old" in found[0].remedy


def test_other_texts_of_the_kernel_are_known():
    names = {"column": "prise", "key": "prise", "df": pd.DataFrame({"price": [1]})}
    for name in ("column", "key"):
        checker = Checker(names, helper=False)
        found = [*checker.feed(f"df[{name}]\n"), *checker.flush()]
        assert [one.message for one in found] == ["The DataFrame has no column `prise`."]
