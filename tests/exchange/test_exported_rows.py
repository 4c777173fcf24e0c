"""Exports say of every link, box and chain which answers were people's and which were programs'.
The cost of an export of many images, counted: statements, and memory that does not grow with their number.
Exports, read by the field's own readers from PyPI: every span, box and chain, counted one by one.
Exports, read by the rules of readers that PyPI does not have: those of MDETR, Open-GroundingDino, ms-swift, Entities.
"""

import json
import os
import tracemalloc
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext, override_settings
from pytest_django.plugin import DjangoDbBlocker

from annotation.models import Project
from annotation.rules.box import Box
from exchange import load_project
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage
from exchange.export_dataset import export_dataset
from exchange.export_options import AS_THEY_CAME, ExportOptions
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.formats.format import write_files
from exchange.import_dataset import import_dataset
from exchange.import_image import import_image
from exchange.jsonl import write as jsonl
from exchange.load_project import stream_images
from exchange.registry import export_formats
from exchange.split_captions import joined_caption
from pipeline.models import Judgment, Question
from pipeline.project.settings_versions import change_settings, open_project
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.record.intervene import act_as_expert, propose_boxes, void_judgments
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from simulation.scenes.scene import make_scene
from studies.interop.compare import compare
from studies.interop.found import Found, Phrase
from studies.interop.inside import coco_tools, hub_loader
from studies.interop.sources import made_images, truth_of, write_source
from tests.support.data_cards import read_croissant
from tests.support.flickr30k_reader import read as read_entities
from tests.support.grounding_readers import read_chat, read_mdetr, read_odvg
from tests.support.places import ROOT
from tests.support.projects import answer, box, lease, phrases, project_of, submit, worker
from tests.support.schema_fields import check_ours
from workers.models import Worker

pytestmark = pytest.mark.django_db


def finish(project: Project, image: str, drawn: dict[int, list[list[int]]]) -> None:
    """An expert draws the boxes of each chain; those without any are no-box chains."""
    number = project.images.get(name=image).id
    for chain, boxes in drawn.items():
        for one in boxes:
            act_as_expert(image_id=number, action={"action": "draw", "chain": chain, "box": one}, actor="eve")
        to = {"to": "complete"} if boxes else {"to": "non-visual", "kind": "no box"}
        act_as_expert(image_id=number, action={"action": "send", "chain": chain, **to}, actor="eve")


def test_an_annotated_image_comes_out_as_it_went_in() -> None:
    boxes = [DatasetBox(Box(1, 2, 30, 40), ("1", "2")), DatasetBox(Box(5, 5, 9, 9), ("1",))]
    image = phrases("people: a man", "clothing: a hat", "people: he", chains=["1", "2", "1"], boxes=boxes)
    made = project_of(image, pictures=False)
    (loaded,) = stream_images(made)
    assert replace(loaded, source=image.source, coco_id=None) == image


def test_chains_are_numbered_over_the_whole_stream_by_image_then_name() -> None:
    first = phrases("people: a man", "clothing: a hat", name="b", chains=["70", "9"])
    second = phrases("animals: a dog", "animals: a cat", name="a", chains=["3", "2"])
    loaded = list(stream_images(project_of(first, second)))
    assert [image.name for image in loaded] == ["b", "a"], "in import order"
    assert [[chain.name for chain in image.chains] for image in loaded] == [["1", "2"], ["3", "4"]]
    assert [[mention.chain for mention in image.mentions] for image in loaded] == [["1", "2"], ["3", "4"]]


def test_merged_boxes_and_chains_come_out_merged() -> None:
    project = project_of(phrases("animals: a dog", "other: a pet", "vehicles: a bike"))
    for name in ("ada", "bob", "cleo"):
        held = project.questions.filter(state="open", task="coreference_link").exists()
        if held:
            answer(project, worker(project, name), Task.COREFERENCE_LINK, "different")
    finish(project, "1", {0: [[10, 10, 50, 50]], 1: [[10, 10, 50, 51]], 2: []})
    tick(project_id=project.id)
    (loaded,) = stream_images(project)
    assert [mention.chain for mention in loaded.mentions] == ["1", "1", "2"]
    assert loaded.chains == (DatasetChain("1"), DatasetChain("2", no_box=True))
    assert loaded.boxes == (DatasetBox(Box(10, 10, 50, 51), ("1",)),)


