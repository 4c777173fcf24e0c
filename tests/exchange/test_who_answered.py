"""Exports say of every link, box and chain which answers were people's and which were programs'."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from exchange.import_image import import_image
from pipeline.models import Judgment, Question
from pipeline.project.settings_versions import change_settings
from pipeline.record.intervene import propose_boxes, void_judgments
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import JUDGING, Task
from pipeline.tick import tick
from tests.support.projects import answer, box, lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db

LINK, VERIFY, ASK = Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION, Task.BOX_REQUIREMENT
DRAW, QUALITY, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
PERSON, PROGRAM = Worker.Kind.PERSON, Worker.Kind.PROGRAM
SETTINGS = ProtocolSettings(
    strategy=Strategy.ADAPTIVE, box_policy=BoxPolicy.BELIEF, proposals=True, verify_below=0.01, link_stop=0.02
)


@pytest.fixture
def judged() -> Project:
    """A player in two captions with the box of one program, about which another one and then people answered."""
    project = project_of(settings=SETTINGS)
    qwen = worker(project, "qwen", *JUDGING, kind=PROGRAM)
    boxer = worker(project, "boxer", kind=PROGRAM)
    version = change_settings(project_id=project.pk, settings=replace(SETTINGS, jurors=(qwen.pk,)))
    image = phrases("people: a man", "people: a player")
    image_id = import_image(project, 0, image, picture="1.jpg", gold=False, settings_version=version).pk
    tick(project_id=project.pk)
    propose_boxes(image_id=image_id, worker_id=boxer.pk, boxes=[[0, 1, 2, 50, 60]])
    for who, task, said in (
        (qwen, LINK, "same"),
        (worker(project, "ada"), LINK, "same"),
        (qwen, QUALITY, "bad"),
        (qwen, COVER, "all there"),
    ):
        answer(project, who, task, said)
    while (left := Question.objects.filter(project=project, state="open").first()) is not None:
        right: Any = {QUALITY: "good", COVER: "all there", DRAW: {"none_missing": True}}[Task(left.task)]
        answer(project, worker(project, f"worker {left.number} {len(left.barred)}"), Task(left.task), right)
    assert not project.images.exclude(state="merged").exists()
    return project


def exported(project: Project, target: Path, **options: Any) -> Any:
    """Return the first image's line in JSON Lines, or all of a COCO file."""
    coco = target.suffix == ".json"
    export_dataset(project=project, target=target, export_format="coco" if coco else "jsonl", **options)
    return json.loads(target.read_text().splitlines()[1]) if not coco else json.loads(target.read_text())


def answers(row: dict[str, Any]) -> tuple[Any, Any]:
    return row["people"], row["programs"]


def test_each_link_box_and_chain_has_its_answers_of_people_and_of_each_program(judged: Project, tmp_path: Path) -> None:
    image = exported(judged, tmp_path / "out.jsonl")
    (link,), (chain,), (drawn,) = image["links"], image["chains"], image["boxes"]
    assert (link["yes"], answers(link)) == (1, ({"yes": 1}, {"qwen": {"yes": 1}}))
    people = Judgment.objects.filter(question__chain=0, worker__kind=PERSON)
    by_task = {task: people.filter(question__task=task).count() for task in ("box_quality", "box_coverage")}
    assert answers(drawn) == ({"good": by_task["box_quality"]}, {"boxer": {"drawn": 1}, "qwen": {"bad": 1}})
    assert answers(chain) == (by_task, {"qwen": {"box_quality": 1, "box_coverage": 1}})


def test_programs_have_their_pseudonym_and_the_number_by_which_settings_name_them(
    judged: Project, tmp_path: Path
) -> None:
    image = exported(judged, tmp_path / "out.jsonl")
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    by_name = image["programs"]
    assert by_name.keys() == {"qwen", "boxer"}
    assert first["settings"][-1]["values"]["jurors"] == [by_name["qwen"]["number"]]
    assert image["boxes"][0]["drawn_by"] == by_name["boxer"]["worker"]
    assert image["questions"][0]["judgments"][0]["worker"] == by_name["qwen"]["worker"]


