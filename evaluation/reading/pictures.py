"""Reading an export as pictures: each format as imports read it, but the record of a project and files of COCO.

Boxes of COCO's files may lie between pixels, where imports take whole ones; nobody imports the record.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from pathlib import Path
from sys import intern
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from annotation.decode_picture import PictureError
from evaluation.errors import InputError
from evaluation.reading.coco import INSTANCES, read_coco, read_whole_coco
from evaluation.reading.picture import NO_BOX, NOT_VISUAL, SCENE, Box, Lack, Picture, PictureCaption, PicturePhrase
from evaluation.reading.source import export_folder, json_file, json_lines, listed, member, number, path_of, whole
from exchange.checks import SourceError
from exchange.dataset import DatasetCaption, DatasetImage
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.format import Format
from exchange.formats.hub import HUB
from exchange.formats.mdetr import MDETR
from exchange.formats.odvg import ODVG
from exchange.formats.parquet import PARQUET
from exchange.formats.pictures import SourcePictures
from exchange.split_captions import character_span

Placed = tuple[int, int, str, tuple[str, ...]]
"""A phrase: its first word and the one behind its last, its chain and its types."""


def read_record(lines: Iterable[tuple[str, Any]]) -> list[Picture]:
    """Return the pictures by name of lines, each with its place, with the chains and boxes of the outcome so far.

    Images whose phrases have no chains yet are left out. Raises InputError, which names the line.
    """
    images = (line for line in lines if is_image(line[1], line[0]))
    found = [picture for where, line in images if (picture := _picture(line, where)) is not None]
    return sorted(found, key=lambda one: one.name)


def is_image(line: Any, where: str) -> bool:
    """Tell a line of an image from that of the project. Raises InputError for any other."""
    kind = member(line, "kind", where)
    if kind not in ("project", "image"):
        raise InputError(f"{where}: the kind is {json.dumps(kind)[:40]}: give an export as jsonl.")
    return bool(kind == "image")


def final_chain(chain: int, merged: dict[int, int | None], where: str) -> int:
    """Return the chain that this one became part of, or itself. Raises InputError for a circle.

    Notes in `merged` where each chain on the way ends, so that a long way is gone once.
    """
    seen = {chain}
    while (into := merged.get(chain)) is not None:
        if into in seen:
            raise InputError(f"{where}: chain {chain} was merged into itself.")
        seen.add(into)
        chain = into
    merged |= dict.fromkeys(seen - {chain}, chain)
    return chain


def merged_chains(chains: list[Any], where: str) -> dict[int, int | None]:
    """Return for each chain the one that it became part of. Raises InputError for a chain that is no number."""
    return {
        whole(member(chain, "name", where), f"{where}: a chain"): None
        if chain.get("merged_into") is None
        else whole(chain["merged_into"], f"{where}: 'merged_into'")
        for chain in chains
    }


def _picture(line: Any, where: str) -> Picture | None:
    chains = listed(line, "chains", where)
    merged = merged_chains(chains, where)
    placed: dict[int, list[Placed]] = defaultdict(list)
    for mention in listed(line, "mentions", where):
        if (chain := member(mention, "chain", where)) is None:
            return None
        own = _name(final_chain(whole(chain, f"{where}: a chain"), merged, where))
        caption, start, end = (
            whole(member(mention, name, where), f"{where}: {name!r}") for name in ("caption", "start", "end")
        )
        types = tuple(str(kind).replace(" ", "") for kind in listed(mention, "types", where))
        placed[caption].append((start, end, own, types))
    captions = tuple(
        _caption(caption, place, placed[place], where) for place, caption in enumerate(listed(line, "captions", where))
    )
    if beyond := [caption for caption in placed if caption >= len(captions)]:
        raise InputError(f"{where}: a mention is in caption {beyond[0]}, of {len(captions)} captions counted from 0.")
    flags = {
        _name(final_chain(chain["name"], merged, where)): frozenset((chain["non_visual"],))
        for chain in chains
        if chain.get("non_visual")
    }
    width, height = (whole(member(line, name, where), f"{where}: the {name}") for name in ("width", "height"))
    return Picture(str(member(line, "name", where)), width, height, captions, _boxes(line, merged, where), flags=flags)


def _name(chain: int) -> str:
    """Return the chain's name. Chains are named by their first mention, from 0, and NOT_VISUAL is taken."""
    return str(chain + 1)


