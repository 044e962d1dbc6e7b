"""HTTP client of an endpoint: requests, models, errors.

HTTP/1.1, because closing a stream early must stop the provider: httpx sends no RST_STREAM over HTTP/2.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncIterator, Mapping

import httpx

from spark_jupyter.connection.connection_options import MOST_BYTES, Options
from spark_jupyter.connection.credentials import headers_of, signature_of, ssl_context_of, withhold_secrets
from spark_jupyter.connection.network_errors import dial_error, lost, proxy_setting, too_much
from spark_jupyter.connection.proxy_choice import proxy_of
from spark_jupyter.exceptions import ProviderError, Stalled
from spark_jupyter.library_logs import keep_out_logs
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.addresses import endpoint_url, web_url
from spark_jupyter.providers.base import Dialect
from spark_jupyter.providers.model_choice import reads_images, retirement
from spark_jupyter.providers.model_list import HOSTED, LLAMA_CPP, RUN_HERE, Listed
from spark_jupyter.providers.profiles import Choice
from spark_jupyter.providers.refusals import UNREADABLE, bad_response, read_refusal, scrub, to_error

_KEPT_ALIVE = 240.0
_MODELS_TIMEOUT = 5.0
_MOST_OF_REFUSAL = 2**16


class Web:
    """The HTTP client of one endpoint, and its list of models."""

    def __init__(self, choice: Choice, dialect: Dialect, options: Options) -> None:
        self._choice = choice
        self._dialect = dialect
        self._options = options
        self.base = web_url(choice.base_url)
        self.where = choice.where
        self.is_llama_cpp = False
        """True if the list of models said so."""
        self.runs_models = False
        """True if the list of models is of a server that runs them itself."""
        self.is_proxy = False
        """True if it is of a server that passes on to a provider."""
        self.fills_in: frozenset[str] = frozenset()
        """The models in the list that take what is to be filled in."""
        self._client: httpx.AsyncClient | None = None

    @property
    def client(self) -> httpx.AsyncClient:
        if self._client is None:
            secure = self.base.startswith("https:")
            try:
                self._client = httpx.AsyncClient(
                    http2=False,
                    trust_env=False,
                    verify=(self._options.ssl_context or ssl_context_of(self._choice)) if secure else False,
                    proxy=proxy_of(self._choice, self.base),
                    timeout=httpx.Timeout(None, connect=self._options.open_timeout),
                    limits=httpx.Limits(keepalive_expiry=_KEPT_ALIVE),
                )
            except (ImportError, ValueError, httpx.InvalidURL) as error:
                raise proxy_setting(error) from None
            keep_out_logs("httpx", "httpcore")
        return self._client

    async def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Request:
        """A request to the endpoint, with the credentials and with ``headers`` of its own."""
        headers = {**await headers_of(self._choice, self._dialect), **(headers or {})}
        request = self.client.build_request(method, endpoint_url(self.base, path), content=body, headers=headers)
        # Compressed events would wait for each other in the compressor.
        request.headers["Accept-Encoding"] = "identity"
        if body is not None:
            request.headers["Content-Type"] = "application/json"
            request.headers["Accept"] = "text/event-stream"
        request.headers.update(await signature_of(self._choice, method, str(request.url), body or b""))
        return request

    async def models(self) -> list[ModelInfo]:
        """Models from ``GET …/models``. Raises a :class:`~spark_jupyter.exceptions.ProviderError`."""
        try:
            async with asyncio.timeout(_MODELS_TIMEOUT):
                answer, body = await self.fetch("/models")
        except TimeoutError:
            raise Stalled(f"{self.where} did not list its models in time.", remedy="Ask again.") from None
        except httpx.HTTPError as error:
            raise self.translate(error) from None
        if answer.status_code != 200:
            raise self.refusal(answer, body)
        try:
            listed = self._dialect.models(body)
        except UNREADABLE:
            raise bad_response("no list of models", data=body, where=self.where) from None
        self.is_llama_cpp = any(model.owner == LLAMA_CPP for model in listed)
        owners = {model.owner for model in listed}
        self.runs_models = bool(owners & RUN_HERE)
        self.is_proxy = not self.runs_models and bool(owners & HOSTED)
        self.fills_in = frozenset(model.id for model in listed if model.infill)
        return [self._model(model) for model in listed]

    def _model(self, listed: Listed) -> ModelInfo:
        profile = self._choice.profile
        price = profile.price(listed.id)
        return ModelInfo(
            id=listed.id,
            provider=profile.title or profile.name,
            input_price=None if price is None else price.input,
            output_price=None if price is None else price.output,
            context_window=listed.window,
            retires=listed.retires,
            images=reads_images(profile, listed.id, listed.images),
            ending=retirement(profile, listed.id, listed.retires, today=datetime.date.today()),
        )

    async def fetch(self, path: str) -> tuple[httpx.Response, bytes]:
        """Response to ``GET`` of a path below the base. Raises what httpx and :meth:`read` do."""
        answer = await self.client.send(await self.request("GET", path), stream=True)
        return answer, await self.read(answer)

    async def read(self, answer: httpx.Response) -> bytes:
        """The body of an answer, which is then closed; of a refusal its beginning. Raises
        :class:`~spark_jupyter.exceptions.BadResponse` where it is larger than :data:`~.options.MOST_BYTES`."""
        body = bytearray()
        try:
            async for piece in self.pieces(answer):
                body += piece
                if answer.status_code != 200 and len(body) > _MOST_OF_REFUSAL:
                    break
                if len(body) > MOST_BYTES:
                    raise too_much(self.where, f"a list of more than {MOST_BYTES >> 20} MiB")
        finally:
            await answer.aclose()
        return bytes(body)

    async def pieces(self, answer: httpx.Response) -> AsyncIterator[bytes]:
        """The body as it arrives. Nothing is unpacked: nobody asked for compression, and how large it gets could not be bounded."""
        coding = answer.headers.get("content-encoding", "identity")
        if coding != "identity":
            raise bad_response("a compressed answer, though none was asked for", where=self.where)
        async for piece in answer.aiter_raw():
            yield piece

    def refusal(self, answer: httpx.Response, body: bytes, *, model: str = "") -> ProviderError:
        """The typed error for an answer that is no success."""
        refusal = read_refusal(body, status=answer.status_code, headers=answer.headers)
        error = to_error(refusal, model=model, where=self.where)
        withhold_secrets(error, self._choice)
        return error

    def translate(self, error: httpx.HTTPError) -> ProviderError:
        """The typed error for what went wrong below HTTP."""
        if isinstance(error, httpx.UnsupportedProtocol):
            return bad_response("a redirect that can't be followed", where=self.where)
        if isinstance(error, httpx.ConnectTimeout):
            return dial_error(TimeoutError(), self.where, timeout=self._options.open_timeout)
        if isinstance(error, httpx.ConnectError | httpx.ProxyError):
            return dial_error(error, self.where, timeout=self._options.open_timeout)
        if isinstance(error, httpx.RemoteProtocolError) and "illegal" in str(error).lower():
            return bad_response("what is not HTTP", where=self.where)
        return lost(self.where, scrub(str(error)) or "without an answer")

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()
