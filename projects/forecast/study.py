"""A study with people: what was simulated before anybody answered, beside what people did, and what it can show."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from statistics import fmean
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Le
from django.db.models import Count, Q, QuerySet, Sum
from pydantic import Field

from annotation.models import Project
from evaluation.bootstrap import interval, resampled_shares
from pipeline.models import Assignment, Entry, Judgment, Progress, SettingsVersion
from pipeline.models.work import OF_SWEEPS
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.table_3 import FURTHER
from projects.forecast.operations import NOW, ForecastAssumptions, ForecastInput, prepare
from projects.operation import Caller, CannotBeDone, Estimate, Output, Refused, operation
from runtime.intervals import OF_PROGRAMS, z
from runtime.words import NONE, counted, money, number
from simulation.crowd import WORKERS
from simulation.predict.estimate import crowd_sd, crowd_sd_of_share
from simulation.predict.forecast import forecast
from simulation.predict.play_image import Played, outcome
from simulation.predict.subject import Subject, finished_of
from simulation.simulate import SECONDS
from simulation.view import TrueImage
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

POWER = 0.8
"""The chance that a difference of the size that is named shows."""
Ratio = Mapping[str | int, tuple[float, float]]
"""Of each image, worker or crew: a part, and the whole that it is a share of."""
MeasuredWith = Literal["nobody", "people", "a simulated crowd", "people and a simulated crowd"]


class StudyAssumptions(ForecastAssumptions):
    workers: Annotated[int, Ge(1), Le(WORKERS), Field(title="Workers who begin")] = 8
    """Workers who begin each task."""
    bad_percent: Annotated[int, Ge(0), Le(90), Field(title="Bad workers among them, in percent")] = 10
    """Bad workers among them, in percent."""
    sample: Annotated[int, Ge(2), Le(300), Field(title="Images to simulate")] = 300
    """Images to simulate, 2 to 300."""
    repetitions: Annotated[int, Ge(2), Le(10), Field(title="Times each is simulated")] = 3
    """Times each is simulated, 2 to 10."""


class StudyRow(Output):
    """One quantity. Intervals are of 90 %: images or workers are drawn again, as the answers about one go together."""

    quantity: str
    drawn: Literal["image", "worker"]
    simulated: Estimate | None
    """As before the first answer."""
    measured: Estimate | None
    """Of the images that are finished, or the workers who began; null: of fewer than two."""
    difference: Estimate | None
    """Measured less simulated: of images on the same ones, and as far as simulated crowds differ from each other."""
    detectable: float | None
    """The difference whose interval leaves out 0 in 80 % of complete studies; null: nothing simulated tells."""


class StudyTable(Output):
    measured_with: MeasuredWith
    settings_version: int
    """The version that was simulated: the last before the first answer."""
    rows: list[StudyRow]
    missing: list[str]
    """Sentences on what is not measured yet."""
    currency: str
    simulated_cents: Estimate
    """The pay of the whole project, verification questions included, without a platform's fee."""
    earned_cents: int
    """By workers so far."""


class Quantity(NamedTuple):
    """A ratio of sums over images."""

    title: str
    of: Callable[[ImageFigures], tuple[float, float]]
    is_share: bool = True


@dataclass(frozen=True, slots=True)
class ImageFigures:
    """One image, as it was played or as people left it."""

    played: Played
    cents: float
    """The pay for answers to its questions."""
    has_gold: bool

    def exact(self) -> tuple[float, float]:
        return (self.played.exact, self.played.chains) if self.has_gold else (0, 0)

    def too_sure(self, mentions: int) -> tuple[float, float]:
        """Return by how much more is stated than is right of chains of so many mentions, and the number of these."""
        claims = [claim for claim in self.played.claims if claim.mentions >= mentions] if self.has_gold else []
        return sum(claim.confidence - claim.is_right for claim in claims), len(claims)


