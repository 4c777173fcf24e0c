"""Words for numbers: shares, counts, money, intervals and times read the same on every page, report and terminal."""

NONE = "–"
"""Stands where there is no number."""
SIGNS = {"EUR": "€", "GBP": "£", "USD": "$"}
"""Signs before amounts; other currencies follow by their code. `frontend/src/labelling/views/words.ts` agrees."""


def percent(share: float | None, digits: int = 0, *, chance: bool = False) -> str:
    """Return a share from 0 to 1 as in "12 %", with so many decimals.

    Some is never written as none, and most never as all: 0.004 is "below 1 %", 0.996 "over 99 %". Of a `chance`, 0 and
    1 are written so, too: nothing is certain.
    """
    if share is None:
        return NONE
    step = 10.0 ** -(digits + 2)
    if share < step and (share > 0 or chance):
        return f"below {100 * step:.{digits}f} %"
    if share > 1 - step and (share < 1 or chance):
        return f"over {100 - 100 * step:.{digits}f} %"
    return f"{share:.{digits}%}".replace("%", " %")


def interval(low: float, high: float, digits: int = 0) -> str:
    """Return an interval of shares as in "62 to 81 %"; its ends are rounded."""
    return f"{100 * low:.{digits}f} to {100 * high:.{digits}f} %"


def number(value: float | None, digits: int | None = None) -> str:
    """Return a number with commas. Of a fraction as many decimals stand as `digits` says.

    Without `digits` a fraction has one decimal below 100, unless that is 0, and none above.
    """
    if value is None:
        return NONE
    if isinstance(value, int):
        return f"{value:,}"
    if digits is not None:
        return f"{value:,.{digits}f}"
    return f"{value:,.1f}".removesuffix(".0") if value < 100 else f"{value:,.0f}"


def counted(count: int, thing: str, several: str = "") -> str:
    """Return a count with its noun, as in "1 box" or "2,000 boxes". `several`: the plural, if -s does not make it."""
    return f"{count:,} {thing if count == 1 else several or thing + 's'}"


def money(cents: int, currency: str) -> str:
    """Return hundredths of a currency as in "-$1,234.50" or "-1,234.50 CHF"; without a currency the number alone."""
    minus, size = "-" if cents < 0 else "", abs(cents)
    amount = f"{size // 100:,}.{size % 100:02d}"
    if sign := SIGNS.get(currency):
        return f"{minus}{sign}{amount}"
    return f"{minus}{amount} {currency}".rstrip()


def hours(seconds: float, *, like: float | None = None) -> str:
    """Return a time as in "40 s", "12 min" or "3.4 h"; below 0 it has a minus.

    `like`: the time that chooses between the units, if it is another: the ends of an interval have that of its middle.
    """
    unit = abs(seconds if like is None else like)
    minus, size = "−" if seconds < 0 else "", abs(seconds)
    if unit < 100:
        return f"{minus}{size:.0f} s"
    return f"{minus}{size / 60:.0f} min" if unit < 5400 else f"{minus}{size / 3600:,.1f} h"
