"""Credentials of clouds, through their vendors' libraries.

Azure and Google give tokens with an end; AWS wants each request signed (Signature Version 4), with the credentials of the environment, a
profile or SSO as ``botocore`` finds them. The libraries are extras, imported when a profile wants one.
"""

from __future__ import annotations

import datetime
import functools
import os
import re
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.refusals import scrub

_AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
_GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_AWS_SERVICE = "bedrock"
_REGION = re.compile(r"//bedrock[\w-]*\.([a-z]{2}[\w-]*-\d)\.")
_LOGIN = {"azure": "az login", "google": "gcloud auth application-default login", "aws": "aws sso login"}


Result = TypeVar("Result")


class Token(Struct, frozen=True):
    """A bearer token and its end on the wall's clock (Unix seconds): a machine that slept has an old token."""

    value: str
    until: float


def cloud_token(cloud: str) -> Token:
    """A token of ``azure`` (Entra ID) or ``google`` (application default credentials). Raises :class:`ConfigurationError`."""
    return _through_library(cloud, _azure_token if cloud == "azure" else _google_token)


def signed_by_aws(method: str, url: str, body: bytes) -> dict[str, str]:
    """The headers that sign a request. Raises :class:`ConfigurationError` where there are no credentials or no region."""
    return _through_library("aws", lambda: _aws_headers(method, url, body))


def _through_library(cloud: str, ask: Callable[[], Result]) -> Result:
    try:
        return ask()
    except ImportError:
        raise ConfigurationError(
            f"The library that signs in at {cloud} is not installed.", remedy=f"pip install 'spark-jupyter[{cloud}]'"
        ) from None
    except ConfigurationError:
        raise
    except Exception as error:  # each library has its own, and some raise those of what is below them
        said = scrub(str(error).partition("\n")[0]) or type(error).__name__
        raise ConfigurationError(f"{cloud} gives no credentials: {said}.", remedy=f"Log in: {_LOGIN[cloud]}") from None


def _azure_token() -> Token:
    from azure.identity import DefaultAzureCredential

    with DefaultAzureCredential() as credential:
        found = credential.get_token(_AZURE_SCOPE)
    return Token(found.token, float(found.expires_on))


def _google_token() -> Token:
    import google.auth
    from google.auth.transport.requests import Request

    credentials: Any = google.auth.default(scopes=[_GOOGLE_SCOPE])[0]
    credentials.refresh(Request())
    ends = credentials.expiry.replace(tzinfo=datetime.UTC)  # which the library gives without a zone
    return Token(str(credentials.token), ends.timestamp())


@functools.cache
def _aws_session() -> Any:
    """One for all: it keeps the credentials, and renews them."""
    from botocore.session import Session

    return Session()


def _aws_headers(method: str, url: str, body: bytes) -> dict[str, str]:
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    session = _aws_session()
    credentials = session.get_credentials()
    found = _REGION.search(url)
    region = found[1] if found else os.environ.get("AWS_REGION") or session.get_config_variable("region")
    if credentials is None or not region:
        missing = "no region" if credentials is not None else "no credentials"
        raise ConfigurationError(
            f"AWS has {missing} here.", remedy="aws configure sso, or set AWS_PROFILE and AWS_REGION."
        )
    request = AWSRequest(method=method, url=url, data=body, headers={"Content-Type": "application/json"})
    SigV4Auth(credentials.get_frozen_credentials(), _AWS_SERVICE, region).add_auth(request)
    return dict(request.headers.items())
