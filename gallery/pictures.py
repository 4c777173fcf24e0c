"""Serves pictures in a size for the screen, each rendered once."""

from typing import BinaryIO, cast

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from annotation.models import Image
from annotation.pictures import PictureError, render_for_screen
from gallery.access import readers_only

SIZES = {"screen": 1600, "thumbnail": 480}
"""Longest sides in pixels."""
A_DAY = 24 * 3600


@readers_only
def picture(request: HttpRequest, image_id: int, size: str) -> HttpResponse:
    image = get_object_or_404(Image.objects.only("picture"), id=image_id)
    if not image.picture or size not in SIZES:
        raise Http404("There is no such picture.")
    tag = f'"{image.picture.rsplit("/", 1)[-1]}-{size}"'
    if request.headers.get("If-None-Match") == tag:
        response = HttpResponse(status=304)
    else:
        try:
            response = HttpResponse(_rendered(image.picture, size), content_type="image/jpeg")
        except (FileNotFoundError, PictureError) as error:
            raise Http404(f"The picture cannot be shown: {error}") from error
    # A picture's name is that of its content: what was served once stays right.
    response["ETag"] = tag
    response["Cache-Control"] = f"private, max-age={A_DAY}"
    return response


def _rendered(name: str, size: str) -> bytes:
    """Kept in storage beside the original, so that every process and the next start find it."""
    kept = f"renditions/{size}/{name.rsplit('/', 1)[-1].rsplit('.', 1)[0]}.jpg"
    if default_storage.exists(kept):
        with default_storage.open(kept) as file:
            return cast(bytes, file.read())
    with default_storage.open(name) as file:
        made = render_for_screen(cast(BinaryIO, file), longest_side=SIZES[size])
    default_storage.save(kept, ContentFile(made))
    return made
