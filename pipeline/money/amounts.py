"""Amounts in words. Money is whole hundredths of a currency, never a float."""


def in_words(cents: int, currency: str) -> str:
    """As in "-1,234.50 USD"."""
    sign, size = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{size // 100:,}.{size % 100:02d} {currency}"
