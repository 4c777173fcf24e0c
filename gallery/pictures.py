"""Serves pictures in a size for the screen, each rendered once."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from annotation.models import Image
from annotation.pictures import PictureError
from annotation.renditions import SIZES, rendition
from gallery.access import readers_only

A_DAY = 24 * 3600


@readers_only
def picture(request: HttpRequest, image_id: int, size: str) -> HttpResponse:
    image = get_object_or_404(Image.objects.only("picture"), id=image_id)
    if not image.picture or size not in SIZES:
        raise Http404("There is no such picture.")
    return picture_response(request, image.picture, size)


def picture_response(request: HttpRequest, name: str, size: str) -> HttpResponse:
    """The rendition of a stored picture, or 304 for a browser that has it. The caller has checked who asks."""
    tag = f'"{name.rsplit("/", 1)[-1]}-{size}"'
    if request.headers.get("If-None-Match") == tag:
        response = HttpResponse(status=304)
    else:
        try:
            response = HttpResponse(rendition(name, size), content_type="image/jpeg")
        except (FileNotFoundError, PictureError) as error:
            raise Http404(f"The picture cannot be shown: {error}") from error
    # A picture's name is that of its content: what was served once stays right.
    response["ETag"] = tag
    response["Cache-Control"] = f"private, max-age={A_DAY}"
    return response
