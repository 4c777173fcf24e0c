from typing import Any

import pytest

from annotation.models import Box, Chain, Image, Mention, Project
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.learning.vectors_of_phrases import make_vectors
from pipeline.models import Entry, Judgment, Progress, Question, Transition
from pipeline.record.intervene import ImageMovedError, act_as_expert, report_problem, undo_entry, void_judgments
from pipeline.record.replay import replay
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import answer, box, lease, phrases, project_of, states, submit, worker

pytestmark = pytest.mark.django_db

ASK = Task.BOX_REQUIREMENT
DRAW = Task.BOX_DRAWING


def everything() -> list[Any]:
    """Every stored row that an entry could change."""
    tables = (Image, Chain, Box, Mention, Question, Progress, Entry, Transition, Judgment)
    return [sorted(map(repr, table.objects.values_list())) for table in tables]


def one_dog() -> tuple[Project, int]:
    project = project_of(phrases("animals: a dog"))
    return project, project.images.get().id


# --- Reports ---


def test_one_workers_report_is_recorded_and_stops_nothing() -> None:
    project, image = one_dog()
    ada = worker(project, "ada")
    for _ in range(2):
        report_problem(image_id=image, what="mention", number=0, worker_id=ada.id, reason="this is a cat")
    assert (Chain.objects.get().state, states(project)) == ("requirement", ["open"])
    assert list(Entry.objects.filter(kind="report").values_list("reason", flat=True)) == ["this is a cat"] * 2
    assert list(replay(project)) == []


@pytest.mark.parametrize(("what", "number"), [("mention", 0), ("caption", 0)])
def test_the_reports_of_two_different_workers_send_the_chain_to_review(what: str, number: int) -> None:
    project, image = one_dog()
    for name in ("ada", "bob"):
        report_problem(image_id=image, what=what, number=number, worker_id=worker(project, name).id)
    chain = Chain.objects.get()
    assert (chain.state, states(project)) == ("review", ["closed"])
    assert what in chain.review
    assert list(replay(project)) == []


def test_the_report_of_an_expert_is_enough() -> None:
    _, image = one_dog()
    report_problem(image_id=image, what="mention", number=0, worker_id=None, actor="eve", expert=True)
    assert Chain.objects.get().state == "review"
    assert Entry.objects.get(kind="report").actor == "eve"


def test_as_many_reports_are_needed_as_the_settings_say() -> None:
    project = project_of(phrases("animals: a dog"), settings=ProtocolSettings(reports_to_review=3))
    image = project.images.get().id
    for name, state in (("ada", "requirement"), ("bob", "requirement"), ("cleo", "review")):
        report_problem(image_id=image, what="mention", number=0, worker_id=worker(project, name).id)
        assert Chain.objects.get().state == state


# --- Experts ---


@pytest.mark.parametrize(
    "action",
    [
        {"action": "sing"},
        {"action": "send", "chain": 7, "to": "drawing"},
        {"action": "send", "chain": 0, "to": "the moon"},
        {"action": "send", "chain": 0, "to": "verification"},
        {"action": "send", "chain": 0, "to": "complete"},
        {"action": "send", "chain": 0, "to": "non-visual", "kind": "dull"},
        {"action": "join", "chains": [0]},
        {"action": "split", "chain": 0, "parts": [[0], [1]]},
        {"action": "link", "first": 0, "second": 0, "same": True},
        {"action": "delete box", "box": 3},
        {"action": "retype", "mention": 0, "types": ["dogs"]},
        {"action": "rechunk", "remove": [], "add": [[5, 0, 0, 1, ["animals"], "a"]]},
        {"action": "draw", "chain": 0, "box": [5, 5, 5, 9]},
        {"action": "draw", "chain": 0, "box": [0, 0, 5000, 9]},
        {"action": "draw", "chain": 0, "box": "a box"},
        {"action": "send", "chain": 0},
        {"action": "send", "chain": 0, "to": "drawing", "colour": "red"},
        {},
    ],
)
def test_an_action_that_does_not_fit_leaves_nothing_behind(action: dict[str, Any]) -> None:
    project, image = one_dog()
    before = everything()
    with pytest.raises(ExpertError) as refused:
        act_as_expert(image_id=image, action=action, actor="eve")
    assert len(str(refused.value)) > 15
    assert everything() == before
    assert list(replay(project)) == []


def test_a_phrase_that_an_expert_marks_knows_the_words_before_it() -> None:
    project, image = one_dog()
    add = [[1, 0, 1, 2, ["animals"], "dog"]]
    act_as_expert(image_id=image, action={"action": "rechunk", "remove": [0], "add": add}, actor="eve")
    (row,) = Progress.objects.get().state["mentions"]
    assert row == [*add[0], "a"]
    assert list(replay(project)) == []


def test_a_phrase_that_an_expert_marks_has_a_vector_where_the_service_makes_them(settings: Any) -> None:
    settings.PHRASE_VECTORS = True
    project, image = one_dog()
    add = [[1, 0, 1, 2, ["animals"], "dog"]]
    act_as_expert(image_id=image, action={"action": "rechunk", "remove": [0], "add": add}, actor="eve")
    (row,) = Progress.objects.get().state["mentions"]
    assert row[:7] == [*add[0], "a"] and row[7:] == make_vectors(["dog"])
    assert list(replay(project)) == []


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


