"""The same for operations on sessions and payments of platforms."""

from annotation.models import Project
from pipeline.models import Assignment
from platforms.models import Payment, Recruitment, Session
from runtime import clock
from tests.projects.operation_cases import Case
from tests.projects.people_cases import ada_worked, ledger
from tests.support.money import REWARD
from tests.support.recruiting import an_offer


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


DECISION = {"session": 0, "decision": "refuse", "reason": "One button."}
RECRUITING_CASES: dict[str, Case] = {
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
