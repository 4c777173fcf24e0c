"""Nothing live loses its rows to an archive, and a damaged archive is never brought back."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from django.core.management import CommandError
from django.db.models import F

from annotation.models import Image, Project
from annotation.rules.states import ProjectState
from campaign.archive.manifest import MANIFEST
from campaign.archive.refusals import check_settled
from campaign.models import Alert, AlertChannel, Delivery, ImportRun
from pipeline.models import Assignment, Entry
from platforms.models import Offer, Session
from tests.campaign.archive.conftest import archive, bring_back
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, worker
from tests.support.recruiting import an_offer
from tests.support.rows import NOW, make_project
from upkeep.models import JobRun

pytestmark = pytest.mark.django_db


def say(project: Project) -> str:
    with pytest.raises(Exception, match="cannot be archived yet") as error:
        check_settled(project)
    return str(error.value)


class TestWhatIsLive:
    def test_work_and_money(self) -> None:
        project = paying(12)
        ada = worker(project, "ada", ASK)
        work(project, ada)
        lease(project, ada, ASK)
        said = say(project)
        assert "It is running: finish it first." in said and "Being worked on: 1 assignment" in said
        assert "The job runners have not caught up" in said and "Owed to 1 worker: $0.10" in said

    def test_platforms(self, small: Project) -> None:
        offer = an_offer(small, state=Offer.State.OPEN)
        assert "Work is offered on a platform: run `withdraw`." in say(small)
        Offer.objects.update(state=Offer.State.ENDED)
        ada = Assignment.objects.filter(project=small).earliest("pk").worker
        Session.objects.create(offer=offer, worker=ada, external_id="s", opened_at=NOW, ends_at=NOW)
        assert "Unsettled sessions and payments on a platform: 1; run `pay`." in say(small)

    def test_deliveries_and_work_that_was_begun(self, small: Project) -> None:
        alert = Alert.objects.create(project=small, kind="review", count=1, words="x", path="/", began_at=NOW)
        channel = AlertChannel.objects.create(project=small, kind="hook", url="https://example.org/", secret="s")
        Delivery.objects.create(alert=alert, channel=channel, due_at=NOW)
        ImportRun.objects.create(project=make_project(), source_project=small, kind="copy")
        JobRun.objects.create(key=f"export:{small.pk}:coco:1", share=f"exports of {small.pk}")
        said = say(small)
        assert "On the way to a channel: 1 alert" in said and "Under way: an import or a copy, an export." in said


def test_nothing_is_written_over(small: Project, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").touch()
    for place, words in (("file", "is a file"), ("full", "is not empty"), ("no/archive", "does not exist: make it")):
        with pytest.raises(CommandError, match=words):
            archive(small, tmp_path / place)
    archive(small, tmp_path / "archive")
    other = make_project("other")
    Project.objects.filter(pk=other.pk).update(state=ProjectState.FINISHED.value)
    with pytest.raises(CommandError, match="holds an archive of another project"):
        archive(other, tmp_path / "archive")


def test_rows_stay_if_the_project_has_changed_since_it_was_written(small: Project, tmp_path: Path) -> None:
    archive(small, tmp_path / "archive")
    image = small.images.latest("pk")
    Image.objects.filter(pk=image.pk).update(width=F("width") + 1)
    with pytest.raises(CommandError, match=f"differ: annotation_image.width of the row {image.pk}"):
        archive(small, tmp_path / "archive", "--remove")
    small.refresh_from_db()
    assert small.away is None and small.images.count() == 5


def _cut(folder: Path) -> None:
    path = folder / "rows" / "pipeline_entry" / "00000.parquet"
    path.write_bytes(path.read_bytes()[:-10])


def _change_a_byte(folder: Path) -> None:
    path = folder / "rows" / "pipeline_judgment" / "00000.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _change_manifest(folder: Path) -> None:
    path = folder / MANIFEST
    path.write_text(path.read_text().replace('"rows": 5', '"rows": 6', 1))


def _write_manifest(**values: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / MANIFEST
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))

    return change


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file is missing": (lambda f: (f / "rows/pipeline_entry/00001.parquet").unlink(), "00001.parquet is missing"),
    "a file was cut": (_cut, "pipeline_entry/00000.parquet differs from its digest. Nothing was changed"),
    "a byte was changed": (_change_a_byte, "pipeline_judgment/00000.parquet differs from its digest"),
    "the manifest is missing": (lambda folder: (folder / MANIFEST).unlink(), "manifest.json is missing"),
    "the manifest was cut": (lambda folder: (folder / MANIFEST).write_text('{"kind": "chain'), "is damaged"),
    "the manifest was changed": (_change_manifest, "or its manifest was changed"),
    "it has another form": (_write_manifest(format=2), "has format 2; this version reads format 1"),
    "it is newer": (_write_manifest(migrations=["pipeline.9999_later"]), r"newer version of the service \(pipeline.99"),
    "it is another file": (_write_manifest(kind="cake"), "is not the manifest of an archive"),
}


@pytest.mark.slow
def test_no_damaged_archive_is_brought_back(small: Project, tmp_path: Path) -> None:
    archive(small, tmp_path / "archive", "--remove")
    for number, (what, (damage, words)) in enumerate(DAMAGE.items()):
        copytree(tmp_path / "archive", tmp_path / str(number))
        damage(tmp_path / str(number))
        with pytest.raises(CommandError, match=words):
            bring_back(tmp_path / str(number))
        assert not Entry.objects.filter(project=small).exists(), what
    with pytest.raises(CommandError, match="is no archive: name the folder"):
        bring_back(tmp_path / "nowhere")
    bring_back(tmp_path / "archive")
    with pytest.raises(CommandError, match="small is still there: there is nothing to bring back"):
        bring_back(tmp_path / "archive")
