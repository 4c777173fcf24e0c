"""Scripts and styles of the pages: whoever serves them, a browser loads each once, and keeps it."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.template import Context, Template
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

pytestmark = pytest.mark.django_db


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


def test_a_browser_keeps_what_an_embedded_service_sends(built: list[str]) -> None:
    assert [address for address in built if not _is_kept(_ask(address))] == []


def test_a_browser_keeps_what_a_server_sends_and_gets_it_packed(collected: None, built: list[str]) -> None:
    answers = {address: _ask(address) for address in built}
    assert [address for address, response in answers.items() if not _is_kept(response)] == []
    assert {response.headers["Content-Encoding"] for response in answers.values()} == {"gzip"}


def test_a_file_that_django_named_by_its_content_is_kept_too(collected: None, settings: Any, tmp_path: Path) -> None:
    named = next(path for path in tmp_path.glob("app/assets/work-*.*.js"))
    assert _is_kept(_ask(f"/static/app/assets/{named.name}"))
    assert not _is_kept(_ask("/static/staticfiles.json"))


@pytest.mark.parametrize("entry", ["work.tsx", "survey.tsx", "gallery.ts"])
def test_a_page_names_files_as_their_build_does(collected: None, settings: Any, entry: str) -> None:
    """The late chunk imports the page's script by that name; under another name the script would load twice."""
    made = json.loads((settings.FRONTEND / ".vite" / f"{entry.split('.')[0]}.json").read_text(encoding="utf-8"))
    page = Template("{% load frontend %}{% frontend entry %}").render(Context({"entry": f"src/{entry}"}))
    part = made[f"src/{entry}"]
    assert f'src="/static/app/{part["file"]}"' in page
    for style in part["css"]:
        assert f'href="/static/app/{style}"' in page
