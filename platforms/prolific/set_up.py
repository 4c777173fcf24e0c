"""Tells whether the settings switch Prolific on, without its client, which takes long to import."""

from django.conf import settings

from platforms.contract.errors import PlatformOffError


def check_set_up() -> None:
    """Raise PlatformOffError if the settings lack what Prolific needs."""
    for name in ("PROLIFIC_TOKEN", "PROLIFIC_WORKSPACE"):
        if not getattr(settings, name):
            raise PlatformOffError(f"Prolific is not set up: {name} is empty.")
