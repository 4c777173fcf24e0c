"""Leaks planted on purpose, by name: the study has to find each. Several were in the service once."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from fractions import Fraction
from itertools import combinations
from typing import Any
from unittest.mock import patch

from django.db.models import F

from annotation.models import Mention
from labelling.api import payload
from labelling.pages import worker_status
from pipeline.asking import draw_items, end_lease, lease_assignment, receipt, submit_assignment
from pipeline.asking.draw_items import ANY, DrawnItems, FreeQuestions, ItemPlace
from pipeline.asking.end_lease import return_ahead
from pipeline.asking.plan_work import WorkPlan
from pipeline.asking.read_assignment import LeasedAssignment
from pipeline.asking.receipt import Receipt
from pipeline.gold_questions.known_questions import Source, forget, key_of
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.protocol.tasks.task import Task
from pipeline.record import question_state
from pipeline.settings.settings import Settings
from studies.question_leak.world import World
from workers.models import TrustStatus
from workers.rules import work

Plant = Callable[[World], AbstractContextManager[object]]
EACH = 1
"""Questions that a plant adds to the stock for each image."""
DRAWN_AT_ONCE = {"people", "clothing", "body parts"}


def _stock(world: World, task: Task, fits: Callable[[list[Mention]], bool], size: int) -> None:
    """Add questions to the stock that show `size` phrases of an image which fit."""
    for image in world.project.images.all():
        found = [some for some in combinations(image.mentions.select_related("caption").order_by("number"), size)]
        for some in [some for some in found if fits(list(some))][:EACH]:
            places = [[one.number, one.caption.number, one.start, one.end] for one in some]
            shown = {"mentions": places, "boxes": [], "new_box": None}
            KnownQuestion.objects.get_or_create(
                project=world.project,
                task=task.value,
                key=key_of(image.pk, shown),
                defaults={"image": image, "shown": shown, "truth": "true", "source": Source.GOLD},
            )
    forget()


@contextmanager
def people_who_need_a_box(world: World) -> Iterator[None]:
    """Ask about boxes of people, clothing and body parts, which the pipeline lets workers draw at once."""
    _stock(world, Task.BOX_REQUIREMENT, lambda some: bool(DRAWN_AT_ONCE & set(some[0].types)), 1)
    yield


@contextmanager
def chains_in_one_caption(world: World) -> Iterator[None]:
    """Ask about chains with two phrases of the same caption, which links never connect."""
    _stock(world, Task.CHAIN_VERIFICATION, lambda some: some[0].caption_id == some[1].caption_id, 2)
    yield


@contextmanager
def chains_without_common_type(world: World) -> Iterator[None]:
    def strange(some: list[Mention]) -> bool:
        return some[0].caption_id != some[1].caption_id and not set(some[0].types) & set(some[1].types)

    _stock(world, Task.CHAIN_VERIFICATION, strange, 2)
    yield


@contextmanager
def no_boxes_shown(world: World) -> Iterator[None]:
    """Ask verification questions of box quality and coverage without the chain's accepted boxes."""
    for known in KnownQuestion.objects.filter(task__in=[Task.BOX_QUALITY, Task.BOX_COVERAGE]):
        known.shown["boxes"] = []
        known.save()
    forget()
    yield


@contextmanager
def exact_counts(world: World) -> Iterator[None]:
    """Count the open questions exactly, and lend none behind verification questions."""
    lend = question_state.lend

    def only_real(question_ids: Collection[int], assignment_id: int) -> None:
        lend(Assignment.objects.values_list("questions", flat=True).get(id=assignment_id), assignment_id)

    with (
        patch("labelling.open_tasks.roughly", lambda count: count),
        patch.object(lease_assignment, "lend", only_real),
    ):
        yield


def returns_that_draw_anew(world: World) -> AbstractContextManager[object]:
    return patch.object(end_lease, "take_back_shown", lambda assignments: None)


def known_ones_outlast_returns(world: World) -> AbstractContextManager[object]:
    """Bring the same verification questions back after a return, even when others have got the real ones."""
    fill = draw_items._fill

    def outlasting(before: Sequence[ItemPlace], *args: Any) -> list[ItemPlace]:
        filled = fill(before, *args)
        there = {place.known for place in filled}
        gone = [place.known for place in before if place.known is not None and place.known not in there]
        for number in sorted(range(len(filled)), key=lambda number: filled[number].known != ANY):
            if gone and filled[number].known in (ANY, None):
                filled[number] = filled[number]._replace(known=gone.pop(0))
        return filled

    return patch.object(draw_items, "_fill", outlasting)


