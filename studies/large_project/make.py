"""A project as large as the paper's in minutes: copies of a small one's images, with all that lies around them."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import product
from typing import Any

from django.db import connection, transaction
from django.db.models import DateTimeField, Field, Max, Model

from annotation.models import Box, Caption, Chain, Image, Mention, MergedBox, Project
from annotation.rules.states import ChainState, ImageState
from labelling.models import Conversation, Post
from pipeline.gold_questions.fill_from_gold import fill_from_gold
from pipeline.models import (
    Assignment,
    Entry,
    Judgment,
    KnownQuestion,
    LedgerEntry,
    Progress,
    Question,
    Skip,
    Spending,
    Transition,
)
from pipeline.money import spend_cap
from pipeline.project.settings_versions import open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.record.intervene import report_problem
from pipeline.settings.settings import Settings
from platforms.models import Identity, Offer, Payment, Session
from projects.models import Alert, ErrorSample, GoldAnnotation, GoldImage, ImportProblem, ModelPrediction, Run
from runtime import clock
from studies.half_annotated import half_annotate
from workers.models import Message, SkillEstimate, TrustChange, TrustStatus, Worker, WorkerSignal

TASKS = [task.value for task in PROTOCOL_TASKS]
REWARD = dict.fromkeys(TASKS, 20)
KNOWN = 120
"""Verification questions of each task."""
EACH = 10
"""Verification questions of each task that a worker has answered."""
BOX = [10, 10, 80, 70]


def make_template(name: str, images: int, crowd: str) -> Project:
    """Make the project: nine tenths of its images are finished, the others begun."""
    settings = Settings(reward_cents=REWARD, spend_cap_cents=10_000_000)
    project = open_project(name=name, settings=settings)
    begun = max(1, images // 10)
    half_annotate(project, images - begun, begun, crowd=crowd)
    people = list(Worker.objects.filter(accesses__project=project).distinct().order_by("pk"))
    _review(project)
    _stock(project)
    _trust(project, people)
    _pay(project)
    _talk(project, people)
    _recruit(project, people)
    _gold(project)
    _campaign(project)
    return project


def _review(project: Project) -> None:
    """Send a chain of each begun image to review, and let workers report an image, and leave questions out."""
    for image in project.images.exclude(state=ImageState.MERGED.value):
        first = image.chains.earliest("pk").pk
        Chain.objects.filter(pk=first).update(state=ChainState.REVIEW.value, review="cycling")
    given = list(Judgment.objects.filter(question__project=project).select_related("question").order_by("pk"))[::50]
    worker = given[0].worker_id
    report_problem(image_id=project.images.earliest("pk").pk, what="caption", number=1, worker_id=worker, reason="No.")
    Skip.objects.bulk_create(
        Skip(
            question=one.question,
            worker_id=one.worker_id,
            assignment_id=one.assignment_id,
            reason="unclear",
            comment="Which dog?" if place % 10 == 0 else "",
            created_at=one.created_at,
        )
        for place, one in enumerate(given)
    )


def _stock(project: Project) -> None:
    """Fill the stock, and let each worker answer some of its questions."""
    fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, KNOWN))
    stock = {task: list(KnownQuestion.objects.filter(project=project, task=task)[:EACH]) for task in TASKS}
    firsts = (
        Assignment.objects.filter(project=project).order_by("worker_id", "task", "pk").distinct("worker_id", "task")
    )
    Judgment.objects.bulk_create(
        Judgment(
            known=known,
            right=(known.pk + first.worker_id) % 9 > 0,
            worker_id=first.worker_id,
            assignment=first,
            answer=known.truth,
            seconds=6,
            created_at=first.created_at,
        )
        for first in firsts
        for known in stock[first.task]
    )


def _trust(project: Project, people: list[Worker]) -> None:
    now = clock.now()
    places: list[tuple[int, dict[str, Any]]] = [
        (place, {"worker": worker, "project": project, "task": task})
        for (place, worker), task in product(enumerate(people), TASKS)
    ]
    of_rest = {3: "probation", 7: "barred"}
    TrustStatus.objects.bulk_create(
        TrustStatus(**at, state=of_rest.get(place % 20, "trusted"), passed_test=True, trusted_since=now)
        for place, at in places
    )
    TrustChange.objects.bulk_create(
        TrustChange(**at, event="passed the test", old="testing", new=new, reason="made up", created_at=now)
        for _, at in places
        for new in ("probation", "trusted")
    )
    SkillEstimate.objects.bulk_create(
        SkillEstimate(
            **at, accuracy=0.7 + place % 30 / 100, low=0.6, high=1, answers=100, known_answers=50, computed_at=now
        )
        for place, at in places
    )
    WorkerSignal.objects.bulk_create(
        WorkerSignal(
            project=project,
            kind="same answer",
            task="box_quality",
            workers=[worker.pk],
            chance=0.0001,
            words="Gives the same answer always.",
            evidence={"judgments": [], "count": 100, "tests": 600},
            found_at=now,
            gone_at=now if place % 6 else None,
        )
        for place, worker in enumerate(people[:300])
    )


def _pay(project: Project) -> None:
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            worker_id=object_.worker_id,
            project=project,
            assignment=object_,
            kind="refused" if object_.pk % 100 == 0 else "bonus" if object_.pk % 97 == 0 else "paid",
            cents=object_.earned_cents or 0,
            reason="made up",
            reference=f"r{object_.pk}",
            created_at=object_.ended_at or object_.created_at,
        )
        for object_ in Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED)
    )


def _talk(project: Project, people: list[Worker]) -> None:
    now = clock.now()
    Message.objects.bulk_create(Message(worker=person, project=project, text="Thank you.") for person in people)
    talks = Conversation.objects.bulk_create(
        Conversation(
            worker=one,
            project=project,
            subject="other",
            created_at=now - timedelta(days=3 * place),
            waits_since=None if place else now,
        )
        for one, place in product(people, range(5))
    )
    Post.objects.bulk_create(
        Post(conversation=talk, actor="ann" if place % 2 else "", text="Is the dog one thing or two?")
        for talk, place in product(talks, range(4))
    )


def _recruit(project: Project, people: list[Worker]) -> None:
    now = clock.now()
    Identity.objects.bulk_create(
        (Identity(worker=person, platform="mturk", external_id=f"A{person.pk}") for person in people),
        ignore_conflicts=True,
    )
    offers = Offer.objects.bulk_create(
        Offer(
            platform="mturk",
            project=project,
            task=task,
            kind="work",
            state="ended",
            key=f"made {project.pk} {place} {task}",
            external_id=f"H{place}",
            places=200,
            taken=200,
            quota=5,
            reward_cents=20,
            seconds=3600,
            tries=1,
            last_error="" if place else "throttled",
            created_at=now,
            expires_at=now,
        )
        for place, task in product(range(10), TASKS)
    )
    done: dict[str, Any] = {"state": "finished", "platform_state": "approved", "opened_at": now, "ends_at": now}
    sessions = Session.objects.bulk_create(
        Session(offer=offer, worker=one, external_id="S", **done) for offer, one in product(offers, people[:200])
    )
    Payment.objects.bulk_create(
        Payment(
            session=session, kind="approve", cents=20, state="done" if place else "refused", tries=1, created_at=now
        )
        for place, session in enumerate(sessions)
    )


def _gold(project: Project) -> None:
    now, some = clock.now(), list(project.images.exclude(gold=None)[:200])
    chains = [{"mentions": [0], "non_visual": "", "boxes": [BOX]}]
    gives = {"coreference_link": {"same": 8, "different": 20}, "box_quality": {"good": 5, "bad": 5}}
    gold = GoldImage.objects.bulk_create(
        GoldImage(
            image=image,
            place=place,
            annotators=2,
            disputes=place % 3,
            settled_at=None if place % 4 == 0 else now,
            gives=gives,
        )
        for place, image in enumerate(some)
    )
    GoldAnnotation.objects.bulk_create(
        GoldAnnotation(gold_image=one, name=name, chains=chains, revision=8, finished_at=now)
        for one, name in product(gold, ("reviewer 1", "reviewer 2"))
    )


def _campaign(project: Project) -> None:
    now = clock.now()
    programs = [Worker(name=f"model {number} of {project.name}", kind="program") for number in range(3)]
    ModelPrediction.objects.bulk_create(_predictions(project, Worker.objects.bulk_create(programs)))
    counts, source = {"images": 600, "left_out": 300}, {"source": "/sets/large"}
    work: dict[str, Any] = {"operation": "begin_import", "lane": "images", "input": source, "result": counts}
    runs = Run.objects.bulk_create(Run(project=project, state="done", done=900, total=900, **work) for _ in range(30))
    ImportProblem.objects.bulk_create(
        ImportProblem(run=run, file="captions.jsonl", line=line, message="no picture")
        for run, line in product(runs, range(1, 301))
    )
    Alert.objects.bulk_create(
        Alert(project=project, kind="review", count=count, words="chains", path="/", began_at=now, settled_at=now)
        for count in range(500)
    )
    images = list(Image.objects.filter(project=project).values_list("pk", flat=True))
    tally = {"errors": {"chunking": 1}, "mentions": 16, "chains": 8, "boxes": 9}
    ErrorSample.objects.bulk_create(
        ErrorSample(project=project, seed=seed, made_by="ann", images=images, tallies={str(images[0]): tally})
        for seed in range(10)
    )


def _predictions(project: Project, programs: list[Worker]) -> Iterator[ModelPrediction]:
    for program, image in product(programs, project.images.all()):
        yield ModelPrediction(
            project=project,
            program=program,
            image=image,
            boxes=[[mention, *BOX] for mention in range(4)],
            chains=[[0, 1]],
            due=image.position % 3 == 0,
        )


COPIED: tuple[type[Model], ...] = (
    *(Image, Caption, Mention, Chain, Box, MergedBox, Progress, Question, Assignment, Judgment, Skip),
    *(Entry, Transition, LedgerEntry, ModelPrediction),
)
CHANGED: dict[tuple[type[Model], str], str] = {
    (Image, "name"): "t.name || '-' || c",
    (Image, "position"): "t.position + c * %(images)s",
    (Caption, "text"): "t.text || ' ' || c",  # so that words are rare, too
    (Assignment, "questions"): "'[]'",  # ids, which nothing reads of what was submitted
    (Assignment, "known"): "'{}'",
    (Caption, "words"): "t.words || to_jsonb(c::text)",
    (Caption, "offsets"): "t.offsets || to_jsonb(length(t.text) + 1)",
    (Assignment, "token"): "gen_random_uuid()",
    (LedgerEntry, "reference"): "t.reference || '-' || c",
}
"""Values that are not those of the copied row, in SQL; `c` is the number of the copy."""
DAYS = 60
"""The days over which the copies were annotated, one after another."""


@transaction.atomic
def multiply(project: Project, copies: int, step: Callable[[str], object]) -> None:
    """Copy every image of the project, with its work, until there are `copies` of each. `step` hears each table."""
    rows = {model: _rows(project, model) for model in COPIED}
    given = {
        "copies": copies,
        "images": len(rows[Image]),
        "stride": 1 + max(_last(model) for model in COPIED if model._meta.pk.column == "id"),
    }
    with connection.cursor() as cursor:
        # Foreign keys and triggers are not checked: ids are computed, and checking takes longer than writing.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for model in COPIED:
            columns = {f'"{field.column}"': _value(model, field) for field in model._meta.concrete_fields}
            table, pk = model._meta.db_table, model._meta.pk.column
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM {table} t,"
                f" generate_series(1, %(copies)s - 1) c WHERE t.{pk} = ANY(%(rows)s)",
                {**given, "rows": rows[model]},
            )
            step(f"{table}: {cursor.rowcount:,} rows")
            if pk == "id":
                cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")


def _rows(project: Project, model: type[Model]) -> list[int]:
    return list(model._default_manager.filter(**{_path(model): project}).values_list("pk", flat=True))


def _path(model: type[Model]) -> str:
    """Return the look-up from a copied row to its project."""
    found = {field.related_model: field.name for field in model._meta.concrete_fields if field.related_model}
    if Project in found:
        return found[Project]
    parent = next(one for one in COPIED if one in found)
    return f"{found[parent]}__{_path(parent)}"


def _last(model: type[Model]) -> int:
    return int(model._default_manager.aggregate(last=Max("pk"))["last"] or 0)


def _value(model: type[Model], field: "Field[Any, Any]") -> str:
    """Return what the copies have in a column, in SQL."""
    own = f't."{field.column}"'
    if field.related_model in COPIED or (field.primary_key and not field.related_model):
        return f"{own} + c * %(stride)s"
    if isinstance(field, DateTimeField):
        return f"{own} - c * interval '{DAYS} days' / %(copies)s"
    return CHANGED.get((model, field.name), own)


def make_large_project(
    name: str, images: int, *, copies: int, crowd: str = "paper", say: Callable[[str], object] = lambda line: None
) -> Project:
    """Make a project of about this number of images, and report what each table got. `copies`: of each image.

    Raises ValueError on a database other than PostgreSQL.
    """
    if connection.vendor != "postgresql":
        raise ValueError("large_project fills PostgreSQL only: set DATABASE_URL, or use scripts/with_services.py.")
    begun = time.monotonic()
    project = make_template(name, -(-images // copies), crowd)
    multiply(project, copies, say)
    Spending.objects.filter(project=project).update(committed_cents=spend_cap.committed(project.pk))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    say(f"{project.images.count():,} images made in {time.monotonic() - begun:.0f} s")
    return project
