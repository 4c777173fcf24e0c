"""Draw the questions, of both kinds, of a worker's next assignment.

A verification question must not stand out. Real questions come in runs of one image: so an assignment gets at most one
question of an image, and none of the images that the worker was shown last, as long as there are others.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import NamedTuple, TypeVar

from django.conf import settings as django_settings
from django.db.models import F, QuerySet

from pipeline.asking.plan_work import WorkPlan
from pipeline.asking.read_assignment import Item, with_images
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.stock.known_questions import key_of
from workers.models import TrustStatus
from workers.rules.verification_rate import places
from workers.rules.work import WorkKind

WINDOW = 300
"""The questions of an assignment are chosen among this many of the oldest open ones."""
REMEMBERED = 100
"""How many of the images that a worker was shown last are kept."""

T = TypeVar("T")


class Drawn(NamedTuple):
    """The drawn questions. Equally many real ones are looked for whatever is drawn, so that it takes the same time."""

    items: list[Item]
    """By place."""
    spare: list[int]
    """Ids of the real questions whose places went to verification questions."""


def draw_items(
    plan: WorkPlan, free: QuerySet[Question], worker_id: int, wanted: int, settings: ProtocolSettings
) -> Drawn:
    """Draw the items of the next assignment. `free`: the real questions that the worker may be asked, oldest first.

    Places and questions are drawn from a secret seed: nobody can predict them, and drawing again gives the same.
    """
    history, size = plan.history, settings.test_questions if plan.work.kind is WorkKind.TEST else wanted
    seed = _seed(worker_id, history.rounds, plan)
    rate = plan.work.rate if plan.work.kind is WorkKind.REAL else 1.0
    drawn = places(seed, asked=history.asked, verified=history.verified, size=size, rate=rate)
    lot = Random(f"{seed} {history.asked}")
    known = _choose_known(plan.unseen, len(drawn), history.images, lot)
    real: list[Question] = []
    if plan.work.kind is WorkKind.REAL:
        # If the stock is used up, real questions take its places.
        drawn = drawn[: len(known)]
        recent = [*history.images, *(one.image_id for one in known)]
        real = _choose_real(free, size, recent, lot)
        if not real:
            return Drawn([], [])
    items = _mix(real, known, drawn, size)
    used = {item.id for item in items if isinstance(item, Question)}
    return Drawn(items, [question.id for question in real if question.id not in used])


def note_shown(plan: WorkPlan, worker_id: int, assignment: Assignment, items: Sequence[Item]) -> None:
    """Note what the worker is now shown. Always in one statement, so that the time it takes tells nothing."""
    history, known = plan.history, list(assignment.known.values())
    # A worker who is asked a real question is never asked the same as a verification question.
    real = (_alike(plan, item) for item in items if isinstance(item, Question))
    seen = dict.fromkeys([*history.seen, *known, *(one for one in real if one is not None)])
    status = TrustStatus.objects.filter(worker=worker_id, project=assignment.project_id, task=assignment.task)
    status.update(
        seen=list(seen),
        images=[*history.images, *(item.image_id for item in items)][-REMEMBERED:],
        asked=F("asked") + len(items),
        verified=F("verified") + len(known),
    )


def _alike(plan: WorkPlan, question: Question) -> int | None:
    """Return the id of the verification question that shows the same as this real one, or None."""
    return plan.alike.get(key_of(question.image_id, question.shown))


def _seed(worker_id: int, rounds: int, plan: WorkPlan) -> str:
    """Return the secret seed of a worker's draws."""
    name = f"{worker_id} {plan.project_id} {plan.task} {rounds}".encode()
    return blake2b(name, key=django_settings.SECRET_KEY.encode()[:64], digest_size=16).hexdigest()


def _choose_known(
    unseen: Sequence[KnownQuestion], size: int, recent: Iterable[int], lot: Random
) -> list[KnownQuestion]:
    """Choose `size` verification questions in random order, if possible of different images not shown lately."""
    drawn = lot.sample(list(unseen), len(unseen))
    return _of_different_images(drawn, [one.image_id for one in drawn], size, recent)


def _choose_real(free: QuerySet[Question], size: int, recent: Iterable[int], lot: Random) -> list[Question]:
    """Choose and lock `size` free questions in random order, without those that a concurrent lease is taking."""
    window = list(free.values_list("id", "image_id")[:WINDOW])
    lot.shuffle(window)  # an image's first questions are of another kind than its last ones
    chosen = _of_different_images([number for number, _ in window], [image for _, image in window], size, recent)
    rows = with_images(free.filter(id__in=chosen)).select_for_update(skip_locked=True, of=("self",))
    return lot.sample(list(rows), len(rows))


def _of_different_images(rows: Sequence[T], images: Sequence[int], size: int, recent: Iterable[int]) -> list[T]:
    """Return the first row of each image that is not recent, then of each that is, then any, `size` in all."""
    recent, used = set(recent), set[int]()
    best: list[list[T]] = [[], [], []]
    for row, image in zip(rows, images, strict=True):
        best[2 if image in used else 1 if image in recent else 0].append(row)
        used.add(image)
    return [row for part in best for row in part][:size]


def _mix(real: Sequence[Question], known: Sequence[KnownQuestion], drawn: Iterable[int], size: int) -> list[Item]:
    """Put verification questions at the drawn places and real ones at the others, until either kind runs out."""
    next_real, next_known, items = iter(real), iter(known), list[Item]()
    verified = set(drawn)
    for place in range(size):
        item: Item | None = next(next_known if place in verified else next_real, None)
        if item is None:
            break
        items.append(item)
    return items
