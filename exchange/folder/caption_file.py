"""The caption files of a plain folder, read as a stream of blocks; each block holds captions of one image."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from annotation.bounds import TEXT_BYTES
from exchange.checks import as_list, as_text, member, parse_json
from exchange.folder.blocks import Bad, Block
from exchange.folder.csv_file import CsvFile, open_csv
from exchange.folder.lines import Position, raw_lines
from exchange.problems import Defect
from exchange.read_text import decode

__all__ = ["Bad", "Block", "CsvFile", "JsonlFile", "Position", "open_captions"]


@dataclass(frozen=True, slots=True)
class JsonlFile:
    """captions.jsonl: each line is a block, {"image": ..., "captions": [...]}."""

    path: Path
    start: Position

    def blocks(self, file: BinaryIO, place: Position) -> Iterator[Block | Bad]:
        """Yield the blocks from this place on."""
        for begin, data, _ in raw_lines(file, place):
            if not data.strip():
                continue
            value: object = None
            try:
                if len(data) > TEXT_BYTES:
                    raise Defect(f"the line has more than {TEXT_BYTES:,} bytes: no image has captions of that size")
                value = parse_json(decode(data))
                yield _json_block(begin, value)
            except Defect as defect:
                image = value.get("image") if isinstance(value, dict) else ""
                yield Bad(image if isinstance(image, str) else "", Defect(defect.message, begin.line))


def open_captions(path: Path) -> JsonlFile | CsvFile:
    """Open the caption file and read its header. Raises SourceError for a CSV file without the two columns."""
    return JsonlFile(path, Position(0, 1)) if path.suffix == ".jsonl" else open_csv(path)


def _json_block(place: Position, value: object) -> Block:
    image = as_text(member(value, "image", "the line"), "image")
    captions = as_list(member(value, "captions", "the line"), "captions")
    texts = tuple(as_text(text, f"captions[{index}]") for index, text in enumerate(captions))
    return Block(place, image, texts, (place.line,) * len(texts))
