"""The writer for Parquet shards that hold their pictures, as data sets lie on Hugging Face's hub.

docs/reference/formats.md describes every column.
"""

import json
import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from exchange.formats.grounding_rows import HubRow

FOLDER = "data"
"""`datasets` takes the parts of files in a folder of this name from the names of the files, whatever they are."""
PART = re.compile(r"(?!all$)\w+")
"""Names of parts that `datasets` takes: it ends them at a hyphen, and takes *all* for every part together."""
GROUP_ROWS, GROUP_BYTES = 100, 8 << 20
"""The most rows that are read and written together, and the bytes of pictures at which fewer are."""
SHARD_BYTES = 450_000_000
"""Bytes of pictures at which the next file begins: the hub shows files of up to 500 MB."""


TRAIN = "train"
"""The part of files without parts: `datasets` calls every image so that is in no other."""
MISSING = (
    f"Parquet needs pyarrow, which is not installed. Run: {sys.executable} -m pip install pyarrow (extra “hub” of "
    "pyproject.toml)."
)


def is_there() -> bool:
    """Tell whether the extra of this format is installed."""
    return find_spec("pyarrow") is not None


def check_parts(parts: Iterable[str]) -> None:
    """Raise ValueError for a part that `datasets` would not find, and without the extra of this format."""
    if not is_there():
        raise ValueError(MISSING)
    if strange := [part for part in parts if not PART.fullmatch(part)]:
        raise ValueError(f"The part {strange[0]!r} has no Parquet files: use letters, digits and _, and not “all”.")


def write_rows(rows: Iterable[tuple[HubRow, bytes]], folder: Path, part: str) -> int:
    """Write rows of images, each with its picture, into files of one part, and return their number.

    They are called data/train-00000-of-00002.parquet and so on. The same rows give the same bytes, with the same
    version of pyarrow.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    count, shards = 0, _Shards(folder / FOLDER, part)
    for row, data in rows:
        count += 1
        shards.add({"image": {"bytes": data, "path": row["file_name"]}, **row}, len(data))
    shards.finish()
    return count


class _Shards:
    """The files of a part. Their names tell their number, so that they get them at the end."""

    def __init__(self, folder: Path, part: str) -> None:
        self.folder, self.part = folder, part
        self.schema = schema()
        self.files: list[Path] = []
        self.writer: Any = None
        self.rows: list[dict[str, Any]] = []
        self.group_bytes = self.shard_bytes = 0

    def add(self, row: dict[str, Any], size: int) -> None:
        """Add a row, whose picture has this size in bytes."""
        self.rows.append(row)
        self.group_bytes += size
        if len(self.rows) == GROUP_ROWS or self.group_bytes >= GROUP_BYTES:
            self._write_group()

    def finish(self) -> None:
        """Write what is left, at least one file, and name the files."""
        if self.rows or not self.files:
            self._write_group()
        self._close()
        for place, file in enumerate(self.files):
            file.rename(self.folder / f"{self.part}-{place:05}-of-{len(self.files):05}.parquet")

    def _write_group(self) -> None:
        import pyarrow as arrow
        from pyarrow.parquet import ParquetWriter

        if self.writer is None:
            self.files.append(self.folder / f"{self.part}-{len(self.files):05}.partial")
            self.writer = ParquetWriter(self.files[-1], self.schema, use_dictionary=False, compression="zstd")
        self.writer.write_table(arrow.Table.from_pylist(self.rows, self.schema), row_group_size=GROUP_ROWS)
        self.shard_bytes += self.group_bytes
        self.rows, self.group_bytes = [], 0
        if self.shard_bytes >= SHARD_BYTES:
            self._close()

    def _close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.writer, self.shard_bytes = None, 0


def schema() -> Any:
    """Return the schema of pyarrow, with the columns as `datasets` shows them: pictures as images, lists as lists."""
    import pyarrow as arrow

    whole, texts = arrow.list_(arrow.int64()), arrow.list_(arrow.string())
    lists = {
        "bbox": arrow.list_(whole), "categories": texts, "phrase": texts, "caption": whole, "start": whole,
        "end": whole, "chain": texts, "confidence": arrow.list_(arrow.float64()),
    }  # fmt: skip
    columns = {
        "image": arrow.struct({"bytes": arrow.binary(), "path": arrow.string()}), "file_name": arrow.string(),
        "image_id": arrow.string(), "width": arrow.int64(), "height": arrow.int64(), "captions": texts,
        "objects": arrow.struct(lists),
    }  # fmt: skip
    features = {name: _feature(kind) for name, kind in columns.items()} | {"image": {"_type": "Image"}}
    return arrow.schema(columns, {"huggingface": json.dumps({"info": {"features": features}})})


def _feature(kind: Any) -> dict[str, Any]:
    """Return a type of pyarrow as `datasets` writes it in the metadata of files, also for versions before 4."""
    if hasattr(kind, "fields"):
        return {field.name: _feature(field.type) for field in kind.fields}
    if hasattr(kind, "value_type"):
        return {"feature": _feature(kind.value_type), "_type": "Sequence"}
    return {"dtype": str(kind), "_type": "Value"}
