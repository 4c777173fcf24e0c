"""Words of the service's texts to workers, made where they are shown."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, override

from workers.rules.texts import WorkerText, time_in_words
from workers.task_words import task_name


def text_in_language(coded: Mapping[str, Any] | None) -> str:
    """Return a text (`Text.coded`) in the language of the reader; empty if there is none."""
    if not coded:
        return ""
    values = dict(coded)
    words = gettext(WorkerText[values.pop("code")].value)
    if "time" in values:
        values["time"] = time_in_words(datetime.fromisoformat(values["time"]))
    if "task" in values:
        values["task"] = task_name(values["task"])
    return words.format(**values)


def in_english(coded: Mapping[str, Any]) -> str:
    """Return the text as it is stored beside its code, for exports and requesters."""
    with override("en"):
        return text_in_language(coded)
