"""Preview settings: the effect of other settings on a project's open work, computed and not written."""

import time
from collections import defaultdict
from random import Random
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.rules.states import ImageState
from pipeline.models import Entry, Progress, Question
from pipeline.policies.compose import compose
from pipeline.project.settings_versions import read_version
from pipeline.protocol.image.settings_effect import SettingsEffect, settings_effect
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.read_record import versions_of_images
from pipeline.settings.settings import Settings

MOST_IMAGES = 2000
"""The most images that are looked at; of more, a sample of this size."""
MOST_SECONDS = 2.0
"""The sample ends early after this time; a requester waits for the page."""
IMAGES_AT_ONCE = 100


class SettingsPreview(NamedTuple):
    """The effect on the open work of a project, exact or of a sample."""

    begun: int
    """Images with answers that are not merged yet."""
    fresh: int
    """Images without answers."""
    looked_at: int
    """Images that were looked at, of those that would follow."""
    follow: int
    """Images that would follow the new settings, and are not merged."""
    effect: SettingsEffect
    """On the images that were looked at."""

    @property
    def exact(self) -> bool:
        return self.looked_at == self.follow

    def scaled(self, number: int) -> int:
        """Return an estimate for the whole project from a number of the sample."""
        return number if self.exact else round(number * self.follow / max(self.looked_at, 1))


def preview_settings(
    *, project_id: int, settings: Settings, begun_follow: bool = True, most: int = MOST_IMAGES
) -> SettingsPreview:
    """Fold an entry that does nothing under the new settings over each open image that would follow, and count.

    Merged images are left out: only an expert opens them again. An image that is held by a fold meanwhile is read as
    it is stored.
    """
    unmerged = Progress.objects.filter(project_id=project_id).exclude(image__state=ImageState.MERGED.value)
    answered = Exists(Entry.objects.filter(image=OuterRef("image_id"), judgment__isnull=False))
    begun = unmerged.filter(answered).count()
    fresh = unmerged.count() - begun
    following = unmerged if begun_follow else unmerged.exclude(answered)
    chosen = _chosen(following, most)
    effect, looked_at = SettingsEffect(), 0
    end = time.monotonic() + MOST_SECONDS
    for start in range(0, len(chosen), IMAGES_AT_ONCE):
        part = chosen[start : start + IMAGES_AT_ONCE]
        effect = effect.plus(_effect(project_id, part, settings))
        looked_at += len(part)
        if time.monotonic() > end:
            break
    return SettingsPreview(begun, fresh, looked_at, begun + fresh if begun_follow else fresh, effect)


def _chosen(following: QuerySet[Progress], most: int) -> list[int]:
    """Return the images in an order that is random and always the same, so that any first part is a sample."""
    ids = list(following.order_by("image_id").values_list("image_id", flat=True))
    Random(len(ids)).shuffle(ids)
    return ids[:most]


def _effect(project_id: int, images: list[int], settings: Settings) -> SettingsEffect:
    followed, out = versions_of_images(project_id, images), _links_out(images)
    total = SettingsEffect()
    for image, state in Progress.objects.filter(image_id__in=images).values_list("image_id", "state"):
        old = read_version(followed[image].settings, followed[image].learned)
        total = total.plus(settings_effect(from_json(state), compose(old), compose(settings), out[image]))
    return total


def _links_out(images: list[int]) -> dict[int, list[int]]:
    """Return the open links that are answered or on loan, by image, as a fold would find them now."""
    links = Question.objects.filter(image_id__in=images, task=Task.COREFERENCE_LINK.value)
    lent = Q(state=QuestionState.OPEN.value, assignment__isnull=False)
    out: dict[int, list[int]] = defaultdict(list)
    for image, number in links.filter(lent | Q(state=QuestionState.ANSWERED.value)).values_list("image_id", "number"):
        out[image].append(number)
    return out
