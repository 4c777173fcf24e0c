"""Markup in every text that people, files or other services bring: no page may take it for its own.
Addresses of the service that lead to rows of ours.
Permissions on rows: the admin pages of every model, by role, for viewing, changing, adding, deleting and actions.
Access to every address of the service, by GET and POST: for the least who gets in, and the greatest who does not.
Money, rights, deletion and every change on the admin pages ask for the password once more.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F, Model, Value
from django.db.models.functions import Concat
from django.http import HttpRequest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.members import add_member
from accounts.models import MemberInvitation, Membership, RequesterToken, Right, RightKind, Role, Scope
from accounts.requester_tokens import make_requester_token
from annotation.models import Project
from labelling.models import Conversation, OutgoingMail
from pipeline.models import Assignment, Question
from pipeline.project.settings_versions import open_project
from platforms.models import Offer, Recruitment
from projects.models import AlertChannel, Delivery, ErrorSample, Run
from tests.accounts.addresses import EVERY_ADDRESS
from tests.support.everybody import (
    ACTORS,
    ADMIN,
    ALL,
    LOOK,
    MAKER,
    MANAGE,
    NOBODY,
    RECORD,
    SIGNED_IN,
    Place,
    answer,
    expected,
    gets_in,
    quick,
)
from tests.support.main_buttons import main_buttons
from tests.support.members import with_rights
from tests.support.table import row
from workers.models import Invitation, Message, Worker, WorkerSignal

pytestmark = pytest.mark.django_db


MARKUP = '"><i hostile>'
TEXTS = frozenset(
    {
        "acceptance_reason", "actor", "added_by", "category", "comment", "contact", "dismissed_by", "doubted",
        "explanation", "file", "first_name", "image", "last_error", "made_by", "message", "name", "note", "problem",
        "purpose", "reason", "requester", "review", "source", "started_by", "text", "title", "words",
    }
)  # fmt: skip
ADDRESSES = frozenset({"annotation.Project.name", "projects.Figures.name"})
"""Names that stand in addresses, and name no content."""


def put_markup_everywhere() -> set[str]:
    """Append the markup to the texts of all rows, and return the fields that have it: APP.MODEL.FIELD.

    Rows that may only be added are changed, too, within `rows_may_change`. Texts that a constraint wants empty stay so.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
    changed = set()
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            name = f"{model._meta.label}.{field.name}"
            text = isinstance(field, models.CharField | models.TextField) and not field.choices
            if text and field.name in TEXTS and name not in ADDRESSES and _append(model, field.name):
                changed.add(name)
    return changed


@contextmanager
def rows_may_change() -> Iterator[None]:
    """Leave out SQLite's triggers of rows that may only be added; to be entered before the transaction of a test.

    A transaction that drops a trigger itself reads the whole schema again after each of its savepoints.
    """
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            for _, sql in triggers:
                cursor.execute(sql)


def _append(model: type[models.Model], field: str) -> bool:
    try:
        with transaction.atomic():
            return bool(model._default_manager.update(**{field: Concat(F(field), Value(MARKUP))}))
    except IntegrityError:
        return False


def values_in_addresses(place: Place) -> dict[str, object]:
    """Return a value of ours for each name that a route has, but for those that hang on the route."""
    recruitment = Recruitment.objects.get()
    only = {
        "message_id": Message,
        "conversation_id": Conversation,
        "conversation": Conversation,
    }
    only |= {"channel": AlertChannel, "invitation": Invitation, "delivery": Delivery}
    only |= {"sample_id": ErrorSample, "signal": WorkerSignal, "assignment": Assignment}
    runs = dict(Run.objects.values_list("operation", "pk"))
    viewer = Membership.objects.get(project=place.project, role="viewer", user__username="viewer")
    return {
        "name": "ours", "project": "ours", "image_id": place.image.pk, "image": place.image.pk, "size": "screen",
        "task": "box_quality", "run_id": runs["begin_import"], "run": runs["begin_import"],
        "evaluation_id": runs["begin_evaluation"],
        "state": "none", "until": 1, "chart": "hours", "uidb36": "1", "record": "0-1", "signature": "x",
        "place": 1, "session": 1, "payment": 1, "question": 1,
        "content_type_id": 1, "app_label": "annotation", "file": "report.json", "url": "nothing/",
        **{name: model._default_manager.get().pk for name, model in only.items()},
        "provider_id": "provider", "path": "images/drawing.png",
        "platform": recruitment.platform, "pk": recruitment.pk, "object_id": recruitment.pk,
        "code": Invitation.objects.get().code, "token": Assignment.objects.get().token,
        "key": Offer.objects.get().key, "project_id": place.project.pk, "member": viewer.pk,
        "worker": Worker.objects.get(accesses__project=place.project).pk,
        "worker_id": Worker.objects.get(accesses__project=place.project).pk,
        "token_id": RequesterToken.objects.latest("pk").pk,
        "question_id": Question.objects.get(image=place.image).pk,
        "id": User.objects.get(username="ada").pk,
    }  # fmt: skip


