"""Stored prior [beyond paper 3.1.1]: the link prior of a version of the settings, read once."""

import json
from functools import lru_cache
from typing import Any

from annotation.rules.same_object import SameObject
from belief.links.link_prior import LinkPrior


def prior_of(values: dict[str, Any]) -> LinkPrior:
    """Return the prior that was written as `values`. Equal ones share one object."""
    return _prior(SameObject(values))


def prior_text(values: dict[str, Any]) -> str:
    """Return the JSON of a prior."""
    return _text(SameObject(values))


@lru_cache(maxsize=64)
def _prior(values: SameObject[dict[str, Any]]) -> LinkPrior:
    return _prior_of(_text(values))


@lru_cache(maxsize=64)
def _text(values: SameObject[dict[str, Any]]) -> str:
    """Cached, as a table of heads takes milliseconds to write."""
    return json.dumps(values.value, sort_keys=True)


@lru_cache(maxsize=64)
def _prior_of(text: str) -> LinkPrior:
    return LinkPrior.from_json(json.loads(text))
