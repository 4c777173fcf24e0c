"""Pictures as responses, in a size for the screen. Each size is rendered once."""

from django.http import Http404, HttpRequest, HttpResponseBase

from annotation.decode_picture import PictureError
from annotation.pictures import rendition
from annotation.storage import store


def picture_response(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    """Return the rendition of a stored picture, or a redirect to it. The caller has checked the visitor's rights."""
    try:
        return store().delivery(request, rendition(name, size), content_type="image/jpeg")
    except (FileNotFoundError, PictureError) as error:
        store().check_reachable()
        raise Http404(f"The picture cannot be shown: {error}") from error
