import pytest

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from pipeline.record.intervene import act_as_expert
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from simulation.score import Score, match_boxes, score, sources_of_links
from simulation.simulate import load_gold
from tests.support.projects import answer, phrases, project_of, worker

A, B = Box(0, 0, 100, 50), Box(100, 50, 200, 100)


def test_equal_boxes_match_to_the_pixel() -> None:
    assert match_boxes([A, B], [B, A]) == (2, 2)


def test_a_box_matches_at_half_the_overlap_and_not_below() -> None:
    assert match_boxes([Box(0, 0, 50, 50)], [A]) == (1, 0)
    assert match_boxes([Box(0, 0, 49, 50)], [A]) == (0, 0)


def test_boxes_match_one_to_one_best_first() -> None:
    near = Box(0, 0, 90, 50)
    assert match_boxes([near, A], [A]) == (1, 1)
    assert match_boxes([A], [near, A]) == (1, 1)
    assert match_boxes([near, A], [A, near]) == (2, 2)


@pytest.mark.parametrize(("found", "gold"), [([], [A]), ([A], []), ([], [])])
def test_nothing_matches_nothing(found: list[Box], gold: list[Box]) -> None:
    assert match_boxes(found, gold) == (0, 0)


# --- A whole project ---


def scored(project: Project) -> Score:
    tick(project_id=project.id)
    return score(project, load_gold(project))


def draw(project: Project, chain: int, *boxes: Box) -> None:
    """An expert draws the chain's boxes and settles it."""
    image = project.images.get().id
    for box in boxes:
        act_as_expert(image_id=image, action={"action": "draw", "chain": chain, "box": list(box)}, actor="eve")
    to = {"to": "complete"} if boxes else {"to": "non-visual", "kind": "scene"}
    act_as_expert(image_id=image, action={"action": "send", "chain": chain, **to}, actor="eve")


def linked(*answers: str) -> Project:
    """Three mentions of people in three captions: the first two are one gold chain with box A, the third has B."""
    gold = [DatasetBox(A, ("x",)), DatasetBox(B, ("y",))]
    texts = ("people: a man", "people: the man", "people: a boy")
    project = project_of(phrases(*texts, chains=["x", "x", "y"], boxes=gold), gold=True)
    ada, bob = worker(project, "ada"), worker(project, "bob")
    for said in answers:
        answer(project, ada, Task.COREFERENCE_LINK, said)
    if project.questions.filter(state="open", task="chain_verification").exists():
        answer(project, bob, Task.CHAIN_VERIFICATION, "true")
    return project


@pytest.mark.django_db
def test_right_answers_match_everything() -> None:
    project = linked("same", "different")
    draw(project, 0, A)
    draw(project, 2, B)
    found = scored(project)
    assert (found.chains.gold, found.chains.found, found.chains.matched) == (2, 2, 2)
    assert (found.boxes.gold, found.boxes.found, found.boxes.matched, found.boxes.exact) == (2, 2, 2, 2)
    assert (found.merged_chains.matched, found.merged_boxes.exact, found.drawn, found.left) == (2, 2, 2, 2)
    assert (found.unmatched, found.merges) == ([], [])
    expected = {"matched_links": 100.0, "false_positive_rate": 0.0, "false_negative_rate": 0.0}
    assert found.links.percentages() | expected == found.links.percentages()
    assert found.links.percentages()["cost"] == pytest.approx(200 / 3, abs=0.01), (
        "two judgments, three admissible pairs"
    )


@pytest.mark.django_db
def test_wrong_links_are_counted_and_the_chains_they_spoil_are_listed() -> None:
    project = linked("same", "same")
    found = score(project, load_gold(project))
    assert (found.chains.gold, found.chains.found, found.chains.matched) == (2, 1, 0)
    assert [(row["chain"], row["reason"]) for row in found.unmatched] == [("x", "answers"), ("y", "answers")]
    rates = found.links.percentages()
    assert (rates["false_positive_rate"], rates["false_negative_rate"], rates["matched_links"]) == (100.0, 0.0, 50.0)


@pytest.mark.django_db
def test_a_missed_link_is_a_false_negative() -> None:
    project = linked("different")
    rates = score(project, load_gold(project)).links.percentages()
    assert (rates["false_negative_rate"], rates["matched_links"]) == (100.0, 0.0)


@pytest.mark.django_db
def test_merges_are_listed_with_their_overlap_and_types() -> None:
    project = linked("same", "different")
    draw(project, 0, A)
    draw(project, 2, Box(0, 0, 90, 50))
    found = scored(project)
    people = ["people"]
    assert found.merges == [{"image": "1", "boxes": [[0], [1]], "iou": 0.9, "types": [people, people]}]
    assert (found.drawn, found.left) == (2, 1)
    assert (found.merged_chains.found, found.merged_chains.matched) == (1, 0)


@pytest.mark.django_db
def test_chains_in_review_are_counted_by_reason() -> None:
    project = linked("same", "different")
    image = project.images.get().id
    act_as_expert(image_id=image, action={"action": "draw", "chain": 0, "box": list(A)}, actor="eve")
    assert score(project, load_gold(project)).review == {"changed by an expert": 1}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (("people: a man", "animals: a dog"), "mentions without a type in common"),
        (("people: a man", "people: a boy"), "answers"),
    ],
)
def test_the_reason_why_a_gold_chain_is_not_found_is_named(texts: tuple[str, ...], reason: str) -> None:
    project = project_of(phrases(*texts, chains=["x"] * len(texts)), gold=True)
    found = score(project, load_gold(project))
    assert [row["reason"] for row in found.unmatched] == [reason]


@pytest.mark.django_db
def test_sources_are_those_of_links_that_are_settled_whatever_is_open_elsewhere() -> None:
    project = project_of(
        phrases("animals: a dog", "animals: a cat", name="1"), phrases("animals: a cow", "animals: a hen", name="2")
    )
    assert sources_of_links(project) == {}
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "different")
    assert sources_of_links(project) == {"asked no": 1}, "the second image still asks its link"