ImagesByName = Mapping[str, ImageFigures]
QUANTITIES = (
    Quantity("answers an image", lambda image: (image.played.judgments.total(), 1), is_share=False),
    Quantity("cents an image", lambda image: (image.cents, 1), is_share=False),
    Quantity("exact chains (%)", lambda image: _percent(image.exact())),
    Quantity("confidence less right (points)", lambda image: _percent(image.too_sure(1))),
    Quantity("the same of several phrases", lambda image: _percent(image.too_sure(2))),
)
LOST = "began a task, not trusted (%)"


def _percent(share: tuple[float, float]) -> tuple[float, float]:
    return 100 * share[0], share[1]


def _table(table: StudyTable) -> str:
    """Return the table as text."""
    measured = table.measured_with
    head = ("", "simulated", "not measured" if measured == "nobody" else measured, "difference", "can show")
    rows = [
        (row.quantity, *map(_shown, (row.simulated, row.measured, row.difference)), number(row.detectable, 1))
        for row in table.rows
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in (head, *rows)]
    low, value, high = (
        money(round(cents), table.currency)
        for cents in (table.simulated_cents.low, table.simulated_cents.value, table.simulated_cents.high)
    )
    pay = f"Pay in all: {value} simulated ({low} to {high}), {money(table.earned_cents, table.currency)} earned so far."
    rehearsal = [] if measured in ("nobody", "people") else [f"A REHEARSAL: {measured} answered."]
    return "\n".join([*rehearsal, *(line.rstrip() for line in lines), "", pay, *table.missing])


def _shown(estimate: Estimate | None) -> str:
    if estimate is None:
        return NONE
    value, low, high = (number(float(figure), 1) for figure in estimate.numbers)
    return value if low == high else f"{value} ({low} to {high})"


@operation(surveys=False, command="study", method="get", guide="../how-to/study_with_people.md", say=_table)
def study(project: Project, inputs: StudyAssumptions, caller: Caller) -> StudyTable:
    """Hold a study with people against its simulation. Before anybody answers: what it can show. Takes minutes."""
    version = _version_at_start(project)
    given = ForecastInput(**{**inputs.model_dump(), "trusted": inputs.trusted or 0}, settings_version=version)
    try:
        basis = prepare(project, given, is_new=True)
    except CannotBeDone as refusal:
        raise Refused("invalid", str(refusal), 400) from refusal
    simulated = forecast(basis.stage, NOW, basis.base, basis.todo)
    base, subjects = basis.base, basis.stage.sample
    price = {task: base.reward_cents[task.value] / base.batch[task.value] for task in PROTOCOL_TASKS}
    runs = [
        {
            subject.key: ImageFigures(row[run], _pay(row[run], price), subject.known is not None)
            for subject, row in zip(subjects, simulated.played, strict=True)
        }
        for run in range(inputs.repetitions)
    ]
    measured = _measured(project, subjects)
    complete = len(subjects) / basis.images
    rows = [
        *(_image_row(quantity, runs, measured, inputs, complete) for quantity in QUANTITIES),
        *_second_rows(project),
        _lost_row(project, simulated.admitted, inputs.workers),
    ]
    return StudyTable(
        measured_with=_measured_with(project),
        settings_version=version,
        rows=rows,
        missing=list(_missing(project, rows, subjects, measured)),
        currency=base.currency,
        simulated_cents=Estimate(**simulated.cents._asdict()),
        earned_cents=sum(Assignment.objects.filter(project=project).values_list("earned_cents", flat=True)),
    )


def _pay(played: Played, price: Mapping[Task, float]) -> float:
    """`price`: of an answer, by task; of a sweep as of the pairs that take as long."""
    further = price[Task.COREFERENCE_LINK] * float(FURTHER) * played.further
    return sum(price[task] * answers for task, answers in played.judgments.items()) + further


def _version_at_start(project: Project) -> int:
    """Return the version of the settings under which the first real answer was given; without one the newest."""
    versions = SettingsVersion.objects.filter(project=project).order_by("-version")
    if first := Judgment.objects.filter(question__project=project).order_by("id").first():
        versions = versions.filter(created_at__lte=first.created_at)
    return versions.values_list("version", flat=True)[0]


