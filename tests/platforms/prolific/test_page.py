"""Participants arrive from Prolific with their own place in a study, and with no other."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client as Browser

from platforms.models import Identity, Offer, Session
from platforms.prolific.platform import ProlificPlatform
from tests.platforms.prolific.samples import an_offer, handed_in, open_offer
from tests.twins.prolific import Participant, ProlificTwin
from tests.twins.prolific.account import Submission
from workers.models import Access, Worker
from workers.page_token import read_page_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def offer(prolific: ProlificPlatform) -> Offer:
    return open_offer(prolific)


@pytest.fixture
def someone(twin: ProlificTwin) -> Participant:
    return twin.participant()


def visit(address: str, **changes: str) -> Any:
    """Open the address to which Prolific sends a browser. `changes`: parameters that a forger replaced."""
    parts = urlsplit(address)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()} | changes
    return Browser().get(parts.path, query)


def is_refused(answer: HttpResponse) -> bool:
    return answer.status_code == 403 and not Session.objects.exists()


def test_a_participant_gets_a_session_and_a_token_for_it(offer: Offer, someone: Participant) -> None:
    submission, address = someone.start(offer.external_id)
    answer = visit(address)
    session = Session.objects.get()
    assert (session.offer, session.external_id, session.state) == (offer, submission.id, Session.State.OPEN)
    assert Identity.objects.get().external_id == someone.id
    assert Access.objects.get().task == offer.task
    assert read_page_token(answer.context["bearer"]) == (session.worker_id, session.id, None)


def test_the_page_sets_no_cookie_reads_none_and_is_kept_nowhere(offer: Offer, someone: Participant) -> None:
    answer = visit(someone.start(offer.external_id)[1])
    assert answer.status_code == 200
    assert not answer.cookies
    assert "Cookie" not in answer.get("Vary", "")
    assert "no-store" in answer["Cache-Control"]


def test_the_same_visit_again_gives_the_same_session(offer: Offer, someone: Participant) -> None:
    _, address = someone.start(offer.external_id)
    tokens = {read_page_token(visit(address).context["bearer"]) for _ in range(2)}
    assert len(tokens) == Session.objects.count() == 1


@pytest.mark.both_engines
def test_the_page_ends_where_prolific_takes_the_code(twin: ProlificTwin, offer: Offer, someone: Participant) -> None:
    answer = visit(someone.start(offer.external_id)[1])
    address, _, code = answer.context["finish_url"].partition("?cc=")
    assert (address, answer.context["finish_fields"]) == (f"{twin.site}/submissions/complete", {})
    assert someone.complete(code).status == "AWAITING REVIEW"


def test_somebody_elses_submission_study_or_name_opens_nothing(
    twin: ProlificTwin, prolific: ProlificPlatform, offer: Offer, someone: Participant
) -> None:
    other_offer, other = open_offer(prolific, task="box_drawing"), twin.participant()
    other_submission, _ = other.start(other_offer.external_id)
    _, address = someone.start(offer.external_id)
    forged: list[dict[str, str]] = [
        {"pid": other.id},
        {"pid": "0" * 24},
        {"study": other_offer.external_id},
        {"session": other_submission.id},
        {"session": "0" * 24},
        {"session": other_submission.id, "pid": other.id},
        {"session": other_submission.id, "pid": other.id, "study": other_offer.external_id},
        {"session": "../studies"},
        {"session": ""},
        {"pid": "{{%PROLIFIC_PID%}}"},
    ]
    for changes in forged:
        assert is_refused(visit(address, **changes)), changes


def test_a_place_of_another_study_does_not_open_this_offer(
    prolific: ProlificPlatform, offer: Offer, someone: Participant
) -> None:
    other = open_offer(prolific, project_id=offer.project_id, task="box_drawing")
    _, address = someone.start(offer.external_id)
    assert is_refused(visit(address.replace(offer.key, other.key)))


def returned(twin: ProlificTwin, someone: Participant, submission: Submission) -> None:
    someone.give_back(submission)


def timed_out(twin: ProlificTwin, someone: Participant, submission: Submission) -> None:
    twin.clock.forward(minutes=61)


def completed(twin: ProlificTwin, someone: Participant, submission: Submission) -> None:
    someone.complete("anything")


@pytest.mark.parametrize("end", [returned, timed_out, completed])
def test_a_place_that_is_over_opens_nothing(twin: ProlificTwin, offer: Offer, someone: Participant, end: Any) -> None:
    submission, address = someone.start(offer.external_id)
    end(twin, someone, submission)
    answer = visit(address)
    assert is_refused(answer)
    assert "given back" in answer.content.decode()


@pytest.mark.parametrize("kind", ["500", "throttle", "cut"])
def test_while_prolific_does_not_answer_the_visitor_is_asked_to_wait(
    twin: ProlificTwin, offer: Offer, someone: Participant, kind: Any
) -> None:
    _, address = someone.start(offer.external_id)
    twin.fail("GET", "/submissions/*/", kind=kind, times=2)
    answer = visit(address)
    assert (answer.status_code, answer["Retry-After"], Worker.objects.count()) == (503, "15", 0)
    assert visit(address).status_code == 200


def test_visitors_of_a_study_whose_id_we_do_not_know_yet_are_let_in(
    twin: ProlificTwin, prolific: ProlificPlatform, someone: Participant
) -> None:
    offer = an_offer()
    study = prolific.publish(offer).external_id
    handed_in(twin, open_offer(prolific), someone)
    _, address = someone.start(study)
    assert visit(address).status_code == 200
    stranger = an_offer(project_id=offer.project_id, task="box_drawing")
    assert visit(address.replace(offer.key, stranger.key)).status_code == 403


def test_an_unknown_offer_has_no_page(twin: ProlificTwin) -> None:
    assert Browser().get("/platforms/prolific/unknown/").status_code == 404
