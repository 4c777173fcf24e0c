"""The admin: every page of every model opens, says little to strangers, and changes nothing of the record."""

import re
from collections.abc import Callable
from functools import cache, partial
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import connection, transaction
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import backoffice
from annotation.models import Box, Caption, Chain, Image, Mention, MergedBox, Project
from campaign import models as campaign
from exchange.models import Selection
from members.models import Membership, RequesterToken
from messaging.models import Conversation, Post
from pipeline.models import (
    Assignment,
    Entry,
    Judgment,
    KnownQuestion,
    LedgerEntry,
    Progress,
    Question,
    SettingsVersion,
    Skip,
    Transition,
)
from platforms.models import Counterpart, Identity, Offer, Payment, Recruitment, Screening, Session
from tests.support.kept import Kept
from tests.support.rows import make_project, make_story
from workers.models import Access, Invitation, Message, TrustChange, Worker

pytestmark = pytest.mark.django_db
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
APPS = ("annotation", "members", "workers", "messaging", "pipeline", "platforms", "campaign", "exchange")
OURS = [model for model in MODELS if model._meta.app_label in APPS]
READ_ONLY = [
    Question,
    Assignment,
    Judgment,
    Entry,
    Transition,
    Progress,
    Skip,
    KnownQuestion,
    Chain,
    Box,
    MergedBox,
    Mention,
    Caption,
    Image,
    Recruitment,
    Offer,
    Session,
    Payment,
    Identity,
    Screening,
    Counterpart,
    Post,
    *(campaign.Alert, campaign.AlertChannel, campaign.Delivery, campaign.Figures, campaign.Looked),
    *(
        campaign.ErrorSample,
        campaign.ImportProblem,
        campaign.ImportRun,
        campaign.ModelPrediction,
        campaign.StateChange,
        campaign.Upload,
        campaign.ItemsFile,
    ),
    *(campaign.GoldAnnotation, campaign.GoldImage),
    campaign.CampaignPrediction,
    campaign.Evaluation,
    Selection,
    RequesterToken,
]
MAY_CHANGE = (Project, Worker, User, Group, Access, Invitation, Membership, Conversation)
MAY_ADD = {User, Group, Worker, Access, SettingsVersion, Invitation, Message, TrustChange, LedgerEntry, Membership}


