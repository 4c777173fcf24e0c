"""The pages of the analysis of errors: draw a sample, go through its images, read and download the report."""

import random
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Image, Project
from annotation.rules.states import ImageState
from campaign.access import reviewers_only
from campaign.models import ErrorSample
from campaign.review.errors import KINDS, MOST_IMAGES, SampleError, draw_sample, note_errors, report
from gallery.image_page import image_page
from upkeep.downloads import csv_lines, download

USUAL_SIZE = 50
COLUMNS = ("kind", "errors", "of", "total", "share", "low", "high")


@reviewers_only("GET", "POST")
def samples(request: HttpRequest, project: Project) -> HttpResponse:
    """List the samples; a POST draws one."""
    if request.method == "POST":
        try:
            size, seed = (_number(request.POST.get(name, "")) for name in ("size", "seed"))
            made = draw_sample(project, size=size, seed=seed, made_by=request.user.get_username())
        except SampleError as error:
            messages.error(request, str(error))
        else:
            return redirect("campaign:error_sample", project.name, made.id)
    rows = ErrorSample.objects.filter(project=project)
    context = {
        "project": project,
        "samples": [(one, len(one.tallies), len(one.images)) for one in rows],
        "size": USUAL_SIZE,
        "most": MOST_IMAGES,
        "seed": random.randrange(10**6),
        "finished": project.images.filter(state=ImageState.MERGED.value).count(),
    }
    return render(request, "campaign/review/samples.html", context)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise SampleError(f"{text[:20]!r} is not a whole number: write digits only, at most nine.")
    return int(text)


@reviewers_only("GET")
def sample(request: HttpRequest, project: Project, sample_id: int) -> HttpResponse:
    row = get_object_or_404(ErrorSample, id=sample_id, project=project)
    left = [place for place, image in enumerate(row.images) if str(image) not in row.tallies]
    context = {
        "project": project,
        "sample": row,
        "lines": report(list(row.tallies.values())),
        "seen": len(row.tallies),
        "next": left[0] + 1 if left else None,
    }
    return render(request, "campaign/review/sample.html", context)


@reviewers_only("GET")
def sample_csv(request: HttpRequest, project: Project, sample_id: int) -> HttpResponseBase:
    row = get_object_or_404(ErrorSample, id=sample_id, project=project)
    lines = (
        (one.name, one.errors, one.of, one.total, *(f"{share:.6f}" for share in (one.share, one.low, one.high)))
        for one in report(list(row.tallies.values()))
    )
    return download(csv_lines(COLUMNS, lines), f"{project.name}-errors-{row.id}.csv")


@reviewers_only("GET", "POST")
def sampled_image(request: HttpRequest, project: Project, sample_id: int, place: int) -> HttpResponse:
    """Show one image of the sample; a POST keeps its errors and goes on to the next."""
    row = get_object_or_404(ErrorSample, id=sample_id, project=project)
    image = get_object_or_404(Image, id=row.images[place - 1] if 0 < place <= len(row.images) else 0, project=project)
    if request.method == "POST":
        try:
            given = {kind.name: _number(request.POST.get(kind.name, "0") or "0") for kind in KINDS}
            note_errors(row.id, image, given)
        except SampleError as error:
            messages.error(request, str(error))
        else:
            if place < len(row.images):
                return redirect("campaign:sampled_image", project.name, row.id, place + 1)
            return redirect("campaign:error_sample", project.name, row.id)
    found: dict[str, Any] = row.tallies.get(str(image.id), {"errors": {}})
    context = {
        "project": project,
        "sample": row,
        "place": place,
        "last": len(row.images),
        # People who count errors are not told how likely there are any.
        "page": image_page(image, with_chances=False),
        "kinds": [(kind, found["errors"].get(kind.name, 0)) for kind in KINDS],
    }
    return render(request, "campaign/review/sampled_image.html", context)
