"""Helpers for flows: a database state made once for all tests of a module, and parts of real sources."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from exchange.names import natural_key

FEWER = 30
"""The number of real images in tests that need not have all."""


@contextmanager
def made_once(blocker: Any) -> Iterator[None]:
    """Keep what the block writes for every test of the module, and roll it back after the last."""
    with blocker.unblock():
        connection.ensure_connection()
        with transaction.atomic():
            yield
            transaction.set_rollback(True)


def keep_plans_good() -> Callable[[int], None]:
    """Return a step for `simulate` that updates PostgreSQL's statistics now and then.

    PostgreSQL does so itself for committed rows. In one long transaction it would plan as if the tables were empty.
    """
    rounds = itertools.count()

    def step(_: int) -> None:
        if connection.vendor == "postgresql" and next(rounds) % 10 == 0:
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")

    return step


def first_images(source: Path, target: Path, count: int, *, after: int = 0) -> Path:
    """Copy the first `count` images of a Flickr30k Entities source without pictures, or those after the first few."""
    names = sorted((file.stem for file in (source / "Sentences").glob("*.txt")), key=natural_key)[after : after + count]
    for folder, ending in (("Sentences", "txt"), ("Annotations", "xml")):
        (target / folder).mkdir(parents=True)
        for name in names:
            shutil.copy(source / folder / f"{name}.{ending}", target / folder)
    return target
