"""Process that serves a model with llama.cpp on a loopback port.

Its order comes as a line of JSON on the standard input, its address goes out as one on the standard output. It ends when the standard
input does: no model is left behind when its owner has gone.
"""

from __future__ import annotations

import os
import sys
from typing import Literal

import msgspec
from msgspec import Struct

from spark_jupyter.server.model_loading import limit_memory
from spark_jupyter.typed_decoders import decode_json

Flash = Literal["auto", "on", "off"]


class Order(Struct, frozen=True, kw_only=True):
    """The model's file and its limits: ``context`` tokens for each of the ``lanes``, ``batch`` tokens of a prompt at a time (a dropped
    request is noticed after each), ``memory`` bytes beside the file (0: no limit). ``flash`` is llama.cpp's flash attention."""

    path: str
    key: str
    threads: int
    context: int
    lanes: int
    gpu_layers: int
    batch: int
    flash: Flash = "auto"
    memory: int = 0


class Ready(Struct, frozen=True, kw_only=True):
    """The address that it listens on, e.g. ``http://127.0.0.1:40123``; a ``problem`` where it could not be loaded."""

    url: str = ""
    problem: str = ""


def main() -> None:
    """Take the order, load, and serve until the standard input ends."""
    order = decode_json(sys.stdin.buffer.readline(), Order)
    answer = os.dup(1)
    os.dup2(2, 1)  # nobody reads what the library prints, and the pipe would fill up
    limit_memory(order.memory)
    try:
        server = _serve(order)
    except Exception as error:  # whatever the library raises, it is what the user is told
        os.write(answer, msgspec.json.encode(Ready(problem=str(error) or type(error).__name__)) + b"\n")
        os._exit(1)
    os.write(answer, msgspec.json.encode(Ready(url=server.listening_address)) + b"\n")
    sys.stdin.buffer.read()
    os._exit(0)  # the library's threads need not be waited for


def _serve(order: Order):  # type: ignore[no-untyped-def]  # the library has no types
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order.path
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [order.key]
    params.n_ctx = order.context * order.lanes
    params.n_parallel = order.lanes
    params.n_batch = params.n_ubatch = order.batch
    params.n_gpu_layers = order.gpu_layers
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order.threads
    params.cpuparams.poll = params.cpuparams_batch.poll = 0  # threads that wait do not spin
    params.n_threads_http = 2 * order.lanes + 2
    kinds = xllamacpp.llama_flash_attn_type
    params.flash_attn_type = {
        "auto": kinds.LLAMA_FLASH_ATTN_TYPE_AUTO,
        "on": kinds.LLAMA_FLASH_ATTN_TYPE_ENABLED,
        "off": kinds.LLAMA_FLASH_ATTN_TYPE_DISABLED,
    }[order.flash]
    params.cache_ram_mib = 0  # what is cached is in the lanes
    params.fit_params = False  # what was asked for, or a refusal
    params.sse_ping_interval = 5
    params.ui = False
    params.verbosity = 0
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
