"""The photographs of an export: files in a folder, found by the image's name."""

from collections.abc import Iterable
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from evaluation.errors import InputError
from evaluation.reading.picture import Picture
from evaluation.work import StepWork

ENDINGS = (".jpg", ".jpeg", ".png", ".webp")


class PictureFiles:
    """Photographs by the name of their image."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.files: dict[str, Path] = {}
        for folder in folders:
            for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
                if file.suffix.lower() in ENDINGS:
                    path = file.relative_to(folder)
                    # Exports name images so: by their folders, and where two would clash by their ending.
                    self.files |= {"_".join(variant.parts): file for variant in (path.with_suffix(""), path)}

    def has_all(self, pictures: Iterable[Picture]) -> bool:
        """Tell whether there is a photograph of each image; False for no images."""
        names = [picture.name for picture in pictures]
        return bool(names) and all(name in self.files for name in names)

    def open(self, picture: Picture) -> Image.Image:
        """Return the photograph in RGB. Raises InputError if it is missing, unreadable, or of another size."""
        file = self.files.get(picture.name)
        if file is None:
            raise InputError(f"There is no photograph of image {picture.name}: name their folder with --pictures.")
        try:
            with Image.open(file) as found:
                loaded = found.convert("RGB")
        except (UnidentifiedImageError, OSError) as error:
            raise InputError(f"{file} is not a readable picture: {error}.") from None
        if loaded.size != (picture.width, picture.height):
            sizes = f"{loaded.width} x {loaded.height} pixels, its annotations {picture.width} x {picture.height}"
            raise InputError(f"{file} has {sizes}: boxes would be displaced.")
        return loaded


def picture_files(work: StepWork, *exports: Path) -> PictureFiles:
    """Return the photographs in the folder --pictures, or in images/ of the exports."""
    folder = work.file("pictures")
    return PictureFiles([folder] if folder else [export / "images" for export in exports])
