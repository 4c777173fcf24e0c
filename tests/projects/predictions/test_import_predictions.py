"""A campaign with a simulated program that grounds phrases: a given share of its boxes is good, the others miss.
Predictions come in, workers judge them, and the record replays.
The time that the dashboard says pre-annotations saved, against the same campaign without them.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from annotation.models import Box as ModelsBox
from annotation.models import Chain, Image, Mention, Project
from annotation.rules.box import Box
from annotation.rules.box import Box as BoxValue
from exchange.dataset import DatasetBox, DatasetImage
from exchange.import_image import import_image
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Assignment, Entry, Question
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import propose_boxes
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.dashboard.figures import TASKS, Chains, Saved, pre_annotated_chains, pre_annotations_saved
from projects.models import ModelPrediction
from projects.predictions.import_predictions import PredictionError, import_predictions
from projects.predictions.operations import KeptPredictions, describe_predictions
from simulation.crowd import BoxCrowd, Crowd, right_answer, stable_uniform
from simulation.simulate import SECONDS, CrowdRun, load_gold, virtual_workers
from simulation.view import KnownView, TrueChain, TrueImage, View
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with
from tests.support.table import row
from workers.models import Worker

pytestmark = pytest.mark.django_db

BOX_TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
FEW_WORKERS = 40

EDGE = 0.05
"""The most that an edge of a good box is off, in shares of the side: its IOU with gold is at least 0.65."""
ON = Settings(pre_annotations=True, test_questions=0)
DRAW, GOOD, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
Write = Callable[..., Path]
SEED = 1
FEW_ARE_GOOD = 0.3
"""So bad a model costs time under belief: judging its boxes takes longer than the drawings that it spares."""
TEXTS = {"man": "people: a man", "hat": "clothing: a hat", "dog": "animals: a dog"}
TEXTS |= {"car": "vehicles: a car", "ball": "other: a ball", "shirt": "clothing: a shirt"}


class RightChains(Crowd):
    """The crowd `paper` in the box tasks; links and verifications are right, so that only boxes differ."""

    def __init__(self, seed: int) -> None:
        super().__init__(FEW_WORKERS)
        self._boxes = BoxCrowd(seed)

    def answer(self, view: View | KnownView, worker: int) -> object:
        return self._boxes.answer(view, worker) if view.task in BOX_TASKS else right_answer(view)


def project_with_gold(images: Sequence[DatasetImage]) -> Project:
    project = open_project(name="pre_annotations", settings=Settings(pre_annotations=True))
    version, _ = current_settings(project.pk)
    for position, image in enumerate(images):
        import_image(project, position, image, picture="", gold=True, settings_version=version)
    tick(project_id=project.pk)
    return project


def seconds_of_workers(project: Project, share: float | None, seed: int, step: Callable[[int], object]) -> float:
    """Annotate the project, and return the time of workers in the box tasks, at the paper's seconds for a question.

    `share`: of good boxes of the program, which knows every second mention; None: no program.
    """
    gold = load_gold(project)
    if share is not None:
        program = Worker.objects.create(name="model", kind=Worker.Kind.PROGRAM)
        for image in Image.objects.filter(project=project).order_by("position"):
            mentions = sorted(image.mentions.values_list("number", flat=True))[::2]
            rows = predicted_boxes(gold[image.pk], mentions, share, seed)
            propose_boxes(image_id=image.pk, worker_id=program.pk, boxes=rows)
    people = virtual_workers(project, "paper", FEW_WORKERS)
    run = CrowdRun(project, gold, RightChains(seed), people, seed)
    run.until_nothing_is_open(None, step)
    return sum(SECONDS[task] * run.outcome.judgments[task.value] for task in BOX_TASKS)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo afterwards what is done."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def predicted_boxes(image: TrueImage, mentions: list[int], share: float, seed: int) -> list[list[int]]:
    """Return rows of [mention, x0, y0, x1, y1]: a box for each gold box of every mention's chain.

    A box is good with the probability `share`; of the others, half show half of the thing, and half lie beside it. The
    model never abstains: a mention whose chain has no box gets one in the middle of the image.
    """
    rows: list[tuple[int, list[int]]] = []
    for mention in mentions:
        for rank, box in enumerate(_boxes(image, image.chain_of[mention], mention, share, seed)):
            rows.append((rank, [mention, *box]))
    return [row for _, row in sorted(rows, key=lambda one: one[0])]


def _boxes(image: TrueImage, chain: TrueChain, mention: int, share: float, seed: int) -> Iterator[Box]:
    if not chain.boxes:
        yield _inside(image, image.width / 4, image.height / 4, 3 * image.width / 4, 3 * image.height / 4)
    for place, gold in enumerate(chain.boxes):
        key = (seed, "model", image.key, mention, place)
        draws = [stable_uniform(*key, what) for what in ("good", "kind", "x0", "y0", "x1", "y1")]
        yield _good(image, gold, draws[2:]) if draws[0] < share else _bad(image, gold, half=draws[1] < 0.5)


def _good(image: TrueImage, gold: Box, draws: list[float]) -> Box:
    sides = (gold.x1 - gold.x0, gold.y1 - gold.y0) * 2
    moved = [at + EDGE * side * (2 * draw - 1) for at, side, draw in zip(gold, sides, draws, strict=True)]
    return _inside(image, *moved)


def _bad(image: TrueImage, gold: Box, *, half: bool) -> Box:
    width, height = gold.x1 - gold.x0, gold.y1 - gold.y0
    if half:
        return _inside(image, gold.x0, gold.y0, gold.x0 + 0.45 * width, gold.y1)
    # To the side where there is room, so that the border of the image does not push the box back.
    right, down = gold.x0 + gold.x1 < image.width, gold.y0 + gold.y1 < image.height
    dx, dy = (width if right else -width) / 2, (height if down else -height) / 2
    return _inside(image, gold.x0 + dx, gold.y0 + dy, gold.x1 + dx, gold.y1 + dy)


def _inside(image: TrueImage, x0: float, y0: float, x1: float, y1: float) -> Box:
    left, top = (min(max(round(at), 0), most - 1) for at, most in ((x0, image.width), (y0, image.height)))
    right, low = min(max(round(x1), left + 1), image.width), min(max(round(y1), top + 1), image.height)
    return Box(left, top, right, low)


@pytest.fixture
def project() -> Project:
    """Two images: people who are drawn at once, and a dog."""
    return project_of(phrases("people: a man", "animals: a dog"), phrases("people: two girls", name="2"), settings=ON)


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
    assert "Kept: 1 box and 0 chains of 1 image." in capsys.readouterr().out
    drawing, judged = Question.objects.get(image__name="1", task=DRAW), Question.objects.get(task=GOOD)
    assert (drawing.state, drawing.outcome, judged.state) == ("closed", "pre_annotated", "open")
    crew = [worker(project, name) for name in ("ada", "bob", "cleo")]
    answer(project, crew[0], GOOD, "good")
    for who in crew[1:]:
        answer(project, who, COVER, "all there")
    assert Chain.objects.get(image__name="1", name=0).state == "complete"
    box, detector = ModelsBox.objects.get(), Worker.objects.get(name="detector")
    assert (box.state, box.box, box.pre_annotated, box.drawn_by) == ("accepted", (1, 2, 30, 40), True, detector)
    assert box.judged_at is None, "nobody is scored for a box that nobody drew"
    assert list(replay(project)) == []


def test_after_a_bad_pre_annotation_the_chain_is_drawn(project: Project, write: Write) -> None:
    call_command("import_predictions", "small", str(write(line())), program="detector")
    answer(project, worker(project, "ada"), GOOD, "bad")
    asked = Question.objects.filter(image__name="1", task=DRAW)
    assert list(asked.values_list("state", flat=True)) == ["closed", "open"] and list(replay(project)) == []


def test_the_judge_is_shown_a_pre_annotation_like_any_drawn_box(project: Project, write: Write) -> None:
    call_command("import_predictions", "small", str(write(line())), program="detector")
    answer(project, worker(project, "bob"), DRAW, {"box": [5, 5, 60, 60]})
    one, other = Question.objects.filter(task=GOOD).order_by("image__name")
    assert one.shown.keys() == other.shown.keys() and one.shown["new_box"] == [1, 2, 30, 40]


def test_a_drawing_that_a_worker_has_goes_on(project: Project, write: Write) -> None:
    held = lease(project, worker(project, "ada"), DRAW, size=2)
    call_command("import_predictions", "small", str(write(line())), program="detector")
    submit(held, {"box": [5, 5, 60, 60]}, {"box": [5, 5, 60, 60]})
    tick(project_id=project.pk)
    assert ModelsBox.objects.filter(pre_annotated=False).count() == 2
    assert not ModelsBox.objects.filter(pre_annotated=True).exists() and list(replay(project)) == []


def test_an_answer_that_waits_is_folded_before_the_pre_annotation(project: Project, write: Write) -> None:
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
    assert "Images that are as they were imported before: 1." in capsys.readouterr().out
    assert Entry.objects.filter(kind="propose").count() == 1


def test_without_the_setting_the_command_says_that_workers_still_draw(write: Write, capsys: Any) -> None:
    off = project_of(phrases("people: a man"))
    call_command("import_predictions", "small", str(write(line())), program="detector")
    assert "switch on the setting pre_annotations" in capsys.readouterr().out
    assert Question.objects.get(task=DRAW).state == "open" and list(replay(off)) == []


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
    adaptive = replace(ON, strategy=LinkStrategy.ADAPTIVE, link_stop=0.3)
    project, links = project_of(phrases(*words), settings=adaptive), Question.objects.filter(task="coreference_link")
    model = worker(project, "model", kind=Worker.Kind.PROGRAM)
    change_settings(
        project_id=project.pk, settings=settings_with(adaptive, program_errors={str(model.pk): [0.03, 0.02]})
    )
    rows = [{"image": "1", "caption": n, "words": [0, 2], "chain": chain} for n, chain in enumerate("AAB")]
    asked = links.filter(state="open").count()
    call_command("import_predictions", "small", str(write(*rows)), program="model")
    assert (asked, links.filter(state="open").count()) == (1, 0)
    assert list(Mention.objects.order_by("number").values_list("chain", flat=True)) == [0, 0, 2]
    call_command("import_predictions", "small", str(write(line())), program="model")
    assert ModelPrediction.objects.get().chains == [] and list(replay(project)) == []


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
    assert Entry.objects.get(kind="propose").data["boxes"] == boxes and list(replay(project)) == []


def test_a_score_of_a_detector_counts_from_0_to_1_and_else_only_sorts(project: Project, write: Write) -> None:
    names = {"images": [{"id": 7, "file_name": "2.jpg"}], "categories": [{"id": 1, "name": "person"}]}
    scores: list[dict[str, float]] = [{"score": 0.255}, {"score": 31.5}, {}, {"score": 1}, {"score": -2}]
    rows = [{"image_id": 7, "category_id": 1, "bbox": [at, 1, 10, 10], **score} for at, score in enumerate(scores)]
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
    assert "Images that are not in the project: 1 (9.jpg)." in capsys.readouterr().out


def import_file(project: Project, file: Path, program: str = "detector") -> Any:
    return import_predictions(project, program, file.name, file.read_bytes())


@row(line(caption="0"), "line 2: field 'caption' is '0', not a whole number from 0")
@row(line(words=[0, 2]), r"line 2 needs one of the fields 'phrase' \(its words\) and 'words'")
@row({"image": "1", "caption": 0, "phrase": "a man"}, "line 2 needs the field 'boxes' or the field 'chain'")
@row(line(colour="red"), "line 2 has the unknown field 'colour'; fields are image, caption")
@row([1], "line 2 is not an object like")
@row(line(chain=[0, 1]), "line 2: field 'chain' is ")
@row(line(scores=[0.5, 0.4]), "line 2: field 'scores' has 2 scores for 1 boxes: give one for each box")
@row(line(scores=[]), "line 2: field 'scores' has 0 scores for 1 boxes")
@row(line(scores=0.5), "line 2: field 'scores' is ")
@row(line(scores=[1.01]), r"line 2: field 'scores'\[0\] is 1.01, not a score from 0 to 1")
@row(line(scores=[-0.1]), r"line 2: field 'scores'\[0\] is -0.1, not a score from 0 to 1")
@row(line(scores=["high"]), r"line 2: field 'scores'\[0\] is 'high', not a number")
@row(line(chains=[[0, 1]]), "line 2 has the unknown field 'chains'; fields are image")
def test_a_wrong_line_is_named_with_its_field_and_nothing_is_kept(row: Any, says: str, project: Project, write: Write):
    with pytest.raises(PredictionError, match=says):
        import_file(project, write(line(), row))
    assert not ModelPrediction.objects.exists()


@row(line(boxes=[[1, 2, 3]]), r"line 2: field 'boxes'\[0\] has 3 numbers: write 4, left, top, right, bottom in pixels")
@row(line(boxes=[[1, 2, 900, 40]]), r"line 2: field 'boxes'\[0\].*reaches outside the picture of 200 x 100 pixels")
@row(line(boxes=[[30, 2, 1, 40]]), r"line 2: field 'boxes'\[0\].*has no area")
@row(line(boxes=[["a", 2, 1, 40]]), r"line 2: field 'boxes'\[0\] is 'a', not a number")
@row(line(phrase="a horse"), "line 2: field 'phrase': caption 0 of image '1' has no phrase 'a horse'; it has 'a man'")
@row({"image": "1", "caption": 0, "words": [0, 3], "chain": 1}, r"line 2: field 'words': caption 0 .* words \[0, 3\)")
def test_a_box_or_phrase_that_cannot_be_used_is_left_out_by_name_and_the_others_are_kept(
    row: Any, says: str, project: Project, write: Write
):
    kept = import_file(project, write(line("2", phrase="two girls"), row))
    assert (kept.images, kept.boxes, len(kept.left_out)) == (1, 1, 1)
    told = KeptPredictions(**kept.model_dump(), entered=0, are_used=True)
    assert re.search(says, kept.left_out[0]) and says.split(":")[0] in " ".join(describe_predictions(told))
    with pytest.raises(PredictionError, match=says.replace("line 2", "line 1")):
        import_file(project, write(row))


def test_a_box_over_the_edge_is_cut_there_and_counted(project: Project, write: Write, capsys: Any) -> None:
    over = line(boxes=[[-3, 2, 30, 130], [1, 2, 30, 40]])
    call_command("import_predictions", "small", str(write(over)), program="detector")
    assert ModelPrediction.objects.get().boxes == [[0, 0, 2, 30, 100], [0, 1, 2, 30, 40]]
    assert "Boxes cut at the edge of their picture: 1." in capsys.readouterr().out


def test_shares_are_refused_until_their_form_is_told(project: Project, write: Write) -> None:
    shares = write(line(boxes=[[0.1, 0.2, 0.5, 0.6]]))
    with pytest.raises(CommandError, match=r"model.jsonl holds only boxes .* at most 1: .* xyxy-normalised"):
        call_command("import_predictions", "small", str(shares), program="detector")
    assert not ModelPrediction.objects.exists()
    call_command("import_predictions", "small", str(shares), program="detector", boxes="xyxy-normalised")
    assert ModelPrediction.objects.get().boxes == [[0, 20, 20, 100, 60]]


def test_a_box_that_rounding_leaves_without_a_pixel_is_named(project: Project, write: Write) -> None:
    with pytest.raises(PredictionError, match=r"model.jsonl: image '1', phrase 'a man': box .* is outside the image"):
        import_file(project, write(line(boxes=[[199.9999999, 2, 200.5, 40]])))


def test_a_phrase_that_is_in_two_chains_is_named(project: Project, write: Write) -> None:
    rows = [{"image": "1", "caption": 0, "words": [0, 2], "chain": chain} for chain in ("A", "A", "B")]
    says = "line 3: field 'chain' is 'B', but an earlier row has this phrase in 'A'"
    with pytest.raises(PredictionError, match=says):
        import_file(project, write(*rows))
    assert not ModelPrediction.objects.exists() and import_file(project, write(*rows[:2])).chains == 1


def test_text_that_is_not_json_is_named_with_its_line(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "model.jsonl"
    file.write_text(json.dumps(line()) + "\n{oops\n")
    with pytest.raises(CommandError, match=r"model.jsonl: line 2 is no JSON"):
        call_command("import_predictions", "small", str(file), program="detector")


@row([{"image_id": 1}], r"annotations\[0\] has neither 'category_id' nor 'caption' with 'phrase'")
@row({"images": []}, "the file has no list 'annotations'")
@row(
    {"images": [{"id": 1, "file_name": "1.jpg"}], "categories": [], "annotations": [{"image_id": 1, "category_id": 4}]},
    r"annotations\[0\]: field 'category_id' 4 is in no list of the file",
)
def test_a_wrong_coco_file_is_named_with_its_entry(value: Any, says: str, project: Project, write: Write) -> None:
    with pytest.raises(PredictionError, match=says):
        import_file(project, write(value, name="coco.json"))


def test_a_person_is_no_program(project: Project, write: Write) -> None:
    worker(project, "ada")
    with pytest.raises(PredictionError, match="'ada' is the name of a worker who is not a program"):
        import_file(project, write(line()), "ada")


def image(name: int) -> DatasetImage:
    boxes = [DatasetBox(BoxValue(10 + 10 * i, 10, 60 + 10 * i, 90 - i), (chain,)) for i, chain in enumerate(TEXTS)]
    return phrases(*TEXTS.values(), name=str(name), chains=list(TEXTS), boxes=boxes)


@dataclass
class Campaigns:
    """Runs on the same images and with the same crowd."""

    project: Project
    policy: BoxPolicyName
    chains: dict[str, Any] = field(default_factory=dict)

    def seconds(self, share: float | None) -> float:
        """Return the time of workers in the box tasks. `share`: of good boxes of the model; None: no model."""
        with rolled_back():
            settings = Settings(pre_annotations=True, box_policy=self.policy)
            change_settings(project_id=self.project.pk, settings=settings)
            return seconds_of_workers(self.project, share, SEED, self._look)

    def _look(self, judgments: int) -> None:
        self.chains = pre_annotated_chains(self.project.pk)

    def told(self) -> Saved:
        tried, drawn = ([Chains(*row) for row in self.chains[kind]] for kind in ("tried", "drawn"))
        return pre_annotations_saved(tried, drawn, [SECONDS[task] for task in TASKS], self.policy)


@pytest.mark.slow
@pytest.mark.parametrize("policy", BoxPolicyName)
def test_the_time_saved_is_what_a_campaign_without_pre_annotations_takes_longer(policy: BoxPolicyName):
    # The program knows half of the things: the others are drawn in the same project.
    campaigns = Campaigns(project_with_gold([image(number) for number in range(10)]), policy)
    measured = campaigns.seconds(None) - campaigns.seconds(FEW_ARE_GOOD)
    told = campaigns.told()
    assert told.drawn >= 20 and told.chains >= 20
    assert told.low <= measured <= told.high, (measured, told)
    assert told.high - told.low < 0.9 * told.took, "the interval says something"
