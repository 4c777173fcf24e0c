"""The job of the tests of webhooks. Where jobs run in place, a thread does it: nobody's request waits."""

from campaign.alerts.post_hook import HookError
from campaign.alerts.try_channel import key_of, try_channel
from campaign.models import AlertChannel
from campaign.threads import in_background
from pipeline.jobs import job
from upkeep.runs import held, request


@job(name="campaign.try_channel")
def try_channel_job(channel_id: int) -> None:
    """Send the test, unless another process does. Whether it was taken is kept with the work."""
    in_background(lambda: work_on(channel_id))


def work_on(channel_id: int) -> None:
    """Hold the work and send the test."""
    channel = AlertChannel.objects.filter(pk=channel_id).select_related("project").first()
    if channel is None:
        return
    try:
        with held(key_of(channel)) as mine:
            if mine:
                try_channel(channel)
    except HookError:
        return  # the row of the work says why


def try_soon(channel: AlertChannel) -> None:
    """Request a test of the webhook, unless one is on its way."""
    request(try_channel_job, channel.pk, key=key_of(channel), share=f"tests of {channel.project_id}")
