"""Parts in exports: counted in JSON Lines, noted in MDETR's rows, and passed over by every import."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from campaign.schemas.validate_file import validate_file
from evaluation.coreference.read_chains import read_chains
from evaluation.work import Work
from exchange.export_dataset import export_dataset
from exchange.grounding.read_mdetr import read_mdetr
from exchange.jsonl.write import pseudonym
from pipeline.models import Question
from pipeline.project.settings_versions import change_settings
from pipeline.record.intervene import act_as_expert
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support import jsonl_reader
from tests.support.data_cards import card_text
from tests.support.grounding_readers import read_mdetr as read_as_trainer
from tests.support.projects import answer, box, phrases, project_of, worker

pytestmark = pytest.mark.django_db

SAID = {Task.BOX_QUALITY: "good", Task.BOX_COVERAGE: "all there", Task.BOX_REQUIREMENT: 1}


def three_men(vote: str, name: str = "small") -> Project:
    """A finished project whose only link has this vote."""
    settings = ProtocolSettings(part_answers=True)
    project = project_of(phrases("people: three men", "people: one of them"), name=name, settings=settings)
    answer(project, worker(project, "linker 0"), Task.COREFERENCE_LINK, vote)
    for number in range(30):
        still_open = Question.objects.filter(project=project, state="open").first()
        if still_open is None:
            return project
        task, (chain, *_) = Task(still_open.task), still_open.subject
        drawn = box(10 + 60 * chain, 10, 50 + 60 * chain, 50)
        answer(project, worker(project, f"worker {number}"), task, SAID.get(task, drawn))
    raise AssertionError("questions are still open")


def written(project: Project, folder: Path, export_format: str) -> Path:
    target = folder / ("out.jsonl" if export_format == "jsonl" else "out.json")
    export_dataset(project=project, target=target, export_format=export_format)
    checked = validate_file(target, most=5)
    assert (checked.kind.name, checked.faults) == (export_format, [])
    return target


def test_json_lines_count_the_votes_on_a_part_among_those_against_a_link(tmp_path: Path) -> None:
    project = three_men("b is part of a")
    file = written(project, tmp_path, "jsonl")
    image = json.loads(file.read_text().splitlines()[1])
    (link,), (question, *_) = image["links"], image["questions"]
    assert link == {"mentions": [0, 1], "source": "asked no", "yes": 0, "no": 1, "b_is_part_of_a": 1}
    assert (question["outcome"], question["judgments"][0]["answer"]) == ("b is part of a", "b is part of a")
    assert jsonl_reader.read(file)["1"].chains == {0: [0], 1: [1]}
    linker = pseudonym(project.pk, worker(project, "linker 0").pk)
    (marked,) = read_chains(Work(None, {}), file, linker).values()
    assert len(set(marked.chain_of.values())) == 2, "who calls a part does not link"


def test_json_lines_of_a_link_of_which_nobody_calls_a_part_are_as_before(tmp_path: Path) -> None:
    image = json.loads(written(three_men("different"), tmp_path, "jsonl").read_text().splitlines()[1])
    assert image["links"] == [{"mentions": [0, 1], "source": "asked no", "yes": 0, "no": 1}]


def test_the_row_of_the_part_s_caption_notes_what_it_is_part_of(tmp_path: Path) -> None:
    rows = json.loads(written(three_men("b is part of a"), tmp_path, "mdetr").read_text())["images"]
    note: dict[str, Any] = {"part": [0, 11], "whole": [0, 9], "whole_id": 1, "votes": 1, "answers": 1}
    assert [row.get("part_of") for row in rows] == [None, [note]]


def test_readers_of_mdetr_s_rows_pass_the_note_over(tmp_path: Path) -> None:
    noted, plain = (tmp_path / name for name in ("noted", "plain"))
    for folder, vote in ((noted, "b is part of a"), (plain, "different")):
        folder.mkdir()
        written(three_men(vote, folder.name), folder, "mdetr")
    assert "part_of" in (noted / "out.json").read_text()
    assert read_as_trainer(noted / "out.json") == read_as_trainer(plain / "out.json")
    assert list(read_mdetr(noted)) == list(read_mdetr(plain))


def test_a_part_whose_phrases_an_expert_joined_to_one_chain_is_noted_no_more(tmp_path: Path) -> None:
    project = three_men("b is part of a")
    act_as_expert(image_id=project.images.get().pk, action={"action": "join", "chains": [0, 1]}, actor="eve")
    target = tmp_path / "out.json"
    export_dataset(project=project, target=target, export_format="mdetr", include_unmerged=True)
    assert "part_of" not in target.read_text()


def test_the_data_card_says_that_parts_were_asked_for(tmp_path: Path) -> None:
    for vote, told in (("b is part of a", True), ("different", False)):
        project = three_men(vote, f"asked {told}".replace(" ", "-"))
        if not told:
            change_settings(project_id=project.pk, settings=ProtocolSettings())
        export_dataset(project=project, target=tmp_path / f"{told}.jsonl", export_format="jsonl")
        assert ("one phrase is part of the other" in card_text(tmp_path / f"{told}.jsonl")) is told
