"""A program sends what a model predicts, and reads how good it is."""

from typing import Any

import pytest

from annotation.models import Box, Project
from clients.chainbox_client import Chainbox, Refused
from pipeline.models import Entry, Question
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from projects.models import ModelPrediction
from tests.support.projects import phrases, project_of
from tests.support.table import row
from workers.models import Worker


@pytest.fixture
def project(transactional_db: None, at_once: None) -> Project:
    images = [phrases("people: a man", name=str(number)) for number in range(3)]
    return project_of(*images, settings=Settings(pre_annotations=True))


def box_row(image: str, **more: Any) -> dict[str, Any]:
    return {"image": image, "caption": 0, "phrase": "a man", "boxes": [[1, 2, 30, 40.5]], **more}


def test_predictions_are_sent_in_parts_and_judged_instead_of_drawn(
    service: Chainbox, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clients.chainbox_client.ROWS", 2)
    small = service.project("small")
    kept = small.send_predictions("detector", [box_row("0"), box_row("1"), box_row("2"), box_row("9")])
    counts = {"images": 3, "boxes": 3, "chains": 0, "unchanged": 0, "unknown": 1, "cut": 0, "left_out": 0}
    assert kept == counts | {"unused": 0, "boxes_left_out": 0, "cut_off": 0}
    assert Question.objects.filter(task=Task.BOX_QUALITY, state="open").count() == 3
    (program,) = small.programs()
    assert (program["program"], program["images"], program["due"], program["pre_annotated"]) == ("detector", 3, 0, 3)
    boxes, links = program["scores"]
    assert {boxes["status"], links["status"]} == {"too few known answers"}
    assert (boxes["task"], boxes["total"], boxes["low"], boxes["high"], boxes["of"]) == ("box_drawing", 0, 0, 1, "")
    image = Box.objects.filter(pre_annotated=True).values("image")[:1]
    Box.objects.filter(image__in=image).update(state="accepted")
    boxes, _ = small.programs()[0]["scores"]
    assert (boxes["right"], boxes["total"], boxes["of"]) == (1, 1, "boxes that were tried")
    assert boxes["low"] == pytest.approx(0.27, abs=0.01)
    Box.objects.filter(image__in=image).update(state="pending")
    assert list(replay(project)) == []


def test_chains_that_are_sent_are_counted_and_enter_the_record(service: Chainbox, project: Project) -> None:
    kept = service.project("small").send_predictions("model", [{**box_row("0"), "chain": "A"}, box_row("1", chain="7")])
    assert (kept["images"], kept["boxes"], kept["chains"]) == (2, 2, 2)
    assert [one.data["chains"] for one in Entry.objects.filter(kind="propose").order_by("image")] == [[[0]], [[0]]]
    twice = [box_row("2", chain="A"), box_row("2", chain="B")]
    with pytest.raises(Refused, match=r"predictions\[1\]: field 'chain' is 'B', but an earlier row has this phrase"):
        service.project("small").send_predictions("model", twice)
    assert ModelPrediction.objects.count() == 2 and list(replay(project)) == []


@row({"boxes": [["left", 2, 3, 4]]}, r"predictions\[1\].boxes\[0\]\[0\]: 'left' should be a number")
@row({"caption": -1}, "predictions.1.*caption")
@row({"chain": ["A"]}, "predictions.1.*chain")
@row({"chains": [[0]]}, r"predictions\[1\].chains: This is unknown")
def test_a_wrong_row_is_named_with_its_field_and_nothing_is_kept(wrong: dict[str, Any], words: str, service: Chainbox):
    with pytest.raises(Refused, match=words):
        service.project("small").send_predictions("detector", [box_row("0"), box_row("1", **wrong)])
    assert not ModelPrediction.objects.exists()


@row({"phrase": "a horse"}, {"images": 1, "cut": 0, "left_out": 1})
@row({"boxes": [[1, 2, 3]]}, {"images": 1, "cut": 0, "left_out": 1})
@row({"boxes": [[-5, 2, 30, 40]]}, {"images": 2, "cut": 1, "left_out": 0})
def test_a_box_or_phrase_that_cannot_be_used_is_cut_or_left_out(
    wrong: dict[str, Any], counts: dict[str, int], service: Chainbox
) -> None:
    kept = service.project("small").send_predictions("detector", [box_row("0"), box_row("1", **wrong)])
    assert {name: kept[name] for name in counts} == counts


def test_shares_are_taken_in_the_form_that_is_told(service: Chainbox) -> None:
    small, shares = service.project("small"), [box_row("0", boxes=[[0.1, 0.2, 0.5, 0.6]])]
    with pytest.raises(Refused, match="boxes whose numbers are at most 1"):
        small.send_predictions("detector", shares)
    assert small.send_predictions("detector", shares, boxes="xyxy-normalised")["boxes"] == 1
    assert [one for one, *_ in ModelPrediction.objects.get().boxes] == [0]


def test_a_name_that_is_no_programs_is_refused(service: Chainbox, project: Project) -> None:
    Worker.objects.create(name="ada")
    with pytest.raises(Refused, match="'ada' is the name of a worker who is not a program"):
        service.project("small").send_predictions("ada", [box_row("0")])
