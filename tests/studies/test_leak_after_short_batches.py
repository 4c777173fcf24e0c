"""The study of leaks looks at what comes after a short batch, when the real questions had run out."""

import pytest

from pipeline.stock.stock_cache import forget
from studies.question_leak.study import Effort, look_through
from studies.question_leak.world import make_world

pytestmark = pytest.mark.django_db
VIEW = "after short"


def test_a_first_question_that_is_always_real_after_a_short_batch_is_found_and_the_service_has_none() -> None:
    forget()
    world = make_world(finished=2, begun=8, workers=10, stock=40)
    effort = Effort(0, 0, 0, 0, short=2)
    planted = look_through(world, [VIEW], plants=["short-then-real"], effort=effort)[VIEW]
    assert planted.is_leak and planted.sign == "first after a short batch", planted
    as_it_is = look_through(world, [VIEW], effort=effort)[VIEW]
    assert not as_it_is.is_leak, as_it_is
