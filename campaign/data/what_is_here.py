"""Summary of the uploaded files of a project, for its page."""

import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from django.template.defaultfilters import filesizeformat

from annotation.models import Project
from campaign.data.sources import UPLOADED, uploaded_source
from campaign.data.uploads import Received, files_folder
from exchange.detect import FOLDER, columns_said, detect_format
from exchange.picture_files import is_picture
from exchange.problems import SourceError
from exchange.unpack import is_clutter
from upkeep.counted import counted

SHOWN_TEXTS = 20
ZIP = "zip"


def summary(project: Project, files: Sequence[Received]) -> dict[str, Any]:
    """Return what the uploaded files are together: counts, bytes, texts, and the format that they make.

    What a .zip file holds is counted, and not the file.
    """
    whole = [one for one in files if one.received == one.size]
    texts = [one.path for one in whole if not is_picture(one.path)]
    found: dict[str, Any] = {
        "count": len(whole),
        "begun": len(files) - len(whole),
        "pictures": len(whole) - len(texts),
        "others": len(texts),
        "bytes": sum(one.received for one in files),
        "texts": texts[:SHOWN_TEXTS],
        "moreTexts": max(0, len(texts) - SHOWN_TEXTS),
        "format": "",
        "problem": "",
        "trouble": "",
        "columns": "",
    }
    for path in texts:
        if PurePosixPath(path).suffix.lower() == ".zip":
            _look_inside(found, files_folder(project.pk) / path)
    if whole:
        _name_format(found, project)
    return {**found, "said": _in_words(found)}


def _look_inside(found: dict[str, Any], path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            inside = [one.filename for one in archive.infolist() if not one.is_dir() and not is_clutter(one.filename)]
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError):
        return  # the import says what is wrong with it
    pictures = sum(map(is_picture, inside))
    found["pictures"] += pictures
    found["others"] += len(inside) - pictures - 1


def _name_format(found: dict[str, Any], project: Project) -> None:
    try:
        source = uploaded_source(project)
        name = ZIP if PurePosixPath(source).suffix.lower() == ".zip" else detect_format(source)
        found["columns"] = columns_said(source) if name == FOLDER else ""
        found["format"] = name
    except SourceError as error:
        found["problem"] = error.problem.message
        whole = error.problem.file in (str(files_folder(project.pk)), UPLOADED)
        found["trouble"] = _about_files(error.problem.message) if whole else str(error)


def _about_files(message: str) -> str:
    """Return what is said of the source as said of its files."""
    for one, several in (("is ", "are "), ("has ", "have ")):
        if message.startswith(one):
            message = f"{several}{message.removeprefix(one)}"
    return f"The files {message}"


def _in_words(found: dict[str, Any]) -> str:
    """Return all this in words; empty if nothing is here."""
    sentences = []
    if found["count"]:
        files = f"{counted(found['pictures'], 'picture')} and {counted(found['others'], 'other file')}"
        where = " here, in a .zip file" if found["format"] == ZIP else " here"
        sentences.append(f"{files} are{where} ({filesizeformat(found['bytes'])}).")
        if found["format"] and found["format"] != ZIP:
            sentences.append(f"Format: {found['format']}.")
        sentences.append(found["columns"])
        sentences.append(f"{found['trouble']}." if found["trouble"] else "")
    if found["begun"]:
        comes = "1 file has" if found["begun"] == 1 else f"{found['begun']:,} files have"
        sentences.append(f"{comes} come only in part: choose the same files again, and the upload goes on.")
    return " ".join(filter(None, sentences))
