"""Reading scenes from an export or a plain file."""

from pathlib import Path

from evaluation.content_selection.from_json import read_scenes_file
from evaluation.content_selection.from_pictures import scene_of
from evaluation.content_selection.scene import Scene
from evaluation.errors import InputError
from evaluation.reading.pictures import read_pictures
from evaluation.work import Work


def read_scenes(path: Path, work: Work) -> list[Scene]:
    """Return the scenes by the names of their images. Raises InputError if no description refers to a box."""
    if path.suffix == ".jsonl":
        scenes = read_scenes_file(path)
    else:
        pictures = read_pictures(path, work.progress)
        scenes = [scene_of(picture) for picture in work.progress(pictures, "finding concepts")]
    if not any(scene.gold for scene in scenes):
        raise InputError(f"{path}: no description refers to a box. Boxes must be linked to phrases first.")
    return scenes
