"""Visual Genome's regions: region_descriptions.json, and image_data.json for the sizes of the images."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from annotation.bounds import MOST_CAPTIONS, TABLE_BYTES
from annotation.rules.box import Box
from exchange.checks import BadRows, Defect, as_id, as_list, as_number, as_text, kind, member, same_id, source_error
from exchange.dataset import DatasetImage, Detail, Problem
from exchange.details import BoxForm
from exchange.formats.coco.read import Id
from exchange.formats.edits import Edit, EditStore, key_of_id, phrases_of
from exchange.formats.format import Corrector, Format, count_matches
from exchange.formats.phrases import xywh
from exchange.formats.pictures import FolderPictures, FoundPictures, SourcePictures
from exchange.formats.spans import SourceImage, SourceImages, one_image, whole_phrase
from exchange.formats.text_streams import edit_json, id_in, json_entries
from exchange.names import image_name, names_of, same_path

REGIONS = "region_descriptions.json"
IMAGES = "image_data.json"
SIDES = ("x", "y", "width", "height")


class Listed(NamedTuple):
    """An image of image_data.json. `fault`: why it cannot be used; empty if it can."""

    path: str
    row: Any
    fault: str = ""


def read_visual_genome(
    path: Path, pictures: SourcePictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of region_descriptions.json, a file that is read as a stream, twice.

    Each region is a caption, and a phrase from its first word to its last; its id names its chain. Types are those of
    the phrase's head. Raises SourceError, before the first image, without one of both files and for one
    that is no list.
    """
    form = form or BoxForm()
    listed, problems = _images(path)
    often = _often(path, form)
    form.check(REGIONS)
    yield from problems
    paths = [image_entry.path for image, image_entry in listed.items() if image in often and not image_entry.fault]
    found = FoundPictures(pictures or FolderPictures(path), paths)
    found.check(IMAGES)
    names = names_of(paths)
    bad = BadRows[Problem]()
    images = SourceImages(REGIONS, found.pictures, form)
    for place, row in enumerate(json_entries(path / REGIONS)):
        where = f"[{place}]"
        try:
            image = _id(row, where)
        except Defect as defect:
            bad.append(defect.problem(REGIONS, where, key=f"{REGIONS}:{where}"))
            yield bad[-1]
            continue
        name = str(image) or where
        try:
            if often[image] > 1:
                raise Defect(f"{where}: the image id {image!r} occurs {often[image]} times")
            if image not in listed:
                raise Defect(f"{where}: the image id {image!r} is not in {IMAGES}")
            one = listed[image]
            name = one.path
            if one.fault:
                raise Defect(f"{where}: {one.fault}")
            said, _ = images.of_row(one.row, name, f"{IMAGES} {one.row['where']}")
            images.by_path.clear()  # a stream
            said.where, said.coco_id = where, image
            _add_regions(said, row)
            read = one_image(said, names[name], found)
            yield from said.details.found
            yield read
        except Defect as defect:
            yield defect.problem(REGIONS, name, key=f"{REGIONS}:{where}")


