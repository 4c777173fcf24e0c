"""Rough amounts of money. Amounts are whole hundredths of a currency, never floats."""

ROUGH = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)


def rough_cents(cents: int) -> int:
    """Return the amount rounded down to one of ten steps for each power of ten; 0 below ten.

    From one step to the next is about a quarter, so no single assignment can be read from the figure.
    """
    power = 1
    while ROUGH[0] * 10 * power <= cents:
        power *= 10
    return max((step * power for step in ROUGH if step * power <= cents), default=0)
