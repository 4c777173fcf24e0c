"""Addresses and choices of the admin that name no row."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.rows import make_worker

pytestmark = pytest.mark.django_db
HUGE = "9" * 40


@pytest.fixture
def requester(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("eve"))
    return client


@pytest.mark.parametrize("key", ["true", "NaN", " ", "²", HUGE])
@pytest.mark.parametrize("page", ["workers/workersignal", "pipeline/progress", "workers/worker"])
def test_an_address_that_names_no_row_leads_back_with_a_message(requester: Client, page: str, key: str) -> None:
    assert requester.get(f"/admin/{page}/{key}/change/").status_code == 302


@pytest.mark.parametrize("sent", ["nobody", "infinity", "\r\nX: y", HUGE])
@pytest.mark.parametrize("page", ["workers/access", "workers/worker"])
def test_a_choice_that_is_no_row_is_refused_in_the_form(requester: Client, page: str, sent: Any) -> None:
    make_worker()
    inline = {"accesses-TOTAL_FORMS": 0, "accesses-INITIAL_FORMS": 0}
    answer = requester.post(f"/admin/{page}/add/", {"worker": sent, "user": sent, **inline})
    assert answer.status_code == 200
    assert "Select a valid choice" in answer.text
