import json
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from annotation.models import Project
from exchange.import_image import import_image
from exchange.jsonl.write import pseudonym, write_jsonl
from pipeline.models import Judgment, Question
from pipeline.project.settings_versions import change_settings
from pipeline.record.intervene import report_problem, void_judgments
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import answer, box, phrases, project_of, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db

LINK, VERIFY = Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION
NAMES = ("ada-lovelace", "bob-jones", "cleo-smith")


@pytest.fixture
def project() -> Project:
    """Two mentions of one man, doubted; one drawing discarded, one accepted; merged."""
    Worker.objects.bulk_create(Worker(name=f"nobody {n}") for n in range(880))  # so that ids are numbers to look for
    made = project_of(phrases("people: a man", "people: the man"))
    ada, bob, cleo = (worker(made, name) for name in NAMES)
    answer(made, ada, LINK, "same")
    answer(made, bob, VERIFY, "false")  # the same head noun: kept whole, doubted
    answer(made, ada, Task.BOX_DRAWING, box(90, 1, 95, 9))
    answer(made, bob, Task.BOX_QUALITY, "bad")
    answer(made, cleo, Task.BOX_DRAWING, box(1, 2, 50, 60))
    answer(made, ada, Task.BOX_QUALITY, "good")
    answer(made, ada, Task.BOX_COVERAGE, "all there")
    answer(made, bob, Task.BOX_COVERAGE, "all there")
    return made


def lines(project: Project, target: Path, **options: Any) -> list[dict[str, Any]]:
    write_jsonl(project, target, **options)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_the_first_line_is_the_project_with_every_version_of_its_settings(project: Project, tmp_path: Path) -> None:
    change_settings(project_id=project.id, settings=ProtocolSettings(no_box_votes=3), reason="stricter")
    first = lines(project, tmp_path / "out.jsonl")[0]
    assert (first["kind"], first["name"]) == ("project", "small")
    assert [(one["version"], one["values"]["no_box_votes"]) for one in first["settings"]] == [(1, 2), (2, 3)]


def test_a_chain_has_its_state_doubt_and_number_of_judgments_per_task(project: Project, tmp_path: Path) -> None:
    (chain,) = lines(project, tmp_path / "out.jsonl")[1]["chains"]
    assert (chain["name"], chain["mentions"], chain["state"]) == (0, [0, 1], "complete")
    assert "verification failed" in chain["doubted"]
    expected = {"chain_verification": 1, "box_drawing": 2, "box_quality": 2, "box_coverage": 2}
    assert chain["judgments"] == expected


def test_links_have_their_source_and_votes(project: Project, tmp_path: Path) -> None:
    image = lines(project, tmp_path / "out.jsonl")[1]
    assert image["links"] == [{"mentions": [0, 1], "source": "asked yes", "yes": 1, "no": 0}]


def test_boxes_say_who_drew_them_under_a_pseudonym(project: Project, tmp_path: Path) -> None:
    image = lines(project, tmp_path / "out.jsonl")[1]
    ids = {name: Worker.objects.get(name=name).id for name in NAMES}
    assert [(one["box"], one["state"], one["drawn_by"]) for one in image["boxes"]] == [
        ([90, 1, 95, 9], "discarded", pseudonym(project.id, ids[NAMES[0]])),
        ([1, 2, 50, 60], "accepted", pseudonym(project.id, ids[NAMES[2]])),
    ]
    assert image["merged_boxes"] == [{"number": 0, "box": [1, 2, 50, 60], "members": [1], "chains": [0]}]
    said = {judgment["worker"] for question in image["questions"] for judgment in question["judgments"]}
    assert said == {pseudonym(project.id, worker_id) for worker_id in ids.values()}


def test_no_name_or_id_of_a_worker_is_in_the_file(project: Project, tmp_path: Path) -> None:
    bob = Worker.objects.get(name=NAMES[1])
    report_problem(
        image_id=project.images.get().id, what="mention", number=0, worker_id=bob.id, actor=bob.name, reason="a boy"
    )
    again = project_of(phrases("animals: a dog", name="dog"), name="other")
    answer(again, worker(again, bob.name), Task.BOX_REQUIREMENT, 3)
    image = again.images.get().id
    void_judgments(image_id=image, judgment_ids=[Judgment.objects.latest("id").id], actor="eve", reason="no trust")
    text = ""
    for one in (project, again):
        write_jsonl(one, tmp_path / one.name, include_unmerged=True)
        text += (tmp_path / one.name).read_text()

    def numbers(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [found for inner in value.values() for found in numbers(inner)]
        if isinstance(value, list):
            return [found for inner in value for found in numbers(inner)]
        return [value]

    values = {found for line in text.splitlines() for found in numbers(json.loads(line))}
    for name in NAMES:
        assert name not in text
        assert Worker.objects.get(name=name).id not in values
    assert "no trust" in text and "a boy" in text


def test_a_pseudonym_is_stable_different_per_project_and_not_to_be_made_without_the_secret() -> None:
    assert pseudonym(1, 5) == pseudonym(1, 5)
    assert len({pseudonym(1, 5), pseudonym(2, 5), pseudonym(1, 6), pseudonym(15, 1), pseudonym(1, 51)}) == 5
    known = pseudonym(1, 5)
    with override_settings(SECRET_KEY="y" * 50):
        assert pseudonym(1, 5) != known


def test_the_record_is_there_in_order(project: Project, tmp_path: Path) -> None:
    record = lines(project, tmp_path / "out.jsonl")[1]["record"]
    assert [entry["sequence"] for entry in record] == list(range(11))
    assert [entry["kind"] for entry in record] == ["import", "start", *["judgment"] * 8, "merge"]
    assert [entry["data"]["question"] for entry in record if entry["kind"] == "judgment"] == [0, 1, 2, 3, 4, 5, 6, 6]


def test_every_question_has_its_judgments(project: Project, tmp_path: Path) -> None:
    questions = lines(project, tmp_path / "out.jsonl")[1]["questions"]
    assert len(questions) == Question.objects.count()
    assert sum(len(question["judgments"]) for question in questions) == Judgment.objects.count() == 8
    assert questions[0]["task"] == "coreference_link" and questions[0]["judgments"][0]["answer"] == "same"
    assert {question["state"] for question in questions} == {"closed"}


def test_unfinished_images_are_left_out_unless_asked_for(project: Project, tmp_path: Path) -> None:
    import_image(project, 7, phrases("people: a girl", name="new"), picture="", gold=False, settings_version=1)
    assert [line.get("name") for line in lines(project, tmp_path / "a")] == ["small", "1"]
    both = lines(project, tmp_path / "b", include_unmerged=True)
    assert [line.get("name") for line in both] == ["small", "1", "new"]
    assert (both[2]["chains"], both[2]["links"], both[2]["state"]) == ([], [], "linking")
    tick(project_id=project.id)
    assert lines(project, tmp_path / "c", include_unmerged=True)[2]["chains"][0]["state"] == "drawing"


def test_habits_of_workers_go_by_their_pseudonyms(project: Project, tmp_path: Path) -> None:
    ada = Worker.objects.get(name=NAMES[0]).pk
    habit = {"edges": [0.1, 0.0, 0.0, 0.0], "spread": 0.03}
    learned = ProtocolSettings(fuse_boxes=True, box_prior={"habits": {"0": habit, str(ada): habit}})
    change_settings(project_id=project.id, settings=learned, reason="learned")
    version = lines(project, tmp_path / "out.jsonl")[0]["settings"][-1]
    assert version["values"]["box_prior"]["habits"] == {"0": habit, pseudonym(project.id, ada): habit}
