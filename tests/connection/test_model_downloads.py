"""Downloads of model files that were asked for in the panel."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress

import psutil
import pytest

from spark_jupyter.connection.model_downloads import downloading, offers
from spark_jupyter.protocol.provider_messages import ModelDownload
from tests.model_hub import DATA, FILE, NAME, serving

pytest.importorskip("huggingface_hub")


def downloaded(folder, name=NAME, *, allowed=True):
    async def told():
        return [one async for one in downloading(name, folder, allowed=allowed)]

    return asyncio.run(told())


def command_line(process):
    """Empty where it has ended: other tests' processes may end at any moment."""
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def test_a_model_is_downloaded_and_offered_with_its_path(model_hub, tmp_path):
    folder = tmp_path / "models"
    before = next(one for one in offers(folder) if one.name == NAME)
    *_, last = downloaded(folder)
    assert last == ModelDownload(name=NAME, done=True)
    assert (folder / FILE).read_bytes() == DATA
    after = next(one for one in offers(folder) if one.name == NAME)
    assert (before.path, after.path) == ("", str(folder / FILE))
    assert sum(one.fits for one in offers(folder)) <= 1


def test_the_users_token_goes_to_the_hub_and_not_to_where_it_keeps_its_files(model_hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with serving() as storage:
        model_hub.elsewhere = storage.url
        assert downloaded(tmp_path)[-1].done
        assert (model_hub.tokens[-1], set(storage.tokens)) == ("Bearer hf_secret", {None})
    model_hub.elsewhere = ""
    assert downloaded(tmp_path / "again")[-1].done
    assert model_hub.tokens[-1] == "Bearer hf_secret"  # that of the file itself


def test_one_that_is_stopped_ends_its_process_and_can_be_begun_again(model_hub, tmp_path):
    model_hub.slow.set()

    async def stop():
        async with aclosing(downloading(NAME, tmp_path, allowed=True)) as told:
            async for _ in told:
                if model_hub.asked:
                    break

    asyncio.run(stop())
    assert not any(str(tmp_path) in command_line(child) for child in psutil.Process().children())
    assert not (tmp_path / FILE).exists()
    model_hub.slow.clear()
    assert downloaded(tmp_path)[-1].done
    assert (tmp_path / FILE).read_bytes() == DATA


@pytest.mark.parametrize(
    ("name", "allowed", "tag", "problem"),
    [
        ("none", True, "", "There is no model 'none'"),
        (NAME, False, "", "Model files are not allowed on this Jupyter"),
        (NAME, True, "0" * 64, "not what the hub says"),
    ],
)
def test_what_went_wrong_is_a_sentence(model_hub, tmp_path, name, allowed, tag, problem):
    model_hub.tag = tag or model_hub.tag
    last = downloaded(tmp_path, name, allowed=allowed)[-1]
    assert problem in last.problem
    assert not last.done
    assert bool(model_hub.asked) is bool(tag)
