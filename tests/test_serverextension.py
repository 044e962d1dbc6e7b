"""The server extension: what it sets, and that a real server loads it."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import zmq.asyncio
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.kernels.connection.base import BaseKernelWebsocketConnection
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from traitlets.config import Config

from spark_jupyter import policy, serverextension

CONFIG = Path(__file__).resolve().parent.parent / "jupyter-config" / "jupyter_server_config.d" / "spark_jupyter.json"


class Handler:
    """Stands for a kernel's websocket handler: records what is called on it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []

    def set_nodelay(self, value: bool) -> None:
        self.calls.append(("set_nodelay", value))

    async def open(self, kernel_id: str) -> None:
        self.calls.append(("open", kernel_id))


def fresh_handler() -> type[Handler]:
    return type("Fresh", (Handler,), {"open": Handler.open})


def test_a_websocket_sends_without_delay_from_the_moment_it_opens() -> None:
    handler = fresh_handler()
    serverextension.send_without_delay(handler)
    socket = handler()
    asyncio.run(socket.open("a-kernel"))
    assert socket.calls == [("set_nodelay", True), ("open", "a-kernel")]


def test_loading_twice_wraps_once() -> None:
    handler = fresh_handler()
    serverextension.send_without_delay(handler)
    serverextension.send_without_delay(handler)
    socket = handler()
    asyncio.run(socket.open("a-kernel"))
    assert [name for name, _ in socket.calls] == ["set_nodelay", "open"]


def server_with(manager: object) -> SimpleNamespace:
    return SimpleNamespace(kernel_manager=manager, web_app=SimpleNamespace(settings={}))


def test_comm_messages_are_untracked_in_the_manager_and_on_the_pages() -> None:
    server = server_with(SimpleNamespace(untracked_message_types=["status", "comm_msg"]))
    serverextension.untrack_comms(server)
    expected = ["status", "comm_msg", "comm_open", "comm_close"]
    assert server.kernel_manager.untracked_message_types == expected
    assert server.web_app.settings["page_config_data"]["untracked_message_types"] == expected


def test_a_manager_without_the_list_still_gets_it_on_the_pages() -> None:
    server = server_with(SimpleNamespace())
    serverextension.untrack_comms(server)
    assert not hasattr(server.kernel_manager, "untracked_message_types")
    assert server.web_app.settings["page_config_data"]["untracked_message_types"] == list(serverextension.COMM_MESSAGES)


def test_a_kernel_tells_the_pages_apart_where_another_extension_connects_them() -> None:
    theirs = type("Theirs", (BaseKernelWebsocketConnection,), {"__module__": "other"})
    identities = []
    for connection in (ZMQChannelsWebsocketConnection, theirs):
        manager = AsyncMappingKernelManager()
        serverextension.answer_each_page(
            SimpleNamespace(kernel_websocket_connection_class=connection, kernel_manager=manager)
        )
        kernel = manager.kernel_manager_factory(parent=manager)
        identities.append({kernel.client().session.bsession for _ in range(2)} | {kernel.session.bsession})
    assert [len(each) for each in identities] == [1, 3]


def test_a_reply_that_comes_while_something_is_sent_is_heard() -> None:
    async def reply() -> list[bytes]:
        with zmq.asyncio.Context() as context, context.socket(zmq.DEALER) as here, context.socket(zmq.ROUTER) as router:
            there = zmq.Socket.shadow(router.underlying)  # it does not wait for this loop
            here.connect(f"tcp://127.0.0.1:{there.bind_to_random_port('tcp://127.0.0.1')}")
            client = serverextension.DistinctClient()
            client.session.send_raw(here, [b"{}"] * 4)
            identity, *_ = await asyncio.to_thread(there.recv_multipart)
            heard = asyncio.ensure_future(here.recv_multipart())
            await asyncio.sleep(0)
            there.send_multipart([identity, b"first"])
            time.sleep(0.2)  # it is there, and nobody has looked
            client.session.send_raw(here, [b"{}"] * 4)
            return await asyncio.wait_for(heard, 60)

    assert asyncio.run(reply()) == [b"first"]


def test_the_configuration_in_the_wheel_enables_the_module() -> None:
    enabled = json.loads(CONFIG.read_text(encoding="utf-8"))["ServerApp"]["jpserver_extensions"]
    assert enabled == {serverextension.__name__: True}
    assert [point["module"] for point in serverextension._jupyter_server_extension_points()] == list(enabled)


def test_a_real_server_loads_it_and_gives_the_list_to_jupyterlab(tmp_path: Path, monkeypatch) -> None:
    from jupyter_server.serverapp import ServerApp

    for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")
    server = ServerApp(
        root_dir=str(tmp_path),
        port=0,
        port_retries=0,
        open_browser=False,
        token="t",
        jpserver_extensions={"jupyterlab": True, "spark_jupyter.serverextension": True},
    )
    server.initialize(argv=[], new_httpserver=False)
    try:
        for known in (
            server.kernel_manager.untracked_message_types,
            server.web_app.settings["page_config_data"]["untracked_message_types"],
        ):
            assert set(serverextension.COMM_MESSAGES) <= set(known)
            assert "status" in known
    finally:
        server.io_loop.close(all_fds=False)
        ServerApp.clear_instance()


@pytest.mark.parametrize(
    ("rules", "said"), [({"agents": False}, "c.SparkPolicy.rules"), ({"agent": False}, "can't be read")]
)
def test_the_servers_configuration_limits_the_kernels_that_it_starts(monkeypatch, rules, said):
    monkeypatch.setenv(policy.VARIABLE, "")
    server = ServerApp(config=Config({"SparkPolicy": {"rules": rules}}))
    serverextension.hand_on_policy(server)
    assert said in str(policy.load_policy().refusal("agents"))


def test_without_a_policy_the_server_hands_none_on(monkeypatch):
    monkeypatch.setenv(policy.VARIABLE, "")
    serverextension.hand_on_policy(ServerApp(config=Config()))
    assert os.environ[policy.VARIABLE] == ""
    assert policy.load_policy().refusal("agents") is None
