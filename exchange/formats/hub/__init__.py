"""Folders that Hugging Face's `datasets` loads: pictures, and metadata.jsonl beside them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from exchange.formats.edits import key_of_path
from exchange.formats.format import Corrector, Format, Loss, Need
from exchange.formats.grounding_rows import HubRow
from exchange.formats.hub.columns import COLUMNS
from exchange.formats.hub.correct import patch_hub
from exchange.formats.hub.read import hub_files, read_hub
from exchange.formats.hub.write import METADATA, layout, write_hub
from exchange.formats.picture_files import FolderPictures
from exchange.formats.record_sets import Rows
from exchange.formats.schema.imported import imported
from exchange.formats.schema.kind import LINES, OPEN, Kind
from exchange.formats.schema.values import Fault


def _data_files(part: str, folder: str, pictures: Sequence[str]) -> list[str]:
    return [f"{folder}/{METADATA}".lstrip("/"), *pictures]


def _faults(path: Path) -> Iterator[Fault]:
    """Rows without a size take that of the picture beside them."""
    yield from imported(path, lambda folder, _: read_hub(folder, FolderPictures(path.parent)), METADATA)


HUB = Format(
    name="hub",
    title="pictures with metadata.jsonl, as `datasets` of Hugging Face reads them",
    marks="metadata.jsonl or metadata.csv in it or in its folders",
    detects=lambda path: bool(hub_files(path)),
    read=read_hub,
    either_unit=True,
    correct=Corrector(key_of_path, patch_hub),
    write=write_hub,
    layout=layout,
    needs=frozenset({Need.OWN_FIELDS, Need.CHANCES}),
    with_pictures=True,
    loses=frozenset({Loss.OTHER_PHRASES, Loss.TYPES, Loss.REASONS}),
    record_sets=(Rows("images", "A row for each image.", COLUMNS, (METADATA,)),),
    data_files=_data_files,
    kinds=(
        Kind("hub", "metadata.jsonl of pictures, as `datasets` of Hugging Face reads it", HubRow, LINES, OPEN, _faults),
    ),
)
