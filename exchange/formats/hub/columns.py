"""The columns of a row of a hub folder, and of Parquet, as readers of Croissant load them."""

from exchange.formats.record_sets import FLOAT, INTEGER, NAME, SIZE, TEXT, Column


def _objects() -> tuple[Column, ...]:
    """Return the columns of the parallel lists of a hub row."""
    return (
        Column(
            "bbox",
            "Left, top, width and height of each box of each phrase.",
            INTEGER,
            "objects",
            ("$.bbox",),
            many=True,
        ),
        Column("phrase", "The phrase of each box.", TEXT, "objects", ("$.phrase",), many=True),
        Column("category", "The first type of its phrase.", TEXT, "objects", ("$.categories",), many=True),
        Column("caption", "The number of its phrase's caption, from 0.", INTEGER, "objects", ("$.caption",), many=True),
        Column("start", "The first character of the phrase ...", INTEGER, "objects", ("$.start",), many=True),
        Column("end", "... and the first one behind it.", INTEGER, "objects", ("$.end",), many=True),
        Column("chain", "The number of its chain.", TEXT, "objects", ("$.chain",), many=True),
        Column(
            "confidence", "Its chance of being right; -1: not known.", FLOAT, "objects", ("$.confidence",), many=True
        ),
    )


COLUMNS = (NAME, *SIZE, Column("captions", "The captions of the picture.", many=True), *_objects())
