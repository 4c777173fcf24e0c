"""Annotations of sampled images by reviewers: draw, save, finish, settle them; and the outlook of the questions."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from annotated_types import Ge, Len
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from typing_extensions import TypedDict

from accounts.may import Action, may
from annotation.models import Gold, Image, Mention, Project
from annotation.rules.states import NonVisual
from exchange.declared import Corners, OneOf
from pipeline.gold_questions.fill_from_gold import examples_needed, given_by
from pipeline.gold_questions.known_forecast import assignments_of_new_worker
from pipeline.gold_questions.known_questions import Purpose, Source
from pipeline.known.gold_annotation import (
    MAX_IMAGES,
    AnnotatedChain,
    AnnotationError,
    GoldAgreement,
    blank_annotation,
    compare,
    images_needed,
    least_questions,
    read_annotation,
    recommended_questions,
    renewed,
    to_gold,
    undecided,
)
from pipeline.known.question_mix import answer_name, answer_names, kinds_present, mix_faults
from pipeline.models import KnownQuestion, Progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import USUAL_SECONDS
from projects.dashboard.figures import read_figures
from projects.gold.known_question_operations import make_questions
from projects.lifecycle.change_state import AdmissionWay, ways_in
from projects.models import GoldAnnotation, GoldImage
from runtime import clock

MOST_AT_ONCE = 100


class GoldError(Exception):
    """Something cannot be done with a sampled image; the message says why."""


@transaction.atomic
def sample_images(project: Project, *, count: int, annotators: int) -> int:
    """Draw `count` images with phrases and pictures, and return how many there were. `annotators`: 1 or 2 people each.

    Images that have gold, or are in the sample, are not drawn. Raises GoldError.
    """
    if not 1 <= count <= MOST_AT_ONCE:
        raise GoldError(f"Draw 1 to {MOST_AT_ONCE} images at once, not {count}.")
    if annotators not in (1, 2):
        raise GoldError("An image is annotated by one person or by two.")
    Project.objects.select_for_update().get(pk=project.pk)  # so that two people do not draw the same images
    phrases = Exists(Mention.objects.filter(image=OuterRef("pk")))
    free = project.images.filter(phrases, gold=None, gold_image=None).exclude(picture="").order_by("position")
    ids = list(free.values_list("pk", flat=True))
    if not ids:
        raise GoldError("No image is left to annotate: import some with pictures and phrases first.")
    chosen = random.sample(ids, min(count, len(ids)))
    last = GoldImage.objects.filter(image__project=project).aggregate(last=Max("place"))["last"]
    first = 0 if last is None else last + 1
    GoldImage.objects.bulk_create(
        GoldImage(image_id=image, place=first + at, annotators=annotators) for at, image in enumerate(chosen)
    )
    return len(chosen)


@transaction.atomic
def leave_out(project: Project, image_id: int) -> None:
    """Take an image out of the sample, with what was annotated so far. Raises GoldError once its annotation counts."""
    row = GoldImage.objects.select_for_update(of=("self",)).filter(image=image_id, image__project=project).first()
    if row is None:
        raise GoldError("This image is not in the sample.")
    if row.image.known_questions.exists():
        raise GoldError("Known questions were made of this image: it stays. Retire single questions instead.")
    row.image.refresh_from_db()
    if hasattr(row.image, "gold"):
        row.image.gold.delete()
    row.delete()


FORM = '{"image": name, "chains": [{"phrases": [[caption, from word, to word], ...], "boxes": [...]}, ...]}'


class GoldChain(TypedDict):
    """A chain: phrases of one thing, with their boxes or the reason why there is none."""

    phrases: Annotated[Sequence[Annotated[Sequence[Annotated[int, Ge(0)]], Len(3, 3)]], Len(1)]
    """Its phrases, each [caption, first word, the word after the last], from 0."""
    boxes: NotRequired[Sequence[Corners]]
    """[left, top, right, bottom] in pixels of the upright image, end exclusive."""
    non_visual: NotRequired[Annotated[str, OneOf(["", *NonVisual])]]
    """The reason for having no box."""


class GoldLine(TypedDict):
    """The annotation of an image, of which known questions are made."""

    image: str
    """Its name in the project."""
    chains: Sequence[GoldChain]
    """Each phrase of the image is in exactly one."""


class MovedOnError(GoldError):
    """The annotation was saved from another page since."""


def mentions_of(row: GoldImage) -> list[int]:
    """Return the numbers of the image's mentions in reading order."""
    mentions = from_json(Progress.objects.get(image=row.image_id).state).mentions.values()
    return [mention.number for mention in sorted(mentions, key=lambda one: one.order)]


