"""Scenes [paper Wang 3, 4.2] of an export or of a plain file of JSON Lines, with the concepts of their boxes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Len
from typing_extensions import TypedDict

from evaluation.content_selection.scene import Labelled, Scene, natural
from evaluation.content_selection.sentences import read_correspondence
from evaluation.errors import InputError
from evaluation.language import lemma
from evaluation.reading.json_lines import json_lines, listed, member, number, whole
from evaluation.reading.picture import Picture
from evaluation.reading.pictures import read_pictures
from evaluation.work import Work


def head(words: Sequence[str]) -> str:
    """Return the last word with a letter or a digit, in lower case; the last word if none has one."""
    return next((word for word in reversed(words) if any(map(str.isalnum, word))), words[-1]).lower()


def concept(mentions: Iterable[Sequence[str]]) -> str:
    """Return the concept of a chain's mentions, each a sequence of words; ties: the one that was mentioned first.

    It is the lemma of a noun: that of "men" is "man". Raises MissingExtra without lemminflect.
    """
    return Counter(lemma(head(words), "NN") for words in mentions).most_common(1)[0][0]


def scene_of(picture: Picture) -> Scene:
    """Return the scene. Boxes of a chain are one box; a chain that nobody mentions is left out.

    Loose boxes, which are of no chain, stand behind the others under ids like "box 1".
    """
    mentions: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    references = []
    for caption in picture.captions:
        own = [phrase for phrase in caption.phrases if phrase.chain in picture.gold]
        references.append(tuple(phrase.chain for phrase in own))
        for phrase in own:
            mentions[phrase.chain].append(phrase.words)
    boxes = [
        Labelled(chain, picture.gold[chain], concept(words))
        for chain, words in sorted(mentions.items(), key=lambda one: natural(one[0]))
    ]
    loose = [Labelled(f"box {i}", box, kind) for i, (kind, box) in enumerate(picture.loose, start=1)]
    return Scene(picture.name, picture.width, picture.height, (*boxes, *loose), tuple(references))


class SceneBox(TypedDict):
    """A box of an image."""

    id: str | int
    """Its name in descriptions."""
    box: Annotated[Sequence[float], Len(4, 4)]
    """[left, top, right, bottom] in pixels."""
    concept: str
    """The word for the thing."""


class SceneLine(TypedDict):
    """An image with labelled boxes and its descriptions."""

    image: str | int
    """Its name."""
    width: Annotated[int, Ge(0)]
    """In pixels."""
    height: Annotated[int, Ge(0)]
    """In pixels."""
    boxes: Sequence[SceneBox]
    descriptions: Sequence[str | Sequence[str | int]]
    """Each a sentence in which words that name a box are [word] with its id behind, or a list of ids."""


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
    for place, one in enumerate(listed(value, "boxes", where), start=1):
        own = f"{where}, box {place}"
        name = str(member(one, "id", own))
        if name in boxes:
            raise InputError(f"{own}: the id {name!r} stands twice.")
        edges = [number(edge, f"{own}: an edge") for edge in listed(one, "box", own)]
        if len(edges) != 4 or edges[0] >= edges[2] or edges[1] >= edges[3]:
            raise InputError(f"{own}: the box {edges} is no x0, y0, x1, y1 with an area.")
        box = (edges[0], edges[1], edges[2], edges[3])
        boxes[name] = Labelled(name, box, str(member(one, "concept", own)).lower())
    references = []
    for place, one in enumerate(listed(value, "descriptions", where), start=1):
        own = f"{where}, description {place}"
        names = read_correspondence(one, own) if isinstance(one, str) else [str(name) for name in _ids(one, own)]
        if unknown := [name for name in names if name not in boxes]:
            raise InputError(f"{own}: there is no box {unknown[0]!r}.")
        references.append(tuple(names))
    ordered = tuple(boxes[name] for name in sorted(boxes, key=natural))
    return Scene(image, width, height, ordered, tuple(references))


def _ids(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{where} is neither a list of ids nor a sentence like “A [woman]2 by a [car]3”.")
    return value


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