def left_out_ones_come_back(world: World) -> AbstractContextManager[object]:
    """Ask a worker again what they left out. Verification questions are never asked again."""

    def free(assignment_ids: Collection[int], worker_id: int, *, but: Collection[int]) -> None:
        Question.objects.filter(assignment__in=assignment_ids).exclude(id__in=but).update(assignment=None)

    return patch.object(submit_assignment, "release_to_others", free)


def first_places(world: World) -> AbstractContextManager[object]:
    """Put verification questions first."""
    drawn = work.places
    return patch.object(draw_items, "places", lambda *args, **given: tuple(range(len(drawn(*args, **given)))))


def receipts_of_real_ones(world: World) -> AbstractContextManager[object]:
    """Count only the answers to real questions in the receipt."""
    return patch.object(Receipt, "taken", property(lambda one: len(one.stored)))


def score_at_once(world: World) -> AbstractContextManager[object]:
    """Show the score as it is now, not in steps of ten and a day old."""
    return patch.object(worker_status, "_in_steps", lambda outcomes, now: [right for _, right in outcomes])


def verification_unpaid(world: World) -> AbstractContextManager[object]:
    share = receipt.reward_share

    def less(assignment: Assignment, done: Fraction, total: Fraction) -> int:
        return max(0, share(assignment, done, total) - len(assignment.known))

    return patch.object(submit_assignment, "reward_share", less)


def longer_links(world: World) -> AbstractContextManager[object]:
    """Link to the pictures of verification questions in another way."""
    shown = payload.question_shown

    def marked(question: Any, *about: Any) -> dict[str, Any]:
        made = shown(question, *about)
        if isinstance(question, KnownQuestion):
            made["image"]["url"] += "&v=1"
        return made

    return patch.object(payload, "question_shown", marked)


def graded_before_it_begins(world: World) -> AbstractContextManager[object]:
    """Draw what was given ahead of time anew if the answers before it had a mistake."""
    begin = end_lease._begin

    def again(ahead: Assignment, settings: Settings, now: datetime) -> LeasedAssignment | None:
        of = {"worker": ahead.worker_id, "task": ahead.task, "state": Assignment.State.SUBMITTED}
        last = Assignment.objects.filter(**of).latest("ended_at")
        if not Judgment.objects.filter(assignment=last, right=False).exists():
            return begin(ahead, settings, now)
        return_ahead(ahead, now)
        TrustStatus.objects.filter(worker=ahead.worker_id, task=ahead.task).update(rounds=F("rounds") + 1)
        return None

    return patch.object(end_lease, "_begin", again)


def only_real_ones_ahead(world: World) -> AbstractContextManager[object]:
    """Put no verification question into a batch that is given ahead of time."""
    give = lease_assignment._give_ahead

    def real(*args: Any) -> Any:
        with patch.object(draw_items, "places", lambda *_, **given: ()):
            return give(*args)

    return patch.object(lease_assignment, "_give_ahead", real)


def real_after_a_short_batch(world: World) -> AbstractContextManager[object]:
    """Draw the place anew that wanted a real question when none was left: it wants one again."""
    draw, drawn = draw_items.draw_items, work.places

    def again(plan: WorkPlan, free: FreeQuestions, worker_id: int, wanted: int, settings: Settings) -> DrawnItems:
        last = Assignment.objects.filter(worker=worker_id, task=plan.task.value).first()
        if last is None or last.size >= wanted:
            return draw(plan, free, worker_id, wanted, settings)
        with patch.object(draw_items, "places", lambda *args, **given: [one for one in drawn(*args, **given) if one]):
            return draw(plan, free, worker_id, wanted, settings)

    return patch.object(lease_assignment, "draw_items", again)


PLANTS: dict[str, dict[str, Plant]] = {
    "content": {
        "people-requirement": people_who_need_a_box,
        "same-caption": chains_in_one_caption,
        "no-common-type": chains_without_common_type,
        "boxes-shown": no_boxes_shown,
    },
    "counters": {"exact-counts": exact_counts},
    "returns": {"drawn-anew": returns_that_draw_anew},
    "kept": {"outlasting": known_ones_outlast_returns},
    "left out": {"left-out-again": left_out_ones_come_back},
    "order": {"first-places": first_places},
    "receipts": {"real-only": receipts_of_real_ones, "score-at-once": score_at_once},
    "pay": {"unpaid": verification_unpaid},
    "pages": {"longer-links": longer_links},
    "after short": {"short-then-real": real_after_a_short_batch},
    "ahead": {"graded-first": graded_before_it_begins, "real-ahead": only_real_ones_ahead},
}
"""By the view that has to find each."""
BY_NAME = {name: plant for plants in PLANTS.values() for name, plant in plants.items()}
