"""The files of Flickr30k Entities, written or corrected: `Sentences/<image>.txt` and `Annotations/<image>.xml`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

from annotation.rules.box import Box
from exchange.checks import Defect
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention
from exchange.formats.edits import Edit, EditStore, moved
from exchange.formats.flickr30k.read import chain_name
from exchange.formats.parts import ExportPart
from exchange.names import image_name
from exchange.split_captions import NOT_VISUAL

# The format cannot write a bracket that is not markup.
_BRACKETS = str.maketrans("[]", "()")


def write_flickr30k(images: Iterable[DatasetImage], part: ExportPart) -> int:
    """Write the images with their chain names, and return their number. The same images give the same bytes.

    Raises ValueError for data that the format cannot hold: a chain that is not a positive number, a mention without a
    chain, two images of one name.
    """
    count = 0
    sentences, annotations = part.files / "Sentences", part.files / "Annotations"
    sentences.mkdir(parents=True)
    annotations.mkdir()
    for image in images:
        try:
            fits = "/" not in image.name and image_name(f"{image.name}.jpg") == image.name
        except Defect:
            fits = False
        if not fits:
            raise ValueError(f"the image name {image.name!r} cannot be the name of a file")
        _write(sentences / f"{image.name}.txt", sentence_lines(image))
        _write(annotations / f"{image.name}.xml", annotation_lines(image))
        count += 1
    return count


def sentence_lines(image: DatasetImage) -> Iterator[str]:
    """Yield the image's captions with marked phrases, one per line."""
    for number, caption in enumerate(image.captions):
        tags = {(start, end): f"EN#0/{NOT_VISUAL}" for start, end in caption.non_visual}
        for mention in image.mentions:
            if mention.caption == number:
                tags[mention.start, mention.end] = _tag(image.name, mention)
        yield _marked(caption, tags)


def annotation_lines(image: DatasetImage) -> Iterator[str]:
    """Yield the image's size, its boxes in their order, and the chains that are marked as scene or no box."""
    yield "<annotation>"
    # A name that would clash without its ending has it already.
    file_name = image.name if image.name.endswith(image.suffix) else image.name + image.suffix
    yield f"  <filename>{escape(file_name)}</filename>"
    yield "  <size>"
    yield f"    <width>{image.width}</width>"
    yield f"    <height>{image.height}</height>"
    yield "    <depth>3</depth>"
    yield "  </size>"
    for box in image.boxes:
        yield from box_object(image.name, box)
    for chain in image.chains:
        if chain.scene or chain.no_box:
            yield from flag_object(image.name, chain)
    yield "</annotation>"


def box_object(image: str, box: DatasetBox) -> Iterator[str]:
    """Yield the lines of a box. Raises ValueError, with the image's name, for one of no chain."""
    if not box.chains:
        raise ValueError(f"image {image}: the box {tuple(box.box)} belongs to no chain, which this format cannot hold")
    yield "  <object>"
    for chain in box.chains:
        yield f"    <name>{_number(image, chain)}</name>"
    yield "    <bndbox>"
    yield f"      <xmin>{box.box.x0 + 1}</xmin>"
    yield f"      <ymin>{box.box.y0 + 1}</ymin>"
    yield f"      <xmax>{box.box.x1}</xmax>"
    yield f"      <ymax>{box.box.y1}</ymax>"
    yield "    </bndbox>"
    yield "  </object>"


def flag_object(image: str, chain: DatasetChain) -> Iterator[str]:
    """Yield the lines of a chain's flags."""
    yield "  <object>"
    yield f"    <name>{_number(image, chain.name)}</name>"
    yield f"    <scene>{int(chain.scene)}</scene>"
    yield f"    <nobndbox>{int(chain.no_box)}</nobndbox>"
    yield "  </object>"


def _marked(caption: DatasetCaption, tags: dict[tuple[int, int], str]) -> str:
    words = [word.translate(_BRACKETS) for word in caption.words]
    for (start, end), tag in tags.items():
        words[start] = f"[/{tag} {words[start]}"
        words[end - 1] += "]"
    return " ".join(words)


def _tag(image: str, mention: DatasetMention) -> str:
    chain = _number(image, mention.chain)
    return "/".join([f"EN#{chain}", *(kind.replace(" ", "") for kind in mention.types)])


def _number(image: str, chain: str | None) -> str:
    if chain is None or not (chain.isascii() and chain.isdigit() and int(chain) > 0):
        raise ValueError(f"image {image}: chain {chain!r} is not a positive number, as this format needs")
    return chain


def _write(file: Path, lines: Iterable[str]) -> None:
    try:
        with file.open("xb", buffering=0) as target:
            target.write("".join(f"{line}\n" for line in lines).encode())
    except FileExistsError as error:
        raise ValueError(f"two images are named {file.stem!r}") from error