def _measured(project: Project, subjects: Sequence[Subject]) -> ImagesByName:
    """Return the finished images among these, as they were left, with the answers to their real questions."""
    paid = _work(project).values_list("assignment").annotate(Count("id"))
    earned = dict(Assignment.objects.filter(project=project).values_list("id", "earned_cents"))
    each = {assignment: earned[assignment] / answers for assignment, answers in paid}
    judgments: dict[int, Counter[Task]] = defaultdict(Counter)
    cents: Counter[int] = Counter()
    real = _work(project).filter(question__isnull=False)
    for image, task, assignment in real.values_list("question__image", "question__task", "assignment"):
        judgments[image][Task(task)] += 1
        cents[image] += each[assignment]
    known = {subject.key: subject.known for subject in subjects}
    rows = Progress.objects.filter(image_id__in=finished_of(project.pk), image__name__in=known).select_related("image")
    return {
        row.image.name: ImageFigures(
            outcome(
                from_json(row.state),
                judgments[row.image_id],
                known[row.image.name] or TrueImage(row.image.name, row.image.width, row.image.height, ()),
            ),
            cents[row.image_id],
            known[row.image.name] is not None,
        )
        for row in rows
    }


def _work(project: Project) -> QuerySet[Judgment]:
    """Return the answers of people and virtual workers, to verification questions too, without those in tests."""
    work = Judgment.objects.filter(assignment__project=project, assignment__kind=Assignment.Kind.WORK).order_by()
    return work.exclude(worker__kind=Worker.Kind.PROGRAM)


def _image_row(
    quantity: Quantity, runs: Sequence[ImagesByName], measured: ImagesByName, assumed: StudyAssumptions, complete: float
) -> StudyRow:
    """`complete`: the share of the study's images that was simulated, 0 to 1."""
    ratios: list[Ratio] = [{name: quantity.of(image) for name, image in run.items()} for run in runs]
    simulated = _mean(ratios)
    found: Ratio = {name: quantity.of(image) for name, image in measured.items()}
    beside = {name: simulated[name] for name in found}
    whole = _estimate(simulated)
    crowd, detectable = 0.0, None
    if whole:
        of_total = whole.value * crowd_sd(assumed.workers, assumed.bad_percent / 100)
        crowd = 100 * crowd_sd_of_share(assumed.workers) if quantity.is_share else of_total
        # One run stands for people, and the others for what was simulated of them.
        error = float(np.std(_drawn_again(ratios[0]) - _drawn_again(_mean(ratios[1:])))) * complete**0.5
        detectable = round((z(OF_PROGRAMS) + z(2 * POWER - 1)) * hypot(error, crowd), 3)
    return StudyRow(
        quantity=quantity.title,
        drawn="image",
        simulated=whole,
        measured=_estimate(found),
        difference=_difference(found, beside, crowd=crowd),
        detectable=detectable,
    )


def _second_rows(project: Project) -> Iterator[StudyRow]:
    """Yield the seconds of an answer to each task, beside the paper's, which are what simulated workers take."""
    took: dict[str, dict[str | int, tuple[float, float]]] = defaultdict(dict)
    timed = _work(project).filter(seconds__isnull=False)
    by_task = timed.exclude(OF_SWEEPS).values_list("assignment__task", "worker")
    for task, worker, seconds, answers in by_task.annotate(Sum("seconds"), Count("id")):
        took[task][worker] = seconds, answers
    for task in PROTOCOL_TASKS:
        yield _worker_row(f"seconds of {task.label}", {"paper": (SECONDS[task], 1.0)}, took[task.value])
    shown = timed.filter(OF_SWEEPS).values_list("worker", "seconds", "question__subject", "known__shown")
    usual, swept = [], defaultdict[str | int, list[float]](list)
    for worker, seconds, subject, known in shown:
        usual.append(LINK_SECONDS.of(len(subject or known["mentions"]) - 1))
        swept[worker].append(seconds or 0.0)
    if usual:
        measured: Ratio = {worker: (sum(times), len(times)) for worker, times in swept.items()}
        yield _worker_row("seconds of a sweep", {"usual": (sum(usual), len(usual))}, measured)


