"""Accounts in Chromium: a collaborator invited by mail, a security key, and the look of every page of accounts."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.members import invite_member
from accounts.models import Role
from annotation.models import Project
from tests.support.at_a_browser import AtABrowser
from tests.support.axe import FEW_LOOKS, LOOKS, violations
from tests.support.browsers import new_context
from tests.support.labelling_page import complaints
from tests.support.projects import phrases, project_of
from workers.invitations import worker_for

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "engine and loom"
CTAP: dict[str, Any] = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip
"""A security key that the browser plays."""


@pytest.fixture
def context(chromium: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    with ExitStack() as contexts:
        look = {"viewport": {"width": 1440, "height": 900}, "base_url": live_server.url}
        yield contexts.enter_context(new_context(chromium, **look))


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A browser of somebody without an account. What its page complains about fails the test."""
    page = context.new_page()
    said = complaints(page)
    yield page
    assert said == []


@pytest.fixture
def project(live_server: LiveServer) -> Project:
    return project_of(phrases("animals: a dog"), name="birds", pictures=False)


def mail_to(page: Page, project: Project, address: str) -> AtABrowser:
    """Show the mail with the invitation of this address."""
    boss = User.objects.create_superuser("boss")
    code = invite_member(project, "eve@example.org", Role.REVIEWER, by=boss).code
    page.set_content(f'<a href="{address}/account/membership/{code}/">the link in the mail</a>')
    return AtABrowser(page)


def sign_in(page: Page, name: str) -> None:
    page.goto("/account/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_an_invited_collaborator_is_in_the_project_after_four_presses(
    page: Page, project: Project, live_server: LiveServer
) -> None:
    eve = mail_to(page, project, live_server.url)
    eve.link("the link in the mail")
    found = violations(page, LOOKS)
    eve.fill("Username", "eve")
    eve.fill("Password", PASSWORD)
    eve.button("Become reviewer")
    expect(page.get_by_text("You are reviewer of this project now.")).to_be_visible()
    expect(page).to_have_url(f"{live_server.url}/projects/birds/")
    assert eve.presses == 4 and found == []


def test_a_security_key_opens_the_account_after_the_password(page: Page, context: BrowserContext) -> None:
    worker_for(User.objects.create_user("ada", password=PASSWORD))
    keys = context.new_cdp_session(page)
    keys.send("WebAuthn.enable")
    keys.send("WebAuthn.addVirtualAuthenticator", {"options": CTAP})
    sign_in(page, "ada")
    page.goto("/account/2fa/webauthn/add/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill("my key")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Security key added.")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, "ada")
    expect(page).to_have_url("/account/2fa/authenticate/")
    page.get_by_role("button", name="Use a security key").click()
    expect(page.get_by_role("link", name="Account")).to_be_visible()


def test_axe_finds_nothing_on_the_pages_of_accounts(page: Page) -> None:
    worker_for(User.objects.create_user("ada", password=PASSWORD))
    found = []
    for path in ("/account/login/", "/account/password/reset/", "/account/password/reset/done/", "/account/signup/"):
        page.goto(path)
        found += violations(page, FEW_LOOKS)
    sign_in(page, "ada")
    page.goto("/account/2fa/totp/activate/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_label("Authenticator secret")).to_be_visible()
    found += violations(page, LOOKS)
    for path in ("", "password/change/", "email/", "2fa/", "2fa/webauthn/", "2fa/webauthn/add/", "sessions/", "login/"):
        page.goto(f"/account/{path}")
        found += violations(page, LOOKS if path == "sessions/" else FEW_LOOKS)
    assert found == []
