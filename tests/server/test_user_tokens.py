"""Users of a shared server: their tokens in a list, or a JupyterHub's."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from websockets.exceptions import InvalidStatus

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server import serve_in_thread
from spark_jupyter.server.user_tokens import UserTokens, read_users
from tests.server.fakes import text
from tests.server.scripted import ANSWER, script
from tests.server.sockets import client, create, get, receive

ADA = "3f9c0d51b6a84e27"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class Hub(BaseHTTPRequestHandler):
    """``GET /hub/api/user`` as JupyterHub answers it."""

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path == "/page/user":
            return self.say(200, b"<html>Sign in</html>")
        if self.path == "/user":  # what JupyterHub's proxy does with an address without /hub/api
            return self.say(302, b"", location="/page/user")
        known = self.headers["Authorization"] == f"token {ADA}"
        status = self.server.status or (200 if known else 403)
        body = json.dumps({"kind": "user", "name": "ada"} if known else {"status": 403}).encode()
        self.say(status, body)

    def say(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def hub():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.asked, server.status = [], None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def api(hub: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{hub.server_address[1]}/hub/api"


def test_each_user_of_a_list_comes_in_with_a_token_of_their_own():
    with serve_in_thread(engine=script(), users=UserTokens([ADA])) as info:
        assert get(info, "/v1/models", bearer(ADA))[0] == 200
        assert get(info, "/v1/models", bearer(ADA[:-1] + "8"))[0] == 401
        assert get(info, "/v1/models", bearer(""))[0] == 401
        assert get(info, "/v1/models")[0] == 200  # the server's own
        with client(info, additional_headers=bearer(ADA)) as websocket:
            create(websocket)
            assert text(receive(websocket)) == ANSWER
        with pytest.raises(InvalidStatus), client(info, additional_headers=bearer("x" * 16)):
            pass


def test_the_users_of_a_hub_come_in_with_its_tokens_which_are_looked_up_once(hub):
    with serve_in_thread(engine=script(), users=UserTokens(hub=api(hub))) as info:
        assert [get(info, "/v1/models", bearer(ADA))[0] for _ in range(3)] == [200, 200, 200]
        assert hub.asked == ["/hub/api/user"]
        assert get(info, "/v1/models", bearer("somebody-else-1"))[0] == 401
        assert get(info, "/v1/models", bearer("a\tb"))[0] == 401
    assert hub.asked == ["/hub/api/user"] * 2  # what can be no token is not asked about


def test_a_hub_that_does_not_answer_is_named(hub):
    with serve_in_thread(engine=script(), users=UserTokens(hub=api(hub))) as info:
        hub.status = 500
        status, body = get(info, "/v1/models", bearer(ADA))
        hub.status = None
        assert get(info, "/v1/models", bearer(ADA))[0] == 200
    assert (status, body["error"]["code"]) == (503, "hub_unavailable")
    assert "JupyterHub" in body["error"]["message"]


@pytest.mark.parametrize("address", ["", "/page"])
def test_a_page_for_signing_in_lets_nobody_in(hub, address):
    wrong = api(hub).removesuffix("/hub/api") + address
    with serve_in_thread(engine=script(), users=UserTokens(hub=wrong)) as info:
        assert get(info, "/v1/models", bearer(ADA))[0] == 503
    assert hub.asked == [f"{address}/user"]  # a redirect is not followed, and takes no token along


def test_a_list_has_a_name_and_a_token_in_each_line(tmp_path):
    file = tmp_path / "users"
    file.write_text(f"# class of 2026\nada {ADA}\n\nbob 5b1e77aa90c3d2f4  # left\n")
    file.chmod(0o600)
    assert read_users(file) == [ADA, "5b1e77aa90c3d2f4"]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("ada\n", "Line 1 .* is not a name and a token"),
        ("ada short\n", "Line 1 .* at least 16 characters"),
        ("ada häßlichhäßlichhäßlich\n", "Line 1"),
        (f"ada {ADA}\nbob {ADA}\n", "Line 2 .* has the token of ada"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, lines, problem):
    file = tmp_path / "users"
    file.write_text(lines, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(ConfigurationError, match=problem):
        read_users(file)


def test_a_list_that_others_can_read_is_refused(tmp_path):
    file = tmp_path / "users"
    file.write_text(f"ada {ADA}\n")
    file.chmod(0o644)
    with pytest.raises(ConfigurationError, match="Others on this machine can read"):
        read_users(file)
