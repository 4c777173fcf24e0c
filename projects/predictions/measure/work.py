"""Work on a measurement: two scratch copies, a simulated crowd that answers in both, and the comparison of outcomes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet

from annotation.models import Box, Gold, Image, Project
from annotation.rules.states import BoxState, ImageState
from pipeline.models import Judgment
from pipeline.project.queries import stream_progress
from pipeline.project.settings_versions import all_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from projects.lifecycle.copies import (
    DRY_RUN_NAME,
    NotDryError,
    before_the_answers,
    copy_sample,
    delete_dry_run,
    let_answer,
    make_dry_run,
    places_in_copy,
)
from projects.models import ModelPrediction, Run
from projects.operation import CannotBeDone, Estimate, Output, Progress
from projects.predictions.import_predictions import enter_predictions
from projects.predictions.scores import programs
from runtime import clock
from runtime.intervals import IntervalEstimate as Interval
from simulation.predict.estimate import change_of_share, change_of_sum
from simulation.predict.subject import OVER, draw_images
from simulation.score import MatchCounts, SimulationScore, score_boxes, score_chains
from simulation.simulate import SECONDS, SimulationError, load_gold
from workers.models import Worker

WITHOUT, WITH = "without", "with"
MEASUREMENT = "begin_measurement"
"""The operation that makes copies."""


@transaction.atomic
def make_copy(run: Run, side: str) -> Project:
    """Make a copy without images, with a run that leads from it to the measurement. It spends no money, so it has no
    spend cap."""
    settings = replace(settings_of(run), pre_annotations=side == WITH, spend_cap_cents=0)
    copy = make_dry_run(
        run.project, run.user, suffix=f"{side}-model", about=f" {side} {run.input['program']}", settings=settings
    )
    now = clock.now()
    source = {"source": run.project.name, "source_id": run.project_id, "measurement": run.pk, "side": side}
    Run.objects.create(
        project=copy,
        user=run.user,
        operation=DRY_RUN_NAME,
        lane="images",
        input=source,
        state=Run.State.DONE,
        begun_at=now,
        ended_at=now,
    )
    return copy


def settings_of(run: Run) -> Settings:
    """Return the settings from which the measurement began: both copies have them, even if a refit adds others."""
    return all_settings(run.project_id)[run.input["settings_version"]]


def copies_of(runs: Iterable[Run]) -> dict[tuple[int, str], Project]:
    """Return the copies of these measurements that are still there, by the measurement's number and the side."""
    rows = Run.objects.filter(operation=DRY_RUN_NAME, input__measurement__in=[run.pk for run in runs])
    return {(row.input["measurement"], row.input["side"]): row.project for row in rows.select_related("project")}


def note_end(copy: Project) -> None:
    """Note in the run of the copy, which its page shows, that all images are annotated."""
    images = copy.images.count()
    runs = Run.objects.filter(project=copy, operation=DRY_RUN_NAME)
    runs.update(result={"images": images}, done=2 * images, total=2 * images, ended_at=clock.now())


def give_predictions(project: Project, program: Worker, copy: Project, ids: Sequence[int]) -> None:
    """Enter what the program predicted for these images in the records of their copies, as an import does."""
    copies = dict(copy.images.values_list("name", "pk"))
    rows = ModelPrediction.objects.filter(project=project, program=program, image__in=ids)
    images = Image.objects.filter(pk__in=ids).prefetch_related("mentions__caption").in_bulk()
    with before_the_answers():
        ModelPrediction.objects.bulk_create(
            _renumbered(row, images[row.image_id], copy, copies[images[row.image_id].name]) for row in rows
        )
        enter_predictions(copy.pk)


