"""A data card says what happened: who answered, how much they agree, what was given, and what is missing."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from exchange.export_dataset import export_dataset
from exchange.export_options import ExportOptions
from exchange.import_dataset import import_dataset
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.intervene import void_judgments
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.data_cards import card_json, card_text, front_matter, read_croissant
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
        known = KnownQuestion.objects.create(
            project=project,
            task=QUALITY.value,
            image=image,
            shown={},
            truth="good",
            key=f"{who.name} {number}",
            purpose=purpose,
            source="gold",
        )
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
    assert (
        "1 answer was taken back or came too late, and does not count. No answer about these pictures counts." in after
    )


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
    told = {
        "license": "CC-BY-4.0",
        "url": "https://example.org/parks_1",
        "creators": "Ada\nBob",
        "institution": "A lab",
        "citation": "@misc{parks,\n title={Parks}}",
        "uses": "Research.",
    }
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
    assert on_top["license"] == "other" and set(on_top) == {
        *("pretty_name", "license", "license_name", "task_categories", "size_categories", "tags")
    }
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
    assert "1 boxes are left out that no person drew or judged." in text


def test_settings_versions_are_told_by_what_changed(drawn: Project, tmp_path: Path) -> None:
    change_settings(project_id=drawn.pk, settings=ProtocolSettings(coverage_votes=3), reason="Ada wants more")
    text = card_text(export(drawn, tmp_path / "out.jsonl")).partition("## Settings")[2]
    assert row(text, "2")[3] == "Votes for all boxes there"
    assert "Ada" not in text
