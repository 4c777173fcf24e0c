"""Addresses that take the pieces of uploaded files, and tell how far each file is."""

from pathlib import PurePosixPath
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import Project
from campaign.access import managers_only
from campaign.data.pasted import PastedError, as_caption_file
from campaign.data.sources import uploaded_source
from campaign.data.uploads import OutOfPlaceError, Received, UploadError, keep_text, listed, remove, take_piece
from exchange.detect import detect_format
from exchange.picture_files import is_picture
from exchange.problems import SourceError


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def upload(request: HttpRequest, project: Project) -> HttpResponse:
    """Tell which files are here, or take a piece: the body is its bytes, `path`, `offset` and `size` are parameters."""
    if request.method != "POST":
        files = listed(project)
        return JsonResponse({"files": {one.path: [one.received, one.size] for one in files}, **summary(project, files)})
    path, offset, size = (request.GET.get(name, "") for name in ("path", "offset", "size"))
    if not (offset.isdecimal() and size.isdecimal() and len(offset) < 16 and len(size) < 16):
        return JsonResponse({"error": "A piece needs path, offset and size, the last two as numbers."}, status=400)
    try:
        taken = take_piece(project, path, offset=int(offset), size=int(size), data=request.body)
    except OutOfPlaceError as error:
        return JsonResponse({"received": error.received, "complete": error.complete}, status=409)
    except UploadError as error:
        return JsonResponse({"error": str(error)}, status=400)
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


@require_POST
@managers_only
def captions(request: HttpRequest, project: Project) -> HttpResponse:
    """Keep captions that were pasted as captions.csv beside the uploaded pictures."""
    try:
        text, count = as_caption_file(request.POST.get("captions", ""))
        keep_text(project, "captions.csv", text)
    except (PastedError, UploadError) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{count} captions are kept as captions.csv.")
    return redirect("campaign:data", name=project.name)


def summary(project: Project, files: list[Received]) -> dict[str, Any]:
    """Return what the uploaded files are together: counts, bytes, texts, and the format that they make."""
    whole = [one for one in files if one.received == one.size]
    texts = [one for one in whole if not is_picture(one.path)]
    found: dict[str, Any] = {
        "count": len(whole),
        "begun": len(files) - len(whole),
        "pictures": len(whole) - len(texts),
        "bytes": sum(one.received for one in files),
        "texts": [one.path for one in texts[:20]],
        "moreTexts": max(0, len(texts) - 20),
        "format": "",
        "problem": "",
    }
    if whole:
        try:
            source = uploaded_source(project)
            found["format"] = "zip" if PurePosixPath(source).suffix.lower() == ".zip" else detect_format(source)
        except SourceError as error:
            found["problem"] = error.problem.message
    return found
