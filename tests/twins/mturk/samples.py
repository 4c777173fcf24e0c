"""Short ways to say what tests of the twin say often."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.twins.mturk.account import PREFIX
from tests.twins.mturk.events import Queue
from tests.twins.mturk.twin import MTurkTwin
from tests.twins.mturk.worker_side import SCHEMAS

ANN, BOB, CAY = "A1ANN", "A2BOB", "A3CAY"
TYPE = {"Title": "Draw a box", "Description": "One box.", "Reward": "0.10", "AssignmentDurationInSeconds": 600}
EXPERIENCED = [
    {"QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [500]},
    {"QualificationTypeId": "000000000000000000L0", "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [95]},
]
OF_TYPE = ("AutoApprovalDelayInSeconds", "Keywords", "QualificationRequirements")
"""Values of a HIT type that TYPE leaves out."""
FORM = [("receipt", "r-1")]


def question(url: str = "https://boxes.example/work?task=box&amp;project=demo", height: object = 0) -> str:
    parts = f"<ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight>"
    return f'<ExternalQuestion xmlns="{SCHEMAS}2006-07-14/ExternalQuestion.xsd">{parts}</ExternalQuestion>'


def offer(client: Any, **changes: Any) -> Any:
    """A new HIT as the service shows it."""
    values = {"LifetimeInSeconds": 3600, "MaxAssignments": 3, "Question": question(), **TYPE, **changes}
    of_type = {name: values.pop(name) for name in [*values] if name in TYPE or name in OF_TYPE}
    return client.create_hit_with_hit_type(HITTypeId=client.create_hit_type(**of_type)["HITTypeId"], **values)["HIT"]


def shown(client: Any, hit: str) -> Any:
    return client.get_hit(HITId=hit)["HIT"]


def subscribe(client: Any, hit_type: str, *events: str) -> None:
    notification = {"Destination": "queue", "Transport": "SQS", "Version": "2014-08-15", "EventTypes": list(events)}
    client.update_notification_settings(HITTypeId=hit_type, Notification=notification, Active=True)


def told(queue: Queue) -> list[str]:
    """The kinds of the waiting events."""
    return [event["EventType"] for event in queue.events()]


@contextmanager
def refused(code: str, words: str = "") -> Iterator[None]:
    """The block ends in a RequestError with this TurkErrorCode, and these words in its message."""
    with pytest.raises(ClientError) as caught:
        yield
    response = caught.value.response
    assert (response["Error"]["Code"], response["TurkErrorCode"]) == ("RequestError", PREFIX + code)
    assert words in response["Error"]["Message"]


def done(twin: MTurkTwin, hit: str, worker: str = ANN) -> str:
    """The id of an assignment that the worker has submitted."""
    return twin.submit(twin.accept(hit, worker).id, FORM).id


def balance(client: Any) -> tuple[str, str]:
    """The money that is available, and the money on hold."""
    account = client.get_account_balance()
    return account["AvailableBalance"], account["OnHoldBalance"]
