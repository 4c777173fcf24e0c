"""{{ 0.0123|percent }}: a share in words."""

from django import template

register = template.Library()


@register.filter
def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
