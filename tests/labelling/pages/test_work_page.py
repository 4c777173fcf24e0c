"""The labelling page before its script runs: what it hands to the script, what it loads, and to whom it is shown."""

import json
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from labelling.models import SignIn
from pipeline.project.settings_versions import change_settings, current_settings
from workers.change_preferences import change_preferences
from workers.grant_access import grant_access
from workers.models import Access, Worker
from workers.page_token import read_page_token
from workers.preferences import Preferences

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def built(settings: Any, tmp_path: Any) -> None:
    """As if the front end were built: what the page asks for is looked at, not run."""
    settings.FRONTEND = tmp_path
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "work.json").write_text('{"src/work.tsx": {"file": "work.js", "css": ["work.css"]}}')
    (tmp_path / ".vite" / "gallery.json").write_text('{"src/gallery.ts": {"file": "g.js"}}')


def test_says_what_the_script_needs_to_know(client: Client, ada: Worker) -> None:
    Project.objects.update(title='Dogs "and" men')
    text = client.get("/work/parks/box_drawing/").text
    root = text[text.index('<div id="work"') :]
    values = dict(pair.split('="') for pair in root[: root.index('">')].split('" data-')[1:])
    bearer = values.pop("bearer")
    assert json.loads(unescape(values.pop("preferences"))) == Preferences().to_json()
    assert read_page_token(bearer) == (ada.id, None, SignIn.objects.get().pk)
    assert values == {
        "project": "parks",
        "title": "Dogs &quot;and&quot; men",
        "task": "box_drawing",
        "api": "/api/v1",
        "home": "/work/parks/",
        "needed": "7",
        "met": "no",
        "draw-by": "drag",
    }


@pytest.mark.both_engines
def test_tells_how_this_worker_and_this_project_draw(client: Client, ada: Worker) -> None:
    change_preferences(worker_id=ada.id, changes={"draw_by": "extreme points"})
    project = Project.objects.get()
    change_settings(project_id=project.id, settings=replace(current_settings(project.id)[1], draw_by="two clicks"))
    context = client.get("/work/parks/box_drawing/").context
    assert json.loads(context["preferences"])["draw_by"] == "extreme points"
    assert context["draw_by"] == "two clicks"


def test_tells_whether_the_project_asks_what_is_part_of_what(client: Client, ada: Worker) -> None:
    project = Project.objects.get()
    said = []
    for asks in (False, True):
        change_settings(project_id=project.id, settings=replace(current_settings(project.id)[1], part_answers=asks))
        said.append(" data-part-answers " in client.get("/work/parks/box_drawing/").text)
    assert said == [False, True]


def test_asks_for_nothing_but_the_style_and_the_script(client: Client, ada: Worker) -> None:
    text = client.get("/work/parks/box_drawing/").text
    assert text.count('href="data:image/svg+xml,') == 1
    assert (text.count("<link"), text.count("<script"), text.count("src=")) == (2, 1, 1)
    assert "style=" not in text


def test_is_not_shown_without_access(client: Client, ada: Worker) -> None:
    grant_access(ada, Project.objects.get().pk, ["box_quality"])
    Access.objects.filter(worker=ada, task="box_drawing").delete()
    response = client.get("/work/parks/box_drawing/", follow=True)
    assert response.redirect_chain == [("/work/parks/", 302)]
    assert "You have no access to box drawing here." in response.text


@pytest.mark.parametrize("address", ["/work/parks/dancing/", "/work/nowhere/box_drawing/"])
def test_is_not_found_for_what_there_is_not(client: Client, ada: Worker, address: str) -> None:
    assert client.get(address).status_code == 404
