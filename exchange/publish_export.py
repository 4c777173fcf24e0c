"""Archives of exports in storage: one for each state of a project's record, so that an unchanged project has one."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.cache import cache
from django.core.files.base import File
from django.utils import timezone

from annotation.models import Project
from annotation.storage import store
from exchange.export_dataset import export_dataset
from pipeline.models import Entry
from pipeline.settings_versions import current_settings

FOLDER = "exports"
KEPT = timedelta(days=7)
MAKING_SECONDS = 3600
"""The time for which a requested archive is not requested again."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A project's finished images in one format, for one state of the record."""

    project: Project
    export_format: str
    state: str

    @property
    def title(self) -> str:
        return f"{self.project.name}-{self.export_format}"

    @property
    def path(self) -> str:
        """Return the archive's name in storage."""
        return f"{FOLDER}/{self.project.name}/{self.export_format}-{self.state}.zip"

    @property
    def mark(self) -> str:
        """Return the archive's key in the cache while it is being made."""
        return f"being-made:{self.path}"

    def is_there(self) -> bool:
        return store().exists(self.path)

    def is_being_made(self) -> bool:
        return cache.get(self.mark) is not None


def record_state(project: Project) -> str:
    """Return the state of the project's record: its last entry and its settings version."""
    last = Entry.objects.filter(project=project).order_by("-id").values_list("id", flat=True).first()
    return f"{last or 0}-{current_settings(project.id)[0]}"


def publish_export(archive: Archive) -> None:
    """Put the archive into storage, unless it exists. It is made on disk, never as a whole in memory."""
    if not archive.is_there():
        with TemporaryDirectory(prefix="chainbox-") as folder:
            packed = _packed(archive, Path(folder))
            with packed.open("rb") as file:
                store().save(archive.path, File(file))
    cache.delete(archive.mark)


def _packed(archive: Archive, folder: Path) -> Path:
    inside = folder / "inside"
    inside.mkdir()
    target = inside / (f"{archive.title}.jsonl" if archive.export_format == "jsonl" else archive.title)
    export_dataset(project=archive.project, target=target, export_format=archive.export_format)
    with ZipFile(folder / "packed.zip", "w", ZIP_DEFLATED) as packed:
        for file in sorted(inside.rglob("*")):
            if file.is_file():
                packed.write(file, file.relative_to(inside))
    return folder / "packed.zip"


def forget_exports(now: datetime | None = None) -> int:
    """Delete archives that are more than a week old. Returns their number."""
    old = [name for name in _archives() if store().get_modified_time(name) < (now or timezone.now()) - KEPT]
    for name in old:
        store().delete(name)
    return len(old)


def _archives() -> list[str]:
    with suppress(FileNotFoundError):  # the service has made no export yet
        folders = [f"{FOLDER}/{name}" for name in store().listdir(FOLDER)[0]]
        return [f"{folder}/{name}" for folder in folders for name in store().listdir(folder)[1]]
    return []
