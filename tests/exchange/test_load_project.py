from dataclasses import replace

import pytest

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage
from exchange.load_project import stream_images
from pipeline.record.intervene import act_as_expert
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import answer, box, phrases, project_of, worker

pytestmark = pytest.mark.django_db


def finish(project: Project, image: str, drawn: dict[int, list[list[int]]]) -> None:
    """An expert draws the boxes of each chain; those without any are no-box chains."""
    number = project.images.get(name=image).id
    for chain, boxes in drawn.items():
        for one in boxes:
            act_as_expert(image_id=number, action={"action": "draw", "chain": chain, "box": one}, actor="eve")
        to = {"to": "complete"} if boxes else {"to": "non-visual", "kind": "no box"}
        act_as_expert(image_id=number, action={"action": "send", "chain": chain, **to}, actor="eve")


def test_an_annotated_image_comes_out_as_it_went_in() -> None:
    boxes = [DatasetBox(Box(1, 2, 30, 40), ("1", "2")), DatasetBox(Box(5, 5, 9, 9), ("1",))]
    image = phrases("people: a man", "clothing: a hat", "people: he", chains=["1", "2", "1"], boxes=boxes)
    made = project_of(image, pictures=False)
    (loaded,) = stream_images(made)
    assert replace(loaded, source=image.source, coco_id=None) == image


def test_chains_are_numbered_over_the_whole_stream_by_image_then_name() -> None:
    first = phrases("people: a man", "clothing: a hat", name="b", chains=["70", "9"])
    second = phrases("animals: a dog", "animals: a cat", name="a", chains=["3", "2"])
    loaded = list(stream_images(project_of(first, second)))
    assert [image.name for image in loaded] == ["b", "a"], "in import order"
    assert [[chain.name for chain in image.chains] for image in loaded] == [["1", "2"], ["3", "4"]]
    assert [[mention.chain for mention in image.mentions] for image in loaded] == [["1", "2"], ["3", "4"]]


def test_merged_boxes_and_chains_come_out_merged() -> None:
    project = project_of(phrases("animals: a dog", "other: a pet", "vehicles: a bike"))
    for name in ("ada", "bob", "cleo"):
        held = project.questions.filter(state="open", task="coreference_link").exists()
        if held:
            answer(project, worker(project, name), Task.COREFERENCE_LINK, "different")
    finish(project, "1", {0: [[10, 10, 50, 50]], 1: [[10, 10, 50, 51]], 2: []})
    tick(project_id=project.id)
    (loaded,) = stream_images(project)
    assert [mention.chain for mention in loaded.mentions] == ["1", "1", "2"]
    assert loaded.chains == (DatasetChain("1"), DatasetChain("2", no_box=True))
    assert loaded.boxes == (DatasetBox(Box(10, 10, 50, 51), ("1",)),)


def test_images_that_are_not_merged_are_left_out_unless_asked_for() -> None:
    project = project_of(phrases("people: a man"), phrases("people: a boy", name="2"))
    finish(project, "2", {0: [[1, 1, 5, 5]]})
    tick(project_id=project.id)
    assert [image.name for image in stream_images(project)] == ["2"]
    both = list(stream_images(project, include_unmerged=True))
    assert [image.name for image in both] == ["1", "2"]
    assert both[0].chains == (DatasetChain("1"),) and both[1].chains == (DatasetChain("2"),)


def test_an_unmerged_image_has_its_accepted_boxes_and_no_others() -> None:
    project = project_of(phrases("people: a man"))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, Task.BOX_DRAWING, box(1, 1, 50, 50))
    answer(project, bob, Task.BOX_QUALITY, "bad")
    answer(project, ada, Task.BOX_DRAWING, box(2, 2, 60, 60))
    answer(project, bob, Task.BOX_QUALITY, "good")
    (loaded,) = stream_images(project, include_unmerged=True)
    assert loaded.boxes == (DatasetBox(Box(2, 2, 60, 60), ("1",)),)


def test_an_image_whose_links_were_not_started_has_each_mention_on_its_own() -> None:
    image = phrases("people: a man", "people: a boy", chains=["1", "1"])
    project = project_of(image, gold=True)
    (loaded,) = stream_images(project, include_unmerged=True)
    assert [mention.chain for mention in loaded.mentions] == ["1", "2"]
    assert loaded.picture == "1.jpg"


def test_several_hundred_images_come_in_import_order() -> None:
    images = [phrases("animals: a dog", name=str(number), chains=["1"]) for number in range(205)]
    names = [image.name for image in stream_images(project_of(*images))]
    assert names == [str(number) for number in range(205)]


def test_an_empty_project_has_no_images() -> None:
    images: list[DatasetImage] = list(stream_images(project_of()))
    assert images == []
