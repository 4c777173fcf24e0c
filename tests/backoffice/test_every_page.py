"""The admin: every page of every model opens, says little to strangers, and changes nothing of the record.
First page of the admin: what administrators come for stands in groups, and nothing that is stored is lost.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import Model
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse
from unfold.templatetags.unfold_list import results

import backoffice
from accounts.models import Membership, RequesterToken, SecurityEvent
from annotation.models import Box, Caption, Chain, Image, Mention, MergedBox, Project
from backoffice.admin import GROUPS, REST, navigation
from exchange.models import Selection
from labelling.models import Conversation, OutgoingMail, Post, SignIn
from pipeline.models import (
    Assignment,
    Entry,
    Judgment,
    KnownQuestion,
    LabelDoubt,
    Learned,
    LedgerEntry,
    Progress,
    Question,
    SettingsVersion,
    Skip,
    Transition,
)
from platforms.models import Counterpart, Identity, Offer, Payment, Recruitment, Screening, Session
from projects import models as campaign
from tests.support.flows import made_once
from tests.support.members import add_factor_and_session, maker
from tests.support.rows import make_project, make_story
from workers.models import Access, Invitation, TrustChange, Worker

pytestmark = pytest.mark.django_db

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
APPS = ("annotation", "accounts", "workers", "labelling", "pipeline", "platforms", "projects", "exchange")
OURS = [model for model in MODELS if model._meta.app_label in APPS]
READ_ONLY = [
    Question, Assignment, Judgment, Entry, Transition, LabelDoubt, Progress, Skip, KnownQuestion, Chain, Box,
    MergedBox, Mention, Caption, Image, Recruitment, Offer, Session, Payment, Identity, Screening, Counterpart, Post,
    Conversation, OutgoingMail, LedgerEntry, Project, SettingsVersion, Learned, TrustChange, campaign.Alert,
    campaign.AlertChannel, campaign.Delivery, campaign.Figures, campaign.Looked, campaign.ErrorSample,
    *(
        campaign.ImportProblem,
        campaign.Run,
        campaign.ModelPrediction,
        campaign.StateChange,
    ),
    campaign.Upload, campaign.UploadedFile, campaign.UploadedPiece, campaign.ItemsFile,
    campaign.GoldAnnotation, campaign.GoldImage,
    Selection, RequesterToken, SecurityEvent,
]  # fmt: skip
MAY_CHANGE = (Worker, User, Group, Access, Invitation, Membership)
MAY_ADD = {User, Group, Worker, Access, Invitation, Membership}

ListOf = Callable[[str], ChangeList]
MOST = 16
"""Links that an administrator sees before the fold."""


def url(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture(scope="module")
def boss(django_db_setup: None, django_db_blocker: Any) -> Iterator[User]:
    """A superuser, beside one row at least of every model, which are made once for all tests."""
    with made_once(django_db_blocker):
        Group.objects.create(name="requesters")
        make_story(make_project("parks"))
        ContentType.objects.get_for_models(*MODELS)  # kept in a cache, which would otherwise fill as pages are opened
        add_factor_and_session()
        yield User.objects.create_superuser("boss")


@pytest.fixture
def browser(boss: User) -> Client:
    """The superuser's browser. A page that breaks has the status 500, so that the others are tried, too."""
    client = Client(raise_request_exception=False)
    client.force_login(boss)
    return client


@pytest.fixture
def list_at(boss: User) -> ListOf:
    """Give what the list at an address would show, without its page, whose drawing takes long."""

    def shown(address: str) -> ChangeList:
        request = RequestFactory().get(address)
        request.user = boss
        place = resolve(request.path)
        (model,) = (one for one in MODELS if url(one, "changelist") == request.path)
        assert place.url_name == f"{model._meta.app_label}_{model._meta.model_name}_changelist"
        shown: ChangeList = admin.site.get_model_admin(model).get_changelist_instance(request)
        list(shown.result_list)
        return shown

    return shown


