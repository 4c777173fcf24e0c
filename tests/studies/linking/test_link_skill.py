"""The study of skills without gold, on real mentions and with simulated workers."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from simulation.compare_strategies import BedImage
from studies.linking.link_skill import WAYS, Row, compare, table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows(bed: list[BedImage]) -> dict[tuple[str, str], Row]:
    answers, found = compare(bed, images=60, fitted_on=60, workers=10, spammers=2)
    assert answers > 300 and len(table(found).splitlines()) == 5
    return {(row.way, row.kind): row for row in found}


def test_the_other_links_tell_spammers_from_the_others(rows: dict[tuple[str, str], Row]) -> None:
    spammers, others = rows[WAYS[1], "spammers"], rows[WAYS[1], "others"]
    assert spammers.most < 0.75 < others.least and 0.9 < others.mean < 1


def test_with_the_other_links_more_answers_are_checked_and_honest_workers_come_out_better(
    rows: dict[tuple[str, str], Row],
) -> None:
    alone, too = (rows[way, "others"] for way in WAYS)
    assert too.checked > 1.3 * alone.checked and too.mean > alone.mean


@pytest.mark.parametrize("more", [{"images": 600}, {"spammers": 0}, {"spammers": 20}])
def test_what_cannot_be_compared_is_refused(bed: list[BedImage], more: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        compare(bed, **more)


def test_the_command_refuses_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such folder"):
        call_command("link_skill", tmp_path / "none")
