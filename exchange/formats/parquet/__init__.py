"""Parquet files that hold their pictures, as data sets lie on Hugging Face's hub."""

from exchange.formats.edits import key_of_path
from exchange.formats.format import Corrector, Format, Loss, Need, Packing
from exchange.formats.hub.columns import COLUMNS
from exchange.formats.hub.write import hub_rows, write_hub
from exchange.formats.parquet.correct import patch_parquet
from exchange.formats.parquet.pictures import ParquetPictures, parquet_files
from exchange.formats.parquet.read import read_parquet
from exchange.formats.parquet.write import FOLDER, TRAIN, check_parts, is_there, write_rows
from exchange.formats.record_sets import PICTURE, Column, Rows

PARQUET = Format(
    name="parquet",
    title="Parquet files that hold their pictures, as data sets lie on Hugging Face's hub",
    marks="a .parquet file",
    detects=lambda path: bool(parquet_files(path)),
    read=read_parquet,
    either_unit=True,
    open_pictures=ParquetPictures,
    correct=Corrector(key_of_path, patch_parquet),
    write=write_hub,
    packing=Packing(hub_rows, write_rows, TRAIN),
    needs=frozenset({Need.OWN_FIELDS, Need.CHANCES}),
    with_pictures=True,
    check_parts=check_parts,
    is_installed=is_there,
    loses=frozenset({Loss.OTHER_PHRASES, Loss.TYPES, Loss.REASONS}),
    record_sets=(
        Rows(
            "images",
            "A row for each image.",
            (Column("image", "The picture.", PICTURE, "image", ("$.bytes",)), *COLUMNS),
            (".parquet",),
        ),
    ),
    data_files=lambda part, folder, pictures: [f"{FOLDER}/{part}-*.parquet"],
)
