"""A story with every step that involves a platform, and how it ends whatever fails on the way."""

from typing import NamedTuple

from pipeline.models import Assignment, Judgment
from pipeline.money.pay_worker import give_bonus
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from platforms.errors import PlatformError
from platforms.models import Offer, Payment, Session
from platforms.offers.recruit import stop_recruiting
from platforms.settling.compare_ledger import WorkerPayments, compare_ledger
from tests.platforms.world import World
from workers.models import Worker

ADA, BEN = "A1ADAADAADAADA", "A2BENBENBENBEN"
REWARD = 50
Kind = Offer.Kind


class Ending(NamedTuple):
    """The end of a story. Money in cents."""

    judgments: int
    sessions: list[tuple[str, str, str]]
    """Worker, our state, platform state; in order."""
    payments: list[tuple[str, str, int]]
    """Kind, state, cents; sorted."""
    platform_cents: int
    ledger_cents: int


def tell(world: World) -> Ending:
    """Ada and Ben are newcomers. Ada earns more than a reward; Ben's pay is refused, then restored. Recruiting ends."""
    world.settle()
    entries = world.offers(Kind.ENTRY)
    for who in (ADA, BEN):
        world.does(entries[0], who)
    world.settle()
    work = world.offers(Kind.WORK)
    two = world.does(work[0], ADA, assignments=2)
    refused = Assignment.objects.get(session=world.does(work[-1], BEN))
    refuse_pay(assignment_id=refused.id, reason="All answers are the same.", actor="eve")
    world.settle()
    restore_pay(assignment_id=refused.id, reason="They were right.", actor="eve")
    give_bonus(
        worker_id=two.worker_id, project_id=world.project.id, cents=25, reason="Good work.", actor="eve", reference="b1"
    )
    world.settle()
    stop_recruiting(world.recruitment)
    world.settle()
    return ending(world)


def ending(world: World) -> Ending:
    lines, sessions = compared(world), Session.objects.order_by("id")
    payments = Payment.objects.values_list("kind", "state", "cents")
    return Ending(
        Judgment.objects.count(),
        [(one.worker.identities.get().external_id, one.state, one.platform_state) for one in sessions],
        sorted(payments),
        sum(line.platform_cents for line in lines),
        sum(line.ledger_cents for line in lines),
    )


def compared(world: World) -> list[WorkerPayments]:
    """Compare the books; a failed comparison is repeated."""
    for _ in range(5):
        try:
            return compare_ledger(world.platform, world.project.id)
        except PlatformError:
            continue
    raise AssertionError("the platform's books cannot be read")


PAID = [*[("approve", REWARD)] * 3, ("bonus", 25), ("bonus", REWARD), ("override", REWARD), ("reject", 0)]
EXPECTED = Ending(
    judgments=50,
    sessions=[(who, "finished", "approved") for who in (ADA, BEN, ADA, BEN)],
    payments=[(kind, "done", cents) for kind, cents in PAID],
    platform_cents=5 * REWARD + 25,
    ledger_cents=5 * REWARD + 25,
)


def assert_ended_well(world: World, found: Ending) -> None:
    """Nothing is done twice or lost, everybody is paid, and the platform's own books agree."""
    assert found == EXPECTED
    assert world.side.paid() == found.platform_cents
    named = Offer.objects.exclude(external_id="")
    assert world.side.made() == named.count() == named.values("external_id").distinct().count()
    assert not Offer.objects.exclude(state="ended").exists()
    assert not any(world.side.finds(who) for who in (ADA, BEN, "A3NOBODYNOBODY"))
    assert Worker.objects.count() == 2