def each(models: list[type[Model]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("model", models, ids=lambda model: model.__name__)


def url(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def make_stories(count: int) -> None:
    Group.objects.create(name="requesters")
    for number in range(count):
        make_story(make_project(f"parks-{number}"))


@pytest.fixture(scope="module")
def stories(django_db_setup: None, django_db_blocker: Any) -> Callable[[int], Kept]:
    """Give the rows of so many stories, which are made once."""
    return cache(lambda count: Kept(django_db_blocker, partial(make_stories, count)))


@pytest.fixture
def image(stories: Callable[[int], Kept], db: None) -> Image:
    stories(1).write()
    return Image.objects.get()


def test_every_model_of_ours_has_exactly_one_page() -> None:
    ours = {model for app in APPS for model in apps.get_app_config(app).get_models()}
    assert ours == set(OURS)
    sources = [file.read_text() for file in Path(backoffice.__file__).parent.rglob("*.py")]
    registered = [name for source in sources for name in re.findall(r"@admin\.register\((\w+)\)", source)]
    assert sorted(registered) == sorted(model.__name__ for model in ours)


def test_a_page_stands_in_the_file_named_after_its_model() -> None:
    files = {"MergedBox": "box", "KnownBox": "box", "Entry": "record", "Transition": "record", "Progress": "record"}
    files |= {"ImportProblem": "import_run", "Upload": "import_run", "ItemsFile": "import_run"}
    for model in OURS:
        expected = files.get(model.__name__, re.sub(r"(?<!^)(?=[A-Z])", "_", model.__name__).lower())
        assert type(admin.site.get_model_admin(model)).__module__.rpartition(".")[2] == expected


@each(MODELS)
def test_the_list_opens_and_shows_its_rows(model: type[Model], image: Image, admin_client: Client) -> None:
    response = admin_client.get(url(model, "changelist"))
    assert response.status_code == 200
    rows = list(response.context["cl"].result_list)
    assert rows
    assert url(model, "change", rows[0].pk) in response.text


@each(MODELS)
def test_the_list_can_be_searched(model: type[Model], image: Image, admin_client: Client) -> None:
    response = admin_client.get(url(model, "changelist"), {"q": "no such thing"})
    assert response.status_code == 200
    assert not response.context["cl"].result_list


@each(MODELS)
def test_every_filter_of_the_list_can_be_used(model: type[Model], image: Image, admin_client: Client) -> None:
    shown = admin_client.get(url(model, "changelist")).context["cl"]
    for spec in shown.filter_specs:
        for choice in list(spec.choices(shown)):
            assert admin_client.get(url(model, "changelist") + choice["query_string"]).status_code == 200


@each(MODELS)
def test_the_page_of_a_row_opens(model: type[Model], image: Image, admin_client: Client) -> None:
    row = model._default_manager.earliest("pk")
    response = admin_client.get(url(model, "change", row.pk))
    assert response.status_code == 200
    assert 'value="Save' not in response.text or model in MAY_CHANGE


@each(MODELS)
def test_a_row_can_be_added_only_where_that_is_meant(model: type[Model], image: Image, admin_client: Client) -> None:
    response = admin_client.get(url(model, "add"), follow=True)
    assert response.status_code == (200 if model in MAY_ADD else 403)


@each(OURS)
def test_staff_without_permission_sees_nothing(model: type[Model], image: Image, client: Client) -> None:
    client.force_login(User.objects.create_user("visitor", is_staff=True))
    row = model._default_manager.earliest("pk")
    for page in (url(model, "changelist"), url(model, "change", row.pk), url(model, "add")):
        assert client.get(page).status_code == 403


@each(OURS)
def test_a_stranger_is_sent_to_the_login(model: type[Model], client: Client) -> None:
    response = client.get(url(model, "changelist"))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("admin:login"))


@each([*READ_ONLY, SettingsVersion])
def test_a_row_of_the_record_cannot_be_changed_or_deleted(
    model: type[Model], image: Image, admin_client: Client
) -> None:
    row = model._default_manager.values().earliest("pk")
    pk = row[model._meta.pk.attname]
    changed = {name: "7" for name in row}
    assert admin_client.post(url(model, "change", pk), changed).status_code == 403
    assert admin_client.post(url(model, "delete", pk), {"post": "yes"}).status_code == 403
    several = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
    admin_client.post(url(model, "changelist"), several)
    assert model._default_manager.values().earliest("pk") == row


@each(READ_ONLY)
def test_a_row_of_the_record_cannot_be_added(model: type[Model], image: Image, admin_client: Client) -> None:
    before = model._default_manager.count()
    assert admin_client.post(url(model, "add"), {}).status_code == 403
    assert model._default_manager.count() == before


def queries_of_list(model: type[Model], client: Client) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url(model, "changelist")).status_code == 200
    return len(queries)


@each(OURS)
def test_a_longer_list_needs_no_more_queries(model: type[Model], stories: Callable[[int], Kept]) -> None:
    few, many = stories(5), stories(20)  # before the transaction that each is written in and undone
    needed = []
    for kept in (few, many):
        with transaction.atomic():
            kept.write()
            client = Client()
            client.force_login(User.objects.create_superuser("admin"))
            client.get(url(model, "changelist"))  # fills caches that last, as that of content types
            needed.append(queries_of_list(model, client))
            rows = model._default_manager.count()
            transaction.set_rollback(True)
    assert rows >= 20
    assert needed[0] == needed[1]


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


@pytest.mark.parametrize(("model", "parts"), STORIES, ids=lambda it: getattr(it, "__name__", ""))
def test_a_page_links_to_its_story_with_counts_that_the_lists_confirm(
    model: type[Model], parts: list[str], image: Image, admin_client: Client
) -> None:
    make_story(make_project("another"))  # its rows must not be counted
    story = story_of(admin_client, model._default_manager.earliest("pk"))
    assert {name: count for name, (count, _) in story.items() if count} == dict.fromkeys(parts, 1)
    for _, address in story.values():
        assert admin_client.get(address).status_code == 200
    for name in parts:
        assert admin_client.get(story[name][1]).context["cl"].result_count == 1, name
