"""Addresses that take the pieces of uploaded files, and tell how far each file is."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import Project
from campaign.access import managers_only
from campaign.data.uploads import OutOfPlaceError, UploadError, listed, remove, take_piece
from campaign.data.what_is_here import summary


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def upload(request: HttpRequest, project: Project) -> HttpResponse:
    """Tell which files are here, or take a piece: the body is its bytes, `path`, `offset` and `size` are parameters."""
    if request.method != "POST":
        files = listed(project)
        return JsonResponse({"files": {one.path: [one.received, one.size] for one in files}, **summary(project, files)})
    path, offset, size = (request.GET.get(name, "") for name in ("path", "offset", "size"))
    if not (offset.isdecimal() and size.isdecimal() and len(offset) < 16 and len(size) < 16):
        return JsonResponse({"why": "has a piece without path, offset and size, the last two as numbers."}, status=400)
    try:
        taken = take_piece(project, path, offset=int(offset), size=int(size), data=request.body)
    except OutOfPlaceError as error:
        return JsonResponse({"received": error.received, "complete": error.complete}, status=409)
    except UploadError as error:
        return JsonResponse({"why": error.why}, status=400)
    return JsonResponse({"received": taken.received, "complete": taken.received == taken.size})


@require_POST
@managers_only
def remove_files(request: HttpRequest, project: Project) -> HttpResponse:
    """Remove the uploaded file that `path` names, or all of them."""
    try:
        remove(project, request.POST.get("path", ""))
    except UploadError as error:
        messages.error(request, str(error))
    return redirect("campaign:data", name=project.name)
