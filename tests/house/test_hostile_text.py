"""Text, numbers and requests that no person types and no page sends: refused before either database sees them."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import Role
from annotation.models import Project
from pipeline.project.settings_versions import open_project
from projects.models import GoldImage
from tests.support.api import ApiWorker
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of, worker
from tests.support.rows import make_project, make_story
from tests.support.table import row
from workers.invitations import worker_for
from workers.models import Invitation, Message, Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("eve"))
    return client


@pytest.mark.parametrize(
    "address",
    ["/projects/parks/?words=%00", "/?%00=1", "/join/a%00b/", "/admin/workers/worker/?q=%00", "/work/%00/", "/x%00"],
)
def test_a_nul_in_an_address_is_refused(staff: Client, address: str) -> None:
    make_story(make_project())
    answer = staff.get(address)
    assert answer.status_code == 400 and "This request cannot be read" in answer.text


def test_a_nul_in_a_form_is_refused_and_in_an_address_of_the_api_as_a_program_reads_it(client: Client) -> None:
    answer = client.post("/api/v1/requester/projects/parks/files/?path=a%00b")
    assert answer.status_code == 400
    assert answer.json() == {"code": "invalid", "message": "The address contains a NUL character."}
    assert client.post("/account/login/", {"login": "a\0b", "password": "x"}).status_code == 400
    form = {"login": "ab", "password": "x\0"}  # pragma: allowlist secret
    assert client.post("/account/login/", form).status_code == 400


class TestTheApi:
    @pytest.fixture
    def ada(self, client: Client) -> ApiWorker:
        return ApiWorker(client, worker(project_of(phrases("animals: a dog")), "ada"))

    def send(self, ada: ApiWorker, body: str) -> tuple[int, Any]:
        headers = {"authorization": ada.authorization}
        answer = ada.client.post(
            "/api/v1/projects/small/assignments/", body, content_type="application/json", headers=headers
        )
        return answer.status_code, answer.json()

    @row("[" * 100_000, "nested too deeply")
    @row("[" * 900 + "]" * 900, "nested too deeply")
    @row('{"a":' * 50 + "1" + "}" * 50, "more than 40 levels")
    @row('{"task": "\\ud800"}', "not valid Unicode")
    @row('{"\\udfff": 1}', "not valid Unicode")
    @row('{"task": ' + "9" * 30 + "}", "more than 18 digits")
    @row('{"task": ' + "9" * 10_000 + "}", "more than 18 digits")
    @row('{"task": NaN}', "NaN is not a number")
    @row("\\ud800", "not JSON")
    def test_json_that_cannot_be_kept_is_refused_in_words(self, body: str, words: str, ada: ApiWorker) -> None:
        status, refusal = self.send(ada, body)
        assert (status, refusal["code"]) == (400, "invalid") and words in refusal["message"]

    def test_bytes_that_are_no_text_are_refused_in_words(self, ada: ApiWorker) -> None:
        assert self.send(ada, b"\xff\xfe{}")[0] == 400  # type: ignore[arg-type]

    def test_many_brackets_side_by_side_are_fine(self, ada: ApiWorker) -> None:
        status, refusal = self.send(ada, '{"task": [' + ",".join(["[1]"] * 60) + "]}")
        assert status == 400 and "nested" not in refusal["message"]


@pytest.mark.parametrize("back", ["nowhere", "no:such", "x" * 5_000, "//evil.example/", "javascript:1", ""])
def test_a_message_is_read_wherever_the_form_says_to_go_back_to(client: Client, back: str) -> None:
    user = User.objects.create_user("ada")
    client.force_login(user)
    message = Message.objects.create(worker=worker_for(user), text="hello")
    answer = client.post(f"/work/messages/{message.pk}/read/", {"back": back})
    assert (answer.status_code, answer["Location"]) == (302, "/work/")
    message.refresh_from_db()
    assert message.read_at


def test_a_number_of_five_thousand_digits_is_no_chain(staff: Client) -> None:
    image = project_of(phrases("animals: a dog")).images.get()
    assert staff.get(f"/projects/small/images/{image.pk}/?chain={'9' * 5_000}").status_code == 200


def test_a_name_that_postgresql_would_not_take_makes_no_project(tmp_path: Path) -> None:
    for name in ("x" * 200, "a b", "a\0b", ""):
        with pytest.raises(ValidationError):
            open_project(name=name)
        with pytest.raises(CommandError, match="write letters a to z, digits"):
            call_command("import_dataset", name, str(tmp_path))
    with pytest.raises(ValidationError):
        open_project(name="parks", title="x" * 201)
    assert not Project.objects.exists()


@pytest.mark.parametrize("name", ["x" * 3_000, "", "a\0b", "a\nb"])
def test_a_name_that_postgresql_would_not_take_makes_no_worker(name: str) -> None:
    make_project()
    with pytest.raises(CommandError, match="1 to 100 printable characters"):
        call_command("make_api_key", name, project="parks")
    assert not Worker.objects.exists()


@pytest.mark.parametrize(
    "options", [{"most": 99_999_999_999}, {"days": float("nan")}, {"days": 1e300}, {"note": "x" * 201}], ids=str
)
def test_an_invitation_of_absurd_size_is_refused_in_one_sentence(options: dict[str, Any]) -> None:
    make_project()
    with pytest.raises(CommandError, match=f"--{next(iter(options))}"):
        call_command("invite", "parks", **options)
    assert not Invitation.objects.exists()


NESTED = "[" * 100_000


@pytest.fixture
def project(client: Client) -> Project:
    made = project_of(phrases("people: a man", "people: the guy"))
    sign_in(client, made, Role.REQUESTER, "rita")
    return made


@pytest.mark.parametrize("name", ["preview_act", "workbench", "gold_annotation", "change_type"])
def test_json_that_is_nested_a_hundred_thousand_times_is_refused(client: Client, project: Project, name: str) -> None:
    image = project.images.get()
    if name == "gold_annotation":
        GoldImage.objects.create(image=image, place=0, annotators=1)
    args = [project.name] if name == "change_type" else [project.name, image.pk]
    answer = client.post(reverse(f"requester_api:{name}", args=args), NESTED, content_type="application/json")
    assert answer.status_code == 400


def test_settings_whose_terms_are_nested_are_refused(client: Client, project: Project) -> None:
    address = reverse("projects:settings", args=[project.name])
    for field in ("terms_before", "draft"):
        assert client.post(address, {field: NESTED, "step": "save"}).status_code < 500


@row({"action": "rechunk", "remove": [], "add": [[0, [1], 2]]})
@row({"action": "rechunk", "remove": [[1]], "add": [[0, 1, 2]]})
@row({"action": "rechunk", "remove": "x", "add": [1, None]})
def test_phrases_in_odd_rows_are_refused(action: dict[str, Any], client: Client, project: Project) -> None:
    address = reverse("requester_api:preview_act", args=[project.name, project.images.get().pk])
    answer = client.post(address, json.dumps({"action": action}), content_type="application/json")
    assert answer.status_code == 400 and answer.json()["message"]


def test_no_action_of_the_admin_fails_for_a_row_that_cannot_be(rf: RequestFactory, admin_client: Client) -> None:
    request = rf.get("/")
    request.user = User.objects.get(username="admin")
    tried = 0
    for model, of_model in admin.site._registry.items():
        for action in of_model.get_actions(request):
            address = reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")
            answer = admin_client.post(address, {"action": action, ACTION_CHECKBOX_NAME: "NaN", "index": "0"})
            assert answer.status_code < 500, (model, action)
            tried += 1
    assert tried > 9
