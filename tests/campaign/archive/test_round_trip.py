"""A project that was archived and brought back has the same rows, the same record and the same exports."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.away import read_away
from annotation.models import Project
from annotation.storage import store
from campaign.archive.manifest import Archive
from campaign.archive.tables import OF_IMAGES, OF_PROJECT
from exchange.export_dataset import export_dataset
from members.models import Membership, Role
from pipeline.record.replay import replay
from tests.campaign.archive.conftest import archive, bring_back
from tests.support.members import maker
from tests.support.pictures import encoded
from tests.support.rows import make_image, make_worker
from tests.support.six_tasks import ground, show
from workers.models import Worker

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


@pytest.mark.slow
def test_a_project_leaves_the_database_and_comes_back_the_same_here_and_elsewhere(
    crowded: Project, tmp_path: Path
) -> None:
    before, people = rows_of(crowded, OF_IMAGES), rows_of(crowded, OF_PROJECT)
    files, folder = export(crowded, tmp_path / "before"), tmp_path / "archive"
    for place in ("here", "elsewhere"):
        archive(crowded, folder, "--remove")
        crowded.refresh_from_db()
        assert not any(rows_of(crowded, OF_IMAGES).values()) and rows_of(crowded, OF_PROJECT) == people
        assert (
            read_away(crowded)["images"] == 4
            and read_away(crowded)["judgments"] == len(before["pipeline.Judgment"]) > 50
        )
        if place == "elsewhere":
            forget(crowded)
            with pytest.raises(CommandError, match="no user 'ann'"):
                call_command("bring_back", str(folder), "--owner", "ann")
            call_command("bring_back", str(folder), "--owner", maker("ann").username)
        else:
            bring_back(folder)
        crowded = Project.objects.get(name="parks")
        assert crowded.away is None and rows_of(crowded, OF_IMAGES) == before, place
        assert list(replay(crowded)) == [] and export(crowded, tmp_path / place) == files, place
    assert rows_of(crowded, OF_PROJECT) == people
    assert [(one.user.username, one.role) for one in Membership.objects.all()] == [("ann", Role.REQUESTER)]
    assert make_worker().pk > Worker.objects.earliest("pk").pk, "new ids come behind those of the archive"


@pytest.mark.slow
def test_it_comes_into_no_installation_where_an_id_is_taken(small: Project, tmp_path: Path) -> None:
    archive(small, tmp_path / "archive", "--remove")
    forget(small)
    other = Project.objects.create(pk=small.pk + 1, name="other")
    make_image(other, pk=Archive(tmp_path / "archive").pieces[1].last)
    with pytest.raises(CommandError, match=r"image \d+ is another one here\. Ids stay what they are"):
        bring_back(tmp_path / "archive")
    assert list(Project.objects.all()) == [other] and not Worker.objects.exists()


@pytest.mark.slow
def test_pictures_in_the_archive_come_back_with_it(small: Project, tmp_path: Path) -> None:
    show(small, encoded(ground(20, 10), "JPEG"))
    name = small.images.earliest("pk").picture
    archive(small, tmp_path / "archive", "--pictures", "--remove")
    store().delete(name)
    bring_back(tmp_path / "archive")
    assert store().exists(name)


def forget(project: Project) -> None:
    """Delete all that is left of a project whose images are away, and its workers."""
    for table in reversed(OF_PROJECT):
        [rows] = table.rows(project.pk, None)
        rows._raw_delete(rows.db)
    Project.objects.filter(pk=project.pk).delete()
    Worker.objects.all().delete()