def _renumbered(one: ModelPrediction, image: Image, copy: Project, image_id: int) -> ModelPrediction:
    """Return the prediction for the copy of its image, whose phrases are numbered anew; removed ones are left out."""
    places = places_in_copy(image.mentions.all())
    chains = [[places[number] for number in chain if number in places] for chain in one.chains]
    return ModelPrediction(
        project=copy,
        program_id=one.program_id,
        image_id=image_id,
        boxes=[[places[number], *rest] for number, *rest in one.boxes if number in places],
        chains=[chain for chain in chains if chain],
        made_by=one.made_by,
    )


def delete_copies(project: Project) -> None:
    """Delete the copies of all measurements of the project."""
    _delete(copies_of(project.runs.filter(operation=MEASUREMENT)).values())


def delete_copies_of(run: Run) -> None:
    """Delete the copies of this measurement."""
    _delete(copies_of([run]).values())


def _delete(copies: Iterable[Project]) -> None:
    """Delete copies. One in which a person has worked stays."""
    for copy in copies:
        with suppress(NotDryError, Project.DoesNotExist):
            delete_dry_run(copy)


LINKING = (Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION)


@dataclass(slots=True)
class ImageOutcome:
    """The work that one image took, and its result."""

    answers: Counter[Task] = field(default_factory=Counter)
    boxes: MatchCounts = field(default_factory=MatchCounts)
    """Its boxes as they would be exported; matched: those that are right."""
    chains: MatchCounts = field(default_factory=MatchCounts)
    review: int = 0
    """Chains that are left to an expert."""

    @property
    def linking(self) -> int:
        return sum(self.answers[task] for task in LINKING)

    @property
    def hours(self) -> float:
        """Return the time of workers at the usual seconds of an answer, as in a prediction of the project."""
        return sum(number * SECONDS[task] for task, number in self.answers.items()) / 3600

    def cents(self, settings: Settings) -> float:
        """Return what the answers earn."""
        rewards, sizes = settings.reward_cents, settings.batch
        return sum(number * rewards[task.value] / sizes[task.value] for task, number in self.answers.items())


def outcomes(copy: Project) -> dict[str, ImageOutcome]:
    """Return the outcome of each image of the copy, by its name."""
    gold, answers, found = load_gold(copy), answers_by_image(copy), {}
    for image, progress in stream_progress(copy):
        score = SimulationScore()
        score_chains(score, progress, gold[image])
        score_boxes(score, progress, gold[image])
        # An image that waits for an expert has no merged boxes: its accepted ones are what there is.
        boxes = score.merged_boxes if progress.merged else score.boxes
        found[gold[image].key] = ImageOutcome(answers[image], boxes, score.merged_chains, score.review.total())
    return found


def answers_by_image(copy: Project) -> dict[int, Counter[Task]]:
    """Count the answers to real questions by image and task."""
    found: dict[int, Counter[Task]] = defaultdict(Counter)
    rows = Judgment.objects.filter(question__project=copy).order_by().values_list("question__image", "question__task")
    for image, task, number in rows.annotate(Count("id")):
        found[image][Task(task)] += number
    return found


def finished_images(copy: Project) -> int:
    """Count the images about which nobody is asked any more."""
    return copy.images.filter(state__in=OVER).count()


Found = Mapping[str, ImageOutcome]
"""The outcomes of a copy by the names of its images."""
Share = Callable[[MatchCounts], tuple[float, float]]

SHARES: dict[str, Callable[[ImageOutcome], tuple[float, float]]] = {
    "boxes_right": lambda one: (one.boxes.matched, one.boxes.found),
    "boxes_found": lambda one: (one.boxes.matched, one.boxes.gold),
    "chains_exact": lambda one: (one.chains.matched, one.chains.gold),
}


class MeasuredFigure(Output):
    without: float | tuple[float, float]
    """In the copy without predictions; of a share its part and its whole."""
    with_program: float | tuple[float, float]
    """In the copy with the program's predictions, likewise."""
    change: Estimate | None
    """Of answers, hours and cents a share of what they are without; of a share the difference."""


