"""A story on each platform, with each call failing before and after it takes effect."""

from itertools import product

import pytest

from tests.platforms.story import assert_ended_well, tell
from tests.platforms.world import HOWS, KINDS, World

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("turn", range(len(KINDS)))
def test_every_call_fails_before_and_after_it_takes_effect(world: World, turn: int) -> None:
    """All kinds of calls fail in one story, first before they take effect and then afterwards; over the turns, in each
    way at each moment. Those that move money fail four times.
    """
    kinds = KINDS[turn:] + KINDS[:turn]
    for call in world.side.kinds_of_calls:
        for kind in kinds if call in world.side.money_calls else kinds[:1]:
            world.side.fail(call, "before", kind)
        world.side.fail(call, "after", kinds[1])
    assert_ended_well(world, tell(world))
    assert not world.side.faults_left(), "a fault that never came proves nothing"


def test_money_moves_once_though_the_answers_of_its_calls_are_lost_three_times(world: World) -> None:
    for call in world.side.money_calls:
        for kind in KINDS:
            world.side.fail(call, "after", kind)
    assert_ended_well(world, tell(world))


@pytest.mark.long
@pytest.mark.parametrize(("number", "how", "kind"), [*product(range(15), HOWS, KINDS)])
def test_one_call_fails(world: World, number: int, how: str, kind: str) -> None:
    """One kind of call fails three times, more than it is repeated."""
    if number >= len(world.side.kinds_of_calls):
        pytest.skip("this platform has fewer kinds of calls")
    world.side.fail(world.side.kinds_of_calls[number], how, kind, times=3)
    assert_ended_well(world, tell(world))
