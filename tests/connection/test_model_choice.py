"""The default model: chosen from the provider's own list, and its end said."""

from __future__ import annotations

import asyncio
import datetime
import json
from typing import Any

import pytest

from spark_jupyter.connection.discovery import look
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.model_choice import preferred, retirement
from spark_jupyter.providers.model_list import read_models
from spark_jupyter.providers.profile import Profile, Retirement
from spark_jupyter.providers.profiles import Choice, Settings, choose, load_profiles
from tests.connection.http_peers import Writer
from tests.connection.peers import http_peer, reply

TODAY = datetime.date(2026, 11, 26)
FAMILIES = (r"m-\d+(\.\d+)?-sol", r"m-\d+")
PINNED = Profile(
    name="test",
    model="m-5",
    families=FAMILIES,
    dialect="chat",
    retired={
        "old": Retirement(on=datetime.date(2026, 5, 15), successor="m-6-sol"),
        "m-5": Retirement(on=datetime.date(2999, 1, 1)),
    },
)


@pytest.mark.parametrize(
    ("listed", "chosen"),
    [
        (["m-5", "m-6-sol", "m-6.2-sol", "m-6.10-sol", "m-9-luna"], "m-6.10-sol"),
        (["m-4", "m-7"], "m-7"),
        (["another"], "m-5"),
        ([], "m-5"),
    ],
)
def test_the_newest_of_the_first_family_is_chosen(listed: list[str], chosen: str) -> None:
    assert preferred(PINNED, [ModelInfo(id=each) for each in listed], today=TODAY) == chosen


def test_a_model_that_ends_soon_is_not_chosen() -> None:
    listed = [ModelInfo(id="m-7-sol", retires="2026-12-01"), ModelInfo(id="m-6-sol", retires="2027-12-01")]
    assert preferred(PINNED, listed, today=TODAY) == "m-6-sol"


def test_the_end_of_a_model_is_said_with_its_successor() -> None:
    assert retirement(PINNED, "old", today=TODAY) == "old was retired on 15 May 2026. Use %spark model m-6-sol."
    assert "will be retired on 1 December 2026" in retirement(PINNED, "old", "2026-12-01T00:00:00Z", today=TODAY)
    assert retirement(PINNED, "m-6-sol", "soon", today=TODAY) == ""


@pytest.mark.parametrize("field", ["shutdown_date", "retires_at", "deprecation", "expiration_date"])
def test_the_end_of_a_model_is_read_from_each_list(field: str) -> None:
    (model,) = read_models(json.dumps({"data": [{"id": "m", field: "2026-12-01T00:00:00Z"}]}).encode())
    assert model.retires == "2026-12-01"


def looked(body: dict[str, Any], **settings: str) -> Choice:
    async def answer(writer: Writer, method: str, path: str, _: bytes) -> None:
        reply(writer, json.dumps(body).encode())

    async def run() -> Choice:
        async with http_peer(answer) as server:
            profile = Profile(
                **{**{name: getattr(PINNED, name) for name in PINNED.__struct_fields__}, "base_url": server.url}
            )
            chosen = choose(profiles={"test": profile}, settings=Settings(profile="test", **settings))
            assert chosen is not None
            return await look(chosen)

    return asyncio.run(run())


def test_the_model_comes_from_the_list_and_one_that_was_named_stays() -> None:
    body = {"data": [{"id": "m-6-sol"}, {"id": "m-6.1-sol"}, {"id": "old", "shutdown_date": "2026-05-15"}]}
    chosen = looked(body)
    assert chosen.model == "m-6.1-sol"
    assert "m-6.1-sol" in chosen.banner
    named = looked(body, model="old")
    assert named.model == "old"
    assert named.notice == "old was retired on 15 May 2026. Use %spark model m-6-sol."


def test_without_a_list_the_profile_s_own_model_is_taken() -> None:
    assert looked({"error": "no"}).model == "m-5"


def test_no_profile_has_a_default_that_has_ended() -> None:
    for profile in load_profiles().values():
        assert retirement(profile, profile.model, today=TODAY) == "", profile.name
        for ended in profile.retired.values():
            assert retirement(profile, ended.successor, today=TODAY) == "", profile.name


def test_a_key_that_is_there_for_other_reasons_chooses_nothing() -> None:
    assert choose(profiles=load_profiles(), environ={"HF_TOKEN": "hf_abcdefgh"}) is None
