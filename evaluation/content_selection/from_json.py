"""Scenes of a plain file [paper Wang 3]: JSON Lines, an image a line with its boxes and descriptions."""

from pathlib import Path
from typing import Any

from evaluation.content_selection.correspondence import read_correspondence
from evaluation.content_selection.scene import Labelled, Scene, natural
from evaluation.errors import InputError
from evaluation.reading.json_lines import json_lines, member, number, whole


def read_scenes_file(path: Path) -> list[Scene]:
    """Return the scenes, by the names of their images. Raises InputError, which names the line."""
    found: dict[str, Scene] = {}
    for where, value in json_lines(path):
        scene = _scene(value, where)
        if scene.image in found:
            raise InputError(f"{where}: the image {scene.image!r} stands twice.")
        found[scene.image] = scene
    if not found:
        raise InputError(f"{path.name} holds no image.")
    return [found[name] for name in sorted(found)]


def _scene(value: Any, where: str) -> Scene:
    image = str(member(value, "image", where))
    width, height = (whole(member(value, name, where), f"{where}: the field {name!r}") for name in ("width", "height"))
    boxes: dict[str, Labelled] = {}
    for place, one in enumerate(_list(value, "boxes", where), start=1):
        own = f"{where}, box {place}"
        name = str(member(one, "id", own))
        if name in boxes:
            raise InputError(f"{own}: the id {name!r} stands twice.")
        edges = [number(edge, f"{own}: an edge") for edge in _list(one, "box", own)]
        if len(edges) != 4 or edges[0] >= edges[2] or edges[1] >= edges[3]:
            raise InputError(f"{own}: the box {edges} is no x0, y0, x1, y1 with an area.")
        box = (edges[0], edges[1], edges[2], edges[3])
        boxes[name] = Labelled(name, box, str(member(one, "concept", own)).lower())
    references = []
    for place, one in enumerate(_list(value, "descriptions", where), start=1):
        own = f"{where}, description {place}"
        names = read_correspondence(one, own) if isinstance(one, str) else [str(name) for name in _ids(one, own)]
        if unknown := [name for name in names if name not in boxes]:
            raise InputError(f"{own}: there is no box {unknown[0]!r}.")
        references.append(tuple(names))
    ordered = tuple(boxes[name] for name in sorted(boxes, key=natural))
    return Scene(image, width, height, ordered, tuple(references))


def _list(value: Any, name: str, where: str) -> list[Any]:
    found = member(value, name, where)
    if not isinstance(found, list):
        raise InputError(f"{where}: the field {name!r} is not a list.")
    return found


def _ids(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{where} is neither a list of ids nor a sentence like “A [woman]2 by a [car]3”.")
    return value