def address_of(place: Place, route: str, values: dict[str, object]) -> str:
    """Return an address of the route that leads to rows of ours."""
    values = {**values, "export_format": "coco" if "state" in route else "jsonl"}
    if "membership/" in route or "members/" in route:
        invited = MemberInvitation.objects.get()
        values |= {"code": invited.code, "invitation": invited.pk}
    query = "?app_label=workers&model_name=access&field_name=worker" if "autocomplete" in route else ""
    plain = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<\1>", route).replace("^", "").replace("$", "")
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values[found[1]]), plain) + query


# Who sees a row of ours in its list and on its page, who changes it, who adds and who deletes one.
# "O" may add rows to the other project; that ours is not offered there is a test of its own.
READ = (RECORD, NOBODY, NOBODY, NOBODY)
ONLY_READ = {
    "annotation": "Box Caption Chain Image KnownBox Mention MergedBox Project",
    "pipeline": "Assignment Entry Judgment Progress Question Skip Spending SettingsVersion LedgerEntry Transition"
    " LabelDoubt Learned",
    "workers": "TrustChange WorkerSignal SkillEstimate TrustStatus",
    "platforms": "Offer Payment Recruitment Screening Session",
    "projects": "StateChange Run ImportProblem Upload ItemsFile UploadedFile UploadedPiece ErrorSample Figures"
    " Looked ModelPrediction",
    "exchange": "Selection",
    "accounts": "BorrowedPictures",
}
MANAGED = {"projects": "Alert AlertChannel Delivery GoldAnnotation GoldImage", "accounts": "RequesterToken"}
MANAGED |= {"annotation": "Gold", "pipeline": "KnownQuestion", "platforms": "Identity", "workers": "ApiKey"}
MANAGED |= {"labelling": "Conversation Post"}
MODELS: dict[str, tuple[str, str, str, str]] = {
    **{f"{app}.{name}": READ for app, names in ONLY_READ.items() for name in names.split()},
    **{f"{app}.{name}": (MANAGE, NOBODY, NOBODY, NOBODY) for app, names in MANAGED.items() for name in names.split()},
    "accounts.Membership": (MANAGE, MANAGE, ADMIN, MANAGE),
    "accounts.MemberInvitation": (MANAGE, NOBODY, NOBODY, MANAGE),
    "accounts.Right": (ADMIN, NOBODY, NOBODY, ADMIN),
    "accounts.SecurityEvent": (ADMIN, NOBODY, NOBODY, NOBODY),
    "labelling.OutgoingMail": (ADMIN, NOBODY, NOBODY, NOBODY),
    "platforms.Counterpart": (ADMIN, NOBODY, NOBODY, NOBODY),
    "workers.Access": (RECORD, NOBODY, "OQD", MANAGE),
    "workers.Invitation": (MANAGE, MANAGE, "OQD", MANAGE),
    "workers.Message": (MANAGE, NOBODY, NOBODY, MANAGE),
    "workers.Worker": (RECORD, MANAGE, "OQD", NOBODY),
    "usersessions.UserSession": (ADMIN, NOBODY, NOBODY, ADMIN),
    "mfa.Authenticator": (ADMIN, NOBODY, NOBODY, ADMIN),
    "auth.User": (ADMIN, ADMIN, ADMIN, ADMIN),
    "auth.Group": (ADMIN, ADMIN, ADMIN, ADMIN),
}