def compare_figures(without: Found, with_it: Found, settings: Settings) -> dict[str, MeasuredFigure]:
    """Return each figure without the program and with it, and its change with a 90 % interval.

    Sums change by a share of what they were, shares by their difference. Both copies hold the same images.
    """
    names = sorted(without)
    pairs = [without[name] for name in names], [with_it[name] for name in names]
    sums: dict[str, Callable[[ImageOutcome], float]] = {
        "answers": lambda one: one.answers.total(),
        "linking": lambda one: one.linking,
        "boxing": lambda one: one.answers.total() - one.linking,
        "hours": lambda one: one.hours,
        "cents": lambda one: one.cents(settings),
        "review": lambda one: one.review,
    }
    figures = {name: _sums(*([get(play) for play in side] for side in pairs)) for name, get in sums.items()}
    figures |= {name: _shares(*([get(play) for play in side] for side in pairs)) for name, get in SHARES.items()}
    return figures


def _sums(before: Sequence[float], after: Sequence[float]) -> MeasuredFigure:
    without, with_program = (round(sum(side), 4) for side in (before, after))
    return MeasuredFigure(without=without, with_program=with_program, change=_rounded(change_of_sum(before, after)))


def _shares(before: Sequence[tuple[float, float]], after: Sequence[tuple[float, float]]) -> MeasuredFigure:
    old, new = ((sum(part for part, _ in side), sum(whole for _, whole in side)) for side in (before, after))
    return MeasuredFigure(without=old, with_program=new, change=_rounded(change_of_share(before, after)))


def _rounded(change: Interval | None) -> Estimate | None:
    if change is None:
        return None
    value, low, high = (round(number, 5) for number in change)
    return Estimate(value=value, low=low, high=high)


MAX_IMAGES, MIN_IMAGES = 20, 5
"""Images of a measurement. With fewer than five, chance hides all but the largest differences."""
KNOWN = Q(image__gold__complete=True) | Q(image__state=ImageState.MERGED.value)


class Predicted(NamedTuple):
    """The predictions of a program: the images that it can be measured on, and the time of the newest."""

    known: int
    newest: datetime


def predicted(project: Project) -> dict[int, Predicted]:
    """Return what each program of the project has predicted."""
    rows = ModelPrediction.objects.filter(project=project).order_by().values_list("program")
    found = rows.annotate(known=Count("id", filter=KNOWN), newest=Max("created_at"))
    return {program: Predicted(known, newest) for program, known, newest in found}


def drawn_images(project: Project, program: Worker) -> list[int]:
    """Draw the images of a measurement: the same ones every time, as long as the same are known.

    Raises CannotBeDone if there are too few. Truths are never drawn by chance: every program would look bad.
    """
    known = _known(project, program)
    if len(known) < MIN_IMAGES:
        raise CannotBeDone(too_few(program.name, len(known)))
    return draw_images(known, MAX_IMAGES, project.pk)


def with_gold(ids: Sequence[int]) -> int:
    """Count the images whose right answers are gold; those of the others were found by workers."""
    return Gold.objects.filter(image__in=ids, complete=True).count()


def too_few(program: str, known: int) -> str:
    """Return why a program cannot be measured yet, and what to do."""
    there = f"{known or 'none'} of the images that {program} predicted {'has' if known == 1 else 'have'} one"
    return (
        f"A measurement needs {MIN_IMAGES} images with known right answers, and {there}: annotate some under Known "
        "questions, import right answers, or wait until more images are finished."
    )


def _known(project: Project, program: Worker) -> list[int]:
    rows: QuerySet[ModelPrediction] = ModelPrediction.objects.filter(KNOWN, project=project, program=program)
    with_phrases = rows.filter(image__mentions__isnull=False).order_by("image__position")
    return list(dict.fromkeys(with_phrases.values_list("image", flat=True)))


DELETED = "A copy was deleted while it was being measured: measure again."


