"""Sources of an import: the uploaded files, and those folders and buckets that an administrator allows."""

import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from annotation.models import Project
from exchange.checks import SourceError, source_error
from exchange.formats import detect
from exchange.formats.pictures import is_inside, is_picture
from exchange.registry import FORMATS
from exchange.source import SCHEME, is_clutter
from projects.uploads.files import Received, files_folder, place_of
from runtime.words import counted

UPLOADED = "the uploaded files"
SHOWN_TEXTS = 20
ZIP = "zip"


def allowed_sources() -> list[str]:
    """Return the folders and addresses below which requesters may import (the setting IMPORT_SOURCES)."""
    return list(settings.IMPORT_SOURCES)


def allowed_folders() -> list[Path]:
    """Return the folders of the server among them, without links."""
    return [Path(source).resolve() for source in allowed_sources() if not source.startswith(SCHEME)]


def check_source(source: str) -> str:
    """Return the folder or address in its plain form. Raises SourceError if it is below no allowed one."""
    places = [place for place in allowed_sources() if place.startswith(SCHEME) == source.startswith(SCHEME)]
    if source.startswith(SCHEME):
        if any(source.startswith(place if place.endswith("/") else f"{place}/") for place in places):
            return source
    elif source.startswith("/") and "\0" not in source:
        # Resolved, so that neither .. nor a link leads out of the folder.
        wanted = Path(source).resolve()
        if is_inside(wanted, allowed_folders()):
            if wanted.is_dir() or wanted.suffix == ".zip":
                return str(wanted)
            raise source_error(source, "is neither a folder nor a .zip file on the server")
    else:
        raise source_error(
            source[:200], "is not a source: write a whole path such as /sets/photos, or s3://BUCKET/PREFIX/"
        )
    allowed = ", ".join(places) or "none of this kind"
    raise source_error(
        source[:200], f"is not allowed: an administrator allows sources with IMPORT_SOURCES; allowed now: {allowed}"
    )


def uploaded_source(project: Project) -> Path:
    """Return the path of the uploaded files, or of their only .zip file. Raises SourceError without a clear source.

    Of a service with a bucket they need not be on this machine yet (`place_of(…).bring`).
    """
    inside = sorted({file.path.partition("/")[0] for file in place_of(project.pk).complete()})
    if not inside:
        raise source_error(UPLOADED, "are missing: upload pictures with a file of captions first")
    zips = [name for name in inside if name.lower().endswith(".zip")]
    if zips and len(inside) > 1:
        raise source_error(UPLOADED, f"hold {zips[0]} and other files: remove one or the other")
    folder = files_folder(project.pk)
    return folder / zips[0] if zips else folder


def plain_problem(error: SourceError, path: Path | str) -> str:
    """Return the error's sentence, with words in place of the path of the uploaded files."""
    return str(error).replace(str(path), UPLOADED) if path else str(error)


def summarize_uploads(project: Project, files: Sequence[Received]) -> dict[str, Any]:
    """Return what the uploaded files are together: counts, bytes, texts, and the format that they make.

    What a .zip file holds is counted, and not the file.
    """
    whole = [file for file in files if file.received == file.size]
    texts = [file.path for file in whole if not is_picture(file.path)]
    found: dict[str, Any] = {
        "count": len(whole),
        "begun": len(files) - len(whole),
        "pictures": len(whole) - len(texts),
        "others": len(texts),
        "bytes": sum(file.received for file in files),
        "texts": texts[:SHOWN_TEXTS],
        "moreTexts": max(0, len(texts) - SHOWN_TEXTS),
        "format": "",
        "problem": "",
        "trouble": "",
        "columns": "",
    }
    for path in texts:
        if PurePosixPath(path).suffix.lower() == ".zip":
            _look_inside(found, project, path)
    if whole:
        _name_format(found, project)
    return {**found, "said": _in_words(found)}


def _look_inside(summary: dict[str, Any], project: Project, path: str) -> None:
    try:
        with place_of(project.pk).open(path) as file, zipfile.ZipFile(file) as archive:
            inside = [
                entry.filename for entry in archive.infolist() if not entry.is_dir() and not is_clutter(entry.filename)
            ]
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError):
        return  # the import says what is wrong with it
    pictures = sum(map(is_picture, inside))
    summary["pictures"] += pictures
    summary["others"] += len(inside) - pictures - 1


def _name_format(summary: dict[str, Any], project: Project) -> None:
    try:
        source = uploaded_source(project)
        name = ZIP
        if source.suffix.lower() != ".zip":
            place_of(project.pk).bring(texts_only=True)
            data_format = detect(source, FORMATS.values())
            summary["columns"] = data_format.describe_columns(source)
            name = data_format.name
        summary["format"] = name
    except SourceError as error:
        summary["problem"] = error.problem.message
        whole = error.problem.file in (str(files_folder(project.pk)), UPLOADED)
        if summary["pictures"] and not summary["others"]:
            summary["trouble"] = "Captions are missing: paste them below, or add captions.csv"
        else:
            summary["trouble"] = _about_files(error.problem.message) if whole else str(error)


def _about_files(message: str) -> str:
    """Return what is said of the source as said of its files."""
    for singular, several in (("is ", "are "), ("has ", "have ")):
        if message.startswith(singular):
            message = f"{several}{message.removeprefix(singular)}"
    return f"The files {message}"


def _in_words(summary: dict[str, Any]) -> str:
    """Return all this in words; empty if nothing is here."""
    sentences = []
    if summary["count"]:
        files = f"{counted(summary['pictures'], 'picture')} and {counted(summary['others'], 'other file')}"
        where = " here, in a .zip file" if summary["format"] == ZIP else " here"
        sentences.append(f"{files} are{where} ({filesizeformat(summary['bytes'])}).")
        if summary["format"] and summary["format"] != ZIP:
            sentences.append(f"Format: {summary['format']}.")
        sentences.append(summary["columns"])
        sentences.append(f"{summary['trouble']}." if summary["trouble"] else "")
    if summary["begun"]:
        comes = "1 file has" if summary["begun"] == 1 else f"{summary['begun']:,} files have"
        sentences.append(f"{comes} come only in part: choose the same files again, and the upload goes on.")
    return " ".join(filter(None, sentences))
