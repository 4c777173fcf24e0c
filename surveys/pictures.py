"""The pictures of a survey's items: files of a folder, or the images of another project."""

from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from django.db.models import Q

from annotation.decode_picture import PictureError, verify_picture
from annotation.models import Image, Project
from annotation.pictures import store_picture
from annotation.rules.comparable import comparable_word, spellings
from exchange.formats.pictures import SUFFIXES, is_picture
from surveys.rules.items import SurveyError

MOST_NAMED = 5
"""Missing pictures that an error names."""
Step = Callable[[], object]


class ItemPicture(NamedTuple):
    """A picture in storage. Width and height are upright, in pixels."""

    stored: str
    width: int
    height: int
    source: str


class ItemPictures(Protocol):
    def check(self, names: Iterable[str], step: Step) -> None:
        """Raise SurveyError, which names them, if pictures are missing or damaged. `step` is called after each."""

    def take(self, name: str) -> ItemPicture:
        """Return the picture, stored. Raises SurveyError if it cannot be read any more."""


def missing_names(names: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return the names for which none of the picture files is there. An item names a file, with its ending or not."""
    there = set(map(comparable_word, files))
    there |= {PurePosixPath(file).stem for file in there}
    return [name for name in names if comparable_word(name) not in there]


class FolderOfPictures:
    """The picture files right in a folder. An item names a file, with its ending or without."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise SurveyError(f"{folder} is not a folder. Name the one that holds the pictures.")
        self.folder = folder
        self.files = {path.name: path for path in folder.iterdir() if is_picture(path.name)}
        self.stems: dict[str, Path] = {}
        """Files by names that are not quite theirs: without the ending, or typed in another way."""
        for name, path in sorted(self.files.items(), reverse=True):
            self.stems |= dict.fromkeys((comparable_word(PurePosixPath(name).stem), comparable_word(name)), path)

    def check(self, names: Iterable[str], step: Step) -> None:
        missing: list[str] = []
        for name in names:
            path = self._find(name)
            if path is None:
                missing.append(name)
                continue
            _verified(path)
            step()
        _refuse_missing(missing, f"the folder {self.folder}", f"Files end in {', '.join(sorted(SUFFIXES))}.")

    def take(self, name: str) -> ItemPicture:
        path = self._find(name)
        if path is None:
            raise SurveyError(f"The picture {name} is gone from {self.folder}.")
        kind, width, height = _verified(path)
        return ItemPicture(store_picture(path, picture_format=kind), width, height, str(path))

    def _find(self, name: str) -> Path | None:
        return self.files.get(name) or self.stems.get(comparable_word(name))


def _verified(path: Path) -> tuple[str, int, int]:
    try:
        info = verify_picture(path)
    except PictureError as error:
        raise SurveyError(f"The picture {path} {error}. Replace it, or leave out its items.") from error
    return info.format, info.width, info.height


class PicturesOfProject:
    """The pictures of another project. An item names an image as that project does, or the image's file."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.found: dict[str, Image] = {}

    def check(self, names: Iterable[str], step: Step) -> None:
        wanted = list(names)
        stems = {name: PurePosixPath(name).stem for name in wanted}
        asked = {spelling for name in (*wanted, *stems.values()) for spelling in spellings(name)}
        rows = list(Image.objects.filter(Q(name__in=asked) | Q(path__in=asked), project=self.project))
        by_name = {spelling: row for row in rows for spelling in spellings(row.name)}
        by_path = {spelling: row for row in rows if row.path for spelling in spellings(row.path)}
        found = {name: by_path.get(name) or by_name.get(name) or by_name.get(stems[name]) for name in wanted}
        self.found = {name: row for name, row in found.items() if row is not None}
        _refuse_missing([name for name in wanted if name not in self.found], f"the project {self.project.name}", "")
        _refuse_missing(
            [name for name, row in self.found.items() if not row.picture],
            f"the project {self.project.name}",
            "It has these images without pixels.",
        )
        for _ in wanted:
            step()

    def take(self, name: str) -> ItemPicture:
        row = self.found[name]
        return ItemPicture(row.picture, row.width, row.height, f"project {self.project.name}, image {row.name}")


def _refuse_missing(names: list[str], where: str, remedy: str) -> None:
    if not names:
        return
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    count = "1 picture is" if len(names) == 1 else f"{len(names):,} pictures are"
    listed = f"{', '.join(names[:MOST_NAMED])}{more}"
    raise SurveyError(f"{count} missing in {where}: {listed}. Add them, or leave out their items. {remedy}".strip())
