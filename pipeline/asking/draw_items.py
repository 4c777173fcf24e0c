"""Draw the questions, of both kinds, of a worker's next assignment.

A verification question must not stand out. Behind each stands a real question, which is lent with it and not shown: a
place holds one of the two. So an assignment is as long as real questions are free, and no longer, whatever is drawn;
what becomes of a question afterwards follows from the real one alike.

Real questions come in runs of one image: so an assignment gets at most one question of an image, and none of the images
that the worker was shown last, as long as there are others.

A link question in place of a sweep is a sweep, of about as many candidates, and in place of a pair a pair, as long as
the stock has such. Sweeps take longer, so an assignment has as many questions as their work allows, counted by what is
shown: its length tells nothing of what stands behind.

An assignment that ends without answers is taken back (`take_back_shown`), so the next one is drawn like it: what is
still free, by the real questions, comes again as it was, and others fill the places of the rest. Returning brings no
better draw, and nothing that outlasts a return is likelier a test.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from django.conf import settings as django_settings
from django.db.models import F, Q, QuerySet
from django.db.models.lookups import LessThan

from pipeline.asking.admission import TaskHistory
from pipeline.asking.plan_work import WorkPlan
from pipeline.asking.read_assignment import NO_QUESTION, Item, with_images
from pipeline.gold_questions.known_questions import keys_of
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.project.open_questions import ListLength, holds, is_free_for, open_for
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings
from pipeline.settings.table_3 import work_of
from runtime.database import PreparedQuery, Slot, slot_for, slots
from workers.models import TrustStatus
from workers.rules.work import WorkKind, places

MOST_LOOKED_AT = 300
"""The free questions that are looked at to find some of different images."""


class FreeQuestions(NamedTuple):
    """The free questions of one task for one worker."""

    project_id: int
    task: Task
    worker_id: int
    for_people: bool
    """Whether only questions with pixels to show are wanted."""
    sweeps: bool = True
    """Whether sweeps are wanted: programs judge pairs only."""
    after_models: "AfterModels | None" = None
    """The programs that are asked first; None: nobody is."""

    def first(self, most: int) -> list[Question]:
        """Return and lock the first, without those that a concurrent lease is taking."""
        if self.task is Task.CAPTION_CHECK:
            return self._first_of_different_images(most)
        shape, since = self._statement()
        return FIRST.run(most, shape, project=self.project_id, worker=self.worker_id, **since)

    def _first_of_different_images(self, most: int) -> list[Question]:
        """Return and lock the first, at most one of an image."""
        first: dict[int, int] = {}
        for number, image in self.window(MOST_LOOKED_AT):
            first.setdefault(image, number)
        waiting, locked = list(first.values()), list[Question]()
        while waiting and len(locked) < most:
            part, waiting = waiting[: most - len(locked)], waiting[most - len(locked) :]
            locked += self.lock(part)
        return sorted(locked, key=lambda one: one.id)

    def window(self, most: int) -> list[tuple[int, int]]:
        """Return (id, image id) of the first."""
        shape, since = self._statement()
        return WINDOW.run(most, shape, project=self.project_id, worker=self.worker_id, **since)

    def _statement(self) -> tuple["_Shape", dict[str, Any]]:
        """Return the shape of the statement, and the values that leave out what models are asked first."""
        first = self.after_models
        shape = _Shape(self.task, self.for_people, self.sweeps, len(first.model_annotators) if first else 0)
        waits = {"model_annotator": list(first.model_annotators), "opened_at": first.since} if first else {}
        return shape, waits

    def lock(self, ids: Sequence[int]) -> list[Question]:
        """Return and lock those of these that are still free, without those that a concurrent lease is taking."""
        rows = CHOSEN.run(len(ids), id=list(ids)) if ids else []
        return [row for row in rows if is_free_for(row, self.worker_id)]


class AfterModels(NamedTuple):
    """The programs that are asked before people, and since when a question waits for them."""

    model_annotators: tuple[int, ...]
    since: datetime


class _Shape(NamedTuple):
    """All that changes the statement."""

    task: Task
    for_people: bool
    sweeps: bool
    model_annotators: int


def _open(shape: _Shape) -> QuerySet[Question]:
    free = open_for(Slot("project"), shape.task, Slot("worker"), for_people=shape.for_people)
    if not shape.sweeps:
        free = free.filter(LessThan(ListLength(F("subject")), 3))
    for model_annotator in slots("model_annotator", shape.model_annotators):
        waits = ~holds("barred", model_annotator) & ~holds("skipped", model_annotator)
        free = free.exclude(Q(opened_at__gt=slot_for(Question, "opened_at")) & waits)
    return free


def _locked(most: int, shape: _Shape) -> QuerySet[Question]:
    return with_images(_open(shape)).select_for_update(skip_locked=True, of=("self",))[:most]


def _chosen(count: int) -> QuerySet[Question]:
    # By key alone: with the conditions of a free question, PostgreSQL may look through all free ones for these few.
    rows = Question.objects.filter(id__in=slots("id", count)).order_by()
    return with_images(rows).select_for_update(skip_locked=True, of=("self",))


FIRST: PreparedQuery[Question] = PreparedQuery(_locked)
WINDOW: PreparedQuery[tuple[int, int]] = PreparedQuery(
    lambda most, shape: _open(shape).values_list("id", "image_id")[:most]
)
CHOSEN: PreparedQuery[Question] = PreparedQuery(_chosen)


NEXT_IN_TURN = 300
"""The questions of an assignment are chosen among this many that are next in turn."""
REMEMBERED = 100
"""Number of a worker's last images that are avoided. Twice as many are kept, to take some back."""
ANY = NO_QUESTION
"""Stands for a verification question that is still to be chosen."""

