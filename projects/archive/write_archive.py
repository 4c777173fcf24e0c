"""Remove an archived project's images from the database, piece by piece, after they were compared with the archive."""

import json
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet

from accounts.models import Membership
from annotation.archived import ArchivedProject, read_archived
from annotation.models import Box, Image, Project
from annotation.rules.states import ProjectState
from annotation.storage import store
from chainbox import __version__
from pipeline.models import Assignment, Entry, Judgment, Progress, Question
from pipeline.money.ledger import accounts
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState
from platforms.models import Offer, Payment, Recruitment, Session
from projects.archive.manifest import (
    FORMAT,
    MANIFEST,
    PICTURES,
    ROWS,
    WORKERS,
    Archive,
    ArchivedFile,
    ArchiveError,
    ArchiveManifest,
    check_parquet,
    digest_of,
    locked,
    migrations_here,
    path_of,
    verify,
)
from projects.archive.tables import OF_IMAGES, OF_PROJECT, Piece, Table, read_rows, schema_of
from projects.models import Delivery, ModelPrediction, Run
from projects.runs import work_of
from runtime import clock
from runtime.inside_django import delete_unread
from runtime.models import JobRun
from runtime.words import counted, money
from workers.models import TrustStatus, Worker

PIECE = 2_000
"""Images whose rows are written into one file of each table."""
BEGUN, JOURNAL = "begun.json", "journal.jsonl"
"""The files from which a stopped archive goes on; neither is there when it is whole."""
OTHERS = "{} holds an archive of another project: choose another folder."
Step = Callable[[int], object]


def write_archive(
    project: Project, folder: Path, *, pictures: bool = False, step: Step = lambda images: None
) -> Archive:
    """Write the whole project into the folder, or what an earlier try left to write. Returns the archive.

    `pictures`: their files are copied, too. `step` gets the number of images of each piece that is written. Raises
    ArchiveError: for a project that is not settled, and for a folder with anything else in it.
    """
    check_parquet()
    check_settled(project)
    check_place(folder)
    folder.mkdir(exist_ok=True)
    with locked(folder):
        if (folder / MANIFEST).exists():
            archive = Archive(folder)
            if not archive.is_of(project):
                raise ArchiveError(OTHERS.format(folder))
            archive.check_files()
            step(project.images.count())
            return archive
        writing = _Writing(folder, project, pictures)
        for place, piece in enumerate(writing.pieces):
            for table in OF_IMAGES:
                writing.table(table, piece, place)
            if pictures:
                writing.pictures(piece, place)
            step(piece.images)
        for table in OF_PROJECT:
            writing.table(table, None, 0)
        writing.workers()
        writing.finish()
    return Archive(folder)


def check_place(folder: Path) -> None:
    """Raise ArchiveError unless an archive can be written there, or was begun or written there before."""
    if not folder.parent.is_dir():
        raise ArchiveError(f"The folder {folder.parent} does not exist: make it first.")
    if folder.exists() and not folder.is_dir():
        raise ArchiveError(f"{folder} is a file: name a new folder.")
    ours = any((folder / name).exists() for name in (MANIFEST, BEGUN))
    if folder.is_dir() and any(folder.iterdir()) and not ours:
        raise ArchiveError(f"{folder} is not empty: name a new folder.")


def pieces_of(project: Project) -> list[Piece]:
    """Return the project's images in pieces, by their ids."""
    pieces, part = list[Piece](), list[int]()
    for pk in chain(project.images.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=PIECE), [0]):
        if part and (not pk or len(part) == PIECE):
            pieces.append(Piece(part[0], part[-1], len(part)))
            part.clear()
        part.append(pk)
    return pieces


