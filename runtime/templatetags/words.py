"""Filters and a tag of every template, which need no `load`.

{{ share|percent }}, {{ share|percent:1 }}, {{ estimate|interval }}, {{ 12345.6|number }}, {{ cents|money:"EUR" }},
{% command %}.
"""

from collections.abc import Sequence
from decimal import Decimal

from django import template
from django.utils.formats import number_format
from django.utils.translation import get_language

from runtime import words
from runtime.installed import COMMAND

register = template.Library()
register.simple_tag(lambda: COMMAND, name="command")
register.filter(words.percent)
register.filter(words.number)
register.filter(words.hours)


@register.filter("interval")
def show_interval(estimate: Sequence[float], digits: int = 0) -> str:
    """Return the interval of a share. `estimate`: its value, and the low and the high end."""
    _, low, high = estimate
    return words.interval(low, high, digits)


@register.filter("money")
def show_money(cents: int, currency: str) -> str:
    """Return the amount as the reader's language writes it: "$1,234.50", "1.234,50 $"."""
    if (get_language() or "en").startswith("en"):
        return words.money(cents, currency)
    amount = number_format(Decimal(cents) / 100, decimal_pos=2, force_grouping=True)
    return f"{amount}\N{NO-BREAK SPACE}{words.SIGNS.get(currency, currency)}".strip()
