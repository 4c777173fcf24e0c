"""One file with the database, the pictures, the exports, and a list of digests."""

import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from config.backups.engines import BackupError, Content, engine
from runtime import clock

FORMAT = 1
MANIFEST = "manifest.json"
KEY_FILE = "secret_key"
MEDIA = "media/"
NAME = "chainbox-%Y%m%d-%H%M%S.tar"
"""The file of a backup in a folder, with the time (UTC) at which it was begun."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made."""

    path: Path
    content: Content
    files: int
    """The number of pictures and exports."""
    size: int
    """The file's size in bytes."""


class _Hashed:
    """A file that is hashed while it is read."""

    def __init__(self, file: IO[bytes], step: Callable[[int], object]) -> None:
        self.file, self.step = file, step
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.digest.update(data)
        self.step(len(data))
        return data


def make_backup(target: Path, *, step: Callable[[int], object] = lambda size: None) -> Backup:
    """Write a backup while the service runs. A folder as target gets a new file, named after the time.

    `step` gets the number of bytes that were written. The file appears when everything is in it, readable by its
    owner alone: it holds password hashes and perhaps the secret key. Raises BackupError and OSError.
    """
    now = clock.now_without_asking()
    path = target / f"{now:{NAME}}" if target.is_dir() else target
    if path.exists():
        raise BackupError(f"{path} exists already: name a new file, or a folder.")
    if not path.parent.is_dir():
        raise BackupError(f"The folder {path.parent} does not exist: make it first.")
    with tempfile.TemporaryDirectory(prefix=".chainbox-backup-", dir=path.parent) as folder:
        aside = Path(folder) / "backup.tar"
        database = Path(folder) / "database"
        # The database first: each picture that it names is stored already, and pictures never change.
        content = engine().dump(database, lambda done, of: None)
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            files = _pack(out, database, content, step, now)
            out.flush()
            os.fsync(out.fileno())
        os.link(aside, path)  # unlike a rename, this never replaces a file
    return Backup(path, content, files, path.stat().st_size)


def age_by_backup(folder: Path) -> dict[Path, timedelta]:
    """Return the age of each backup in the folder, by the time in its name."""
    now = clock.now_without_asking()
    found = {}
    for path in folder.iterdir():
        with suppress(ValueError):  # another file
            found[path] = now - datetime.strptime(path.name, NAME).replace(tzinfo=UTC)
    return found


def remove_old(folder: Path, limit: timedelta) -> None:
    """Remove the backups that are older than `limit`, but never the newest one."""
    found = age_by_backup(folder)
    for path, age in found.items():
        if age > max(limit, min(found.values())):
            path.unlink()


def _pack(out: IO[bytes], database: Path, content: Content, step: Callable[[int], object], now: datetime) -> int:
    digests: dict[str, dict[str, Any]] = {}
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, path in [(engine().member, database), *_key(), *_media()]:
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue  # an old export that was deleted meanwhile
            with file:
                member = tarfile.TarInfo(name)
                member.size, member.mode = os.fstat(file.fileno()).st_size, 0o600
                member.mtime = int(os.fstat(file.fileno()).st_mtime)
                hashed = _Hashed(file, step)
                tar.addfile(member, hashed)  # type: ignore[arg-type]  # it only reads
                digests[name] = {"size": member.size, "sha256": hashed.digest.hexdigest()}
        text = json.dumps(_manifest(content, digests, now), indent=1).encode()
        member = tarfile.TarInfo(MANIFEST)
        member.size, member.mode, member.mtime = len(text), 0o600, int(now.timestamp())
        tar.addfile(member, io.BytesIO(text))
    return sum(name.startswith(MEDIA) for name in digests)


def _manifest(content: Content, digests: dict[str, dict[str, Any]], now: datetime) -> dict[str, Any]:
    used = engine()
    return {
        "format": FORMAT,
        "made_at": now.isoformat(),
        "engine": used.name,
        "engine_version": used.version,
        "bucket": settings.S3_BUCKET,
        **asdict(content),
        "files": digests,
    }


def own_key() -> Path | None:
    """Return the file that holds the service's secret key, or None if the key comes from the environment."""
    path, key = Path(settings.DATA) / KEY_FILE, str(settings.SECRET_KEY)  # whose first use makes the file
    return path if path.exists() and path.read_text() == key else None


def _key() -> Iterator[tuple[str, Path]]:
    if path := own_key():
        yield KEY_FILE, path


def _media() -> Iterator[tuple[str, Path]]:
    """Yield the pictures and exports in the folder; none if they are in a bucket."""
    if settings.S3_BUCKET:
        return
    root = Path(settings.MEDIA_ROOT)
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix != ".partial":
            yield MEDIA + path.relative_to(root).as_posix(), path


def size_of_media() -> int:
    """Return the size of the pictures and exports in bytes."""
    return sum(path.stat().st_size for _, path in _media())
