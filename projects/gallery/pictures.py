"""Pictures of the gallery's pages, for whoever may see them."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from accounts.may import may_see_picture
from annotation.models import Image
from annotation.pictures import SIZES, picture_response
from projects.gallery.access import readers_only


@require_safe
@readers_only
def send_picture(request: HttpRequest, image_id: int, size: str) -> HttpResponseBase:
    rows = Image.objects.select_related("project").only("name", "picture", "project__survey")
    image = get_object_or_404(rows, id=image_id)
    if not image.picture or size not in SIZES or not may_see_picture(request.user, image):
        raise Http404("There is no such picture.")
    return picture_response(request, image.picture, size)
