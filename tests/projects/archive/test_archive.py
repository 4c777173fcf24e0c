"""A project that was archived and brought back has the same rows, the same record and the same exports.
Nothing live loses its rows to an archive, and a damaged archive is never brought back.
Whatever stops the commands, the same command goes on: nothing is written, removed or inserted twice.
While a project's images are in an archive, its stub, people and money are there, and nothing reads its images.
Every table that hangs on a project has its place in archives, and every id has room.
"""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db.models import F, ForeignKey, Model
from django.test import Client
from django.urls import reverse

from accounts.models import Membership, Role
from annotation.archived import read_archived
from annotation.models import Image, Project
from annotation.rules.states import ProjectMoveError, ProjectState
from annotation.storage import store
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from labelling.own_data import own_data_as_json
from pipeline.models import Assignment, Entry
from pipeline.money.ledger import account_of
from pipeline.money.pay_worker import pay_worker
from pipeline.project.queries import chosen_projects
from pipeline.record.read_record import replay
from pipeline.tick import tick
from platforms.models import Offer, Session
from projects.archive import bring_back as bringing
from projects.archive import tables, write_archive
from projects.archive.manifest import MANIFEST, Archive, ArchiveError, locked
from projects.archive.tables import OF_IMAGES, OF_PROJECT, left_out, write_rows
from projects.archive.write_archive import check_settled
from projects.lifecycle.change_state import change_state
from projects.models import Alert, AlertChannel, Delivery
from runtime.models import JobRun
from simulation.scenes.scene import write_source
from simulation.simulate import simulate
from tests.support.members import maker, sign_in
from tests.support.money import ASK, paying, work
from tests.support.pictures import encoded
from tests.support.projects import lease, worker
from tests.support.recruiting import an_offer
from tests.support.rows import NOW, make_image, make_project, make_worker
from tests.support.runs import some_run
from tests.support.six_tasks import ground, show
from workers.models import Worker

pytestmark = pytest.mark.django_db


def archive(project: Project, folder: Path, *options: str) -> None:
    call_command("archive_project", project.name, str(folder), *options)


def bring_back(folder: Path) -> None:
    call_command("bring_back", str(folder))


def finish(project: Project) -> Project:
    tick()
    change_state(project.pk, ProjectState.FINISHED, None)
    project.refresh_from_db()
    return project


@pytest.fixture(autouse=True)
def _in_several_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_archive, "PIECE", 3)
    monkeypatch.setattr(tables, "ROWS_PER_BATCH", 7)


@pytest.fixture
def crowded(tmp_path: Path) -> Project:
    """Four drawn images that a crowd with tests and verification questions annotated, but for the last one."""
    for seed, count in ((3, 3), (4, 1)):
        write_source(tmp_path / f"scenes {seed}", seed, count, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "scenes 3", gold=True)
    project = Project.objects.get(name="parks")
    simulate(project=project, crowd="paper", seed=3)
    import_dataset(project_name="parks", path=tmp_path / "scenes 4", gold=True)
    return finish(project)


@pytest.fixture
def small() -> Project:
    """Five images, of which ada answered a question in two."""
    project = paying(5)
    ada = worker(project, "ada", ASK)
    work(project, ada)
    tick()
    owed = account_of(ada.pk, project.pk).owed
    pay_worker(worker_id=ada.pk, project_id=project.pk, cents=owed, reference="bank 1", actor="ann")
    return finish(project)


LEAVE = [table.label for table in OF_IMAGES]


def rows_of(project: Project, tables: Any) -> dict[str, list[dict[str, Any]]]:
    """Return every row of these tables that is the project's."""
    paths = {one: (one.images and [f"{path}__project" for path in one.images]) or [one.project] for one in tables}
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


