"""The admin in Chromium: its pages work without evaluating text as a script, which the content policy forbids."""

from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from tests.support.at_a_browser import Watched
from tests.support.browsers import new_context
from tests.support.rows import make_project, make_story

LISTS = ("auth_user", "accounts_membership", "pipeline_question", "workers_access")
"""Models with all that the theme's lists and forms have."""


def test_no_page_breaks_and_the_parts_of_the_theme_answer(
    transactional_db: None, live_server: LiveServer, chromium: Browser, client: Client
) -> None:
    make_story(make_project("parks"))
    client.force_login(User.objects.create_superuser("ada"))
    context = new_context(chromium, viewport={"width": 1440, "height": 900})
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    watched, page = Watched(context, live_server.url), context.new_page()
    last = {name: apps.get_model(name.replace("_", "."))._default_manager.latest("pk").pk for name in LISTS}
    addresses = [reverse(f"admin:{name}_changelist") for name in LISTS]
    addresses += [reverse(f"admin:{name}_change", args=[key]) for name, key in last.items()]
    addresses += map(reverse, ("admin:index", "admin:auth_user_add", "admin:annotation_project_changelist"))
    for address in addresses:
        page.goto(f"{live_server.url}{address}")
        assert watched.complaints == [], address

    sidebar, toggle = page.locator("#nav-sidebar"), page.get_by_text("dock_to_right").first
    search = page.locator("[x-ref=searchInput]").first
    expect(sidebar).to_be_visible()
    toggle.click()
    expect(sidebar).to_be_hidden()
    page.reload()
    expect(sidebar).to_be_hidden()
    toggle.click()
    expect(sidebar).to_be_visible()
    search.fill("question")
    search.press("Escape")
    expect(search).to_have_value("")
    search.press("Escape")
    expect(search).not_to_be_focused()
    page.keyboard.press("Control+e")
    expect(page.locator("html.light")).to_have_count(1)
    page.keyboard.press("Control+k")
    command = page.locator("#search-input-command")
    expect(command).to_be_focused()  # the theme opens the search a moment after the key
    command.fill("acces")
    command.press("s")  # keys alone begin a search: one, not one after every pause between two letters
    expect(page.locator("#command-results-list li").first).to_be_visible()
    command.press("ArrowDown")
    expect(page.locator("#command-results-list li.active")).to_have_count(1)
    command.press("Enter")
    page.wait_for_url(f"{live_server.url}/admin/workers/access/")
    page.goto(f"{live_server.url}/admin/auth/user/")
    page.locator("tbody input[type=checkbox]").first.check()
    expect(page.locator("select[name=action]")).to_be_visible()
    assert watched.complaints == []
    context.close()
