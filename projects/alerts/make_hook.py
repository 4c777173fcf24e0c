"""Make a webhook."""

import secrets
from collections.abc import Collection

from accounts.events import Kind, record
from annotation.models import Project
from projects.models import AlertChannel


def make_hook(project: Project, url: str, kinds: Collection[str]) -> AlertChannel:
    """Make a webhook with a key of 256 random bits, which signs what it gets. The event log has that it was made."""
    hook = AlertChannel.objects.create(
        project=project, kind=AlertChannel.Kind.HOOK, url=url, secret=secrets.token_hex(32), kinds=list(kinds)
    )
    record(Kind.KEYS, f"webhook {hook.pk} of {project}", result="made")
    return hook