# White space is looked through once, from its beginning.
_OBJECT = re.compile(rb"(?<!\s)(\s*)<object>.*?</object>", re.DOTALL)
_NAME = re.compile(rb"(?<!\s)(\s*)<name>\s*(\d+)\s*</name>")
_SIDES = ("xmin", "ymin", "xmax", "ymax")


@dataclass(slots=True)
class _Object:
    """An object with the white space before it."""

    text: bytes
    box: Box | None

    @property
    def names(self) -> list[str]:
        return [chain_name(match[2].decode()) for match in _NAME.finditer(self.text)]

    def without(self, name: str) -> None:
        """Take a name out. An object without names is dropped when the file is put together."""
        self.text = _NAME.sub(lambda one: b"" if chain_name(one[2].decode()) == name else one[0], self.text)

    def add(self, name: str) -> None:
        last = list(_NAME.finditer(self.text))[-1]
        self.text = self.text[: last.end()] + last[1] + _name_tag(name) + self.text[last.end() :]

    def move(self, box: Box) -> None:
        for side, value in zip(_SIDES, (box.x0 + 1, box.y0 + 1, box.x1, box.y1), strict=True):
            self.text = _set(self.text, side, value)
        self.box = box


def edit_objects(data: bytes, edit: Edit) -> bytes:
    """Return the file with the boxes and flags of chains that changed. Raises Defect for XML in another form."""
    found = list(_OBJECT.finditer(data))
    objects = [_Object(match[0], _box(match[0], edit.before)) for match in found]
    was, now = _chain_texts(edit.before), _chain_texts(edit.after)
    for name in [*was, *(name for name in now if name not in was)]:
        before, after = was.get(name, _NOTHING), now.get(name, _NOTHING)
        if before.boxes != after.boxes:
            _edit_boxes(objects, name, before.boxes, after.boxes)
        if before.flags != after.flags:
            _edit_flags(objects, name, after.flags)
    start, end = (found[0].start(), found[-1].end()) if found else _end(data)
    between = [data[earlier.end() : other.start()] for earlier, other in pairwise(found)]
    between += [b""] * (len(objects) - len(between))
    kept = [object_.text + gap if object_.names else gap for object_, gap in zip(objects, between, strict=True)]
    return data[:start] + b"".join(kept) + data[end:]


@dataclass(frozen=True, slots=True)
class _ChainText:
    """The boxes and flags of a chain in the file."""

    boxes: tuple[Box, ...]
    flags: tuple[bool, bool]


_NOTHING = _ChainText((), (False, False))


def _chain_texts(image: DatasetImage) -> dict[str, _ChainText]:
    return {
        chain.name: _ChainText(
            tuple(sorted({box.box for box in image.boxes if chain.name in box.chains})), (chain.scene, chain.no_box)
        )
        for chain in image.chains
    }


def _edit_boxes(objects: list[_Object], name: str, before: Iterable[Box], after: Iterable[Box]) -> None:
    changes = moved(before, after)
    added = list(changes.added)
    for box, instead in changes.instead.items():
        own = [object_ for object_ in objects if object_.box == box and name in object_.names]
        there = instead is not None and any(object_.box == instead for object_ in objects)
        if instead is not None and not there and own and own[0].names == [name]:
            own.pop(0).move(instead)
        elif instead is not None:
            added.append(instead)
        for object_ in own:
            object_.without(name)
    for box in added:
        there_already = next((object_ for object_ in objects if object_.box == box and object_.names), None)
        if there_already:
            there_already.add(name)
        else:
            objects.append(_new(objects, name, box))


def _edit_flags(objects: list[_Object], name: str, flags: tuple[bool, bool]) -> None:
    own = [object_ for object_ in objects if object_.box is None and name in object_.names]
    if own and any(flags) and own[0].names == [name]:
        kept = own.pop(0)
        for tag, value in zip(("scene", "nobndbox"), flags, strict=True):
            kept.text = _set(kept.text, tag, int(value))
    elif any(flags):
        objects.append(_new(objects, name, flags))
    for object_ in own:
        object_.without(name)


def _new(objects: list[_Object], name: str, what: Box | tuple[bool, bool]) -> _Object:
    """Return a new object, written like another one of its kind in the file."""
    model = next(
        (object_ for object_ in objects if isinstance(what, Box) is (object_.box is not None) and object_.names), None
    )
    if model is None:
        lines = (
            box_object("", DatasetBox(what, (name,)))
            if isinstance(what, Box)
            else flag_object("", DatasetChain(name, scene=what[0], no_box=what[1]))
        )
        return _Object("".join(f"\n{line}" for line in lines).encode(), what if isinstance(what, Box) else None)
    made = _Object(model.text, model.box)
    for other in made.names[1:]:
        made.without(other)
    made.text = _NAME.sub(lambda one: one[1] + _name_tag(name), made.text)
    if isinstance(what, Box):
        made.move(what)
    else:
        for tag, value in zip(("scene", "nobndbox"), what, strict=True):
            made.text = _set(made.text, tag, int(value))
    return made


