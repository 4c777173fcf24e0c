"""A plain folder of pictures with a file of captions."""

from pathlib import Path

from exchange.formats.captions_folder.caption_file import CaptionsLine, open_csv
from exchange.formats.captions_folder.read import CAPTION_FILES, read_folder
from exchange.formats.format import Format
from exchange.formats.schema.kind import LINES, OPEN, Kind


def describe_columns(path: Path) -> str:
    """Describe how the table of captions is read; empty without one. Raises SourceError if its header is not clear."""
    tables = [path / name for name in CAPTION_FILES if not name.endswith(".jsonl")]
    return next((open_csv(table).said for table in tables if table.is_file()), "")


CAPTIONS_FOLDER = Format(
    name="folder",
    title="pictures with a table of captions",
    marks="captions.csv, captions.txt or captions.jsonl",
    detects=lambda path: any((path / name).is_file() for name in CAPTION_FILES),
    read=read_folder,
    describe_columns=describe_columns,
    kinds=(Kind("captions", "captions.jsonl of pictures to import", CaptionsLine, LINES, OPEN),),
)
