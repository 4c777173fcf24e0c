"""Apply the present word lists to all images of a draft: find phrases that are missing, and types anew."""

from collections.abc import Callable

from django.db import transaction

from annotation.models import Image, Project
from annotation.rules.states import ImageState
from campaign.data.phrase_types import Change, PhraseTypes
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import chunk_project, waiting_images
from pipeline.models import Progress
from pipeline.project.settings_versions import current_settings
from pipeline.record.intervene import act_as_expert

AT_ONCE = 200


def apply_types(project: Project, *, actor: str, begin: Callable[[int], object], step: Callable[[bool], object]) -> int:
    """Change every image that is not begun, as acts in its record. Returns how many images still wait for phrases.

    `begin` is called with the number of images, `step` after each with whether it changed.
    """
    ids = list(_not_begun(project))
    waiting = waiting_images(project)
    begin(len(ids) + len(waiting))
    settings = current_settings(project.pk)[1]
    if waiting and not why_no_chunker(settings.caption_language):
        chunk_project(project, actor=actor, step=lambda: step(True))
    types = PhraseTypes(project)
    for first in range(0, len(ids), AT_ONCE):
        images = Image.objects.filter(pk__in=ids[first : first + AT_ONCE]).order_by("position")
        for image in images.prefetch_related("captions", "mentions"):
            change = types.change_of(list(image.captions.all()), list(image.mentions.all()))
            if not change.is_empty:
                _change(image, change, actor)
            step(not change.is_empty)
    return len(waiting_images(project))


def _not_begun(project: Project) -> list[int]:
    rows = Progress.objects.filter(project=project, due=Progress.Due.LINKS, image__state=ImageState.LINKING.value)
    return list(rows.order_by("image__position").values_list("image_id", flat=True))


@transaction.atomic
def _change(image: Image, change: Change, actor: str) -> None:
    reason = "the word lists changed"
    for number, types in change.retyped:
        action = {"action": "retype", "mention": number, "types": types}
        act_as_expert(image_id=image.pk, action=action, actor=actor, reason=reason)
    if change.hidden or change.shown:
        _rechunk(image, change, actor, reason)


def _rechunk(image: Image, change: Change, actor: str, reason: str) -> None:
    """Let spans become phrases, or phrases become spans that are none."""
    captions = {caption.pk: caption for caption in image.captions.all()}
    for mention in change.hidden:
        captions[mention.caption_id].non_visual.append([mention.start, mention.end])
    # A number is never used again, not even that of a phrase that was removed before.
    first = Progress.objects.get(image=image).state["numbered"]
    add = []
    for place, (caption, start, end, types) in enumerate(change.shown):
        captions[caption.pk].non_visual.remove([start, end])
        add.append([first + place, caption.number, start, end, types, " ".join(caption.words[start:end])])
    for caption in captions.values():
        caption.non_visual.sort()
        caption.save(update_fields=["non_visual"])
    action = {"action": "rechunk", "remove": [mention.number for mention in change.hidden], "add": add}
    act_as_expert(image_id=image.pk, action=action, actor=actor, reason=reason)
