"""The same for operations of recruiting."""

from dataclasses import replace
from typing import Any

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from platforms.models import Payment, Recruitment, Session
from runtime import clock
from tests.projects.operation_cases import Case
from tests.projects.people_cases import ada_worked, ledger
from tests.support.money import ASK, REWARD
from tests.support.recruiting import an_offer
from tests.support.trusting import TEST, add_stock


def open_a_session(project: Project) -> None:
    """Let a worker earn 10 cents in a session of Mechanical Turk."""
    ada_worked(project)
    Recruitment.objects.get_or_create(platform="mturk", project=project, defaults={"created_at": clock.now()})
    work, now = Assignment.objects.get(), clock.now()
    session = Session.objects.create(
        offer=an_offer(project), worker=work.worker, external_id="A1", opened_at=now, ends_at=now, visitor="v"
    )
    Assignment.objects.update(session=session)


def refuse_a_payment(project: Project) -> None:
    open_a_session(project)
    Session.objects.update(state="finished", platform_state="submitted")
    session = Session.objects.get()
    refused = {"state": "refused", "last_error": "No funds.", "created_at": clock.now()}
    Payment.objects.create(session=session, kind="approve", cents=REWARD, **refused)


def leave_nothing_unpaid(project: Project) -> None:
    open_a_session(project)
    Assignment.objects.update(earned_cents=0)


def plan_the_payment(project: Project) -> None:
    refuse_a_payment(project)
    Payment.objects.update(state="planned")


def recruits(project: Project) -> list[Any]:
    """Return what stands about recruiting in our rows, and what the platform was sent."""
    rows = Recruitment.objects.filter(project=project).values_list("platform", "active", "tasks")
    return [*rows, *Payment.objects.order_by("pk").values_list("kind", "cents", "state")]


def pays_for_work(project: Project, cents: int = 5, currency: str = "USD", **more: Any) -> None:
    rewards = dict.fromkeys((task.value for task in PROTOCOL_TASKS), cents)
    settings = replace(current_settings(project.pk)[1], reward_cents=rewards, currency=currency, **more)
    change_settings(project_id=project.pk, settings=settings)


def has_a_test(project: Project) -> None:
    pays_for_work(project)
    add_stock(project, 10, TEST)


def pays_in_pounds(project: Project) -> None:
    pays_for_work(project, currency="GBP")


def pays_a_thousand(project: Project) -> None:
    pays_for_work(project, 1_000_00)


def recruit(project: Project) -> None:
    """Offer the work on Mechanical Turk."""
    Recruitment.objects.create(platform="mturk", project=project, tasks=[ASK.value], created_at=clock.now())


def wait_for_pay(project: Project) -> None:
    """Let a worker hand in a session that is worth a reward and is not settled."""
    open_a_session(project)
    Session.objects.update(state="finished", platform_state="submitted", finished_at=clock.now())


OFFERED = {"tasks": [ASK.value], "entry_places": 0, "total_cents": 10_000_00}
TRIED = {"tasks": [ASK.value], "entry_places": 2}
DECISION = {"session": 0, "decision": "refuse", "reason": "One button."}
RECRUITING_CASES: dict[str, Case] = {
    "publish": Case(
        values=OFFERED,
        prepare=pays_for_work,
        after=recruits,
        expected=[("mturk", True, [ASK.value])],
        page="projects:offer",
        at=("mturk",),
        more={"sent": "yes"},
        wrong=(
            (OFFERED | {"least": 2}, "needs 2 assignments, so it must be allowed at least as many"),
            (OFFERED | {"minutes": 1}, "should be greater than or equal to 5"),
            (OFFERED | {"tasks": ["caption_check"]}, "does not ask caption_check"),
        ),
        refused=(
            (lambda project: None, "Nothing is paid for"),
            (pays_in_pounds, "change the project's currency"),
            (pays_a_thousand, "by now, not"),
        ),
    ),
    "try_offer": Case(
        values=TRIED,
        prepare=has_a_test,
        after=recruits,
        expected=[("mturk", False, [ASK.value])],
        page="projects:offer",
        at=("mturk",),
        more={"try_offer": "yes"},
        wrong=((TRIED | {"tasks": ["caption_check"]}, "does not ask caption_check"),),
        refused=(
            (pays_for_work, "too few test questions"),
            (lambda project: pays_for_work(project, test_questions=0), "no qualification test"),
        ),
    ),
    "withdraw": Case(
        values={},
        prepare=recruit,
        after=recruits,
        expected=[("mturk", False, [ASK.value])],
        page="projects:stop_recruiting",
        at=("mturk",),
    ),
    "read_platform": Case(
        values={},
        prepare=recruit,
        after=lambda project: Recruitment.objects.filter(looked_at=None).exists(),
        expected=False,
        page="projects:read_platform",
        at=("mturk",),
    ),
    "pay": Case(
        values={},
        prepare=wait_for_pay,
        after=recruits,
        expected=[("mturk", True, []), ("approve", REWARD, "done")],
        page="projects:settle",
        at=("mturk",),
    ),
    "decide_session": Case(
        values=DECISION,
        prepare=open_a_session,
        after=ledger,
        expected=[("refused", 10)],
        page="projects:sessions",
        at=("mturk",),
        as_row="session",
        more={"act": "refuse", "sent": "yes"},
        wrong=(({"session": 0, "decision": "refuse", "reason": "x" * 1001}, "1000 characters"),),
        refused=((leave_nothing_unpaid, "Nothing that it earned"),),
    ),
    "decide_payment": Case(
        values={"payment": 0, "decision": "retry"},
        prepare=refuse_a_payment,
        after=lambda project: list(Payment.objects.values_list("state", flat=True)),
        expected=["planned"],
        page="projects:payments",
        at=("mturk",),
        as_row="payment",
        more={"act": "retry", "sent": "yes"},
        refused=((plan_the_payment, "this is planned"),),
    ),
}