T = TypeVar("T")
Shown = TypeVar("Shown", bound=Item)


class DrawnItems(NamedTuple):
    """The drawn questions. Equally many real ones are looked for and lent whatever is drawn."""

    items: Sequence[Item]
    """By place."""
    spare: list[int]
    """Ids of the real questions behind the verification questions, in the order of their places."""
    left_next: int | None = None
    """Id of the assignment that was left together with the one which is drawn again, and came after it."""


class _Draw(NamedTuple):
    """The draw of one assignment, and what it avoids."""

    seed: str
    """Decides all that is left to chance."""
    recent: Sequence[int]
    """Ids of the images that the worker was shown last."""
    one_each: bool
    """Whether it never shows two questions of one image."""


class _Real(NamedTuple):
    """The real questions that were chosen and locked."""

    by_id: dict[int, Question]
    """Those that are wanted first, if all were shown, and then others that may fit in addition."""
    enough: int
    """The number of those that are wanted first."""
    are_last: bool
    """Whether they show all images of which anything is free."""


class ItemPlace(NamedTuple):
    """A real question, and the id of the verification question that is shown in its place, ANY, or None."""

    real: int
    known: int | None


def draw_items(plan: WorkPlan, free: FreeQuestions, worker_id: int, most: int, settings: TrustSettings) -> DrawnItems:
    """Draw the items of the next assignment. `free`: the real questions that the worker may be asked, in turn.

    Places and questions are drawn from a secret seed: nobody can predict them, and drawing again gives the same.
    """
    history, images = plan.history, plan.history.images[-REMEMBERED:]
    # Both versions of a caption in one assignment could be compared.
    one_each = plan.task is Task.CAPTION_CHECK
    draw = _Draw(f"{_seed(worker_id, plan, images)} {history.questions_so_far}", images, one_each)
    left = _left(history)
    left_next = left.left_next if left else None
    if plan.work.kind is not WorkKind.REAL:
        is_test = plan.work.kind is WorkKind.TEST
        places = [None] * (settings.test_questions if is_test else most)
        some = _choose_known(draw, plan.task, plan.unseen, places, set() if one_each else None)
        return DrawnItems(some if is_test else _that_fit(plan.task, some, most), [], left_next)
    before = _places_of(left) if left and plan.work.rate else []
    again = [place.real for place in before]
    real = _choose_real(draw, free, most, again)
    filled = _fill(before, real, draw.seed, history, plan.work.rate)
    known = _known_of(draw, plan, filled, before, real)
    items = _that_fit(plan.task, [known.get(place.real) or real.by_id[place.real] for place in filled], most)
    return DrawnItems(items, [place.real for place in filled[: len(items)] if place.real in known], left_next)


def draw_real(free: FreeQuestions, most: int) -> DrawnItems:
    """Draw the real questions that are next in turn, for a worker whom nothing measures."""
    return DrawnItems(_that_fit(free.task, free.first(most), most), [])


