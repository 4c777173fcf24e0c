"""Refresh the figures of projects: each group when it is due, so that computing never takes more than a small share."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import sqrt
from typing import Any, NamedTuple

from django.db.models import Avg, Count, DurationField, Exists, ExpressionWrapper, F, Min, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Least, TruncDay, TruncHour

from annotation.models import Box, Chain, Image, MergedBox, Project
from annotation.rules.box import Box as BoxValue
from annotation.rules.box import iou
from annotation.rules.states import BoxState, ChainState, ImageState
from exchange.load_project import stream_images
from exchange.statistics.statistics import measure, part_agreement
from pipeline.gold_questions.known_forecast import known_forecasts
from pipeline.gold_questions.known_questions import Purpose
from pipeline.models import Assignment, Judgment, KnownQuestion, LedgerEntry, Question, Transition
from pipeline.project.queries import count_judgments, link_sources, tasks_of_id
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import Cause
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.coreference_link import in_chains
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.starve_questions import starved_questions
from pipeline.settings.of_belief import BoxPolicyName
from projects.lifecycle.change_state import ways_in
from projects.models import Figures
from projects.predictions.scores import pre_annotations_by_program as by_program
from projects.quality.answers import REQUIREMENT, word
from projects.quality.calibration import calibration_tenths
from projects.quality.program_work import program_work
from runtime import clock
from runtime.intervals import OF_PROGRAMS, normal
from workers.models import Access, SkillEstimate, TrustChange, TrustStatus
from workers.rules.trust_states import TrustEvent, TrustState

TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
SIZES = 3
"""Chains are told apart by their boxes: none, one, two or more."""
USUAL: Mapping[BoxPolicyName, tuple[tuple[float, ...], ...]] = {
    BoxPolicyName.PAPER: ((2.7, 0.2, 0.1, 0.0), (0.5, 1.36, 1.2, 2.24), (0.4, 2.5, 2.3, 3.3)),
    BoxPolicyName.BELIEF: ((2.0, 0.1, 0.0, 0.0), (0.47, 1.43, 0.13, 0.95), (0.6, 2.7, 1.2, 0.5)),
}
"""Answers of each task that a drawn chain gets, by its boxes: simulated on images of Flickr30k Entities."""
IMAGINED = 10
"""Chains as usual that are added to the drawn ones of each size."""
DOUBT = 0.15
"""The usual answers may be this much off in a project, in shares of their time."""
SPREAD = 0.5
"""The standard deviation of a chain's time, in shares of the mean."""


class Chains(NamedTuple):
    """Chains of one size, and the answers that they got, by task."""

    number: int
    answers: Sequence[float]


class Saved(NamedTuple):
    """Time of workers that pre-annotations saved, in seconds; below 0 they cost time."""

    seconds: float
    low: float
    high: float
    """The 90 % interval."""
    chains: int
    """Chains for which a box was proposed."""
    took: float
    """The time of all of them."""
    drawn: int
    """Drawn chains of the project, on which the comparison rests."""


def pre_annotations_saved(
    tried: Iterable[Chains], drawn: Iterable[Chains], seconds: Sequence[float], policy: BoxPolicyName
) -> Saved:
    """Return the time saved. `tried`, `drawn`: the chains of each size; `seconds`: of an answer, by task."""
    would, took, variance, doubt, count, held = 0.0, 0.0, 0.0, 0.0, 0, 0
    for with_them, without, usual in zip(tried, drawn, USUAL[policy], strict=True):
        known, all_of_them = without.number, without.number + IMAGINED
        imagined = IMAGINED * _time(usual, seconds)
        each = (_time(without.answers, seconds) + imagined) / all_of_them
        would += with_them.number * each
        took += _time(with_them.answers, seconds)
        variance += (SPREAD * each) ** 2 * (with_them.number + with_them.number**2 / all_of_them)
        doubt += DOUBT * with_them.number * imagined / all_of_them
        count, held = count + with_them.number, held + known
    return Saved(*normal(would - took, sqrt(variance + doubt**2), OF_PROGRAMS), count, took, held)


