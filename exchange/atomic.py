"""Files and folders that appear complete or not at all: written beside the target, then renamed."""

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path


class TargetExists(FileExistsError):
    """The target already exists and is not empty. It is not overwritten."""


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder to write in. It is renamed to `path` when the block ends, and removed on an error.

    Raises TargetExists if `path` is a file or a folder that is not empty.
    """
    check_free(path)
    temporary = _beside(path)
    temporary.mkdir()
    try:
        with locked(temporary):
            yield temporary
            check_free(path)
            temporary.rename(path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """Yield a path to write a file at. The file is renamed to `path` when the block ends, and removed on an error.

    Raises TargetExists if `path` is a folder or a file that is not empty.
    """
    check_free(path, folder=False)
    temporary = _beside(path)
    try:
        temporary.touch()
        with locked(temporary):
            yield temporary
            check_free(path, folder=False)
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_with_beside(path: Path, beside: Path, *, folder: bool) -> Iterator[Path]:
    """Yield a path to write a file, or with `folder` a folder, at, in a folder of its own.

    When the block ends it is renamed to `path`, and before it whatever has the name of `beside` in that folder, which
    replaces what is there; on an error all is removed. Raises TargetExists as `atomic_file` and `atomic_folder` do.
    """
    check_free(path, folder=folder)
    temporary = _beside(path)
    temporary.mkdir()
    try:
        with locked(temporary):
            yield temporary / path.name
            check_free(path, folder=folder)
            if (temporary / beside.name).exists():
                shutil.rmtree(beside, ignore_errors=True)
                (temporary / beside.name).rename(beside)
            (temporary / path.name).rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_free(path: Path, *, folder: bool = True) -> None:
    """Raise TargetExists unless nothing is there but an empty file or folder. Raises FileNotFoundError, too."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist: make it first")
    if not os.path.lexists(path):
        return
    if path.is_dir() != folder:
        raise TargetExists(f"{path} is a {'file' if folder else 'folder'}: choose another name")
    if any(path.iterdir()) if folder else path.stat().st_size:
        raise TargetExists(f"{path} is not empty: remove it or choose another name")


def _beside(path: Path) -> Path:
    """Return a new name beside the target. Removes what killed processes left under such names."""
    remove_unheld(path.parent.glob(f".{escape(path.name)}.partial-*"))
    return path.with_name(f".{path.name}.partial-{secrets.token_hex(4)}")


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold a file or folder until the block ends. Yields whether it still exists."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield path.exists()
    finally:
        os.close(descriptor)


def remove_unheld(paths: Iterable[Path]) -> int:
    """Remove the files and folders that no process holds, and return their number."""
    removed = 0
    for path in paths:
        with suppress(OSError):  # held, or gone meanwhile
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
                removed += 1
            finally:
                os.close(descriptor)
    return removed
