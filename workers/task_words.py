"""The words for the tasks that workers see, by the value of the task and marked for translation."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, gettext_noop, override

from workers.rules.texts import WorkerText, time_in_words

TASK_NAMES = {
    "coreference_link": gettext_noop("same or different"),
    "chain_verification": gettext_noop("check a group"),
    "box_requirement": gettext_noop("box or no box"),
    "box_drawing": gettext_noop("draw a box"),
    "box_quality": gettext_noop("check a box"),
    "box_coverage": gettext_noop("find what is missing"),
    "caption_check": gettext_noop("check a caption"),
    "atom_visual": gettext_noop("can a word be seen"),
}
TASK_QUESTIONS = {
    "coreference_link": gettext_noop("Two captions of one picture: do the marked phrases mean the same thing?"),
    "chain_verification": gettext_noop("Do all marked phrases mean the same thing?"),
    "box_requirement": gettext_noop("Can you draw a box around what the phrase means?"),
    "box_drawing": gettext_noop("Draw a box around one thing that the phrase means."),
    "box_quality": gettext_noop("Is the new box good?"),
    "box_coverage": gettext_noop("Does everything that the phrase means have a box?"),
    "caption_check": gettext_noop("Does every word of a caption fit its picture?"),
    "atom_visual": gettext_noop("Can what a word means be seen in a picture?"),
}


def task_name(task: str) -> str:
    """Return the name of a task for a worker, in the language of the page. Papers and requesters use `Task.label`."""
    return gettext(TASK_NAMES[task])


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