def _that_fit(task: Task, items: Sequence[Shown], most: int) -> Sequence[Shown]:
    """Return the first items, as many as are the work of `most` questions together, and at least one."""
    work = accumulate(work_of(task, [item.shown]) for item in items)
    return items[: max(1, sum(some <= most for some in work))]


def _left(history: TaskHistory) -> Assignment | None:
    """Return the worker's last assignment if it ended without answers."""
    if history.left_assignment is None:
        return None
    return Assignment.objects.only("questions", "known", "spare", "left_next").get(id=history.left_assignment)


def _places_of(left: Assignment) -> list[ItemPlace]:
    """Return the places of an assignment; none if there was nothing behind its verification questions."""
    if len(left.spare) != len(left.known):
        return []
    real, behind = iter(left.questions), iter(left.spare)
    known = [left.known.get(str(place)) for place in range(left.size)]
    return [ItemPlace(next(real if known_id is None else behind), known_id) for known_id in known]


def _fill(before: Sequence[ItemPlace], real: _Real, seed: str, history: TaskHistory, rate: float) -> list[ItemPlace]:
    """Return a place for each of the real questions: first what comes again, then new places, drawn at random.

    Where a real question of `before` is gone, another takes its place, of the same kind.
    """
    there, surplus = {place.real for place in before}, set(list(real.by_id)[real.enough :])
    fresh = (question for question in real.by_id if question not in there)
    others = iter(sorted(fresh, key=lambda one: (one in surplus, _order(seed, "place", one))))
    filled: list[ItemPlace] = []
    for place in before:
        if place.real in real.by_id:
            filled.append(place)
        elif other := next(others, None):
            filled.append(ItemPlace(other, place.known and ANY))
    rest, known = list(others), sum(place.known is not None for place in filled)
    asked, verified = history.questions_so_far + len(filled), history.verified + known
    drawn = places(seed, questions=asked, verified=verified, size=len(rest), rate=rate)
    return filled + [ItemPlace(question, ANY if number in drawn else None) for number, question in enumerate(rest)]


def _known_of(
    draw: _Draw, plan: WorkPlan, filled: Sequence[ItemPlace], before: Sequence[ItemPlace], real: _Real
) -> dict[int, KnownQuestion]:
    """Return the verification questions by the real ones behind them. Without enough of them, real ones are shown."""
    pictures, unseen = {question.image_id for question in real.by_id.values()}, plan.unseen
    apart = None
    if draw.one_each:  # if no other picture is left, real questions come first
        apart = {real.by_id[place.real].image_id for place in filled if place.known is None or real.are_last}
    stock = {known.id: known for known in unseen if known.image_id not in (apart or ())}
    kept = {place.real: stock[place.known] for place in filled if place.known in stock}
    wanted = [place.real for place in filled if place.known is not None and place.real not in kept]
    others = [known for known in unseen if known.id not in {place.known for place in before}]
    shown = {known.image_id for known in kept.values()}
    taken = None if apart is None else apart | shown
    avoiding = draw._replace(recent=[*draw.recent, *pictures, *shown])
    fresh = _choose_known(avoiding, plan.task, others, [real.by_id[number] for number in wanted], taken)
    return kept | dict(zip(wanted, fresh, strict=False))


def _seed(worker_id: int, plan: WorkPlan, images: Sequence[int]) -> str:
    """Return the secret seed of a worker's draw. `images`: what they were shown last, so that no draw recurs."""
    name = f"{worker_id} {plan.project_id} {plan.task} {plan.history.rounds} {images}".encode()
    return blake2b(name, key=django_settings.SECRET_KEY.encode()[:64], digest_size=16).hexdigest()


def _choose_known(
    draw: _Draw,
    task: Task,
    unseen: Sequence[KnownQuestion],
    behind: Sequence[Question | None],
    taken: set[int] | None,
) -> list[KnownQuestion]:
    """Choose a verification question for each place, at random, if possible of different images not shown lately.

    `behind`: the real question of each place, whose shape comes first; None: any shape does. `taken`: as in
    `_of_different_images`.
    """
    drawn = sorted(unseen, key=lambda one: _order(draw.seed, "known", one.id))
    if not any(candidates_in(task, item.shown) for item in (*drawn, *behind) if item):
        return _of_different_images(drawn, [known.image_id for known in drawn], len(behind), draw.recent, taken)
    recent, used, chosen = set(draw.recent), set[int](), list[KnownQuestion]()
    for real in behind[: len(drawn)]:
        candidates = len(candidates_in(task, real.shown)) if real else None

        def rank(known: KnownQuestion, target: int | None = candidates) -> tuple[bool, int, int]:
            has = len(candidates_in(task, known.shown))
            other, apart = (False, 0) if target is None else (bool(has) is not bool(target), abs(has - target))
            return other, 2 if known.image_id in used else int(known.image_id in recent), apart

        chosen.append(min(drawn, key=rank))
        drawn.remove(chosen[-1])
        used.add(chosen[-1].image_id)
    return chosen


