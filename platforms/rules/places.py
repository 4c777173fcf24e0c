"""Places [beyond paper 3.3]: offer as many places as there is work and money for."""

from typing import NamedTuple


class PlacesChange(NamedTuple):
    """A change in the number of open places of one task and kind."""

    more: int = 0
    fewer: int = 0


def places_to_offer(*, work: int, most: int, budget_cents: int | None, cost_cents: int) -> int:
    """Return how many places should be open.

    `work`: assignments that could be given out now. `budget_cents`: money that is not promised yet; None: no limit.
    `cost_cents`: what one place may cost.
    """
    affordable = most if budget_cents is None or cost_cents == 0 else max(budget_cents, 0) // cost_cents
    return min(work, most, affordable)


def change(*, target: int, offered: int, chunk: int) -> PlacesChange:
    """Return the step from `offered` open places to `target`; one offer has at most `chunk` places.

    An offer of many places is renewed when half of them are taken, so that not every place makes a new offer.
    """
    if offered > target:
        return PlacesChange(fewer=offered - target)
    if offered == target or (chunk >= target > 1 and offered > target // 2):
        return PlacesChange()
    return PlacesChange(more=target - offered)


def in_chunks(places: int, chunk: int) -> list[int]:
    """Return the sizes of the offers that make up `places`."""
    if not places:
        return []
    whole, rest = divmod(places, chunk)
    return [chunk] * whole + ([rest] if rest else [])
