"""Projects whose images are away: in an archive, and no longer in the database. People, money and settings stay."""

from datetime import datetime
from typing import Any

from typing_extensions import TypedDict


class Away(TypedDict):
    """What the row of such a project keeps of its images: `Project.away`."""

    archive: str
    """The folder of the archive, as it was when the rows were removed."""
    digest: str
    """SHA-256 of the archive's manifest, in hexadecimal."""
    since: str
    """When the rows began to be removed: a time as in ISO 8601."""
    images: int
    judgments: int
    entries: int
    """Entries of the record."""
    rows: int
    """All rows that left the database."""
    pieces: int
    """The pieces of the archive, which hold the same number of images each, but for the last."""
    absent: int
    """The pieces, from the first on, that are not in the database now."""


class AwayError(Exception):
    """The images of the project are in an archive; the message says where, and what brings them back."""


def since(away: Away) -> datetime:
    """Return when the rows began to be removed."""
    return datetime.fromisoformat(away["since"])


def in_words(project: Any) -> str:
    """Return where the project's images are, for people who run commands and call the API."""
    away: Away = project.away
    return (
        f"The {away['images']:,} images of {project.name} are in an archive since {since(away):%d %B %Y}: "
        f"an administrator brings them back with `manage.py bring_back {away['archive']}`."
    )