class _Writing:
    """An archive that is being written: the files that are there, and what they hold."""

    def __init__(self, folder: Path, project: Project, pictures: bool) -> None:  # noqa: FBT001  # private
        """Go on where an earlier try stopped, or begin if the images or the tables are others by now.

        Raises ArchiveError if another project's archive was begun in the folder.
        """
        self.folder, self.project, self.with_pictures = folder, project, pictures
        self.pieces = pieces_of(project)
        begun = {
            "project": project.pk, "pieces": [list(piece) for piece in self.pieces], "migrations": migrations_here(),
            "engine": connection.vendor, "pictures": pictures,
        }  # fmt: skip
        before = _read(folder / BEGUN)
        if before is not None and not (isinstance(before, dict) and before.get("project") == project.pk):
            raise ArchiveError(OTHERS.format(folder))
        if before != begun:
            for name in (ROWS, PICTURES):
                shutil.rmtree(folder / name, ignore_errors=True)
            (folder / JOURNAL).unlink(missing_ok=True)
            (folder / BEGUN).write_text(json.dumps(begun))
        self.files: dict[str, ArchivedFile] = {}
        if (folder / JOURNAL).exists():
            for line in (folder / JOURNAL).read_text().splitlines():
                with suppress(ValueError):  # a line that was cut off
                    one: ArchivedFile = json.loads(line)
                    self.files[one["path"]] = one

    def table(self, table: Table, piece: Piece | None, place: int) -> None:
        """Write the rows of a table, of the images of a piece or of the project."""
        self._parquet(path_of(table.name, place), schema_of(table), read_rows(table, self.project, piece))

    def _parquet(self, path: str, schema: Any, batches: Iterable[Any]) -> None:
        """Write a file, unless it is there whole, and note it. Without rows there is no file."""
        from pyarrow.parquet import ParquetWriter

        target = self.folder / path
        before = self.files.get(path)
        if before and target.is_file() and digest_of(target) == before["sha256"]:
            return
        aside, rows = target.with_name(f"{target.name}.partial"), 0
        target.parent.mkdir(parents=True, exist_ok=True)
        with transaction.atomic(), ParquetWriter(aside, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch, row_group_size=max(1, batch.num_rows))
                rows += batch.num_rows
        if not rows:
            aside.unlink()
            return
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(target)
        self._note(path, target, rows)

    def _note(self, path: str, target: Path, rows: int) -> None:
        size, digest = target.stat().st_size, digest_of(target)
        self.files[path] = {"path": path, "rows": rows, "bytes": size, "sha256": digest}
        with (self.folder / JOURNAL).open("a") as journal:
            journal.write(f"{json.dumps(self.files[path])}\n")

    def workers(self) -> None:
        """Write who worked: people by their number alone, since they may want to be forgotten."""
        import pyarrow as arrow

        schema = arrow.schema(
            {"id": arrow.int64(), "name": arrow.string(), "kind": arrow.string(),
             "created_at": arrow.timestamp("us", tz="UTC"), "closed_at": arrow.timestamp("us", tz="UTC")}
        )  # fmt: skip
        found = [
            {**row, "name": f"worker {row['id']}" if row["kind"] == Worker.Kind.PERSON else row["name"]}
            for row in workers_of(self.project).order_by("pk").values(*schema.names)
        ]
        self._parquet(path_of(WORKERS, 0), schema, [arrow.RecordBatch.from_pylist(found, schema)] if found else [])

    def pictures(self, piece: Piece, place: int) -> None:
        """Copy the pictures of a piece's images, and write a table of them."""
        import pyarrow as arrow

        schema = arrow.schema({"name": arrow.string(), "bytes": arrow.int64(), "sha256": arrow.string()})
        inside = self.project.images.filter(pk__range=(piece.first, piece.last)).exclude(picture="")
        names = inside.order_by("picture").values_list("picture", flat=True).distinct()
        rows = [{"name": name, **self._copied(name)} for name in list(names)]
        self._parquet(path_of(PICTURES, place), schema, [arrow.RecordBatch.from_pylist(rows, schema)] if rows else [])

    def _copied(self, name: str) -> dict[str, Any]:
        target = self.folder / PICTURES / name
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            aside = target.with_name(f"{target.name}.partial")
            try:
                with store().open(name) as source, aside.open("wb") as out:
                    shutil.copyfileobj(source, out)
            except FileNotFoundError:
                raise ArchiveError(f"The picture {name} is missing in storage: write it by reference.") from None
            aside.replace(target)
        return {"bytes": target.stat().st_size, "sha256": digest_of(target)}

    def finish(self) -> None:
        """Write the manifest, which makes the archive whole."""
        text = json.dumps(self._manifest(), indent=1, sort_keys=True)
        aside = self.folder / f"{MANIFEST}.partial"
        aside.write_text(f"{text}\n")
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(self.folder / MANIFEST)
        for name in (BEGUN, JOURNAL):
            (self.folder / name).unlink(missing_ok=True)

    def _manifest(self) -> ArchiveManifest:
        members = Membership.objects.filter(project=self.project).order_by("user__username")
        return {
            "kind": "chainbox project archive",
            "format": FORMAT,
            "software": __version__,
            "migrations": migrations_here(),
            "engine": connection.vendor,
            "written_at": clock.now().isoformat(),
            "project": project_row(self.project),
            "members": [{"name": name, "role": role} for name, role in members.values_list("user__username", "role")],
            "pictures": "in the archive" if self.with_pictures else "by reference",
            "pieces": [list(piece) for piece in self.pieces],
            "tables": {
                table.name: {
                    "model": table.label,
                    "rows": sum(
                        file["rows"] for file in self.files.values() if file["path"].startswith(f"{ROWS}/{table.name}/")
                    ),
                    "removed": bool(table.images),
                    "columns": {field.name: str(field.type) for field in schema_of(table)},
                }
                for table in (*OF_IMAGES, *OF_PROJECT)
            },
            "files": sorted(self.files.values(), key=lambda one: one["path"]),
        }