def _lost_row(project: Project, admitted: Mapping[Task, Sequence[float]], workers: int) -> StudyRow:
    begun = TrustStatus.objects.filter(project=project).exclude(state=TrustState.INVITED.value)
    counted = begun.exclude(worker__kind=Worker.Kind.PROGRAM).order_by().values_list("worker")
    tasks = counted.annotate(lost=Count("id", filter=~Q(state=TrustState.TRUSTED.value)), begun=Count("id"))
    crews: Ratio = {
        number: (sum(1 - share for share in shares) * 100 * workers, len(shares) * workers)
        for number, shares in enumerate(zip(*admitted.values(), strict=True))
    }
    found: Ratio = {worker: (100 * lost, of) for worker, lost, of in tasks}
    return _worker_row(LOST, crews, found)


def _worker_row(title: str, simulated: Ratio, observed: Ratio) -> StudyRow:
    return StudyRow(
        quantity=title,
        drawn="worker",
        simulated=_estimate(simulated),
        measured=_estimate(observed),
        difference=_difference(observed, simulated, seed=1),
        detectable=None,
    )


def _mean(ratios: Sequence[Ratio]) -> Ratio:
    """Return the mean parts and wholes of several runs."""
    return {
        name: (fmean(ratio[name][0] for ratio in ratios), fmean(ratio[name][1] for ratio in ratios))
        for name in ratios[0]
    }


def _drawn_again(ratio: Ratio, seed: int = 0) -> np.ndarray:
    """Return the ratio of sums in resamples, of shape (draws,). One seed draws as many images alike, as pairs."""
    parts, wholes = (np.array(column, dtype=float)[:, None] for column in zip(*ratio.values(), strict=True))
    return resampled_shares(parts, wholes, np.random.default_rng(seed))[:, 0] / 100


def _value(ratio: Ratio) -> float | None:
    """Return the ratio of sums; None without a whole."""
    whole = sum(whole for _, whole in ratio.values())
    return sum(part for part, _ in ratio.values()) / whole if whole else None


def _estimate(ratio: Ratio) -> Estimate | None:
    value = _value(ratio)
    return None if value is None else _with_ends(value, _drawn_again(ratio))


def _difference(observed: Ratio, simulated: Ratio, *, seed: int = 0, crowd: float = 0.0) -> Estimate | None:
    """`seed`: of what was simulated; 0 draws pairs. `crowd`: by how much two crowds differ, as a standard deviation."""
    first, second = _value(observed), _value(simulated)
    if first is None or second is None:
        return None
    draws = _drawn_again(observed) - _drawn_again(simulated, seed)
    return _with_ends(first - second, draws + np.random.default_rng(2).normal(0, crowd, len(draws)))


def _with_ends(value: float, draws: np.ndarray) -> Estimate:
    low, high = map(float, interval(draws, OF_PROGRAMS))
    return Estimate(value=round(value, 3), low=round(low, 3), high=round(high, 3))


def _measured_with(project: Project) -> MeasuredWith:
    kinds = set(_work(project).values_list("worker__kind", flat=True).distinct())
    if len(kinds) == 2:
        return "people and a simulated crowd"
    return "nobody" if not kinds else "people" if Worker.Kind.PERSON in kinds else "a simulated crowd"


def _missing(
    project: Project, rows: Sequence[StudyRow], subjects: Sequence[Subject], measured: ImagesByName
) -> Iterator[str]:
    images, gold = len(subjects), sum(subject.known is not None for subject in subjects)
    if len(measured) < images:
        yield f"{images - len(measured)} of {images} simulated images are not finished: differences leave them out."
    if gold < images:
        yield f"{images - gold} of {images} simulated images have no gold: exact chains and confidence leave them out."
    if empty := [row.quantity for row in rows if row.simulated is None]:
        yield f"Not simulated: {'; '.join(empty)}."
    empty = [row.quantity for row in rows if row.measured is None]
    if len(empty) == len(rows):
        yield "Nobody has answered yet."
    elif empty:
        yield f"Not measured yet: {'; '.join(empty)}."
    if experts := Entry.objects.filter(project=project, kind=EntryKind.EXPERT.value).values("image").distinct().count():
        yield f"Experts have changed {counted(experts, 'image')}: their chains are not those of the workers alone."
