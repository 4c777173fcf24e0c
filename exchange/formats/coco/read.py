"""The reader for COCO: captions*.json, and if they are there instances*.json and pictures in images/."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from annotation.bounds import LONGEST_CAPTION, MOST_BOXES, MOST_CAPTIONS
from exchange.checks import as_id, as_pixels, as_text, member, same_id
from exchange.dataset import DatasetBox, DatasetCaption, DatasetImage, DatasetMention, Problem
from exchange.details import BoxForm, Details, four_numbers
from exchange.formats.coco.own_fields import chains_of, chains_of_box, marked_caption
from exchange.formats.coco.tables import Id, Row, Tables, caption_files, instance_files, read_tables
from exchange.formats.find_pictures import FoundPictures
from exchange.formats.picture_files import FolderPictures, Pictures, size_of
from exchange.formats.spans import BOXES_ALONE
from exchange.names import image_name, names_of, natural_key, same_path
from exchange.problems import Defect, source_error

PICTURE_FOLDER = "images"
SIDES = ("width", "height")
_SHOWN = 3


def read_coco(
    path: Path, pictures: Pictures | None = None, form: BoxForm | None = None
) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, with captions in the order of the file.

    They are not chunked, unless the file is an export with phrases, whose chains are read, too.

    Boxes become the smallest whole-pixel boxes around them, crowd boxes too. `pictures` are the source's pictures if
    they are not in its folder; they are found wherever they lie. Raises SourceError without captions*.json, for a file
    that is not COCO's, and for pictures of which no image names one.
    """
    files = caption_files(path)
    if not files:
        raise source_error(path, "has no captions*.json, neither in it nor in annotations/")
    tables = read_tables(path)
    by_path, problems = _by_path(tables)
    found = FoundPictures(pictures or FolderPictures(path), by_path, folders=(PICTURE_FOLDER,))
    found.check(files[0].relative_to(path).as_posix())
    form = _form_of(tables, form or BoxForm())
    form.check(next(iter(instance_files(path) or files)).relative_to(path).as_posix())
    yield from tables.problems
    yield from tables.repeated
    yield from problems
    names = names_of(by_path)
    for file_name in sorted(by_path, key=lambda one: natural_key(names[one])):
        image, row = by_path[file_name]
        try:
            details = Details(row.file, file_name, form=form)
            read = _image(found, tables, names[file_name], file_name, image, row, details)
            yield from details.found
            yield read
        except Defect as defect:
            yield defect.problem(row.file, file_name)


def _by_path(tables: Tables) -> tuple[dict[str, tuple[Id, Row]], list[Problem]]:
    """Return the images by path, and a problem for each that has no usable path, or an id or path of another."""
    found: dict[str, list[tuple[str, Id, Row]]] = {}
    problems = []
    for image, rows in tables.images.items():
        for row in rows:
            try:
                file = _path_of(row)
                if len(rows) > 1:
                    raise Defect(f"{row.where}: the image id {image!r} occurs {_times(len(rows))}")
                found.setdefault(same_path(file), []).append((file, image, row))
            except Defect as defect:
                problems.append(defect.problem(row.file, _name_of(row, image), key=f"{row.file}:{row.where}"))
    for same in [own for own in found.values() if len(own) > 1]:
        if all(len({row.split for _, _, row in same}) == len(same) and row.split for _, _, row in same):
            for file, image, row in found.pop(same_path(same[0][0])):
                inside = f"{row.split}/{file}"
                found.setdefault(same_path(inside), []).append((inside, image, row))
    for same in found.values():
        for file, _, row in same if len(same) > 1 else ():
            others = [other.where for _, _, other in same[: _SHOWN + 1] if other is not row][:_SHOWN]
            more = f" and {len(same) - 1 - len(others):,} more" if len(same) > len(others) + 1 else ""
            message = f"{row.where}: the file_name {file!r} is that of {', '.join(others)}{more}, too"
            problems.append(Problem(row.file, None, file, message, key=f"{row.file}:{row.where}"))
    return {file: (image, row) for ((file, image, row), *others) in found.values() if not others}, problems


def _path_of(row: Row) -> str:
    file = as_text(member(row.value, "file_name", row.where), f"{row.where}.file_name")
    image_name(file)
    return file


def _name_of(row: Row, image: Id) -> str:
    """Return what an image that is left out is called: its file_name if it has one, otherwise its id."""
    file = row.value.get("file_name")
    return file if isinstance(file, str) and file else str(image)


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


