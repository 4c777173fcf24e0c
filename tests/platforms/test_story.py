"""A story on each platform with each call failing before and after it takes effect, and without the admin."""

import re
from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from members.add_member import add_member
from members.models import Role
from pipeline.models import Assignment
from platforms.models import Offer, Session
from tests.platforms.story import ADA, BEN, assert_ended_well, ending, tell
from tests.platforms.world import HOWS, KINDS, World

pytestmark = pytest.mark.django_db


@pytest.mark.slow
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


@pytest.mark.slow
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


Kind = Offer.Kind


class Requester:
    """A browser of somebody who manages the project and has no other right."""

    def __init__(self, world: World) -> None:
        self.world, self.client = world, Client()
        user = add_member(User.objects.create_user("eve"), world.project, Role.REQUESTER).user
        self.client.force_login(User.objects.get(pk=user.pk))

    def address(self, page: str, *more: Any) -> str:
        return reverse(f"campaign:{page}", args=[self.world.project.name, *more])

    def get(self, page: str, *more: Any) -> str:
        answer = self.client.get(self.address(page, *more))
        assert answer.status_code == 200, (page, answer.status_code)
        return answer.text

    def post(self, page: str, *more: Any, **sent: Any) -> str:
        answer = self.client.post(self.address(page, *more), sent, follow=True)
        assert answer.status_code == 200, (page, re.findall(r"error[^<]*<.{0,300}", answer.text, re.S))
        return answer.text

    def there(self, page: str, **sent: Any) -> str:
        """Use a page of recruiting on the platform: look at it, or send something."""
        place = self.world.side.name
        return self.post(page, place, **sent) if sent else self.get(page, place)

    def pay(self) -> None:
        """Settle what the page shows, and let the rounds come to their end."""
        shown = re.search(r'name="shown" value="(\w+)"', self.there("settle"))
        assert shown
        self.there("settle", shown=shown[1])
        self.world.settle()


@pytest.mark.slow
def test_from_the_first_offer_to_the_last_payment_without_the_admin(world: World) -> None:
    eve = Requester(world)
    assert eve.client.get("/admin/platforms/recruitment/").status_code in (302, 403)
    form = eve.client.get(eve.address("offer", world.side.name)).context["form"]
    terms = {field.name: field.value() for field in form if field.value() is not False}
    assert "What this may cost" in eve.there("offer", **terms)
    assert "The work is offered" in eve.there("offer", **terms, sent="yes")
    world.settle()
    for who in (ADA, BEN):
        world.does(world.offers(Kind.ENTRY)[0], who)
    assert "The platform is being read" in eve.there("read_platform", now="yes")
    eve.pay()
    work = world.offers(Kind.WORK)
    two, one = world.does(work[0], ADA, assignments=2), world.does(work[-1], BEN)
    refused = Assignment.objects.get(session=one)
    why = {"row": [refused.pk], "sent": "yes", "reason": "All answers are the same."}
    assert "0.50 refused" in eve.post("assignments", one.worker_id, act="refuse", **why)
    eve.pay()
    back = {"act": "restore", "row": [one.pk], "sent": "yes", "reason": "They were right."}
    assert "0.50 are owed again" in eve.there("sessions", **back)
    good = {"bonus-amount": "0.25", "bonus-reason": "Good work.", "bonus-reference": "b1"}
    assert "gets a bonus" in eve.post("worker_bonus", two.worker_id, **good)
    world.settle()
    assert "Both agree to the cent" in eve.there("compare")
    assert str(Session.objects.get(pk=one.pk).external_id) in eve.there("sessions")
    assert "override" in eve.there("payments") and "2.75" in eve.get("money")
    assert "Stopped." in eve.there("stop_recruiting", now="yes")
    world.settle()
    assert_ended_well(world, ending(world))
    unused = set(world.side.kinds_of_calls) - world.side.used()
    assert not unused, f"the stories would not notice if these failed: {unused}"
