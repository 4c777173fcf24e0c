"""Errors in a sample of finished images are counted, and reported as shares with intervals."""

import csv

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Chain, Image, Project
from campaign.models import ErrorSample
from campaign.review.error_sample import KINDS, SampleError, draw_sample, note_errors, report
from workers.rules.share import wilson_interval

pytestmark = pytest.mark.django_db


def test_the_same_seed_draws_the_same_images(drawn: Project) -> None:
    first, again = (draw_sample(drawn, size=2, seed=7) for _ in range(2))
    assert first.images == again.images and len(first.images) == 2
    orders = {tuple(draw_sample(drawn, size=2, seed=seed).images) for seed in range(12)}
    assert len(orders) == 2, "another seed, another order"


def test_only_finished_images_are_drawn(drawn: Project) -> None:
    drawn.images.update(state="boxing")
    with pytest.raises(SampleError, match="No image is finished yet"):
        draw_sample(drawn, size=1, seed=1)
    with pytest.raises(SampleError, match="has 1 to 1000 images, not 0"):
        draw_sample(drawn, size=0, seed=1)


def test_shares_are_of_the_parts_of_the_images_that_were_looked_at() -> None:
    lines = {
        one.name: one
        for one in report(
            [
                {"errors": {"chunking": 1, "wrong link": 1}, "mentions": 16, "chains": 7, "boxes": 8},
                {"errors": {}, "mentions": 14, "chains": 8, "boxes": 9},
            ]
        )
    }
    chunking = lines["chunking"]
    assert (chunking.errors, chunking.total, chunking.share) == (1, 30, 1 / 30)
    assert (chunking.low, chunking.high) == wilson_interval(1, 30)
    assert (lines["coreference"].errors, lines["coreference"].total) == (1, 15)
    assert (lines["any error"].errors, lines["any error"].total) == (1, 2)


def test_a_count_that_does_not_fit_is_refused(drawn: Project, first_image: Image) -> None:
    sample = draw_sample(drawn, size=2, seed=1)
    for errors in ({"typing": 1}, {"chunking": -1}, {"chunking": 100}, {"chunking": "1"}):
        with pytest.raises(SampleError, match="has 0 to 99"):
            note_errors(sample.id, first_image, errors)


@pytest.mark.both_engines
def test_a_reviewer_goes_through_a_sample_and_downloads_the_report(expert: Client, drawn: Project) -> None:
    expert.post(reverse("campaign:samples", args=["drawn"]), {"size": "2", "seed": "7"})
    sample = ErrorSample.objects.get()
    assert sample.made_by == "ada"
    first, second = (reverse("campaign:sampled_image", args=["drawn", sample.id, place]) for place in (1, 2))
    assert expert.post(first, {"chunking": "2", "wrong box": ""})["Location"] == second
    assert expert.post(second, {})["Location"] == reverse("campaign:error_sample", args=["drawn", sample.id])
    sample.refresh_from_db()
    image = Image.objects.get(id=sample.images[0])
    assert sample.tallies[str(image.id)] == {
        "errors": {"chunking": 2},
        "mentions": image.mentions.count(),
        "chains": Chain.objects.filter(image=image, merged_into=None).count(),
        "boxes": image.merged_boxes.count(),
    }
    table = expert.get(reverse("campaign:sample_csv", args=["drawn", sample.id])).getvalue().decode().splitlines()
    rows = list(csv.DictReader(table))
    assert [row["kind"] for row in rows[: len(KINDS)]] == [kind.name for kind in KINDS]
    assert (rows[0]["errors"], rows[0]["of"]) == ("2", "mentions")
    assert "2 of 2 looked at" in expert.get(reverse("campaign:error_sample", args=["drawn", sample.id])).text
