"""Transactions that PostgreSQL ends in a deadlock run again, alone and only then."""

import threading
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction

from tests.support.services import PATIENCE
from upkeep.atomic_again import TRIES, atomic_again


class Ended(Exception):
    """An error of PostgreSQL's driver."""

    def __init__(self, pgcode: str) -> None:
        super().__init__(pgcode)
        self.pgcode = pgcode


def ended_by(pgcode: str, tries: list[int]) -> Callable[[], None]:
    @atomic_again
    def work() -> None:
        tries.append(1)
        raise OperationalError from Ended(pgcode)

    return work


@pytest.mark.services
def test_two_transactions_that_wait_for_each_other_both_end(real_services: None, transactional_db: None) -> None:
    users = [User.objects.create_user(name) for name in "ab"]
    tries: list[str] = []
    both_hold_one = threading.Barrier(2, timeout=PATIENCE)

    @atomic_again
    def lock(names: str) -> None:
        tries.append(names)
        User.objects.select_for_update().get(username=names[0])
        if tries.count(names) == 1:
            both_hold_one.wait()
        User.objects.filter(username=names[1]).update(first_name=names)

    def body(names: str) -> None:
        try:
            lock(names)
        finally:
            connection.close()

    threads = [threading.Thread(target=body, args=(names,)) for names in ("ab", "ba")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(tries) >= 3
    assert [User.objects.get(pk=user.pk).first_name for user in users] == ["ba", "ab"]


@pytest.mark.django_db(transaction=True)
def test_it_gives_way_longer_each_time_and_gives_up_after_four_deadlocks(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    pauses: list[float] = []
    monkeypatch.setattr("random.uniform", lambda least, most: least)
    monkeypatch.setattr("time.sleep", pauses.append)
    with pytest.raises(OperationalError):
        ended_by("40P01", tries)()
    assert len(tries) == TRIES
    assert pauses == [0.025, 0.05, 0.1]


@pytest.mark.django_db(transaction=True)
def test_other_faults_and_inner_transactions_are_tried_once() -> None:
    tries: list[int] = []
    with pytest.raises(OperationalError):
        ended_by("57014", tries)()
    with pytest.raises(OperationalError), transaction.atomic():
        ended_by("40P01", tries)()
    assert len(tries) == 2