def test_an_answer_that_is_voided_or_of_a_program_set_aside_is_not_counted(tmp_path: Path) -> None:
    project = project_of(settings=SETTINGS)
    qwen = worker(project, "qwen", *JUDGING, kind=PROGRAM)
    version = change_settings(project_id=project.pk, settings=replace(SETTINGS, jurors=(qwen.pk,)))
    image = phrases("scene: a park")
    image_id = import_image(project, 0, image, picture="1.jpg", gold=False, settings_version=version).pk
    tick(project_id=project.pk)
    submit(lease(project, qwen, ASK), 1)
    change_settings(project_id=project.pk, settings=SETTINGS, reason="qwen is set aside")
    tick(project_id=project.pk)
    answer(project, worker(project, "ada"), ASK, 1)
    answer(project, worker(project, "bob"), DRAW, box(3, 4, 50, 60))
    (chain,) = exported(project, tmp_path / "a.jsonl", include_unmerged=True)["chains"]
    assert answers(chain) == ({"box_requirement": 1, "box_drawing": 1}, {})
    assert sum(chain["judgments"].values()) == 3
    void_judgments(image_id=image_id, judgment_ids=[Judgment.objects.latest("pk").pk], actor="eve", reason="no trust")
    line = exported(project, tmp_path / "b.jsonl", include_unmerged=True)
    assert answers(line["chains"][0]) == ({"box_requirement": 1}, {})
    assert line["programs"].keys() == {"qwen"}, "its answer is in the file all the same"
    (chain,) = exported(project, tmp_path / "b.json", include_unmerged=True)["chains"]
    assert answers(chain) == ({"box_requirement": 1}, {})


def test_coco_says_the_same_of_chains_with_their_links_and_of_merged_boxes(judged: Project, tmp_path: Path) -> None:
    image, coco = exported(judged, tmp_path / "out.jsonl"), exported(judged, tmp_path / "out.json")
    (drawn,), (chain,) = coco["annotations"], coco["chains"]
    assert answers(drawn) == answers(image["boxes"][0])
    people, programs = answers(image["chains"][0])
    links = {"coreference_link": 1}
    assert answers(chain) == (people | links, {"qwen": programs["qwen"] | links})


def test_a_file_with_these_fields_is_imported_and_exported_without_them(judged: Project, tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    first = exported(judged, tmp_path / "export" / "first.json")
    import_dataset(project_name="again", path=tmp_path / "export")
    second = exported(Project.objects.get(name="again"), tmp_path / "second.json")
    for row in (*first["chains"], *first["annotations"]):
        del row["people"], row["programs"]
    assert second == first


def test_the_paper_s_formats_do_not_tell_a_program_s_work_from_a_person_s(tmp_path: Path) -> None:
    found = []
    for kind in (PERSON, PROGRAM):
        project = project_of(phrases("people: a man"), name=kind.value)
        ada, bob, cleo = (worker(project, f"{name} {kind}", kind=kind) for name in ("ada", "bob", "cleo"))
        answer(project, ada, DRAW, box(1, 2, 50, 60))
        answer(project, bob, QUALITY, "good")
        for who in (bob, cleo):
            answer(project, who, COVER, "all there")
        target = tmp_path / kind.value
        export_dataset(project=project, target=target, export_format="flickr30k-entities", card=False)
        texts = {str(file.relative_to(target)): file.read_bytes() for file in target.rglob("*.*")}
        found.append((texts, exported(project, tmp_path / f"{kind}.json")))
    (by_people, coco), (by_programs, coco_of_programs) = found
    assert by_people == by_programs and len(by_people) == 2
    assert not {"people", "programs"} & {key for row in coco["annotations"] + coco["chains"] for key in row}
    (drawn,) = coco_of_programs["annotations"]
    assert answers(drawn) == ({}, {f"ada {PROGRAM}": {"drawn": 1}, f"bob {PROGRAM}": {"good": 1}})
