"""Archives of exports in storage: one for each state of a project's record, so that an unchanged project has one.

An archive of some images, or with options, has the digest of these choices in its name, too.
"""

import json
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.core.files.base import File

from annotation.data_card import given
from annotation.models import Project
from annotation.storage import store
from exchange.export_dataset import export_dataset
from exchange.export_options import NO_OPTIONS, ExportOptions
from exchange.export_parts import ExportParts, PartsDifferError, in_parts, join_parts, pack_folder
from exchange.formats.format import Format
from exchange.leftovers import workspace
from exchange.load_project import ids_in_order
from exchange.models import Selection
from exchange.registry import export_format as format_called
from pipeline.models import Entry
from pipeline.project.settings_versions import current_settings
from runtime import clock
from runtime.models import JobRun
from runtime.pieces import forget_pieces

logger = logging.getLogger(__name__)
FOLDER = "exports"
KEPT_TIME = timedelta(days=7)
STATE_PARTS = 3
"""Of the name of a state of the record, between hyphens."""


@dataclass(frozen=True, slots=True)
class PublishedExport:
    """A project's finished images in one format, for one state of the record; or what a selection chose of them."""

    project: Project
    export_format: str
    state: str
    selection: Selection | None = None

    @property
    def format(self) -> Format:
        return format_called(self.export_format)

    @property
    def title(self) -> str:
        return f"{self.project.name}-{self.export_format}" + (f"-{self.selection.digest}" if self.selection else "")

    @property
    def name(self) -> str:
        """Return the state, with the selection's digest: the part of the name that differs between archives."""
        return f"{self.state}-{self.selection.digest}" if self.selection else self.state

    @property
    def path(self) -> str:
        """Return the archive's name in storage: by the project's id, since its name may belong to another one later."""
        return f"{FOLDER}/project.{self.project.pk}/{self.export_format}-{self.name}.zip"

    @property
    def key(self) -> str:
        """Return the name of the work of making the archive."""
        return f"export:{self.project.id}:{self.export_format}:{self.name}"

    @property
    def file_name(self) -> str:
        """Return the name of the file or folder in the archive."""
        is_folder = self.options.pictures is not None or self.options.splits
        return self.title + ("" if is_folder else self.format.ending)

    @property
    def only(self) -> frozenset[int] | None:
        """Return the ids of the selected images; None: all."""
        if self.selection is None or self.selection.images is None:
            return None
        return frozenset(self.selection.images)

    @property
    def include_unmerged(self) -> bool:
        return bool(self.selection and self.selection.include_unmerged)

    @property
    def options(self) -> ExportOptions:
        return ExportOptions(**self.selection.options) if self.selection else NO_OPTIONS

    def parts(self) -> ExportParts:
        """Return the parts in which a large archive is made."""
        return ExportParts(self.project, self.format, self.key, self.path.removesuffix(".zip"))

    def progress(self) -> tuple[int, int] | None:
        """Return how many of its parts are made, and how many there are; None: it is not made in several."""
        rows = self.parts().rows()
        return (sum(row.state == JobRun.State.DONE for row in rows), len(rows)) if rows else None

    def is_there(self) -> bool:
        return store().exists(self.path)

    def run(self) -> JobRun | None:
        """Return the work of making the archive, if anybody requested it."""
        return JobRun.objects.filter(key=self.key).first()


def record_state(project: Project) -> str:
    """Return the state of the project's record: its last entry, its settings version, and a digest of its card."""
    last = Entry.objects.filter(project=project).order_by("-id").values_list("id", flat=True).first()
    told = json.dumps([project.title, given(project.data_card)])
    return f"{last or 0}-{current_settings(project.id)[0]}-{sha256(told.encode()).hexdigest()[:8]}"


