"""Undo in the database: after every kind of act the tables are as before, and what the record makes them."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Box, Chain, Image, Mention, Project
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.learning.vectors_of_phrases import make_vectors
from pipeline.models import Entry, Judgment, Progress, Question, Transition
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.undo import CannotUndoError
from pipeline.protocol.state.rows import image_rows
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import (
    ImageMovedError,
    act_as_expert,
    preview_undo,
    propose_boxes,
    report_problem,
    undo_entry,
    void_judgments,
)
from pipeline.record.read_record import replay, stored_rows
from pipeline.record.starve_questions import starve_questions, starved_questions
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.projects import answer, box, lease, phrases, project_of, states, submit, worker
from tests.support.table import row
from workers.change_trust import change_trust
from workers.models import Worker
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db

ASK, DRAW = Task.BOX_REQUIREMENT, Task.BOX_DRAWING
GOOD, COVER = Task.BOX_QUALITY, Task.BOX_COVERAGE


def everything() -> list[Any]:
    """Every stored row that an entry could change."""
    tables = (Image, Chain, Box, Mention, Question, Progress, Entry, Transition, Judgment)
    return [sorted(map(repr, table.objects.values_list())) for table in tables]


def one_dog() -> tuple[Project, int]:
    project = project_of(phrases("animals: a dog"))
    return project, project.images.get().id


def test_a_report_is_in_the_record_and_as_many_are_needed_as_the_settings_say() -> None:
    project = project_of(phrases("animals: a dog"), settings=Settings(reports_to_review=3))
    where: dict[str, Any] = {"image_id": project.images.get().id, "what": "mention", "number": 0}
    for name, state in (("ada", "requirement"), ("ada", "requirement"), ("bob", "requirement"), ("cleo", "review")):
        report_problem(**where, worker_id=worker(project, name).id, reason="this is a cat")
        assert Chain.objects.get().state == state
    assert states(project) == ["closed"] and "mention" in Chain.objects.get().review
    report_problem(**where, worker_id=None, actor="eve", expert=True)
    reports = Entry.objects.filter(kind="report").order_by("sequence").values_list("actor", "reason")
    assert list(reports) == [("", "this is a cat")] * 4 + [("eve", "")] and list(replay(project)) == []


def test_boxes_of_a_program_leave_the_drawing_that_a_worker_has_begun() -> None:
    project = project_of(phrases("people: a man"), settings=Settings(pre_annotations=True))
    ada, program = worker(project, "ada"), worker(project, "detector", kind=Worker.Kind.PROGRAM)
    held = lease(project, ada, DRAW)
    propose_boxes(image_id=project.images.get().id, worker_id=program.id, boxes=[[0, 60, 60, 90, 90]])
    assert submit(held, box(1, 1, 50, 50)).stored == tuple(held.questions)
    tick(project_id=project.id)
    assert Box.objects.get().drawn_by == ada and list(replay(project)) == []


@row({"action": "sing"})
@row({"action": "send", "chain": 7, "to": "drawing"})
@row({"action": "rechunk", "remove": [], "add": [[5, 0, 0, 1, ["animals"], "a"]]})
@row({"action": "draw", "chain": 0, "box": [0, 0, 5000, 9]})
@row({"action": "draw", "chain": 0, "box": "a box"})
@row({})
def test_an_action_that_does_not_fit_leaves_nothing_behind(action: dict[str, Any]) -> None:
    project, image = one_dog()
    before = everything()
    with pytest.raises(ExpertError) as refused:
        act_as_expert(image_id=image, action=action, actor="eve")
    assert len(str(refused.value)) > 15 and everything() == before and list(replay(project)) == []


def test_a_phrase_that_an_expert_marks_has_a_vector_where_the_service_makes_them(settings: Any) -> None:
    settings.PHRASE_VECTORS = True
    project, image = one_dog()
    add = [[1, 0, 1, 2, ["animals"], "dog"]]
    act_as_expert(image_id=image, action={"action": "rechunk", "remove": [0], "add": add}, actor="eve")
    (row,) = Progress.objects.get().state["mentions"]
    assert row[:7] == [*add[0], "a"] and row[7:] == make_vectors(["dog"]) and list(replay(project)) == []


def test_an_action_on_an_image_that_has_moved_on_leaves_nothing_behind() -> None:
    _, image = one_dog()
    seen = Progress.objects.get().sequence
    draw = {"action": "draw", "chain": 0, "box": [10, 10, 50, 50]}
    act_as_expert(image_id=image, action=draw, actor="eve", seen=seen)
    before = everything()
    with pytest.raises(ImageMovedError):
        act_as_expert(image_id=image, action={**draw, "box": [60, 10, 90, 50]}, actor="bob", seen=seen)
    with pytest.raises(ImageMovedError):
        undo_entry(image_id=image, entry=seen + 1, actor="bob", seen=seen)
    assert everything() == before
    undo_entry(image_id=image, entry=seen + 1, actor="bob", seen=seen + 1)


def test_an_action_is_in_the_record_with_who_and_why() -> None:
    project, image = one_dog()
    action = {"action": "send", "chain": 0, "to": "non-visual", "kind": "no box"}
    act_as_expert(image_id=image, action=action, actor="eve", reason="not in the picture")
    entry = Entry.objects.get(kind="expert")
    assert (entry.data, entry.actor, entry.reason) == (action, "eve", "not in the picture")
    assert (Chain.objects.get().state, states(project)) == ("non-visual", ["closed"])
    tick(project_id=project.id)
    assert Image.objects.get().state == "merged"


def test_an_answer_that_came_before_the_expert_is_in_the_record_before_the_expert() -> None:
    project, image = one_dog()
    submit(lease(project, worker(project, "ada"), ASK), 1)
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "requirement"}, actor="eve")
    tick(project_id=project.id)
    kinds = list(Entry.objects.order_by("sequence").values_list("kind", flat=True))
    assert kinds == ["import", "start", "judgment", "expert"] and list(replay(project)) == []


def test_an_answer_to_a_question_that_an_expert_closed_is_plainly_refused() -> None:
    project, image = one_dog()
    assignment = lease(project, worker(project, "ada"), ASK)
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "drawing"}, actor="eve")
    receipt = submit(assignment, 1)
    assert (receipt.stored, receipt.too_late) == ((), tuple(assignment.questions)) and list(replay(project)) == []


def test_a_voided_vote_no_longer_counts_and_is_asked_again() -> None:
    project, image = one_dog()
    answer(project, worker(project, "ada"), ASK, 3)
    void_judgments(image_id=image, judgment_ids=[Judgment.objects.get().id], actor="rita", reason="no trust")
    entry = Entry.objects.get(kind="void")
    assert (entry.actor, entry.reason, entry.data) == ("rita", "no trust", {"entries": [2]})
    answer(project, worker(project, "bob"), ASK, 3)
    assert states(project) == ["open"], "one vote is void, so a second one is still needed"
    answer(project, worker(project, "cleo"), ASK, 3)
    assert states(project) == ["closed"] and Judgment.objects.count() == 3 and list(replay(project)) == []


def test_a_judgment_of_another_image_or_from_which_something_followed_stays_and_nothing_of_the_voiding_is_kept() -> (
    None
):
    project = project_of(phrases("people: a man"), phrases("people: a man", name="2"))
    image, other = project.images.order_by("name").values_list("id", flat=True)
    answer(project, worker(project, "ada"), DRAW, box(1, 1, 50, 50))
    drawn = Judgment.objects.get().id
    answer(project, worker(project, "bob"), GOOD, "good")
    before = everything()
    for ids in ([drawn], [10**6]):
        with pytest.raises(CannotVoidError):
            void_judgments(image_id=other, judgment_ids=ids, reason="no trust")
    with pytest.raises(CannotVoidError, match="something has followed"):
        void_judgments(image_id=image, judgment_ids=Judgment.objects.values_list("id", flat=True), reason="no trust")
    assert everything() == before


@pytest.fixture
def project() -> Project:
    """One image: two phrases of one chain, with a box, whose drawing goes on; and a dog in box requirement."""
    made = project_of(phrases("people: a man", "people: the man", "animals: a dog"))
    crew = [worker(made, name) for name in ("ada", "bob", "cleo", "dan", "eve")]
    answer(made, crew[0], Task.COREFERENCE_LINK, "same")
    answer(made, crew[1], Task.CHAIN_VERIFICATION, "true")
    answer(made, crew[0], DRAW, box(1, 1, 50, 50))
    answer(made, crew[1], GOOD, "good")
    answer(made, crew[2], COVER, "more needed")
    return made


ACTS: dict[str, dict[str, Any]] = {
    "review": {"chain": 0}, "send": {"chain": 0, "to": "complete"}, "ask others": {"chain": 0, "to": "coverage"},
    "join": {"chains": [0, 2]}, "split": {"chain": 0, "parts": [[0], [1]]},
    "draw": {"chain": 0, "box": [1, 2, 30, 40]}, "move box": {"box": 0, "to": [1, 2, 30, 40]},
    "delete box": {"box": 0}, "accept box": {"box": 1}, "retype": {"mention": 0, "types": ["other"]},
    "rechunk": {"remove": [0], "add": []},
}  # fmt: skip


@pytest.mark.parametrize("action", ACTS)
def test_after_an_undo_every_row_is_as_before(project: Project, action: str) -> None:
    crew = {one.name: one for one in (worker(project, name) for name in ("dan", "eve"))}
    if action == "accept box":
        answer(project, crew["dan"], DRAW, box(60, 1, 90, 50))
        answer(project, crew["eve"], GOOD, "bad")
    image = project.images.get().id
    before = stored_rows([image])[image]
    act_as_expert(image_id=image, action={"action": action, **ACTS[action]}, actor="rita")
    assert stored_rows([image])[image] != before
    entry = Entry.objects.get(kind="expert")
    preview = preview_undo(image_id=image, entry=entry.sequence)
    undo_entry(image_id=image, entry=entry.sequence, actor="rita", reason="a slip")
    assert stored_rows([image])[image] == before == image_rows(preview.after) and list(replay(project)) == []
    undo = Entry.objects.get(kind="undo")
    assert (undo.data, undo.actor, undo.reason) == ({"undo": entry.sequence}, "rita", "a slip")
    undo_entry(image_id=image, entry=undo.sequence, actor="rita")
    assert stored_rows([image])[image] != before and list(replay(project)) == []


def test_who_answered_in_vain_is_not_asked_the_question_that_is_given_back(project: Project) -> None:
    image, dan = project.images.get().id, worker(project, "dan")
    held = lease(project, dan, DRAW)
    act_as_expert(image_id=image, action={"action": "review", "chain": 0}, actor="rita")
    asked = Question.objects.get(task=DRAW.value, chain=0, outcome="changed by an expert")
    # As where answers wait for their batch: it was stored, the question is closed, and it never counted.
    place = {"question": asked, "worker": dan, "assignment": held, "created_at": held.created_at}
    Judgment.objects.create(**place, answer={"none_missing": True})
    undo_entry(image_id=image, entry=Entry.objects.get(kind="expert").sequence, actor="rita")
    asked.refresh_from_db()
    assert (asked.state, asked.skipped) == ("open", [dan.id])
    submit(held)
    again = lease_assignment(project_id=project.id, worker_id=dan.id, task=DRAW, size=5)
    assert again is None or asked.id not in again.questions


def test_an_answer_that_waits_is_folded_first_and_then_the_act_stays(project: Project) -> None:
    image = project.images.get().id
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "coverage"}, actor="rita")
    submit(lease(project, worker(project, "dan"), COVER), "all there")
    before = stored_rows([image])[image]
    with pytest.raises(CannotUndoError, match="A worker has answered since"):
        undo_entry(image_id=image, entry=Entry.objects.get(kind="expert").sequence, actor="rita")
    tick(project_id=project.id)
    assert Entry.objects.filter(kind="undo").count() == 0
    assert stored_rows([image])[image] != before, "the answer has counted"
    assert list(replay(project)) == []


TO_COMPLETE = {"action": "send", "chain": 0, "to": "complete"}


def test_a_finished_image_that_was_reopened_is_finished_again_after_the_undo() -> None:
    project = project_of(phrases("people: a man"))
    image = project.images.get().id
    for action in ({"action": "draw", "chain": 0, "box": [1, 1, 50, 50]}, TO_COMPLETE):
        act_as_expert(image_id=image, action=action, actor="rita")
    tick(project_id=project.id)
    before = stored_rows([image])[image]
    assert before.state == "merged" and before.merged
    act_as_expert(image_id=image, action={"action": "delete box", "box": 0}, actor="rita")
    assert (Image.objects.get().state, Box.objects.get().state) == ("in review", "discarded")
    undo_entry(image_id=image, entry=Entry.objects.filter(kind="expert").latest("sequence").sequence, actor="rita")
    assert stored_rows([image])[image] == before and list(replay(project)) == []
    assert Transition.objects.filter(reason="undone", machine="image", new="merged").exists()


@pytest.mark.both_engines
def test_a_chunk_that_an_expert_made_a_phrase_is_a_chunk_again() -> None:
    project = project_of(phrases("people: a man in air"))
    image = project.images.get()
    caption = image.captions.get()
    caption.non_visual = [[3, 4]]
    caption.save()
    action = {"action": "rechunk", "remove": [0], "add": [[1, 0, 3, 4, ["other"], "air"]]}
    act_as_expert(image_id=image.id, action=action, actor="r")
    undo_entry(image_id=image.id, entry=Entry.objects.get(kind="expert").sequence, actor="r")
    caption.refresh_from_db()
    assert caption.non_visual == [[3, 4]] and list(replay(project)) == []


def test_a_question_that_an_answer_opened_and_the_act_closed_at_once_is_asked_after_the_undo() -> None:
    """The answer waited when the expert acted: both were entered together, and the question was never a row."""
    made = project_of(phrases("people: a man", "people: the man"))
    submit(lease(made, worker(made, "ada"), Task.COREFERENCE_LINK, size=1), "same")
    image = made.images.get().id
    action = {"action": "send", "chain": 0, "to": "non-visual", "kind": "no box"}
    act_as_expert(image_id=image, action=action, actor="rita")
    undo_entry(image_id=image, entry=Entry.objects.get(image=image, kind="expert").sequence, actor="rita")
    (question,) = Question.objects.filter(image=image, state="open")
    assert question.task == Task.CHAIN_VERIFICATION and list(replay(made)) == []


def starving(**settings: float):
    """The only worker with access has voted, and one more vote is needed."""
    project = project_of(phrases("animals: a dog"), settings=Settings(**settings))  # type: ignore[arg-type]
    answer(project, worker(project, "ada"), ASK, 3)
    return project


def test_another_worker_with_access_ends_the_starving_unless_they_are_barred_for_good() -> None:
    project = starving()
    bob = worker(project, "bob", Task.BOX_DRAWING)
    assert len(starved_questions(project.id)) == 1
    worker(project, "bob", ASK)
    assert starved_questions(project.id) == []
    place = {"worker_id": bob.id, "project_id": project.id, "task": ASK.value}
    change_trust(**place, event=TrustEvent.BAR, because="only ever one button")
    assert len(starved_questions(project.id)) == 1


def test_a_leased_question_and_a_task_without_any_worker_wait_and_do_not_starve() -> None:
    project, _ = one_dog()
    assert starved_questions(project.id) == []
    tick(project_id=project.id, now=timezone.now() + timedelta(days=30))
    assert states(project) == ["open"]
    lease(project, worker(project, "ada"), ASK)
    assert starved_questions(project.id) == []


def test_it_goes_to_review_after_the_hours_of_the_setting() -> None:
    project, now = starving(starved_hours=5), timezone.now()
    tick(project_id=project.id, now=now + timedelta(hours=4.9))
    assert states(project) == ["open"] and starve_questions(project_id=project.id, now=now + timedelta(hours=5.1)) == 1
    chain = Chain.objects.get()
    assert (chain.state, chain.review, states(project)) == ("review", "starved", ["closed"])
    assert Image.objects.get().state == "in review" and Entry.objects.filter(kind="starve").count() == 1
    assert starve_questions(project_id=project.id, now=now + timedelta(hours=6)) == 0 and list(replay(project)) == []