def _name_tag(name: str) -> bytes:
    return f"<name>{name}</name>".encode()


def _set(text: bytes, tag: str, value: int) -> bytes:
    """Return the object with another value of a tag; a flag of 0 may be missing."""
    own = tag.encode()
    text, often = re.subn(rb"(<%b>).*?(</%b>)" % (own, own), rb"\g<1>%d\g<2>" % value, text, flags=re.DOTALL)
    if not often and value:
        last = list(_NAME.finditer(text))[-1]
        text = text[: last.end()] + last[1] + b"<%b>%d</%b>" % (own, value, own) + text[last.end() :]
    return text


def _box(text: bytes, image: DatasetImage) -> Box | None:
    """Return the box as it was imported, cut at the edge of the image; without area if it was left out."""
    if b"<bndbox>" not in text:
        return None
    found = [re.search(rb"<%b>\s*(-?\d+)" % side.encode(), text) for side in _SIDES]
    edges = [int(match[1]) for match in found if match]
    if len(edges) < len(_SIDES):
        return Box(0, 0, 0, 0)
    x0, y0, x1, y1 = edges
    return Box(max(0, x0 - 1), max(0, y0 - 1), min(image.width, x1), min(image.height, y1))


def _end(data: bytes) -> tuple[int, int]:
    """Return the place for the first object of a file without any."""
    found = re.search(rb"(?<!\s)\s*</annotation>\s*$", data)
    if not found:
        raise Defect("has no </annotation> at its end")
    return found.start(), found.start()


_PIECE = re.compile(r"\[(?:/([^\s\]]*)\s?)?|\]|[^\s\[\]]+")


def patch_flickr30k(source: Path, target: Path, edits: EditStore) -> None:
    """Write both files of each image that changes into `target`. All others are there as they are in `source`."""
    annotations = {file.stem.casefold(): file for file in (source / "Annotations").glob("*.xml")}
    for key in edits:
        edit = edits.get(key)
        assert edit is not None
        sentences = source / "Sentences" / f"{key}.txt"
        _write_changed(target / "Sentences" / sentences.name, sentences, _sentences(sentences.read_bytes(), edit))
        file = source / "Annotations" / f"{key}.xml"
        file = file if file.is_file() else annotations[str(key).casefold()]
        _write_changed(target / "Annotations" / file.name, file, edit_objects(file.read_bytes(), edit))


def _write_changed(target: Path, source: Path, data: bytes) -> None:
    if data != source.read_bytes():
        target.write_bytes(data)


def _sentences(data: bytes, edit: Edit) -> bytes:
    """Return the sentence file with the tags of phrases that changed."""
    number, lines = 0, data.decode("utf-8-sig").split("\n")
    for place, line in enumerate(lines):
        if line.strip():
            was, now = (
                {(mention.start, mention.end): mention for mention in image.mentions if mention.caption == number}
                for image in (edit.before, edit.after)
            )
            lines[place] = line if was == now else _line(line, was, now)
            number += 1
    text = "\n".join(lines).encode()
    return (b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b"") + text


Mentions = dict[tuple[int, int], DatasetMention]


def _line(line: str, was: Mentions, now: Mentions) -> str:
    """Return the line with other tags; phrases that go lose their brackets, new ones get theirs."""
    words: list[tuple[int, int]] = []
    brackets: dict[tuple[int, int], tuple[re.Match[str], re.Match[str]]] = {}
    opened: tuple[int, re.Match[str]] | None = None
    for piece in _PIECE.finditer(line):
        if piece[0][0] == "[":
            opened = len(words), piece
        elif piece[0] == "]" and opened:
            brackets[opened[0], len(words)] = opened[1], piece
        elif piece[0] != "]":
            words.append(piece.span())
    changes: list[tuple[int, int, str]] = []
    for span in was.keys() | now.keys():
        before, after = was.get(span), now.get(span)
        if before == after:
            continue
        if span not in brackets:
            assert after is not None
            start, end_of = words[span[0]][0], words[span[1] - 1][1]
            changes += [(start, start, f"[/{_new_tag('', before, after)} "), (end_of, end_of, "]")]
            continue
        begin, end = brackets[span]
        if after is None:
            changes += [(*begin.span(), ""), (*end.span(), "")]
        else:
            changes.append((*begin.span(1), _new_tag(begin[1], before, after)))
    for start, stop, text in sorted(changes, reverse=True):
        line = line[:start] + text + line[stop:]
    return line


def _new_tag(tag: str, before: DatasetMention | None, after: DatasetMention) -> str:
    """Return the tag of a phrase, with the types as they stand in `tag` unless they changed."""
    if before is not None and before.types == after.types:
        return "/".join([f"EN#{after.chain}", *tag.split("/")[1:]])
    return "/".join([f"EN#{after.chain}", *(kind.replace(" ", "") for kind in after.types)])
