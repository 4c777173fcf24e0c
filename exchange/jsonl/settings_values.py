"""Values of settings as the JSON Lines show them: workers who have habits of their own go by their pseudonyms."""

from collections.abc import Callable, Mapping
from typing import Any

from belief.habits import CROWD


def shown_values(values: Mapping[str, Any], pseudonym: Callable[[int], str]) -> dict[str, Any]:
    """Return the values of a version of the settings. `pseudonym`: of the worker with a number."""
    prior = values.get("box_prior") or {}
    if not prior.get("habits"):
        return {**values}
    habits = {name if name == CROWD else pseudonym(int(name)): habit for name, habit in prior["habits"].items()}
    return {**values, "box_prior": {**prior, "habits": habits}}
