"""Headers, cookies, pages of errors, and files that a browser loads once and keeps."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.urls import include, path, reverse
from django.utils.html import conditional_escape
from pytest_django.plugin import DjangoDbBlocker
from whitenoise.middleware import WhiteNoiseMiddleware

from accounts.models import Role
from config.help import MARKDOWN, docs_page, page_names
from config.urls import handler500 as handler500  # an address file names it
from tests.support.members import maker, sign_in
from tests.support.places import ROOT
from tests.support.surveys import foil, survey
from tests.support.table import row

pytestmark = pytest.mark.django_db


def test_the_admin_forbids_frames_and_foreign_scripts_and_has_its_own_alone_in_the_page(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    answer = client.get("/admin/")
    policy = answer["Content-Security-Policy"]
    assert answer.status_code == 200 and answer["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in policy and "default-src 'self'" in policy
    assert "script-src 'self' 'unsafe-inline'" in policy and "unsafe-eval" not in policy
    assert "unsafe" not in client.get("/api/schema/")["Content-Security-Policy"]


def test_static_files_are_served_without_a_collecting_step(client: Client) -> None:
    answer = client.get("/static/admin/css/base.css")
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def test_no_script_reads_a_cookie(client: Client) -> None:
    client.post("/work/language/", {"language": "de"})
    client.get("/account/login/")
    User.objects.create_user("ada", password="a long password")
    client.post("/account/login/", {"login": "ada", "password": "a long password"})
    assert {"csrftoken", "sessionid"} <= set(client.cookies)
    assert [name for name, one in client.cookies.items() if not one["httponly"]] == []


def test_what_is_said_once_is_in_no_cookie(client: Client) -> None:
    client.force_login(maker())
    client.post("/account/tokens/7/revoke/")
    assert "messages" not in client.cookies and "You have no such token." in client.get("/account/tokens/").text


@row("/projects/{}/members/")
@row("/projects/{}/workers/")
@row("/projects/{}/money/")
@row("/projects/{}/results/")
@row("/projects/{}/")
@row("/account/tokens/")
@row("/admin/auth/user/")
@row("/api/v1/requester/projects/{}/judgments/")
@row("/api/v1/requester/projects/{}/ledger/")
def test_no_browser_keeps_a_page_that_needs_signing_in(address: str, client: Client, tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0)])
    sign_in(client, project, Role.REQUESTER)
    assert "no-store" in client.get(address.format(project.name))["Cache-Control"]


def test_who_signs_out_leaves_nothing_in_the_browser(client: Client) -> None:
    client.force_login(maker())
    assert not client.get("/work/").has_header("Clear-Site-Data")
    assert client.post("/account/logout/")["Clear-Site-Data"] == '"cache", "storage"'


@row("/healthz")
@row("/metrics")
@row("/account/login/")
@row("/api/schema/")
@row("/api/v1/preferences/")
def test_every_text_names_its_type_and_letters_and_no_address_answers_to_trace(address: str, client: Client) -> None:
    answer = client.get(address, headers={"X-Forwarded-For": "192.0.2.7"})
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "charset=utf-8" in answer["Content-Type"] or answer["Content-Type"] in ("application/json", YAML)
    assert client.trace(address).status_code == 405


def test_a_page_for_everybody_may_be_kept(client: Client) -> None:
    assert not client.get("/api/schema/").has_header("Cache-Control")


@row("/api/v1/preferences/")
@row("/api/v1/requester/projects/")
@row("/platforms/prolific/hook/")
def test_a_program_that_calls_without_encryption_is_refused_and_pages_lead_on(
    address: str, client: Client, settings: Any
):
    settings.SECURE_SSL_REDIRECT = settings.HTTPS = True
    refused = client.get(address, headers={"Authorization": "Token a-secret"})
    assert refused.status_code == 403 and refused.json()["code"] == "https_only" and "Location" not in refused
    assert "make another" in refused.json()["message"]
    assert client.get("/account/login/")["Location"].startswith("https://")


def test_votes_stay_in_no_cache_on_the_way(client: Client, tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0)])
    sign_in(client, project, Role.REQUESTER)
    assert client.get(f"/projects/{project.name}/results/votes.jsonl")["Cache-Control"] == "private, no-store"


YAML = "application/vnd.oai.openapi"


def raising(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(request: HttpRequest) -> HttpResponse:
        raise error

    return view


FAILURES = {"forbidden": PermissionDenied(), "suspicious": SuspiciousOperation(), "broken": RuntimeError("a secret")}
urlpatterns = [
    *(path(f"{name}/", raising(error)) for name, error in FAILURES.items()),
    path("", include("config.urls")),
]
here = pytest.mark.urls(__name__)
STYLED = 'class="sheet"'


@pytest.fixture
def strict_client() -> Client:
    return Client(raise_request_exception=False)


def test_a_page_that_does_not_exist_leads_to_the_start_page(strict_client: Client) -> None:
    answer = strict_client.get("/nowhere/")
    assert answer.status_code == 404
    assert STYLED in answer.text and "This page does not exist" in answer.text
    assert f'href="{reverse("labelling:home")}">Go to the start page' in answer.text
    assert reverse("account_login") in answer.text


def test_a_page_that_does_not_exist_leads_staff_to_projects_and_admin(strict_client: Client) -> None:
    strict_client.force_login(maker("eve"))
    said = strict_client.get("/projects/nobody/").text
    assert f'href="{reverse("gallery:start")}">Go to the projects' in said
    assert f'href="{reverse("admin:index")}">the admin pages' in said


@here
def test_a_forbidden_page_names_the_account_and_leads_to_the_work(strict_client: Client) -> None:
    strict_client.force_login(User.objects.create_user("bob"))
    answer = strict_client.get("/forbidden/")
    assert answer.status_code == 403
    assert STYLED in answer.text and "You are signed in as bob" in answer.text
    assert f'href="{reverse("labelling:home")}">Go to my work' in answer.text


@here
def test_a_form_that_was_open_for_too_long_and_a_request_that_cannot_be_read_are_explained(
    strict_client: Client,
) -> None:
    late = Client(enforce_csrf_checks=True).post(reverse("account_login"), {"login": "ada"})
    odd = strict_client.get("/suspicious/")
    assert (late.status_code, odd.status_code) == (403, 400)
    assert STYLED in late.text and "Your form was not sent" in late.text
    assert STYLED in odd.text and "This request cannot be read" in odd.text


@here
def test_an_unforeseen_error_is_explained_without_the_database(
    strict_client: Client, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.block():
        answer = strict_client.get("/broken/")
    assert answer.status_code == 500
    assert STYLED in answer.text and "Something went wrong here" in answer.text
    assert "secret" not in answer.text


@here
def test_an_unforeseen_error_is_explained_even_if_the_pages_were_not_built(
    strict_client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.FRONTEND = tmp_path
    answer = strict_client.get("/broken/")
    assert (answer.status_code, answer["Content-Type"]) == (500, "text/plain; charset=utf-8")
    assert "Something went wrong here" in answer.text


def _ask(address: str) -> HttpResponse:
    def nothing(request: HttpRequest) -> HttpResponse:
        return HttpResponseNotFound()

    request = RequestFactory().get(address, HTTP_ACCEPT_ENCODING="gzip")
    response: HttpResponse = WhiteNoiseMiddleware(nothing)(request)
    response.close()
    return response


@pytest.fixture
def built(settings: Any) -> list[str]:
    """Return the addresses of all files that were built for the labelling pages, which are listed as in a service."""
    settings.WHITENOISE_AUTOREFRESH = False
    manifests = [settings.FRONTEND / ".vite" / f"{name}.json" for name in ("work", "survey")]
    made = [part for path in manifests for part in json.loads(path.read_text(encoding="utf-8")).values()]
    files = [file for part in made for file in (part["file"], *part.get("css", []))]
    assert files
    return [f"/static/app/{file}" for file in files]


@pytest.fixture
def collected(settings: Any, tmp_path: Path) -> None:
    """Collect the built files as a server does."""
    backend = "whitenoise.storage.CompressedManifestStaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": backend}}
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path
    settings.WHITENOISE_USE_FINDERS = False
    call_command("collectstatic", interactive=False, verbosity=0)


def _is_kept(response: HttpResponse) -> bool:
    return response.status_code == 200 and "immutable" in response.headers["Cache-Control"]


def test_a_browser_keeps_what_an_embedded_service_sends_and_gets_it_packed(built: list[str]) -> None:
    answers = {address: _ask(address) for address in built}
    packed = {address for address, answer in answers.items() if answer.headers.get("Content-Encoding") == "gzip"}
    assert [address for address, answer in answers.items() if not _is_kept(answer) or address not in packed] == []


def test_pages_and_replies_to_programs_are_packed_and_a_download_is_not(client: Client, tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0)])
    sign_in(client, project, Role.REQUESTER)
    accepts = {"Accept-Encoding": "gzip"}
    for address in (f"/projects/{project.name}/money/", f"/api/v1/requester/projects/{project.name}/settings/"):
        assert client.get(address, headers=accepts)["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in client.get(f"/projects/{project.name}/results/votes.jsonl", headers=accepts)


def test_a_browser_keeps_what_a_server_sends_and_gets_it_packed(collected: None, built: list[str]) -> None:
    answers = {address: _ask(address) for address in built}
    assert [address for address, response in answers.items() if not _is_kept(response)] == []
    assert {response.headers["Content-Encoding"] for response in answers.values()} == {"gzip"}


def test_a_file_that_django_named_by_its_content_is_kept_too(collected: None, settings: Any, tmp_path: Path) -> None:
    named = next(path for path in tmp_path.glob("app/assets/work-*.*.js"))
    assert _is_kept(_ask(f"/static/app/assets/{named.name}"))
    assert not _is_kept(_ask("/static/staticfiles.json"))


@pytest.mark.parametrize("entry", ["work.tsx", "draw.tsx", "survey.tsx", "gallery.ts"])
def test_a_page_names_files_as_their_build_does(collected: None, settings: Any, entry: str) -> None:
    """The late chunk imports the page's script by that name; under another name the script would load twice."""
    made = json.loads((settings.FRONTEND / ".vite" / f"{entry.split('.')[0]}.json").read_text(encoding="utf-8"))
    page = Template("{% load frontend %}{% frontend entry %}").render(Context({"entry": f"src/{entry}"}))
    part = made[f"src/{entry}"]
    assert f'src="/static/app/{part["file"]}"' in page
    for style in part["css"]:
        assert f'href="/static/app/{style}"' in page


