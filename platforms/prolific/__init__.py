"""Prolific as a platform: an offer is a study, a session is a submission, a worker is a participant.

`wire_format.py` holds what goes over the wire. May import the offers, settling, sessions, contract, models and rules of
platforms, and what lies below platforms. The client takes long to import, so it is not imported here.
"""

from django.conf import settings

from platforms.errors import PlatformOffError

NAME = "prolific"


def check_prolific() -> None:
    """Raise PlatformOffError if the settings lack what Prolific needs."""
    for name in ("PROLIFIC_TOKEN", "PROLIFIC_WORKSPACE"):
        if not getattr(settings, name):
            raise PlatformOffError(f"Prolific is not set up: {name} is empty.")
