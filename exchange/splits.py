"""Splits: the part of a data set, such as train or test, that each image belongs to."""

import re
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path

PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
"""Names of parts: they become names of files."""
HEADS = (",part", ",split", "\tpart", "\tsplit")
"""Endings of a first line that names columns."""


def read_splits(path: Path, known: Mapping[str, str]) -> dict[str, str]:
    """Return the part of each image by its name, from a file with lines IMAGE, comma or tab, PART.

    `known`: the names of the project's images, by everything that may stand for them. Raises ValueError, which names
    file and line, for a line of another form, an image that is not there or stands twice, and a file without lines.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(_text(path).splitlines(), start=1):
        where = f"{path.name}, line {number}"
        if not line.strip() or (number == 1 and line.strip().endswith(HEADS)):
            continue
        image, _, part = (text.strip() for text in line.replace("\t", ",").rpartition(","))
        if not image or not PART.fullmatch(part):
            raise ValueError(f"{where}: write IMAGE,PART, such as 0001.jpg,train.")
        if image not in known:
            raise ValueError(f"{where}: the project has no image {image[:60]!r}.")
        if found.setdefault(known[image], part) != part:
            raise ValueError(f"{where}: the image {image[:60]!r} is in {found[known[image]]!r} already.")
    if not found:
        raise ValueError(f"{path.name} holds no lines IMAGE,PART.")
    return found


def read_shares(text: str) -> dict[str, float]:
    """Return the shares of a text such as "train=0.8,val=0.1,test=0.1". Raises ValueError unless they add up to 1."""
    shares: dict[str, float] = {}
    for word in text.split(","):
        part, _, share = (piece.strip() for piece in word.partition("="))
        try:
            value = float(share)
        except ValueError:
            value = -1
        if not PART.fullmatch(part) or not 0 < value <= 1 or part in shares:
            raise ValueError(f"{word.strip()!r} is not a share: write PART=SHARE, as in train=0.8,val=0.1,test=0.1.")
        shares[part] = value
    if abs(sum(shares.values()) - 1) > 1e-6:
        raise ValueError(f"The shares add up to {sum(shares.values()):g}, not to 1: {text}.")
    return shares


def draw_splits(shares: Mapping[str, float], seed: int, names: Iterable[str]) -> dict[str, str]:
    """Return the part of each image, drawn by the seed and its name: it stays when images are added."""
    return {name: _drawn(shares, seed, name) for name in names}


def _drawn(shares: Mapping[str, float], seed: int, name: str) -> str:
    place = int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=8).digest()) / 2**64
    reached = 0.0
    for part, share in shares.items():
        reached += share
        if place < reached:
            return part
    return [*shares][-1]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not UTF-8 (byte {error.start}): save it as UTF-8.") from error
    except OSError as error:
        raise ValueError(f"--splits {path}: {error.strerror}. Give a file with lines IMAGE,PART.") from error


def parts_of(splits: Mapping[str, str]) -> Collection[str]:
    """Return the names of the parts, in the order in which they came first."""
    return dict.fromkeys(splits.values()).keys()