def test_images_that_are_not_merged_are_left_out_unless_asked_for() -> None:
    project = project_of(phrases("people: a man"), phrases("people: a boy", name="2"))
    finish(project, "2", {0: [[1, 1, 5, 5]]})
    tick(project_id=project.id)
    assert [image.name for image in stream_images(project)] == ["2"]
    both = list(stream_images(project, include_unmerged=True))
    assert [image.name for image in both] == ["1", "2"]
    assert both[0].chains == (DatasetChain("1"),) and both[1].chains == (DatasetChain("2"),)


def test_an_unmerged_image_has_its_accepted_boxes_and_no_others() -> None:
    project = project_of(phrases("people: a man"))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, Task.BOX_DRAWING, box(1, 1, 50, 50))
    answer(project, bob, Task.BOX_QUALITY, "bad")
    answer(project, ada, Task.BOX_DRAWING, box(2, 2, 60, 60))
    answer(project, bob, Task.BOX_QUALITY, "good")
    (loaded,) = stream_images(project, include_unmerged=True)
    assert loaded.boxes == (DatasetBox(Box(2, 2, 60, 60), ("1",)),)


def test_an_image_whose_links_were_not_started_has_each_mention_on_its_own() -> None:
    image = phrases("people: a man", "people: a boy", chains=["1", "1"])
    project = project_of(image, gold=True)
    (loaded,) = stream_images(project, include_unmerged=True)
    assert [mention.chain for mention in loaded.mentions] == ["1", "2"]
    assert loaded.picture == "1.jpg"


def test_several_hundred_images_come_in_import_order_and_of_an_empty_project_none() -> None:
    assert list(stream_images(project_of(name="empty"))) == []
    images = [phrases("animals: a dog", name=str(number), chains=["1"]) for number in range(205)]
    names = [image.name for image in stream_images(project_of(*images))]
    assert names == [str(number) for number in range(205)]


LINK, VERIFY, ASK = Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION, Task.BOX_REQUIREMENT
DRAW, QUALITY, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
PERSON, PROGRAM = Worker.Kind.PERSON, Worker.Kind.PROGRAM
SETTINGS = Settings(
    strategy=LinkStrategy.ADAPTIVE,
    box_policy=BoxPolicyName.BELIEF,
    pre_annotations=True,
    verify_below=0.01,
    link_stop=0.02,
)


def with_model(*texts: str) -> tuple[Project, Worker, int]:
    """Return a project with a program as model annotator, the program, and the id of its image."""
    project = project_of(settings=SETTINGS)
    qwen = worker(project, "qwen", *JUDGING, kind=PROGRAM)
    version = change_settings(project_id=project.pk, settings=replace(SETTINGS, model_annotators=(qwen.pk,)))
    image = import_image(project, 0, phrases(*texts), picture="1.jpg", gold=False, settings_version=version)
    tick(project_id=project.pk)
    return project, qwen, image.pk


@pytest.fixture
def judged() -> Project:
    """A player in two captions with the box of one program, about which another one and then people answered."""
    project, qwen, image_id = with_model("people: a man", "people: a player")
    boxer = worker(project, "boxer", kind=PROGRAM)
    propose_boxes(image_id=image_id, worker_id=boxer.pk, boxes=[[0, 1, 2, 50, 60]])
    for who, task, said in ((qwen, LINK, "same"), (worker(project, "ada"), LINK, "same"), (qwen, QUALITY, "bad")):
        answer(project, who, task, said)
    answer(project, qwen, COVER, "all there")
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


def test_programs_have_their_pseudonym_and_the_number_by_which_settings_name_them(judged: Project, tmp_path: Path):
    image = exported(judged, tmp_path / "out.jsonl")
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    by_name = image["programs"]
    assert by_name.keys() == {"qwen", "boxer"}
    assert first["settings"][-1]["values"]["model_annotators"] == [by_name["qwen"]["number"]]
    assert image["boxes"][0]["drawn_by"] == by_name["boxer"]["worker"]
    assert image["questions"][0]["judgments"][0]["worker"] == by_name["qwen"]["worker"]


