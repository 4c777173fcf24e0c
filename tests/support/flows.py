"""For flows that several tests look at: a database state made once per module, and parts of real sources."""

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from exchange.names import natural_key

FEWER = 120
"""Images that show the same on the second database, where every statement takes longer."""


@contextmanager
def made_once(blocker: Any) -> Iterator[None]:
    """Whatever is written in here is seen by every test of the module, and gone after it."""
    with blocker.unblock():
        connection.ensure_connection()
        with transaction.atomic():
            yield
            transaction.set_rollback(True)


def keep_plans_good() -> Callable[[int], None]:
    """A step for `simulate`: now and then PostgreSQL counts its rows anew.

    It does so by itself for rows that were committed; in one long transaction it would plan as for empty tables.
    """
    rounds = itertools.count()

    def step(_: int) -> None:
        if connection.vendor == "postgresql" and next(rounds) % 10 == 0:
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")

    return step


def first_images(source: Path, target: Path, count: int) -> Path:
    """A copy of the first so many images of a Flickr30k Entities source without pictures."""
    names = sorted((file.stem for file in (source / "Sentences").glob("*.txt")), key=natural_key)[:count]
    for folder, ending in (("Sentences", "txt"), ("Annotations", "xml")):
        (target / folder).mkdir(parents=True)
        for name in names:
            shutil.copy(source / folder / f"{name}.{ending}", target / folder)
    return target
