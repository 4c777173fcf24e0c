"""The files of an evaluation in storage: those that were uploaded, and the report as one archive."""

from contextlib import suppress
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.files.base import File

from annotation.models import Project
from annotation.storage import store
from projects.models import Run

FOLDER = "evaluations"
CONTENT_TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".tex": "application/x-tex",
    ".bib": "application/x-bibtex",
    ".txt": "text/plain; charset=utf-8",
}
PICTURES = (".png", ".jpg")


def archive_path(run: Run) -> str:
    """Return the name of the report's archive in storage."""
    return f"{FOLDER}/{run.project_id}/{run.pk}.zip"


def picture_path(run: Run, name: str) -> str:
    """Return the name in storage of a picture of the report, which lies beside the archive, too."""
    return f"{FOLDER}/{run.project_id}/{run.pk}-{PurePosixPath(name).name}"


def store_file(project: Project, file: BinaryIO, ending: str) -> str:
    """Put an uploaded file into storage and return its name there."""
    path = f"{FOLDER}/{project.pk}/{token_hex(8)}{ending}"
    store().save(path, File(file))
    return path


def keep_report(run: Run, folder: Path, beside: Path) -> None:
    """Put the files of the report into storage, as one archive, and its pictures beside, for browsers.

    `beside`: a folder for the archive meanwhile.
    """
    with ZipFile(beside / "report.zip", "w", ZIP_DEFLATED) as packed:
        for file in sorted(folder.iterdir()):
            packed.write(file, file.name)
    for picture in sorted(file for file in folder.iterdir() if file.suffix in PICTURES):
        with picture.open("rb") as drawn:
            store().save(picture_path(run, picture.name), File(drawn))
    with (beside / "report.zip").open("rb") as made:
        store().save(archive_path(run), File(made))


def read_file(run: Run, name: str) -> bytes | None:
    """Return the contents of a file of the report; None if there is no such file."""
    with suppress(FileNotFoundError, KeyError), store().open(archive_path(run)) as file, ZipFile(file) as packed:
        return packed.read(name)
    return None


def forget_leftovers() -> None:
    """Delete the files of projects that are gone."""
    with suppress(FileNotFoundError):  # nothing was ever evaluated
        there = {str(pk) for pk in Project.objects.values_list("pk", flat=True)}
        for folder in set(store().listdir(FOLDER)[0]) - there:
            for name in store().listdir(f"{FOLDER}/{folder}")[1]:
                store().delete(f"{FOLDER}/{folder}/{name}")


def _pictures(run: Run) -> list[str]:
    folder = f"{FOLDER}/{run.project_id}"
    with suppress(FileNotFoundError):  # nothing was kept
        names = store().listdir(folder)[1]
        return [f"{folder}/{name}" for name in names if name.startswith(f"{run.pk}-")]
    return []


def delete_evaluation(run: Run) -> None:
    """Delete the evaluation with its files."""
    names = [archive_path(run), *run.input["files"].values(), *_pictures(run)]
    run.delete()
    for name in names:
        with suppress(FileNotFoundError):
            store().delete(name)
