"""Submit an assignment: once this returns, the worker's answers are stored, whatever crashes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import isfinite
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.translation import gettext

from pipeline.asking.admission import Guard
from pipeline.asking.draw_items import note_late
from pipeline.asking.end_lease import needs_answer
from pipeline.asking.read_assignment import Item, items_of, lock_assignment, lock_questions, places_of, read_questions
from pipeline.asking.receipt import (
    GivenAnswer,
    Receipt,
    Replies,
    Reply,
    Skipped,
    TestResult,
    reward_share,
    store_receipt,
    stored_receipt,
)
from pipeline.errors import AssignmentEndedError, BadAnswerError, NoPartsError, StateMovedError
from pipeline.known.known_answer import Mistake, is_right_answer, mistake_in, mistakes_shown
from pipeline.models import Assignment, Judgment, KnownQuestion, Question, Skip
from pipeline.models.work import COMMENT_LENGTH
from pipeline.money.spend_cap import release_reward
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.answers import candidates_in, fault_in, names_part
from pipeline.protocol.tasks.survey import tokens_shown
from pipeline.protocol.tasks.task import Task
from pipeline.record.bulk_rows import insert_many, update_many
from pipeline.record.question_state import NO_QUESTION, lend, mark_answered, release_questions, release_to_others
from pipeline.settings.of_work import needed_in_test, trust_rules
from pipeline.settings.table_3 import work_of
from runtime import clock
from runtime.database import atomic_again
from runtime.marked_points import reach
from workers.change_trust import change_trust, trust_of
from workers.models import TrustStatus
from workers.rules.texts import Coded, WorkerText
from workers.rules.trust_states import TrustEvent, TrustState
from workers.task_words import in_english

Answers = Mapping[int, Reply] | Sequence[Reply | None]
Read = tuple[Assignment, dict[int, Question]]


def submit_assignment(
    *,
    assignment_id: int | UUID,
    worker_id: int,
    answers: Answers,
    guard: Guard | None = None,
    now: datetime | None = None,
) -> Receipt:
    """Store the answers and end the assignment. `answers`: one per question in the order shown, or by question id.

    Questions left out are open again. Submitting the same answers twice returns the same receipt. Late answers are
    stored where the question still needs them. Locks the assignment; questions move only from the state they were read
    in, and if one has moved, everything is read again, now under locks. Raises NoSuchAssignmentError, NotYoursError,
    AssignmentEndedError if it was returned, or BadAnswerError, and with a guard SignedOutError and NoAccessError;
    nothing is stored then.
    """
    now = now or clock.now()
    try:
        receipt = _submit(_read, assignment_id, worker_id, answers, guard, now)
    except StateMovedError:
        receipt = _submit(_read_locked, assignment_id, worker_id, answers, guard, now)
    reach("submit: committed")
    return receipt


@atomic_again
def _submit(
    read: Callable[[int | UUID, int, Guard | None], Read],
    assignment_id: int | UUID,
    worker_id: int,
    answers: Answers,
    guard: Guard | None,
    now: datetime,
) -> Receipt:
    assignment, questions = read(assignment_id, worker_id, guard)
    replies = _by_place(assignment, answers)
    if assignment.state == Assignment.State.SUBMITTED:
        return stored_receipt(assignment, replies)
    if assignment.state == Assignment.State.RETURNED:
        raise AssignmentEndedError
    items = items_of(assignment, questions)
    _check(assignment, items, replies)
    given = {place: reply for place, reply in replies.items() if isinstance(reply, GivenAnswer)}
    skipped = {place: reply for place, reply in replies.items() if isinstance(reply, Skipped)}
    wanted = _places_taken(assignment, items, questions)
    taken = {place: reply for place, reply in given.items() if place in wanted}
    known = {place for place in given if isinstance(items[place], KnownQuestion)}
    answered = [(items[place], reply) for place, reply in given.items() if place in wanted or place in known]
    right = _store(assignment, answered, questions, now)
    reach("submit: answers stored")
    _skip(assignment, [(items[place], reply) for place, reply in skipped.items()], now)
    if len(taken) < assignment.size:
        _free(assignment, questions, {items[place].id for place in taken if isinstance(items[place], Question)})
    receipt = Receipt(
        assignment,
        stored=tuple(item.id for item in map(items.__getitem__, taken) if isinstance(item, Question)),
        too_late=tuple(items[place].id for place in given if place not in taken and place not in known),
        late_places=tuple(place for place in given if place not in taken),
        skipped=tuple(item.id for item in map(items.__getitem__, skipped) if isinstance(item, Question)),
        answered=len(taken),
        left_out=len(skipped),
        earned_cents=_earned(assignment, items, given),
        replies=replies,
    )
    if assignment.kind == Assignment.Kind.TEST:
        receipt = end_test(receipt, right, _mistakes(Task(assignment.task), answered), now)
    store_receipt(receipt, now)
    # An expired assignment has no reservation left.
    reserved = assignment.reward_cents if assignment.state == Assignment.State.ACTIVE else 0
    release_reward(assignment.project_id, reserved - receipt.earned_cents)
    return receipt


def _earned(assignment: Assignment, items: Sequence[Item], places: Iterable[int]) -> int:
    """Return what the answers at these places earn, in cents."""
    task = Task(assignment.task)
    done, total = (work_of(task, (items[place].shown for place in some)) for some in (places, range(len(items))))
    return reward_share(assignment, done, total)


def _store(
    assignment: Assignment,
    answers: Sequence[tuple[Item, GivenAnswer]],
    questions: Mapping[int, Question],
    now: datetime,
) -> int:
    """Store the answers to questions of both kinds. Returns how many verification questions were answered right.

    If the assignment waits for its batch, its questions stay on loan to it, so that others are not asked them. Those
    behind verification questions are free. Raises StateMovedError if a question was closed since it was read, or taken
    by others after the lease ran out.
    """
    judgments = [_judgment(assignment, item, given, now) for item, given in answers]
    # A verification question of a batch that was lost comes again; if both are answered, the first answer counts.
    insert_many(Judgment, _Row._fields, judgments, unless="(worker_id, known_id) WHERE known_id IS NOT NULL")
    real = [item.id for item, _ in answers if isinstance(item, Question)]
    behind = [number for number in assignment.spare if questions[number].assignment_id == assignment.id]
    waits = assignment.acceptance == Assignment.Acceptance.WAITING
    (lend if waits else mark_answered)(real, assignment.id, free=behind)
    if assignment.taken_back:
        note_late(assignment)
    return sum(judgment.right or False for judgment in judgments)


class _Row(NamedTuple):
    """A judgment as it is stored."""

    question: int | None
    known: int | None
    right: bool | None
    worker: int
    assignment: int
    answer: Any
    seconds: float | None
    comment: str
    created_at: datetime


def _mistakes(task: Task, answers: Iterable[tuple[Item, GivenAnswer]]) -> list[Mistake]:
    """Return the mistakes in the answers to verification questions."""
    found = (
        mistake_in(task, item.truth, given.answer, candidates=len(candidates_in(task, item.shown)))
        for item, given in answers
        if isinstance(item, KnownQuestion)
    )
    return [mistake for mistake in found if mistake]


def _judgment(assignment: Assignment, item: Item, reply: GivenAnswer, now: datetime) -> _Row:
    known, task, right = isinstance(item, KnownQuestion), Task(assignment.task), None
    if isinstance(item, KnownQuestion):
        candidates = len(candidates_in(task, item.shown))
        right = is_right_answer(task, item.truth, reply.answer, candidates=candidates)
    return _Row(
        question=None if known else item.id,
        known=item.id if known else None,
        right=right,
        worker=assignment.worker_id,
        assignment=assignment.id,
        answer=reply.answer,
        seconds=reply.seconds,
        comment=reply.comment,
        created_at=now,
    )


def _skip(assignment: Assignment, skipped: Sequence[tuple[Item, Skipped]], now: datetime) -> None:
    """Note what the worker skipped, so that they are not asked it again.

    Verification questions never are. For them the same statements are run, and change nothing: how long this takes does
    not tell which questions were real.
    """
    worker, skips, questions = assignment.worker_id, [], []
    for item, reply in skipped:
        new = isinstance(item, Question) and worker not in item.skipped
        everyone = [*item.skipped, worker] if isinstance(item, Question) and new else []
        skips.append((item.id if new else None, worker, assignment.id, reply.reason, reply.comment, now))
        questions.append((item.id if new else NO_QUESTION, everyone, len(everyone)))
    columns = ("question", "worker", "assignment", "reason", "comment", "created_at")
    insert_many(Skip, columns, skips, only="v.column1 IS NOT NULL")
    update_many(Question, ["id"], ["skipped", "skipped_count"], questions)


def _places_taken(assignment: Assignment, items: Sequence[Item], questions: Mapping[int, Question]) -> set[int]:
    """Return the places whose answers are taken: of real questions that still need one.

    A verification question goes by the real question behind it, so that what is too late tells nothing; its answer is
    stored in any case. Without one behind it, as in a test, its answer is always taken.
    """
    behind, wanted = iter(assignment.spare), set[int]()
    for place, item in enumerate(items):
        real = questions.get(next(behind, NO_QUESTION)) if isinstance(item, KnownQuestion) else item
        refused = assignment.acceptance == Assignment.Acceptance.REFUSED
        if real is None or (not refused and needs_answer(real, assignment)):
            wanted.add(place)
    return wanted


def _free(assignment: Assignment, questions: Mapping[int, Question], taken: set[int]) -> None:
    """Free the questions that were left out, for other workers if this one is measured.

    Verification questions never come back. If real ones did, a worker could leave out everything that is new, answer
    what comes back, and never be measured.
    """
    of = {"worker": assignment.worker_id, "project": assignment.project_id, "task": assignment.task}
    if TrustStatus.objects.filter(**of).exists():
        release_to_others([assignment.id], assignment.worker_id, but=taken)
    else:
        release_questions([number for number in questions if number not in taken], assignment.id)


def _read(assignment_id: int | UUID, worker_id: int, guard: Guard | None) -> Read:
    """Read the assignment, locked, and its questions, not locked, as long as it holds them all.

    Two statements, both by key. One with joins would be planned by statistics: taken while the table of assignments was
    empty, as after a restore, they made PostgreSQL read every image.
    """
    assignment = lock_assignment(assignment_id, worker_id, guard)
    questions = read_questions(assignment)
    if all(question.assignment_id == assignment.id for question in questions.values()):
        return assignment, questions
    return assignment, lock_questions(assignment)


def _read_locked(assignment_id: int | UUID, worker_id: int, guard: Guard | None) -> Read:
    """Read the assignment in whatever state, and its questions, all locked."""
    assignment = lock_assignment(assignment_id, worker_id, guard)
    return assignment, lock_questions(assignment)


def _by_place(assignment: Assignment, answers: Answers) -> Replies:
    if isinstance(answers, Mapping):
        places = places_of(assignment)
        foreign = sorted(set(answers) - set(places))
        if foreign:
            raise BadAnswerError(f"Questions {foreign} are not of this assignment.")
        return {places[number]: reply for number, reply in answers.items()}
    if len(answers) != assignment.size:
        raise BadAnswerError(
            gettext("This assignment has {size} questions, not {given}.").format(
                size=assignment.size, given=len(answers)
            )
        )
    return {place: reply for place, reply in enumerate(answers) if reply is not None}


def _check(assignment: Assignment, items: Sequence[Item], replies: Replies) -> None:
    """Raises BadAnswerError if a reply cannot be stored or read by its task's rule."""
    task = Task(assignment.task)
    # Settings are read only for the few assignments that need them: each statement makes every submission slower.
    part_answers = any(isinstance(reply, GivenAnswer) and names_part(task, reply.answer) for reply in replies.values())
    if part_answers and not current_settings(assignment.project_id)[1].part_answers:
        raise NoPartsError
    for place, reply in replies.items():
        image = items[place].image
        if isinstance(reply, GivenAnswer):
            words = tokens_shown(items[place].shown)
            size = image.width, image.height
            candidates = candidates_in(task, items[place].shown)
            if fault := fault_in(
                task, reply.answer, *size, words=words, part_answers=part_answers, candidates=candidates
            ):
                raise BadAnswerError(fault)
            _check_remarks(reply.comment, reply.seconds)
        else:
            _check_remarks(reply.comment, None)
            if reply.reason not in Skip.Reason.values:
                raise BadAnswerError(f"A reason to skip is one of {Skip.Reason.values}, not {reply.reason!r}.")