def _time(answers: Sequence[float], seconds: Sequence[float]) -> float:
    return sum(number * second for number, second in zip(answers, seconds, strict=True))


BINS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.01)
"""The edges of the classes of scores."""
FAILED = (TrustEvent.FAIL_PROBATION, TrustEvent.FAIL_AGAIN)
REQUIRED = {REQUIREMENT[1]: "box required", REQUIREMENT[2]: "no box required", REQUIREMENT[3]: "no box required"}


def figures_of_workers(project_id: int) -> dict[str, Any]:
    """Return for each task its row of table 3, and its agreement; the workers in each class of scores; and parts."""
    trusted = _trusted(project_id)
    seconds, right, agreed = _seconds(project_id), _right(project_id), _agreement(project_id)
    rejected = _rejected(project_id)
    rows, tasks = {}, tasks_of_id(project_id)
    for task in tasks:
        shares = [good / number for who, (good, number) in right[task.value].items() if who in trusted[task.value]]
        same, judged = agreed[task.value]
        no, decided = rejected[task.value]
        rows[task.value] = {
            "seconds": seconds.get(task.value),
            "trusted": len(trusted[task.value]),
            "quality": sum(shares) / len(shares) if shares else None,
            "rejected": no / decided if decided else None,
            "agreement": same / judged if judged else None,
            "judged": judged,
        }
    scores = _scores(project_id, [task.value for task in tasks])
    return {"tasks": rows, "scores": scores, "parts": part_agreement(project_id)}


def _trusted(project_id: int) -> dict[str, set[int]]:
    """Return the trusted workers of each task: by their status, or by hand, which leaves no row."""
    place = {"worker": OuterRef("worker"), "project_id": OuterRef("project_id"), "task": OuterRef("task")}
    others = TrustStatus.objects.filter(**place).exclude(state=TrustState.TRUSTED.value)
    found: dict[str, set[int]] = defaultdict(set)
    rows = Access.objects.filter(~Exists(others), project_id=project_id)
    for task, worker in rows.values_list("task", "worker"):
        found[task].add(worker)
    return found


def _seconds(project_id: int) -> dict[str, float]:
    """Return the mean seconds of a submitted assignment, from its lease to its submission."""
    leased = ExpressionWrapper(Least("ended_at", "expires_at") - F("created_at"), DurationField())
    done = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, kind=Assignment.Kind.WORK)
    rows = done.order_by().values_list("task").annotate(time=Avg(leased))
    return {task: time.total_seconds() for task, time in rows}


def _right(project_id: int) -> dict[str, dict[int, tuple[int, int]]]:
    """Return right ones and all, by task and worker: verification questions, and for drawing also judged boxes."""
    asked = {"known__project": project_id, "known__purpose": KnownQuestion.Purpose.VERIFICATION}
    rows = Judgment.objects.filter(**asked).order_by().values_list("known__task", "worker")
    found: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for task, worker, good, number in rows.annotate(good=Count("id", filter=Q(right=True)), all=Count("id")):
        found[task][worker] = (good, number)
    boxes = Box.objects.filter(image__project=project_id, judged_at__isnull=False, drawn_by__isnull=False)
    accepted = Count("id", filter=Q(state=BoxState.ACCEPTED.value))
    drawing = found[Task.BOX_DRAWING.value]
    for worker, good, number in boxes.order_by().values_list("drawn_by").annotate(good=accepted, all=Count("id")):
        before = drawing.get(worker or 0, (0, 0))
        drawing[worker or 0] = (before[0] + good, before[1] + number)
    return found


def _agreement(project_id: int) -> dict[str, tuple[int, int]]:
    """Return judgments equal to the outcome of their question, and all, by task; without drawings and sweeps."""
    closed = {"question__project": project_id, "question__state": QuestionState.CLOSED.value}
    rows = Judgment.objects.filter(**closed).exclude(question__task=Task.BOX_DRAWING.value)
    rows = rows.exclude(question__outcome=Cause.SWEPT.value)
    counted = rows.order_by().values_list("question__task", "answer", "question__outcome").annotate(Count("id"))
    same: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for task, answer, outcome, number in counted:
        said, outcome = word(in_chains(answer)), in_chains(outcome)
        judged[task] += number
        same[task] += number * (REQUIRED.get(said, said) == outcome)
    return {task.value: (same[task.value], judged[task.value]) for task in Task}


