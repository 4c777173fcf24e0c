"""Our own invitation links behind the same interface as the other platforms."""

from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Project
from pipeline.models import KnownQuestion
from platforms.models import Offer
from tests.support.money import ASK, paying
from tests.support.trusting import TEST, add_stock
from workers.models import Access, Invitation

pytestmark = pytest.mark.django_db
JOIN = {"username": "ada", "password1": "a long enough secret", "password2": "a long enough secret"}


@pytest.fixture
def project() -> Project:
    made = paying(3, each=10)
    add_stock(made, 10, TEST)
    return made


def publish(project: Project, **options: object) -> None:
    call_command("publish", "links", project.name, tasks=[ASK], entry_places=2, yes=True, **options)


def test_a_published_link_lets_people_join_until_its_places_are_taken(project: Project) -> None:
    publish(project)
    offer = Offer.objects.get()
    path = urlsplit(offer.external_id).path
    assert Client().post(path, JOIN).status_code == 302
    assert Access.objects.get().task == ASK.value
    call_command("reconcile", "links", project.name)
    offer.refresh_from_db()
    assert (offer.state, offer.taken) == (Offer.State.OPEN, 1)


def test_the_status_shows_the_link(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    publish(project)
    assert Offer.objects.get().external_id in capsys.readouterr().out


@pytest.mark.both_engines
def test_a_withdrawn_link_is_closed(project: Project) -> None:
    publish(project)
    call_command("withdraw", "links", project.name)
    assert Offer.objects.get().state == Offer.State.ENDED
    assert Client().get(urlsplit(Offer.objects.get().external_id).path).status_code == 410


def test_publishing_again_makes_no_second_link(project: Project) -> None:
    publish(project)
    publish(project)
    assert Invitation.objects.count() == 1


def test_a_project_without_a_test_admits_no_newcomers(project: Project) -> None:
    KnownQuestion.objects.all().delete()
    with pytest.raises(CommandError, match="too few test questions of box requirement"):
        publish(project)
    assert not Offer.objects.exists()


def test_a_dry_run_makes_nothing(project: Project) -> None:
    publish(project, dry_run=True)
    assert not Invitation.objects.exists()
    assert not Offer.objects.exists()
