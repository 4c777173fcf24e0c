"""Plain rows of every model for tests, made directly, without the service's own functions."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Box, Caption, Chain, Gold, Image, KnownBox, Mention, MergedBox, Project
from campaign.models import (
    Alert,
    AlertChannel,
    CampaignPrediction,
    Delivery,
    ErrorSample,
    Evaluation,
    Figures,
    GoldAnnotation,
    GoldImage,
    ImportProblem,
    ImportRun,
    ItemsFile,
    Looked,
    ModelMeasurement,
    ModelPrediction,
    StateChange,
    Upload,
    UploadedFile,
    UploadedPiece,
)
from exchange.publish_export import keep_selection
from members.add_member import add_member
from members.invitations import invite_member
from members.models import BorrowedPictures, RightKind, Role
from members.requester_tokens import make_requester_token
from members.rights import give_right
from messaging.models import Conversation, OutgoingMail, Post
from pipeline.models import (
    Assignment,
    Entry,
    Judgment,
    KnownQuestion,
    LabelDoubt,
    LedgerEntry,
    Progress,
    Question,
    Skip,
    Spending,
    Transition,
)
from pipeline.project.settings_versions import open_project
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import to_json
from pipeline.rules.tasks.task import Task
from platforms.models import Counterpart, Identity, Offer, Payment, Recruitment, Screening, Session
from workers.api_keys import make_api_key
from workers.change_trust import change_trust
from workers.models import Access, Invitation, Message, SkillEstimate, Worker, WorkerSignal
from workers.rules.trust_states import TrustEvent

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_numbers = count(1)


def make_project(name: str = "parks") -> Project:
    return open_project(name=name)


def make_image(project: Project, **values: Any) -> Image:
    """Make an image with the caption "A man waves .", one chain, 0, and one row of each model of annotations."""
    position = next(_numbers)
    given = {"name": f"image-{position}", "position": position, "width": 120, "height": 80, **values}
    image = Image.objects.create(project=project, **given)
    caption = Caption.objects.create(
        image=image, number=0, text="A man waves .", words=["A", "man", "waves", "."], offsets=[0, 2, 6, 12]
    )
    Mention.objects.create(
        image=image, caption=caption, number=0, start=0, end=2, types=["people"], text="A man", chain=0
    )
    Chain.objects.create(image=image, name=0, state="quality", representative=0)
    Box.objects.create(image=image, number=0, chain=0, x0=10, y0=10, x1=40, y1=70)
    MergedBox.objects.create(image=image, number=0, members=[0], x0=10, y0=10, x1=40, y1=70)
    KnownBox.objects.create(image=image, category="person", x0=10, y0=10, x1=40, y1=70)
    Gold.objects.create(image=image, chains=[{"name": "1", "mentions": [0], "scene": False, "boxes": []}])
    return image


def make_worker(**values: Any) -> Worker:
    return Worker.objects.create(**{"name": f"worker-{next(_numbers)}", **values})


def make_judgment(image: Image, worker: Worker, task: Task = Task.BOX_QUALITY) -> Judgment:
    """Make an answer to a new question about the image's chain 0, with its assignment, entry and transition."""
    number = image.questions.count()
    assignment = Assignment.objects.create(
        project_id=image.project_id,
        worker=worker,
        task=task.value,
        state="submitted",
        questions=[],
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=30),
        ended_at=NOW,
    )
    question = Question.objects.create(
        project_id=image.project_id,
        image=image,
        task=task.value,
        number=number,
        subject=[0, 0],
        chain=0,
        state="closed",
        outcome="good",
        opened_at=NOW,
    )
    Assignment.objects.filter(id=assignment.id).update(questions=[question.id])
    judgment = Judgment.objects.create(
        question=question, worker=worker, assignment=assignment, answer="good", seconds=4.5, created_at=NOW
    )
    _make_record(image, judgment, number)
    return judgment


def _make_record(image: Image, judgment: Judgment, sequence: int) -> None:
    common = {"project_id": image.project_id, "image": image, "sequence": sequence, "created_at": NOW}
    Entry.objects.create(**common, kind="judgment", settings_version=1, judgment=judgment)
    Transition.objects.create(**common, machine="chain", subject="0", old="quality", new="coverage", reason="good")


