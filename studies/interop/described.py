"""Readers written from the descriptions of formats, where the field's own cannot be installed from a registry."""

from pathlib import Path

from studies.interop.found import Found, Phrase
from tests.support import flickr30k_reader
from tests.support.grounding_readers import READERS

FORMATS = ("flickr30k-entities", *READERS)


def read(export_format: str, export: Path) -> Found:
    """Return what a reader by the description finds: phrases alone, of Entities with chains and sizes."""
    if export_format == "flickr30k-entities":
        return _entities(export)
    place = export / "annotations.jsonl" if export_format == "chat" else export
    phrases = [
        Phrase(one.file_name.removeprefix("images/"), one.caption, one.start, one.end, one.boxes)
        for one in READERS[export_format](place)
    ]
    return Found(phrases=phrases, told=("phrases",))


def _entities(export: Path) -> Found:
    """Return what the reader of Entities finds; its images have no endings."""
    found = Found()
    for name, image in flickr30k_reader.read(export).items():
        found.sizes[name] = image.size
        found.captions += [(name, text) for text in image.sentences]
        for number, before, chain, _, words in image.phrases:
            if chain == "0":  # no mention
                continue
            text = image.sentences[number]
            start = len(" ".join([*text.split()[:before], ""]))
            own = tuple(image.boxes.get(chain, ()))
            found.phrases.append(Phrase(name, text, start, start + len(words), own, chain))
    return found