def test_an_answer_that_is_voided_or_of_a_program_set_aside_is_not_counted(tmp_path: Path) -> None:
    project, qwen, image_id = with_model("scene: a park")
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


AT_ONCE = 4
SLACK = 100_000
"""Bytes: ids of images, and buffers that a small file does not fill. 32 images as values take 500,000."""


@pytest.fixture
def projects(monkeypatch: pytest.MonkeyPatch) -> list[Project]:
    """Annotated projects of 8 and of 40 images, read four at a time."""
    monkeypatch.setattr(load_project, "IMAGES_AT_ONCE", AT_ONCE)
    monkeypatch.setattr(jsonl, "IMAGES_AT_ONCE", AT_ONCE)
    made = []
    for images in (8, 40):
        made.append(open_project(name=f"of-{images}"))
        for number in range(images):
            scene = replace(make_scene(7, number % 4).image, name=str(number))
            import_image(made[-1], number, scene, picture="", gold=False, settings_version=1)
    return made


@pytest.mark.slow
@pytest.mark.both_engines
@pytest.mark.parametrize("name", export_formats())
def test_an_export_takes_a_few_statements_for_each_batch_of_images(projects: list[Project], tmp_path: Path, name: str):
    counts = []
    for project in projects:
        with CaptureQueriesContext(connection) as made:
            export_dataset(project=project, target=tmp_path / project.name, export_format=name)
        counts.append(len(made))
    batches = (40 - 8) // AT_ONCE
    a_batch, rest = divmod(counts[1] - counts[0], batches)
    assert rest == 0
    assert a_batch <= (14 if name == "jsonl" else 9)
    assert counts[0] - 2 * a_batch <= 40, "for the whole project, its data card included"


@pytest.mark.slow
@pytest.mark.parametrize("name", export_formats())
def test_memory_does_not_grow_with_the_number_of_images(projects: list[Project], tmp_path: Path, name: str) -> None:
    peaks = []
    for place, project in enumerate([projects[0], *projects]):  # the first one fills the caches
        tracemalloc.start()
        export_dataset(project=project, target=tmp_path / str(place), export_format=name)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + SLACK, peaks


REAL = (ROOT / os.environ.get("CHAINBOX_TEST_DATA", "../shared/data")).resolve() / "flickr30k-entities"
REAL_IMAGES = 150
READERS = {"hub": hub_loader, "parquet": hub_loader, "coco": coco_tools}
BY_RULES = {"mdetr": read_mdetr, "odvg": read_odvg, "chat": read_chat}
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


@pytest.fixture(scope="module")
def exported_everything(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, tuple[Path, Found]]]:
    """The folder of exports and the truth, of the made images and, where they are, of real ones."""
    work = tmp_path_factory.mktemp("field_readers")
    sources = {"made": made_images()}
    if REAL.is_dir():
        found = (one for one in read_flickr30k(REAL) if isinstance(one, DatasetImage))
        sources["real"] = [one for one, _ in zip(found, range(REAL_IMAGES), strict=False)]
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=work / "media"), transaction.atomic():
        yielded = {name: (work / name, _export(name, images, work / name)) for name, images in sources.items()}
        transaction.set_rollback(True)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (OFFLINE | {"HF_HOME": str(work / "cache")}).items():
            patch.setenv(name, value)
        yield yielded


def _export(name: str, images: list[DatasetImage], work: Path) -> Found:
    work.mkdir()
    pictures = write_source(images, work / "source")
    import_dataset(project_name=name, path=work / "source")
    project = Project.objects.get(name=name)
    for one in export_formats():
        options = ExportOptions() if one in READERS else ExportOptions(pictures=AS_THEY_CAME)
        export_dataset(project=project, target=work / one, export_format=one, include_unmerged=True, options=options)
    parts = {image.name: ("train", "val")[place % 2] for place, image in enumerate(project.images.order_by("position"))}
    in_parts: dict[str, Any] = {"export_format": "parquet", "options": ExportOptions(splits=parts)}
    export_dataset(project=project, target=work / "parts", include_unmerged=True, **in_parts)
    return truth_of(images, pictures)


