"""The pages in a platform's frame, without a request, a session or a row."""

import json
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from annotation.models import Project

PLACE: dict[str, Any] = {
    "project": Project(name="demo", title='A "quoted" <title>', created_at=datetime(2026, 1, 1, tzinfo=UTC)),
    "task": "box_drawing",
    "label": "box drawing",
    "place_word": "HIT",
    "least": 2,
    "reward": 40,
    "currency": "USD",
}
SESSION = PLACE | {
    "bearer": "b",
    "needed": 3,
    "platform": "mturk",
    "quota": 5,
    "finish_url": "https://a.example/submit?a=1&b=2",
}
FIELDS = {"assignmentId": "3\"'<&>", "receipt": "7"}


class Page(HTMLParser):
    """All tags of a page, with their attributes."""

    def __init__(self, template: str, context: dict[str, Any]) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = render_to_string(template, context)
        self.feed(self.text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def with_attribute(self, name: str) -> dict[str, str | None]:
        (found,) = [attributes for _, attributes in self.tags if name in attributes]
        return found


@pytest.mark.parametrize("fields", [FIELDS, json.dumps(FIELDS)])
def test_the_work_page_holds_what_its_script_needs(fields: Any) -> None:
    shown = Page("platforms/work.html", SESSION | {"finish_fields": fields}).with_attribute("data-bearer")
    assert json.loads(shown["data-finish-fields"] or "") == FIELDS
    assert shown["data-finish-url"] == "https://a.example/submit?a=1&b=2"
    assert shown["data-title"] == 'A "quoted" <title>'
    figures = [shown[f"data-{name}"] for name in ("least", "quota", "reward", "currency", "needed", "pays-tests")]
    assert figures == ["2", "5", "40", "USD", "3", "no"]


def test_the_work_page_has_no_home() -> None:
    assert "data-home" not in Page("platforms/work.html", SESSION).with_attribute("data-bearer")


def test_an_offer_that_pays_for_tests_says_so() -> None:
    page = Page("platforms/work.html", SESSION | {"pays_tests": True})
    assert page.with_attribute("data-bearer")["data-pays-tests"] == "yes"


def test_a_preview_shows_the_rule_and_the_pay_and_gives_no_right_to_ask() -> None:
    page = Page("platforms/preview.html", PLACE)
    assert page.with_attribute("data-preview")["data-preview"] == "box_drawing"
    assert "Accept the HIT to begin." in page.text
    assert "$0.40 for 2 short assignments." in page.text
    assert "bearer" not in page.text


def test_a_preview_says_what_a_newcomer_does_first_and_whether_it_is_paid() -> None:
    assert "a short test, which alone is not paid." in Page("platforms/preview.html", SESSION).text
    assert "a short test." in Page("platforms/preview.html", SESSION | {"pays_tests": True}).text
    assert "test" not in Page("platforms/preview.html", PLACE | {"needed": 0}).text


def test_both_pages_say_whether_the_project_asks_what_is_part_of_what() -> None:
    for template, place, element in (("work", SESSION, "bearer"), ("preview", PLACE, "preview")):
        pages = [Page(f"platforms/{template}.html", place | {"part_answers": asks}) for asks in (True, False)]
        assert ["data-part-answers" in one.with_attribute(f"data-{element}") for one in pages] == [True, False]


def test_a_preview_says_how_many_may_follow() -> None:
    assert "up to 5 in all" in Page("platforms/preview.html", SESSION).text
    assert "in all" not in Page("platforms/preview.html", SESSION | {"quota": 2}).text


def test_a_refusal_says_why() -> None:
    text = Page("platforms/closed.html", {"title": "Not here", "message": "This HIT is <over>."}).text
    assert "<h1>Not here</h1>" in text
    assert "This HIT is &lt;over&gt;." in text


@pytest.mark.parametrize("name", ["work", "preview", "closed"])
def test_pages_in_a_frame_lead_nowhere_and_hold_no_code(name: str) -> None:
    page = Page(f"platforms/{name}.html", SESSION | {"title": "Not here", "message": "Over."})
    assert page.all("a") == []
    assert [script["type"] for script in page.all("script") if "src" in script] == ["module"]
    assert all("src" in script for script in page.all("script"))
    assert all("style" not in attributes for _, attributes in page.tags)


pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("platform", ["mturk", "prolific"])
@pytest.mark.parametrize("key", ["%F0%9F%92%A9", "x" * 5000])
def test_an_address_that_names_no_offer_is_not_found(platform: str, key: str, side: Any) -> None:
    assert Client().get(f"/platforms/{platform}/{key}/").status_code == 404
