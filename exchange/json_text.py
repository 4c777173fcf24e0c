"""JSON as text: written with sorted keys, and read from columns without Django's slow way around."""

import json
from functools import lru_cache
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

json_text = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False).encode
"""Return the value on one line. An encoder for each call, as `json.dumps` makes, takes half the time again."""


def column_text(column: str) -> Cast:
    """Return the JSON of the column as it is stored, for `read_json`."""
    return Cast(column, TextField())


@lru_cache(maxsize=4000)
def read_json(text: str) -> Any:
    """Read JSON that nobody changes, and of which there are few texts, such as answers: each is read once."""
    return json.loads(text)