@pytest.mark.both_engines
@pytest.mark.slow
def test_a_project_leaves_the_database_and_comes_back_the_same_here_and_elsewhere(crowded: Project, tmp_path: Path):
    before, people = rows_of(crowded, OF_IMAGES), rows_of(crowded, OF_PROJECT)
    files, folder = export(crowded, tmp_path / "before"), tmp_path / "archive"
    for place in ("here", "elsewhere"):
        archive(crowded, folder, "--remove")
        crowded.refresh_from_db()
        assert not any(rows_of(crowded, OF_IMAGES).values()) and rows_of(crowded, OF_PROJECT) == people
        assert (
            read_archived(crowded)["images"] == 4
            and read_archived(crowded)["judgments"] == len(before["pipeline.Judgment"]) > 50
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


@pytest.mark.both_engines
@pytest.mark.slow
def test_it_comes_into_no_installation_where_an_id_is_taken(small: Project, tmp_path: Path) -> None:
    archive(small, tmp_path / "archive", "--remove")
    forget(small)
    other = Project.objects.create(pk=small.pk + 1, name="other")
    make_image(other, pk=Archive(tmp_path / "archive").pieces[1].last)
    with pytest.raises(CommandError, match=r"image \d+ is another one here\. Ids stay what they are"):
        bring_back(tmp_path / "archive")
    assert list(Project.objects.all()) == [other] and not Worker.objects.exists()


@pytest.mark.both_engines
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
        some_run(make_project(), "copy_project", given={"source_id": small.pk})
        JobRun.objects.create(key=f"export:{small.pk}:coco:1", share=f"exports of {small.pk}")
        said = say(small)
        assert "On the way to a channel: 1 alert" in said and "Under way: copy, export." in said


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


class Stopping:
    """A function in place of another one, at whose nth call the person presses Ctrl-C; 0: at none."""

    def __init__(self, real: Any, at: int) -> None:
        self.real, self.at, self.calls = real, at, 0

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return self.real(*args, **options)


def test_files_that_were_written_are_not_written_again(small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = write_archive._Writing._note
    first, second = (Stopping(real, at) for at in (9, 0))
    monkeypatch.setattr(write_archive._Writing, "_note", lambda *given: first(*given))
    with pytest.raises(CommandError, match="Run the same command again to continue"):
        archive(small, tmp_path / "archive")
    monkeypatch.setattr(write_archive._Writing, "_note", lambda *given: second(*given))
    archive(small, tmp_path / "archive")
    whole = Archive(tmp_path / "archive")
    assert second.calls == len(whole.manifest["files"]) - 8 and not list((tmp_path / "archive").rglob("*.partial"))


@pytest.fixture
def begun(small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an archive that was stopped at its last step."""
    folder = tmp_path / "archive"
    with monkeypatch.context() as patched:
        patched.setattr(write_archive._Writing, "finish", Stopping(None, 1))
        with pytest.raises(CommandError, match="Stopped"):
            archive(small, folder)
    return folder


def test_an_archive_that_one_project_began_is_not_overwritten_by_another(begun: Path) -> None:
    before, other = sorted(begun.rglob("*")), make_project("other")
    Project.objects.filter(pk=other.pk).update(state=ProjectState.FINISHED.value)
    with pytest.raises(CommandError, match="holds an archive of another project"):
        archive(other, begun)
    assert sorted(begun.rglob("*")) == before


@pytest.mark.slow
def test_an_archive_that_begins_anew_leaves_other_files_alone(small: Project, begun: Path, monkeypatch: Any):
    (begun / "mine.txt").touch()
    monkeypatch.setattr(write_archive, "PIECE", 2)
    archive(small, begun)
    assert (begun / "mine.txt").exists() and len(Archive(begun).pieces) == 3


@pytest.mark.slow
def test_two_processes_neither_remove_nor_bring_back_the_same_rows(small: Project, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    archive(small, folder)
    with locked(folder), pytest.raises(CommandError, match="in use by another process"):
        archive(small, folder, "--remove")
    late = Project.objects.get(pk=small.pk)
    with locked(folder), pytest.raises(ArchiveError, match="in use by another process"):
        write_archive.remove_rows(Archive(folder), late)
    archive(small, folder, "--remove")
    write_archive.remove_rows(Archive(folder), late)
    late.refresh_from_db()
    assert late.away is not None and late.away["absent"] == 2, "it did not open the project whose rows are gone"
    with locked(folder), pytest.raises(CommandError, match="in use by another process"):
        bring_back(folder)


@pytest.mark.slow
def test_rows_leave_and_come_back_piece_by_piece(small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def absent() -> int:
        small.refresh_from_db()
        return -1 if small.away is None else small.away["absent"]

    def stop(module: Any, name: str) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(module, name, Stopping(getattr(module, name), 2))
            with pytest.raises(CommandError, match="Stopped"):
                archive(small, folder, "--remove") if module is write_archive else bring_back(folder)

    folder = tmp_path / "archive"
    stop(write_archive, "_remove")
    assert absent() == 1 and small.images.count() == 2, "the first three are away"
    archive(small, folder, "--remove")
    assert absent() == 2 and small.images.count() == 0
    stop(bringing, "_insert")
    assert absent() == 1 and small.images.count() == 2, "the last two are back"
    archive(small, folder, "--remove")
    assert absent() == 2
    bring_back(folder)
    assert absent() == -1 and small.images.count() == 5 and list(replay(small)) == []


def test_rows_are_compared_again_if_the_process_was_killed_before_it_removed_any(small: Project, tmp_path: Path):
    archive(small, tmp_path / "archive")
    Project.objects.filter(pk=small.pk).update(away=write_archive.archived_row(Archive(tmp_path / "archive"), absent=0))
    small.images.update(width=1)
    with pytest.raises(CommandError, match=r"differ: annotation_image\.width"):
        archive(small, tmp_path / "archive", "--remove")
    small.refresh_from_db()
    assert small.away is None and small.images.count() == 5


@pytest.mark.slow
def test_every_row_of_a_kill_is_there_once(small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies within a piece takes back what it did in it."""
    archive(small, tmp_path / "archive", "--remove")
    with monkeypatch.context() as patched:
        patched.setattr(bringing, "write_rows", Stopping(write_rows, 3))
        with pytest.raises(CommandError, match="Stopped"):
            bring_back(tmp_path / "archive")
    assert small.images.count() == 0
    bring_back(tmp_path / "archive")
    assert small.images.count() == 5


@pytest.fixture
def away(small: Project, tmp_path: Path) -> Project:
    archive(small, tmp_path / "archive", "--remove")
    small.refresh_from_db()
    return small


def test_its_page_tells_what_it_was_and_the_requester_where_it_is(away: Project, client: Client) -> None:
    sign_in(client, away, Role.VIEWER)
    page = client.get(reverse("gallery:project", args=[away.name]))
    assert (
        page.status_code == 200 and "<b>5</b> images" in page.text and read_archived(away)["archive"] not in page.text
    )
    sign_in(client, away, Role.REQUESTER, "rita")
    assert read_archived(away)["archive"] in client.get(reverse("gallery:project", args=[away.name])).text
    assert "5 images in an archive" in client.get(f"{reverse('gallery:start')}?all=yes").text


@pytest.mark.slow
def test_only_pages_of_people_are_open(away: Project, boss: Client) -> None:
    for page in ("dashboard", "settings", "data", "review", "explore", "delete", "workers", "money", "members"):
        told, of_people = (
            boss.get(reverse(f"projects:{page}", args=[away.name])),
            page in ("workers", "money", "members"),
        )
        assert told.status_code == (200 if of_people else 404), page
        assert ("in an archive since" in told.text) is not of_people, page
        assert ("this page counts none of them" in told.text) is (page in ("workers", "money")), page


def test_it_can_neither_be_reopened_nor_exported_nor_filled(away: Project, boss: Client, tmp_path: Path):
    with pytest.raises(ProjectMoveError, match="5 images of small are in an archive"):
        change_state(away.pk, ProjectState.RUNNING, None)
    assert boss.get(reverse("gallery:export", args=[away.name, "coco"])).status_code == 404
    write_source(tmp_path / "scenes", 3, 1, pictures=False)
    for command in (
        ["export_dataset", away.name, "out", "--format", "coco"],
        ["replay", away.name],
        ["import_dataset", away.name, str(tmp_path / "scenes")],
    ):
        with pytest.raises(CommandError, match=f"bring_back {read_archived(away)['archive']}"):
            call_command(*command)
    asked = boss.get(reverse("requester_api:progress", args=[away.name]))
    assert asked.status_code == 404 and "in an archive" in asked.json()["message"]


def test_money_and_histories_stay_and_no_job_judges_workers_by_what_is_left(away: Project, boss: Client):
    ada = Worker.objects.get(name="ada")
    assert account_of(ada.pk, away.pk).paid == 10 and away.pk not in chosen_projects(None)
    assert len(boss.get(reverse("requester_api:ledger", args=[away.name])).json()["entries"]) == 1
    [told] = json.loads("".join(own_data_as_json(ada)))["projects"]
    assert told["answers_are_in_an_archive"] and told["pay"]["account"]["paid"] == 10


def parents(model: type[Model]) -> list[type[Model]]:
    return [one.related_model for one in model._meta.concrete_fields if isinstance(one, ForeignKey)]  # type: ignore[misc]


def hangs_on_a_project(model: type[Model]) -> bool:
    return any(one is Project or hangs_on_a_project(one) for one in parents(model) if one is not model)


def test_each_table_of_a_project_leaves_or_stays_or_is_left_out_for_a_reason() -> None:
    placed = [*LEAVE, *(table.label for table in OF_PROJECT), *left_out]
    assert sorted(placed) == sorted({model._meta.label for model in apps.get_models() if hangs_on_a_project(model)})


def test_no_row_that_stays_points_to_one_that_leaves_and_rows_come_back_after_what_they_point_to() -> None:
    for model in apps.get_models():
        pointed = [one._meta.label for one in parents(model) if one._meta.label in LEAVE]
        assert not pointed or model._meta.label in LEAVE, model
        assert all(LEAVE.index(one) < LEAVE.index(model._meta.label) for one in pointed), model


def test_ids_that_grow_with_the_work_have_64_bits() -> None:
    """An AutoField ends at 2,147,483,647: less than the judgments of a million images times the rows of each."""
    narrow = [
        model._meta.label
        for model in apps.get_models()
        if model._meta.pk.get_internal_type() in ("AutoField", "SmallAutoField")
        and not model.__module__.startswith(("django.", "allauth."))  # these grow with accounts
    ]
    assert narrow == []
