"""Addresses that name no offer."""

from typing import Any

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("platform", ["mturk", "prolific"])
@pytest.mark.parametrize("key", ["%F0%9F%92%A9", "x" * 5000])
def test_an_address_that_names_no_offer_is_not_found(platform: str, key: str, side: Any) -> None:
    assert Client().get(f"/platforms/{platform}/{key}/").status_code == 404
