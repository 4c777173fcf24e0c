"""{{ live|at:"chain.linking" }}: a value of a mapping, by a name that the template makes."""

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def at(values: Mapping[str, Any], name: str) -> Any:
    return values.get(name, "")