def _choose_real(draw: _Draw, free: FreeQuestions, size: int, again: Collection[int]) -> _Real:
    """Choose and lock `size` free questions at random, without those that a concurrent lease is taking.

    `again`: these come first, as far as they are free.
    """
    window = free.window(NEXT_IN_TURN)
    first = [row for row in window if row[0] in again][:size]
    rest = [row for row in window if row[0] not in again]
    rest.sort(key=lambda row: _order(draw.seed, "real", row[0]))  # an image's first questions are of another kind
    used = {image for _, image in first}
    images = [image for _, image in rest]
    more = _of_different_images(rest, images, size - len(first), [*draw.recent, *used], used if draw.one_each else None)
    chosen = [*first, *more]
    are_last = len({image for _, image in chosen}) == len({image for _, image in window})
    locked = {question.id: question for question in free.lock([number for number, _ in chosen])}
    by_id = {number: locked[number] for number, _ in chosen if number in locked}
    return _Real(by_id, len(_that_fit(free.task, list(by_id.values()), size)), are_last)


def _order(seed: str, kind: str, number: int) -> bytes:
    """Return where a question stands in a draw: the same place whatever else is drawn from."""
    return blake2b(f"{seed} {kind} {number}".encode(), digest_size=8).digest()


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


def note_shown(plan: WorkPlan, worker_id: int, assignment: Assignment, drawn: DrawnItems) -> None:
    """Note what the worker is now shown. Always in one statement, so that the time it takes tells nothing."""
    history, known, items = plan.history, list(assignment.known.values()), drawn.items
    # A worker who is asked a real question is never asked the same as a verification question.
    real = (number for item in items if isinstance(item, Question) for number in _alike(plan, item))
    seen = dict.fromkeys([*history.seen, *known, *real])
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

    Of two that a worker holds, the later one comes first. Nothing is taken back twice.
    """
    for assignment in assignments:
        if not Assignment.objects.filter(id=assignment.pk).exclude(taken_back=True).update(taken_back=True):
            continue
        of = {"worker": assignment.worker_id, "project": assignment.project_id, "task": assignment.task}
        status = TrustStatus.objects.select_for_update().filter(**of).first()
        size, known = len(assignment.questions) + len(assignment.known), set(assignment.known.values())
        # A worker who was trusted by hand is measured from the first verification question on: nothing was noted.
        if status is None or not known <= set(status.seen) or status.asked < size or status.verified < len(known):
            continue
        TrustStatus.objects.filter(id=status.pk).update(
            seen=[number for number in status.seen if number not in known],
            images=status.images[:-size],
            asked=status.asked - size,
            verified=status.verified - len(known),
            left_assignment=assignment.pk,
        )
        Assignment.objects.filter(id=assignment.pk).update(left_next=status.left_assignment)


def note_late(assignment: Assignment) -> None:
    """Note that a worker was shown an assignment after all: it was taken back, and then its answers came."""
    of = {"worker": assignment.worker_id, "project": assignment.project_id, "task": assignment.task}
    status = TrustStatus.objects.select_for_update().filter(**of).first()
    if status is None:
        return
    status.seen = list(dict.fromkeys([*status.seen, *assignment.known.values()]))
    if status.left_assignment == assignment.pk:  # it was not drawn again since
        status.asked, status.verified = status.asked + assignment.size, status.verified + len(assignment.known)
        status.left_assignment = assignment.left_next
    status.save(update_fields=["seen", "asked", "verified", "left_assignment"])


def _alike(plan: WorkPlan, question: Question) -> list[int]:
    """Return the ids of the verification questions that ask the same as this real one, or a part of it."""
    keys = keys_of(plan.task, question.image_id, question.shown)
    return sorted({number for key in keys for number in plan.alike.get(key, ())})