def _rejected(project_id: int) -> dict[str, tuple[int, int]]:
    """Return what was rejected, and all that was decided, by task, of workers who were not trusted yet.

    Assignments whose batch was not used, in the verification model; probations that were failed, in the other.
    """
    no, all_of_them = Counter[str](), Counter[str]()
    waited = Assignment.objects.filter(project=project_id, acceptance__in=["accepted", "refused"])
    for task, acceptance, number in waited.order_by().values_list("task", "acceptance").annotate(Count("id")):
        no[task] += number * (acceptance == "refused")
        all_of_them[task] += number
    ended = TrustChange.objects.filter(project_id=project_id, event__in=[TrustEvent.PASS_PROBATION, *FAILED])
    for task, event, number in ended.order_by().values_list("task", "event").annotate(Count("id")):
        no[task] += number * (event != TrustEvent.PASS_PROBATION)
        all_of_them[task] += number
    return {task.value: (no[task.value], all_of_them[task.value]) for task in Task}


def _scores(project_id: int, tasks: Sequence[str]) -> dict[str, list[int]]:
    found = {task: [0] * (len(BINS) - 1) for task in tasks}
    estimates = SkillEstimate.objects.filter(project_id=project_id, task__in=tasks)
    for task, accuracy in estimates.values_list("task", "accuracy"):
        found[task][next(place for place, edge in enumerate(BINS[1:]) if accuracy < edge)] += 1
    return found


def known_question_figures(project_id: int) -> dict[str, Any]:
    """Return for each task its stock, how long it lasts, and its warnings; and the number of starved questions."""
    project = Project.objects.get(pk=project_id)
    closed = not ways_in(project)  # nobody can join who is not trusted
    tasks = {}
    for task, forecast in known_forecasts(project_id).items():
        unseen = [worker for worker in forecast.left if worker.unseen]
        tasks[task.value] = {
            "questions": forecast.counts[Purpose.VERIFICATION],
            "new_worker": forecast.each,
            "first": forecast.first,
            "active": len(forecast.left),
            "left": len(unseen),
            "warnings": [
                warning for warning in forecast.warnings if not (closed and warning in forecast.for_new_workers)
            ],
        }
    return {"tasks": tasks, "starved": len(starved_questions(project_id))}


ENDED = (ChainState.COMPLETE.value, ChainState.NON_VISUAL.value)
TRIED, DRAWN = "tried", "drawn"


def pre_annotations(project_id: int) -> dict[str, Any]:
    """Return the number of proposed boxes by state, of all programs together, and the answers that chains got."""
    total = sum(by_program(project_id).values(), Counter[str]())
    states = {state.value: total[state.value] for state in BoxState}
    return {**states, "chains": pre_annotated_chains(project_id)} if total else states


def pre_annotated_chains(project_id: int) -> dict[str, list[list[Any]]]:
    """Return [number of chains, answers by task] for each size, of chains that went through the box tasks.

    Under TRIED those for which a box was proposed, under DRAWN the others.
    """
    asked = {"question__project": project_id, "question__task__in": [task.value for task in TASKS]}
    rows = (
        Judgment.objects.filter(**asked).order_by().values_list("question__image", "question__chain", "question__task")
    )
    answers: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for image, chain, task, number in rows.annotate(Count("id")).iterator():
        answers[image, chain][task] += number
    boxes = Box.objects.filter(image__project=project_id).order_by()
    pre_annotated = set(boxes.filter(pre_annotated=True).values_list("image", "chain"))
    kept = boxes.filter(state=BoxState.ACCEPTED.value).values_list("image", "chain").annotate(Count("id"))
    sizes = {(image, chain): number for image, chain, number in kept.iterator()}
    found: dict[str, list[list[Any]]] = {kind: [[0, [0] * len(TASKS)] for _ in range(SIZES)] for kind in (TRIED, DRAWN)}
    ended = Chain.objects.filter(image__project=project_id, state__in=ENDED).order_by()
    for key in ended.values_list("image", "name").iterator():
        if key in answers:
            row = found[TRIED if key in pre_annotated else DRAWN][min(sizes.get(key, 0), SIZES - 1)]
            row[0] += 1
            row[1] = [sum_ + answers[key][task.value] for sum_, task in zip(row[1], TASKS, strict=True)]
    return found


