"""Speaks to Mechanical Turk. A call ends in one of four ways: done, refused, certainly not done, or nobody knows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)

from platforms.contract.errors import NothingDoneError, PlatformError, RefusedError, UnsureError

Values = dict[str, Any]
REGION = "us-east-1"
"""PlatformState is no other."""
PATIENCE = Config(
    connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3}, region_name=REGION
)
"""Everything may be repeated: what makes something carries a token, and what changes something changes it once."""
NO_KEYS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError)
PAGE = 100
STAMP = re.compile(r"\s*\(\d{10,}[^)]*\)\s*$")
LONGEST_WORDS = 400


class TurkRefusedError(RefusedError):
    """Refused by the service itself. `code`: its own, in small letters and without what comes before the last dot."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class Turk:
    """The requester's side of the service, by boto3's client of it; its errors in our words."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __call__(self, operation: str, **params: Any) -> Values:
        """One operation, named as boto3 does. TurkRefusedError, NothingDoneError, UnsureError."""
        with in_our_words():
            answer: Values = getattr(self._client, operation)(**params)
        return answer

    def listed(self, operation: str, name: str, **params: Any) -> Iterator[Values]:
        """What a list operation calls `name`, of all its pages."""
        with in_our_words():
            pages = self._client.get_paginator(operation).paginate(**params, PaginationConfig={"PageSize": PAGE})
            for page in pages:
                yield from page[name]


@contextmanager
def in_our_words() -> Iterator[None]:
    try:
        yield
    except ParamValidationError as error:
        raise RefusedError(" ".join(str(error).split())[:LONGEST_WORDS]) from error
    except NO_KEYS as error:
        raise NothingDoneError(f"Mechanical Turk was not asked: {error}") from error
    except BotoCoreError as error:
        raise UnsureError(f"Mechanical Turk gave no answer ({type(error).__name__}).", out_of_reach=True) from error
    except ClientError as error:
        raise _translated(error.response) from error


def _translated(response: Any) -> PlatformError:
    kind = response["Error"].get("Code", "")
    words = STAMP.sub("", response["Error"].get("Message", ""))[:LONGEST_WORDS]
    code = response.get("TurkErrorCode", "").rpartition(".")[2].lower()
    if response["ResponseMetadata"]["HTTPStatusCode"] >= 500 or "throttl" in kind.lower():
        return UnsureError(f"Mechanical Turk says to try again later ({kind}).")
    if code == "insufficientfunds":
        return NothingDoneError("PlatformState is not enough money in the Mechanical Turk account.")
    if code:
        return TurkRefusedError(f"Mechanical Turk: {words}", code)
    # Not the service but what stands before it: keys that are wrong, or may not do this.
    return NothingDoneError(f"The call was not let in: {kind}: {words}")


@cache
def turk_at(url: str) -> Turk:
    return Turk(boto3.Session().client("mturk", endpoint_url=url, config=PATIENCE))


@cache
def sqs_of(queue_url: str) -> Any:
    """The client for a queue: in the region that its address names."""
    named = re.search(r"\bsqs\.([a-z0-9-]+)\.", urlsplit(queue_url).hostname or "")
    return boto3.Session().client("sqs", region_name=named[1] if named else REGION, config=PATIENCE)