def annotation_of(row: GoldImage, user: User) -> GoldAnnotation:
    """Return the user's annotation of the image, or the one that settles it once two people are done.

    It is not saved before its first change. Raises GoldError if the image is somebody else's.
    """
    own = [annotation for annotation in row.annotations.all() if not annotation.settles]
    mine = next((annotation for annotation in own if annotation.user_id == user.pk), None)
    if row.annotators == 2 and is_compared(row):
        if mine is None and not may(user, Action.MANAGE, row.image.project_id):
            raise GoldError("Two others annotated this image: one of them settles what they disagree on.")
        return _settlement(row, own, user)
    if mine is not None:
        return _renew(row, mine)
    if len(own) >= row.annotators:
        raise GoldError(
            f"This image is annotated by {' and '.join(annotation.name for annotation in own)}: choose another one."
        )
    chains = [chain.to_json() for chain in blank_annotation(mentions_of(row))]
    return GoldAnnotation(gold_image=row, user=user, name=user.get_username(), chains=chains)


def is_compared(row: GoldImage) -> bool:
    """Tell whether all annotators have finished."""
    done = [annotation for annotation in row.annotations.all() if not annotation.settles and annotation.finished_at]
    return len(done) >= row.annotators


def _renew(row: GoldImage, annotation: GoldAnnotation) -> GoldAnnotation:
    """Let the sheet follow the image's phrases, which may have changed since it was saved."""
    annotation.chains = [chain.to_json() for chain in renewed(stored(annotation), mentions_of(row))]
    return annotation


def _settlement(row: GoldImage, own: list[GoldAnnotation], user: User) -> GoldAnnotation:
    found = row.annotations.filter(settles=True).first()
    if found is not None:
        return _renew(row, found)
    agreed = compare(*(stored(annotation) for annotation in own)).chains
    chains = renewed(list(agreed), mentions_of(row))
    values = {"user": user, "name": user.get_username(), "chains": [chain.to_json() for chain in chains]}
    return GoldAnnotation(gold_image=row, settles=True, **values)


def stored(annotation: GoldAnnotation) -> list[AnnotatedChain]:
    """Return the chains of a sheet as they were saved."""
    return [AnnotatedChain.from_json(chain) for chain in annotation.chains]


@transaction.atomic
def save_annotation(
    project: Project, image_id: int, user: User, *, chains: Any, revision: int, finish: bool
) -> GoldAnnotation:
    """Save the user's sheet of the image, and with `finish` let it count. `revision`: that of the sheet as it was read.

    Raises MovedOnError if it was saved from elsewhere since, and GoldError.
    """
    row = GoldImage.objects.select_for_update(of=("self",)).select_related("image").get(pk=image_id)
    sheet = annotation_of(row, user)
    if revision != sheet.revision:
        raise MovedOnError("This image was saved from another window in the meantime. Reload the page.")
    try:
        read = read_annotation(chains, mentions_of(row), row.image.width, row.image.height)
    except AnnotationError as error:
        raise GoldError(str(error)) from error
    sheet.chains, sheet.revision = [chain.to_json() for chain in read], sheet.revision + 1
    if finish:
        if left := undecided(read):
            raise GoldError(f"{len(left)} of {len(read)} chains have neither a box nor a reason for none.")
        sheet.user, sheet.name, sheet.finished_at = user, user.get_username(), clock.now()
    sheet.save()
    if finish:
        _conclude(project, row, sheet)
    return sheet


