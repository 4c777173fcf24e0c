"""Serve pictures in a size for the screen. Each size is rendered once."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.models import Image
from annotation.pictures import SIZES, PictureError, rendition
from annotation.storage import store
from gallery.access import readers_only
from members.may import may_see_picture


@require_safe
@readers_only
def picture(request: HttpRequest, image_id: int, size: str) -> HttpResponseBase:
    rows = Image.objects.select_related("project").only("name", "picture", "project__survey")
    image = get_object_or_404(rows, id=image_id)
    if not image.picture or size not in SIZES or not may_see_picture(request.user, image):
        raise Http404("There is no such picture.")
    return picture_response(request, image.picture, size)


def picture_response(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    """Return the rendition of a stored picture, or a redirect to it. The caller has checked the visitor's rights."""
    try:
        return store().delivery(request, rendition(name, size), content_type="image/jpeg")
    except (FileNotFoundError, PictureError) as error:
        store().check_reachable()
        raise Http404(f"The picture cannot be shown: {error}") from error
