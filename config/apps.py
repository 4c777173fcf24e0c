"""Starts the service: its folder, closed to other users, the log of slow statements, and Sentry if it is configured."""

import logging
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.logs import request_id, watch_every_connection
from runtime.installed import not_installed

OTHERS = 0o077
"""The permission bits of everybody but the owner."""
SERVED = ("media", "static")
"""The folders in CHAINBOX_DATA that a proxy may serve: pictures with exports, and the files of the pages."""


def keep_private(folder: Path, group: str = "") -> str:
    """Make the folder if it is missing, and leave all in it to its owner, now and for files that are written later.

    `group`: its members may read pictures, exports and the files of the pages, as a proxy must. Returns a sentence on
    what could not be done, or an empty text. Raises ImproperlyConfigured if the folder cannot be made.
    """
    os.umask(OTHERS)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"CHAINBOX_DATA: the folder {folder} cannot be made ({error.strerror}).") from error
    if folder.stat().st_mode & stat.S_IWOTH:
        return f"{folder} is a folder that everybody writes to: set CHAINBOX_DATA to a folder of its own."
    try:
        _close(folder, 0o710 if group else 0o700)
        if group:
            _open_for(folder, group)
    except (OSError, LookupError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return f"Other users of this machine may read files in {folder}: its permissions cannot be set ({why})."
    if stat.S_IMODE(folder.stat().st_mode) & OTHERS & ~(0o010 if group else 0):
        return f"Other users of this machine may read files in {folder}: its file system keeps no permissions."
    return ""


def _close(folder: Path, mode: int) -> None:
    """Take the permissions of others away. Folders that are closed already are not read again."""
    was_open = bool(stat.S_IMODE(folder.stat().st_mode) & OTHERS & ~0o010)
    for path in _all_in(folder) if was_open else folder.iterdir():
        try:
            found = path.lstat().st_mode
            if found & OTHERS and not stat.S_ISLNK(found) and (was_open or path.name not in SERVED):
                path.chmod(stat.S_IMODE(found) & ~OTHERS)
        except FileNotFoundError:
            continue  # another process has just deleted it
    if stat.S_IMODE(folder.stat().st_mode) != mode:
        folder.chmod(mode)


def _open_for(folder: Path, group: str) -> None:
    """Let the group read the folders that a proxy serves. New files there belong to the group."""
    shutil.chown(folder, group=group)
    for name in SERVED:
        top = folder / name
        top.mkdir(exist_ok=True)
        if stat.S_IMODE(top.stat().st_mode) == 0o2750:
            continue
        for path in (*_all_in(top), top):
            if not path.is_symlink():
                shutil.chown(path, group=group)
                path.chmod(0o2750 if path.is_dir() else 0o640)


def _all_in(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))


logger = logging.getLogger(__name__)
MISSING = f"SENTRY_DSN is set, but sentry-sdk is {not_installed('sentry')}. Or remove SENTRY_DSN."


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        if warning := keep_private(settings.DATA, settings.FILES_GROUP):
            logger.warning(warning)
        watch_every_connection()
        if settings.SENTRY_DSN:
            start_sentry(settings.SENTRY_DSN)


def start_sentry(address: str, **options: Any) -> None:
    """Report errors to Sentry: without bodies, variables or people. Raises ImproperlyConfigured without sentry-sdk."""
    try:
        import sentry_sdk
    except ImportError:
        raise ImproperlyConfigured(MISSING) from None

    def add_request_id(event: Any, details: Any) -> Any:
        event.setdefault("tags", {})["request_id"] = request_id.get()
        return event

    try:
        sentry_sdk.init(
            dsn=address,
            before_send=add_request_id,
            send_default_pii=False,
            include_local_variables=False,
            max_request_body_size="never",
            **options,
        )
    except sentry_sdk.utils.BadDsn as error:
        raise ImproperlyConfigured(f"SENTRY_DSN is not an address of Sentry: {error}.") from None
