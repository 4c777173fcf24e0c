"""The first administrator is made by the program, once."""

import pytest
from django.contrib.auth.models import User

from members.first_account import first_account_words, make_first_account

pytestmark = pytest.mark.django_db


def test_a_new_database_gets_an_administrator_whose_password_is_shown_once() -> None:
    made = make_first_account()
    assert made is not None
    user = User.objects.get(username=made[0])
    assert user.is_superuser and user.check_password(made[1])
    assert first_account_words() is None


@pytest.mark.both_engines
def test_somebody_called_admin_does_not_become_administrator() -> None:
    User.objects.create_user("admin")
    made = make_first_account()
    assert made is not None and made[0] == "admin-2"
    assert not User.objects.get(username="admin").is_superuser
