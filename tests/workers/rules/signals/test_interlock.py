"""Two workers whose hours of work interlock."""

import random

import pytest

from workers.rules.signals.interlock import Spell, interlock, spells

HOUR = 3600.0


def test_spells_end_with_a_long_pause():
    assert spells([5000, 0, 100, 5050]) == [Spell(0, 100), Spell(5000, 5050)]
    assert spells([]) == []


def days(offset: float, length: float = 1200, *, jitter: float = 0, seed: str = "") -> list[Spell]:
    """Twenty spells in the same hours of twenty days."""
    rng = random.Random(seed)
    begins = [24 * HOUR * day + 9 * HOUR + offset + rng.uniform(-jitter, jitter) for day in range(20)]
    return [Spell(begin, begin + length) for begin in begins]


def test_one_who_begins_as_the_other_ends_interlocks():
    found = interlock(days(0), days(1220))
    assert (found.handovers, found.joint, found.overlapping) == (20, 0, 0)
    assert found.chance < 1e-12
    assert interlock(days(1220), days(0)).chance == found.chance


def test_two_who_begin_together_interlock():
    found = interlock(days(0), days(20))
    assert (found.handovers, found.joint, found.overlapping) == (0, 20, 20)
    assert found.chance < 1e-12


def test_two_who_work_in_the_same_hours_do_not_interlock():
    assert interlock(days(0, jitter=1500, seed="a"), days(0, jitter=1500, seed="b")).chance > 0.05


def test_two_who_never_work_in_the_same_hours_say_nothing():
    assert interlock(days(0), days(6 * HOUR)).chance == 1


def test_only_the_hours_in_which_both_could_have_begun_count():
    assert interlock(days(0), days(1220)[:5]).chance == pytest.approx(interlock(days(0)[:5], days(1220)[:5]).chance)
