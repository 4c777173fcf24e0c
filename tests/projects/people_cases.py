"""The same for operations on workers, members and their invitations."""

from datetime import timedelta

from django.contrib.auth.models import User

from accounts.members import add_member
from accounts.models import MemberInvitation, Membership, Role
from annotation.models import Project
from pipeline.models import Assignment, Entry, LedgerEntry
from pipeline.money.refuse_pay import refuse_pay
from pipeline.protocol.tasks.task import Task
from runtime import clock
from tests.projects.operation_cases import Case
from tests.support.projects import worker
from tests.support.rows import make_judgment
from workers.invitations import invite
from workers.models import Access, Invitation, Message, TrustChange, TrustStatus, Worker, WorkerSignal


def ada_worked(project: Project) -> None:
    """Let a worker earn 10 cents."""
    Entry.objects.all().delete()  # a plain row of a judgment brings its own
    ada = worker(project, "ada")
    make_judgment(project.images.order_by("pk")[0], ada, Task.BOX_QUALITY)
    Assignment.objects.update(state="submitted", earned_cents=10)


def bar_ada(project: Project) -> None:
    ada_worked(project)
    TrustStatus.objects.update_or_create(
        worker=Worker.objects.get(name="ada"), project=project, task="box_quality", defaults={"state": "barred"}
    )


def signal_of_ada(project: Project) -> None:
    ada_worked(project)
    signal = {"kind": "far too fast", "task": "box_quality", "chance": 1e-4, "words": "fast", "evidence": {}}
    ids = [Worker.objects.get(name="ada").pk]
    WorkerSignal.objects.create(project=project, workers=ids, found_at=clock.now(), **signal)


def refuse_pay_of_ada(project: Project) -> None:
    ada_worked(project)
    refuse_pay(assignment_id=Assignment.objects.get().pk, reason="empty", actor="rita")


def acceptance(project: Project) -> list[str]:
    return list(Assignment.objects.filter(project=project).values_list("acceptance", flat=True))


def ledger(project: Project) -> list[tuple[str, int]]:
    return list(LedgerEntry.objects.order_by("pk").values_list("kind", "cents"))


def add_eve(project: Project) -> None:
    """Add a member, who is the newest."""
    add_member(User.objects.create_user("eve"), project, Role.VIEWER)


def invite_eve(project: Project) -> None:
    maker, until = User.objects.get(username="rita"), clock.now() + timedelta(days=1)
    MemberInvitation.objects.create(project=project, to="eve", role="viewer", code="c", made_by=maker, expires_at=until)


def roles(project: Project) -> list[tuple[str, str]]:
    rows = Membership.objects.filter(project=project, user__username__in=["rita", "eve"])
    return list(rows.order_by("pk").values_list("user__username", "role"))


