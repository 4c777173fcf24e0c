"""JSON that a page sends: read, or refused as no JSON, however it is nested."""

import json
from typing import Any


def read_json(text: str | bytes) -> Any:
    """Return what the text says. Raises ValueError if it is no JSON, or nested too deeply to be read."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("The JSON is nested too deeply.") from error
