"""Tags by which the pages in a platform's frame write the data of their script."""

import json
from typing import Any

from django import template

register = template.Library()


@register.filter
def as_json(value: Any) -> str:
    """For an attribute; it is escaped there. A text is JSON already."""
    return value if isinstance(value, str) else json.dumps(value)