def _conclude(project: Project, row: GoldImage, annotation: GoldAnnotation) -> None:
    """Let gold follow the finished sheets of an image, and the stock follow gold."""
    row = GoldImage.objects.prefetch_related("annotations").get(pk=row.pk)
    own = [stored(sheet) for sheet in row.annotations.all() if not sheet.settles]
    if annotation.settles or row.annotators == 1:
        agreement = GoldAgreement(tuple(stored(annotation)), ())
    elif is_compared(row):
        agreement = compare(*own)
    else:
        return
    complete = not agreement.disputes
    before = Gold.objects.filter(image=row.image_id).values_list("chains", flat=True).first() or []
    chains = to_gold(agreement)
    gold, _ = Gold.objects.update_or_create(image_id=row.image_id, defaults={"chains": chains, "complete": complete})
    gives = {task.value: dict(count) for task, count in given_by(gold).items()}
    settled = clock.now() if complete else None
    GoldImage.objects.filter(pk=row.pk).update(disputes=len(agreement.disputes), settled_at=settled, gives=gives)
    make_questions(project, changed={row.image_id: (before, chains)})


@transaction.atomic
def store_finished_annotation(project: Project, data: Any, user: User, *, annotators: int = 1) -> GoldAnnotation:
    """Save the annotation of one image as finished, and return it. The image joins the sample if need be.

    `given`: the image's name and its chains, each with `phrases` as spans of words and with `boxes`, or with
    `non_visual`: "scene" or "no box". `annotators`: people who annotate an image that joins the sample now.
    Raises GoldError.
    """
    if not isinstance(data, dict) or not isinstance(data.get("image"), str):
        raise GoldError(f"An annotation looks like this: {FORM}.")
    name = data["image"]
    image = project.images.filter(name=name).first() if name.isprintable() else None
    if image is None:
        raise GoldError(f"There is no image {name[:80]!r} in this project.")
    row = _in_sample(image, annotators)
    chains = _numbered(image, data.get("chains"))
    revision = annotation_of(row, user).revision
    return save_annotation(project, image.pk, user, chains=chains, revision=revision, finish=True)


def _in_sample(image: Image, annotators: int) -> GoldImage:
    row = GoldImage.objects.filter(image=image).first()
    if row is not None:
        return row
    if annotators not in (1, 2):
        raise GoldError("An image is annotated by one person or by two.")
    if Gold.objects.filter(image=image).exists():
        raise GoldError(f"{image.name} came with its right answers: questions can be made of them already.")
    last = GoldImage.objects.filter(image__project=image.project_id).aggregate(last=Max("place"))["last"]
    return GoldImage.objects.create(image=image, place=0 if last is None else last + 1, annotators=annotators)


def _numbered(image: Image, chains: Any) -> list[dict[str, Any]]:
    """Replace the spans of phrases by the numbers of the image's mentions."""
    mentions = from_json(Progress.objects.get(image=image).state).mentions.values()
    numbers = {(mention.caption, mention.start, mention.end): mention.number for mention in mentions}
    if not isinstance(chains, list) or not all(isinstance(chain, dict) for chain in chains):
        raise GoldError(f"The chains look like this: {FORM}.")
    found = []
    for chain in chains:
        spans = chain.get("phrases")
        if not isinstance(spans, list) or not all(isinstance(span, list) and len(span) == 3 for span in spans):
            raise GoldError("The phrases of a chain are a list of [caption, first word, word after the last].")
        missing = [span for span in spans if _span(span) not in numbers]
        if missing:
            raise GoldError(f"{image.name} has no phrase at {missing[0]}.")
        own = [numbers[_span(span)] for span in spans]
        found.append({"mentions": own, **{key: chain[key] for key in ("boxes", "non_visual") if key in chain}})
    return found


def _span(span: list[Any]) -> tuple[int, int, int]:
    caption, start, end = (number if type(number) is int else -1 for number in span)
    return caption, start, end


@dataclass(frozen=True, slots=True)
class TaskOutlook:
    """One task's known questions."""

    task: Task
    verification: int
    tests: int
    mix: list[tuple[str, int]]
    """Verification questions by right answer."""
    lean: str
    """The fault of the mix, in words; empty if it has none."""
    enough: bool
    """There are enough for newcomers."""
    plenty: bool
    least_images: int | None
    """Images that are still to be annotated until there are enough; None: more than can be told."""
    recommended_images: int | None
    each: int | None
    """Assignments until a newcomer has seen all; None: never."""
    hours: float | None
    """The hours that these take at the paper's average speed."""
    active: int
    """Workers who are active on the task, as last computed."""
    left: int
    """Active workers for whom there are questions that they have not seen."""


