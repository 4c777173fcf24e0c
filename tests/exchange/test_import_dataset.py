"""A source becomes the rows of a project, and problems are told with their place."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from annotation.models import Box, Chain, Gold, Image, Mention, Project
from exchange.dataset import Problem
from exchange.import_dataset import import_dataset
from exchange.import_report import ImportReport
from exchange.problems import SourceError
from pipeline.models import Entry, Question, SettingsVersion
from pipeline.project.settings_versions import change_settings
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.tick import tick
from tests.exchange.test_import_stops import stored_pictures

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_storage")]


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
        for row in entry.data["mentions"]:
            vectors[row[5].lower()].add(row[7])
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
    import_dataset(project_name="parks", path=source, settings=ProtocolSettings(strategy=Strategy.GREEDY))
    project = Project.objects.get()
    Image.objects.order_by("position").last().delete()  # type: ignore[union-attr]
    change_settings(project_id=project.id, settings=ProtocolSettings())
    import_dataset(project_name="parks", path=source, settings=ProtocolSettings(strategy=Strategy.EXHAUSTIVE))
    assert sorted(Entry.objects.filter(kind="import").values_list("settings_version", flat=True)) == [1] * 5 + [2]
    assert SettingsVersion.objects.count() == 2, "settings are for a project that is made now"


# --- Sources that cannot be read, and the command ---


def test_a_source_that_is_none_or_cannot_be_read_is_refused_and_makes_no_project(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bare" / "Sentences").mkdir(parents=True)
    (tmp_path / "bare" / "Sentences" / "1.txt").write_text("[/EN#1/people A man] .\n")
    for name, reason in (
        ("empty", "is in no known format"),
        ("nowhere", "does not exist"),
        ("bare", "the sizes of the images are unknown"),
    ):
        path = tmp_path / name
        with pytest.raises(SourceError, match=reason):
            import_dataset(project_name="parks", path=path)
        with pytest.raises(CommandError):
            call_command("import_dataset", "parks", str(path))
    assert Project.objects.count() == 0


def test_the_command_says_what_was_imported(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("import_dataset", "parks", str(source), "--as", "gold", "--strategy", "exhaustive")
    assert "parks: 6 images with" in capsys.readouterr().out
    assert ProtocolSettings.from_json(SettingsVersion.objects.get().values).strategy is Strategy.EXHAUSTIVE
    call_command("import_dataset", "parks", str(source))
    assert "6 images were in the project already" in capsys.readouterr().out


def test_the_command_prints_every_problem(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = sorted((source / "Sentences").glob("*.txt"))[0]
    text.write_text("[/EN#1/people a man\n")
    call_command("import_dataset", "parks", str(source))
    assert f"{text.name}:1" in capsys.readouterr().err
    with pytest.raises(CommandError, match="Nothing was imported: 1 problem"):
        call_command("import_dataset", "other", str(source), "--strict")


def test_a_project_name_that_is_none_is_refused(source: Path) -> None:
    with pytest.raises(CommandError, match="not a project name"):
        call_command("import_dataset", "a/b", str(source))


def test_the_report_counts_an_image_with_two_problems_once() -> None:
    problems = [Problem("a", 1, "1", "x"), Problem("a", 2, "1", "y"), Problem("a", 3, "", "z")]
    assert ImportReport(problems=problems).left_out == 1
