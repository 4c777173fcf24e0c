"""Corrections of Flickr30k Entities: tags in the sentence files, objects in the annotation files of changed images."""

import re
from pathlib import Path

from exchange.dataset import DatasetMention
from exchange.formats.edits import Edit, EditStore
from exchange.formats.flickr30k.correct_objects import edit_objects

_PIECE = re.compile(r"\[(?:/([^\s\]]*)\s?)?|\]|[^\s\[\]]+")


def patch_flickr30k(source: Path, target: Path, edits: EditStore) -> None:
    """Write both files of each image that changes into `target`. All others are there as they are in `source`."""
    annotations = {one.stem.casefold(): one for one in (source / "Annotations").glob("*.xml")}
    for key in edits:
        edit = edits.get(key)
        assert edit is not None
        sentences = source / "Sentences" / f"{key}.txt"
        _write(target / "Sentences" / sentences.name, sentences, _sentences(sentences.read_bytes(), edit))
        file = source / "Annotations" / f"{key}.xml"
        file = file if file.is_file() else annotations[str(key).casefold()]
        _write(target / "Annotations" / file.name, file, edit_objects(file.read_bytes(), edit))


def _write(target: Path, source: Path, data: bytes) -> None:
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
            changes += [(start, start, f"[/{_tag('', before, after)} "), (end_of, end_of, "]")]
            continue
        begin, end = brackets[span]
        if after is None:
            changes += [(*begin.span(), ""), (*end.span(), "")]
        else:
            changes.append((*begin.span(1), _tag(begin[1], before, after)))
    for start, stop, text in sorted(changes, reverse=True):
        line = line[:start] + text + line[stop:]
    return line


def _tag(tag: str, before: DatasetMention | None, after: DatasetMention) -> str:
    """Return the tag of a phrase, with the types as they stand in `tag` unless they changed."""
    if before is not None and before.types == after.types:
        return "/".join([f"EN#{after.chain}", *tag.split("/")[1:]])
    return "/".join([f"EN#{after.chain}", *(kind.replace(" ", "") for kind in after.types)])
