"""Amazon Mechanical Turk as a platform: an offer is a HIT, a session is an assignment of it.

`wire_format.py` holds what goes over the wire. May import the offers, settling, sessions, contract, models and rules of
platforms, and what lies below platforms. The client takes half a second to import: `check_set_up` does without it.
"""

from django.conf import settings

from platforms.contract.errors import PlatformOffError

NAME = "mturk"
OFF, SANDBOX, LIVE = "off", "sandbox", "live"
"""The modes."""


def check_set_up() -> None:
    """Raise PlatformOffError if the settings leave Mechanical Turk off."""
    if settings.MTURK == OFF:
        raise PlatformOffError("Mechanical Turk is not set up: MTURK is off.")
