"""Annotations come from a file or a program just as from the page."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Gold, Project
from campaign.models import GoldImage
from pipeline.models import KnownQuestion
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from tests.campaign.gold.conftest import RIGHT_SHEET, address, draw, send
from workers.invitations import invite

API = "/api/v1/requester/projects/small/gold/"


def told(image: str, **change: Any) -> dict[str, Any]:
    """Return the right annotation as files and programs write it: mention n is the first two words of caption n."""
    chains = [
        {**one, "phrases": [[number, 0, 2] for number in one["mentions"]]}
        for one in json.loads(json.dumps(RIGHT_SHEET))
    ]
    for chain in chains:
        del chain["mentions"]
    return {"image": image, "chains": chains, **change}


@pytest.mark.slow
def test_a_file_gives_known_questions_and_says_what_it_did_not_take(
    draft: Project, rita: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    invite(project_id=draft.pk, tasks=["box_quality"])
    lines = [told("0"), told("1"), told("none"), told("2", chains=[{"phrases": [[0, 0, 9]]}]), {"image": 1}]
    file = tmp_path / "gold.jsonl"
    file.write_text("\n".join([*map(json.dumps, lines), "", "{"]))
    with pytest.raises(CommandError, match="4 annotations were refused"):
        call_command("gold", "small", str(file), "--by", "rita")
    said = capsys.readouterr()
    assert "2 annotations taken, 4 refused" in said.out and "box quality:" in said.out
    for words in (":3: There is no image 'none'", ":4: 2 has no phrase at [0, 0, 9]", ":5: An annotation", ":7: "):
        assert words in said.err
    assert "known questions are missing: box quality" in said.err
    assert set(KnownQuestion.objects.values_list("task", flat=True)) == {task.value for task in PROTOCOL_TASKS}
    with pytest.raises(CommandError, match="4 annotations were refused"):
        call_command("gold", "small", str(file), "--by", "rita")
    assert Gold.objects.count() == 2, "the same file again changes nothing"


@pytest.mark.slow
def test_two_files_of_two_people_are_compared(draft: Project, ada: Client, bob: Client, tmp_path: Path) -> None:
    for name, boxes in (("ada", [[0, 0, 40, 60]]), ("bob", [[100, 0, 150, 60]])):
        given = told("0")
        given["chains"][0]["boxes"] = boxes
        (tmp_path / name).write_text(json.dumps(given))
        call_command("gold", "small", str(tmp_path / name), "--by", name, "--annotators", "2", verbosity=0)
    assert GoldImage.objects.get().disputes == 1 and not Gold.objects.get().complete


@pytest.mark.parametrize("who", [[], ["--by", "nobody"], ["--by", "stranger"]])
@pytest.mark.both_engines
def test_a_file_needs_a_reviewer(draft: Project, tmp_path: Path, who: list[str], django_user_model: Any) -> None:
    django_user_model.objects.create_user("stranger")
    (tmp_path / "a").write_text(json.dumps(told("0")))
    with pytest.raises(CommandError, match="Name a reviewer"):
        call_command("gold", "small", str(tmp_path / "a"), *who)


def test_a_program_annotates_and_reads_what_is_missing(draft: Project, rita: Client) -> None:
    before = rita.get(API).json()
    assert (before["least"], before["recommended"], before["missing"]) == (40, 70, [])
    assert [one["known"] for one in before["tasks"]] == [0] * 6
    after = rita.post(API, told("3"), content_type="application/json").json()
    assert all(one["known"] > 0 and one["images_needed"] > 0 for one in after["tasks"]), after
    refused = rita.post(API, told("none"), content_type="application/json")
    assert refused.status_code == 400 and "There is no image" in refused.text


def test_an_image_of_somebody_else_or_with_imported_gold_is_refused(draft: Project, rita: Client, ada: Client) -> None:
    (row,) = draw(rita)
    send(ada, row, finish=False)
    refused = rita.post(API, told(row.image.name), content_type="application/json")
    assert refused.status_code == 400 and "annotated by ada" in refused.text
    other = draft.images.exclude(pk=row.image_id)[0]
    Gold.objects.create(image=other, chains=[])
    refused = rita.post(API, told(other.name), content_type="application/json")
    assert "came with its right answers" in refused.text
    assert ada.get(address(row)).json()["revision"] == 1
