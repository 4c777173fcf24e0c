"""Versions of the settings that images follow: the newest, unless some version left the begun images as they are."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.rules.states import ImageState
from pipeline.models import Entry, Progress, SettingsVersion
from pipeline.project.settings_versions import AS_TEXT, current_settings, read_settings
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.versions import Version, followed_version


class Followed(NamedTuple):
    """The version that an image follows."""

    version: int
    settings: str
    """As JSON text."""


def versions_of_images(project_id: int, image_ids: Sequence[int]) -> dict[int, Followed]:
    """Return what each image of the project follows from its next entry on. A reader of its own: call it under lock."""
    versions = [Version(*row) for row in _versions(project_id).values_list("version", "begun_from")]
    answered = Entry.objects.filter(image=OuterRef("image_id"), judgment__isnull=False)
    last = Entry.objects.filter(image=OuterRef("image_id"), sequence=OuterRef("sequence"))
    rows = Progress.objects.filter(image_id__in=image_ids).order_by()
    found = rows.values_list("image_id", Exists(answered), Subquery(last.values("settings_version")))
    numbers = {image: followed_version(versions, of if begun else None) for image, begun, of in found}
    texts = dict(_versions(project_id).filter(version__in=set(numbers.values())).values_list("version", AS_TEXT))
    return {image: Followed(number, texts[number]) for image, number in numbers.items()}


def settings_of_image(project_id: int, image_id: int) -> ProtocolSettings:
    """Return the settings under which the next entry of the image will be applied."""
    if all_follow_newest(project_id):
        return current_settings(project_id)[1]
    return read_settings(versions_of_images(project_id, [image_id])[image_id].settings)


def all_follow_newest(project_id: int) -> bool:
    """Tell whether no image of the project was left with an older version."""
    return _versions(project_id).order_by("-version").values_list("begun_from", flat=True)[0] is None


def _versions(project_id: int) -> QuerySet[SettingsVersion]:
    return SettingsVersion.objects.filter(project_id=project_id)


def left_behind(project_id: int) -> int:
    """Count the unmerged images that stay with an older version than the newest."""
    newest = _versions(project_id).order_by("-version").values_list("begun_from", flat=True)[0]
    if newest is None:
        return 0
    answered = Entry.objects.filter(image=OuterRef("image_id"), judgment__isnull=False)
    last = Entry.objects.filter(image=OuterRef("image_id"), sequence=OuterRef("sequence"))
    rows = Progress.objects.filter(Exists(answered), project_id=project_id).exclude(image__state=ImageState.MERGED)
    return rows.annotate(last=Subquery(last.values("settings_version"))).filter(last__lt=newest).count()
