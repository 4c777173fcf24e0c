"""Transactions that run again after a deadlock: PostgreSQL ends one of two that wait for each other, and undoes it.

Questions are locked in the order of their ids where one statement can do that. A transaction with several statements
that lock cannot always keep the order.
"""

import random
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection, transaction

Given = ParamSpec("Given")
Result = TypeVar("Result")
TRIES = 4
PAUSE = 0.05
"""Seconds before the second try; twice as long before each further one."""
DEADLOCK = "40P01"


def atomic_again(work: Callable[Given, Result]) -> Callable[Given, Result]:
    """Run `work` in a transaction, and again if that was ended by a deadlock; raises OperationalError after four.

    `work` may change nothing but the database. Within another transaction it runs once: only the whole can begin anew.
    A pause before each further try lets the other transaction end; without one both can take their first locks again.
    """

    @wraps(work)
    def run(*args: Given.args, **named: Given.kwargs) -> Result:
        tries_left = 1 if connection.in_atomic_block else TRIES
        while True:
            tries_left -= 1
            try:
                with transaction.atomic():
                    return work(*args, **named)
            except OperationalError as error:
                if not tries_left or getattr(error.__cause__, "pgcode", None) != DEADLOCK:
                    raise
            time.sleep(PAUSE * 2 ** (TRIES - 1 - tries_left) * random.uniform(0.5, 1.5))

    return run
