"""The admin's pages of single rows: their links to each other, drawings, and workers' text."""

from typing import Any

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from annotation.models import Box, Chain, Image, Mention
from pipeline.models import Assignment, Entry, Judgment, Question
from tests.support.rows import make_project, make_story, make_worker

pytestmark = pytest.mark.django_db


def url(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture
def image(db: None) -> Image:
    make_story(make_project("parks"))
    return Image.objects.get()


@pytest.mark.parametrize("model", [Mention, Box, Question])
def test_a_row_that_names_a_chain_links_to_it(model: type[Model], image: Image, admin_client: Client) -> None:
    link = f'href="{url(Chain, "change", image.chains.get().pk)}">chain 0</a>'
    assert link in admin_client.get(url(model, "changelist")).text
    assert link in admin_client.get(url(model, "change", model._default_manager.get().pk)).text


def test_a_row_whose_chain_is_gone_says_so(image: Image, admin_client: Client) -> None:
    image.chains.all().delete()
    assert "chain 0 (gone)" in admin_client.get(url(Box, "changelist")).text


def test_the_page_of_a_question_shows_its_judgments(image: Image, admin_client: Client) -> None:
    judgment = Judgment.objects.get()
    page = admin_client.get(url(Question, "change", judgment.question_id)).text
    assert f'href="{url(Judgment, "change", judgment.pk)}">{judgment.worker}: good</a>' in page


def test_the_page_of_a_judgment_leads_to_its_line_of_the_record(image: Image, admin_client: Client) -> None:
    judgment = Judgment.objects.get()
    assert url(Entry, "change", judgment.entry.pk) in admin_client.get(url(Judgment, "change", judgment.pk)).text
    Entry.objects.all().delete()
    assert "it has not acted" in admin_client.get(url(Judgment, "change", judgment.pk)).text


def test_the_page_of_an_image_draws_its_boxes_in_pixels(image: Image, admin_client: Client) -> None:
    page = admin_client.get(url(Image, "change", image.pk)).text
    assert 'viewBox="0 0 120 80"' in page
    assert '<rect x="10" y="10" width="30" height="60"' in page
    assert "<title>box 0, chain 0, pending</title>" in page


def test_text_of_a_worker_is_shown_as_text(image: Image, admin_client: Client) -> None:
    question = Question.objects.get(judgments=Judgment.objects.get())
    worker = make_worker(name="<script>alert(1)</script>")
    Judgment.objects.create(
        question=question,
        worker=worker,
        assignment=Assignment.objects.get(),
        answer="<b>good</b>",
        created_at=question.opened_at,
    )
    for page in (url(Judgment, "changelist"), url(Question, "change", question.pk)):
        shown = admin_client.get(page).text
        assert "&lt;script&gt;alert(1)" in shown
        assert "<script>alert(1)" not in shown
        assert "<b>good" not in shown
