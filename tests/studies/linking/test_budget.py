"""The study of what is right when the money ends, on real mentions and with simulated workers."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from simulation.compare_strategies import BedImage
from studies.linking.budget import Order, compare, table

pytestmark = pytest.mark.slow

BUDGETS = (0.0, 20.0, 200.0)


@pytest.fixture(scope="module")
def reached(bed: list[BedImage]) -> dict[Order, list[list[float]]]:
    return compare(bed, folds=1, images=18, fitted_on=60, budgets=BUDGETS, stop=0.05, seed=2)


def test_links_of_most_value_first_have_most_right_when_the_money_ends(reached: dict[Order, list[list[float]]]) -> None:
    at_20 = {order: of[1] for order, (of,) in reached.items()}
    assert at_20[Order.VALUE] > max(at_20[Order.AGE], at_20[Order.IMAGE]) + 2
    assert at_20[Order.AGE] > at_20[Order.IMAGE]


def test_without_money_and_without_end_of_it_the_order_makes_no_difference(
    reached: dict[Order, list[list[float]]],
) -> None:
    assert len({of[0] for (of,) in reached.values()}) == 1
    assert len({of[2] for (of,) in reached.values()}) == 1
    assert all(before <= after for (of,) in reached.values() for before, after in ((of[0], of[2]),))


def test_the_table_has_a_line_for_each_order(reached: dict[Order, list[list[float]]]) -> None:
    lines = table(reached, BUDGETS).splitlines()
    assert len(lines) == 1 + len(Order) and "20 %" in lines[0] and lines[1].startswith("by value")


@pytest.mark.parametrize("more", [{"images": 600}, {"budgets": (20, 10)}, {"budgets": ()}])
def test_what_cannot_be_compared_is_refused(bed: list[BedImage], more: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        compare(bed, **{"folds": 1, "images": 10, "fitted_on": 0, **more})  # type: ignore[arg-type]


def test_the_command_refuses_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such folder"):
        call_command("adaptive_budget", tmp_path / "none")
