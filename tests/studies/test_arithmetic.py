"""The arithmetic of rows and bytes, on a few images: figures of every kind, and projections from them."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Image
from pipeline.models import Judgment
from studies.arithmetic.in_words import per_image, projections


@pytest.mark.slow
@pytest.mark.services
def test_a_small_campaign_is_measured_replayed_and_archived(
    real_services: None, transactional_db: None, tmp_path: Path
) -> None:
    call_command("arithmetic", "--images", "1", "2", "--json", str(tmp_path / "figures.json"))
    figures = json.loads((tmp_path / "figures.json").read_text())
    first, second = figures["campaigns"]
    assert (first["images"], second["images"], Image.objects.count()) == (1, 2, 3)
    assert first["judgments"] + second["judgments"] == Judgment.objects.count() > 100
    for one in (first, second):
        assert one["replay"]["equal"] and one["archive"]["replay_equal"]
        assert one["archive"]["rows"] > one["archive"]["rows_removed"] > one["judgments"]
    sizes = {one["table"]: one for one in second["tables"]}
    assert sizes["pipeline_judgment"]["rows"] == second["judgments"] and sizes["pipeline_judgment"]["leaves"]
    assert sizes["pipeline_question"]["updated"] > sizes["pipeline_question"]["rows"]
    assert not sizes["pipeline_assignment"]["leaves"]
    assert figures["tick"]["statements_of_a_project"] > 0
    narrow = figures["keys_below_64_bits"]
    assert "auth_user.id" in narrow and not [one for one in narrow if one.startswith(("annotation_", "pipeline_"))]
    each = per_image(second)
    assert each["judgments"] == second["judgments"] / 2 and each["stays"] < each["bytes"] + each["index_bytes"]
    assert f"{1_000_000 * each['judgments']:,.0f}" in projections(figures)


@pytest.mark.django_db
def test_it_says_what_it_needs() -> None:
    with pytest.raises(CommandError, match=r"This study needs PostgreSQL|--images: give at least 1"):
        call_command("arithmetic", "--images", "0")