HOURS, DAYS, RATE_DAYS = 48, 30, 7
Kind, State = LedgerEntry.Kind, Assignment.State


def pace(project_id: int) -> dict[str, Any]:
    """Return judgments in each of the last 48 hours and 30 days, the oldest first, and what was done in a week.

    Work is in hours: as long as workers took for their answers.
    """
    now = clock.now()
    given = Judgment.objects.filter(assignment__project=project_id)
    hour, day = now.replace(minute=0, second=0, microsecond=0), now.replace(hour=0, minute=0, second=0, microsecond=0)
    hours = [hour - timedelta(hours=back) for back in reversed(range(HOURS))]
    days = [day - timedelta(days=back) for back in reversed(range(DAYS))]
    in_hours = _counts(given.filter(created_at__gte=hours[0]).annotate(part=TruncHour("created_at", tzinfo=UTC)))
    in_days = _counts(given.filter(created_at__gte=days[0]).annotate(part=TruncDay("created_at", tzinfo=UTC)))
    finished = Transition.objects.filter(project=project_id, machine="image", new=ImageState.MERGED.value)
    week = given.filter(created_at__gte=now - timedelta(days=RATE_DAYS)).annotate(
        part=TruncDay("created_at", tzinfo=UTC)
    )
    worked = dict(week.order_by().values_list("part").annotate(Sum("seconds")))
    counts = count_judgments([project_id])[project_id]
    real = Judgment.objects.filter(question__project=project_id).order_by()
    on_images = dict(real.values_list("question__image__state").annotate(Sum("seconds")))
    lately = finished.filter(created_at__gte=now - timedelta(days=RATE_DAYS)).order_by("created_at")
    first = lately.values_list("created_at", flat=True).first()
    return {
        "hours": [[_text(part), in_hours.get(part, 0)] for part in hours],
        "days": [[_text(part), in_days.get(part, 0)] for part in days],
        "judgments": counts.total,
        "of": {"people": counts.people, "programs": counts.programs, "known": counts.known},
        "on_finished": on_images.pop(ImageState.MERGED.value, None) or 0,
        "on_others": sum(seconds or 0 for seconds in on_images.values()),
        "seconds": given.aggregate(Avg("seconds"))["seconds__avg"],
        "worked": [[_text(part), (worked.get(part) or 0) / 3600] for part in days[-RATE_DAYS - 1 :]],
        "worked_in_days": _days_since(now, week.aggregate(first=Min("created_at"))["first"]),
        "finished": finished.count(),
        "finished_lately": lately.count(),
        "finished_in_days": _days_since(now, first),
    }


def _days_since(now: datetime, first: datetime | None) -> float:
    return (now - first).total_seconds() / 86_400 if first else 0


def _counts(rows: QuerySet[Any]) -> dict[datetime, int]:
    return dict(rows.order_by().values_list("part").annotate(Count("id")))


def _text(part: datetime) -> str:
    return part.astimezone(UTC).isoformat()


def money_spent(project_id: int) -> dict[str, Any]:
    """Return amounts in hundredths of the currency. `open_cents`: what the open questions cost at their rewards."""
    settings = current_settings(project_id)[1]
    earned = Coalesce(Sum("earned_cents", filter=Q(state=State.SUBMITTED)), 0)
    reserved = Coalesce(Sum("reward_cents", filter=Q(state=State.ACTIVE)), 0)
    work = Assignment.objects.filter(project=project_id).aggregate(earned=earned, reserved=reserved)
    booked = dict(
        LedgerEntry.objects.filter(project_id=project_id).order_by().values_list("kind").annotate(Sum("cents"))
    )
    granted = work["earned"] + booked.get(Kind.BONUS, 0) - booked.get(Kind.REFUSED, 0) + booked.get(Kind.RESTORED, 0)
    asked = Question.objects.filter(project_id=project_id, state=QuestionState.OPEN.value)
    waiting = dict(asked.order_by().values_list("task").annotate(Count("id")))
    cents = sum(settings.reward_cents[task] * number / settings.batch[task] for task, number in waiting.items())
    return {
        "paid": booked.get(Kind.PAID, 0),
        "owed": granted - booked.get(Kind.PAID, 0),
        "reserved": work["reserved"],
        "granted": granted,
        "open_cents": round(cents),
    }


