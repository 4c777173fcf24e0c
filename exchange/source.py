"""The source of an import: a folder of texts on this machine, and pictures there or in a bucket."""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from exchange.formats.picture_files import FolderPictures, Pictures, refuse_links_out
from exchange.leftovers import workspace
from exchange.problems import SourceError, source_error
from exchange.unpack import unpacked

SCHEME = "s3://"


@dataclass(frozen=True, slots=True)
class Source:
    """A folder for a reader, and the pictures that belong to it."""

    folder: Path
    pictures: Pictures


@contextmanager
def opened(where: Path | str, within: Collection[Path] | None = None) -> Iterator[Source]:
    """Open the source at a folder, a .zip of one, s3://BUCKET/PREFIX/ or s3://BUCKET/FILE.zip.

    Fetched and unpacked files are temporary, until the block ends. Raises SourceError if there is no source, or if
    unpacking it would be unsafe. `within`: the places that a folder on this machine may be read from; if a link in it
    leads elsewhere, SourceError is raised, too. None: links are followed.
    """
    if not isinstance(where, str) or not where.startswith(SCHEME):
        with unpacked(Path(where)) as folder:
            own = within if folder == Path(where) else None  # what was unpacked has no links
            if own is not None:
                refuse_links_out(folder, own)
            yield Source(folder, FolderPictures(folder, own))
        return
    from exchange.bucket import bucket_at, fetch_texts  # imported when needed: few sources are in a bucket

    bucket = bucket_at(where)
    with closing(bucket.client), workspace() as folder, _named(where, folder):
        if bucket.prefix.endswith(".zip"):
            file = folder / "source.zip"
            bucket.fetch_to(bucket.prefix, file)
            with _named(where, file), opened(file) as source:
                yield source
            return
        if bucket.prefix and not bucket.prefix.endswith("/"):
            bucket = replace(bucket, prefix=f"{bucket.prefix}/")
        yield Source(folder, fetch_texts(bucket, folder))


@contextmanager
def _named(where: str, path: Path) -> Iterator[None]:
    """Name the source that the user gave in errors about the temporary file or folder."""
    try:
        yield
    except SourceError as error:
        if error.problem.file != str(path):
            raise
        raise source_error(where, error.problem.message) from error
