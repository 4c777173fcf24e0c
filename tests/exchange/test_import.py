"""An import of our own export lacks little, by the format: docs/reference/formats.md lists the same.
An import that is stopped, fails or is refused leaves nothing half done, and can be run again.
A source becomes the rows of a project, and problems are told with their place.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import Box, Caption, Chain, Gold, Image, KnownBox, Mention, MergedBox, Project
from exchange import import_dataset as importing
from exchange import import_image as writing
from exchange.checks import SourceError
from exchange.dataset import DatasetImage, Problem
from exchange.import_dataset import ImportReport, StrictImportError, import_dataset
from pipeline.models import Entry, Progress, Question, SettingsVersion
from pipeline.project.settings_versions import change_settings
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.pictures import plain_jpeg
from tests.support.table import row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_storage")]


def folder_source(tmp_path: Path, *lines: str, name: str = "captions.jsonl") -> Path:
    folder = tmp_path / "folder"
    (folder / "images").mkdir(parents=True)
    for number in (1, 2):
        (folder / "images" / f"{number}.jpg").write_bytes(plain_jpeg(40 * number, 30))
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_new_types_come_from_the_dictionaries_as_the_project_edits_them(tmp_path: Path) -> None:
    source = folder_source(tmp_path, '{"image": "1.jpg", "captions": ["[a gizmo] on [a dog]"]}')
    edited = Settings(dictionaries={"add": {"instruments": ["gizmo"]}})
    import_dataset(project_name="parks", path=source, settings=edited)
    assert list(Mention.objects.order_by("number").values_list("types", flat=True)) == [["instruments"], ["animals"]]


def test_a_folder_with_csv_and_marked_phrases(tmp_path: Path) -> None:
    lines = ["image,caption", "1.jpg,[/people A man] with [a hat]", '1.jpg,"[He], again"', "2.jpg,[A dog] runs"]
    report = import_dataset(project_name="parks", path=folder_source(tmp_path, *lines, name="captions.csv"))
    assert (report.images, report.problems, report.mentions) == (2, [], 3)
    texts = Mention.objects.order_by("image__position", "number").values_list("text", "types")
    assert list(texts) == [("A man", ["people"]), ("a hat", ["clothing"]), ("A dog", ["animals"])]
    assert Caption.objects.get(text="He, again").non_visual == [[0, 1]], "a pronoun is not a mention"
    assert list(Image.objects.values_list("width", "height")) == [(40, 30), (80, 30)]
    tick()
    assert list(replay(Project.objects.get())) == []


def test_captions_without_phrases_wait_and_are_reported_where_nothing_can_chunk_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)
    lines = ['{"image": "1.jpg", "captions": ["A man runs"]}', '{"image": "2.jpg", "captions": ["[A dog] runs"]}']
    source = folder_source(tmp_path, *lines)
    call_command("import_dataset", "parks", str(source))
    assert "Images that wait for their phrases: 1." in capsys.readouterr().out
    Project.objects.update(state="running")
    tick()
    assert list(Image.objects.order_by("position").values_list("state", flat=True)) == ["linking", "boxing"]
    waiting = Image.objects.get(name="1")
    assert (waiting.mentions.count(), waiting.questions.count(), waiting.entries.count()) == (0, 0, 1)
    assert list(replay(Project.objects.get())) == []


def test_a_phrase_longer_than_any_table_holds_is_reported(tmp_path: Path) -> None:
    long = "very " * 150 + "long dog"
    lines = [f'{{"image": "1.jpg", "captions": ["[{long}]"]}}', '{"image": "2.jpg", "captions": ["[A dog] runs"]}']
    report = import_dataset(project_name="parks", path=folder_source(tmp_path, *lines))
    assert (report.images, [problem.image for problem in report.problems]) == (1, ["1.jpg"])
    assert "captions.jsonl:1" in str(report.problems[0]) and "500" in str(report.problems[0])


def coco_source(tmp_path: Path, category: str = "dog") -> Path:
    folder = tmp_path / "coco"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "7.jpg").write_bytes(plain_jpeg(40, 30))
    images = [{"id": 7, "file_name": "7.jpg", "width": 40, "height": 30}]
    captions = [{"id": 1, "image_id": 7, "caption": "A dog runs"}]
    box = {"id": 1, "image_id": 7, "category_id": 1, "bbox": [1.0, 2.0, 10.0, 20.0]}
    (folder / "captions.json").write_text(json.dumps({"images": images, "annotations": captions}))
    categories = [{"id": 1, "name": category}]
    instances = {"images": images, "annotations": [box], "categories": categories}
    (folder / "instances.json").write_text(json.dumps(instances))
    return folder


@pytest.mark.parametrize("gold", [False, True])
def test_coco_boxes_are_known_boxes_with_a_category_and_never_chains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, gold: bool
) -> None:
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)
    report = import_dataset(project_name="parks", path=coco_source(tmp_path), gold=gold)
    assert (report.images, report.problems) == (1, [])
    known = KnownBox.objects.get()
    assert (known.category, known.box) == ("dog", (1, 2, 11, 22))
    assert (Chain.objects.count(), Box.objects.count()) == (0, 0)
    assert Image.objects.get().state != "merged"


def test_a_category_longer_than_any_table_holds_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)
    report = import_dataset(project_name="parks", path=coco_source(tmp_path, category="d" * 101))
    assert (report.images, report.left_out) == (0, 1) and "100" in str(report.problems[0])


TABLES = (Project, SettingsVersion, Image, Caption, Mention, Chain, Box, MergedBox, Gold, KnownBox, Entry, Progress)


def stop_at(number: int) -> Callable[[Iterable[DatasetImage | Problem], int], Iterable[DatasetImage | Problem]]:
    """The user presses Ctrl-C when this many images have been read."""

    def progress(images: Iterable[DatasetImage | Problem], total: int) -> Iterable[DatasetImage | Problem]:
        for count, image in enumerate(images):
            if count == number:
                raise KeyboardInterrupt
            yield image

    return progress


def stored_pictures(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def contents() -> Any:
    """Return the imported rows, without ids and times."""
    return [
        list(Image.objects.order_by("position").values_list("name", "position", "width", "height", "state", "picture")),
        list(Caption.objects.order_by("image__position", "number").values_list("text", "words", "chunked")),
        list(Mention.objects.order_by("image__position", "number").values_list("number", "text", "types", "chain")),
        list(Chain.objects.order_by("image__position", "name").values_list("name", "state", "non_visual")),
        list(Box.objects.order_by("image__position", "number").values_list("chain", "x0", "y0", "x1", "y1", "state")),
        list(Gold.objects.order_by("image__position").values_list("chains", flat=True)),
        list(Entry.objects.order_by("image__position", "sequence").values_list("kind", "data", "settings_version")),
    ]


# --- Stopped and run again ---


@pytest.mark.both_engines
@pytest.mark.parametrize("number", [0, 1, 2, 5])
@pytest.mark.parametrize("gold", [False, True])
def test_stopped_in_the_middle_and_run_again_nothing_is_double_or_lost(source: Path, number: int, *, gold: bool):
    import_dataset(project_name="whole", path=source, gold=gold)
    whole = contents()
    Entry.objects.all()._raw_delete("default")
    for table in (Progress, Gold, Box, MergedBox, Chain, Mention, Caption):
        table.objects.all().delete()
    Image.objects.all().delete()
    with pytest.raises(KeyboardInterrupt):
        import_dataset(project_name="parks", path=source, gold=gold, progress=stop_at(number))
    assert Image.objects.count() == number
    report = import_dataset(project_name="parks", path=source, gold=gold)
    assert (report.images, report.already_there) == (6 - number, number)
    assert contents() == whole
    again = import_dataset(project_name="parks", path=source, gold=gold)
    assert (again.images, again.already_there) == (0, 6)
    assert contents() == whole
    assert list(replay(Project.objects.get(name="parks"))) == []


@pytest.mark.both_engines
def test_an_image_that_fails_while_it_is_written_is_not_there_at_all(source: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "begin_record", fail)
    with pytest.raises(KeyboardInterrupt):
        import_dataset(project_name="parks", path=source)
    assert (Image.objects.count(), Caption.objects.count(), Mention.objects.count()) == (0, 0, 0)


# --- Strict ---


@pytest.mark.both_engines
def test_strict_refuses_everything_and_leaves_nothing_behind(pictured: Path, empty_storage: Path) -> None:
    last = sorted((pictured / "Sentences").glob("*.txt"))[-1]
    last.write_text("[/EN#1/people a man\n")
    with pytest.raises(StrictImportError) as refused:
        import_dataset(project_name="parks", path=pictured, strict=True)
    assert [problem.image for problem in refused.value.problems] == [last.stem]
    assert not any(table.objects.exists() for table in TABLES)
    assert stored_pictures(empty_storage) == []


@pytest.mark.both_engines
def test_strict_keeps_what_the_project_had_before(pictured: Path, empty_storage: Path) -> None:
    import_dataset(project_name="parks", path=pictured)
    before, pictures = contents(), stored_pictures(empty_storage)
    text = sorted((pictured / "Sentences").glob("*.txt"))[0]
    for name in ("new-1", "new-2"):  # the same picture again, and one of their own
        shutil.copy(text, text.with_name(f"{name}.txt"))
        shutil.copy(pictured / "Annotations" / f"{text.stem}.xml", pictured / "Annotations" / f"{name}.xml")
        shutil.copy(pictured / "images" / f"{text.stem}.jpg", pictured / "images" / f"{name}.jpeg")
    text.with_name("new-3.txt").write_text("[oops\n")
    with pytest.raises(StrictImportError):
        import_dataset(project_name="parks", path=pictured, strict=True)
    assert contents() == before
    assert stored_pictures(empty_storage) == pictures, "pictures of other images stay"


@pytest.mark.both_engines
def test_strict_without_problems_imports_all(source: Path) -> None:
    assert import_dataset(project_name="parks", path=source, strict=True).images == 6


@pytest.mark.both_engines
def test_a_strict_import_that_is_stopped_leaves_nothing_behind(pictured: Path, empty_storage: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        import_dataset(project_name="parks", path=pictured, strict=True, progress=stop_at(3))
    assert not any(table.objects.exists() for table in TABLES)
    assert stored_pictures(empty_storage) == []


@pytest.mark.both_engines
@pytest.mark.parametrize("strict", [False, True])
def test_nobody_waits_for_the_pictures_of_an_import(
    pictured: Path, empty_storage: Path, monkeypatch: pytest.MonkeyPatch, *, strict: bool
) -> None:
    """Pictures are decoded, and phrases found, while no transaction is open."""
    steps: list[str] = []

    def note(step: str) -> Callable[..., Any]:
        real = getattr(importing, step)

        def noted(*args: Any, **options: Any) -> Any:
            assert len(connection.savepoint_ids) == depth and connection.in_atomic_block == inside
            steps.append(step)
            return real(*args, **options)

        return noted

    depth, inside = len(connection.savepoint_ids), connection.in_atomic_block
    for step in ("verify_picture", "store_picture", "with_types"):
        monkeypatch.setattr(importing, step, note(step))
    report = import_dataset(project_name="parks", path=pictured, strict=strict)
    assert len(steps) == 3 * report.images > 0


@pytest.mark.both_engines
def test_a_picture_that_was_replaced_after_a_strict_check_is_left_out(
    pictured: Path, empty_storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = sorted((pictured / "images").iterdir())[0]
    real = importing._checked

    @contextmanager
    def then_removed(images: Any) -> Iterator[Any]:
        with real(images) as checked:
            first.unlink()
            yield checked

    monkeypatch.setattr(importing, "_checked", then_removed)
    report = import_dataset(project_name="parks", path=pictured, strict=True)
    assert [problem.message for problem in report.problems] == ["the picture cannot be read: No such file or directory"]
    assert report.images == Image.objects.count() > 0


def test_known_annotations_arrive_finished(source: Path) -> None:
    report = import_dataset(project_name="parks", path=source)
    assert (report.images, report.problems, report.already_there, report.waiting_for_phrases) == (6, [], 0, 0)
    assert report.mentions == Mention.objects.count() > 60
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"}
    assert set(Chain.objects.values_list("state", flat=True)) == {"complete", "non-visual"}
    assert not Chain.objects.exclude(merged_into=None).exists(), "chains are taken as they are, not merged again"
    tick()
    assert Question.objects.count() == 0
    assert list(replay(Project.objects.get())) == []


def test_the_record_has_the_words_before_each_phrase(source: Path) -> None:
    import_dataset(project_name="parks", path=source)
    later = list(Mention.objects.select_related("caption").filter(start__gt=0)[:20])
    assert len(later) == 20
    for mention in later:
        entry = Entry.objects.get(image=mention.image_id, sequence=0)
        row = next(row for row in entry.data["mentions"] if row[0] == mention.number)
        assert row[6] == " ".join(mention.caption.words[max(0, mention.start - 4) : mention.start])


def test_the_record_has_the_vector_of_each_phrase_where_the_service_makes_them(
    source: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    import_dataset(project_name="parks", path=source)
    assert {len(row) for entry in Entry.objects.filter(sequence=0) for row in entry.data["mentions"]} == {7}
    settings.PHRASE_VECTORS = True
    call_command("import_dataset", "more-parks", str(source), use="gold")
    assert "mentions imported, with vectors of their phrases." in capsys.readouterr().out
    vectors: dict[str, set[str]] = defaultdict(set)
    for entry in Entry.objects.filter(sequence=0, project__name="more-parks"):
        for mention in entry.data["mentions"]:
            vectors[mention[5].lower()].add(mention[7])
    assert len(vectors) > 10 and {len(own) for own in vectors.values()} == {1}, "equal phrases have equal vectors"
    assert {len(vector) for own in vectors.values() for vector in own} == {64}
    settings.PHRASE_VECTORS = False
    tick()
    assert list(replay(Project.objects.get(name="more-parks"))) == [], "they stand in the record"


def test_gold_stands_beside_an_image_that_is_still_to_be_annotated(source: Path) -> None:
    report = import_dataset(project_name="parks", path=source, gold=True)
    assert (report.images, Gold.objects.count(), Chain.objects.count(), Box.objects.count()) == (6, 6, 0, 0)
    assert {len(gold.chains) > 0 for gold in Gold.objects.all()} == {True}
    tick()
    assert set(Image.objects.values_list("state", flat=True)) == {"linking"}
    assert Question.objects.filter(task="coreference_link", for_people=False).exists()
    assert list(replay(Project.objects.get())) == []


def test_a_source_without_any_pictures_is_taken_without_them(source: Path, empty_storage: Path) -> None:
    import_dataset(project_name="parks", path=source)
    assert set(Image.objects.values_list("picture", flat=True)) == {""}
    assert stored_pictures(empty_storage) == []


def test_pictures_are_stored_and_a_missing_one_leaves_its_image_out(pictured: Path, empty_storage: Path) -> None:
    names = sorted(file.stem for file in (pictured / "images").iterdir())
    (pictured / "images" / f"{names[1]}.jpg").unlink()
    report = import_dataset(project_name="parks", path=pictured)
    assert (report.images, report.left_out) == (3, 1)
    (problem,) = report.problems
    assert problem.image == names[1] and names[1] in str(problem) and "picture" in str(problem).lower()
    assert sorted(Image.objects.values_list("name", flat=True)) == [names[0], *names[2:]]
    for image in Image.objects.all():
        assert default_storage.exists(image.picture)
    assert len(stored_pictures(empty_storage)) == 3


def test_bad_images_are_reported_with_file_and_line_and_the_rest_goes_in(pictured: Path) -> None:
    texts = sorted((pictured / "Sentences").glob("*.txt"))
    lines = texts[0].read_text().splitlines()
    lines[2] = "[/EN#1/people a man with [/EN#2/clothing a hat]"
    texts[0].write_text("\n".join(lines) + "\n")
    (pictured / "Annotations" / f"{texts[1].stem}.xml").write_text("<annotation>\n<size>")
    image = pictured / "images" / f"{texts[2].stem}.jpg"
    image.write_bytes(image.read_bytes()[:2000])
    report = import_dataset(project_name="parks", path=pictured)
    assert report.images == 1 and report.left_out == 3
    first, second, third = sorted(report.problems, key=lambda problem: problem.image)
    assert f"Sentences/{texts[0].name}:3" in str(first)
    assert texts[1].stem in str(second) and second.line == 2
    assert third.image == f"{texts[2].stem}.jpg" and "picture" in str(third)
    assert all(problem.file and problem.message for problem in report.problems)
    assert Image.objects.get().name == texts[3].stem


def test_the_import_names_the_settings_it_was_made_under(source: Path) -> None:
    import_dataset(project_name="parks", path=source, settings=Settings(strategy=LinkStrategy.GREEDY))
    project = Project.objects.get()
    Image.objects.order_by("position").last().delete()  # type: ignore[union-attr]
    change_settings(project_id=project.id, settings=Settings())
    import_dataset(project_name="parks", path=source, settings=Settings(strategy=LinkStrategy.EXHAUSTIVE))
    assert sorted(Entry.objects.filter(kind="import").values_list("settings_version", flat=True)) == [1] * 5 + [2]
    assert SettingsVersion.objects.count() == 2, "settings are for a project that is made now"


# --- Sources that cannot be read, and the command ---


def test_a_source_or_a_name_that_is_none_or_cannot_be_read_is_refused_and_makes_no_project(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bare" / "Sentences").mkdir(parents=True)
    (tmp_path / "bare" / "Sentences" / "1.txt").write_text("[/EN#1/people A man] .\n")
    reasons = {"empty": "is in no known format", "nowhere": "does not exist"}
    reasons |= {"bare": "the sizes of the images are unknown"}
    with pytest.raises(CommandError, match="'a/b' is not a name"):
        call_command("import_dataset", "a/b", str(tmp_path / "bare"))
    for name, reason in reasons.items():
        path = tmp_path / name
        with pytest.raises(SourceError, match=reason):
            import_dataset(project_name="parks", path=path)
        with pytest.raises(CommandError):
            call_command("import_dataset", "parks", str(path))
    assert Project.objects.count() == 0


def test_the_command_says_what_was_imported(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("import_dataset", "parks", str(source), "--use", "gold")
    assert "parks: 6 images with" in capsys.readouterr().out and Project.objects.get().state == "draft"
    call_command("import_dataset", "parks", str(source))
    assert "6 images were in the project already" in capsys.readouterr().out


def test_the_command_prints_every_problem(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = sorted((source / "Sentences").glob("*.txt"))[0]
    text.write_text("[/EN#1/people a man\n")
    call_command("import_dataset", "parks", str(source))
    assert f"{text.name}:1" in capsys.readouterr().err
    with pytest.raises(CommandError, match="Nothing was imported: 1 problem"):
        call_command("import_dataset", "other", str(source), "--strict")


def test_the_report_counts_an_image_with_two_problems_once() -> None:
    problems = [Problem("a", 1, "1", "x"), Problem("a", 2, "1", "y"), Problem("a", 3, "", "z")]
    assert ImportReport(problems=problems).left_out == 1


def test_an_import_of_which_nothing_comes_is_an_error_and_makes_no_project(tmp_path: Path, capsys: Any) -> None:
    source = folder_source(tmp_path, '{"image": "3.jpg", "captions": ["A dog"]}', '{"image": "1.jpg", "captions": []}')
    with pytest.raises(CommandError, match=r"Nothing was imported: 3 images left out, the first as captions\.jsonl"):
        call_command("import_dataset", "parks", str(source))
    assert "the picture 3.jpg is missing" in capsys.readouterr().err
    assert not Project.objects.exists()


@row((["A dog", "A wet dog"], ["A cat"]), "")
@row((["A wet dog", "A dog"], ["A cat"]), "1 image {came}: 1.jpg (in another order).")
@row((["A dog"], ["A kitten"]), "2 images {came}: 1.jpg (2 here, 1 in the source), 2.jpg (other words in the source).")
def test_an_import_again_says_which_images_came_with_other_captions_and_how(
    again: tuple[list[str], list[str]], said: str, tmp_path: Path, capsys: Any
) -> None:
    source = folder_source(tmp_path)
    for captions in ((["A dog", "A wet dog"], ["A cat"]), again):
        rows = [{"image": f"{number}.jpg", "captions": own} for number, own in enumerate(captions, start=1)]
        (source / "captions.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows))
        call_command("import_dataset", "parks", str(source))
    told = capsys.readouterr().out
    assert "2 images were in the project already" in told
    assert said.format(came="of the project came again with other captions, and stay as they are") in told
    assert ("other captions" in told) == bool(said)
    stored = Caption.objects.order_by("image__position", "number").values_list("text", flat=True)
    assert list(stored) == ["A dog", "A wet dog", "A cat"]


def test_boxes_without_captions_are_told_with_what_to_add(tmp_path: Path) -> None:
    source = coco_source(tmp_path)
    (source / "captions.json").unlink()
    with pytest.raises(CommandError, match=r"boxes found, captions missing: instances\.json .* Add captions\.json"):
        call_command("import_dataset", "parks", str(source))


def test_shares_of_the_picture_are_refused_until_the_import_is_told_that_they_are(tmp_path: Path) -> None:
    source = coco_source(tmp_path)
    instances = json.loads((source / "instances.json").read_text())
    for one in instances["annotations"]:
        one["bbox"] = [0.25, 0.2, 0.5, 0.6]
    (source / "instances.json").write_text(json.dumps(instances))
    with pytest.raises(CommandError, match="all edges of its boxes are at most 1: shares of the picture"):
        call_command("import_dataset", "parks", str(source))
    assert not Project.objects.exists()
    call_command("import_dataset", "parks", str(source), boxes="shares")
    box, image = KnownBox.objects.first(), Image.objects.first()
    assert box and image and (box.x0, box.x1) == (image.width // 4, image.width * 3 // 4)
    with pytest.raises(CommandError, match="in the format folder, whose boxes have one unit: leave the choice out"):
        call_command("import_dataset", "other", str(folder_source(tmp_path, "")), boxes="shares")