def test_every_page_of_the_documentation_opens_and_its_links_lead_to_pages_files_and_headings(client: Client) -> None:
    led = 0
    for name in page_names():
        address = reverse("help:page", args=[name])
        html = client.get(address).content.decode()
        assert f"<title>{conditional_escape(docs_page(name).title)} ·" in html
        for link in re.findall(r'(?:href|src)="((?:/help/|#)[^"?]*)"', html.partition("<article")[2]):
            page, _, anchor = link.partition("#")
            found = re.fullmatch(r"/help/(?:files/(?P<file>.+)|(?P<page>.+)/)", page or address)
            assert found and (found["page"] in page_names() or client.get(page).getvalue()), (
                name,
                link,
            )
            assert not anchor or anchor in {section.anchor for section in docs_page(found["page"]).sections}, link
            led += 1
    assert led > 200


def test_the_documentation_sends_nothing_else_of_the_server_and_its_markdown_cannot_hold_html(client: Client) -> None:
    for path_there in ("../manage.py", "../../manage.py", "index.md", "images", "images/none.png"):
        assert client.get(f"/help/files/{path_there}").status_code == 404
    assert client.get("/help/../manage/").status_code == client.get("/help/none/").status_code == 404
    assert "&lt;script&gt;" in MARKDOWN.render("<script>alert(1)</script>")


def test_a_search_finds_sections_with_all_words_and_says_so_where_there_are_none(client: Client) -> None:
    address = reverse("help:home")
    html = client.get(address, {"q": "Verification QUESTIONS"}).content.decode()
    assert html.index('href="/help/how-to/verification_questions/#') < html.index('href="/help/why/')
    assert "No section holds all these words" in client.get(address, {"q": "zebra <b>"}).content.decode()
    assert "“zebra &lt;b&gt;”" in client.get(address, {"q": "zebra <b>"}).content.decode()


def test_every_page_of_a_project_links_its_own_page_of_the_documentation() -> None:
    base = '{% extends "projects/base.html" %}'
    for template in (ROOT / "projects/templates").rglob("*.html"):
        text = template.read_text()
        linked = re.search(r"{% block help %}(.*?)/?{% endblock %}", text)
        if text.startswith(base):
            assert linked and linked[1] in page_names(), template
