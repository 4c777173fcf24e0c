"""Parts in exports: counted in JSON Lines, noted in MDETR's rows, and passed over by every import."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from evaluation.coreference import read_chains
from evaluation.work import StepWork
from exchange.atomic import TargetExists
from exchange.export_dataset import export_dataset
from exchange.formats.mdetr import read_mdetr
from exchange.import_dataset import import_dataset
from exchange.jsonl.write import pseudonym
from exchange.registry import FORMATS, export_formats
from pipeline.project.settings_versions import change_settings
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import act_as_expert
from pipeline.settings.settings import Settings
from projects.schemas import validate_file
from simulation.scenes.scene import write_source
from tests.support import flickr30k_reader, jsonl_reader
from tests.support.data_cards import card_text
from tests.support.grounding_readers import read_mdetr as read_as_trainer
from tests.support.projects import answer, answer_all, box, phrases, project_of, worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Four finished scenes and one image that is not finished."""
    write_source(tmp_path / "source", 5, 4, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "source")
    write_source(tmp_path / "more", 6, 1, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "more", gold=True)
    return Project.objects.get()


def test_the_flickr30k_files_say_what_went_in(project: Project, tmp_path: Path) -> None:
    export_dataset(project=project, target=tmp_path / "out", export_format="flickr30k-entities")
    source, out = flickr30k_reader.read(tmp_path / "source"), flickr30k_reader.read(tmp_path / "out")
    assert out.keys() == source.keys()
    numbers = []
    for name, image in out.items():
        assert (image.sentences, image.size) == (source[name].sentences, source[name].size)
        assert [row[:2] + row[3:] for row in image.phrases] == [row[:2] + row[3:] for row in source[name].phrases]
        numbers += list(dict.fromkeys(row[2] for row in image.phrases if row[2] != "0"))
    assert sorted(map(int, numbers)) == list(range(1, len(numbers) + 1))


def test_a_target_that_is_there_is_not_written_over(project: Project, tmp_path: Path) -> None:
    for export_format in export_formats():
        target = tmp_path / export_format
        target.mkdir()
        (target / "mine").write_text("keep")
        with pytest.raises(TargetExists):
            export_dataset(project=project, target=target, export_format=export_format)
        assert (target / "mine").read_text() == "keep"


@pytest.mark.parametrize("export_format", export_formats())
def test_an_export_that_stops_leaves_nothing_under_the_name(project: Project, tmp_path: Path, export_format: str):
    def stop() -> None:
        raise KeyboardInterrupt

    (tmp_path / "exports").mkdir()
    target = tmp_path / "exports" / "out"
    with pytest.raises(KeyboardInterrupt):
        export_dataset(project=project, target=target, export_format=export_format, step=stop)
    assert list((tmp_path / "exports").iterdir()) == []


def test_an_unknown_format_is_refused(project: Project, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="flickr30k-entities, coco, mdetr"):
        export_dataset(project=project, target=tmp_path / "out", export_format="csv")


def test_each_image_is_counted_as_it_is_written(project: Project, tmp_path: Path) -> None:
    for export_format in export_formats():
        seen: list[int] = []
        count = partial(seen.append, 1)
        report = export_dataset(
            project=project, target=tmp_path / export_format, export_format=export_format, step=count
        )
        assert len(seen) == 4
        assert report.images == (0 if FORMATS[export_format].with_pictures else 4)


@pytest.mark.both_engines
def test_the_command_says_what_was_left_out(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    call_command("export_dataset", "parks", str(tmp_path / "out"), "--format", "coco")
    said = capsys.readouterr().out
    assert "parks: 4 images written" in said and "Images left out that are not merged yet: 1 " in said
    with pytest.raises(CommandError, match="out"):
        call_command("export_dataset", "parks", str(tmp_path / "out"), "--format", "coco")
    call_command("export_dataset", "parks", str(tmp_path / "all"), "--format", "coco", "--include-unmerged")
    assert "5 images written" in capsys.readouterr().out


def test_a_chain_whose_drawer_judged_its_coverage_is_marked_in_every_export_that_can_hold_it(tmp_path: Path) -> None:
    images = [phrases("people: a man"), phrases("people: a boy", name="2")]
    project = project_of(*images, settings=Settings(drawer_judges_coverage=True))
    ada, bob, cleo = (worker(project, name) for name in ("ada", "bob", "cleo"))
    answer(project, ada, Task.BOX_DRAWING, box(1, 1, 50, 50))
    answer(project, cleo, Task.BOX_DRAWING, box(1, 1, 50, 50))
    answer(project, bob, Task.BOX_QUALITY, "good", "good")
    for judge in (ada, bob):
        answer(project, judge, Task.BOX_COVERAGE, "all there", "all there")
    assert project.images.filter(state="merged").count() == 2
    for name in ("jsonl", "coco"):
        export_dataset(project=project, target=tmp_path / f"{name}.json", export_format=name)
    lines = [json.loads(line) for line in (tmp_path / "jsonl.json").read_text().splitlines()]
    assert [chain["drawer_judged"] for line in lines[1:] for chain in line["chains"]] == [True, False]
    coco = json.loads((tmp_path / "coco.json").read_text())
    assert [chain["drawer_judged"] for chain in coco["chains"]] == [True, False]


SAID = {Task.BOX_QUALITY: "good", Task.BOX_COVERAGE: "all there", Task.BOX_REQUIREMENT: 1}


def three_men(vote: str, name: str = "small") -> Project:
    """A finished project whose only link has this vote."""
    settings = Settings(part_answers=True)
    project = project_of(phrases("people: three men", "people: one of them"), name=name, settings=settings)
    answer(project, worker(project, "linker 0"), Task.COREFERENCE_LINK, vote)
    drawn = [box(10, 10, 50, 50), box(70, 10, 110, 50)]
    answer_all(project, lambda question: SAID.get(Task(question.task), drawn[question.subject[0]]))
    return project


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
    (marked,) = read_chains(StepWork(None, {}), file, linker).values()
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
            change_settings(project_id=project.pk, settings=Settings())
        export_dataset(project=project, target=tmp_path / f"{told}.jsonl", export_format="jsonl")
        assert ("one phrase is part of the other" in card_text(tmp_path / f"{told}.jsonl")) is told