def _caption(value: Any, place: int, phrases: list[Placed], where: str) -> PictureCaption:
    words = tuple(map(str, listed(value, "words", where)))
    hidden = (_span(span, where) for span in listed(value, "non_visual", where))
    every = sorted([*phrases, *((*span, NOT_VISUAL, ("notvisual",)) for span in hidden)])
    if every and not all(0 <= start < end <= len(words) for start, end, _, _ in every):
        raise InputError(f"{where}: a phrase of caption {place} has no words of it.")
    return PictureCaption(
        words,
        tuple(
            PicturePhrase(place, i, start, words[start:end], chain, types)
            for i, (start, end, chain, types) in enumerate(every)
        ),
    )


def _span(value: Any, where: str) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(f"{where}: {str(value)[:40]} is no span of words.")
    return whole(value[0], f"{where}: a span"), whole(value[1], f"{where}: a span")


def _boxes(line: Any, merged: dict[int, int | None], where: str) -> dict[str, list[Box]]:
    """Return the boxes of the result by chain; before boxes are merged, those that were accepted."""
    found: dict[str, list[Box]] = defaultdict(list)
    for box in line.get("merged_boxes") or ():
        for chain in listed(box, "chains", where):
            found[_name(whole(chain, f"{where}: a chain"))].append(_box(box, where))
    if not found:
        for box in listed(line, "boxes", where):
            if member(box, "state", where) == "accepted":
                chain = final_chain(whole(member(box, "chain", where), f"{where}: a chain"), merged, where)
                found[_name(chain)].append(_box(box, where))
    return dict(found)


def _box(value: Any, where: str) -> Box:
    edges = listed(value, "box", where)
    if len(edges) != 4:
        raise InputError(f"{where}: a box has {len(edges)} edges, not 4.")
    x0, y0, x1, y1 = (number(edge, f"{where}: a box") for edge in edges)
    return x0, y0, x1, y1


RECORD, JSON = ".jsonl", ".json"
KNOWN = (FLICKR30K, HUB, PARQUET, MDETR, ODVG)
"""The formats that are read as imports read them, in the order in which they are looked for."""
LACKS = {
    **dict.fromkeys((HUB.name, PARQUET.name), frozenset({Lack.UNBOXED, Lack.FURTHER_TYPES})),
    **dict.fromkeys((MDETR.name, ODVG.name), frozenset({Lack.UNBOXED, Lack.TYPES})),
}
"""The things for which a format has no room, by its name."""
NAMES = "flickr30k-entities, coco, jsonl, mdetr, odvg, hub or parquet"
CARD = "croissant.json"
"""A file of data cards, which lie beside exports."""
Shown = Callable[[Iterable[Any], str], Iterable[Any]]
"""Shows progress: Work.progress."""


def read_pictures(path: Path, shown: Shown = lambda items, _: items) -> list[Picture]:
    """Return the pictures by name of an export in one of NAMES, as a folder, an archive or a file.

    What imports leave out of an image, or cut, is left out or cut. Raises InputError, which names the file and the
    place, for an image that cannot be read, and for an export in no such format.
    """
    if path.is_file() and path.suffix.lower() in (RECORD, JSON):
        return _of_file(path, shown)
    with export_folder(path) as folder:
        if path_of(folder, INSTANCES) is not None:
            return read_coco(folder)
        for known in KNOWN:
            if known.detects is not None and known.detects(folder):
                return _imported(known, folder, shown)
        files = [file for end in (RECORD, JSON) for file in sorted(folder.rglob(f"*{end}"))]
        if len(data := [file for file in files if not file.name.endswith(CARD)]) == 1:
            return _of_file(data[0], shown)
    raise InputError(f"{path} is not a readable export: give one as {NAMES}, with all of its files.")


def is_odvg(path: Path) -> bool:
    """Tell a file of ODVG from the record of a project. Raises InputError for a first line that is no JSON."""
    _, first = next(json_lines(path), ("", None))
    return isinstance(first, dict) and "grounding" in first


