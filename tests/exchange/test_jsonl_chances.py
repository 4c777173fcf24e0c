"""Chances of chains, links and boxes: the same in the file, in the service and on the image's page."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from exchange.jsonl.write import write_jsonl
from gallery.image_page import ShownChain, image_page
from members.models import Role
from pipeline.models import Progress, Question
from pipeline.record.intervene import act_as_expert
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support import jsonl_reader
from tests.support.members import sign_in
from tests.support.projects import answer, box, phrases, project_of, worker

pytestmark = pytest.mark.django_db

LINK, DRAW = Task.COREFERENCE_LINK, Task.BOX_DRAWING
SURE = ProtocolSettings(strategy=Strategy.ADAPTIVE, box_policy=BoxPolicy.BELIEF, verify_below=0.01, link_stop=0.02)
SAID = {LINK: "same", DRAW: box(1, 2, 50, 60), Task.BOX_QUALITY: "good", Task.BOX_COVERAGE: "all there"}


def finished(settings: ProtocolSettings) -> Project:
    """One man in two captions, linked and drawn by workers who agree."""
    project = project_of(phrases("people: a man", "people: a player"), settings=settings)
    for number in range(30):
        still_open = Question.objects.filter(project=project, state="open").first()
        if still_open is None:
            return project
        task = Task(still_open.task)
        answer(project, worker(project, f"worker {number}"), task, SAID.get(task, "true"))
    raise AssertionError("questions are still open")


def line(project: Project, folder: Path) -> dict[str, Any]:
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    write_jsonl(project, file, include_unmerged=True)
    found: dict[str, Any] = json.loads(file.read_text().splitlines()[1])
    return found


def state(project: Project) -> ImageProgress:
    return from_json(Progress.objects.get(project=project).state)


def test_a_file_says_how_sure_each_chain_link_and_box_is(tmp_path: Path) -> None:
    project = finished(SURE)
    image, kept = line(project, tmp_path), state(project)
    (chain,), (link,), (drawn,) = image["chains"], image["links"], image["boxes"]
    assert (chain["confidence"], chain["box_confidence"]) == (kept.chains[0].confidence, kept.chains[0].box_confidence)
    assert 0.5 < chain["confidence"] < 1 and 0.5 < chain["box_confidence"] <= drawn["confidence"] < 1
    assert drawn["confidence"] == kept.boxes[0].confidence
    assert link["same"] == kept.together[0, 1] and 0.9 < link["same"] < 1


def test_nothing_is_said_of_it_where_the_paper_s_rules_decide(tmp_path: Path) -> None:
    project = finished(ProtocolSettings())
    image = line(project, tmp_path)
    assert [(one["confidence"], one["box_confidence"]) for one in image["chains"]] == [(None, None)]
    assert [one["confidence"] for one in image["boxes"]] == [None]
    assert "same" not in image["links"][0]
    (shown,) = image_page(project.images.get()).chains
    assert shown.sure == ""


def test_a_chain_that_an_expert_takes_up_is_no_longer_said_to_be_sure_of_its_boxes(tmp_path: Path) -> None:
    project = finished(SURE)
    act_as_expert(image_id=project.images.get().id, action={"action": "review", "chain": 0}, actor="eve")
    image = line(project, tmp_path)
    assert (image["chains"][0]["box_confidence"], image["boxes"][0]["confidence"]) == (None, None)
    act_as_expert(
        image_id=project.images.get().id, action={"action": "split", "chain": 0, "parts": [[0], [1]]}, actor=""
    )
    image = line(project, tmp_path)
    assert [one["confidence"] for one in image["chains"]] == [None, None]
    assert "same" not in image["links"][0], "the expert has decided"


def test_the_file_is_read_back_and_the_record_makes_the_same_chances_again(tmp_path: Path) -> None:
    project = finished(SURE)
    write_jsonl(project, tmp_path / "out.jsonl")
    assert jsonl_reader.read(tmp_path / "out.jsonl")["1"].chains == {0: [0, 1]}
    assert list(replay(project)) == []


def test_the_page_of_an_image_shows_what_the_file_says(client: Client, tmp_path: Path) -> None:
    project = finished(SURE)
    sign_in(client, project, Role.REQUESTER)
    (chain,) = line(project, tmp_path)["chains"]
    phrases_right, boxes_right = (f"{chain[name] * 100:.0f} %" for name in ("confidence", "box_confidence"))
    page = client.get(f"/projects/small/images/{project.images.get().id}/").text
    assert f"phrases {phrases_right} likely right, boxes {boxes_right} likely right" in page


def test_nothing_is_called_certain() -> None:
    chain = ShownChain(1, "c0", None, confidence=0.9996, box_confidence=1.0)
    assert chain.sure == "phrases over 99 % likely right, boxes over 99 % likely right"
