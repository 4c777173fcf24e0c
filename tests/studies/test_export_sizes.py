"""The study of exports: made projects of many images, and an export's speed and memory."""

import subprocess
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Mention
from exchange.who_answered import programs_at_work
from pipeline.models import Judgment
from pipeline.record.replay import replay
from studies.large_project import exports
from studies.large_project.exports import make_project, measure_one
from studies.management.commands import export_sizes as command


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    """Two scenes are copied, and pictures go to a folder of this test."""
    monkeypatch.setattr(exports, "TEMPLATE", 2)
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.mark.slow
@pytest.mark.django_db
def test_copies_are_whole_images_that_every_format_writes() -> None:
    project = make_project("answered", 6, lambda _: None)
    assert project.images.count() == 6 and programs_at_work(project)
    first, copy = (project.images.get(position=position) for position in (1, 5))
    assert copy.name == f"{first.name}-2"
    assert [one.text for one in copy.captions.all()] == [f"{one.text} 2" for one in first.captions.all()]
    for model, path in ((Mention, "image"), (Judgment, "question__image")):
        counts = [model.objects.filter(**{path: one}).count() for one in (first, copy)]  # type: ignore[attr-defined]
        assert counts[0] == counts[1] > 0
    assert list(replay(project)) == []
    for name in ("jsonl", "hub"):
        found = measure_one(project.name, name)
        assert found["images"] == 6 and min(found.values()) > 0


@pytest.mark.django_db
def test_the_command_exports_each_project_in_processes_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(words: list[str], **_: object) -> SimpleNamespace:
        asked.append(words)
        said = StringIO()
        call_command("export_sizes", one=words[-3], only=[words[-1]], stdout=said)
        return SimpleNamespace(stdout=said.getvalue())

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(command, "call_command", lambda *_, **__: None)
    said = StringIO()
    call_command("export_sizes", images=4, kind=["imported"], only=["odvg", "coco"], stdout=said)
    assert [words[-3:] for words in asked] == [["export-sizes-imported", "--only", name] for name in ("odvg", "coco")]
    assert "imported  odvg" in said.getvalue() and "peak MB" in said.getvalue()
