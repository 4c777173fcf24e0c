"""The captions that a step reads: of a file, or of the export that is evaluated."""

from evaluation.errors import InputError
from evaluation.reading.caption_file import read_captions
from evaluation.work import Work


def captions_of(work: Work) -> dict[str, list[str]]:
    """Return the captions of each image from --captions, or else from --data. Raises InputError without either."""
    file = work.file("captions")
    if file is None and work.data is None:
        raise InputError("--captions is missing: a token file, COCO's captions JSON or an export; or give --data.")
    return read_captions(file or work.export)