def archive_now(
    project: Project,
    export_format: str,
    *,
    images: Iterable[int] | None = None,
    include_unmerged: bool = False,
    options: ExportOptions = NO_OPTIONS,
    words: str = "",
) -> PublishedExport:
    """Return the archive of the project as it is now. `images`: ids; None: all. `words`: the search that found them."""
    selection = None
    if images is not None or include_unmerged or options != NO_OPTIONS:
        chosen = {
            "images": None if images is None else sorted(images),
            "include_unmerged": include_unmerged,
            "options": asdict(options),
        }
        digest = sha256(json.dumps(chosen).encode()).hexdigest()[:16]
        values = {**chosen, "words": words[:500], "created_at": clock.now()}
        selection, made = Selection.objects.get_or_create(project=project, digest=digest, defaults=values)
        if not made:  # it is kept for a week from now
            Selection.objects.filter(pk=selection.pk).update(created_at=clock.now())
    return PublishedExport(project, export_format, record_state(project), selection)


def archive_called(project: Project, export_format: str, name: str) -> PublishedExport | None:
    """Return the archive of this name if it is there, or was asked for."""
    *state, digest = name.split("-")
    if len(state) < STATE_PARTS:
        archive = PublishedExport(project, export_format, name)
    elif selection := Selection.objects.filter(project=project, digest=digest).first():
        archive = PublishedExport(project, export_format, "-".join(state), selection)
    else:
        return None
    return archive if archive.is_there() or archive.run() is not None else None


def publish_export(archive: PublishedExport, ask_for_help: Callable[[], object] = lambda: None) -> None:
    """Put the archive into storage, unless it exists. It is made on disk, never as a whole in memory.

    A large one is made in several parts; `ask_for_help` tells other job runners that there are some to make.
    """
    if archive.is_there():
        archive.parts().forget()  # a process that was killed may have left them
        return
    ids = ids_in_order(archive.project, archive.only, include_unmerged=archive.include_unmerged)
    if archive.options != NO_OPTIONS or not in_parts(archive.project, archive.format, ids):
        _publish_whole(archive)
        return
    parts = archive.parts()
    parts.plan(ids)
    ask_for_help()
    parts.make_all()
    try:
        with workspace() as folder:
            target = folder / "joined" / "archive.zip"
            target.parent.mkdir()
            join_parts(archive.project, archive.format, parts.fetch(folder), target, archive.file_name)
            with target.open("rb") as file:
                store().save(archive.path, File(file))
    except PartsDifferError:
        logger.warning("%s: its images changed while its parts were made; it is made anew as one", archive.key)
        _publish_whole(archive)
    parts.forget()


def help_with(archive: PublishedExport) -> bool:
    """Make a part of an archive that another process makes, if one waits. Returns whether there was one."""
    run = archive.run()
    return run is not None and run.state == JobRun.State.RUNNING and archive.parts().make_one()


def _publish_whole(archive: PublishedExport) -> None:
    """Write the export as a command does, and put it into an archive."""
    with workspace() as folder:
        (folder / "inside").mkdir()
        export_dataset(
            project=archive.project,
            target=folder / "inside" / archive.file_name,
            export_format=archive.export_format,
            include_unmerged=archive.include_unmerged,
            only=archive.only,
            options=archive.options,
        )
        changed = Entry.objects.filter(project=archive.project).order_by("-id").values_list("created_at", flat=True)
        day = (changed.first() or archive.project.created_at).date()
        pack_folder(folder / "inside", folder / "archive.zip", day)
        with (folder / "archive.zip").open("rb") as file:
            store().save(archive.path, File(file))


def forget_exports(now: datetime | None = None) -> int:
    """Delete archives and selections that are more than a week old. Returns the number of archives."""
    until = (now or clock.now()) - KEPT_TIME
    forget_pieces(until)
    Selection.objects.filter(created_at__lt=until).delete()
    old = [name for name in _archives() if store().get_modified_time(name) < until]
    for name in old:
        store().delete(name)
    return len(old)


def _archives() -> list[str]:
    with suppress(FileNotFoundError):  # the service has made no export yet
        folders = [f"{FOLDER}/{name}" for name in store().listdir(FOLDER)[0]]
        return [f"{folder}/{name}" for folder in folders for name in store().listdir(folder)[1]]
    return []
