"""Corrections of Parquet files: the objects of the rows that changed. Files without any stay as they are."""

from pathlib import Path
from typing import Any

from exchange.formats.edits import EditStore
from exchange.formats.hub.correct import Captions, with_objects
from exchange.formats.hub.read import CAPTIONS
from exchange.formats.parquet.pictures import ParquetPictures
from exchange.names import same_path


def patch_parquet(source: Path, target: Path, edits: EditStore) -> None:
    """Write the files in which a row changes into `target`, with the row groups and the schema of the source."""
    there = ParquetPictures(source)
    changed: dict[int, dict[tuple[int, int], str]] = {}
    for place, name in there.names:
        if same_path(name) in edits:
            changed.setdefault(place.file, {})[place.group, place.row] = same_path(name)
    from pyarrow.parquet import ParquetFile

    captions = Captions()
    for file, rows in changed.items():
        _rewrite(ParquetFile(there.paths[file]), target / there.shown(file), rows, edits, captions)


def _rewrite(file: Any, target: Path, rows: dict[tuple[int, int], str], edits: EditStore, captions: Captions) -> None:
    import pyarrow as arrow
    from pyarrow.parquet import ParquetWriter

    schema = file.schema_arrow
    kind = schema.field("objects").type
    compression = file.metadata.row_group(0).column(0).compression
    with ParquetWriter(target, schema, compression=compression) as writer:
        for group in range(file.metadata.num_row_groups):
            table = file.read_row_group(group)
            objects = table.column("objects").to_pylist()
            texts = table.select([name for name in CAPTIONS if name in table.column_names]).to_pylist()
            for number in range(table.num_rows):
                edit = edits.get(rows.get((group, number)))
                if edit is not None:
                    places = captions.of(rows[group, number], texts[number])
                    objects[number] = with_objects({"objects": objects[number]}, edit, places)["objects"]
            if any(place == group for place, _ in rows):
                column = schema.get_field_index("objects")
                table = table.set_column(column, schema.field(column), arrow.array(objects, kind))
            writer.write_table(table, row_group_size=max(1, table.num_rows))
