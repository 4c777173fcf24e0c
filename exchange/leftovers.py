"""Temporary files that outlive no process: whoever writes one holds a lock, which the system frees even on a kill."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

from exchange.atomic import locked, remove_unheld


@contextmanager
def workspace() -> Iterator[Path]:
    """Yield an empty folder in CHAINBOX_DATA for temporary files, removed when the block ends.

    First removes what killed processes left.
    """
    root = settings.DATA / "temporary"
    root.mkdir(mode=0o700, exist_ok=True)
    remove_leftovers()
    while True:
        folder = Path(mkdtemp(dir=root))
        with locked(folder) as is_there:
            if is_there:  # else another process took it for a leftover before it was held
                try:
                    yield folder
                finally:
                    shutil.rmtree(folder, ignore_errors=True)
                return


def remove_leftovers() -> int:
    """Remove what killed processes left in CHAINBOX_DATA and in the folder of pictures. Returns the number."""
    found = [*(settings.DATA / "temporary").glob("*"), *(Path(settings.MEDIA_ROOT) / ".partial").glob("*")]
    return remove_unheld(found)