@pytest.mark.slow
@pytest.mark.parametrize("images", ["made", "real"])
@pytest.mark.parametrize("export_format", READERS)
def test_nothing_differs_between_what_was_exported_and_what_is_read(
    exported_everything: dict[str, tuple[Path, Found]], tmp_path: Path, images: str, export_format: str
) -> None:
    if images not in exported_everything:
        pytest.skip(f"no real data at {REAL}: set CHAINBOX_TEST_DATA")
    folder, truth = exported_everything[images]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the readers, about themselves
        found = READERS[export_format].read(export_format, folder / export_format, tmp_path)

    compared = {one.kind: one for one in compare(truth, found, export_format)}

    assert [one for one in compared.values() if one.differences] == []
    assert compared["equal phrases"].number >= 2 * (images == "made")
    assert all(compared[kind].number > 3 for kind in ("spans", "boxes", "chains"))


@pytest.mark.slow
@pytest.mark.parametrize("images", ["made", "real"])
@pytest.mark.parametrize("export_format", BY_RULES)
def test_readers_that_are_known_by_their_rules_find_every_box_of_every_phrase(
    exported_everything: dict[str, tuple[Path, Found]], images: str, export_format: str
) -> None:
    if images not in exported_everything:
        pytest.skip(f"no real data at {REAL}: set CHAINBOX_TEST_DATA")
    folder, truth = exported_everything[images]
    (file,) = (folder / export_format).glob("annotations.json*")
    pictures = "images/" if export_format == "chat" else ""
    found = Found(
        phrases=[Phrase(one.file_name.removeprefix(pictures), *one[1:]) for one in BY_RULES[export_format](file)],
        told=("phrases",),
    )
    compared = compare(truth, found, export_format)
    assert [one for one in compared if one.differences] == []
    assert all((folder / export_format / "images" / one.file_name).is_file() for one in found.phrases)


def test_every_line_of_the_record_fits_its_schema_to_the_last_field(
    exported_everything: dict[str, tuple[Path, Found]],
) -> None:
    lines = (exported_everything["made"][0] / "jsonl/annotations.jsonl").read_text().splitlines()
    assert lines
    check_ours("jsonl", map(json.loads, lines))


@pytest.mark.parametrize("export_format", export_formats())
def test_mlcroissant_loads_every_row_of_the_card_and_each_box_with_its_phrase(
    exported_everything: dict[str, tuple[Path, Found]], export_format: str
) -> None:
    folder, truth = exported_everything["made"]
    rows = read_croissant(folder / export_format)
    assert rows and all(rows.values())
    boxes = sum(len(one.boxes) for one in truth.phrases)
    if export_format == "odvg":
        regions = [
            (one["caption"], *region)
            for one in rows["captions"]
            for region in zip(one["phrase"], one["bbox"], strict=True)
        ]
        told = [(one.caption, one.caption[one.start : one.end], [*box]) for one in truth.phrases for box in one.boxes]
        assert sorted(regions) == sorted(told) and len(told) == boxes
    if export_format == "mdetr":
        assert len(rows["boxes"]) == boxes


def test_pandas_and_pyarrow_load_the_same_rows_of_a_hub_folder_and_of_parquet_files(
    exported_everything: dict[str, tuple[Path, Found]],
) -> None:
    folder, truth = exported_everything["made"]
    import pandas

    tables = [
        pandas.read_json(folder / "hub" / "metadata.jsonl", lines=True),
        pandas.read_parquet(folder / "parquet/data"),
    ]
    names, phrases_in_rows = [{*one["file_name"]} for one in tables], [_phrases(one) for one in tables]
    assert names == [{*truth.sizes}] * 2
    assert phrases_in_rows[0] == phrases_in_rows[1] == _boxed_phrases(truth)


