"""Requests of the workbench: say what an act would do, take it, undo it. Bodies and replies are JSON."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import RawPostDataException
from django.shortcuts import get_object_or_404

from annotation.bounds import MOST_PHRASES, MOST_PHRASES_OF_CAPTION
from annotation.models import Image, Project
from exchange.checks import parse_json
from exchange.problems import Defect
from pipeline.errors import StateMovedError
from pipeline.models import Progress
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.undo import CannotUndoError
from pipeline.record.intervene import (
    ImageMovedError,
    ImagePreview,
    act_as_expert,
    preview_expert,
    preview_undo,
    undo_entry,
)
from pipeline.record.merge_images import merge_images
from projects.access import reviewers_only
from projects.review.bench import bench
from projects.review.queue import Filters
from projects.review.what_changes import undoes_paid_work, what_changes

LONGEST_REASON = 500
REFUSED = (ExpertError, CannotUndoError, StateMovedError)


@reviewers_only("GET", surveys=False)
def data(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    image = get_object_or_404(project.images, id=image_id)
    chain = request.GET.get("chain", "")
    return JsonResponse(bench(image, Filters.of(request.GET), int(chain) if _is_number(chain) else None))


@reviewers_only("POST", surveys=False)
def preview(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    """Return what {"action"} or {"undo": entry} would change, in sentences, and whether it takes a reason."""
    return _answered(request, project, image_id, _preview)


@reviewers_only("POST", surveys=False)
def act(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    """Take {"action"} or {"undo": entry}, with {"reason"}, on the image as it was at {"sequence"}.

    What was shown would otherwise not be what happens: an image that has moved on is refused with 409.
    """
    return _answered(request, project, image_id, _act)


Handler = Callable[[HttpRequest, Image, dict[str, Any]], HttpResponse]


def _answered(request: HttpRequest, project: Project, image_id: int, handler: Handler) -> HttpResponse:
    image = get_object_or_404(project.images, id=image_id)
    try:
        body = parse_json(request.body)
    except (Defect, RawPostDataException):  # the second: a form was sent, and read already
        body = None
    if not isinstance(body, dict) or not (isinstance(body.get("action"), dict) or type(body.get("undo")) is int):
        return _problem('The request must be JSON with {"action": {…}} or {"undo": number of the entry}.')
    try:
        return handler(request, image, body)
    except ImageMovedError as error:
        return _problem(str(error), 409)
    except REFUSED as error:
        return _problem(str(error) or "The image is changing at the moment: try again.")


def _preview(request: HttpRequest, image: Image, body: dict[str, Any]) -> HttpResponse:
    found = _previewed(image, body)
    return JsonResponse(
        {
            "changes": what_changes(found) or ["Nothing else changes."],
            "needs_reason": undoes_paid_work(found),
            "sequence": found.before.sequence,
        }
    )


def _act(request: HttpRequest, image: Image, body: dict[str, Any]) -> HttpResponse:
    found = _previewed(image, body)
    reason = str(body.get("reason") or "").strip()[:LONGEST_REASON]
    seen = found.before.sequence
    if body.get("sequence") != seen:
        raise ImageMovedError
    if undoes_paid_work(found) and not reason:
        return _problem("Give a reason: this undoes work that was paid, and others will want to know.")
    actor = request.user.get_username()
    if "undo" in body:
        undo_entry(image_id=image.id, entry=body["undo"], actor=actor, reason=reason, seen=seen)
    else:
        act_as_expert(image_id=image.id, action=body["action"], actor=actor, reason=reason, seen=seen)
    if Progress.objects.filter(image=image, due=Progress.Due.MERGE).exists():
        merge_images(project_id=image.project_id)  # the expert sees the image finished, not what is due soon
    chain = body.get("chain")
    return JsonResponse(bench(image, Filters.of(request.GET), chain if type(chain) is int else None))


def _previewed(image: Image, body: dict[str, Any]) -> ImagePreview:
    if "undo" in body:
        return preview_undo(image_id=image.id, entry=body["undo"])
    try:
        _check_bounds(image, body["action"])
        return preview_expert(image_id=image.id, action=body["action"])
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ExpertError(f"The action cannot be taken as it is written: {error}.") from error


def _check_bounds(image: Image, action: dict[str, Any]) -> None:
    """Raise ExpertError if a caption or the image would have too many phrases."""
    added = action.get("add")
    if not isinstance(added, list) or not added:
        return
    removed: list[int] = action["remove"] if isinstance(action.get("remove"), list) else []
    left = list(image.mentions.exclude(number__in=removed).values_list("caption__number", flat=True))
    captions = [*left, *(row[1] for row in added if isinstance(row, list) and len(row) > 1)]
    most = max(captions.count(caption) for caption in set(captions))
    if most > MOST_PHRASES_OF_CAPTION:
        raise ExpertError(f"The caption would have {most} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed.")
    if len(captions) > MOST_PHRASES:
        raise ExpertError(f"The image would have {len(captions)} phrases: at most {MOST_PHRASES} are allowed.")


def _problem(words: str, status: int = 400) -> JsonResponse:
    return JsonResponse({"problem": words}, status=status)


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10
