"""Draw the questions, of both kinds, of a worker's next assignment.

A verification question must not stand out. Real questions come in runs of one image: so an assignment gets at most one
question of an image, and none of the images that the worker was shown last, as long as there are others.

An assignment that ends without answers is taken back (`take_back_shown`), so the next one is drawn like it: places are
the same, and so are real questions that are still free. Returning brings no better draw. Verification questions stay
with the odds of the real ones, which others may have got meanwhile: nothing that outlasts a return is likelier a test.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeVar

from django.conf import settings as django_settings
from django.db.models import F

from pipeline.asking.admission import TaskHistory
from pipeline.asking.free_questions import FreeQuestions
from pipeline.asking.plan_work import WorkPlan
from pipeline.asking.read_assignment import Item
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import key_of
from workers.models import TrustStatus
from workers.rules.verification_rate import places
from workers.rules.work import WorkKind

WINDOW = 300
"""The questions of an assignment are chosen among this many that are next in turn."""
REMEMBERED = 100
"""Number of a worker's last images that are avoided. Twice as many are kept, to take some back."""

T = TypeVar("T")


class Drawn(NamedTuple):
    """The drawn questions. Equally many real ones are looked for whatever is drawn, so that it takes the same time."""

    items: Sequence[Item]
    """By place."""
    spare: list[int]
    """Ids of the real questions whose places went to verification questions."""
    left_next: int | None = None
    """Id of the assignment that was left together with the one which is drawn again, and came after it."""


def draw_items(plan: WorkPlan, free: FreeQuestions, worker_id: int, wanted: int, settings: ProtocolSettings) -> Drawn:
    """Draw the items of the next assignment. `free`: the real questions that the worker may be asked, in turn.

    Places and questions are drawn from a secret seed: nobody can predict them, and drawing again gives the same.
    """
    history, size = plan.history, settings.test_questions if plan.work.kind is WorkKind.TEST else wanted
    seed = _seed(worker_id, history.rounds, plan)
    rate = plan.work.rate if plan.work.kind is WorkKind.REAL else 1.0
    drawn = places(seed, asked=history.asked, verified=history.verified, size=size, rate=rate)
    lot, images = f"{seed} {history.asked}", history.images[-REMEMBERED:]
    # Both versions of a caption in one assignment could be compared.
    one_each = plan.task is Task.CAPTION_CHECK
    known = _choose_known(plan.unseen, len(drawn), images, lot, one_each)
    left = _left(history)
    real: list[Question] = []
    if plan.work.kind is WorkKind.REAL:
        # If the stock is used up, real questions take its places.
        drawn = drawn[: len(known)]
        recent = [*images, *(one.image_id for one in known)]
        real = _choose_real(free, size, recent, lot, {one.image_id for one in known} if one_each else None)
        if one_each and not real:
            # The pictures of the verification questions are the only ones left: real questions come first.
            real = _choose_real(free, size, images, lot, set())
            asked = {one.image_id for one in real}
            known = [one for one in known if one.image_id not in asked]
            drawn = drawn[: len(known)]
        if not real:
            return Drawn([], [])
        if left:
            known = _as_after_return(left, plan.unseen, known, real, images, lot, one_each)
    items = _mix(real, known, drawn, size)
    used = {item.id for item in items if isinstance(item, Question)}
    spare = [question.id for question in real if question.id not in used]
    return Drawn(items, spare, left.left_next if left else None)


def _left(history: TaskHistory) -> Assignment | None:
    """Return the worker's last assignment if it ended without answers."""
    if history.left_assignment is None:
        return None
    return Assignment.objects.only("questions", "known", "left_next").get(id=history.left_assignment)


def note_shown(plan: WorkPlan, worker_id: int, assignment: Assignment, drawn: Drawn) -> None:
    """Note what the worker is now shown. Always in one statement, so that the time it takes tells nothing."""
    history, known, items = plan.history, list(assignment.known.values()), drawn.items
    # A worker who is asked a real question is never asked the same as a verification question.
    real = (_alike(plan, item) for item in items if isinstance(item, Question))
    seen = dict.fromkeys([*history.seen, *known, *(one for one in real if one is not None)])
    status = TrustStatus.objects.filter(worker=worker_id, project=assignment.project_id, task=assignment.task)
    status.update(
        seen=list(seen),
        images=[*history.images, *(item.image_id for item in items)][-2 * REMEMBERED :],
        asked=F("asked") + len(items),
        verified=F("verified") + len(known),
        left_assignment=drawn.left_next,
    )


