"""Keys, token commands, headers, certificates and proxies, on real sockets; a credential goes to its own address only."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trustme

from spark_jupyter.connection import credentials
from spark_jupyter.exceptions import AuthenticationFailed, ConfigurationError
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import CONFIGURED, Secret, Settings, choose, parse_profiles
from tests.connection.http_peers import Writer, connected, greet
from tests.connection.peers import choice, collect, collect_until_error, http_peer, peer, reply, request, text_of
from tests.connection.peers import greet as greet_socket

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from websockets.asyncio.server import ServerConnection


@pytest.fixture(autouse=True)
def no_tokens() -> None:
    credentials._tokens.clear()


def command(folder: Path, printed: str) -> tuple[str, ...]:
    """A command that prints so, with the number of the call for ``@``, and counts its calls in a file."""
    script = folder / "token.py"
    script.write_text(
        "import pathlib, sys\n"
        f"calls = pathlib.Path({str(folder / 'calls')!r})\n"
        "count = (int(calls.read_text()) if calls.exists() else 0) + 1\n"
        "calls.write_text(str(count))\n"
        f"print({printed!r}.replace('@', str(count)))\n"
    )
    return (sys.executable, str(script))


@pytest.mark.parametrize(
    ("printed", "calls"),
    [
        ("token-@\n", 1),
        (json.dumps({"accessToken": "token-@", "expiresOn": "2999-01-01 00:00:00"}), 1),
        (json.dumps({"token": "token-@", "expires_in": 5}), 2),
        (json.dumps({"status": {"token": "token-@", "expirationTimestamp": "2001-01-01T00:00:00Z"}}), 2),
    ],
)
def test_a_token_is_kept_until_shortly_before_its_end(tmp_path: Path, printed: str, calls: int) -> None:
    async def run() -> list[str]:
        profile = {"token_command": command(tmp_path, printed)}
        async with http_peer(greet) as server, connected(choice(server.url, "chat", key=None, **profile)) as connection:
            for _ in range(2):
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            return [headers["authorization"] for _, _, headers, _ in server.requests]

    sent = asyncio.run(run())
    assert sent == ["Bearer token-1", f"Bearer token-{calls}"]


def test_a_token_that_is_refused_is_fetched_anew_once(tmp_path: Path) -> None:
    async def run() -> None:
        async def answer(writer: Writer, method: str, path: str, body: bytes) -> None:
            if server.requests[-1][2]["authorization"] != "Bearer token-2":
                reply(writer, b'{"error":{"message":"token-1 and token-3 are old"}}', status="401 Unauthorized")
            else:
                await greet(writer, method, path, body)

        async with http_peer(answer) as server:
            chosen = choice(server.url, "chat", key=None, token_command=command(tmp_path, "token-@"))
            async with connected(chosen) as connection:
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"
                credentials.forget_token(chosen)
                _, error = await collect_until_error(connection.stream(request()))
                assert isinstance(error, AuthenticationFailed)
                assert len(server.requests) == 4
                assert credentials._tokens[chosen.profile.token_command].value not in str(error)

    asyncio.run(run())


def test_a_socket_is_opened_with_a_fresh_token_where_the_old_one_is_refused(tmp_path: Path) -> None:
    def refuse_the_first(socket: ServerConnection, wanted: Any) -> Any:
        return socket.respond(401, "old") if wanted.headers["Authorization"] == "Bearer token-1" else None

    async def run() -> None:
        async with peer(greet_socket) as server:
            server.refuse = refuse_the_first
            chosen = choice(
                server.url, key=None, token_command=command(tmp_path, "token-@"), headers={"X-Team": "data"}
            )
            async with connected(chosen) as connection:
                assert text_of(await collect(connection.stream(request()))) == "Hello, world"
            assert server.headers[-1]["Authorization"] == "Bearer token-2"
            assert server.headers[-1]["X-Team"] == "data"

    asyncio.run(run())


@pytest.mark.parametrize("printed", ["", "two words", json.dumps({"error": "log in"})])
def test_a_command_that_prints_no_token_is_said(tmp_path: Path, printed: str) -> None:
    with pytest.raises(ConfigurationError, match="printed no token"):
        asyncio.run(ask("http://127.0.0.1:9/v1", token_command=command(tmp_path, printed)))


def test_a_command_that_fails_is_quoted_and_can_be_run_by_hand() -> None:
    failing = (sys.executable, "-c", "import sys; sys.exit('not logged in')")
    with pytest.raises(ConfigurationError, match="not logged in") as caught:
        asyncio.run(ask("http://127.0.0.1:9/v1", token_command=failing))
    assert "terminal" in caught.value.remedy
    with pytest.raises(ConfigurationError, match="failed"):
        asyncio.run(ask("http://127.0.0.1:9/v1", token_command=("no-such-program-here",)))


async def ask(url: str, **profile: Any) -> str:
    async with connected(choice(url, "chat", key=None, **profile)) as connection:
        return text_of(await collect(connection.stream(request())))


def test_headers_take_secrets_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "hunter2hunter2")

    async def refuse(writer: Writer, method: str, path: str, body: bytes) -> None:
        reply(writer, b'{"error":{"message":"the word hunter2hunter2 is wrong"}}', status="400 No")

    async def run() -> None:
        headers = {"X-Team": "data", "X-Gateway": "Key ${GATEWAY_KEY}"}
        async with http_peer(refuse) as server, connected(choice(server.url, "chat", headers=headers)) as connection:
            _, error = await collect_until_error(connection.stream(request()))
            assert "hunter2" not in str(error)
            sent = server.requests[0][2]
            assert (sent["x-team"], sent["x-gateway"]) == ("data", "Key hunter2hunter2")

    asyncio.run(run())
    monkeypatch.delenv("GATEWAY_KEY")
    with pytest.raises(ConfigurationError, match="GATEWAY_KEY is not set"):
        asyncio.run(ask("http://127.0.0.1:9/v1", headers={"X": "${GATEWAY_KEY}"}))
    monkeypatch.setenv("GATEWAY_KEY", "a\nHost: elsewhere")
    with pytest.raises(ConfigurationError, match="can't be sent"):
        asyncio.run(ask("http://127.0.0.1:9/v1", headers={"X": "${GATEWAY_KEY}"}))


def test_a_file_of_profiles_holds_no_key_in_a_header() -> None:
    with pytest.raises(ConfigurationError, match="holds a key"):
        parse_profiles('[mine]\nheaders = { Authorization = "Bearer abc" }', origin="test")
    parse_profiles('[mine]\nheaders = { Authorization = "Bearer ${MINE}" }', origin="test")


def test_what_belongs_to_a_profile_goes_to_its_own_address_only() -> None:
    mine = Profile(
        name="mine",
        base_url="https://mine.example/v1",
        key_env="MINE",
        headers={"X-Team": "data"},
        token_command=("print-token",),
        client_cert="me.pem",
    )
    environ = {"MINE": "k"}
    own = choose(profiles={"mine": mine}, settings=Settings(profile="mine"), environ=environ)
    other = choose(
        profiles={"mine": mine}, settings=Settings(profile="mine", base_url="https://other.example/v1"), environ=environ
    )
    assert own is not None
    assert other is not None
    assert (own.key, own.profile) == ("k", mine)
    assert (other.key, other.profile.headers, other.profile.token_command, other.profile.client_cert) == (
        "",
        {},
        (),
        "",
    )


def test_the_environment_goes_before_settings_and_after_what_a_person_names() -> None:
    profiles = {name: Profile(name=name, base_url=f"https://{name}.example/v1", model=name) for name in ("one", "two")}
    environ = {"SPARK_PROFILE": "two"}

    def chosen(settings: Settings, environ: dict[str, str]) -> tuple[str, str]:
        found = choose(profiles=profiles, settings=settings, environ=environ)
        assert found is not None
        return found.model, found.why

    configured = Settings(profile="one", source=CONFIGURED, api_key=Secret("k"))
    assert chosen(Settings(profile="one"), environ) == ("one", "as chosen")
    assert chosen(configured, environ) == ("two", "from SPARK_PROFILE")
    assert chosen(configured, {}) == ("one", "from the settings")
    assert chosen(configured, {"SPARK_MODEL": "m"}) == ("m", "from the settings")


def test_a_client_certificate_and_an_own_authority_are_used(tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    authority.issue_cert("me@example").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / "me.pem"))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    authority.configure_trust(tls)
    tls.verify_mode = ssl.CERT_REQUIRED

    async def run() -> None:
        async with http_peer(greet, tls=tls) as server:
            files = {"ca_file": str(tmp_path / "ca.pem"), "client_cert": str(tmp_path / "me.pem")}
            assert await ask(server.url, **files) == "Hello, world"

    asyncio.run(run())
    with pytest.raises(ConfigurationError, match="can't be loaded"):
        asyncio.run(ask("https://127.0.0.1:9/v1", client_cert=str(tmp_path / "nothing.pem")))


@contextlib.asynccontextmanager
async def socks_proxy() -> AsyncIterator[tuple[int, list[int]]]:
    """A SOCKS5 proxy without authentication (RFC 1928), and the ports that it was asked for."""
    asked: list[int] = []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, methods = await reader.readexactly(2)
        await reader.readexactly(methods)
        writer.write(b"\x05\x00")
        _, _, _, kind = await reader.readexactly(4)
        host = await reader.readexactly(4 if kind == 1 else (await reader.readexactly(1))[0])
        assert host in (b"\x7f\x00\x00\x01", b"127.0.0.1")
        port = int.from_bytes(await reader.readexactly(2))
        asked.append(port)
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], asked
    finally:
        server.close()


def test_a_socks_proxy_is_used_over_http_and_over_a_websocket() -> None:
    pytest.importorskip("socksio")
    pytest.importorskip("python_socks")

    async def run() -> None:
        async with socks_proxy() as (port, asked), http_peer(greet) as web, peer(greet_socket) as far:
            proxy = f"socks5://127.0.0.1:{port}"
            assert await ask(web.url, proxy=proxy) == "Hello, world"
            async with connected(choice(far.url, proxy=proxy)) as connection:
                assert text_of(await collect(connection.stream(request())))
            assert {web.port, far.port} <= set(asked)

    asyncio.run(run())


def test_a_token_command_is_not_asked_where_there_is_a_key(tmp_path: Path) -> None:
    chosen = choice("http://127.0.0.1:9/v1", "chat", token_command=command(tmp_path, "token-@"))
    assert asyncio.run(credentials._secret(chosen)) == chosen.key
    assert not (tmp_path / "calls").exists()


@contextlib.asynccontextmanager
async def web_proxy() -> AsyncIterator[tuple[int, list[str]]]:
    """An HTTP proxy (RFC 9110 §9.3.6 and §7.1) that takes every host for this machine, and the first lines that it was sent."""
    asked: list[str] = []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        method, target, _ = head.split(" ", 2)
        asked.append(f"{method} {target}")
        host, _, path = target.removeprefix("http://").partition("/")
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", int(host.rpartition(":")[2]))
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            far_writer.write(head.replace(target, f"/{path}", 1).encode())
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], asked
    finally:
        server.close()


@pytest.mark.parametrize(
    ("environment", "profile", "used"),
    [
        ({"ALL_PROXY": "http://127.0.0.1:{one}"}, "", "one"),
        ({"ALL_PROXY": "127.0.0.1:{one}"}, "", "one"),
        ({"ALL_PROXY": "http://127.0.0.1:{two}", "HTTP_PROXY": "http://127.0.0.1:{one}"}, "", "one"),
        ({"ALL_PROXY": "http://127.0.0.1:{two}"}, "http://127.0.0.1:{one}", "one"),
        ({"ALL_PROXY": "http://127.0.0.1:{two}", "NO_PROXY": "far.invalid"}, "http://127.0.0.1:{one}", "one"),
        ({"ALL_PROXY": "http://127.0.0.1:{one}", "NO_PROXY": "far.invalid"}, "", ""),
        ({"ALL_PROXY": "http://127.0.0.1:{one}", "NO_PROXY": "*"}, "", ""),
        ({"ALL_PROXY": "http://127.0.0.1:{one}", "NO_PROXY": "other.invalid"}, "", "one"),
        ({"ALL_PROXY": "http://127.0.0.1:{one}", "NO_PROXY": "localhost,::1,[::1],fd07:b51a:cc66:f0::/64"}, "", "one"),
        ({"ALL_PROXY": "http://127.0.0.1:{one}", "NO_PROXY": "[::1], ,.invalid,10.0.0.0/8"}, "", ""),
    ],
)
def test_a_proxy_of_the_profile_goes_before_the_environment_over_both_protocols(
    environment: dict[str, str], profile: str, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

    async def run() -> None:
        async with (
            web_proxy() as (one, first),
            web_proxy() as (two, second),
            http_peer(greet) as web,
            peer(greet_socket) as far,
        ):
            for name, value in environment.items():
                monkeypatch.setenv(name, value.format(one=one, two=two))
            chosen = {"proxy": profile.format(one=one)}
            for url in (
                web.url.replace("127.0.0.1", "far.invalid"),
                far.url.replace("127.0.0.1", "far.invalid"),
            ):
                dialect = "chat" if url.startswith("http") else "responses-websocket"
                before = len(first)
                async with connected(choice(url, dialect, **chosen)) as connection:
                    if used:
                        assert text_of(await collect(connection.stream(request()))) == "Hello, world"
                    else:  # no server has this name
                        assert (await collect_until_error(connection.stream(request())))[1] is not None
                assert (len(first) > before, second) == (bool(used), [])
                assert all("far.invalid" in line for line in first)

    asyncio.run(run())


def test_no_proxy_of_the_environment_is_used_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with web_proxy() as (port, asked), http_peer(greet) as web, peer(greet_socket) as far:
            for name in ("HTTP_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
            assert await ask(web.url) == "Hello, world"
            async with connected(choice(far.url)) as connection:
                assert text_of(await collect(connection.stream(request())))
            assert asked == []

    asyncio.run(run())
