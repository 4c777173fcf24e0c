"""A platform that cannot be reached costs a round a few calls, not one for each row."""

from collections import Counter
from collections.abc import Callable

import pytest

from annotation.models import Project
from platforms.contract.errors import MOST_FAILURES, NothingDoneError, PlatformError, RefusedError, UnsureError
from platforms.contract.terms import Terms
from platforms.models import Offer, Payment, Recruitment
from platforms.offers.recruit import begin_recruiting
from platforms.sync import Round, sync
from tests.platforms.paper import Paper, hands_in, works
from tests.support.money import ASK
from tests.support.recruiting import an_offer, comes

pytestmark = pytest.mark.django_db
SILENCE = UnsureError("No answer.", out_of_reach=True)
CLOSED = NothingDoneError("Nobody is there.", out_of_reach=True)


@pytest.fixture
def recruitment(project: Project, paper: Paper) -> Recruitment:
    return begin_recruiting(paper, project_id=project.id, tasks=[ASK], terms=Terms(), actor="ada")


@pytest.fixture
def offers(project: Project) -> list[Offer]:
    return [an_offer(project) for _ in range(6)]


def fails(monkeypatch: pytest.MonkeyPatch, error: PlatformError, *names: str) -> Counter[str]:
    """Make these calls of the platform fail from now on. Returns how often each was made."""
    calls: Counter[str] = Counter()

    def failing(name: str) -> Callable[..., None]:
        def fail(self: Paper, *args: object, **named: object) -> None:
            calls[name] += 1
            raise error

        return fail

    for name in names:
        monkeypatch.setattr(Paper, name, failing(name))
    return calls


def messages(this: Round) -> str:
    return " ".join(str(failure) for failure in this.failures)


@pytest.mark.parametrize("error", [SILENCE, CLOSED], ids=["silent", "closed"])
def test_a_round_gives_up_after_three_calls_in_a_row(
    error: PlatformError,
    offers: list[Offer],
    recruitment: Recruitment,
    paper: Paper,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = fails(monkeypatch, error, "offer_status", "marketplace", "publish", "screen", "send_payment")
    this = sync(paper, recruitment)
    assert calls == {"offer_status": MOST_FAILURES}
    assert "the rest waits for the next round" in messages(this)
    recruitment.refresh_from_db()
    assert recruitment.looked_at is None


def test_the_next_round_does_what_was_left(
    offers: list[Offer], recruitment: Recruitment, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fails(patch, SILENCE, "offer_status")
        sync(paper, recruitment)
    this = sync(paper, recruitment)
    assert not this.failures
    assert not Offer.objects.filter(id__in=[one.id for one in offers], looked_at=None).exists()


@pytest.mark.parametrize(
    "error", [RefusedError("Never."), UnsureError("Try again later.")], ids=["refused", "try later"]
)
def test_a_platform_that_answers_is_asked_everything(
    error: PlatformError,
    offers: list[Offer],
    recruitment: Recruitment,
    paper: Paper,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error with one offer does not concern the others."""
    calls = fails(monkeypatch, error, "offer_status")
    this = sync(paper, recruitment)
    assert calls["offer_status"] == len(offers)
    assert "next round" not in messages(this)


def test_payments_are_given_up_together_and_stay_planned_or_sent(
    project: Project, recruitment: Recruitment, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer = an_offer(project, places=6)
    for number in range(6):
        session = comes(offer, f"W{number}", f"A{number}")
        works(session)
        hands_in(paper, session)
    calls = fails(monkeypatch, SILENCE, "send_payment")
    sync(paper, recruitment)
    assert calls["send_payment"] == MOST_FAILURES
    states = Counter(Payment.objects.values_list("state", flat=True))
    assert states == {"sent": MOST_FAILURES, "planned": 6 - MOST_FAILURES}
