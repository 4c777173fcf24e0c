"""The pages in a platform's frame, and payments that a requester decides by hand."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.ledger import account_of
from pipeline.money.refuse_pay import refuse_pay
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from platforms.errors import RefusedError, UnsureError
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.read_offers import read_offers
from platforms.pages.work_page import offer_shown
from platforms.sessions import finish_session
from platforms.settling import settle_by_hand as by_hand
from platforms.settling.plan_payments import payments_to_make, plan_payments
from platforms.settling.send_payments import send_payments
from platforms.settling.settle_by_hand import LISTED_WITHIN, CannotSettleError, decide_unknown, retry_payment
from runtime import clock
from tests.platforms.paper import Paper, serves
from tests.support.money import REWARD
from tests.support.projects import project_of, submit
from tests.support.recruiting import an_offer, comes, given_in
from tests.support.table import case, row

pytestmark = pytest.mark.django_db

PLACE: dict[str, Any] = {
    "project": Project(name="demo", title='A "quoted" <title>', created_at=datetime(2026, 1, 1, tzinfo=UTC)),
    "task": "box_drawing", "label": "draw a box", "place_word": "HIT", "least": 2, "reward": 40, "currency": "USD",
}  # fmt: skip
FINISH = "https://a.example/submit?a=1&b=2"
SESSION = PLACE | {"bearer": "b", "needed": 3, "platform": "mturk", "quota": 5, "finish_url": FINISH}
FIELDS = {"assignmentId": "3\"'<&>", "receipt": "7"}


class Page(HTMLParser):
    """All tags of a page, with their attributes."""

    def __init__(self, template: str, context: dict[str, Any]) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = render_to_string(template, context)
        self.feed(self.text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def with_attribute(self, name: str) -> dict[str, str | None]:
        (found,) = [attributes for _, attributes in self.tags if name in attributes]
        return found


@pytest.mark.parametrize("fields", [FIELDS, json.dumps(FIELDS)])
def test_the_work_page_holds_what_its_script_needs(fields: Any) -> None:
    shown = Page("platforms/work.html", SESSION | {"finish_fields": fields}).with_attribute("data-bearer")
    assert json.loads(shown["data-finish-fields"] or "") == FIELDS
    assert shown["data-finish-url"] == FINISH and shown["data-title"] == 'A "quoted" <title>'
    figures = [shown[f"data-{name}"] for name in ("least", "quota", "reward", "currency", "needed", "pays-tests")]
    assert figures == ["2", "5", "40", "USD", "3", "no"]


def test_the_work_page_has_no_home() -> None:
    assert "data-home" not in Page("platforms/work.html", SESSION).with_attribute("data-bearer")


def test_an_offer_that_pays_for_tests_says_so() -> None:
    page = Page("platforms/work.html", SESSION | {"pays_tests": True})
    assert page.with_attribute("data-bearer")["data-pays-tests"] == "yes"


def test_a_preview_shows_the_rule_and_the_pay_and_gives_no_right_to_ask() -> None:
    page = Page("platforms/preview.html", PLACE)
    assert page.with_attribute("data-preview")["data-preview"] == "box_drawing"
    assert "Accept the HIT to begin." in page.text
    assert "$0.40 for 2 short assignments." in page.text
    assert "bearer" not in page.text


def test_a_preview_says_what_a_newcomer_does_first_and_whether_it_is_paid() -> None:
    assert "a short test, which alone is not paid." in Page("platforms/preview.html", SESSION).text
    assert "a short test." in Page("platforms/preview.html", SESSION | {"pays_tests": True}).text
    assert "test" not in Page("platforms/preview.html", PLACE | {"needed": 0}).text


@pytest.mark.parametrize("asks", ["part_answers", "sweeps"])
def test_both_pages_say_which_links_the_project_asks(asks: str) -> None:
    for template, place, element in (("work", SESSION, "bearer"), ("preview", PLACE, "preview")):
        pages = [Page(f"platforms/{template}.html", place | {asks: asked}) for asked in (True, False)]
        named = f"data-{asks.replace('_', '-')}"
        assert [named in page.with_attribute(f"data-{element}") for page in pages] == [True, False]


@pytest.mark.django_db
def test_an_offer_of_a_project_that_sweeps_says_so() -> None:
    settings = Settings(strategy=LinkStrategy.ADAPTIVE, sweeps=True)
    for name, own, asks in (("swept", settings, True), ("pairs", replace(settings, sweeps=False), False)):
        assert offer_shown(an_offer(project_of(name=name, settings=own)))["sweeps"] is asks


def test_a_preview_says_how_many_may_follow() -> None:
    assert "up to 5 in all" in Page("platforms/preview.html", SESSION).text
    assert "in all" not in Page("platforms/preview.html", SESSION | {"quota": 2}).text


def test_a_refusal_says_why() -> None:
    text = Page("platforms/closed.html", {"title": "Not here", "message": "This HIT is <over>."}).text
    assert "<h1>Not here</h1>" in text
    assert "This HIT is &lt;over&gt;." in text


@pytest.mark.parametrize("name", ["work", "preview", "closed"])
def test_pages_in_a_frame_lead_nowhere_and_hold_no_code(name: str) -> None:
    page = Page(f"platforms/{name}.html", SESSION | {"title": "Not here", "message": "Over."})
    assert page.all("a") == []
    assert [script["type"] for script in page.all("script") if "src" in script] == ["module"]
    assert all("src" in script for script in page.all("script"))
    assert all("style" not in attributes for _, attributes in page.tags)


@pytest.mark.parametrize("platform", ["mturk", "prolific"])
@pytest.mark.parametrize("key", ["%F0%9F%92%A9", "x" * 5000])
def test_an_address_that_names_no_offer_is_not_found(platform: str, key: str, side: Any) -> None:
    assert Client().get(f"/platforms/{platform}/{key}/").status_code == 404


def handed_in(offer: Offer, number: int = 1, *, questions: int = 0, here: bool = False) -> Session:
    """Submit a session on the platform; `questions`: that were answered in it; `here`: finish it on our page, too."""
    session = comes(offer, f"W{number}", f"A{number}")
    if questions:
        submit(given_in(session, questions), *[3] * questions)
    if here:
        finish_session(session_id=session.id, worker_id=session.worker_id)
    Session.objects.filter(id=session.id).update(platform_state="submitted")
    session.refresh_from_db()
    return session


def sent(paper: Paper, offer: Offer) -> list[tuple[str, str, int]]:
    """Send what is planned, and return all that was ever sent."""
    send_payments(paper, offer.project_id)
    return paper.sent


Kind = Payment.Kind
POOR = RefusedError("You have insufficient funds.")


def decide(session: Session, kind: Payment.Kind = Kind.APPROVE, reason: str = "The page failed.") -> Payment:
    return by_hand.settle_by_hand(session_id=session.id, kind=kind, reason=reason)


def test_an_approval_pays_the_reward_and_nothing_is_owed_after_it(offer: Offer, paper: Paper) -> None:
    session = handed_in(offer)
    decide(session)
    assert sent(paper, offer) == [("approve", "A1", REWARD)]
    account = account_of(session.worker_id, offer.project_id)
    assert (account.bonus, account.paid, account.owed) == (REWARD, REWARD, 0)


def test_what_was_earned_in_it_is_a_part_of_the_reward(offer: Offer, paper: Paper) -> None:
    session = handed_in(offer, questions=2)
    decide(session)
    sent(paper, offer)
    account = account_of(session.worker_id, offer.project_id)
    assert (account.earned, account.bonus, account.owed) == (10, REWARD - 10, 0)


def test_a_rejection_pays_nothing_and_says_why(offer: Offer, paper: Paper) -> None:
    payment = decide(handed_in(offer), Kind.REJECT, " Nothing was done. ")
    assert (payment.cents, payment.reason) == (0, "Nothing was done.")
    assert sent(paper, offer) == [("reject", "A1", 0)]
    assert plan_payments("mturk", offer.project_id) == []


def test_what_earned_something_is_not_rejected_without_refusing_that(offer: Offer) -> None:
    with pytest.raises(CannotSettleError, match="10 cents were earned"):
        decide(handed_in(offer, questions=2), Kind.REJECT)


@row({"platform_state": ""}, "does not wait")
@row({"platform_state": "approved"}, "does not wait")
@row({"state": "finished"}, "handed in here")
def test_only_sessions_without_work_here_are_decided_by_hand(change: dict[str, Any], message: str, offer: Offer):
    session = handed_in(offer)
    Session.objects.update(**change)
    with pytest.raises(CannotSettleError, match=message):
        decide(session)


@pytest.mark.both_engines
def test_it_is_decided_once(offer: Offer) -> None:
    session = handed_in(offer)
    decide(session)
    with pytest.raises(CannotSettleError, match="on its way"):
        decide(session, Kind.REJECT)
    assert Payment.objects.count() == 1


@row(1, 20)
@row(2, 40)
def test_a_session_that_was_not_finished_is_paid_the_part_that_it_earned(
    questions: int, cents: int, offer: Offer, paper: Paper
) -> None:
    session = handed_in(offer, questions=questions)
    Assignment.objects.update(earned_cents=cents)
    by_hand.approve_part(paper, session, reason="You did not get to the end.")
    send_payments(paper, offer.project_id)
    assert paper.sent == [("part", "A1", cents)]
    session.refresh_from_db()
    assert session.platform_state == "approved"
    assert (
        LedgerEntry.objects.get(kind="paid").cents == cents
        and account_of(session.worker_id, offer.project_id).owed == 0
    )


def test_what_no_part_of_the_reward_can_pay_follows_as_a_bonus(offer: Offer, paper: Paper) -> None:
    Offer.objects.update(reward_cents=75)
    session = handed_in(offer, questions=2)
    Assignment.objects.update(earned_cents=43)
    by_hand.approve_part(paper, session, reason="Thank you.")
    send_payments(paper, offer.project_id)
    (bonus,) = plan_payments("mturk", offer.project_id)
    assert (paper.sent, bonus.kind, bonus.cents) == ([("part", "A1", 42)], "bonus", 1)


@pytest.mark.parametrize("cents", [0, REWARD])
def test_no_part_is_paid_of_nothing_or_of_all(cents: int, offer: Offer, paper: Paper) -> None:
    session = handed_in(offer, questions=2)
    Assignment.objects.update(earned_cents=cents)
    with pytest.raises(CannotSettleError, match=f"{cents} cents were earned: no part"):
        by_hand.approve_part(paper, session, reason="Thank you.")


def test_a_platform_that_pays_whole_rewards_pays_no_part(offer: Offer) -> None:
    session = handed_in(offer, questions=2)
    with pytest.raises(CannotSettleError, match="whole rewards only"):
        by_hand.approve_part(Paper(pays_parts=False), session, reason="Thank you.")


def test_a_part_is_not_paid_once_some_of_it_is_refused(offer: Offer, paper: Paper) -> None:
    session = handed_in(offer, questions=2)
    Assignment.objects.update(earned_cents=20)
    by_hand.approve_part(paper, session, reason="Thank you.")
    refuse_pay(assignment_id=Assignment.objects.get().id, cents=1, reason="Wrong.", actor="ada")
    send_payments(paper, offer.project_id)
    assert paper.sent == [] and not Payment.objects.exists()


def test_a_worker_who_is_asked_to_give_a_session_back_has_a_week_before_it_is_rejected(
    offer: Offer, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = handed_in(offer, questions=2, here=True)
    with pytest.raises(CannotSettleError, match="refuse that pay first"):
        by_hand.ask_to_return(paper, session, reason="Nothing in the boxes.")
    by_hand.refuse_session(session, reason="Nothing in the boxes.", actor="ada")
    assert [due.kind for due in payments_to_make("mturk", offer.project_id)] == ["reject"]
    by_hand.ask_to_return(paper, session, reason="Nothing in the boxes.")
    assert (paper.sent, payments_to_make("mturk", offer.project_id)) == ([("return", "A1", 0)], [])
    session.refresh_from_db()
    with pytest.raises(CannotSettleError, match="was asked on"):
        by_hand.ask_to_return(paper, session, reason="Again.")
    later = clock.now() + timedelta(days=7)
    assert [due.kind for due in payments_to_make("mturk", offer.project_id, later)] == ["reject"]


def test_a_session_that_waits_for_no_decision_is_not_asked_back(offer: Offer, paper: Paper) -> None:
    with pytest.raises(CannotSettleError, match="does not wait"):
        by_hand.ask_to_return(paper, comes(offer), reason="Please.")


def test_a_bonus_is_no_decision(offer: Offer) -> None:
    with pytest.raises(CannotSettleError, match="approved or rejected"):
        decide(handed_in(offer), Kind.BONUS)


def refused(paper: Paper, offer: Offer) -> Payment:
    plan_payments("mturk", offer.project_id)
    paper.refuses = POOR
    send_payments(paper, offer.project_id)
    paper.refuses = None
    return Payment.objects.get(state="refused")


def more_is_owed(offer: Offer) -> Session:
    """A settled session whose worker is still owed 45 cents."""
    session = handed_in(offer, questions=9, here=True)
    Session.objects.filter(id=session.id).update(platform_state="approved")
    return session


def test_a_refused_payment_is_sent_again(offer: Offer, paper: Paper) -> None:
    handed_in(offer, questions=2, here=True)
    payment = refused(paper, offer)
    assert payment.last_error == str(POOR)
    retry_payment(payment.id)
    assert sent(paper, offer) == [("approve", "A1", REWARD)]


def paying_is_refused() -> None:
    refuse_pay(assignment_id=Assignment.objects.get().id, reason="one button", actor="ada")


@case("it was retried already", lambda: retry_payment(Payment.objects.get().id), "planned")
@case("the session was settled", lambda: Session.objects.update(platform_state="approved"), "approved on the platform")
@case("its pay was refused", paying_is_refused, "refused: take that back")
def test_an_approval_is_not_retried_if_meanwhile(act: Callable[[], object], why: str, offer: Offer, paper: Paper):
    handed_in(offer, questions=2, here=True)
    payment = refused(paper, offer)
    act()
    with pytest.raises(CannotSettleError, match=why):
        retry_payment(payment.id)


def test_a_refused_bonus_is_sent_again_while_it_is_owed(offer: Offer, paper: Paper) -> None:
    more_is_owed(offer)
    payment = refused(paper, offer)
    assert (payment.kind, payment.cents) == ("bonus", 45)
    retry_payment(payment.id)
    assert sent(paper, offer) == [("bonus", "A1", 45)]


def test_a_bonus_that_goes_with_another_session_by_now_is_not_paid_twice(project: Project, offer: Offer, paper: Paper):
    first, payment = more_is_owed(offer), refused(paper, offer)
    second = comes(an_offer(project), "W1", "A2")
    Session.objects.filter(id=second.id).update(platform_state="submitted")
    assert [(one.session, one.cents) for one in plan_payments("mturk", project.pk)] == [(second, 45)]
    with pytest.raises(CannotSettleError, match="0 cents are owed"):
        retry_payment(payment.id)
    assert payment.session == first


LATER = LISTED_WITHIN + timedelta(minutes=1)


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> Paper:
    """A platform that cannot tell whether a payment took effect."""
    monkeypatch.setattr(Paper, "was_done", lambda *_: None)
    return Paper()


@pytest.fixture
def payment(offer: Offer, unsure: Paper) -> Payment:
    """An approval without an answer."""
    serves(unsure, offer)
    read_offers(unsure, offer.project_id)
    plan_payments(unsure.name, offer.project_id)
    unsure.refuses = UnsureError("No answer.")
    send_payments(unsure, offer.project_id)
    unsure.refuses = None
    made = Payment.objects.get()
    assert made.state == "sent"
    return made


def test_it_is_too_early_while_the_platform_may_still_list_the_payment(payment: Payment) -> None:
    with pytest.raises(CannotSettleError, match="may still tell"):
        decide_unknown(payment.id, done=True)
    payment.refresh_from_db()
    assert payment.state == "sent"


def test_a_payment_that_was_done_is_recorded_once(payment: Payment, offer: Offer, unsure: Paper) -> None:
    with clock.moved(LATER):
        decide_unknown(payment.id, done=True)
    assert LedgerEntry.objects.get(kind="paid").cents == REWARD
    assert account_of(payment.session.worker_id, offer.project_id).owed == 0
    assert not plan_payments(unsure.name, offer.project_id, timezone.now() + LATER)
    with clock.moved(LATER), pytest.raises(CannotSettleError, match="This is done"):
        decide_unknown(payment.id, done=False)


def test_a_payment_that_was_not_done_is_sent_again(payment: Payment, offer: Offer, unsure: Paper) -> None:
    with clock.moved(LATER):
        decide_unknown(payment.id, done=False)
    send_payments(unsure, offer.project_id)
    assert [kind for kind, *_ in unsure.sent] == ["approve"]
    payment.refresh_from_db()
    assert payment.state == "done"
    assert account_of(payment.session.worker_id, offer.project_id).owed == 0


@pytest.mark.parametrize(("action", "becomes"), [("was_done", "done"), ("was_not_done", "planned")])
@pytest.mark.both_engines
def test_the_page_asks_before_it_decides(action: str, becomes: str, payment: Payment, admin_client: Client) -> None:
    Payment.objects.update(sent_at=timezone.now() - LATER)
    project = payment.session.offer.project
    Recruitment.objects.create(platform="mturk", project=project, created_at=timezone.now())
    payments, chosen = f"/projects/{project.name}/recruit/mturk/payments/", {"act": action, "row": [payment.id]}
    assert "own pages" in admin_client.post(payments, chosen).content.decode()
    payment.refresh_from_db()
    assert payment.state == "sent"
    admin_client.post(payments, {**chosen, "sent": "yes"})
    payment.refresh_from_db()
    assert payment.state == becomes
