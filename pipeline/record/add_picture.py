"""Add a picture to an image that came without one: from then on people are asked about it, too."""

from django.db import transaction

from annotation.models import Image
from pipeline.models import Question
from pipeline.record.append_entries import lock_progress


@transaction.atomic
def add_picture(*, image_id: int, picture: str, path: str) -> bool:
    """Note the picture's name in storage, and its path in the source. Returns whether the image had none before.

    The record stays as it is: no rule reads pixels. Questions that are open are shown to people from now on.
    """
    lock_progress([image_id])  # a fold that opens questions meanwhile would still open them for nobody
    if not Image.objects.filter(id=image_id, picture="").update(picture=picture):
        return False
    Image.objects.filter(id=image_id, path="").update(path=path)
    Question.objects.filter(image_id=image_id, for_people=False).update(for_people=True)
    return True
