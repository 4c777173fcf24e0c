"""Lot of a check [beyond paper 3]: the share of chains whose boxes people judge, so that the share of wrong ones shows.

Where no program judges boxes, little makes a box doubtful, and the lot alone tells how many are wrong. What counts then
is how many chains are in it, and not how many the data set has.
"""

WANTED = 600
"""Chains in the lot: if 12 % of all labels are wrong, their share is known to about 2 points."""
LEAST_IN_LOT, MOST_IN_LOT = 0.03, 0.2


def lot_of_check(chains: int) -> float:
    """Return the share, from 0 to 1, for a data set with this many chains."""
    return round(min(max(WANTED / max(chains, 1), LEAST_IN_LOT), MOST_IN_LOT), 2)