def first(model: type[Model]) -> Model:
    return model._default_manager.earliest("pk")


def names(models: Iterable[type[Model]]) -> list[str]:
    return [model.__name__ for model in models]


def test_every_model_of_ours_has_exactly_one_page() -> None:
    ours = {model for app in APPS for model in apps.get_app_config(app).get_models()} - {SignIn}
    assert ours == set(OURS)
    sources = [file.read_text() for file in Path(backoffice.__file__).parent.rglob("*.py")]
    registered = [
        name for source in sources for name in re.findall(r"^(?:@admin\.register|read_only)\(\s*(\w+)", source, re.M)
    ]
    assert sorted(registered) == sorted(model.__name__ for model in ours)


@pytest.mark.slow
def test_every_list_opens_and_shows_its_rows(browser: Client) -> None:
    def opens(model: type[Model]) -> bool:
        response = browser.get(url(model, "changelist"))
        rows = list(response.context["cl"].result_list) if response.status_code == 200 else []
        return bool(rows) and url(model, "change", rows[0].pk) in response.text

    assert names(model for model in MODELS if not opens(model)) == []


@pytest.mark.slow
def test_a_longer_list_needs_no_more_queries(list_at: ListOf) -> None:
    def queries_of(model: type[Model]) -> int:
        """Count them for the rows and filters, without the page around, whose drawing takes long."""
        with CaptureQueriesContext(connection) as queries:
            shown = list_at(url(model, "changelist"))
            assert [cell for row in results(shown) for cell in row]
            assert all(list(spec.choices(shown)) for spec in shown.filter_specs)
        return len(queries)

    make_story(make_project("woods"))
    queries_of(Project)  # fills caches that last
    few = {model: queries_of(model) for model in OURS}
    for number in range(3):
        make_story(make_project(f"hills-{number}"))
    many = {model: queries_of(model) for model in OURS}
    assert names(model for model in OURS if model._default_manager.count() < 5) == []
    assert {model.__name__: (few[model], many[model]) for model in OURS if few[model] != many[model]} == {}


def test_every_list_can_be_searched(list_at: ListOf) -> None:
    found = {model.__name__: list_at(f"{url(model, 'changelist')}?q=no+such+thing").result_count for model in MODELS}
    assert found == dict.fromkeys(names(MODELS), 0)


@pytest.mark.slow
def test_every_filter_of_every_list_can_be_used(list_at: ListOf) -> None:
    used = 0
    for model in MODELS:
        shown = list_at(url(model, "changelist"))
        for spec in shown.filter_specs:
            for choice in list(spec.choices(shown)):
                list_at(f"{url(model, 'changelist')}{choice['query_string']}")
                used += 1
    assert used > 200


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_page_of_a_row_opens(browser: Client) -> None:
    pages = {model: browser.get(url(model, "change", first(model).pk)) for model in MODELS}
    assert {model.__name__: page.status_code for model, page in pages.items() if page.status_code != 200} == {}
    assert names(model for model, page in pages.items() if 'value="Save' in page.text and model not in MAY_CHANGE) == []


@pytest.mark.slow
def test_a_row_can_be_added_only_where_that_is_meant(browser: Client) -> None:
    pages = {model: browser.get(url(model, "add"), follow=True).status_code for model in MODELS}
    assert pages == {model: 200 if model in MAY_ADD else 403 for model in MODELS}


@pytest.mark.slow
def test_staff_without_permission_sees_nothing(boss: User) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(maker("visitor"))
    pages = [(url(one, "changelist"), url(one, "change", first(one).pk), url(one, "add")) for one in OURS]
    assert [page for of_one in pages for page in of_one if client.get(page).status_code != 403] == []