def make_story(project: Project) -> Image:
    """Make an image with one connected row of every model."""
    image = make_image(project)
    worker = make_worker()
    Access.objects.create(worker=worker, project_id=project.pk, task=Task.BOX_QUALITY.value)
    judgment = make_judgment(image, worker)
    shown = {"mentions": [[0, 0, 0, 2]], "boxes": [], "new_box": None}
    asked = {"project": project, "task": Task.BOX_REQUIREMENT.value, "image": image, "shown": shown, "truth": 1}
    KnownQuestion.objects.create(key=f"{image.pk}", source=KnownQuestion.Source.EXPERT, **asked)
    who = {"worker": worker, "assignment": judgment.assignment}
    Skip.objects.create(question=Question.objects.get(judgments=judgment), reason="unclear", created_at=NOW, **who)
    task = Task.BOX_QUALITY.value
    change_trust(worker_id=worker.pk, project_id=project.pk, task=task, event=TrustEvent.BAR, because="checked by hand")
    member = add_member(User.objects.create_user(f"member-{next(_numbers)}"), project, Role.VIEWER)
    give_right(member.user, RightKind.ADMIN, by=None, membership=member)
    BorrowedPictures.objects.create(project=project, source=project)
    invite_member(project, "friend@example.org", Role.VIEWER, by=member.user)
    Message.objects.create(worker=worker, project_id=project.pk, text="Thank you.")
    make_conversation(worker, judgment.assignment)
    Invitation.objects.create(project_id=project.pk, note="colleagues")
    make_requester_token(User.objects.latest("pk"), name="nightly", scopes=["read"], project=project)
    StateChange.objects.create(project=project, before="draft", after="running")
    run = ImportRun.objects.create(project=project, state=ImportRun.State.DONE)
    ImportProblem.objects.create(run=run, file="captions.csv", image="2", message="is missing")
    Upload.objects.create(project=project)
    uploaded = UploadedFile.objects.create(project=project, path="a.jpg", size=2, received=1)
    UploadedPiece.objects.create(file=uploaded, at=0, length=1, name="0-ab")
    ItemsFile.objects.create(project=project, name="items.jsonl", text="{}", items=1)
    make_watching(project)
    ModelPrediction.objects.create(project=project, program=worker, image=image, due=False)
    CampaignPrediction.objects.create(project=project, settings_version=1, state=CampaignPrediction.State.CANCELLED)
    ModelMeasurement.objects.create(project=project, program=worker, settings_version=1, state="cancelled")
    Evaluation.objects.create(project=project, step="localization baselines", state=Evaluation.State.CANCELLED)
    ErrorSample.objects.create(project=project, seed=1, images=list(project.images.values_list("pk", flat=True)))
    sampled = GoldImage.objects.create(image=image, place=0, annotators=1)
    GoldAnnotation.objects.create(gold_image=sampled, name="ada", chains=[])
    keep_selection(project=project, images=[image.pk], include_unmerged=True)
    make_api_key(worker)
    money = {"worker": worker, "project_id": project.pk, "created_at": NOW}
    LedgerEntry.objects.create(kind="bonus", cents=100, reason="careful work", **money)
    Spending.objects.get_or_create(project_id=project.pk)
    found = {"project_id": project.pk, "kind": "far too fast", "task": task, "workers": [worker.pk]}
    evidence = {"judgments": [judgment.pk], "count": 1, "tests": 1}
    WorkerSignal.objects.create(**found, chance=1e-4, words="40 took 0.2 s.", evidence=evidence, found_at=NOW)
    measured = {"accuracy": 0.8, "low": 0.6, "high": 0.9, "answers": 30, "known_answers": 10, "computed_at": NOW}
    SkillEstimate.objects.create(worker=worker, project_id=project.pk, task=task, **measured)
    chances = {"doubt": 0.2, "mentions": 0.8, "boxes": 1.0, "flag": 1.0}
    doubtful = {"chain": 0, "standing": "in question", "part": "mentions", **chances}
    LabelDoubt.objects.create(image=image, project=project, **doubtful)
    Progress.objects.create(image=image, project=project, sequence=0, state=to_json(ImageProgress()))
    make_recruiting(project, worker, judgment.assignment)
    return image


def make_watching(project: Project) -> None:
    """Make what the dashboard keeps, and an alert on its way."""
    pace = {"hours": [], "days": [], "judgments": 0, "finished_lately": 0, "finished_in_days": 0}
    Figures.objects.create(project=project, name="pace", computed_at=NOW, seconds=0, values=pace)
    Looked.objects.create(project=project, until=NOW)
    channel = AlertChannel.objects.create(project=project, kind="hook", url="https://example.org/", secret="a key")
    alert = Alert.objects.create(project=project, kind="review", count=1, words="1 chain", path="/", began_at=NOW)
    Delivery.objects.create(alert=alert, channel=channel, due_at=NOW)


def make_conversation(worker: Worker, assignment: Assignment) -> Conversation:
    """Make a conversation about an assignment: a message of the worker, which waits for an answer."""
    about = {"project_id": assignment.project_id, "assignment": assignment, "task": assignment.task}
    conversation = Conversation.objects.create(worker=worker, subject="receipt", waits_since=NOW, **about)
    Post.objects.create(conversation=conversation, text="Please look again.", created_at=NOW)
    OutgoingMail.objects.create(to="ada@example.org", subject="An answer", text="We looked.")
    return conversation


def make_recruiting(project: Project, worker: Worker, assignment: Assignment) -> Session:
    """Make a worker come from a platform and be paid there: one row of every model of `platforms`."""
    number, task = next(_numbers), Task.BOX_QUALITY.value
    place: dict[str, Any] = {"platform": "mturk", "project_id": project.pk}
    ends = {"created_at": NOW, "expires_at": NOW + timedelta(days=3)}
    Recruitment.objects.create(**place, tasks=[task], created_at=NOW)
    named = {"key": f"{number:032x}", "external_id": f"HIT{number}", "state": "open"}
    offer = Offer.objects.create(
        **place, **named, **ends, task=task, kind="work", places=9, reward_cents=50, seconds=60
    )
    identity = Identity.objects.create(worker=worker, platform="mturk", external_id=f"A{number}")
    Screening.objects.create(identity=identity, project_id=project.pk, task=task, passed=True)
    times = {"opened_at": NOW, "ends_at": NOW + timedelta(hours=1), "finished_at": NOW}
    sitting = {"external_id": f"3{number}", "state": "finished", "platform_state": "submitted"}
    session = Session.objects.create(offer=offer, worker=worker, **sitting, **times)
    Assignment.objects.filter(id=assignment.id).update(session=session)
    Payment.objects.create(session=session, kind="approve", cents=50, created_at=NOW)
    Counterpart.objects.create(platform="mturk", name=f"hit type {number}", external_id=f"T{number}")
    return session
