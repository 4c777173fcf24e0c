"""Files of captions in Flickr30k's token format: a line IMAGE.jpg#NUMBER, a tab, the caption; plain or as .gz."""

import gzip
import zlib
from pathlib import Path

from evaluation.errors import InputError


def read_token_file(path: Path) -> dict[str, list[str]]:
    """Return the captions of each image, by its name without ending, in the order of the file.

    Raises InputError, naming the line, for a line of another form.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    found: dict[str, list[str]] = {}
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                key, tab, caption = line.rstrip("\n").partition("\t")
                image, hash_sign, _ = key.rpartition("#")
                if not (tab and hash_sign and caption.strip()):
                    raise InputError(f"{path}, line {number}: IMAGE#NUMBER, a tab and a caption are expected.")
                found.setdefault(image.rpartition(".")[0] or image, []).append(caption.strip())
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not readable as UTF-8 text, plain or as .gz: {error}.") from None
    if not found:
        raise InputError(f"{path} holds no captions.")
    return found