def test_a_stranger_is_sent_to_the_login(boss: User) -> None:
    client = Client(raise_request_exception=False)
    sent = {model.__name__: client.get(url(model, "changelist")) for model in OURS}
    login = reverse("admin:login")
    assert {
        name: to.status_code for name, to in sent.items() if not to.headers.get("Location", "").startswith(login)
    } == {}
    assert {to.status_code for to in sent.values()} == {302}


@pytest.mark.slow
def test_a_row_of_the_record_cannot_be_changed_or_deleted(browser: Client) -> None:
    found = {}
    for model in [*READ_ONLY, SettingsVersion]:
        row = model._default_manager.values().earliest("pk")
        pk = row[model._meta.pk.attname]
        changed = browser.post(url(model, "change", pk), {name: "7" for name in row}).status_code
        deleted = browser.post(url(model, "delete", pk), {"post": "yes"}).status_code
        browser.post(url(model, "changelist"), {"action": "delete_selected", "_selected_action": [pk], "post": "yes"})
        kept = model._default_manager.values().filter(pk=pk).first() == row
        found[model.__name__] = (changed, deleted, kept)
    assert found == dict.fromkeys(found, (403, 403, True))


def test_a_row_of_the_record_cannot_be_added(browser: Client) -> None:
    # Each refusal is an event, too.
    before = {model: model._default_manager.count() for model in READ_ONLY if model is not SecurityEvent}
    refused = {model.__name__: browser.post(url(model, "add"), {}).status_code for model in READ_ONLY}
    assert refused == dict.fromkeys(refused, 403)
    assert {model: model._default_manager.count() for model in before} == before


# --- The story ---

OF_AN_IMAGE = ["captions", "mentions", "chains", "boxes", "merged boxes", "known boxes", "gold", "questions"]
STORIES: list[tuple[type[Model], list[str]]] = [
    (Image, [*OF_AN_IMAGE, "judgments", "entries of its record", "transitions", "progress"]),
    (Chain, ["mentions", "boxes", "questions", "judgments", "transitions"]),
    (Question, ["judgments"]),
    (Worker, ["judgments", "assignments", "accesses", "identities", "sessions"]),
    (Assignment, ["judgments"]),
    (Recruitment, ["offers", "sessions", "payments"]),
    (Offer, ["sessions", "payments"]),
    (Session, ["assignments", "payments"]),
    (Identity, ["sessions", "tests reported to the platform"]),
    (Caption, ["mentions"]),
    (Entry, ["moves caused"]),
    (Project, ["images linking", "questions closed", "assignments", "settings versions", "memberships"]),
]


def story_of(client: Client, row: Model) -> dict[str, tuple[int, str]]:
    """Return the count and the address of each link in the story on the row's page, by the name of the part."""
    found = re.findall(
        r'<a [^>]*href="(/admin/[^"]+)">([^<]+): (\d+)</a>', client.get(url(type(row), "change", row.pk)).text
    )
    return {name: (int(count), unescape(address)) for address, name, count in found}


@pytest.mark.slow
def test_a_page_links_to_its_story_with_counts_that_the_lists_confirm(browser: Client, list_at: ListOf) -> None:
    make_story(make_project("another"))  # its rows must not be counted
    for model, parts in STORIES:
        story = story_of(browser, first(model))
        assert {name: count for name, (count, _) in story.items() if count} == dict.fromkeys(parts, 1), model
        listed = {name: list_at(address).result_count for name, (_, address) in story.items()}
        assert {name: listed[name] for name in parts} == dict.fromkeys(parts, 1), model


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


def test_only_pages_that_an_account_may_open_are_named(rf: object) -> None:
    nobody = User.objects.create_user("eve", is_staff=True)
    request = rf.get("/admin/")  # type: ignore[attr-defined]
    request.user = nobody
    named = [page["link"] for group in navigation(request) for page in group["items"]]
    allowed = [model["admin_url"] for app in admin.site.get_app_list(request) for model in app["models"]]
    assert sorted(named) == sorted(allowed)
