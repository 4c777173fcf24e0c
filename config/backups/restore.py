"""A backup is restored into an empty place: checked whole first, then written."""

import hashlib
import json
import os
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.db import connection

from config.backups.engines import BackupError, Content, content_now, engine
from config.backups.make import FORMAT, KEY_FILE, MANIFEST, MEDIA, own_key
from runtime.inside_django import migrations_of_the_code
from runtime.installed import COMMAND

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore, with the steps that are left to do."""

    content: Content
    files: int
    notes: list[str]


def restore_backup(path: Path, *, step: Callable[[int], object] = lambda size: None) -> Restored:
    """Restore a backup into an empty database and an empty folder. `step` gets the number of bytes that were read.

    Nothing is written before every digest is found right. Raises BackupError and OSError.
    """
    try:
        with tarfile.open(path, "r:") as tar:
            manifest = _manifest(tar, path)
            _check_place(manifest)
            _check_digests(tar, manifest, step)
            return _restore(tar, manifest, step)
    except tarfile.TarError as error:
        raise BackupError(f"{path} is not a whole backup ({error}).") from error


def _manifest(tar: tarfile.TarFile, path: Path) -> dict[str, Any]:
    try:
        file = tar.extractfile(MANIFEST)
        manifest: dict[str, Any] = json.loads(file.read()) if file else {}
    except (KeyError, ValueError):
        raise BackupError(f"{path} is not a whole backup: its list of contents is missing.") from None
    if manifest.get("format") != FORMAT:
        raise BackupError(f"{path} has format {manifest.get('format')}; this version reads format {FORMAT}.")
    return manifest


def _check_place(manifest: dict[str, Any]) -> None:
    """Raises BackupError if this service cannot take the backup, or holds anything already."""
    used = engine()
    if manifest["engine"] != used.name:
        raise BackupError(
            f"The backup is of {manifest['engine']}, but this service uses {used.name}: set or remove DATABASE_URL."
        )
    if manifest["engine_version"] > used.version:
        raise BackupError(
            f"The backup is of {used.name} {manifest['engine_version']}, and this server has version {used.version}: "
            "use a server of that version or a newer one."
        )
    ours = migrations_of_the_code()
    known, apps = {f"{app}.{name}" for app, name in ours}, {app for app, _ in ours}
    unknown = [
        migration for migration in manifest["migrations"] if migration not in known and migration.split(".")[0] in apps
    ]
    if unknown:
        raise BackupError(f"The backup is of a newer version of the service ({unknown[0]}): install that version.")
    if tables := connection.introspection.table_names():
        raise BackupError(
            f"The database is not empty: it has {len(tables)} tables. Name an empty one with DATABASE_URL, or an empty "
            "folder with CHAINBOX_DATA."
        )
    if not _media_names(manifest):
        return
    if settings.S3_BUCKET:
        raise BackupError("The backup holds pictures, but this service keeps them in a bucket: remove S3_BUCKET.")
    if any(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*")):
        raise BackupError(f"{settings.MEDIA_ROOT} is not empty: name an empty folder with CHAINBOX_DATA.")


def _media_names(manifest: dict[str, Any]) -> list[str]:
    return [name for name in manifest["files"] if name.startswith(MEDIA)]


def _check_digests(tar: tarfile.TarFile, manifest: dict[str, Any], step: Callable[[int], object]) -> None:
    """Raises BackupError if a file is missing, differs from its digest, or is not on the list."""
    left = dict(manifest["files"])
    for member in tar:
        if member.name == MANIFEST:
            continue
        wanted = left.pop(member.name, None)
        file = tar.extractfile(member) if member.isreg() else None
        if wanted is None or file is None:
            raise BackupError(f"The backup was changed: {member.name} is not on its list of contents.")
        digest = hashlib.sha256()
        while data := file.read(CHUNK):
            digest.update(data)
            step(len(data))
        if digest.hexdigest() != wanted["sha256"]:
            raise BackupError(f"The backup is damaged: {member.name} differs from its digest. Nothing was restored.")
    if left:
        raise BackupError(f"The backup is damaged: {sorted(left)[0]} is missing. Nothing was restored.")


def _restore(tar: tarfile.TarFile, manifest: dict[str, Any], step: Callable[[int], object]) -> Restored:
    used = engine()
    notes = []
    # The database last: it comes whole or not at all, and without it the files are taken away again.
    names = _media_names(manifest)
    targets = {name: _inside(Path(settings.MEDIA_ROOT), name.removeprefix(MEDIA)) for name in names}
    try:
        for name, target in targets.items():
            _write(tar, name, target, step)
        if file := tar.extractfile(used.member):
            used.load(file)
    except BaseException:
        for target in targets.values():
            target.unlink(missing_ok=True)
        raise
    step(manifest["files"][used.member]["size"])
    if KEY_FILE in manifest["files"] and (key := own_key()):
        _write(tar, KEY_FILE, key, step)
    else:
        notes.append("Set SECRET_KEY to the value of the old service, or everybody has to sign in again.")
    content = content_now()
    if content != Content(manifest["migrations"], manifest["projects"]):
        raise BackupError("The restored database differs from the backup's list: do not use it.")
    if manifest["bucket"]:
        notes.append(f"Pictures and exports are in the bucket {manifest['bucket']}: set S3_BUCKET.")
    notes.append(f"Run '{COMMAND} migrate', then '{COMMAND} replay PROJECT' for each project, then start the service.")
    return Restored(content, len(names), notes)


def _inside(root: Path, name: str) -> Path:
    """Return the path of the file in the folder. Raises BackupError if the name leads out of it."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise BackupError(f"The backup was changed: {name!r} is not a name of a file.")
    return root.joinpath(*parts)


def _write(tar: tarfile.TarFile, name: str, target: Path, step: Callable[[int], object]) -> None:
    """Write the file beside its place and rename it. Only the service's own user can read it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f"{target.name}.partial")
    source = tar.extractfile(name)
    assert source is not None
    with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        while data := source.read(CHUNK):
            out.write(data)
            step(len(data))
    aside.replace(target)


def size_of(path: Path) -> int:
    """Return how many bytes are read in a restore: everything twice."""
    return 2 * path.stat().st_size