def of_model(model: type[Model]) -> str:
    return f"admin/{model._meta.app_label}/{model._meta.model_name}/"


def row_of(place: Place, model: type[Model]) -> Model:
    path = getattr(admin.site._registry[model], "project_path", "")
    if path == "pk":
        return place.project
    names = {field.name for field in model._meta.get_fields()}
    rows = model._default_manager.all()
    return (rows.filter(**{path: place.project}) if path.split("__")[0] in names else rows).latest("pk")


def who(place: Place, method: str, address: str) -> set[str]:
    return {one for one in ACTORS if gets_in(answer(place, one, method, address))}


@pytest.mark.slow
def test_a_row_is_seen_changed_and_deleted_only_by_those_in_the_table(place: Place) -> None:
    wrong = []
    for model in admin.site._registry:
        row, start = row_of(place, model), "/" + of_model(model)
        own = f"{start}{row.pk}/"
        sees, changes, adds, deletes = MODELS[model._meta.label]

        def shows(one: str, row: Model = row, start: str = start) -> bool:
            listed = answer(place, one, "GET", start)
            return gets_in(listed) and row in list(listed.context["cl"].result_list)

        with quick(place):
            found = {"list": ({one for one in ACTORS if shows(one)}, sees)}
            for method, address, wanted in (
                ("GET", f"{own}change/", sees),
                ("GET", f"{own}history/", sees),
                ("POST", f"{own}change/", changes),
                ("POST", f"{start}add/", adds),  # the empty form is refused by the same decision
                ("GET", f"{own}delete/", deletes),
            ):
                found[f"{method} {address}"] = (who(place, method, address), wanted)
        for what, (got_in, wanted) in found.items():
            if got_in != expected(wanted):
                wrong.append(f"{model.__name__} {what}: {sorted(got_in)}, not {sorted(expected(wanted))}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_the_pages_that_a_reviewer_sees_can_be_drawn(place: Place) -> None:
    """Those of rows that somebody may change, add or delete: all others are drawn for everybody as for a superuser."""
    drawn = [model for model in admin.site._registry if "R" in MODELS[model._meta.label][0]]
    drawn = [model for model in drawn if any(MODELS[model._meta.label][1:])]
    assert drawn
    for model in drawn:
        for page in ("", f"{row_of(place, model).pk}/change/"):
            assert answer(place, "R", "GET", f"/{of_model(model)}{page}").status_code == 200


@pytest.mark.both_engines
def test_an_action_on_chosen_rows_reaches_only_rows_that_the_member_may_change(place: Place, monkeypatch: Any):
    reached: list[Any] = []

    def note(page: Any, request: HttpRequest, rows: Any) -> None:
        reached.extend(rows)

    monkeypatch.setattr(admin.ModelAdmin, "response_action", note)
    wrong, actions = [], 0
    for model, page in admin.site._registry.items():
        row = row_of(place, model)
        for action in page.actions or ():
            actions += 1
            found = set()
            for one in ACTORS:
                reached.clear()
                with quick(place):
                    chosen = {"action": action, ACTION_CHECKBOX_NAME: [row.pk], "index": 0}
                    answer(place, one, "POST", f"/{of_model(model)}", chosen)
                found |= {one} if row in reached else set()
            if found != set(MODELS[model._meta.label][0] if model is OutgoingMail else MANAGE):
                wrong.append(f"{model.__name__} {action}: {sorted(found)}")
    assert actions and not wrong, "\n".join(wrong)


@pytest.mark.parametrize("model", ["workers_invitation", "workers_access"])
def test_a_form_offers_only_the_projects_that_the_member_manages(place: Place, model: str) -> None:
    form = place.clients["O"].get(reverse(f"admin:{model}_add")).context["adminform"].form
    assert [project.name for project in form.fields["project"].queryset] == ["other"]


PAIRS = {
    ALL: "A", SIGNED_IN: "WA", LOOK: "Vo", RECORD: "Rv", MANAGE: "Qr", ADMIN: "Dq",
    "W": "WD", MAKER: "SQ", NOBODY: "D", "qD": "qQr",
}  # fmt: skip
"""The least actor who gets in, and the greatest who does not. Where a row lets in others, all actors are asked."""
OF_A_ROW = ("<path:object_id>/history/", "<path:object_id>/delete/", "<path:object_id>/change/", "<path:object_id>/")
PAGES = ("", "add/", *OF_A_ROW)


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield "admin/^(?P<app_label>APPS)/$" if "app_label" in route else route


def test_every_address_has_a_row_in_the_table() -> None:
    of_models = {of_model(model) + page for model in admin.site._registry for page in PAGES}
    assert set(routes(get_resolver().url_patterns)) - of_models == set(EVERY_ADDRESS)
    assert {model._meta.label for model in admin.site._registry} == set(MODELS)


@pytest.fixture(scope="module")
def changeable(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rows_may_change():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("changeable")
def test_everybody_gets_in_where_the_table_says_and_no_page_takes_a_text_for_markup(place: Place) -> None:
    def gets_there(one: str, method: str, address: str, wanted: str) -> bool:
        # Pages of the requester and of the worker are drawn as a whole, and what they are told where nobody gets in.
        with nullcontext() if one in "QW" and one in (wanted or "QW") else quick(place):
            found = answer(place, one, method, address)
        if "html" in found.get("Content-Type", "") and MARKUP in found.text:
            wrong.append(f"{method} {address}: {found.text[max(0, found.text.index(MARKUP) - 200) :][:250]}")
        return gets_in(found)

    wrong, values = [], values_in_addresses(place)
    assert {"annotation.Image.name", "pipeline.Judgment.comment", "pipeline.Entry.reason"} <= put_markup_everywhere()
    for route, allowed in EVERY_ADDRESS.items():
        address = address_of(place, route, values)
        for method, wanted in zip(("GET", "POST"), allowed, strict=True):
            if wanted != "-":
                # Pages show most to the requester and to the worker: no page may take a text for markup there.
                asked = {*PAIRS[wanted]} | ({*"QW"} & {*(wanted or "QW")}) if wanted in PAIRS else {*ACTORS}
                found = {one for one in asked if gets_there(one, method, address, wanted)}
                if found != expected(wanted) & asked:
                    wrong.append(f"{method} {route}: {sorted(found)}, not {sorted(expected(wanted) & asked)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_no_row_is_shown_at_the_address_of_another_project_that_somebody_manages_too(place: Place) -> None:
    values = values_in_addresses(place)
    others = {route: re.sub("<slug:(name|project)>", "other", route) for route in EVERY_ADDRESS if "<int:" in route}
    asked = [address_of(place, other, values) for route, other in others.items() if other != route]
    assert asked and not [address for address in asked if gets_in(answer(place, "q", "GET", address))]


@pytest.mark.slow
def test_no_page_has_two_main_buttons(place: Place) -> None:
    """The main button is the next step."""
    values, found = values_in_addresses(place), {}
    for route, (allowed, _) in EVERY_ADDRESS.items():
        address = address_of(place, route, values)
        for one in sorted({*"AWQ"} & expected(allowed)):
            page = answer(place, one, "GET", address)
            if "html" in page.get("Content-Type", ""):
                found[one, address] = main_buttons(page.text)
    assert {address: names for address, names in found.items() if len(names) > 1} == {}
    assert sum(map(len, found.values())) > len(found) / 4, "the pages that were read have main buttons"


def test_who_has_every_right_and_no_membership_sees_no_project(place: Place) -> None:
    own = r'"(/api/v1/requester)?/projects/(new/(survey/)?|new-project/[a-z]+/)?"'  # where a project is made
    assert "/projects/" not in re.sub(own, "", place.clients["S"].get("/").text)
    assert not Membership.objects.filter(user__username="staff").exists()


def test_where_the_gallery_is_public_anybody_looks_and_nobody_changes(place: Place, settings: Any) -> None:
    settings.GALLERY_PUBLIC = True
    image = f"/projects/ours/images/{place.image.pk}/"
    for actor in ("A", "W", "S", "O"):
        assert gets_in(answer(place, actor, "GET", image))
        assert not gets_in(answer(place, actor, "POST", f"/api/v1/requester/projects/ours/review/{place.image.pk}/"))
        assert answer(place, actor, "GET", "/projects/ours/export/jsonl/").status_code == 403


PASSWORD, ASK = "engine and loom", "/account/reauthenticate/"


@pytest.fixture
def project() -> Project:
    return open_project(name="birds")


@pytest.fixture
def rita(project: Project, client: Client) -> Client:
    """The browser of a requester who has a password and every right, and who is an administrator."""
    rita = User.objects.create_superuser("rita", password=PASSWORD)
    add_member(with_rights(rita), project, Role.REQUESTER)
    client.force_login(rita)
    return client


@row("/projects/birds/workers/1/pay/")
@row("/projects/birds/workers/1/bonus/")
@row("/projects/birds/workers/1/assignments/")
@row("/projects/birds/recruit/prolific/offer/")
@row("/projects/birds/recruit/prolific/pay/")
@row("/projects/birds/recruit/prolific/payments/")
@row("/projects/birds/recruit/prolific/sessions/")
@row("/projects/birds/members/")
@row("/projects/birds/members/1/")
@row("/projects/birds/delete/")
@row("/account/rights/")
@row("/account/tokens/")
@row("/account/2fa/totp/activate/")
@row("/account/2fa/webauthn/add/")
@row("/account/email/")
@row("/admin/auth/user/add/")
@row("/admin/accounts/right/")
def test_the_password_is_asked_for_before(address: str, rita: Client) -> None:
    assert rita.post(address, {"action_add": "yes", "email": "new@example.org"})["Location"].startswith(ASK)


def change_role(browser: Client, member: Membership, **headers: str) -> Any:
    address = f"/api/v1/requester/projects/birds/members/{member.pk}/"
    return browser.patch(address, {"role": "reviewer"}, "application/json", headers=headers)


def test_a_call_from_a_browser_is_refused_before_the_password(rita: Client, project: Project) -> None:
    eve = add_member(User.objects.create_user("eve"), project, Role.VIEWER)
    answer = change_role(rita, eve)
    assert (answer.status_code, answer.json()["code"]) == (403, "password_needed")
    assert Membership.objects.get(pk=eve.pk).role == "viewer"
    page = f"/projects/birds/members/{eve.pk}/"
    rita.post(rita.post(page, {"role": "viewer"})["Location"], {"password": PASSWORD, "next": page})
    assert change_role(rita, eve).status_code == 200
    assert Membership.objects.get(pk=eve.pk).role == "reviewer"


def test_a_token_needs_no_password(rita: Client, project: Project) -> None:
    eve = add_member(User.objects.create_user("eve"), project, Role.VIEWER)
    key = make_requester_token(User.objects.get(username="rita"), name="script", scopes=[Scope.READ, Scope.WRITE])
    assert change_role(Client(), eve, authorization=f"Token {key}").status_code == 200


def test_what_was_sent_is_done_after_the_password_and_not_after_a_wrong_one(rita: Client, project: Project) -> None:
    eve = add_member(User.objects.create_user("eve"), project, Role.VIEWER)
    address = f"/projects/birds/members/{eve.pk}/"
    asked = rita.post(address, {"role": "reviewer"})["Location"]
    assert rita.post(asked, {"password": "wrong", "next": address}).status_code == 200
    assert Membership.objects.get(pk=eve.pk).role == "viewer"
    rita.post(asked, {"password": PASSWORD, "next": address})
    assert Membership.objects.get(pk=eve.pk).role == "reviewer"
    rita.post(address, {"role": "viewer"})
    assert Membership.objects.get(pk=eve.pk).role == "viewer", "once in a quarter of an hour is enough"


def test_a_change_on_the_admin_pages_is_done_after_the_password(rita: Client) -> None:
    right = Right.objects.get(kind=RightKind.ADMIN)
    address = f"/admin/accounts/right/{right.pk}/delete/"
    asked = rita.post(address, {"post": "yes"})["Location"]
    rita.post(asked, {"password": PASSWORD, "next": address})
    assert not Right.objects.filter(pk=right.pk).exists()


def test_who_has_neither_password_nor_factor_is_not_asked(project: Project, client: Client) -> None:
    rita = User.objects.create_user("rita")
    add_member(rita, project, Role.REQUESTER)
    client.force_login(rita)
    page = "/projects/birds/members/"
    assert client.post(page, {"to": "eve", "role": "viewer"})["Location"] == page