def workers_of(project: Project) -> QuerySet[Worker]:
    """Return who worked in the project, or may, or is named in its rows."""
    named = Q(pk__in=Box.objects.filter(image__project=project).exclude(drawn_by=None).values("drawn_by"))
    # Each of these by itself: joined, they would be as many rows as the product of their numbers.
    for table in OF_PROJECT:
        [rows] = table.rows(project.pk, None)
        for field in table.fields:
            if field.related_model is Worker:
                named |= Q(pk__in=rows.order_by().values(field.name))
    named |= Q(pk__in=ModelPrediction.objects.filter(project=project).values("program"))
    return Worker.objects.filter(named)


def project_row(project: Project) -> dict[str, Any]:
    """Return the project's row as JSON, without where its images are."""
    row = {field.attname: getattr(project, field.attname) for field in project._meta.concrete_fields}
    del row["away"]
    return {**row, "created_at": project.created_at.isoformat()}


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None


CLOSED = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)


def check_settled(project: Project) -> None:
    """Raise ArchiveError, which says everything that is live and what ends it, if anything is."""
    if reasons := [reason for check in CHECKS if (reason := check(project))]:
        raise ArchiveError(" ".join([f"{project.name} cannot be archived yet.", *reasons]))


def _state(project: Project) -> str:
    if project.dry_run:
        return "It is a dry run: delete it instead."
    if project.state not in CLOSED:
        return f"It is {project.state}: finish it first."
    return ""


def _assignments(project: Project) -> str:
    mine = Assignment.objects.filter(project=project)
    active = mine.filter(state=Assignment.State.ACTIVE).count()
    waiting = mine.filter(acceptance=Assignment.Acceptance.WAITING).count()
    said = [f"Being worked on: {counted(active, 'assignment')}; wait until they end."] if active else []
    if waiting:
        said.append(f"Waiting for a verdict on their batch: {counted(waiting, 'assignment')}.")
    return " ".join(said)


def _due(project: Project) -> str:
    answered = Question.objects.filter(project=project, state=QuestionState.ANSWERED.value).count()
    due = Progress.objects.filter(project=project).exclude(due=Progress.Due.NOTHING).count()
    left = TrustStatus.objects.filter(project=project).filter(Q(take_back=True) | Q(appealed=True)).count()
    said = []
    if answered or due:
        said.append("The job runners have not caught up with its answers: let `tick` run, and wait.")
    if left:
        said.append(f"Open decisions about workers' trust: {left}; settle them on the page “Workers”.")
    return " ".join(said)


def _money(project: Project) -> str:
    owed = {worker: account.owed for worker, account in accounts(project.pk).items() if account.owed > 0}
    people = Worker.objects.filter(pk__in=owed, kind=Worker.Kind.PERSON, closed_at=None).values_list("pk", flat=True)
    cents = sum(owed[worker] for worker in people)
    if not cents:
        return ""
    amount = money(cents, current_settings(project.pk)[1].currency)
    return f"Owed to {counted(len(people), 'worker')}: {amount}; pay them, with `ledger --pay-all` or `pay`."


