"""Access to the server: tokens, origins, hosts."""

from __future__ import annotations

import asyncio

import pytest

from spark_jupyter.server.access_control import Gate, proof
from spark_jupyter.server.api_messages import RequestError

GATE = Gate(token="secret", host="127.0.0.1")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:80", "127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:80", "192.168.1.5:80"]
)
def test_an_address_or_localhost_is_a_right_host(host: str) -> None:
    GATE.check_source(hosts=[host], origins=[])


def test_the_host_that_the_server_was_told_to_listen_at_is_right() -> None:
    Gate(token="secret", host="Lab.example").check_source(hosts=["lab.example:80"], origins=[])


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [""],
        ["evil.example"],
        ["127.0.0.1.evil.example"],
        ["[::1"],
        ["localhost", "localhost"],
        ["evil.example@127.0.0.1"],
        ["localhost:8888.evil.example"],
        ["127.0.0.1:99999"],
        ["[::1]:x"],
        ["127.0.0.1/evil"],
    ],
)
def test_any_other_host_is_refused_for_it_may_be_a_rebound_name(hosts: list[str]) -> None:
    with pytest.raises(RequestError) as caught:
        GATE.check_source(hosts=hosts, origins=[])
    assert (caught.value.status, caught.value.code) == (403, "forbidden_host")


@pytest.mark.parametrize(
    "origin", ["http://localhost:8888", "https://127.0.0.1", "http://[::1]:8888", "http://127.8.8.8"]
)
def test_a_local_origin_may_come_in(origin: str) -> None:
    GATE.check_source(hosts=["localhost"], origins=[origin])


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://localhost.evil.example",
        "http://192.168.1.5",
        "http://[x",
        "localhost",
        "http://evil.example@localhost",
        "http://localhost:8888.evil.example",
        "http://localhost:99999",
        "http://localhost/evil",
        "file://localhost",
    ],
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    with pytest.raises(RequestError) as caught:
        GATE.check_source(hosts=["localhost"], origins=["http://localhost", origin])
    assert (caught.value.status, caught.value.code) == (403, "forbidden_origin")


@pytest.mark.parametrize("header", ["Bearer secret", "bearer secret", "Bearer  secret "])
def test_the_token_opens(header: str) -> None:
    asyncio.run(GATE.check_token([header], ""))


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [""],
        ["secret"],
        ["Bearer"],
        ["Bearer "],
        ["Bearer secre"],
        ["Bearer secrets"],
        ["Basic secret"],
        ["Bearer sécret"],
    ],
)
def test_anything_else_does_not(headers: list[str]) -> None:
    with pytest.raises(RequestError) as caught:
        asyncio.run(GATE.check_token(headers, ""))
    assert caught.value.status == 401
    assert "secret" not in caught.value.message


def test_two_authorization_headers_are_refused_although_one_is_right() -> None:
    with pytest.raises(RequestError):
        asyncio.run(GATE.check_token(["Bearer secret", "Bearer secret"], ""))


@pytest.mark.parametrize("query", ["token=secret", "a=b&api_key=secret", "TOKEN=", "access_token=x"])
def test_a_token_in_the_url_is_refused_even_when_the_header_is_right(query: str) -> None:
    with pytest.raises(RequestError) as caught:
        asyncio.run(GATE.check_token(["Bearer secret"], query))
    assert (caught.value.status, caught.value.code) == (400, "token_in_url")
    assert "secret" not in caught.value.message


def test_only_who_knows_the_token_can_prove_it() -> None:
    assert GATE.proof("challenge") == proof("secret", "challenge")
    assert len({proof("secret", "challenge"), proof("other", "challenge"), proof("secret", "another")}) == 3