def _form_of(tables: Tables, form: BoxForm) -> BoxForm:
    """Return the form, with all edges of the boxes noted."""
    for rows in tables.boxes.values():
        for row in rows:
            with suppress(Defect):
                x, y, w, h = four_numbers(row.value.get("bbox"), "")
                form.note(x + w, y + h)
    return form


def _image(
    found: FoundPictures, tables: Tables, name: str, path: str, image: Id, row: Row, details: Details
) -> DatasetImage:
    listed = tables.captions.get(image, []), tables.boxes.get(image, [])
    for rows, what, most in zip(listed, ("captions", "boxes"), (MOST_CAPTIONS, MOST_BOXES), strict=True):
        if len(rows) > most:
            raise Defect(f"{row.where} has {len(rows):,} {what}: at most {most:,} are allowed")
    picture = found.of(path) if found else None
    size = _size(found, picture, [row, *tables.listed.get(image, [])], details, boxed=bool(listed[1]))
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    for entry in listed[0]:
        with details.left_out("the caption"):
            caption, marked = _caption(entry, len(captions))
            captions.append(caption)
            mentions += marked
    if not captions:
        why = [one.message for one in details.found if not one.cut]
        missing = f": {BOXES_ALONE}: add captions to captions*.json" if listed[1] else " has no captions"
        raise Defect("; ".join([f"{row.where}{missing}", *why[:1]]))
    boxes = []
    named = {mention.chain for mention in mentions}
    for entry in listed[1]:
        with details.left_out("the box"):
            boxes.append(_box(tables, entry, size, named, details))
    return DatasetImage(
        name=name,
        width=size[0],
        height=size[1],
        captions=tuple(captions),
        mentions=tuple(mentions),
        chains=chains_of(tables.chains.get(image, ()), mentions),
        boxes=tuple(boxes),
        picture=picture,
        source=f"{row.file}:{row.where}",
        path=path,
        coco_id=as_id(row.value["id"], row.where),
    )


def _size(
    found: FoundPictures, picture: str | None, rows: list[Row], details: Details, *, boxed: bool
) -> tuple[int, int]:
    """Return the width and the height in pixels: of the picture, if there is one, and else as the files say.

    Raises Defect where nobody tells it, where two files differ, and where boxes have the pixels of another size.
    """
    said: dict[tuple[int, int], str] = {}
    wrong: list[Defect] = []
    for row in rows:
        try:
            width, height = (as_pixels(member(row.value, side, row.where), f"{row.where}.{side}") for side in SIDES)
            said.setdefault((width, height), row.where)
        except Defect as defect:
            if any(row.value.get(side) is not None for side in SIDES):
                wrong.append(defect)
            elif picture is None:
                wrong.insert(0, defect)
    if picture is not None:
        actual = size_of(found.pictures, picture)
    elif len(said) == 1:
        actual = next(iter(said))
    elif said:
        raise Defect(f"the files give two sizes, {' and '.join(f'{w} x {h} in {at}' for (w, h), at in said.items())}")
    else:
        raise wrong[0]
    for one in wrong:
        details.add(f"{one.message}: the size is left out")
    for (width, height), where in said.items():
        if (width, height) != actual:
            told = f"the picture {picture} is {actual[0]} x {actual[1]} pixels upright, not {width} x {height}"
            if boxed and actual not in said:
                raise Defect(told)
            details.add(f"{where}: {told}: the picture's size counts")
    return actual


def _caption(row: Row, number: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    text = as_text(member(row.value, "caption", row.where), f"{row.where}.caption")
    if not text.strip():
        raise Defect(f"{row.where}.caption is empty")
    if len(text) > LONGEST_CAPTION:
        raise Defect(f"{row.where}.caption has {len(text):,} characters: at most {LONGEST_CAPTION:,} are allowed")
    return marked_caption(text, row, number)


def _box(
    tables: Tables, row: Row, size: tuple[int, int], named: Collection[str | None], details: Details
) -> DatasetBox:
    where = f"{row.file} {row.where}"
    category = category_of(tables, row)
    box = details.box(member(row.value, "bbox", where), *size, f"{where}.bbox")
    if chains := chains_of_box(row, named):
        return DatasetBox(box, chains)
    return DatasetBox(box, category=category)


def category_of(tables: Tables, row: Row) -> str:
    """Return the name of a box's category. Raises Defect for one that is in no list."""
    where = f"{row.file} {row.where}"
    category = as_id(member(row.value, "category_id", where), f"{where}.category_id")
    if same_id(category) not in tables.categories:
        raise Defect(f"{where}.category_id {category!r} is in no list of categories")
    return tables.categories[same_id(category)]
