"""Tells whether the settings switch Mechanical Turk on, without its client, which takes half a second to import."""

from django.conf import settings

from platforms.contract.errors import PlatformOffError
from platforms.mturk.modes import OFF


def check_set_up() -> None:
    """Raise PlatformOffError if the settings leave Mechanical Turk off."""
    if settings.MTURK == OFF:
        raise PlatformOffError("Mechanical Turk is not set up: MTURK is off.")
