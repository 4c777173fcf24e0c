"""Compose [paper 3]: make the rules of one version of a project's settings: the only place that chooses policies."""

from dataclasses import dataclass
from functools import lru_cache

from annotation.rules.same_object import SameObject
from pipeline.policies.engine import ENGINES, engine_of
from pipeline.protocol.rules import Rules
from pipeline.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Links:
    """The link policy of the settings."""

    digest: str


class Boxes:
    """The box policy of the settings."""


def compose(settings: Settings) -> Rules:
    """Return the rules of these settings. The same settings share them."""
    return _compose(SameObject(settings))


@lru_cache(maxsize=ENGINES)
def _compose(settings: SameObject[Settings]) -> Rules:
    return Rules(settings.value, Links(engine_of(settings.value).link_rules), Boxes())
