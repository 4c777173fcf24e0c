"""The source of an import: a folder of texts on this machine, or a .zip file of one, and its pictures."""

import shutil
import stat
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from annotation.bounds import FREE_BYTES, MAX_BYTES, MAX_MEMBERS
from exchange.checks import SourceError, source_error
from exchange.formats.pictures import FolderPictures, SourcePictures, refuse_links_out
from exchange.leftovers import workspace

# Text shrinks to about a tenth, a zip bomb to a thousandth. Small members may shrink by any factor, but not so many of
# them that all together are a bomb.
_MAX_RATIO = 200
_SMALL = 1 << 20
_SMALL_IN_ALL = 64 << 20
_DEEPEST, _LONGEST = 40, 1_000
# Files that archive programs add for their own system.
_CLUTTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


@contextmanager
def unpacked(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Path]:
    """Yield the folder of a source: `path` itself, or the contents of a .zip file, unpacked until the block ends.

    If a single folder holds everything in the file, yields that folder. Raises SourceError, with the member's name, for
    a member that would land outside, is a link, is encrypted or is a zip bomb; nothing is unpacked then.
    """
    if path.is_dir():
        yield path
        return
    if not zipfile.is_zipfile(path):
        what = "is neither a folder nor a .zip file" if path.exists() else "does not exist"
        raise source_error(path, f"{what}: give a folder or a .zip file of one")
    with workspace() as folder:
        _extract(path, folder, max_bytes)
        inside = list(folder.iterdir())
        inner = inside[0] if len(inside) == 1 and inside[0].is_dir() else folder
        try:
            yield inner
        except SourceError as error:
            if error.problem.file != str(inner):
                raise
            # Name the file that the user gave, not the temporary folder.
            raise source_error(path, error.problem.message) from error


def _extract(path: Path, folder: Path, max_bytes: int) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not is_clutter(member.filename)]
            _check(path, members, max_bytes)
            _leave_room(path, sum(member.file_size for member in members), folder)
            for member in members:
                _leave_room(path, member.file_size, folder)  # others may unpack at the same time
                _extract_member(archive, member, folder)
    except SourceError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise source_error(path, f"cannot be unpacked: {_plain(error)}") from error


def _plain(error: Exception) -> str:
    """Return what is wrong, without the paths of this machine that errors of the system end with."""
    return (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__


def _leave_room(path: Path, size: int, folder: Path) -> None:
    """Raises SourceError unless the bytes fit on the disk, beside what everything else needs."""
    free = max(0, shutil.disk_usage(folder).free - FREE_BYTES)
    if size > free:
        raise source_error(path, f"needs {size:,} bytes unpacked, and only {free:,} are free on the server: make room")


def _check(path: Path, members: list[zipfile.ZipInfo], max_bytes: int) -> None:
    if len(members) > MAX_MEMBERS:
        raise source_error(path, f"has {len(members):,} members: the limit is {MAX_MEMBERS:,}")
    seen: set[str] = set()
    total = 0
    for member in members:
        total += member.file_size
        reason = _refusal(member) or ("occurs twice" if member.filename in seen else "")
        if not reason and total > max_bytes:
            reason = f"takes the unpacked size over the limit of {max_bytes:,} bytes"
        if reason:
            raise source_error(path, f"member {member.filename[:200]!r} {reason}: nothing was unpacked")
        seen.add(member.filename)
    packed = path.stat().st_size
    if total > _SMALL_IN_ALL and total > _MAX_RATIO * packed:
        raise source_error(path, f"would grow from {packed:,} to {total:,} bytes in all: nothing was unpacked")


def unsafe_name(name: str) -> str:
    """Return why a file of this name is not written below a folder; empty if it is safe."""
    parts = name.removesuffix("/").split("/")
    if name.startswith("/") or "\\" in name or ":" in parts[0]:
        return "has an absolute path, or one of another system"
    if any(part in ("..", ".", "") for part in parts):
        return "has a path that leaves the folder"
    if len(parts) > _DEEPEST or len(name.encode(errors="replace")) > _LONGEST:
        return f"lies more than {_DEEPEST} folders deep, or has a path of more than {_LONGEST:,} bytes"
    return ""


def _refusal(member: zipfile.ZipInfo) -> str:
    """Return why the member is not unpacked; empty if it is safe."""
    mode = member.external_attr >> 16
    if unsafe := unsafe_name(member.filename):
        return unsafe
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a special file"
    if member.flag_bits & 0x1:
        return "is encrypted"
    if member.file_size > _SMALL and member.file_size > _MAX_RATIO * max(1, member.compress_size):
        return f"would grow from {member.compress_size:,} to {member.file_size:,} bytes"
    return ""


def _extract_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> None:
    target = folder.joinpath(*member.filename.removesuffix("/").split("/"))
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    # zipfile stops at the declared size, so a member cannot be larger than what was checked.
    with archive.open(member) as source, target.open("xb") as file:
        shutil.copyfileobj(source, file, 1 << 20)


def is_clutter(name: str) -> bool:
    """Tell whether an archive program added the file for its own system."""
    return any(part in _CLUTTER for part in name.split("/"))


SCHEME = "s3://"


@dataclass(frozen=True, slots=True)
class Source:
    """A folder for a reader, and the pictures that belong to it."""

    folder: Path
    pictures: SourcePictures


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
