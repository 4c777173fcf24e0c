"""The writer for Flickr30k Entities: `Sentences/<image>.txt` and `Annotations/<image>.xml`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention
from exchange.formats.parts import ExportPart
from exchange.names import image_name
from exchange.problems import Defect
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
        _check_name(image.name)
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


def _check_name(name: str) -> None:
    try:
        fits = "/" not in name and image_name(f"{name}.jpg") == name
    except Defect:
        fits = False
    if not fits:
        raise ValueError(f"the image name {name!r} cannot be the name of a file")


def _write(file: Path, lines: Iterable[str]) -> None:
    try:
        with file.open("xb", buffering=0) as target:
            target.write("".join(f"{line}\n" for line in lines).encode())
    except FileExistsError as error:
        raise ValueError(f"two images are named {file.stem!r}") from error
