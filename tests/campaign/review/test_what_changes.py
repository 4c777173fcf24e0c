"""The sentences that an expert reads before a finished image is changed."""

from typing import Any

import pytest

from annotation.models import Chain, Image
from campaign.review.what_changes import what_changes
from pipeline.models import Entry
from pipeline.record.intervene import preview_expert

pytestmark = pytest.mark.django_db


def said(image: Image, **action: Any) -> str:
    return " ".join(what_changes(preview_expert(image_id=image.id, action=action)))


def test_a_preview_changes_nothing(first_image: Image) -> None:
    entries = Entry.objects.filter(image=first_image).count()
    said(first_image, action="delete box", box=first_image.boxes.filter(state="accepted")[0].number)
    first_image.refresh_from_db()
    assert (first_image.state, Entry.objects.filter(image=first_image).count()) == ("merged", entries)


def test_the_merged_result_that_is_undone_is_counted(first_image: Image) -> None:
    joined = sum(len(box.members) > 1 for box in first_image.merged_boxes.all())
    chains = Chain.objects.filter(image=first_image).exclude(merged_into=None).count()
    words = said(first_image, action="retype", mention=0, types=["other"])
    assert (f"{joined} joined box" in words) == bool(joined)
    assert (f"{chains} joined chain" in words) == bool(chains)
    assert "merged anew at once" in words, "no chain is open"


def test_a_deleted_box_and_its_chain_in_review_are_named(first_image: Image) -> None:
    box = first_image.boxes.filter(state="accepted")[0]
    phrase = first_image.mentions.get(number=box.chain).text
    words = said(first_image, action="delete box", box=box.number)
    assert "1 accepted box will be discarded." in words
    assert f"“{phrase}”" in words and "waits in review until an expert sends it on" in words
    assert "once every chain is complete or non-visual again" in words


def test_chains_that_are_joined_are_gone(first_image: Image) -> None:
    first, second = Chain.objects.filter(image=first_image)[:2]
    words = said(first_image, action="join", chains=[first.name, second.name])
    assert words.count("is gone.") == 1


def test_a_new_box_is_counted(first_image: Image) -> None:
    chain = Chain.objects.filter(image=first_image, state="complete")[0]
    assert "1 box will be added." in said(first_image, action="draw", chain=chain.name, box=[1, 2, 30, 40])
