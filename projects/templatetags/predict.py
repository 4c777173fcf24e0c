"""{{ 0.123|percent }}, {{ 12345.6|short }}: shares and large numbers of predictions."""

from django import template

register = template.Library()


@register.filter
def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


@register.filter
def short(number: float) -> str:
    """Return a number with at most one decimal below 100, and none above."""
    return f"{number:,.1f}".removesuffix(".0") if number < 100 else f"{number:,.0f}"
