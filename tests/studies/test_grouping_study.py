"""The study of grouped questions refuses figures from which nothing follows."""

import pytest
from django.core.management import CommandError, call_command

from studies.management.commands.grouping_study import Command


@pytest.mark.parametrize("option", ["finished", "begun", "rounds", "stock", "workers"])
def test_nothing_to_look_at_is_refused(option: str) -> None:
    with pytest.raises(CommandError, match="at least 1 scene"):
        call_command(Command(), **{option: 0})


@pytest.mark.parametrize("values", [{"most": [1]}, {"search": [0.0]}])
def test_groups_of_one_and_a_search_without_time_are_refused(values: dict[str, list[float]]) -> None:
    with pytest.raises(CommandError, match="2 questions in a row"):
        call_command(Command(), **values)
