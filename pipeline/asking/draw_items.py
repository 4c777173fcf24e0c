"""Draw the questions, of both kinds, of a worker's next assignment.

A verification question must not stand out. Real ones lie in runs of one image: so at most one question of an image goes
into an assignment, and none of the images that the worker was shown last, as long as there are others.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import NamedTuple, TypeVar

from django.conf import settings as django_settings
from django.db.models import F, QuerySet

from pipeline.asking.layout import Item
from pipeline.asking.plan_work import WorkPlan
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.stock.known_questions import key_of
from workers.models import TrustStatus
from workers.rules.verification_rate import places
from workers.rules.work import WorkKind

WINDOW = 300
"""The oldest open questions, among which those of an assignment are chosen."""
REMEMBERED = 100
"""Images that a worker was shown last."""

T = TypeVar("T")


class Drawn(NamedTuple):
    """As many real questions are looked for whatever is drawn, so that looking takes the same time."""

    items: list[Item]
    """By place."""
    spare: list[int]
    """Real questions, by id, whose places went to verification questions."""


def draw_items(
    plan: WorkPlan, free: QuerySet[Question], worker_id: int, wanted: int, settings: ProtocolSettings
) -> Drawn:
    """The next assignment. `free`: the real questions that the worker may be asked, the oldest first.

    Places and questions are drawn from a secret seed: nobody can foretell them, and they come out the same again.
    """
    footing, size = plan.footing, settings.test_questions if plan.work.kind is WorkKind.TEST else wanted
    seed = _seed(worker_id, footing.rounds, plan)
    rate = plan.work.rate if plan.work.kind is WorkKind.REAL else 1.0
    drawn = places(seed, asked=footing.asked, verified=footing.verified, size=size, rate=rate)
    lot = Random(f"{seed} {footing.asked}")
    known = _choose_known(plan.unseen, len(drawn), footing.images, lot)
    real: list[Question] = []
    if plan.work.kind is WorkKind.REAL:
        # Where the stock is used up, real questions stand in.
        drawn = drawn[: len(known)]
        recent = [*footing.images, *(one.image_id for one in known)]
        real = _choose_real(free, size, recent, lot)
        if not real:
            return Drawn([], [])
    items = _mix(real, known, drawn, size)
    used = {item.id for item in items if isinstance(item, Question)}
    return Drawn(items, [question.id for question in real if question.id not in used])


def note_shown(plan: WorkPlan, worker_id: int, assignment: Assignment, items: Sequence[Item]) -> None:
    """Keep what a worker is now shown. One statement whatever it is, so that its time tells nothing."""
    footing, known = plan.footing, list(assignment.known.values())
    # Who answers a real question is never asked the same as a verification question.
    real = (_alike(plan, item) for item in items if isinstance(item, Question))
    seen = dict.fromkeys([*footing.seen, *known, *(one for one in real if one is not None)])
    place = {"worker_id": worker_id, "project_id": assignment.project_id, "task": assignment.task}
    TrustStatus.objects.filter(**place).update(
        seen=list(seen),
        images=[*footing.images, *(item.image_id for item in items)][-REMEMBERED:],
        asked=F("asked") + len(items),
        verified=F("verified") + len(known),
    )


def _alike(plan: WorkPlan, question: Question) -> int | None:
    """The verification question that shows the same as a real one, if there is one."""
    return plan.alike.get(key_of(question.image_id, question.shown))


def with_images(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Only what a page and a check need of them."""
    columns = ("state", "assignment", "barred", "skipped", "shown", "image__width", "image__height", "image__picture")
    return questions.select_related("image").only(*columns)


def _seed(worker_id: int, rounds: int, plan: WorkPlan) -> str:
    """The secret of which a worker's draws are made: nobody can foretell them, and each comes out the same again."""
    place = f"{worker_id} {plan.project_id} {plan.task} {rounds}".encode()
    return blake2b(place, key=django_settings.SECRET_KEY.encode()[:64], digest_size=16).hexdigest()


def _choose_known(
    unseen: Sequence[KnownQuestion], size: int, recent: Iterable[int], lot: Random
) -> list[KnownQuestion]:
    """So many of them, in an order that tells nothing, of different images that were not shown lately if there are."""
    drawn = lot.sample(list(unseen), len(unseen))
    return _of_different_images(drawn, [one.image_id for one in drawn], size, recent)


def _choose_real(free: QuerySet[Question], size: int, recent: Iterable[int], lot: Random) -> list[Question]:
    """So many of the free questions, locked, in an order that tells nothing; those that others just take are left."""
    window = list(free.values_list("id", "image_id")[:WINDOW])
    lot.shuffle(window)  # the first questions of an image are of another kind than its last ones
    chosen = _of_different_images([number for number, _ in window], [image for _, image in window], size, recent)
    rows = with_images(free.filter(id__in=chosen)).select_for_update(skip_locked=True, of=("self",))
    return lot.sample(list(rows), len(rows))


def _of_different_images(rows: Sequence[T], images: Sequence[int], size: int, recent: Iterable[int]) -> list[T]:
    """The first ones of each image that is not recent; then of each that is; then any."""
    recent, used = set(recent), set[int]()
    best: list[list[T]] = [[], [], []]
    for row, image in zip(rows, images, strict=True):
        best[2 if image in used else 1 if image in recent else 0].append(row)
        used.add(image)
    return [row for part in best for row in part][:size]


def _mix(real: Sequence[Question], known: Sequence[KnownQuestion], drawn: Iterable[int], size: int) -> list[Item]:
    """By place: a verification question where one was drawn, else a real one, until one of that kind is wanting."""
    taken, items = (iter(real), iter(known)), list[Item]()
    verified = set(drawn)
    for place in range(size):
        item: Item | None = next(taken[1] if place in verified else taken[0], None)
        if item is None:
            break
        items.append(item)
    return items