def _entries(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a file with their places. Raises SourceError for a file that is no list, or too large."""
    try:
        if (size := (path / name).stat().st_size) > TABLE_BYTES:
            raise Defect(f"has {size:,} bytes: at most {TABLE_BYTES:,} are read")
        for place, row in enumerate(json_entries(path / name)):
            yield f"[{place}]", row
    except OSError as error:
        raise source_error(path, f"has no {name} that can be read: {error.strerror}") from error
    except Defect as defect:
        raise source_error(name, defect.message, defect.line) from defect


def _often(path: Path, form: BoxForm) -> dict[Id, int]:
    """Return how often each image has an entry in the file of regions, and note the edges of the boxes."""
    often: dict[Id, int] = {}
    for where, row in _entries(path, REGIONS):
        regions = row.get("regions") if isinstance(row, dict) else None
        for region in regions if isinstance(regions, list) else ():
            with suppress(Defect):
                x, y, width, height = (as_number(member(region, key, ""), "") for key in SIDES)
                form.note(x + width, y + height)
        try:
            number = _id(row, where)
        except Defect:
            continue  # told when the image is read
        often[number] = often.get(number, 0) + 1
    return often


def _id(row: Any, where: str) -> Id:
    """Return the id of an image, which older files call `id`, newer ones `image_id`."""
    key = "image_id" if isinstance(row, dict) and "image_id" in row else "id"
    return same_id(as_id(member(row, key, where), f"{where}.{key}"))


def _images(path: Path) -> tuple[dict[Id, Listed], list[Problem]]:
    """Return the images of image_data.json by id, and a problem for each row without one."""
    found: dict[Id, Listed] = {}
    owners: dict[str, Id] = {}
    problems: list[Problem] = BadRows()
    for place, row in _entries(path, IMAGES):
        where = f"{IMAGES} {place}"
        try:
            image = _id(row, where)
        except Defect as defect:
            problems.append(Detail(IMAGES, None, "", defect.message))
            continue
        try:
            size = {key: row[key] for key in ("width", "height") if key in row}
            one = Listed(_path(row, image, where), size | {"where": place})
            if image in found:
                raise Defect(f"{where}: the image id {image!r} occurs twice")
            if (other := owners.setdefault(same_path(one.path), image)) != image:
                found[other] = found[other]._replace(fault=f"{IMAGES}: {one.path} is also the image {image!r}")
                raise Defect(f"{where}: {one.path} is also the image {other!r}")
            found[image] = one
        except Defect as defect:
            found[image] = Listed(str(image), {}, defect.message)
    return found, problems


def _path(row: Any, image: Id, where: str) -> str:
    """Return the last part of the image's address, and without one its id with the ending of its pictures."""
    if row.get("url") is None:
        return f"{image}.jpg"
    path = PurePosixPath(as_text(row["url"], f"{where}.url")).name
    try:
        image_name(path)
    except Defect as defect:
        raise Defect(f"{where}.url: {defect.message}") from defect
    return path


def _add_regions(source_image: SourceImage, row: Any) -> None:
    """Add the regions as captions. Raises Defect for an image without any, or with too many."""
    where = f"{source_image.where}.regions"
    regions = as_list(member(row, "regions", source_image.where), where)
    if not regions:
        raise Defect(f"{where} is empty")
    if len(regions) > MOST_CAPTIONS:
        raise Defect(f"{where} has {len(regions):,} regions: at most {MOST_CAPTIONS:,} are allowed")
    seen = set[Id]()
    for place, region in enumerate(regions):
        with source_image.details.left_out("the region"):
            _add_region(source_image, region, f"{where}[{place}]", seen)


def _add_region(source_image: SourceImage, region: Any, where: str, seen: set[Id]) -> None:
    if not isinstance(region, dict):
        raise Defect(f"{where} is {kind(region)}, not an object")
    number = same_id(as_id(member(region, "region_id", where), f"{where}.region_id"))
    if number in seen:
        raise Defect(f"{where}.region_id {number!r} is that of another region, too")
    seen.add(number)
    if "image_id" in region and same_id(as_id(region["image_id"], f"{where}.image_id")) != source_image.coco_id:
        raise Defect(f"{where}.image_id {region['image_id']!r} is not {source_image.coco_id!r}")
    box = source_image.box([member(region, key, where) for key in SIDES], f"{where} (x, y, width, height)")
    source_image.captions.append(whole_phrase(member(region, "phrase", where), f"{where}.phrase", [box], str(number)))


def patch_visual_genome(source: Path, target: Path, edits: EditStore) -> None:
    """Write the file of regions into `target`. A region that changed keeps its id."""

    def edited(key: str, entry: Any) -> list[Any] | None:
        edit = edits.get(id_in(entry, "image_id" if "image_id" in entry else "id"))
        if edit is None:
            return None
        regions = _regions(entry["regions"], edit)
        if regions == entry["regions"]:
            return None
        return [entry | {"regions": regions}] if regions else []

    edit_json(source / REGIONS, target / REGIONS, edited)


def _regions(rows: list[Any], edit: Edit) -> list[Any]:
    found = []
    said = {mention.chain: mention.caption for mention in edit.before.mentions}
    images = [phrases_of(image) for image in (edit.before, edit.after)]
    for row in rows:
        caption = said.get(str(id_in(row, "region_id")))
        if caption is None:  # the import left the region out
            found.append(row)
            continue
        was, now = (phrases[caption] for phrases in images)
        before, after = (next((phrase.boxes for phrase in said.values()), ()) for said in (was, now))
        if box := one_box(before, after):
            found.append(row | dict(zip(SIDES, xywh(box), strict=True)) if box not in before else row)
    return found


def one_box(before: tuple[Box, ...], after: tuple[Box, ...]) -> Box | None:
    """Return the box of a phrase in a format that holds one for each: None if it has no box now.

    One of several boxes is the phrase's own if it was; several new ones cannot be held, and the box stays as it was.
    """
    if not after:
        return None
    if len(after) == 1:
        return after[0]
    return next((box for box in before if box in after), next(iter(before), after[0]))


VISUAL_GENOME = Format(
    name="visual-genome",
    title="Visual Genome's descriptions of regions",
    marks=REGIONS,
    detects=lambda path: (path / REGIONS).is_file(),
    read=read_visual_genome,
    either_unit=True,
    count=lambda path: count_matches([path / REGIONS], rb'"regions"\s*:'),
    correct=Corrector(key_of_id, patch_visual_genome),
)
