"""Exports of projects in which everything happened fit their schemas to the last field."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from annotation.rules.box import Box
from campaign.schemas.fault_words import FaultWords
from campaign.schemas.kinds import KINDS
from campaign.schemas.make_schema import schema_of
from campaign.schemas.validate_file import validate_file
from exchange.dataset import DatasetBox
from exchange.export_dataset import FORMATS, export_dataset
from exchange.import_image import import_image
from pipeline.models import Entry, Judgment
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.intervene import act_as_expert, propose_boxes, report_problem, undo_entry, void_judgments
from pipeline.record.starve_questions import starve_questions
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import JUDGING, Task
from pipeline.tick import tick
from tests.campaign.schemas.examples import read
from tests.support.broken_fields import broken
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.schema_fields import check_ours, declared, fields_met
from tests.support.surveys import CHECK, export, foil, survey
from upkeep import clock
from workers.models import SkillEstimate, Worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
ADAPTIVE = ProtocolSettings(strategy=Strategy.ADAPTIVE, box_policy=BoxPolicy.BELIEF, proposals=True, link_stop=0.02)
Line = dict[str, Any]


def lines(project: Project, folder: Path) -> list[Line]:
    target = folder / f"{project.name}.jsonl"
    export_dataset(project=project, target=target, export_format="jsonl", include_unmerged=True)
    checked = validate_file(target, most=5)
    assert (checked.kind.name, checked.faults) == ("jsonl", [])
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def judged() -> Project:
    """Links and boxes of programs that propose and judge, one of them asleep, and of people."""
    project = project_of(settings=ADAPTIVE, name="judged")
    qwen, llava = (worker(project, name, *JUDGING, kind=Worker.Kind.PROGRAM) for name in ("qwen", "llava"))
    jurors = replace(ADAPTIVE, jurors=(qwen.pk, llava.pk), juror_lot=0.2)
    version = change_settings(project_id=project.pk, settings=jurors)
    image = phrases("people: a man", "people: a player")
    row = import_image(project, 0, image, picture="1.jpg", gold=False, settings_version=version)
    tick(project_id=project.pk)
    propose_boxes(image_id=row.pk, worker_id=qwen.pk, boxes=[[0, 1, 2, 50, 60]], chains=[[0, 1]], flags={"0": "scene"})
    people = [worker(project, f"person {number}") for number in range(9)]
    skill = {"accuracy": 0.8, "low": 0.0, "high": 1.0, "answers": 60, "known_answers": 60, "computed_at": clock.now()}
    for who in people:
        SkillEstimate.objects.create(worker=who, project=project, task=LINK.value, **skill)
    for who in (qwen, *people):
        for task, said in ((LINK, "same"), (Task.BOX_QUALITY, "good"), (Task.BOX_COVERAGE, "all there")):
            if project.questions.filter(task=task, state="open").exists():
                answer(project, who, task, said)
    assert project.images.get().state == "merged"
    return project


def acts(project: Project, *actions: Line) -> None:
    for action in actions:
        act_as_expert(image_id=project.images.get().pk, actor="eve", action=action, reason="looked at")
    tick(project_id=project.pk)


def linked() -> Project:
    """New rules of links while one is on loan, a link that an expert sets, an undo, and a report."""
    project = project_of(phrases("people: a man", "people: the man", "people: a guest"), name="linked")
    number = project.images.get().pk
    on_loan = lease(project, worker(project, "ada"), LINK, size=1)
    settings = replace(current_settings(project.pk)[1], strategy=Strategy.GREEDY)
    change_settings(project_id=project.pk, settings=settings, reason="cheaper")
    tick(project_id=project.pk)
    submit(on_loan, "same")
    acts(project, {"action": "link", "first": 0, "second": 2, "same": False})
    undo_entry(image_id=number, entry=Entry.objects.filter(image=number).latest("sequence").sequence, actor="eve")
    report_problem(image_id=number, what="mention", number=0, worker_id=worker(project, "bob").pk, reason="two men")
    return project


def annotated() -> Project:
    """An annotated import, with a box that has only a category, to which an expert does all that can be done."""
    drawn = (DatasetBox(Box(0, 0, 10, 20), ("1",)), DatasetBox(Box(50, 0, 60, 20), category="kite"))
    image = phrases("people: a man", "people: the man", "scene: a park", chains=("1", "1", "2"), boxes=drawn)
    project = project_of(image, name="annotated")
    acts(
        project,
        {"action": "draw", "chain": 0, "box": [5, 6, 30, 40]},
        {"action": "move box", "box": 1, "to": [5, 6, 31, 41]},
        {"action": "delete box", "box": 2},
        {"action": "accept box", "box": 2},
        {"action": "ask others", "chain": 2, "to": "requirement"},
        {"action": "review", "chain": 2},
        {"action": "send", "chain": 2, "to": "non-visual", "kind": "scene"},
        {"action": "split", "chain": 0, "parts": [[0], [1]]},
        {"action": "join", "chains": [0, 1]},
        {"action": "retype", "mention": 0, "types": ["people", "other"]},
        {"action": "confirm", "labels": [[[2], [], "scene"]]},
        {"action": "take back", "labels": [[[2], [], "no box"]], "was": [[[2], [], "scene"]]},
        {"action": "rechunk", "remove": [1], "add": [[3, 1, 0, 1, ["people"], "the"]]},
    )
    return project


def given_up() -> Project:
    """A voided vote, and a question that nobody may answer."""
    project = project_of(phrases("animals: a dog"), name="given_up")
    answer(project, worker(project, "cyd"), Task.BOX_REQUIREMENT, 3)
    newest = Judgment.objects.filter(question__project=project).latest("pk").pk
    void_judgments(image_id=project.images.get().pk, judgment_ids=[newest], actor="eve", reason="no trust")
    starve_questions(project_id=project.pk, now=clock.now() + timedelta(days=99))
    return project


def without_phrases() -> Project:
    """An image that waits for its phrases, and gets them from an expert."""
    image = phrases("people: a man")
    bare = replace(image, captions=tuple(replace(one, chunked=False) for one in image.captions), mentions=())
    project = project_of(bare, name="without_phrases")
    acts(project, {"action": "chunk", "add": [[0, 0, 0, 2, ["people"], "a man"]]})
    return project


def parted() -> Project:
    """Links of two images whose workers call one phrase part of the other, in either direction."""
    images = [phrases("people: three men", "people: one of them", name=name) for name in "12"]
    project = project_of(*images, name="parted", settings=ProtocolSettings(part_answers=True))
    answer(project, worker(project, "dan"), LINK, "a is part of b", "b is part of a")
    return project


MADE = (judged, linked, annotated, given_up, without_phrases, parted)


@pytest.mark.slow
def test_the_record_of_every_project_fits_its_schema_which_declares_nothing_else(tmp_path: Path) -> None:
    schema = schema_of(KINDS["jsonl"])
    items = [foil(0), foil(1)]
    found = [lines(made(), tmp_path) for made in MADE] + [lines(survey(tmp_path, items), tmp_path)]
    met: set[str] = set()
    for one in found:
        check_ours("jsonl", one)
        met.update(field for line in one for field in fields_met(line, schema))
    of_any_entry = {field for field in declared(schema) if field.endswith((".asleep", ".out"))}
    assert declared(schema) - met - of_any_entry == set()
    assert {field.partition(".")[2] for field in met & of_any_entry} == {"asleep", "out"}


def kinds_on_the_way(value: Any, at: Iterable[str | int]) -> list[Any]:
    """Return the names that lead to a place, and the kinds of the objects there."""
    found = []
    for part in at:
        value = value[part]
        found.append(part if isinstance(part, str) else None)
        found.append(value.get("kind") if isinstance(value, dict) else None)
    return found


@pytest.mark.slow
def test_a_record_with_one_broken_field_is_refused_with_its_place(tmp_path: Path) -> None:
    schema = schema_of(KINDS["jsonl"])
    words = FaultWords(schema, "the line")
    tried: set[Any] = set()
    for made in (judged, annotated):
        for number, line in enumerate(lines(made(), tmp_path)):
            for one in broken(line, schema):
                # Of several objects of one kind at one place, as two entries of a list are, the first is enough.
                fault = (number > 0, *kinds_on_the_way(line, one.at), one.field, one.is_missing)
                if fault not in tried:
                    tried.add(fault)
                    assert any(one.field in said for said in words.of(one.value)), (one.at, one.field)
    assert len(tried) > 200


@pytest.mark.parametrize(
    "export_format", [name for name in FORMATS if name not in ("flickr30k-entities", "hub", "parquet")]
)
def test_a_finished_project_is_valid_in_every_format(export_format: str, tmp_path: Path) -> None:
    project, target = judged(), tmp_path / ("out.json" if export_format == "coco" else "out")
    export_dataset(project=project, target=target, export_format=export_format)
    files = sorted(target.rglob("*.json*")) if target.is_dir() else [target]
    assert files
    for file in files:
        checked = validate_file(file, most=5)
        assert (checked.kind.name, checked.faults, checked.count) == (export_format, [], 0)
        check_ours(checked.kind.name, read(file, checked.kind.name) if checked.kind.is_lines else [read(file, "coco")])


def test_votes_fit_their_schema(tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    said: Iterable[Any] = ({"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"})
    for name, one in zip(("ada", "bob"), said, strict=True):
        answer(project, worker(project, name, CHECK), CHECK, one)
    check_ours("votes", votes := export(project, tmp_path))
    assert len(votes) == 2 and not validate_file(tmp_path / "votes.jsonl", most=5).faults
