"""The section *Data card* of the page Data: what a requester tells, kept and shown again."""

from django.test import Client

from annotation.models import Project

PAGE, CARD = "/projects/ours/data/", "/projects/ours/data/card/"


def test_what_is_told_is_kept_shown_again_and_taken_back(requester: Client, draft: Project) -> None:
    assert "Describe the data set" in requester.get(PAGE).content.decode()
    told = {"card-license": "CC-BY-4.0", "card-creators": "Ada <ada@example.org>\r\nBob", "card-unknown": "x"}
    page = requester.post(CARD, told, follow=True).content.decode()
    draft.refresh_from_db()
    assert draft.data_card == {"license": "CC-BY-4.0", "creators": "Ada <ada@example.org>\r\nBob"}
    assert "2 of 12 fields given" in page and "Ada &lt;ada@example.org&gt;" in page
    requester.post(CARD, {"card-license": " "})
    draft.refresh_from_db()
    assert draft.data_card == {}


def test_a_text_that_is_too_long_is_shown_again_with_the_reason(requester: Client, draft: Project) -> None:
    page = requester.post(CARD, {"card-license": "x" * 301, "card-uses": "Research."}).content.decode()
    assert "at most 300 characters (it has 301)" in page and "Research." in page
    draft.refresh_from_db()
    assert draft.data_card == {}