def _phrases(table: Any) -> list[tuple[str, str]]:
    """Return the file and the words of each box of a phrase in a table of pandas."""
    rows = zip(table["file_name"], table["objects"], strict=True)
    return sorted((name, one) for name, objects in rows for one in objects["phrase"] if one)


def _boxed_phrases(truth: Found) -> list[tuple[str, str]]:
    return sorted((one.file_name, one.caption[one.start : one.end]) for one in truth.phrases for _ in one.boxes)


def test_the_data_set_s_own_reader_finds_phrases_boxes_and_flags_beside_pictures_in_folders(
    exported_everything: dict[str, tuple[Path, Found]],
) -> None:
    folder, truth = exported_everything["made"]
    found = read_entities(folder / "flickr30k-entities")
    assert [*found] == ["B", "cam 1_none", "cam 1_pair"] == sorted(name[:-4].replace("/", "_") for name in truth.sizes)
    for name in truth.sizes:
        image = found[name[:-4].replace("/", "_")]
        told = [(words, tuple(image.boxes[chain])) for _, _, chain, _, words in image.phrases]
        assert told == [(one.caption[one.start : one.end], one.boxes) for one in truth.phrases if one.file_name == name]
        assert (folder / "flickr30k-entities" / "images" / name).is_file()
    assert (len(found["cam 1_pair"].scene), len(found["B"].no_box)) == (1, 1)


def test_an_export_whose_pictures_lie_in_folders_is_imported_and_exported_again_with_the_same_bytes(
    exported_everything: dict[str, tuple[Path, Found]], tmp_path: Path
) -> None:
    first = exported_everything["made"][0] / "flickr30k-entities"
    report = import_dataset(project_name="again", path=first)
    assert (report.images, report.with_picture, report.problems) == (3, 3, [])
    options = ExportOptions(pictures=AS_THEY_CAME)
    target, again = tmp_path / "again", Project.objects.get(name="again")
    export_dataset(
        project=again, target=target, export_format="flickr30k-entities", include_unmerged=True, options=options
    )
    kinds = ("Sentences/*", "Annotations/*", "images/**/*.*")
    bytes_of = [
        {str(one.relative_to(side)): one.read_bytes() for kind in kinds for one in side.glob(kind)}
        for side in (first, target)
    ]
    assert bytes_of[0] == bytes_of[1] and len(bytes_of[0]) == 9


def test_mdetr_s_evaluation_joins_its_ground_truth_by_the_name_of_the_picture_and_the_number_of_the_sentence(
    tmp_path: Path,
) -> None:
    chains = ["1", "2", "2"]
    boxes = [DatasetBox(Box(1, 2, 30, 40), ("1", "2")), DatasetBox(Box(5, 5, 9, 9), ("2",))]
    images = [
        phrases("people: a man", "people: a man", "people: he", name=name, chains=chains, boxes=boxes)
        for name in ("1000092795", "36979")
    ]
    images = [replace(one, captions=(*one.captions, joined_caption(("Night", "."))), path="") for one in images]
    write_files(FLICKR30K, images, tmp_path / "source")
    import_dataset(project_name="entities", path=tmp_path / "source")
    export_dataset(project=Project.objects.get(), target=tmp_path / "set.json", export_format="mdetr")
    data = json.loads((tmp_path / "set.json").read_text())
    rows = {(one["original_img_id"], one["sentence_id"]): one for one in data["images"]}
    truth = {
        (int(name), sentence): text
        for name, image in read_entities(tmp_path / "source").items()
        for sentence, text in enumerate(image.sentences)
    }
    assert {key: row["caption"] for key, row in rows.items()} == truth and len(truth) == len(data["images"]) == 8


def test_parts_of_parquet_files_are_the_splits_that_the_hubs_reader_shows(
    exported_everything: dict[str, tuple[Path, Found]], tmp_path: Path
) -> None:
    folder, _ = exported_everything["made"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import datasets

        loaded = datasets.load_dataset(str(folder / "parts"), cache_dir=str(tmp_path))

    found = {part: [*rows["file_name"]] for part, rows in loaded.items()}
    assert found == {"train": ["B.PNG", "cam 1/pair.jpg"], "val": ["cam 1/none.jpg"]}