def test_an_expert_reopens_a_merged_image_and_it_is_merged_anew() -> None:
    project, image = one_dog()
    act_as_expert(image_id=image, action={"action": "draw", "chain": 0, "box": [10, 10, 50, 50]}, actor="eve")
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "complete"}, actor="eve")
    tick(project_id=project.id)
    assert Image.objects.get().state == "merged" and Image.objects.get().merged_boxes.count() == 1
    act_as_expert(image_id=image, action={"action": "draw", "chain": 0, "box": [60, 10, 90, 50]}, actor="eve")
    assert Image.objects.get().state != "merged" and Image.objects.get().merged_boxes.count() == 0
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "complete"}, actor="eve")
    tick(project_id=project.id)
    assert Image.objects.get().state == "merged" and Image.objects.get().merged_boxes.count() == 2
    assert list(replay(project)) == []


def test_an_answer_that_came_before_the_expert_is_in_the_record_before_the_expert() -> None:
    project, image = one_dog()
    submit(lease(project, worker(project, "ada"), ASK), 1)
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "requirement"}, actor="eve")
    tick(project_id=project.id)
    kinds = list(Entry.objects.order_by("sequence").values_list("kind", flat=True))
    assert kinds == ["import", "start", "judgment", "expert"]
    assert list(replay(project)) == []


def test_an_answer_to_a_question_that_an_expert_closed_is_plainly_refused() -> None:
    project, image = one_dog()
    assignment = lease(project, worker(project, "ada"), ASK)
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "drawing"}, actor="eve")
    receipt = submit(assignment, 1)
    assert (receipt.stored, receipt.too_late) == ((), tuple(assignment.questions))
    assert list(replay(project)) == []


# --- Voiding ---


def test_a_voided_vote_no_longer_counts_and_is_asked_again() -> None:
    project, image = one_dog()
    answer(project, worker(project, "ada"), ASK, 3)
    void_judgments(image_id=image, judgment_ids=[Judgment.objects.get().id], actor="rita", reason="no trust")
    entry = Entry.objects.get(kind="void")
    assert (entry.actor, entry.reason, entry.data) == ("rita", "no trust", {"entries": [2]})
    answer(project, worker(project, "bob"), ASK, 3)
    assert states(project) == ["open"], "one vote is void, so a second one is still needed"
    answer(project, worker(project, "cleo"), ASK, 3)
    assert states(project) == ["closed"]
    assert Judgment.objects.count() == 3
    assert list(replay(project)) == []


def test_the_voided_worker_is_not_asked_the_same_question_again() -> None:
    project = project_of(phrases("animals: a dog", "animals: a puppy", "animals: a pet"))
    image, ada = project.images.get().id, worker(project, "ada")
    answer(project, ada, Task.COREFERENCE_LINK, "same")
    void_judgments(image_id=image, judgment_ids=[Judgment.objects.get().id], reason="no trust")
    opened = project.questions.filter(state="open", task=Task.COREFERENCE_LINK.value)
    assert [q.subject for q in opened] == [[0, 1]]
    held = lease_assignment(project_id=project.id, worker_id=ada.id, task=Task.COREFERENCE_LINK)
    assert held is None, "nobody answers the same question twice"
    answer(project, worker(project, "bob"), Task.COREFERENCE_LINK, "same")
    assert list(replay(project)) == []


def test_a_voided_drawing_takes_its_box_away_and_another_one_is_drawn() -> None:
    project = project_of(phrases("people: a man"))
    image = project.images.get().id
    answer(project, worker(project, "ada"), DRAW, box(1, 1, 50, 50))
    void_judgments(image_id=image, judgment_ids=[Judgment.objects.get().id], reason="no trust")
    assert list(Box.objects.values_list("state", flat=True)) == ["discarded"]
    assert states(project, Task.BOX_QUALITY) == ["closed"] and states(project, DRAW) == ["closed", "open"]
    assert list(replay(project)) == []


def test_a_judgment_from_which_something_followed_stays_and_nothing_of_the_voiding_is_kept() -> None:
    project = project_of(phrases("people: a man"))
    image = project.images.get().id
    answer(project, worker(project, "ada"), DRAW, box(1, 1, 50, 50))
    answer(project, worker(project, "bob"), Task.BOX_QUALITY, "good")
    before = everything()
    with pytest.raises(CannotVoidError, match="something has followed"):
        void_judgments(image_id=image, judgment_ids=Judgment.objects.values_list("id", flat=True), reason="no trust")
    assert everything() == before


def test_voiding_a_judgment_of_another_image_or_none_is_refused() -> None:
    project = project_of(phrases("people: a man"), phrases("people: a man", name="2"))
    answer(project, worker(project, "ada"), DRAW, box(1, 1, 50, 50))
    other = project.images.get(name="2").id
    before = everything()
    for ids in ([Judgment.objects.get().id], [10**6]):
        with pytest.raises(CannotVoidError):
            void_judgments(image_id=other, judgment_ids=ids, reason="no trust")
    assert everything() == before


def test_a_report_brings_a_chain_that_was_settled_as_non_visual_to_review() -> None:
    project, image = one_dog()
    for name in ("ada", "bob"):
        answer(project, worker(project, name), ASK, 3)
    assert Chain.objects.get().non_visual == "no box"
    report_problem(image_id=image, what="mention", number=0, worker_id=None, expert=True)
    chain = Chain.objects.get()
    assert (chain.state, chain.non_visual, Image.objects.get().state) == ("review", "", "in review")
    assert list(replay(project)) == []