class MeasurementResult(Output):
    """All of it is simulated."""

    images: int
    with_gold: int
    """Images whose right answers are gold; else workers found them."""
    pre_annotated: int
    """Boxes of the program that were tried."""
    accepted: int
    unused: list[str]
    """Reasons why boxes or links count for nothing."""
    currency: str
    paid: bool
    figures: dict[str, MeasuredFigure]
    """answers, linking and boxing of them, hours, cents, review; boxes_right, boxes_found, chains_exact."""


class CopySteps:
    """The steps of a measurement: each image is copied and finished, in each copy."""

    def __init__(self, progress: Progress, images: int) -> None:
        self._progress, self._images, self._before = progress, images, 0

    def copied(self, side: str, done: int) -> None:
        self._advance(done, f"{_titled(side)}: {done} of {self._images} images copied")

    def answered(self, side: str, finished: int, answers: int) -> None:
        words = f"{_titled(side)}: {answers:,} answers, {finished} of {self._images} images finished"
        self._advance(self._images + finished, words)

    def next_copy(self) -> None:
        self._before += 2 * self._images

    def _advance(self, done: int, words: str) -> None:
        self._progress.advance(self._before + done, 4 * self._images, words)


def _titled(side: str) -> str:
    return f"{side.capitalize()} it"


def measure_predictions(run: Run, progress: Progress) -> MeasurementResult:
    """Return the comparison. The copies stay, and those of earlier measurements are deleted.

    Raises CannotBeDone with too few known images, and Stopped; no copy is left then. Copies of a process that died
    lead to the run, so they go when the work begins again.
    """
    program = Worker.objects.get(name=run.input["program"])
    ids = drawn_images(run.project, program)
    delete_copies(run.project)
    steps = CopySteps(progress, len(ids))
    copies = []
    try:
        for side in (WITHOUT, WITH):
            copies.append(make_copy(run, side))
            _play(run.project, program, ids, copies[-1], side, steps)
            steps.next_copy()
    except SimulationError as error:
        raise CannotBeDone(str(error)) from error
    without, with_it = copies
    settings = settings_of(run)
    pre_annotated = Box.objects.filter(image__project=with_it, pre_annotated=True)
    return MeasurementResult(
        figures=compare_figures(outcomes(without), outcomes(with_it), settings),
        images=len(ids),
        with_gold=with_gold(ids),
        pre_annotated=pre_annotated.exclude(state=BoxState.PENDING.value).count(),
        accepted=pre_annotated.filter(state=BoxState.ACCEPTED.value).count(),
        unused=_unused(run.project, program, settings),
        currency=settings.currency,
        paid=any(settings.reward_cents.values()),
    )


def _unused(project: Project, program: Worker, settings: Settings) -> list[str]:
    """Return why boxes or links of the program counted for nothing in its copy, where they did."""
    used = replace(settings, pre_annotations=True)
    (found,) = (judge for judge in programs(project, used) if judge.id == program.pk)
    both = (("Boxes", found.boxes), ("Links", found.links))
    return [f"{what}: {use.words}" for what, use in both if use is not None and not use.used]


def _play(project: Project, program: Worker, ids: Sequence[int], copy: Project, side: str, steps: CopySteps) -> None:
    """Fill the copy and let the crowd answer. Truths, crowd and order are drawn with the same seed in both copies."""
    numbers = iter(range(1, len(ids) + 1))
    copy_sample(project, copy, ids, seed=project.pk, step=lambda: steps.copied(side, next(numbers)))
    if side == WITH:
        give_predictions(project, program, copy, ids)
    let_answer(copy, seed=project.pk, look=_watched(copy, side, steps))
    note_end(copy)


def _watched(copy: Project, side: str, steps: CopySteps) -> Callable[[int], None]:
    answers = 0

    def look(added: int) -> None:
        nonlocal answers
        answers += added
        if not Project.objects.filter(pk=copy.pk).exists():
            raise CannotBeDone(DELETED)
        steps.answered(side, finished_images(copy), answers)

    return look
