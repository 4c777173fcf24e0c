"""First page of the admin: what administrators come for stands in groups, and nothing that is stored is lost."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client

from backoffice.first_page import GROUPS, REST, navigation

MOST = 16
"""Links that an administrator sees before the fold."""


def test_every_page_of_the_admin_is_on_the_first_one_once_and_few_stand_before_the_fold(admin_client: Client) -> None:
    answer = admin_client.get("/admin/")
    groups = answer.context["sidebar_navigation"]
    links = [page["link"] for group in groups for page in group["items"]]
    there = [model["admin_url"] for app in answer.context["app_list"] for model in app["models"]]
    assert sorted(links) == sorted(there) and len(set(links)) == len(links)
    *first, rest = groups
    assert [group["title"] for group in first] == [*GROUPS] and rest["title"] == REST
    assert all(len(group["items"]) == len(GROUPS[group["title"]]) for group in first)
    assert sum(len(group["items"]) for group in first) <= MOST
    assert answer.text.count(f'href="{links[0]}"') == 2  # in the menu and on the page


@pytest.mark.django_db
def test_only_pages_that_an_account_may_open_are_named(rf: object) -> None:
    nobody = User.objects.create_user("eve", is_staff=True)
    request = rf.get("/admin/")  # type: ignore[attr-defined]
    request.user = nobody
    named = [page["link"] for group in navigation(request) for page in group["items"]]
    allowed = [model["admin_url"] for app in admin.site.get_app_list(request) for model in app["models"]]
    assert sorted(named) == sorted(allowed)
