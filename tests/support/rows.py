"""Plain rows of every model for tests, made directly, without the service's own functions."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import User

from accounts.members import add_member, invite_member
from accounts.models import BorrowedPictures, RightKind, Role
from accounts.requester_tokens import make_requester_token
from accounts.rights import give_right
from annotation.models import Box, Caption, Chain, Gold, Image, KnownBox, Mention, MergedBox, Project
from exchange.publish_export import archive_now
from labelling.models import Conversation, OutgoingMail, Post
from pipeline import models as pipeline
from pipeline.project.settings_versions import open_project
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.tasks.task import Task
from platforms.models import Counterpart, Identity, Offer, Payment, Recruitment, Screening, Session
from projects import models as campaign
from projects.data.operations import NewImport
from workers.change_trust import change_trust
from workers.models import Access, Invitation, Message, SkillEstimate, Worker, WorkerSignal
from workers.rules.trust_states import TrustEvent
from workers.tokens import make_api_key

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_numbers = count(1)


def make_project(name: str = "parks") -> Project:
    return open_project(name=name)


def make_image(project: Project, **values: Any) -> Image:
    """Make an image with the caption "A man waves .", one chain, 0, and one row of each model of annotations."""
    position = next(_numbers)
    given = {"name": f"image-{position}", "position": position, "width": 120, "height": 80, **values}
    image = Image.objects.create(project=project, **given)
    of_image: dict[str, Any] = {"image": image, "number": 0}
    said = {"text": "A man waves .", "words": ["A", "man", "waves", "."], "offsets": [0, 2, 6, 12]}
    caption = Caption.objects.create(**of_image, **said)
    Mention.objects.create(**of_image, caption=caption, start=0, end=2, types=["people"], text="A man", chain=0)
    Chain.objects.create(image=image, name=0, state="quality", representative=0)
    Box.objects.create(image=image, number=0, chain=0, x0=10, y0=10, x1=40, y1=70)
    MergedBox.objects.create(image=image, number=0, members=[0], x0=10, y0=10, x1=40, y1=70)
    KnownBox.objects.create(image=image, category="person", x0=10, y0=10, x1=40, y1=70)
    Gold.objects.create(image=image, chains=[{"name": "1", "mentions": [0], "scene": False, "boxes": []}])
    return image


def make_worker(**values: Any) -> Worker:
    return Worker.objects.create(**{"name": f"worker-{next(_numbers)}", **values})


def make_judgment(image: Image, worker: Worker, task: Task = Task.BOX_QUALITY) -> pipeline.Judgment:
    """Make an answer to a new question about the image's chain 0, with its assignment, entry and transition."""
    number = image.questions.count()
    place: dict[str, Any] = {"project_id": image.project_id, "task": task.value}
    asked = {"subject": [0, 0], "chain": 0, "state": "closed", "outcome": "good", "opened_at": NOW}
    question = pipeline.Question.objects.create(**place, image=image, number=number, **asked)
    ended = {"state": "submitted", "created_at": NOW, "expires_at": NOW + timedelta(minutes=30), "ended_at": NOW}
    assignment = pipeline.Assignment.objects.create(**place, worker=worker, questions=[question.id], **ended)
    who = {"worker": worker, "assignment": assignment}
    judgment = pipeline.Judgment.objects.create(question=question, **who, answer="good", seconds=4.5, created_at=NOW)
    common = {"project_id": image.project_id, "image": image, "sequence": number, "created_at": NOW}
    pipeline.Entry.objects.create(**common, kind="judgment", settings_version=1, judgment=judgment)
    moved = {"machine": "chain", "subject": "0", "old": "quality", "new": "coverage", "reason": "good"}
    pipeline.Transition.objects.create(**common, **moved)
    return judgment