@dataclass(frozen=True, slots=True)
class GoldReport:
    """All tasks' known questions, and what newcomers need."""

    tasks: list[TaskOutlook]
    least: int
    recommended: int
    tests: int
    ways: list[AdmissionWay]
    annotated: int
    """Images whose annotation counts."""
    most: int = MAX_IMAGES

    @property
    def least_images(self) -> int | None:
        """Images still to be annotated until every task has enough; None: more than can be told."""
        return _largest([task.least_images for task in self.tasks])

    @property
    def recommended_images(self) -> int | None:
        """Images still to be annotated until every task has what is recommended; None: more than can be told."""
        return _largest([task.recommended_images for task in self.tasks])

    @property
    def lacking(self) -> int:
        """Tasks that have not enough."""
        return sum(not task.enough for task in self.tasks)


def _largest(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return max(known) if len(known) == len(numbers) else None


@dataclass(slots=True)
class _Counts:
    """A task's questions by right answer."""

    verification: Counter[str]
    tests: Counter[str]
    others: Counter[str]
    """Both kinds, without those from annotated images."""
    shown: list[dict[str, Any]]
    """Shown by the verification questions."""


def gold_report(project: Project) -> GoldReport:
    """Read the outlook. Costs the same number of statements for any stock and any number of images."""
    settings = current_settings(project.pk)[1]
    rows = GoldImage.objects.filter(image__project=project, image__gold__isnull=False)
    gives = list(rows.values_list("gives", flat=True))
    counts = _counts(project)
    figures = read_figures(project.pk).get("stock")
    work: dict[str, Any] = figures.values["tasks"] if figures else {}
    tasks = [_of_task(settings, task, gives, counts[task], work.get(task.value, {})) for task in PROTOCOL_TASKS]
    needs = {
        "least": least_questions(settings),
        "recommended": recommended_questions(settings),
        "tests": settings.test_questions,
    }
    return GoldReport(tasks=tasks, ways=ways_in(project), annotated=len(gives), **needs)


def _counts(project: Project) -> dict[Task, _Counts]:
    found: dict[Task, _Counts] = defaultdict(lambda: _Counts(Counter(), Counter(), Counter(), []))
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).exclude(purpose=Purpose.EXAMPLE)
    columns = rows.values_list("task", "purpose", "truth", "source", "image__gold_image", "shown")
    for name, purpose, truth, source, annotated, shown in columns:
        counts, answer = found[Task(name)], answer_name(Task(name), truth)
        (counts.tests if purpose == Purpose.TEST else counts.verification)[answer] += 1
        counts.shown += [] if purpose == Purpose.TEST else [shown]
        if annotated is None or source != Source.GOLD:
            counts.others[answer] += 1
    return found


def _of_task(
    settings: Settings, task: Task, gives: list[dict[str, Any]], counts: _Counts, work: dict[str, Any]
) -> TaskOutlook:
    found = sum((Counter(give.get(task.value, {})) for give in gives), Counter[str]())
    verification, tests = counts.verification.total(), counts.tests.total()
    tested = tests >= settings.test_questions

    def images(goal: int, tries: int) -> int | None:
        """Return how many more images give these verification questions, the tests of these tries, and examples."""
        if tested and verification >= goal:
            return 0
        wanted = goal + tries * settings.test_questions + examples_needed(settings)[task]
        more = images_needed(task, wanted, counts=found, images=len(gives), others=counts.others)
        return None if more is None else max(1, more)

    names = [answer for kind in kinds_present(task, counts.verification) for answer in answer_names(kind)]
    each = assignments_of_new_worker(settings, task, counts.shown)
    return TaskOutlook(
        task=task,
        verification=verification,
        tests=tests,
        mix=[(answer, counts.verification[answer]) for answer in names],
        lean=mix_faults(task, counts.verification, settings.minimum[task.value]),
        enough=tested and verification >= least_questions(settings),
        plenty=tested and verification >= recommended_questions(settings),
        least_images=images(least_questions(settings), 1),
        recommended_images=images(recommended_questions(settings), settings.tests),
        each=each,
        hours=None if each is None else each * USUAL_SECONDS[task] / 3600,
        active=work.get("active", 0),
        left=work.get("left", 0),
    )