def pictures_in(value: Any, path: Path, shown: Shown = lambda items, _: items) -> list[Picture] | None:
    """Return the pictures of an export that is one JSON file with this value; None for another. Raises InputError."""
    if isinstance(value, dict) and "captions" in value:
        return read_whole_coco(value)
    entries = value.get("annotations") if isinstance(value, dict) else None
    marked = (
        [isinstance(entry, dict) and "tokens_positive" in entry for entry in entries]
        if isinstance(entries, list)
        else []
    )
    return _alone(MDETR, path, shown) if marked and all(marked) else None


def _of_file(path: Path, shown: Shown) -> list[Picture]:
    if path.suffix.lower() == RECORD:
        return _alone(ODVG, path, shown) if is_odvg(path) else read_record(json_lines(path))
    if (found := pictures_in(json_file(path), path, shown)) is None:
        raise InputError(
            f"{path.name} is neither a COCO file with captions and boxes nor MDETR's: give an export as {NAMES}."
        )
    return found


def _alone(known: Format, path: Path, shown: Shown) -> list[Picture]:
    """Read a file as if nothing lay beside it."""
    with TemporaryDirectory() as folder:
        (Path(folder) / path.name).symlink_to(path.resolve())
        return _imported(known, Path(folder), shown)


def _imported(known: Format, folder: Path, shown: Shown) -> list[Picture]:
    found = []
    try:
        for image in shown(known.images(folder, known.open_pictures(folder, _NoPictures())), "reading"):
            if isinstance(image, DatasetImage):
                found.append(picture_of(image, LACKS.get(known.name, frozenset())))
            elif image.left_out:
                raise InputError(f"{image}.")
    except SourceError as error:
        raise InputError(f"{error.problem}.") from error
    return sorted(found, key=lambda picture: picture.name)


class _NoPictures(SourcePictures):
    """No pictures: the sizes of images are those that the files state."""

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __contains__(self, name: object) -> bool:
        return False

    def head(self, name: str) -> BinaryIO:
        raise PictureError(f"the picture {name} is missing")

    open = head


def picture_of(image: DatasetImage, lacks: frozenset[Lack] = frozenset()) -> Picture:
    """Return an image of a data set as a picture: its captions are split at white space."""
    phrases: dict[int, list[PicturePhrase]] = defaultdict(list)
    spans = [(said.caption, said.start, said.end, said.chain, said.types) for said in image.mentions]
    for place, caption in enumerate(image.captions):
        spans += [(place, start, end, NOT_VISUAL, ("notvisual",)) for start, end in caption.non_visual]
    for place, start, end, name, types in sorted(spans, key=lambda span: span[:3]):
        if name is not None:
            own = phrases[place]
            own.append(_phrase(image.captions[place], (place, len(own)), (start, end), name, types))
    boxes: dict[str, list[Box]] = defaultdict(list)
    for box in image.boxes:
        for name in box.chains:
            boxes[name].append((*box.box,))
    return Picture(
        image.name,
        image.width,
        image.height,
        tuple(
            PictureCaption(_words(caption.text), tuple(phrases[place])) for place, caption in enumerate(image.captions)
        ),
        dict(boxes),
        tuple((box.category, (*box.box,)) for box in image.boxes if not box.chains),
        {
            chain.name: frozenset(compress((SCENE, NO_BOX), (chain.scene, chain.no_box)))
            for chain in image.chains
            if chain.scene or chain.no_box
        },
        lacks,
    )


def _phrase(
    caption: DatasetCaption, at: tuple[int, int], words: tuple[int, int], chain: str, types: tuple[str, ...]
) -> PicturePhrase:
    """Return a phrase. `at`: its caption, and its place there; `words`: the first one, and the one behind the last."""
    first, last = character_span(caption, *words)
    start = len(caption.text[:first].split())
    return PicturePhrase(
        *at, start, _words(caption.text[first:last]), chain, tuple(kind.replace(" ", "") for kind in types)
    )


def _words(text: str) -> tuple[str, ...]:
    """Return the words. The same ones stand in many captions: each is kept once."""
    return tuple(map(intern, text.split()))
