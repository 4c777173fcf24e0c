"""Vectors of phrases: made by the package `wordllama` of the extra "vectors", where the service has it switched on."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings

from belief.links.text_features import VECTOR_SIZE, packed
from runtime.installed import not_installed

PACKAGE = "wordllama"
MISSING = f"The package of word vectors is {not_installed('vectors')}"


def vectors_of_phrases(phrases: Sequence[str]) -> list[str]:
    """Return the vector of each phrase, as `packed` makes it; "" for each while PHRASE_VECTORS is off."""
    return make_vectors(phrases) if settings.PHRASE_VECTORS else [""] * len(phrases)


def make_vectors(phrases: Sequence[str]) -> list[str]:
    """Return the vector of each phrase. Takes 4 µs for each. Raises ValueError without the package."""
    return packed(_model().embed([phrase.lower() for phrase in phrases])) if phrases else []


@cache
def _model() -> Any:
    """Load the vectors that the package brings along: 0.3 s. It would look for them in its cache, and download them."""
    if find_spec(PACKAGE) is None:
        raise ValueError(f"{MISSING}.")
    package = import_module(PACKAGE)
    folder = Path(str(package.__file__)).parent
    return package.WordLlama.load(trunc_dim=VECTOR_SIZE, cache_dir=folder, disable_download=True)
