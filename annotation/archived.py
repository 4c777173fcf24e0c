"""Projects whose images are away: in an archive, and no longer in the database. People, money and settings stay."""

from datetime import datetime
from typing import Any

from typing_extensions import TypedDict

from runtime.installed import COMMAND


class ArchivedProject(TypedDict):
    """The part of such a project's row that tells of its images: `Project.away`."""

    archive: str
    """The folder of the archive, as it was when the rows were removed."""
    digest: str
    """SHA-256 of the archive's manifest, in hexadecimal."""
    since: str
    """The time when the rows began to be removed, as in ISO 8601."""
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
    moved: bool
    """On if the archive is of another installation, and is being brought into this one."""


def read_archived(project: Any) -> ArchivedProject:
    """Return what the row of a project whose images are away tells of them."""
    away: ArchivedProject = project.away
    return away


def since(archived: ArchivedProject) -> datetime:
    """Return when the rows began to be removed."""
    return datetime.fromisoformat(archived["since"])


def describe_archived(project: Any) -> str:
    """Return in a sentence that the project's images are away. It does not say where: that is a path of the server."""
    away = read_archived(project)
    return (
        f"The {away['images']:,} images of {project.name} are in an archive since {since(away):%d %B %Y}; "
        "an administrator can bring them back."
    )


def describe_archived_to_operators(project: Any) -> str:
    """Return the same with where they are, for people who run commands."""
    return f"{describe_archived(project)} Run: {COMMAND} bring_back {read_archived(project)['archive']}"
