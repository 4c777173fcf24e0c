"""Places [beyond paper 3.3]: how many to offer, as many as offered is work and money for."""

from typing import NamedTuple


class Change(NamedTuple):
    """Of the open places of one task and kind."""

    more: int = 0
    fewer: int = 0


def wanted(*, work: int, most: int, room_cents: int | None, cost_cents: int) -> int:
    """Places that should be open. `work`: assignments that could be given out now; `room_cents`: money that is not
    promised yet, None: no limit; `cost_cents`: what a place may cost."""
    affordable = most if room_cents is None or cost_cents == 0 else max(room_cents, 0) // cost_cents
    return min(work, most, affordable)


def change(*, target: int, offered: int, chunk: int) -> Change:
    """`offered`: places that are open now; `chunk`: how many one offer may have.

    Offers of many places are renewed when half of them are gone, so that there is not a new one for every place.
    """
    if offered > target:
        return Change(fewer=offered - target)
    if offered == target or (chunk >= target > 1 and offered > target // 2):
        return Change()
    return Change(more=target - offered)


def in_chunks(places: int, chunk: int) -> list[int]:
    """Sizes of the offers that make up so many places."""
    if not places:
        return []
    whole, rest = divmod(places, chunk)
    return [chunk] * whole + ([rest] if rest else [])
