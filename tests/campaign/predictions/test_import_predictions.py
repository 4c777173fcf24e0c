"""Predictions come in, workers judge them, and the record replays."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Box, Chain, Mention, Project
from campaign.models import ModelPrediction
from campaign.predictions.import_predictions import PredictionError, import_predictions
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Assignment, Entry, Question
from pipeline.project.settings_versions import change_settings
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db
ON = ProtocolSettings(proposals=True, test_questions=0)
DRAW, GOOD, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE


@pytest.fixture
def project() -> Project:
    """Two images: people who are drawn at once, and a dog."""
    return project_of(phrases("people: a man", "animals: a dog"), phrases("people: two girls", name="2"), settings=ON)


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def lines(*rows: Any, name: str = "model.jsonl") -> Path:
        file = tmp_path / name
        file.write_text("\n".join(json.dumps(row) for row in rows))
        return file

    return lines


def line(image: str = "1", caption: Any = 0, phrase: str = "a man", **more: Any) -> dict[str, Any]:
    return {"image": image, "caption": caption, "phrase": phrase, "boxes": [[1, 2, 30, 40]], **more}


def test_a_file_of_boxes_saves_the_drawing_and_the_record_replays(project: Project, write: Write, capsys: Any) -> None:
    call_command("import_predictions", "small", str(write(line())), program="detector")
    assert "Kept: 1 boxes and 0 chains of 1 images." in capsys.readouterr().out
    drawing, judged = Question.objects.get(image__name="1", task=DRAW), Question.objects.get(task=GOOD)
    assert (drawing.state, drawing.outcome, judged.state) == ("closed", "proposed", "open")
    crew = [worker(project, name) for name in ("ada", "bob", "cleo")]
    answer(project, crew[0], GOOD, "good")
    for who in crew[1:]:
        answer(project, who, COVER, "all there")
    assert Chain.objects.get(image__name="1", name=0).state == "complete"
    box = Box.objects.get()
    assert (box.state, box.box, box.proposed, box.drawn_by) == (
        "accepted",
        (1, 2, 30, 40),
        True,
        Worker.objects.get(name="detector"),
    )
    assert box.judged_at is None, "nobody is scored for a box that nobody drew"
    assert list(replay(project)) == []


def test_after_a_bad_proposal_the_chain_is_drawn(project: Project, write: Write) -> None:
    call_command("import_predictions", "small", str(write(line())), program="detector")
    answer(project, worker(project, "ada"), GOOD, "bad")
    asked = Question.objects.filter(image__name="1", task=DRAW)
    assert list(asked.values_list("state", flat=True)) == ["closed", "open"]
    assert list(replay(project)) == []


def test_the_judge_is_shown_a_proposal_like_any_drawn_box(project: Project, write: Write) -> None:
    call_command("import_predictions", "small", str(write(line())), program="detector")
    answer(project, worker(project, "bob"), DRAW, {"box": [5, 5, 60, 60]})
    one, other = Question.objects.filter(task=GOOD).order_by("image__name")
    assert one.shown.keys() == other.shown.keys()
    assert one.shown["new_box"] == [1, 2, 30, 40]


def test_a_drawing_that_a_worker_has_goes_on(project: Project, write: Write) -> None:
    held = lease(project, worker(project, "ada"), DRAW, size=2)
    call_command("import_predictions", "small", str(write(line())), program="detector")
    submit(held, {"box": [5, 5, 60, 60]}, {"box": [5, 5, 60, 60]})
    tick(project_id=project.pk)
    assert Box.objects.filter(proposed=False).count() == 2
    assert not Box.objects.filter(proposed=True).exists()
    assert list(replay(project)) == []


def test_an_answer_that_waits_is_folded_before_the_proposal(project: Project, write: Write) -> None:
    submit(lease(project, worker(project, "ada"), DRAW, size=2), {"none_missing": True}, {"none_missing": True})
    call_command("import_predictions", "small", str(write(line())), program="detector")
    assert Entry.objects.filter(image__name="1").order_by("sequence").values_list("kind", flat=True)[2] == "judgment"
    assert list(replay(project)) == []


def test_the_program_is_not_asked_to_judge_its_box(project: Project, write: Write) -> None:
    call_command("import_predictions", "small", str(write(line())), program="detector")
    program = worker(project, "detector")
    assert lease_assignment(project_id=project.pk, worker_id=program.pk, task=GOOD) is None
    assert not Assignment.objects.exists()


def test_the_same_file_twice_enters_nothing_new(project: Project, write: Write, capsys: Any) -> None:
    for _ in range(2):
        call_command("import_predictions", "small", str(write(line())), program="detector")
    assert "1 images are as they were imported before." in capsys.readouterr().out
    assert Entry.objects.filter(kind="propose").count() == 1


def test_without_the_setting_the_command_says_that_workers_still_draw(write: Write, capsys: Any) -> None:
    off = project_of(phrases("people: a man"))
    call_command("import_predictions", "small", str(write(line())), program="detector")
    assert "switch on the setting proposals" in capsys.readouterr().err
    assert Question.objects.get(task=DRAW).state == "open"
    assert list(replay(off)) == []


def test_chains_are_kept_and_the_paper_s_strategies_ask_all_the_same(write: Write) -> None:
    project = project_of(phrases("people: a man", "people: the man"), settings=ON)
    rows = [{"image": "1", "caption": n, "words": [0, 2], "chain": "A"} for n in (0, 1)]
    call_command("import_predictions", "small", str(write(*rows)), program="detector")
    assert ModelPrediction.objects.get().chains == [[0, 1]]
    assert Question.objects.get(task=Task.COREFERENCE_LINK).state == "open"
    assert Entry.objects.get(image__project=project, kind="propose").data["chains"] == [[0, 1]]
    assert list(replay(project)) == []


def test_chains_spare_the_adaptive_strategy_links_and_a_file_without_them_takes_them_back(write: Write) -> None:
    words = ("people: a man", "people: the surfer", "people: a lady")
    adaptive = replace(ON, strategy=Strategy.ADAPTIVE, link_stop=0.3)
    project, links = project_of(phrases(*words), settings=adaptive), Question.objects.filter(task="coreference_link")
    model = worker(project, "model", kind=Worker.Kind.PROGRAM)
    change_settings(project_id=project.pk, settings=replace(adaptive, program_errors={str(model.pk): [0.03, 0.02]}))
    rows = [{"image": "1", "caption": n, "words": [0, 2], "chain": chain} for n, chain in enumerate("AAB")]
    asked = links.filter(state="open").count()
    call_command("import_predictions", "small", str(write(*rows)), program="model")
    assert (asked, links.filter(state="open").count()) == (1, 0)
    assert list(Mention.objects.order_by("number").values_list("chain", flat=True)) == [0, 0, 2]
    call_command("import_predictions", "small", str(write(line())), program="model")
    assert ModelPrediction.objects.get().chains == []
    assert list(replay(project)) == []


def test_the_best_boxes_of_all_phrases_come_first(project: Project, write: Write) -> None:
    more = [[1, 1, 9, 9], [20, 20, 30, 30]]
    import_file(project, write(line(boxes=more), line(caption=1, phrase="a dog", boxes=more)))
    assert [(row[0], row[1]) for row in ModelPrediction.objects.get().boxes] == [(0, 1), (1, 1), (0, 20), (1, 20)]


def test_each_box_is_kept_with_its_score_in_percent(project: Project, write: Write) -> None:
    more = [[1, 1, 9, 9], [20, 20, 30, 30]]
    rows = (line(boxes=more, scores=[0.876, 0]), line(caption=1, phrase="a dog", boxes=more))
    call_command("import_predictions", "small", str(write(*rows)), program="detector")
    boxes = [[0, 1, 1, 9, 9, 88], [1, 1, 1, 9, 9], [0, 20, 20, 30, 30, 0], [1, 20, 20, 30, 30]]
    assert ModelPrediction.objects.get().boxes == boxes
    assert Entry.objects.get(kind="propose").data["boxes"] == boxes
    assert list(replay(project)) == []


def test_a_score_of_a_detector_counts_from_0_to_1_and_else_only_sorts(project: Project, write: Write) -> None:
    names = {"images": [{"id": 7, "file_name": "2.jpg"}], "categories": [{"id": 1, "name": "person"}]}
    scores: list[dict[str, float]] = [{"score": 0.255}, {"score": 31.5}, {}, {"score": 1}, {"score": -2}]
    rows = [
        {"image_id": 7, "category_id": 1, "bbox": [place, 1, 10, 10], **score} for place, score in enumerate(scores)
    ]
    import_file(project, write({**names, "annotations": rows}, name="coco.json"))
    kept = [(row[1], row[5:]) for row in ModelPrediction.objects.get().boxes]
    assert kept == [(1, []), (3, [100]), (0, [26]), (2, []), (4, [])]


def test_boxes_of_a_detector_go_to_the_phrases_that_its_categories_fit(project: Project, write: Write) -> None:
    names = {"images": [{"id": 7, "file_name": "1.jpg"}, {"id": 8, "file_name": "2.jpg"}]}
    kinds = {"categories": [{"id": 1, "name": "person"}, {"id": 2, "name": "dog"}, {"id": 3, "name": "kite"}]}
    found = [(7, 2, 0.9), (7, 1, 0.5), (7, 1, 0.8), (8, 1, 0.7), (8, 3, 0.4)]
    rows = [
        {"image_id": image, "category_id": kind, "bbox": [place, 1, 10.5, 10], "score": score}
        for place, (image, kind, score) in enumerate(found)
    ]
    kept = import_file(project, write({**names, **kinds, "annotations": rows}, name="coco.json"))
    assert (kept.images, kept.boxes, kept.unused) == (2, 4, 1)
    first, second = ModelPrediction.objects.order_by("image__name")
    assert first.boxes == [[1, 0, 1, 11, 11, 90], [0, 2, 1, 13, 11, 80], [0, 1, 1, 12, 11, 50]]
    assert second.boxes == [[0, 3, 1, 14, 11, 70]]


def test_images_that_the_project_does_not_have_are_left_out(project: Project, write: Write, capsys: Any) -> None:
    call_command("import_predictions", "small", str(write(line(), line(image="9.jpg"))), program="detector")
    assert "1 images are not in the project: 9.jpg" in capsys.readouterr().out


def import_file(project: Project, file: Path, program: str = "detector") -> Any:
    return import_predictions(project, program, file.name, file.read_bytes())


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (line(caption="0"), "line 2: field 'caption' is '0', not a whole number from 0"),
        (
            line(boxes=[[1, 2, 3]]),
            r"line 2: field 'boxes'\[0\] has 3 numbers: write 4, left, top, right, bottom in pixels",
        ),
        (line(boxes=[[1, 2, 900, 40]]), r"line 2: field 'boxes'\[0\].*reaches outside the picture of 200 x 100 pixels"),
        (line(boxes=[[30, 2, 1, 40]]), r"line 2: field 'boxes'\[0\].*has no area"),
        (line(boxes=[["a", 2, 1, 40]]), r"line 2: field 'boxes'\[0\] is 'a', not a number"),
        (
            line(phrase="a horse"),
            "line 2: field 'phrase': caption 0 of image '1' has no phrase 'a horse'; it has 'a man'",
        ),
        (
            {"image": "1", "caption": 0, "words": [0, 3], "chain": 1},
            r"line 2: field 'words': caption 0 .* words \[0, 3\)",
        ),
        (line(words=[0, 2]), r"line 2 needs one of the fields 'phrase' \(its words\) and 'words'"),
        ({"image": "1", "caption": 0, "phrase": "a man"}, "line 2 needs the field 'boxes' or the field 'chain'"),
        (line(colour="red"), "line 2 has the unknown field 'colour'; fields are image, caption"),
        ([1], "line 2 is not an object like"),
        (line(chain=[0, 1]), "line 2: field 'chain' is "),
        (line(scores=[0.5, 0.4]), "line 2: field 'scores' has 2 scores for 1 boxes: give one for each box"),
        (line(scores=[]), "line 2: field 'scores' has 0 scores for 1 boxes"),
        (line(scores=0.5), "line 2: field 'scores' is "),
        (line(scores=[1.01]), r"line 2: field 'scores'\[0\] is 1.01, not a score from 0 to 1"),
        (line(scores=[-0.1]), r"line 2: field 'scores'\[0\] is -0.1, not a score from 0 to 1"),
        (line(scores=["high"]), r"line 2: field 'scores'\[0\] is 'high', not a number"),
        (line(chains=[[0, 1]]), "line 2 has the unknown field 'chains'; fields are image"),
    ],
)
def test_a_wrong_line_is_named_with_its_field_and_nothing_is_kept(
    project: Project, write: Write, row: Any, says: str
) -> None:
    with pytest.raises(PredictionError, match=says):
        import_file(project, write(line(), row))
    assert not ModelPrediction.objects.exists()


def test_a_box_that_rounding_leaves_without_a_pixel_is_named(project: Project, write: Write) -> None:
    with pytest.raises(PredictionError, match=r"model.jsonl: image '1', phrase 'a man': box .* is outside the image"):
        import_file(project, write(line(boxes=[[199.9999999, 2, 200.5, 40]])))


def test_a_phrase_that_is_in_two_chains_is_named(project: Project, write: Write) -> None:
    rows = [{"image": "1", "caption": 0, "words": [0, 2], "chain": chain} for chain in ("A", "A", "B")]
    says = "line 3: field 'chain' is 'B', but an earlier row has this phrase in 'A'"
    with pytest.raises(PredictionError, match=says):
        import_file(project, write(*rows))
    assert not ModelPrediction.objects.exists()
    assert import_file(project, write(*rows[:2])).chains == 1


def test_text_that_is_not_json_is_named_with_its_line(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "model.jsonl"
    file.write_text(json.dumps(line()) + "\n{oops\n")
    with pytest.raises(CommandError, match=r"model.jsonl: line 2 is no JSON"):
        call_command("import_predictions", "small", str(file), program="detector")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([{"image_id": 1}], r"annotations\[0\] has neither 'category_id' nor 'caption' with 'phrase'"),
        ({"images": []}, "the file has no list 'annotations'"),
        (
            {
                "images": [{"id": 1, "file_name": "1.jpg"}],
                "categories": [],
                "annotations": [{"image_id": 1, "category_id": 4}],
            },
            r"annotations\[0\]: field 'category_id' 4 is in no list of the file",
        ),
    ],
)
def test_a_wrong_coco_file_is_named_with_its_entry(project: Project, write: Write, value: Any, says: str) -> None:
    with pytest.raises(PredictionError, match=says):
        import_file(project, write(value, name="coco.json"))


def test_a_person_is_no_program(project: Project, write: Write) -> None:
    worker(project, "ada")
    with pytest.raises(PredictionError, match="'ada' is the name of a worker who is not a program"):
        import_file(project, write(line()), "ada")
