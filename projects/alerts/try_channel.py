"""Try a webhook: send it a message that says it is a test, and keep whether it was taken.

A job does it, so that no page and no program waits for somebody else's server.
"""

import json
from typing import NamedTuple

from django.conf import settings

from projects.alerts.post_hook import HookError, post_hook
from projects.models import AlertChannel
from projects.threads import background_job
from runtime import clock
from runtime.models import JobRun
from runtime.runs import claimed, request

KIND = "test"


class Trial(NamedTuple):
    """The last test of a webhook: `taken` is None until it has ended, and `problem` tells why it was not taken."""

    taken: bool | None
    problem: str


def try_channel(channel: AlertChannel) -> None:
    """Send the test. Raises HookError if it was not taken. It is in no log of deliveries: it is not an alert."""
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
    post_hook(channel.url, channel.secret, json.dumps(message).encode())


def key_of(channel: AlertChannel) -> str:
    """Return the name under which the test is work for the job runners: there is one at a time."""
    return f"test of channel {channel.pk}"


def last_trial(channel: AlertChannel) -> Trial | None:
    """Return the last test of the webhook; None if there was none lately."""
    run = JobRun.objects.filter(key=key_of(channel)).first()
    if run is None:
        return None
    ended = run.state in (JobRun.State.DONE, JobRun.State.FAILED)
    return Trial((run.state == JobRun.State.DONE) if ended else None, run.problem.removeprefix("HookError: "))


@background_job("projects.try_channel")
def try_channel_job(channel_id: int) -> None:
    """Send the test, unless another process does. Whether it was taken is kept with the work."""
    channel = AlertChannel.objects.filter(pk=channel_id).select_related("project").first()
    if channel is None:
        return
    try:
        with claimed(key_of(channel)) as mine:
            if mine:
                try_channel(channel)
    except HookError:
        return  # the row of the work says why


def try_soon(channel: AlertChannel) -> None:
    """Request a test of the webhook, unless one is on its way."""
    request(try_channel_job, channel.pk, key=key_of(channel), share=f"tests of {channel.project_id}")
