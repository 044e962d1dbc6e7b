"""Clouds' credentials through their own libraries, against stand-ins that check the token or the signature."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from spark_jupyter.connection import cloud_credentials, credentials
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.profile import Profile
from tests.connection.http_peers import Writer, connected, greet
from tests.connection.peers import choice, collect, http_peer, reply, request, text_of

if TYPE_CHECKING:
    from pathlib import Path

ACCESS, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


@pytest.fixture(autouse=True)
def nobody_logged_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    credentials._tokens.clear()
    cloud_credentials._aws_session.cache_clear()
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AZURE_CLIENT_ID", "GOOGLE_CLOUD_PROJECT", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def signature(method: str, path: str, headers: dict[str, str], body: bytes, region: str) -> str:
    """Signature Version 4 as its specification says it, written without the library."""
    signed = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0]
    split = urlsplit(path)
    lines = [method, split.path, split.query, *(f"{name}:{headers[name]}" for name in signed.split(";")), "", signed]
    canonical = "\n".join([*lines, hashlib.sha256(body).hexdigest()])
    moment = headers["x-amz-date"]
    scope = f"{moment[:8]}/{region}/bedrock/aws4_request"
    to_sign = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{SECRET}".encode()
    for part in (moment[:8], region, "bedrock", "aws4_request", to_sign):
        last, key = key, hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(last, to_sign.encode(), hashlib.sha256).hexdigest()


def asked(auth: str, chat: Any, **fields: Any) -> list[tuple[str, str, dict[str, str], bytes]]:
    """What a provider that wants this cloud's credentials was sent."""

    async def run() -> list[tuple[str, str, dict[str, str], bytes]]:
        async with http_peer(chat) as peer:
            async with connected(choice(peer.url, "chat", key=fields.pop("key", None), auth=auth, **fields)) as it:
                assert text_of(await collect(it.stream(request("a")))) == "Hello, world"
                await collect(it.stream(request("b")))
            return peer.requests

    return asyncio.run(run())


def test_each_request_to_aws_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("botocore")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")

    async def check(writer: Writer, method: str, path: str, body: bytes) -> None:
        await greet(writer, method, path, body)

    for method, path, headers, body in asked("aws", check):
        head = headers["authorization"]
        assert head.startswith(f"AWS4-HMAC-SHA256 Credential={ACCESS}/")
        assert "/eu-central-1/bedrock/aws4_request" in head
        assert head.rpartition("Signature=")[2] == signature(method, path, headers, body, "eu-central-1")
        assert SECRET not in str(headers)


def test_the_region_is_that_of_the_address() -> None:
    pytest.importorskip("botocore")
    found = cloud_credentials._REGION.search("https://bedrock-runtime.us-gov-west-1.amazonaws.com/openai/v1/chat")
    assert found is not None
    assert found[1] == "us-gov-west-1"


def test_a_profile_of_aws_counts_and_none_is_said_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("botocore")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match=r"AWS has no credentials here\..*aws configure sso"):
        cloud_credentials.signed_by_aws("GET", "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1/models", b"")
    config = tmp_path / "config"
    config.write_text(
        f"[profile work]\naws_access_key_id = {ACCESS}\naws_secret_access_key = {SECRET}\naws_session_token = st\nregion = eu-west-1\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", "work")
    cloud_credentials._aws_session.cache_clear()
    headers = cloud_credentials.signed_by_aws("GET", "https://gateway.example.org/v1/models", b"")
    assert "/eu-west-1/bedrock/" in headers["Authorization"]
    assert headers["X-Amz-Security-Token"] == "st"


def test_a_key_goes_before_a_login() -> None:
    for _, _, headers, _ in asked("aws", greet, key="bearer-key"):
        assert headers["authorization"] == "Bearer bearer-key"


class Login:
    """The place where a cloud gives tokens, and the provider that takes the last one."""

    def __init__(self) -> None:
        self.given = 0
        self.lifetime = 3600.0
        self.seen: list[tuple[str, dict[str, list[str]]]] = []

    async def answer(self, writer: Writer, method: str, path: str, body: bytes) -> None:
        if not path.startswith("/token"):
            await greet(writer, method, path, body)
            return
        self.given += 1
        self.seen.append((path, parse_qs(body.decode())))
        ends = time.time() + self.lifetime
        token = {"access_token": f"token-{self.given}", "token_type": "Bearer", "resource": "r"}
        times = {"expires_on": str(int(ends)), "expires_in": int(self.lifetime)}
        reply(writer, json.dumps({**token, **times}).encode())


def bearers(auth: str, login: Login, prepare: Any) -> list[str]:
    """The tokens that the provider was sent with two prompts."""

    async def run() -> list[str]:
        async with http_peer(login.answer) as place:
            prepare(place.url.removesuffix("/v1") + "/token")
            async with connected(choice(place.url, "chat", key=None, auth=auth)) as it:
                for text in "ab":
                    assert text_of(await collect(it.stream(request(text)))) == "Hello, world"
            return [head.get("authorization", "") for _, path, head, _ in place.requests if path.startswith("/v1/chat")]

    return asyncio.run(run())


def test_entra_id_gives_a_token_for_azure_until_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("azure.identity")

    def managed(url: str) -> None:
        monkeypatch.setenv("IDENTITY_ENDPOINT", url)
        monkeypatch.setenv("IDENTITY_HEADER", "secret-of-the-host")

    login = Login()
    assert bearers("azure", login, managed) == ["Bearer token-1"] * 2
    assert "cognitiveservices.azure.com" in login.seen[0][0]
    login.lifetime = 10.0
    credentials._tokens.clear()
    assert bearers("azure", login, managed) == ["Bearer token-2", "Bearer token-3"]


def test_application_default_credentials_give_a_token_for_vertex(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("google.auth")
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    def account(url: str) -> None:
        told = {"type": "service_account", "client_email": "me@example.org", "private_key": pem, "token_uri": url}
        file = tmp_path / "account.json"
        file.write_text(json.dumps({**told, "project_id": "p", "private_key_id": "k"}))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))

    login = Login()
    assert bearers("google", login, account) == ["Bearer token-1"] * 2
    ((_, form),) = login.seen
    assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    head, claims, signed = form["assertion"][0].split(".")
    check_signature(key, f"{head}.{claims}", signed)


def check_signature(key: Any, text: str, signed: str) -> None:
    """Raises where the text was not signed with the key."""
    import base64

    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    padded = base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4))
    key.public_key().verify(padded, text.encode(), PKCS1v15(), SHA256())


def test_a_token_that_is_refused_is_asked_for_anew_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given = iter("abc")
    monkeypatch.setattr(
        credentials, "cloud_token", lambda cloud: cloud_credentials.Token(f"t-{next(given)}", time.time() + 999)
    )

    async def refuse_first(writer: Writer, method: str, path: str, body: bytes) -> None:
        refused.append(path)
        if len(refused) == 1:
            reply(writer, b'{"error":{"message":"expired"}}', status="401 Unauthorized")
        else:
            await greet(writer, method, path, body)

    refused: list[str] = []
    heads = [headers["authorization"] for _, _, headers, _ in asked("azure", refuse_first)]
    assert heads == ["Bearer t-a", "Bearer t-b", "Bearer t-b"]


def test_a_missing_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "azure.identity", None)
    with pytest.raises(ConfigurationError, match=r"not installed\. pip install 'spark-jupyter\[azure\]'"):
        cloud_credentials.cloud_token("azure")


def test_a_login_is_for_the_profiles_own_address() -> None:
    assert Profile(name="bedrock", auth="aws").elsewhere.auth == ""