def make_story(project: Project) -> Image:
    """Make an image with one connected row of every model."""
    image = make_image(project)
    worker = make_worker()
    Access.objects.create(worker=worker, project_id=project.pk, task=Task.BOX_QUALITY.value)
    judgment = make_judgment(image, worker)
    shown = {"mentions": [[0, 0, 0, 2]], "boxes": [], "new_box": None}
    asked = {"project": project, "task": Task.BOX_REQUIREMENT.value, "image": image, "shown": shown, "truth": 1}
    pipeline.KnownQuestion.objects.create(key=f"{image.pk}", source=pipeline.KnownQuestion.Source.EXPERT, **asked)
    who = {"worker": worker, "assignment": judgment.assignment}
    question = pipeline.Question.objects.get(judgments=judgment)
    pipeline.Skip.objects.create(question=question, reason="unclear", created_at=NOW, **who)
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
    campaign.StateChange.objects.create(project=project, before="draft", after="running")
    run = campaign.Run.objects.create(
        project=project, operation="begin_import", state="done", input=NewImport().model_dump()
    )
    step = {"step": "localization baselines", "unfinished": False, "name": "", "seed": 0, "files": {}, "options": {}}
    campaign.Run.objects.create(project=project, operation="begin_evaluation", state="cancelled", input=step)
    campaign.ImportProblem.objects.create(run=run, file="captions.csv", image="2", message="is missing")
    campaign.Upload.objects.create(project=project)
    uploaded = campaign.UploadedFile.objects.create(project=project, path="a.jpg", size=2, received=1)
    campaign.UploadedPiece.objects.create(file=uploaded, at=0, length=1, name="0-ab")
    campaign.ItemsFile.objects.create(project=project, name="items.jsonl", text="{}", items=1)
    make_watching(project)
    campaign.ModelPrediction.objects.create(project=project, program=worker, image=image, due=False)
    images = list(project.images.values_list("pk", flat=True))
    campaign.ErrorSample.objects.create(project=project, seed=1, images=images)
    sampled = campaign.GoldImage.objects.create(image=image, place=0, annotators=1)
    campaign.GoldAnnotation.objects.create(gold_image=sampled, name="ada", chains=[])
    archive_now(project, "coco", images=[image.pk], include_unmerged=True)
    make_api_key(worker)
    money = {"worker": worker, "project_id": project.pk, "created_at": NOW}
    pipeline.LedgerEntry.objects.create(kind="bonus", cents=100, reason="careful work", **money)
    pipeline.Spending.objects.get_or_create(project_id=project.pk)
    found = {"project_id": project.pk, "kind": "far too fast", "task": task, "workers": [worker.pk]}
    evidence = {"judgments": [judgment.pk], "count": 1, "tests": 1}
    WorkerSignal.objects.create(**found, chance=1e-4, words="40 took 0.2 s.", evidence=evidence, found_at=NOW)
    measured = {"accuracy": 0.8, "low": 0.6, "high": 0.9, "answers": 30, "known_answers": 10, "computed_at": NOW}
    SkillEstimate.objects.create(worker=worker, project_id=project.pk, task=task, **measured)
    chances = {"doubt": 0.2, "mentions": 0.8, "boxes": 1.0, "flag": 1.0}
    doubtful = {"chain": 0, "standing": "in question", "part": "mentions", **chances}
    pipeline.LabelDoubt.objects.create(image=image, project=project, **doubtful)
    pipeline.Learned.objects.create(project=project, values={}, origin=pipeline.Origin.GIVEN)
    pipeline.Progress.objects.create(image=image, project=project, sequence=0, state=to_json(ImageProgress()))
    make_recruiting(project, worker, judgment.assignment)
    return image


def make_watching(project: Project) -> None:
    """Make what the dashboard keeps, and an alert on its way."""
    pace = {"hours": [], "days": [], "judgments": 0, "of": {}, "finished_lately": 0, "finished_in_days": 0}
    campaign.Figures.objects.create(project=project, name="pace", computed_at=NOW, seconds=0, values=pace)
    campaign.Looked.objects.create(project=project, until=NOW)
    hook = {"kind": "hook", "url": "https://example.org/", "secret": "a key"}
    channel = campaign.AlertChannel.objects.create(project=project, **hook)
    found = {"kind": "review", "count": 1, "words": "1 chain", "path": "/", "began_at": NOW}
    alert = campaign.Alert.objects.create(project=project, **found)
    campaign.Delivery.objects.create(alert=alert, channel=channel, due_at=NOW)


def make_conversation(worker: Worker, assignment: pipeline.Assignment) -> Conversation:
    """Make a conversation about an assignment: a message of the worker, which waits for an answer."""
    about = {"project_id": assignment.project_id, "assignment": assignment, "task": assignment.task}
    conversation = Conversation.objects.create(worker=worker, subject="receipt", waits_since=NOW, **about)
    Post.objects.create(conversation=conversation, text="Please look again.", created_at=NOW)
    OutgoingMail.objects.create(to="ada@example.org", subject="An answer", text="We looked.")
    return conversation


def make_recruiting(project: Project, worker: Worker, assignment: pipeline.Assignment) -> Session:
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
    pipeline.Assignment.objects.filter(id=assignment.id).update(session=session)
    Payment.objects.create(session=session, kind="approve", cents=50, created_at=NOW)
    Counterpart.objects.create(platform="mturk", name=f"hit type {number}", external_id=f"T{number}")
    return session