def _platforms(project: Project) -> str:
    offers = Offer.objects.filter(project=project).exclude(state=Offer.State.ENDED).count()
    active = Recruitment.objects.filter(project=project, active=True).count()
    open_ones = Q(state=Session.State.OPEN) | Q(platform_state=Session.PlatformState.SUBMITTED)
    sessions = Session.objects.filter(open_ones, offer__project=project).count()
    unsent = (Payment.State.PLANNED, Payment.State.SENT)
    payments = Payment.objects.filter(session__offer__project=project, state__in=unsent).count()
    said = []
    if offers or active:
        said.append("Work is offered on a platform: run `withdraw`.")
    if sessions or payments:
        said.append(f"Unsettled sessions and payments on a platform: {sessions + payments}; run `pay`.")
    return " ".join(said)


def _deliveries(project: Project) -> str:
    due = Delivery.objects.filter(alert__project=project, state=Delivery.State.DUE).count()
    return f"On the way to a channel: {counted(due, 'alert')}; wait, or remove the channel." if due else ""


def _work(project: Project) -> str:
    """Name work that people began, and that of other projects that reads this one."""
    open_runs = Run.objects.filter(Q(project=project) | Q(input__source_id=project.pk), state__in=Run.OPEN)
    names = [work_of(run).title for run in open_runs]
    under_way = (JobRun.State.WAITING, JobRun.State.RUNNING)
    if JobRun.objects.filter(share=f"exports of {project.pk}", state__in=under_way).exists():
        names.append("export")
    return f"Under way: {', '.join(names)}. Wait for the end, or stop it." if names else ""


CHECKS: list[Callable[[Project], str]] = [_state, _assignments, _due, _money, _platforms, _deliveries, _work]


def remove_rows(archive: Archive, project: Project, *, step: Step = lambda images: None) -> None:
    """Remove the rows of its images, or those that an earlier try left. The project's pages are closed meanwhile.

    `step` gets the number of images of each piece, once when it is compared and once when it is removed. Raises
    ArchiveError: if the project is not settled, or differs from the archive; then nothing is removed, and it is open.
    Raises it, too, if another process holds the archive.
    """
    with locked(archive.folder):
        project.refresh_from_db(fields=["away"])  # another process may have removed them meanwhile
        archive.check_files()
        _compare(archive, project, step)
        for place, piece in enumerate(archive.pieces):
            if place >= read_archived(project)["absent"]:
                _remove(archive, project, place)
            step(piece.images)


def _compare(archive: Archive, project: Project, step: Step) -> None:
    """Close the project and compare its rows with the archive, unless some are gone. If they differ, open it again."""
    before = project.away
    if before is None:
        check_settled(project)
    elif before["digest"] != archive.digest:
        raise ArchiveError(f"The rows of {project.name} were removed to another archive: {before['archive']}.")
    elif before["absent"]:
        step(sum(piece.images for piece in archive.pieces))
        return
    # From now on no page and no job reads or changes its images. A process that was killed may not have compared them.
    _write(project, archived_row(archive, absent=0, moved=bool(before and before["moved"])))
    try:
        verify(archive, project, step=step)
    except BaseException:
        _write(project, None)
        raise


def archived_row(archive: Archive, *, absent: int, moved: bool = False) -> ArchivedProject:
    """Return what the row of the archive's project keeps of its images."""
    tables = archive.manifest["tables"]

    def count(model: type[Model]) -> int:
        return tables[model._meta.db_table]["rows"]

    return {
        "archive": str(archive.folder.resolve()),
        "digest": archive.digest,
        "since": clock.now().isoformat(),
        "images": count(Image),
        "judgments": count(Judgment),
        "entries": count(Entry),
        "rows": sum(table["rows"] for table in tables.values() if table["removed"]),
        "pieces": len(archive.pieces),
        "absent": absent,
        "moved": moved,
    }


def _write(project: Project, archived: ArchivedProject | None) -> None:
    Project.objects.filter(pk=project.pk).update(away=archived)
    project.away = archived


@transaction.atomic
def _remove(archive: Archive, project: Project, place: int) -> None:
    """Remove the rows of one piece, what points to a row before the row. Raises ArchiveError if others are there."""
    Project.objects.select_for_update().get(pk=project.pk)
    for table in reversed(OF_IMAGES):
        gone = sum(delete_unread(rows) for rows in table.rows(project.pk, archive.pieces[place]))
        if gone != archive.rows_in(table, place):
            raise ArchiveError(
                f"{project.name} has changed while its rows were removed: {table.name} had {gone:,} rows in place of "
                f"{archive.rows_in(table, place):,}. Bring it back, and write a new archive."
            )
    _write(project, {**read_archived(project), "absent": place + 1})
