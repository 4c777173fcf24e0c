"""The same story on each platform, told by a requester in the requesters' pages, who may not enter the admin."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from members.add_member import add_member
from members.models import Role
from pipeline.models import Assignment
from platforms.models import Offer, Session
from tests.platforms.story import ADA, BEN, assert_ended_well, ending
from tests.platforms.world import World

pytestmark = pytest.mark.django_db
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
