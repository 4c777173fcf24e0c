"""Qualifications on the twin of Mechanical Turk decide who accepts a HIT."""

from typing import Any

import pytest

from tests.twins.mturk import MTurkTwin, Refused
from tests.twins.mturk.samples import ANN, BOB, CAY, EXPERIENCED, done, offer, refused

EASY = {"Name": "Box test", "Description": "Passed.", "QualificationTypeStatus": "Active"}


def test_experience_is_asked_when_a_worker_accepts(client: Any, twin: MTurkTwin) -> None:
    hit = offer(client, QualificationRequirements=EXPERIENCED)["HITId"]
    twin.worker(ANN, approved=500, rejected=26)
    twin.worker(BOB, approved=499)
    twin.worker(CAY, approved=950, rejected=51)
    assert twin.accept(hit, ANN).worker.id == ANN
    for worker in (BOB, CAY):
        with pytest.raises(Refused, match="qualifications"):
            twin.accept(hit, worker)


def test_reviews_count_towards_experience(client: Any, twin: MTurkTwin) -> None:
    twin.worker(ANN, approved=499)
    client.approve_assignment(AssignmentId=done(twin, offer(client)["HITId"]))
    assert twin.accept(offer(client, QualificationRequirements=EXPERIENCED)["HITId"], ANN)


def test_an_own_qualification_lets_in_whoever_has_the_score(client: Any, twin: MTurkTwin) -> None:
    kind = client.create_qualification_type(**EASY)["QualificationType"]["QualificationTypeId"]
    score = {"QualificationTypeId": kind, "Comparator": "GreaterThan", "IntegerValues": [7]}
    hit = offer(client, QualificationRequirements=[score])["HITId"]
    for worker, value in ((ANN, 8), (BOB, 7)):
        client.associate_qualification_with_worker(QualificationTypeId=kind, WorkerId=worker, IntegerValue=value)
    assert twin.accept(hit, ANN)
    for worker in (BOB, CAY):
        with pytest.raises(Refused):
            twin.accept(hit, worker)


def test_a_revoked_qualification_is_no_qualification(client: Any, twin: MTurkTwin) -> None:
    kind = client.create_qualification_type(**EASY)["QualificationType"]["QualificationTypeId"]
    pair = {"QualificationTypeId": kind, "WorkerId": ANN}
    with refused("QualificationDoesNotExist"):
        client.get_qualification_score(**pair)
    client.associate_qualification_with_worker(**pair, SendNotification=False)
    assert client.get_qualification_score(**pair)["Qualification"]["IntegerValue"] == 1
    client.disassociate_qualification_from_worker(**pair)
    with refused("InvalidQualificationState", "Granted"):
        client.get_qualification_score(**pair)
    needed = {"QualificationTypeId": kind, "Comparator": "Exists"}
    with pytest.raises(Refused):
        twin.accept(offer(client, QualificationRequirements=[needed])["HITId"], ANN)


@pytest.mark.parametrize(
    ("comparator", "values", "passes"),
    [("In", [3, 5], True), ("In", [4], False), ("NotIn", [4], True), ("DoesNotExist", [], False), ("Exists", [], True)],
)
def test_sets_and_existence_are_compared(
    client: Any, twin: MTurkTwin, comparator: str, values: list[int], *, passes: bool
) -> None:
    kind = client.create_qualification_type(**EASY)["QualificationType"]["QualificationTypeId"]
    client.associate_qualification_with_worker(QualificationTypeId=kind, WorkerId=ANN, IntegerValue=5)
    needed = {"QualificationTypeId": kind, "Comparator": comparator, "ActionsGuarded": "DiscoverPreviewAndAccept"}
    offer(client, QualificationRequirements=[{**needed, **({"IntegerValues": values} if values else {})}])
    assert bool(twin.discover(ANN)) is passes


def test_a_requirement_guards_what_it_says(client: Any, twin: MTurkTwin) -> None:
    guarded = [{**EXPERIENCED[0], "ActionsGuarded": "PreviewAndAccept"}]
    hit = offer(client, QualificationRequirements=guarded)["HITId"]
    assert [one.id for one in twin.discover(ANN)] == [hit]
    with pytest.raises(Refused, match="preview"):
        twin.preview(hit, ANN)
    assert twin.preview(offer(client, QualificationRequirements=EXPERIENCED)["HITId"], ANN)


@pytest.mark.parametrize(
    "needed",
    [
        [EXPERIENCED[0]] * 11,
        [{**EXPERIENCED[0], "Comparator": "Exists"}],
        [{**EXPERIENCED[0], "LocaleValues": [{"Country": "US"}]}],
        [{"QualificationTypeId": "00000000000000000040", "Comparator": "In", "IntegerValues": list(range(16))}],
        [{**EXPERIENCED[0], "QualificationTypeId": "00000000000000000071"}],
    ],
)
def test_requirements_that_make_no_sense_are_refused(client: Any, needed: list[dict[str, Any]]) -> None:
    with refused("ParameterValidationError"):
        offer(client, QualificationRequirements=needed)


def test_a_name_is_for_one_qualification_type(client: Any) -> None:
    client.create_qualification_type(**EASY)
    with refused("QualificationTypeAlreadyExists", "must be unique"):
        client.create_qualification_type(**EASY)
    found = client.list_qualification_types(MustBeRequestable=False, MustBeOwnedByCaller=True, Query="PASSED")
    assert [one["Name"] for one in found["QualificationTypes"]] == ["Box test"]
