"""The wire format of Mechanical Turk: amounts, the page in a HIT, and the answers that we read."""

from datetime import datetime
from decimal import Decimal
from xml.sax.saxutils import escape

from pydantic import BaseModel, ConfigDict, Field, Json, TypeAdapter

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
