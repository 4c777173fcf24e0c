"""Calls Mechanical Turk, and what goes over the wire: amounts, the page in a HIT, and the answers that we read.

A call ends in one of four ways: done, refused, certainly not done, or unknown.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

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
from pydantic import BaseModel, ConfigDict, Field, Json, TypeAdapter, ValidationError

from platforms.errors import NothingDoneError, PlatformError, RefusedError, UnsureError

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>{}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>'
)
"""Height 0: as high as the window."""


def question_of(address: str) -> str:
    """Return the question of a HIT that frames the page at this address."""
    return QUESTION.format(escape(address))


def dollars(cents: int) -> str:
    """Return an amount as Mechanical Turk expects it: 5 cents are "0.05"."""
    return f"{cents // 100}.{cents % 100:02d}"


def cents_of(amount: str) -> int:
    """Return an amount in whole cents; fractions of a cent are dropped."""
    return int(Decimal(amount) * 100)


class MturkResponse(BaseModel):
    """The fields of an answer that we read; others are ignored."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)


class HIT(MturkResponse):
    id: str = Field(alias="HITId")
    annotation: str = Field("", alias="RequesterAnnotation")
    """The key of our offer."""
    status: str = Field("", alias="HITStatus")
    expires_at: datetime | None = Field(None, alias="Expiration")


class HITDetails(HIT):
    places: int = Field(alias="MaxAssignments")
    free: int = Field(0, alias="NumberOfAssignmentsAvailable")


class MturkAssignment(MturkResponse):
    id: str = Field(alias="AssignmentId")
    worker: str = Field(alias="WorkerId")
    status: str = Field(alias="AssignmentStatus")
    submitted_at: datetime | None = Field(None, alias="SubmitTime")


class PaidBonus(MturkResponse):
    assignment: str = Field(alias="AssignmentId")
    worker: str = Field(alias="WorkerId")
    amount: str = Field(alias="BonusAmount")
    reason: str = Field("", alias="Reason")


class QualificationType(MturkResponse):
    id: str = Field(alias="QualificationTypeId")
    name: str = Field("", alias="Name")


class HITEvent(MturkResponse):
    hit: str = Field(alias="HITId")
    what: str = Field(alias="EventType")


class Notification(MturkResponse):
    """A message in the queue."""

    id: str = Field(alias="EventDocId")
    events: list[HITEvent] = Field(alias="Events")


class TopicMessage(MturkResponse):
    """A message that went through a topic, which wraps the notification."""

    notification: Json[Notification] = Field(alias="Message")


_MESSAGE: TypeAdapter[Notification | TopicMessage] = TypeAdapter(Notification | TopicMessage)


def read_notification(body: str) -> Notification:
    """Return the notification in a message of the queue. Raises ValidationError if the message holds none."""
    message = _MESSAGE.validate_json(body)
    return message.notification if isinstance(message, TopicMessage) else message


Values = dict[str, Any]
Body = TypeVar("Body", bound=MturkResponse)
REGION = "us-east-1"
"""The only region of Mechanical Turk."""
CONFIG = Config(
    connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3}, region_name=REGION
)
"""boto3 may repeat every call: those that make something carry a token, and the others are harmless to repeat."""
NO_KEYS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError)
PAGE = 100
STAMP = re.compile(r"\s*\(\d{10,}[^)]*\)\s*$")
LONGEST_MESSAGE = 400


class TurkRefusedError(RefusedError):
    """Mechanical Turk refused. `code`: its error code in small letters, without the part before the last dot."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class Turk:
    """The requester's API by boto3's client, whose errors become errors of a platform."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __call__(self, operation: str, **params: Any) -> Values:
        """Call one operation, named as in boto3. Raises TurkRefusedError, NothingDoneError or UnsureError."""
        with platform_errors():
            answer: Values = getattr(self._client, operation)(**params)
        return answer

    def listed(self, operation: str, name: str, **params: Any) -> Iterator[Values]:
        """Yield the rows of all pages of a list operation; `name`: the field of the answer that holds them."""
        with platform_errors():
            pages = self._client.get_paginator(operation).paginate(**params, PaginationConfig={"PageSize": PAGE})
            for page in pages:
                yield from page[name]


def parse_values(values: Values, body: type[Body]) -> Body:
    """Read a part of an answer. Raises UnsureError if it is something else than expected."""
    try:
        return body.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UnsureError(f"Mechanical Turk's answer cannot be read: {where}: {first['msg']}.") from error


@contextmanager
def platform_errors() -> Iterator[None]:
    """Turn the errors of boto3 into errors of a platform."""
    try:
        yield
    except ParamValidationError as error:
        raise RefusedError(" ".join(str(error).split())[:LONGEST_MESSAGE]) from error
    except NO_KEYS as error:
        raise NothingDoneError(f"Mechanical Turk was not asked: {error}") from error
    except BotoCoreError as error:
        raise UnsureError(f"Mechanical Turk gave no answer ({type(error).__name__}).", out_of_reach=True) from error
    except ClientError as error:
        raise _translated(error.response) from error


def _translated(response: Any) -> PlatformError:
    kind = response["Error"].get("Code", "")
    message = STAMP.sub("", response["Error"].get("Message", ""))[:LONGEST_MESSAGE]
    code = response.get("TurkErrorCode", "").rpartition(".")[2].lower()
    if response["ResponseMetadata"]["HTTPStatusCode"] >= 500 or "throttl" in kind.lower():
        return UnsureError(f"Mechanical Turk says to try again later ({kind}).")
    if code == "insufficientfunds":
        return NothingDoneError("There is not enough money in the Mechanical Turk account.")
    if code:
        return TurkRefusedError(f"Mechanical Turk: {message}", code)
    # AWS refused before Mechanical Turk saw the call: the keys are wrong, or lack a permission.
    return NothingDoneError(f"The call was not let in: {kind}: {message}")


@cache
def turk_at(url: str) -> Turk:
    return Turk(boto3.Session().client("mturk", endpoint_url=url, config=CONFIG))


@cache
def sqs_of(queue_url: str) -> Any:
    """Return boto3's client for a queue, in the region that the queue's address names."""
    named = re.search(r"\bsqs\.([a-z0-9-]+)\.", urlsplit(queue_url).hostname or "")
    return boto3.Session().client("sqs", region_name=named[1] if named else REGION, config=CONFIG)
