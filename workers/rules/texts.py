"""Texts of the service to workers [beyond paper 3.3]: codes with words that `workers.task_words` fills.

A text that is stored or decided is its code with values; words are made where they are shown, in the reader's language.
"""

import re
from datetime import UTC, datetime
from enum import Enum
from typing import Any

Coded = dict[str, Any]
"""A text as JSON: under "code" the name of a `WorkerText`, beside it the values that its words name."""


def gettext_noop(words: str) -> str:
    """Mark words to be translated. Rules do not import Django's."""
    return words


class WorkerText(Enum):
    NOTHING_NEW = gettext_noop("There is no new work for you at the moment. The requester has been told.")
    TEST_LATER = gettext_noop("You may take the test again from {time}.")
    SUSPENDED = gettext_noop("You can go on from {time}.")
    APPEALED = gettext_noop("Your answers to this task are no longer asked for. Your appeal is with the requester.")
    BARRED = gettext_noop("Your answers to this task are no longer asked for. You can appeal once.")
    TESTED = gettext_noop("Qualification test: {right} of {size} right; {needed} are needed.")
    PASSED = gettext_noop("You passed. The work is open to you now.")
    LAST_TRY = gettext_noop("That was the last try. You can appeal to the requester on your home page.")
    ONE_TRY_LEFT = gettext_noop("You can take the test once more, in {hours} hours at the earliest.")
    TRIES_LEFT = gettext_noop("You can take the test {left} more times, in {hours} hours at the earliest.")
    DECIDED = gettext_noop("The requester has decided about you without the test.")
    PAY_REFUSED = gettext_noop("{amount} for your assignment “{task}” of {time} is refused: {reason}")
    PAY_RESTORED = gettext_noop(
        "{amount} for your assignment “{task}” of {time} is no longer refused, but owed to you: {reason}"
    )
    NOT_USED = gettext_noop(
        "Your answers in an assignment ({task}) are paid, but not used. The requester's reason: {reason}"
    )

    def coded(self, **values: Any) -> Coded:
        """Return the text with its values, which are JSON: a time in ISO form, a task by its name."""
        return {"code": self.name, **values}


WRITTEN = re.compile(r"\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}, \d{2}:\d{2} UTC\b")
"""Finds times that `time_in_words` wrote in a text. `frontend/src/local_time.ts` looks for the same."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def time_in_words(moment: datetime) -> str:
    """Return the time as in "2 Jan 2026, 03:04 UTC"."""
    at = moment.astimezone(UTC)
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}, {at:%H:%M} UTC"


def time_written(words: str) -> datetime:
    """Return the time that `time_in_words` wrote."""
    day, month, year, clock, _ = words.replace(",", "").split()
    hour, minute = map(int, clock.split(":"))
    return datetime(int(year), MONTHS.index(month) + 1, int(day), hour, minute, tzinfo=UTC)
