"""Amounts of money in words. Amounts are whole hundredths of a currency, never floats."""


def in_words(cents: int, currency: str) -> str:
    """Return the amount as in "-1,234.50 USD"."""
    sign, size = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{size // 100:,}.{size % 100:02d} {currency}"
