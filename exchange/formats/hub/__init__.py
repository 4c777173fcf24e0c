"""Folders that Hugging Face's `datasets` loads: pictures, and metadata.jsonl beside them."""

from collections.abc import Sequence

from exchange.formats.edits import key_of_path
from exchange.formats.format import Corrector, Format, Loss, Need
from exchange.formats.hub.columns import COLUMNS
from exchange.formats.hub.correct import patch_hub
from exchange.formats.hub.read import hub_files, read_hub
from exchange.formats.hub.write import METADATA, layout, write_hub
from exchange.formats.record_sets import Rows


def _data_files(part: str, folder: str, pictures: Sequence[str]) -> list[str]:
    return [f"{folder}/{METADATA}".lstrip("/"), *pictures]


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
)