IMAGES_SHOWN = 12
S = ChainState
BACK = (
    (S.QUALITY, S.DRAWING),
    (S.COVERAGE, S.DRAWING),
    (S.DRAWING, S.REQUIREMENT),
    (S.DRAWING, S.REVIEW),
    (S.QUALITY, S.REVIEW),
)
"""Moves against the current: a worker did not accept what another had done."""
NEWEST = 20_000
"""The number of merged boxes over which the IOU is averaged, newest first."""


def images(project_id: int) -> dict[str, Any]:
    """Return the images with the most moves against the current, and with the most seconds of answering."""
    against = Q()
    for old, new in BACK:
        against |= Q(old=old.value, new=new.value)
    moves = Transition.objects.filter(against, project=project_id, machine="chain").order_by().values_list("image")
    disputed = list(moves.annotate(number=Count("id")).order_by("-number", "image")[:IMAGES_SHOWN])
    times = Judgment.objects.filter(question__project=project_id, seconds__isnull=False).order_by()
    spent = times.values_list("question__image").annotate(number=Sum("seconds"))
    slowest = list(spent.order_by("-number", "question__image")[:IMAGES_SHOWN])
    ids = [image for image, _ in (*disputed, *slowest)]
    known = {row.pk: row for row in Image.objects.filter(pk__in=ids)}

    def rows(numbers: list[tuple[int, Any]]) -> list[dict[str, Any]]:
        return [
            {"id": pk, "name": known[pk].name, "picture": bool(known[pk].picture), "value": round(value)}
            for pk, value in numbers
            if pk in known
        ]

    return {"disputed": rows(disputed), "slowest": rows(slowest)}


def flow(project_id: int) -> dict[str, Any]:
    """Return the moves by states, the outcomes of questions by task, and counts before and after merging."""
    moves = Transition.objects.filter(project=project_id, machine="chain").exclude(old="").exclude(old=F("new"))
    arrows = moves.order_by().values_list("old", "new").annotate(Count("id"))
    closed = Question.objects.filter(project_id=project_id, state=QuestionState.CLOSED.value)
    outcomes = closed.order_by().values_list("task", "outcome").annotate(Count("id"))
    verified = {outcome: number for task, outcome, number in outcomes if task == Task.CHAIN_VERIFICATION.value}
    return {
        "arrows": [[old, new, number] for old, new, number in arrows],
        "kept": verified.get(VerificationAnswer.TRUE.value, 0),
        "broken": verified.get(VerificationAnswer.FALSE.value, 0),
        **_merging(project_id),
    }


def _merging(project_id: int) -> dict[str, int]:
    merged = {"image__project": project_id, "image__state": ImageState.MERGED.value}
    chains = Chain.objects.filter(**merged)
    return {
        "chains": chains.count(),
        "chains_joined": chains.filter(merged_into__isnull=False).count(),
        "boxes": Box.objects.filter(**merged, state=BoxState.ACCEPTED.value).count(),
        "boxes_left": MergedBox.objects.filter(image__project=project_id).count(),
    }


def links(project_id: int) -> dict[str, Any]:
    """Return the tenths of the predicted chance that have links, each as the values of `Tenth` and whether it holds."""
    return {"tenths": [[*tenth, tenth.holds] for tenth in calibration_tenths(project_id)]}


def paper(project_id: int) -> dict[str, Any]:
    """Return the rows of table 4 and figure 3, and the mean IOU of joined boxes with the boxes they are part of."""
    project = Project.objects.get(pk=project_id)
    found = measure(stream_images(project, include_unmerged=False), link_sources(project))
    overlap, boxes = _overlap(project_id)
    return {"table_4": found.table_4(), "figure_3": found.figure_3(), "iou": overlap, "iou_boxes": boxes}