def take_back_shown(assignments: Iterable[Assignment]) -> None:
    """Forget that workers were shown assignments which end without answers, so that the same is drawn again.

    Of two that a worker holds, the later one comes first.
    """
    for assignment in assignments:
        of = {"worker": assignment.worker_id, "project": assignment.project_id, "task": assignment.task}
        status = TrustStatus.objects.select_for_update().filter(**of).first()
        size, known = len(assignment.questions) + len(assignment.known), set(assignment.known.values())
        # A worker who was trusted by hand is measured from the first verification question on: nothing was noted.
        if status is None or not known <= set(status.seen) or status.asked < size or status.verified < len(known):
            continue
        TrustStatus.objects.filter(id=status.pk).update(
            seen=[one for one in status.seen if one not in known],
            images=status.images[:-size],
            asked=status.asked - size,
            verified=status.verified - len(known),
            left_assignment=assignment.pk,
        )
        Assignment.objects.filter(id=assignment.pk).update(left_next=status.left_assignment)


def _alike(plan: WorkPlan, question: Question) -> int | None:
    """Return the id of the verification question that shows the same as this real one, or None."""
    return plan.alike.get(key_of(question.image_id, question.shown))


def _seed(worker_id: int, rounds: int, plan: WorkPlan) -> str:
    """Return the secret seed of a worker's draws."""
    name = f"{worker_id} {plan.project_id} {plan.task} {rounds}".encode()
    return blake2b(name, key=django_settings.SECRET_KEY.encode()[:64], digest_size=16).hexdigest()


def _choose_known(
    unseen: Sequence[KnownQuestion], size: int, recent: Iterable[int], lot: str, one_each: bool
) -> list[KnownQuestion]:
    """Choose `size` verification questions in random order, if possible of different images not shown lately.

    `one_each`: never two of one image.
    """
    drawn = sorted(unseen, key=lambda one: _lot(lot, "known", one.id))
    taken = set[int]() if one_each else None
    return _of_different_images(drawn, [one.image_id for one in drawn], size, recent, taken)


def _as_after_return(
    left: Assignment,
    stock: Sequence[KnownQuestion],
    known: Sequence[KnownQuestion],
    real: Sequence[Question],
    images: Iterable[int],
    lot: str,
    one_each: bool,
) -> list[KnownQuestion]:
    """Return the verification questions of the assignment that was left, each exchanged with the odds of a real one."""
    unseen = {one.id: one for one in stock}
    shown = [unseen[one] for _, one in sorted((int(place), one) for place, one in left.known.items()) if one in unseen]
    if len(shown) != len(known):  # the stock or the share of verification questions changed
        shown = list(known)
    gone = len({*left.questions} - {question.id for question in real})
    lot = f"{lot} {[one.id for one in shown]}"
    odds = gone / len(left.questions) if left.questions else 0.0
    exchanged = [one for one in shown if _share(lot, one.id) < odds]
    there = {one.image_id for one in shown} | {one.image_id for one in real} if one_each else set()
    others = [one for one in stock if one not in shown and one.image_id not in there]
    fresh = iter(_choose_known(others, len(exchanged), [*images, *(one.image_id for one in real)], lot, one_each))
    return [next(fresh, one) if one in exchanged else one for one in shown]


def _share(lot: str, number: int) -> float:
    """Return a number from 0 to 1 that a seed and a question always give."""
    return int.from_bytes(_lot(lot, "exchange", number)) / 2**64


def _choose_real(
    free: FreeQuestions, size: int, recent: Iterable[int], lot: str, taken: set[int] | None
) -> list[Question]:
    """Choose and lock `size` free questions in random order, without those that a concurrent lease is taking.

    `taken`: as in `_of_different_images`.
    """
    window = free.window(WINDOW)
    window.sort(key=lambda row: _lot(lot, "real", row[0]))  # an image's first questions are of another kind
    ids, images = [number for number, _ in window], [image for _, image in window]
    chosen = _of_different_images(ids, images, size, recent, taken)
    return sorted(free.lock(chosen), key=lambda one: _lot(lot, "place", one.id))


def _lot(lot: str, kind: str, number: int) -> bytes:
    """Return where a question stands in a draw: the same place whatever else is drawn from."""
    return blake2b(f"{lot} {kind} {number}".encode(), digest_size=8).digest()


def _of_different_images(
    rows: Sequence[T], images: Sequence[int], size: int, recent: Iterable[int], taken: set[int] | None
) -> list[T]:
    """Return the first row of each image that is not recent, then of each that is, then any, `size` in all.

    `taken`: images of which no row is wanted; then no two rows of one image are returned either. None: any may be.
    """
    recent, used = set(recent), set(taken or ())
    best: list[list[T]] = [[], [], []]
    for row, image in zip(rows, images, strict=True):
        best[2 if image in used else 1 if image in recent else 0].append(row)
        used.add(image)
    return [row for part in (best if taken is None else best[:2]) for row in part][:size]


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
