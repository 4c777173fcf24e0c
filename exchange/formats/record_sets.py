"""Rows of files for readers of Croissant: the columns that they load, flat, with the place of each value."""

from dataclasses import dataclass

TEXT, INTEGER, FLOAT, BOX, PICTURE = "sc:Text", "sc:Integer", "sc:Float", "cr:BoundingBox", "sc:ImageObject"


@dataclass(frozen=True, slots=True)
class Column:
    """A value of each row."""

    name: str
    what: str
    data_type: str = TEXT
    place: str = ""
    """The column of the file, or for JSON the key of a row; empty: the name."""
    paths: tuple[str, ...] = ()
    """JSON paths that are applied to the value one after another, to each entry of a list."""
    many: bool = False
    """Whether a row has a list of them."""
    of_file: str = ""
    """A property of the file, such as its name or its whole content, which is the value."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a kind of file."""

    name: str
    what: str
    columns: tuple[Column, ...]
    files: tuple[str, ...]
    """Endings of the names of files that hold such rows."""
    within: str = ""
    """Of a JSON file: the key of the list of rows. Empty: each line, or each file of Parquet's rows, is one."""


NAME = Column("file_name", "The file of the picture.")
SIZE = (Column("width", "In pixels.", INTEGER), Column("height", "In pixels.", INTEGER))
BBOX = Column("bbox", "Left, top, width and height, in pixels.", BOX)
