"""Amounts of money in words, in one form everywhere. Amounts are whole hundredths of a currency, never floats."""

SIGNS = {"EUR": "€", "GBP": "£", "USD": "$"}
"""Signs that stand before an amount; other currencies follow it by their code. `frontend/src/parts/money.ts` agrees."""


def in_words(cents: int, currency: str) -> str:
    """Return the amount as in "-$1,234.50" or "-1,234.50 CHF"; without a currency the number alone."""
    minus, size = "-" if cents < 0 else "", abs(cents)
    number = f"{size // 100:,}.{size % 100:02d}"
    if sign := SIGNS.get(currency):
        return f"{minus}{sign}{number}"
    return f"{minus}{number} {currency}".rstrip()


ROUGH = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)


def rough_cents(cents: int) -> int:
    """Return the amount rounded down to one of ten steps for each power of ten; 0 below ten.

    From one step to the next is about a quarter, so no single assignment can be read from the figure.
    """
    power = 1
    while ROUGH[0] * 10 * power <= cents:
        power *= 10
    return max((step * power for step in ROUGH if step * power <= cents), default=0)
