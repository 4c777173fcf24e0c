"""The same doubtful labels by command and by API, and clear words where there are none."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Project
from pipeline.models import LabelDoubt
from pipeline.project.settings_versions import open_project
from pipeline.rules.settings.protocol import ProtocolSettings

pytestmark = pytest.mark.django_db
CALL = "/api/v1/requester/projects/parks/doubts/"


def written(out: Path, **options: Any) -> list[dict[str, Any]]:
    call_command("doubts", "parks", out=out, **options)
    return [json.loads(line) for line in out.read_text().splitlines()]


@pytest.mark.both_engines
def test_the_command_writes_what_the_api_returns_page_by_page(client: Client, project: Project, tmp_path: Path) -> None:
    lines = written(tmp_path / "doubts.jsonl")
    assert len(lines) == LabelDoubt.objects.count() > 10
    call_command("validate", str(tmp_path / "doubts.jsonl"), **{"as": "doubts"})
    skip, found = 0, []
    while skip is not None:
        page = client.get(CALL, {"skip": skip, "most": 10}).json()
        found += page["doubts"]
        skip = page["skip"]
    assert found == lines
    assert page["labels"] == len(lines)
    assert page["expected_wrong"] == pytest.approx(sum(one["doubt"] for one in lines))
    assert written(tmp_path / "first.jsonl", limit=3, anew=True) == lines[:3]


def test_wrong_input_is_named(client: Client, project: Project, tmp_path: Path) -> None:
    assert client.get(CALL, {"part": "nose"}).status_code == 400
    open_project(name="other", settings=ProtocolSettings())
    with pytest.raises(CommandError, match=r"other checks no data set\. Import one with: import_dataset other"):
        call_command("doubts", "other")
    with pytest.raises(CommandError, match="--limit 0: give a number from 1"):
        call_command("doubts", "parks", limit=0)
