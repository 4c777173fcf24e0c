"""Try a webhook: send it a message that says it is a test, at once, and tell whether it was taken."""

import json

from django.conf import settings

from campaign.alerts.post_hook import HookError, post_hook
from campaign.models import AlertChannel
from upkeep import clock

KIND = "test"


def try_channel(channel: AlertChannel) -> str:
    """Return why the webhook did not take the test, or "". It is in no log: it is no alert."""
    name = channel.project.name
    message = {
        "id": 0,
        "project": name,
        "kind": KIND,
        "count": 0,
        "words": "This is a test: nothing needs you.",
        "address": f"{settings.ADDRESS}/projects/{name}/alerts/",
        "began_at": clock.now().isoformat(),
    }
    try:
        post_hook(channel.url, channel.secret, json.dumps(message).encode())
    except HookError as error:
        return str(error)
    return ""
