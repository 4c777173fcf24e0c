"""A data card says what happened: who answered, how much they agree, what was given, and what is missing.
Counts of ranges, kept as JSON and added: nothing is lost, and the sums are those of all images at once.
Agreement equals worked examples and the definition of Krippendorff's alpha.
The card of every format is valid, names every file, and its rows load: as many as the export holds.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Caption, MergedBox, Project
from exchange.data_card.counts import (
    AnswerCounts,
    Overlap,
    RowCounts,
    add_counts,
    agreement,
    counts_as_json,
    profile_of,
)
from exchange.data_card.facts import count
from exchange.export_dataset import export_dataset
from exchange.export_options import ExportOptions
from exchange.import_dataset import import_dataset
from exchange.import_image import import_image
from exchange.registry import FORMATS, export_formats
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.project.settings_versions import change_settings, current_settings, make_project, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import void_judgments
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from simulation.scenes.scene import make_scene
from simulation.simulate import simulate
from tests.support.data_cards import card_folder, card_json, card_text, front_matter, read_croissant
from tests.support.projects import answer, box, phrases, project_of, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db

DRAW, QUALITY, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
PERSON, PROGRAM, VIRTUAL = Worker.Kind.PERSON, Worker.Kind.PROGRAM, Worker.Kind.VIRTUAL


@pytest.fixture
def drawn() -> Project:
    """A man whom a person drew, a program judged, and two people covered: they disagreed, and a third decided."""
    project = project_of(phrases("people: a man"))
    answer(project, worker(project, "Ada Lovelace"), DRAW, box(1, 2, 50, 60))
    answer(project, worker(project, "qwen", kind=PROGRAM), QUALITY, "good")
    for name, said in (("Bob Martin", "all there"), ("Cleo Smith", "more needed"), ("Dan Brown", "all there")):
        if project.images.filter(state="merged").exists():
            break
        answer(project, worker(project, name), COVER, said)
    return project


def export(project: Project, target: Path, **options: Any) -> Path:
    export_dataset(project=project, target=target, export_format="odvg", include_unmerged=True, **options)
    return target


def both(target: Path) -> str:
    """Return both files as one text."""
    return card_text(target) + json.dumps(card_json(target), ensure_ascii=False)


def row(text: str, first: str) -> list[str]:
    """Return the cells of the first row of a table that begins with this cell."""
    found = re.search(rf"^\| {re.escape(first)} \|.*$", text, re.MULTILINE)
    assert found, f"no row {first!r}"
    return [cell.strip() for cell in found[0].strip("|").split("|")]


def verification(project: Project, who: Worker, *rights: bool, purpose: str = "verification") -> None:
    """Store answers of the worker to verification questions about drawn boxes."""
    image = project.images.get()
    work = Assignment.objects.filter(worker=who).first()
    for number, right in enumerate(rights):
        place = {"project": project, "task": QUALITY.value, "image": image, "key": f"{who.name} {number}"}
        known = KnownQuestion.objects.create(**place, shown={}, truth="good", purpose=purpose, source="gold")
        assert work is not None
        Judgment.objects.create(
            known=known, right=right, worker=who, assignment=work, answer="good", created_at=work.created_at
        )


def test_people_and_programs_are_counted_apart_and_no_person_is_named(drawn: Project, tmp_path: Path) -> None:
    out = export(drawn, tmp_path / "out.jsonl")
    text = card_text(out).partition("## Who annotated")[2]
    assert row(text, "people") == ["people", "4", "4", "80.0 %"]
    assert row(text, "programs") == ["programs", "1", "1", "20.0 %"]
    assert row(text, "qwen") == ["qwen", "0", "1", "0"]
    assert card_json(out)["rai:machineAnnotationTools"] == ["qwen: 1 answer to box quality"]
    for name in Worker.objects.filter(kind=PERSON).values_list("name", flat=True):
        assert name not in both(out) and name.split()[0] not in both(out)


def test_agreement_is_of_questions_with_several_answers_that_count(drawn: Project, tmp_path: Path) -> None:
    text = card_text(export(drawn, tmp_path / "out.jsonl"))
    assert row(text, "box coverage")[2:] == ["1", "3", "3.00", "3"]
    agreed = re.findall(r"^\| box coverage \|.*$", text, re.MULTILINE)[1]
    assert [cell.strip() for cell in agreed.strip("|").split("|")][1:4] == ["1", "33.3 %", "0.000"]


def test_voided_answers_count_nowhere(tmp_path: Path) -> None:
    project = project_of(phrases("people: a man"))
    answer(project, worker(project, "Ada"), DRAW, box(1, 2, 50, 60))
    before = card_text(export(project, tmp_path / "before.jsonl"))
    image, judgment = project.images.get(), Judgment.objects.get()
    void_judgments(image_id=image.pk, judgment_ids=[judgment.pk], reason="bad work", actor="staff")
    after = card_text(export(project, tmp_path / "after.jsonl"))
    assert "## Who annotated" in before and "## Who annotated" not in after
    told = "1 answer was taken back or came too late, and does not count. No answer about these pictures counts."
    assert told in after


def test_verification_questions_tell_how_many_were_right(drawn: Project, tmp_path: Path) -> None:
    verification(drawn, Worker.objects.get(name="Ada Lovelace"), True, True, False)
    verification(drawn, Worker.objects.get(name="qwen"), False)
    verification(drawn, Worker.objects.get(name="Bob Martin"), True, False, purpose="test")
    out = export(drawn, tmp_path / "out.jsonl")
    text = card_text(out).partition("## Verification questions")[2]
    assert row(text, "box quality") == ["box quality", "4", "4", "50.0 %", "0.0 %", "78 %"]
    assert "Qualification tests: 2 answers, 50.0 % right." in text
    said = card_json(out)["rai:dataAnnotationAnalysis"]
    assert "Verification questions, box quality: 50.0 % of 4 answers right." in said


def test_simulated_workers_are_called_so_and_nobody_was_paid(tmp_path: Path) -> None:
    project = project_of(phrases("people: a man"))
    answer(project, worker(project, "robot", kind=VIRTUAL), DRAW, box(1, 2, 50, 60))
    Assignment.objects.update(earned_cents=100)
    out = export(project, tmp_path / "out.jsonl")
    card = card_json(out)
    assert "> **Simulated: virtual workers, played by a program, gave all answers." in card_text(out)
    assert "Simulated" in card["description"] and card["rai:dataLimitations"][0].startswith("Simulated")
    assert card["rai:dataCollectionType"] == ["Software Collection"]
    assert "No people worked, so nobody was paid." in both(out)


def test_pay_is_told_of_five_people_and_never_of_few(drawn: Project, tmp_path: Path) -> None:
    settings = replace(current_settings(drawn.pk)[1], currency="EUR")
    change_settings(project_id=drawn.pk, settings=settings, reason="pay")
    done = Assignment.objects.exclude(worker__kind=PROGRAM)
    for one in done:
        assert one.ended_at is not None
        minutes = timedelta(minutes=6)
        Assignment.objects.filter(pk=one.pk).update(
            created_at=one.ended_at - minutes, expires_at=one.ended_at + minutes, earned_cents=120
        )
    few = card_text(export(drawn, tmp_path / "few.jsonl"))
    assert "4 people were paid: too few to tell what without telling whom." in few and "€" not in few
    first = done.all().first()
    assert first is not None
    first.pk, first.worker, first.token = None, worker(drawn, "Eve"), "00000000-0000-0000-0000-000000000001"
    first.save()
    assert "5 people were paid; the median person €12.00 an hour" in card_text(export(drawn, tmp_path / "five.jsonl"))


def test_an_import_without_answers_says_that_nobody_answered(source: Path, tmp_path: Path) -> None:
    import_dataset(project_name="parks", path=source)
    out = export(Project.objects.get(), tmp_path / "out.jsonl")
    assert "Chains and boxes of 6 pictures came with the import. Nobody has answered" in card_text(out)
    card = card_json(out)
    assert (card["rai:annotationsPerItem"], card["rai:dataCollectionType"]) == ("None: nobody answered.", ["Others"])
    assert "rai:dataCollectionTimeframe" not in card and "## Who annotated" not in card_text(out)


def test_what_the_requester_gave_is_in_both_files_and_what_is_missing_is_called_not_given(
    drawn: Project, tmp_path: Path
) -> None:
    told = {"license": "CC-BY-4.0", "url": "https://example.org/parks_1", "creators": "Ada\nBob", "uses": "Research."}
    told |= {"institution": "A lab", "citation": "@misc{parks,\n title={Parks}}"}
    Project.objects.update(data_card=told, title="Parks")
    out = export(Project.objects.get(), tmp_path / "out.jsonl")
    text, card = card_text(out), card_json(out)
    assert row(text, "License")[1] == "CC-BY-4.0" and "<https://example.org/parks_1>" in text
    assert "Not given: source, contact." in text and "Not given: personal or sensitive information" in text
    assert "```\n@misc{parks,\n title={Parks}}\n```" in text
    assert (card["license"], card["url"], card["citeAs"]) == (told["license"], told["url"], told["citation"])
    assert [one["name"] for one in card["creator"]] == ["Ada", "Bob", "A lab"]
    assert card["rai:dataCollection"] == "Source of pictures and captions: not given."
    assert front_matter(out)["license"] == "cc-by-4.0"


HOSTILE = [
    'He said "no": it\'s\n- a: [list]\n---\nlicense: mit\n',
    "<script>alert(1)</script> | cell | `code` [link](https://example.org) **bold**",
    "\u202eتجربة\u202c رخصة",
    "```\n# Not a heading\n````",
    "\x07bell \x85 next \u2028 line \ufeff mark",
    "x" * 10_000,
]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_stay_texts(drawn: Project, tmp_path: Path, text: str) -> None:
    names = ("license", "source", "creators", "citation", "recruiting", "biases")
    Project.objects.update(data_card=dict.fromkeys(names, text), title=text[:200].strip())
    out = export(Project.objects.get(), tmp_path / "out.jsonl")
    on_top, shown = front_matter(out), card_text(out)
    keys = {"pretty_name", "license", "license_name", "task_categories", "size_categories", "tags"}
    assert on_top["license"] == "other" and on_top.keys() == keys
    assert on_top["pretty_name"] == " ".join(text[:200].split())
    assert read_croissant(out) and card_json(out)["license"] == text.strip()
    body = shown.partition("\n---\n")[2]
    outside, inside = re.sub(r"^(`{3,})\n.*?^\1$", "", body, flags=re.MULTILINE | re.DOTALL), body
    assert "<script" not in outside and "[link](" not in outside and "# Not" not in outside.replace("\\# Not", "")
    assert len(re.findall("^## Citation$", outside, re.MULTILINE)) == 1 and inside.rstrip().endswith("the same.")


def test_boxes_that_options_leave_out_are_not_counted_and_said(drawn: Project, tmp_path: Path) -> None:
    Worker.objects.filter(name="Ada Lovelace").update(kind=PROGRAM)
    Worker.objects.filter(name__in=["Bob Martin", "Cleo Smith", "Dan Brown"]).update(kind=PROGRAM)
    text = card_text(export(drawn, tmp_path / "out.jsonl", options=ExportOptions(people_only=True)))
    assert row(text, "boxes")[1] == "0"
    assert "Boxes left out that no person drew or judged: 1." in text


def test_settings_versions_are_told_by_what_changed(drawn: Project, tmp_path: Path) -> None:
    change_settings(project_id=drawn.pk, settings=Settings(coverage_votes=3), reason="Ada wants more")
    text = card_text(export(drawn, tmp_path / "out.jsonl")).partition("## Settings")[2]
    assert row(text, "2")[3] == "Votes for all boxes there"
    assert "Ada" not in text


@pytest.mark.slow
def test_the_counts_of_two_ranges_together_are_those_of_all_images() -> None:
    project = open_project(name="parks")
    for number in range(3):
        import_image(project, number, make_scene(7, number).image, picture="", gold=True, settings_version=1)
    tick(project_id=project.id)
    simulate(project=project, crowd="paper", seed=1, most=150)
    busy = Judgment.objects.earliest("pk").worker_id
    Worker.objects.filter(pk=busy).update(kind=Worker.Kind.PROGRAM)
    ids = list(project.images.values_list("id", flat=True))
    rows, answers = RowCounts(), AnswerCounts()
    for part in (ids[:1], ids[1:]):
        add_counts(rows, answers, json.loads(json.dumps(counts_as_json(*count(part)))))
    every = count(ids)
    assert every[1].tasks and every[1].programs and every[0].answered_to
    assert (rows, answers) == every


# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), sections B and C: a row is one observer's values.
TWO_OBSERVERS = ("0100000010", "1110010000")
FOUR_OBSERVERS = ("123321412...", "1233224125.3", ".33323422" + "51.", "12332441251.")


def units(observers: Sequence[str]) -> list[str]:
    """Return the values of each unit; a dot stands for none."""
    return ["".join(column).replace(".", "") for column in zip(*observers, strict=True)]


def found_alpha(words: Sequence[str]) -> float | None:
    return agreement(Counter(map(profile_of, words))).alpha


@pytest.mark.parametrize(("observers", "alpha"), [(TWO_OBSERVERS, 0.095), (FOUR_OBSERVERS, 0.743)])
def test_the_worked_examples_of_the_paper(observers: Sequence[str], alpha: float) -> None:
    assert found_alpha(units(observers)) == pytest.approx(alpha, abs=0.0005)


def by_definition(words: Sequence[str]) -> tuple[float, float | None]:
    """Return the share of pairs that agree, and alpha, from every pair of values, one by one."""
    pairable = [word for word in words if len(word) > 1]
    values = "".join(pairable)
    differ = sum(a != b for a, b in permutations(values, 2)) / (len(values) * (len(values) - 1))
    observed = sum(sum(a != b for a, b in permutations(word, 2)) / (len(word) - 1) for word in pairable) / len(values)
    return 1 - observed, 1 - observed / differ if differ else None


def test_random_tables_have_the_agreement_of_the_definition() -> None:
    draw = random.Random(31)
    for _ in range(200):
        said = draw.choice(("ab", "abc", "aaab", "a"))
        words = ["".join(draw.choices(said, k=draw.randint(1, 5))) for _ in range(draw.randint(2, 12))]
        if not any(len(word) > 1 for word in words):
            continue
        found = agreement(Counter(map(profile_of, words)))
        assert (found.share, found.alpha) == pytest.approx(by_definition(words), abs=1e-12)
        several = [len(word) for word in words if len(word) > 1]
        assert (found.questions, found.answers) == (len(several), sum(several))


def test_without_two_answers_nothing_agrees_and_without_two_words_alpha_is_not_defined() -> None:
    single = agreement(Counter({profile_of("a"): 7}))
    assert (single.questions, single.share, single.alpha) == (0, None, None)
    alike = agreement(Counter({profile_of("aa"): 7}))
    assert (alike.share, alike.alpha) == (1.0, None)


def test_drawings_of_one_question_overlap_pair_by_pair() -> None:
    overlap = Overlap()
    overlap.add([[0, 0, 10, 10], [0, 0, 10, 5], [20, 20, 30, 30]])
    assert (overlap.pairs, overlap.mean, overlap.alike) == (3, pytest.approx(0.5 / 3), 1)
    assert Overlap().mean is None


@pytest.fixture
def project(pictured: Path, empty_storage: Path) -> Project:
    """Four finished scenes with pictures."""
    import_dataset(project_name="parks", path=pictured)
    return Project.objects.get()


def export_for_card_loads(project: Project, target: Path, export_format: str, *options: str) -> Path:
    call_command("export_dataset", project.name, str(target), "--format", export_format, *options)
    return target


def counted(project: Project) -> dict[str, int]:
    """Return the rows that each record set should have."""
    images, captions = project.images.count(), Caption.objects.filter(image__project=project).count()
    boxes = MergedBox.objects.filter(image__project=project).count()
    return {"images": images, "captions": captions, "conversations": captions, "lines": images + 1, "boxes": boxes}


@pytest.mark.slow
@pytest.mark.parametrize("export_format", export_formats())
def test_the_rows_load_as_many_as_there_are(project: Project, tmp_path: Path, export_format: str) -> None:
    target = export_for_card_loads(project, tmp_path / f"out{FORMATS[export_format].ending}", export_format)
    rows = read_croissant(target)
    expected = counted(project)
    if export_format == "flickr30k-entities":
        expected["captions"] = expected["images"]  # a row holds the file of a picture
    if export_format == "mdetr":
        expected["boxes"] = len(json.loads(target.read_text())["annotations"])
    assert {name: len(found) for name, found in rows.items()} == {name: expected[name] for name in rows}
    assert set(rows) == {one.name for one in FORMATS[export_format].record_sets}


def test_values_are_those_of_the_export(project: Project, tmp_path: Path) -> None:
    out = export_for_card_loads(project, tmp_path / "out.jsonl", "odvg")
    rows = read_croissant(out)["captions"]
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    for row, line in zip(rows, lines, strict=True):
        grounding = line["grounding"]
        assert (row["filename"], row["caption"]) == (line["filename"], grounding["caption"])
        for name in ("phrase", "bbox", "chain"):
            assert row[name] == [region[name] for region in grounding["regions"]]


def test_coco_in_one_file_has_its_lists_too(project: Project, tmp_path: Path) -> None:
    rows = read_croissant(export_for_card_loads(project, tmp_path / "all.json", "coco"))
    expected = {name: counted(project)[name] for name in ("images", "captions", "boxes")}
    assert {name: len(found) for name, found in rows.items()} == expected


@pytest.mark.parametrize("export_format", export_formats())
def test_one_card_tells_of_all_parts(project: Project, tmp_path: Path, export_format: str) -> None:
    options = ("--longest-side", "64") if export_format != "jsonl" else ()
    out = export_for_card_loads(project, tmp_path / "out", export_format, "--shares", "train=0.5,test=0.5", *options)
    parts = {name.partition("-")[0] for name in read_croissant(out)}
    assert parts == ({"train", "test"} if export_format != "parquet" else {"images"})
    assert [*out.rglob("croissant.json")] == [out / "croissant.json"]


@pytest.mark.parametrize("export_format", export_formats())
def test_every_file_is_named_and_single_ones_have_their_digest(project: Project, tmp_path: Path, export_format: str):
    target = export_for_card_loads(project, tmp_path / f"out{FORMATS[export_format].ending}", export_format)
    folder = card_folder(target)
    seen = set[Path]()
    for one in card_json(target)["distribution"]:
        if one["@type"] == "cr:FileObject":
            file = (folder / one["contentUrl"]).resolve()
            data = file.read_bytes()
            assert (one["sha256"], one["contentSize"]) == (sha256(data).hexdigest(), f"{len(data)} B")
            seen.add(file)
        else:
            seen |= {file for pattern in one["includes"] for file in folder.glob(pattern)}
    own = {folder / "README.md", folder / "croissant.json"}
    there = {file for file in (target, *target.rglob("*")) if file.is_file()}
    assert seen | own == there | own


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--shares", "train=0.5,test=0.5")])
def test_a_hub_folder_loads_by_its_own_readme(project: Project, tmp_path: Path, options: tuple[str, ...]) -> None:
    out = export_for_card_loads(project, tmp_path / "out", "hub", *options)
    from datasets import load_dataset  # takes a second, in every process that collects the tests

    loaded: Any = load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert sum(part.num_rows for part in loaded.values()) == project.images.count()
    assert set(loaded) == ({"train", "test"} if options else {"train"})
    assert "phrase" in loaded["train"].features["objects"]
    assert front_matter(out)["size_categories"] == ["n<1K"]


@pytest.mark.parametrize("export_format", export_formats())
def test_the_same_project_gives_the_same_card(project: Project, tmp_path: Path, export_format: str) -> None:
    name = f"out{FORMATS[export_format].ending}"
    cards = []
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        target = export_for_card_loads(project, tmp_path / place / name, export_format)
        cards.append([(card_folder(target) / file).read_bytes() for file in ("README.md", "croissant.json")])
    assert cards[0] == cards[1]


def test_the_card_of_an_export_that_is_gone_is_replaced_and_nothing_else(project: Project, tmp_path: Path) -> None:
    out = export_for_card_loads(project, tmp_path / "out.jsonl", "odvg")
    out.unlink()
    Project.objects.update(title="Parks again")
    assert "# Parks again" in card_text(export_for_card_loads(project, out, "odvg"))
    out.unlink()
    (card_folder(out) / "mine").touch()
    with pytest.raises(CommandError, match="is in the place of the export's card"):
        export_for_card_loads(project, out, "odvg")
    assert not out.exists()


@pytest.mark.parametrize("export_format", ["odvg", "coco"])
def test_an_export_whose_card_fails_does_not_appear(
    project: Project, tmp_path: Path, export_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exchange.data_card.write_card.readme", lambda *_: 1 / 0)
    (tmp_path / "place").mkdir()
    with pytest.raises(ZeroDivisionError):
        export_for_card_loads(project, tmp_path / "place" / f"out{FORMATS[export_format].ending}", export_format)
    assert [*(tmp_path / "place").iterdir()] == []


def test_a_project_without_images_has_a_card(tmp_path: Path) -> None:
    out = export_for_card_loads(make_project(name="empty"), tmp_path / "out.jsonl", "odvg")
    assert card_json(out)["distribution"][0]["contentSize"] == "0 B"
    assert "0 pictures" in card_text(out)
