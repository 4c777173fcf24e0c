"""Reasons that experts gave when they sent chains to review: the state says only that an expert did."""

from collections.abc import Collection

from pipeline.models import Entry
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.progress.progress import Cause

BY_EXPERT = Cause.EXPERT.value


def expert_reasons(image_ids: Collection[int]) -> dict[tuple[int, int], str]:
    """Return the newest reason of each chain that an expert sent to review, by image id and name of the chain."""
    sent = Entry.objects.filter(image__in=image_ids, kind=EntryKind.EXPERT.value, data__action="review")
    rows = sent.exclude(reason="").order_by("sequence").values_list("image_id", "data__chain", "reason")
    return {(image, chain): reason for image, chain, reason in rows}