def _check_remarks(comment: str, seconds: float | None) -> None:
    """Raises BadAnswerError if a comment or a time fits neither the database nor JSON."""
    if len(comment) > COMMENT_LENGTH or "\0" in comment:
        raise BadAnswerError(
            gettext("A comment has at most {most} characters, and no NUL among them.").format(most=COMMENT_LENGTH)
        )
    if seconds is not None and not (isfinite(seconds) and seconds >= 0):
        raise BadAnswerError(f"The seconds an answer took are a number from 0, not {seconds}.")


def end_test(receipt: Receipt, right: int, mistakes: Sequence[Mistake], now: datetime) -> Receipt:
    """Write the test's outcome to the worker's trust, and return the receipt with the result.

    Questions without an answer count as not right. If the worker failed, the receipt tells the kinds of mistakes. Runs
    in the caller's transaction.
    """
    assignment = receipt.assignment
    task = Task(assignment.task)
    _, settings = current_settings(assignment.project_id)
    needed = needed_in_test(settings, task, assignment.size)
    result = TestResult(right, assignment.size, needed, right >= needed)
    if not result.passed:
        receipt = replace(
            receipt, mistakes=mistakes_shown([*mistakes, *[Mistake.left_out] * (assignment.size - receipt.answered)])
        )
    trust = trust_of(assignment.worker_id, assignment.project_id, assignment.task)
    if trust.state is not TrustState.TESTING:
        return replace(receipt, test=result, sequel=WorkerText.DECIDED.coded())
    rules = trust_rules(settings, task)
    change_trust(
        worker_id=assignment.worker_id,
        project_id=assignment.project_id,
        task=assignment.task,
        event=TrustEvent.PASS_TEST if result.passed else TrustEvent.FAIL_TEST,
        because=in_english(test_result(result)),
        rules=rules,
        now=now,
    )
    left = rules.tests - trust.tests_failed - 1
    return replace(receipt, test=result, sequel=_sequel(result, left, settings.test_wait_hours))


def test_result(result: TestResult) -> Coded:
    """Return the result as a text for the worker."""
    return WorkerText.TESTED.coded(right=result.right, size=result.questions, needed=result.needed)


def _sequel(result: TestResult, left: int, hours: float) -> Coded:
    if result.passed:
        return WorkerText.PASSED.coded()
    if left <= 0:
        return WorkerText.LAST_TRY.coded()
    wait = f"{hours:g}"
    return (
        WorkerText.ONE_TRY_LEFT.coded(hours=wait) if left == 1 else WorkerText.TRIES_LEFT.coded(left=left, hours=wait)
    )
