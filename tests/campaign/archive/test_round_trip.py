"""A project that was archived and brought back has the same rows, the same record and the same exports."""

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from campaign.archive.tables import OF_IMAGES, OF_PROJECT
from exchange.export_dataset import export_dataset
from pipeline.record.replay import replay
from tests.campaign.archive.conftest import archive, bring_back

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]


def rows_of(project: Project, tables: Any) -> dict[str, list[dict[str, Any]]]:
    """Return every row of these tables that is the project's."""
    paths = {
        table: (table.images and [f"{path}__project" for path in table.images]) or [table.project] for table in tables
    }
    return {
        table.label: [
            row
            for path in paths[table]
            for row in table.model._default_manager.filter(**{path.replace("pk__", ""): project})
            .order_by("pk")
            .values()
        ]
        for table in tables
    }


def export(project: Project, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    for name in ("jsonl", "coco"):
        export_dataset(project=project, target=folder / name, export_format=name, include_unmerged=True, card=False)
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_project_leaves_the_database_and_comes_back_the_same(crowded: Project, tmp_path: Path) -> None:
    before, people = rows_of(crowded, OF_IMAGES), rows_of(crowded, OF_PROJECT)
    files = export(crowded, tmp_path / "before")
    archive(crowded, tmp_path / "archive", "--remove")
    crowded.refresh_from_db()
    assert not any(rows_of(crowded, OF_IMAGES).values()) and rows_of(crowded, OF_PROJECT) == people
    assert crowded.away["images"] == 4 and crowded.away["judgments"] == len(before["pipeline.Judgment"]) > 50
    bring_back(tmp_path / "archive")
    crowded.refresh_from_db()
    assert crowded.away is None and rows_of(crowded, OF_IMAGES) == before
    assert list(replay(crowded)) == []
    assert export(crowded, tmp_path / "after") == files