PEOPLE_CASES: dict[str, Case] = {}
OF_ADA = {"worker": 0, "reason": "careful work"}
PEOPLE_CASES["decide_about_worker"] = Case(
    values={**OF_ADA, "task": "box_quality", "event": "is barred"},
    prepare=ada_worked,
    after=lambda project: list(TrustChange.objects.values_list("new", "reason")),
    expected=[("barred", "careful work")],
    page="projects:worker_trust",
    in_address=("worker",),
    wrong=(
        ({**OF_ADA, "event": "is loved"}, "'is loved' should be one of"),
        ({**OF_ADA, "event": "is suspended", "days": 400}, "should be less than or equal to 365"),
    ),
    refused=((bar_ada, "A worker who is barred"),),
)
PEOPLE_CASES["give_access"] = Case(
    values={"worker": 0, "tasks": ["box_drawing"]},
    prepare=ada_worked,
    after=lambda project: list(Access.objects.values_list("task", flat=True)),
    expected=["box_drawing"],
    page="projects:worker_access",
    in_address=("worker",),
    wrong=(({"tasks": ["cooking"]}, "should be one of"),),
)
PEOPLE_CASES["record_payment"] = Case(
    values={**OF_ADA, "amount": 0.05, "paid_on": "2026-01-31"},
    prepare=ada_worked,
    after=lambda project: list(LedgerEntry.objects.values_list("kind", "cents", "reason")),
    expected=[("paid", 5, "careful work (paid on 31 January 2026)")],
    page="projects:worker_pay",
    prefix="pay-",
    in_address=("worker",),
    wrong=(
        ({**OF_ADA, "amount": 0.11}, "are owed. Record at most that"),
        ({**OF_ADA, "amount": 0.001}, "ive whole cents"),
        ({**OF_ADA, "amount": 0.01, "paid_on": "2999-01-01"}, "This day is still to come"),
    ),
)
PEOPLE_CASES["give_bonus"] = Case(
    values={**OF_ADA, "amount": 0.05},
    prepare=ada_worked,
    after=lambda project: list(LedgerEntry.objects.values_list("kind", "cents", "reason")),
    expected=[("bonus", 5, "careful work")],
    page="projects:worker_bonus",
    prefix="bonus-",
    in_address=("worker",),
    wrong=(({**OF_ADA, "amount": 0.0}, "should be greater than or equal to 0.01"),),
)
PEOPLE_CASES["write_to_worker"] = Case(
    values={"worker": 0, "text": "Thank you!"},
    prepare=ada_worked,
    after=lambda project: list(Message.objects.values_list("text", flat=True)),
    expected=["Thank you!"],
    page="projects:worker_message",
    in_address=("worker",),
    wrong=(({"text": "x" * 2001}, "should have at most 2000 characters"),),
)
PEOPLE_CASES["write_to_all"] = Case(
    values={"text": "Thank you!"},
    prepare=ada_worked,
    after=lambda project: list(Message.objects.values_list("text", flat=True)),
    expected=["Thank you!"],
    page="projects:message_all",
    refused=((lambda project: Access.objects.all().delete(), "Nothing was sent: nobody may answer yet."),),
)
PEOPLE_CASES["dismiss_signal"] = Case(
    values={"worker": 0, "signal": 0, "note": "a keyboard user"},
    prepare=signal_of_ada,
    after=lambda project: list(WorkerSignal.objects.exclude(dismissed_at=None).values_list("note", flat=True)),
    expected=["a keyboard user"],
    page="projects:dismiss_signal",
    in_address=("worker", "signal"),
)
PEOPLE_CASES |= {
    name: Case(
        values={"assignment": 0, "reason": "one button", **more}, prepare=prepare, after=after, expected=expected
    )
    for name, more, prepare, after, expected in (
        ("leave_out_answers", {}, ada_worked, acceptance, ["refused"]),
        ("refuse_pay", {"cents": 4}, ada_worked, ledger, [("refused", 4)]),
        ("restore_pay", {}, refuse_pay_of_ada, ledger, [("refused", 10), ("restored", 10)]),
    )
}
PEOPLE_CASES["invite_workers"] = Case(
    values={"tasks": ["box_quality"], "most": 6, "note": "class"},
    after=lambda project: list(Invitation.objects.values_list("tasks", "trusted", "most", "note")),
    expected=[(["box_quality"], False, 6, "class")],
    page="projects:invitations",
    more={"trusted": "no"},
    wrong=(
        ({"most": 0}, "should be greater than or equal to 1"),
        ({"tasks": ["caption_check"]}, "does not ask caption_check"),
    ),
)
PEOPLE_CASES["close_link"] = Case(
    values={"invitation": 0},
    prepare=lambda project: invite(project_id=project.pk),
    after=lambda project: Invitation.objects.filter(expires_at=None).count(),
    expected=0,
    page="projects:close_invitation",
    in_address=("invitation",),
)
PEOPLE_CASES["invite_member"] = Case(
    values={"to": "eve", "role": "reviewer"},
    after=lambda project: list(MemberInvitation.objects.values_list("to", "role")),
    expected=[("eve", "reviewer")],
    page="projects:members",
    by_command="an invitation has an author",
    wrong=(
        ({"to": "a b"}, "Write a name as people sign in"),
        ({"to": "rita", "role": "viewer"}, "rita is a member already"),
        ({"to": "eve", "role": "owner"}, "'owner' should be one of"),
    ),
)
PEOPLE_CASES["change_role"] = Case(
    values={"member": 0, "role": "reviewer"},
    prepare=add_eve,
    after=roles,
    expected=[("rita", "requester"), ("eve", "reviewer")],
    page="projects:member",
    in_address=("member",),
    wrong=(({"role": "owner"}, "'owner' should be one of"),),
    refused=((lambda project: None, "This is the project's last requester"),),
)
PEOPLE_CASES["remove_member"] = Case(
    values={"member": 0},
    prepare=add_eve,
    after=roles,
    expected=[("rita", "requester")],
    page="projects:member",
    in_address=("member",),
    more={"remove": "1"},
    refused=((lambda project: None, "This is the project's last requester"),),
)
PEOPLE_CASES["withdraw_invitation"] = Case(
    values={"invitation": 0},
    prepare=invite_eve,
    after=lambda project: MemberInvitation.objects.count(),
    expected=0,
    page="projects:withdraw",
    in_address=("invitation",),
)