def _overlap(project_id: int) -> tuple[float | None, int]:
    newest = MergedBox.objects.filter(image__project=project_id).order_by("-id")
    joined = [box for box in newest[:NEWEST].iterator() if len(box.members) > 1]
    of_image = {box.image_id for box in joined}
    drawn = Box.objects.filter(image__in=of_image, state=BoxState.ACCEPTED.value).values_list(
        "image", "number", F("x0"), F("y0"), F("x1"), F("y1")
    )
    known = {(image, number): BoxValue(*edges) for image, number, *edges in drawn}
    members = [(known[box.image_id, n], box.box) for box in joined for n in box.members if (box.image_id, n) in known]
    return (sum(iou(box, mean) for box, mean in members) / len(members) if members else None), len(members)


GROUPS: dict[str, Callable[[int], dict[str, Any]]] = {
    "pace": pace,
    "money": money_spent,
    "pre_annotations": pre_annotations,
    "links": links,
    "flow": flow,
    "stock": known_question_figures,
    "workers": figures_of_workers,
    "images": images,
    "paper": paper,
    "programs": program_work,
}
"""The function that computes each group, the quickest first."""
MIN_REFRESH_INTERVAL = timedelta(minutes=1)
SHARE = 20
"""All groups together take a twentieth of the time at most."""
IDLE = timedelta(hours=1)
"""Figures depend on the time as well, so that those of a project without new judgments are computed once an hour."""


class FigureGroup(NamedTuple):
    """One group of figures as of a time."""

    values: dict[str, Any]
    at: datetime


def read_figures(project_id: int) -> dict[str, FigureGroup]:
    """Return what is kept, by group. A group that was never computed is missing."""
    rows = Figures.objects.filter(project_id=project_id)
    return {row.name: FigureGroup(row.values, row.computed_at) for row in rows}


def refresh_figures(project_id: int, *, anew: bool = False) -> list[str]:
    """Compute the groups that are due, or all of them if `anew`. Returns their names."""
    kept = {row.name: row for row in Figures.objects.filter(project_id=project_id)}
    # The index of submitted assignments begins with their time, and is used only where a query names the time.
    submitted = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, ended_at__isnull=False)
    if kept:
        submitted = submitted.filter(ended_at__gte=min(row.computed_at for row in kept.values()))
    last = submitted.order_by("-ended_at").values_list("ended_at", flat=True).first()
    rest = _rests({row.name: row.seconds for row in kept.values()})
    done = []
    for name, compute in GROUPS.items():
        if anew or _is_due(kept.get(name), rest.get(name, MIN_REFRESH_INTERVAL), last, clock.now()):
            _compute(project_id, name, compute)
            done.append(name)
    return done


def _rests(seconds: Mapping[str, float]) -> dict[str, timedelta]:
    """Return how long each group rests, from the seconds that each took.

    Rests go by the roots of the seconds: of all that keep to the share, these keep the sum of the groups' ages least.
    """
    roots = {name: sqrt(took) for name, took in seconds.items()}
    total = sum(roots.values())
    return {name: max(MIN_REFRESH_INTERVAL, timedelta(seconds=SHARE * root * total)) for name, root in roots.items()}


def _is_due(row: Figures | None, rest: timedelta, last: datetime | None, now: datetime) -> bool:
    if row is None:
        return True
    age = now - row.computed_at
    if timedelta() <= age < rest:
        return False
    return age >= IDLE or age < timedelta() or (last is not None and last >= row.computed_at)


def _compute(project_id: int, name: str, compute: Callable[[int], dict[str, Any]]) -> None:
    # The time before it begins: a judgment that comes meanwhile makes the group due again.
    at, begun = clock.now(), time.monotonic()
    values = compute(project_id)
    written = {"computed_at": at, "seconds": time.monotonic() - begun, "values": values}
    Figures.objects.update_or_create(project_id=project_id, name=name, defaults=written)
