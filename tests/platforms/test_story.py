"""A story on each platform: without faults, and with each call failing once, before or after it takes effect."""

import os
from itertools import product

import pytest

from tests.platforms.story import assert_ended_well, tell
from tests.platforms.world import HOWS, KINDS, World

pytestmark = pytest.mark.django_db
ALL = bool(os.environ.get("CHAINBOX_ALL_FAULTS"))


def test_from_the_first_offer_to_the_last_payment(world: World) -> None:
    assert_ended_well(world, tell(world))
    unused = set(world.side.kinds_of_calls) - world.side.used()
    assert not unused, f"the story would not notice if these failed: {unused}"


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_call_fails_once(world: World, how: str, kind: str) -> None:
    """All kinds of calls fail once in one story."""
    for call in world.side.kinds_of_calls:
        world.side.fail(call, how, kind)
    assert_ended_well(world, tell(world))
    assert not world.side.faults_left(), "a fault that never came proves nothing"


@pytest.mark.parametrize("how", HOWS)
def test_money_moves_once_however_its_call_fails(world: World, how: str) -> None:
    """Each call that moves money fails several times, each time in another way."""
    for call in world.side.money_calls:
        for kind in KINDS:
            world.side.fail(call, how, kind)
    assert_ended_well(world, tell(world))


@pytest.mark.parametrize(("number", "how", "kind"), [*product(range(15), HOWS, KINDS)] if ALL else [])
def test_one_call_fails(world: World, number: int, how: str, kind: str) -> None:
    """One kind of call fails three times, more than it is repeated. Takes minutes: only with CHAINBOX_ALL_FAULTS=1."""
    if number >= len(world.side.kinds_of_calls):
        pytest.skip("this platform has fewer kinds of calls")
    world.side.fail(world.side.kinds_of_calls[number], how, kind, times=3)
    assert_ended_well(world, tell(world))
