"""Assignments of link questions where some are sweeps: their size, their pay, and what stands in for what."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import pytest

from annotation.models import Caption, Image, Project
from pipeline.asking import draw_items
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.read_assignment import items_of
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import BadAnswerError
from pipeline.gold_questions.known_questions import key_of
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import work_of
from studies.question_leak.evidence import Evidence, strongest
from tests.support.projects import lease, phrases, project_of, worker
from tests.support.table import case, row
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
Purpose = KnownQuestion.Purpose
PAID = dict.fromkeys(Settings().reward_cents, 100)
LENIENT = dict.fromkeys(Settings().minimum, 0.001)


def shown_of(candidates: int) -> dict[str, Any]:
    """Return what a link question of one candidate, a pair, or of several shows."""
    mentions = [[number, number, 0, 2] for number in range(candidates + 1)]
    return {"mentions": mentions, "boxes": [], "new_box": None}


def swept(shapes: Sequence[int], **settings: Any) -> Project:
    """Return a project with an open link question of each of these numbers of candidates, each about its own image."""
    images = [phrases("people: a man", "people: someone", name=str(number)) for number in range(len(shapes))]
    project = project_of(*images, settings=Settings(**{"reward_cents": PAID, "minimum": LENIENT, **settings}))
    questions = list(Question.objects.order_by("id"))
    for question, candidates in zip(questions, shapes, strict=True):
        question.shown, question.subject = shown_of(candidates), list(range(candidates + 1))
    Question.objects.bulk_update(questions, ["shown", "subject"])
    return project


def stock(project: Project, shapes: Sequence[int], purpose: str = Purpose.VERIFICATION) -> list[KnownQuestion]:
    """Add a known question of each of these numbers of candidates, each about an image of its own."""
    first = 10_000 + project.images.count()
    drawn = {"project": project, "width": 200, "height": 100, "picture": "x.jpg"}
    images = [Image(name=f"known-{first + n}", position=first + n, **drawn) for n in range(len(shapes))]
    Image.objects.bulk_create(images)
    said = {"text": "a man", "words": ["a", "man"], "offsets": [0, 2]}
    Caption.objects.bulk_create(Caption(image=image, number=n, **said) for image in images for n in range(13))
    place = {"project": project, "task": LINK.value, "purpose": purpose, "source": "expert"}
    rows = []
    for image, candidates in zip(images, shapes, strict=True):
        shown, truth = shown_of(candidates), "same" if candidates == 1 else {"same": [1]}
        rows.append(KnownQuestion(image=image, shown=shown, truth=truth, key=key_of(image.pk, shown), **place))
    return KnownQuestion.objects.bulk_create(rows)


def measured(project: Project, name: str = "ada", state: str = "trusted") -> Worker:
    made = worker(project, name)
    TrustStatus.objects.create(project=project, worker=made, task=LINK.value, state=state)
    return made


def shapes_of(assignment: Assignment) -> list[int]:
    """Return the number of candidates of each question, in the order in which they are shown."""
    items = items_of(assignment, Question.objects.in_bulk([*assignment.questions]))
    return [len(candidates_in(LINK, item.shown)) or 1 for item in items]


@row(1, 7.5, Fraction(1))
@row(2, 8.6, Fraction(86, 75))
@row(12, 19.6, Fraction(196, 75))
def test_a_sweep_weighs_as_many_pairs_as_take_its_seconds(candidates: int, seconds: float, work: Fraction) -> None:
    assert (round(LINK_SECONDS.of(candidates), 9), work_of(LINK, [shown_of(candidates)])) == (seconds, work)


def test_questions_of_other_tasks_weigh_one_whatever_they_show() -> None:
    assert work_of(Task.CHAIN_VERIFICATION, [shown_of(5), shown_of(2)]) == 2


@case("pairs alone fill it to its size", [1] * 12, 10, 100)
@case("six sweeps of five candidates are the work of 9.52 pairs", [5] * 12, 6, 95)
@case("the longest sweeps", [12] * 12, 3, 78)
@case("all that is there, if that is less", [5, 5], 2, 32)
def test_an_assignment_has_as_many_link_questions_as_their_work_fits_its_size(
    shapes: list[int], count: int, cents: int
) -> None:
    project = swept(shapes)
    assignment = lease(project, worker(project, "ada"), LINK)
    assert (assignment.size, assignment.reward_cents) == (count, cents)


def test_an_assignment_has_one_question_at_least_and_pays_for_its_work() -> None:
    project = swept([12], batch=dict.fromkeys(Settings().batch, 1))
    assignment = lease(project, worker(project, "ada"), LINK)
    assert (assignment.size, assignment.reward_cents) == (1, 261)


def test_some_answers_earn_their_share_of_the_work_and_a_wrong_shape_none() -> None:
    project = swept([5, 1])
    assignment = lease(project, worker(project, "ada"), LINK)
    place = shapes_of(assignment).index(5)

    def send(answer: object) -> int:
        answers: list[GivenAnswer | None] = [None, None]
        answers[place] = GivenAnswer(answer)
        return submit_assignment(
            assignment_id=assignment.id, worker_id=assignment.worker_id, answers=answers
        ).earned_cents

    with pytest.raises(BadAnswerError, match="answer to a sweep"):
        send("same")
    assert (assignment.reward_cents, send({"same": [1, 4]})) == (26, 16)


def test_programs_get_the_pair_behind_more_sweeps_than_are_looked_at() -> None:
    project = swept([3, 4, 1])
    program = worker(project, "program", kind=Worker.Kind.PROGRAM)
    with patch.object(draw_items, "WINDOW", 2):
        assert shapes_of(lease(project, program, LINK)) == [1]


def stand_ins(assignment: Assignment) -> list[tuple[int, int]]:
    """Return the candidates of each real question that is not shown, and of the known one in its place."""
    behind = Question.objects.in_bulk(assignment.spare)
    known = [assignment.known[place] for place in sorted(assignment.known, key=int)]
    shown = KnownQuestion.objects.in_bulk(known)
    return [
        (len(behind[real].shown["mentions"]) - 1, len(shown[number].shown["mentions"]) - 1)
        for real, number in zip(assignment.spare, known, strict=True)
    ]


def test_a_known_question_has_the_shape_of_the_real_one_behind_it() -> None:
    project = swept([1, 2, 5, 9] * 3, trusted_rate=0.5)
    stock(project, [1, 2, 5, 9] * 12)
    ada, found = measured(project), list[tuple[int, int]]()
    for _ in range(4):
        assignment = lease(project, ada, LINK)
        found += stand_ins(assignment)
        submit_assignment(assignment_id=assignment.id, worker_id=ada.id, answers=[None] * assignment.size)
        Question.objects.update(skipped=[], assignment=None)
    assert len(found) > 4 and all(real == known for real, known in found)


@case("of about as many candidates", [5], [1, 1, 1, 2, 6, 12], 6)
@case("of however many, before a pair", [12], [1, 1, 1, 2], 2)
@case("a pair, where the stock has no sweep", [5], [1, 1], 1)
@case("a sweep, where the stock has no pair", [1], [4, 9], 4)
def test_what_stands_in_for_a_question(real: list[int], known: list[int], shown: int) -> None:
    project = swept(real, trusted_rate=1.0)
    stock(project, known)
    assert shapes_of(lease(project, measured(project), LINK)) == [shown]


@case("lighter ones leave room for more", 12, [2] * 20, 8)
@case("heavier ones take it", 2, [12] * 20, 3)
def test_the_length_follows_from_what_is_shown(real: int, known: list[int], count: int) -> None:
    project = swept([real] * 12, trusted_rate=1.0)
    stock(project, known)
    assignment = lease(project, measured(project), LINK)
    assert (assignment.size, len(assignment.known), len(assignment.spare)) == (count, count, count)
    assert Question.objects.exclude(assignment=None).count() == count, "nothing else is on loan"


def test_what_is_returned_is_drawn_again() -> None:
    project = swept([1, 2, 5, 9] * 6, trusted_rate=0.5)
    stock(project, [1, 2, 5, 9] * 6)
    ada = measured(project)
    first = lease(project, ada, LINK)
    return_assignment(assignment_id=first.id, worker_id=ada.id)
    again = lease(project, ada, LINK)
    assert first.known and (first.questions, first.known, first.spare) == (again.questions, again.known, again.spare)


def test_a_test_has_its_number_of_questions_whatever_their_shape_and_each_is_one_answer() -> None:
    project = swept([1], test_questions=4, minimum=Settings().minimum)
    stock(project, [1, 5, 9, 12], Purpose.TEST)
    assignment = lease(project, measured(project, state="testing"), LINK)
    assert Counter(shapes_of(assignment)) == Counter([1, 5, 9, 12]) and assignment.reward_cents == 0
    answers = [GivenAnswer("same" if candidates == 1 else {"same": []}) for candidates in shapes_of(assignment)]
    receipt = submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=answers)
    assert receipt.test is not None and (receipt.test.right, receipt.test.questions) == (1, 4)
    assert receipt.mistakes == ("missed link",)
    assert Judgment.objects.filter(right=True).count() == 1


def test_probation_has_as_many_known_questions_as_their_work_fits() -> None:
    project = swept([1], test_questions=0)
    stock(project, [5] * 40)
    assert shapes_of(lease(project, measured(project, state="probation"), LINK)) == [5] * 6


def test_whoever_sees_a_sweep_is_not_asked_about_its_pairs_as_known_questions() -> None:
    project = swept([3])
    image = project.images.get()
    ids = {}
    for pair in ((0, 2), (1, 2), (2, 4)):
        shown = {**shown_of(1), "mentions": [[number, number, 0, 2] for number in pair]}
        place = {"project": project, "task": LINK.value, "image": image, "purpose": Purpose.EXAMPLE}
        made = KnownQuestion.objects.create(**place, shown=shown, truth="same", key=key_of(image.pk, shown))
        ids[pair] = made.pk
    stock(project, [1])
    ada = measured(project)
    with patch.object(draw_items, "places", lambda *_, **given: ()):
        assert shapes_of(lease(project, ada, LINK)) == [3]
    assert TrustStatus.objects.get(worker=ada).seen == [ids[0, 2]]


SHAPES = [1, 1, 2, 3, 4, 5, 7, 9, 12]


def watched(assignments: int = 40) -> Evidence:
    """Return what goes along best with known questions, of all that the shapes, places and lengths tell a worker."""
    project = swept(SHAPES * 8, trusted_rate=0.3)
    stock(project, SHAPES * 20)
    ada, rows, known = measured(project), list[dict[str, float]](), list[float]()
    for _ in range(assignments):
        assignment = lease(project, ada, LINK)
        shapes = shapes_of(assignment)
        work = float(sum(1 + (candidates - 1) * Fraction(11, 75) for candidates in shapes))
        for place, candidates in enumerate(shapes):
            whole = {"length": len(shapes), "work": work, "cents": assignment.reward_cents, "place": place}
            own = {"candidates": candidates, "sweep": candidates > 1, "places after": len(shapes) - place}
            rows.append({name: float(value) for name, value in (own | whole).items()})
            known.append(float(str(place) in assignment.known))
        submit_assignment(assignment_id=assignment.id, worker_id=ada.id, answers=[None] * assignment.size)
        Question.objects.update(skipped=[], barred=[], assignment=None)
    return strongest(rows, known, [0] * len(rows))


def test_shape_place_length_and_pay_tell_nothing_of_known_questions() -> None:
    evidence = watched()
    assert evidence.rows > 150 and not evidence.is_leak, str(evidence)


def test_a_draw_that_ignores_shapes_would_be_found() -> None:
    def pairs_first(draw: Any, task: Task, unseen: list[KnownQuestion], behind: list[Any], taken: Any) -> Any:
        return sorted(unseen, key=lambda known: len(known.shown["mentions"]))[: len(behind)]

    with patch.object(draw_items, "_choose_known", pairs_first):
        assert watched().is_leak
