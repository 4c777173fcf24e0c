"""Error analysis [paper 3.3.3]: kinds of error, how frequent each is in a sample of finished images, and its pages."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Chain, Image, MergedBox, Project
from annotation.rules.states import ImageState
from pipeline.checking.kinds_of_error import Error
from projects.access import reviewers_only
from projects.gallery.image_page import image_page
from projects.models import ErrorSample
from runtime.downloads import csv_lines, download
from runtime.intervals import IntervalEstimate, wilson

MOST_IMAGES = 1000
USUAL_SIZE = 50
COLUMNS = ("kind", "errors", "of", "total", "share", "low", "high")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error. `of`: what it is counted among."""

    name: str
    key: str
    of: str
    about: str


ERROR_KINDS = (
    Kind(Error.CHUNKING.value, "1", "mentions", "a phrase is too long or too short, is none, or is missing"),
    Kind(Error.WRONG_LINK.value, "2", "chains", "coreference: phrases of one chain mean different things"),
    Kind(Error.MISSED_LINK.value, "3", "chains", "coreference: phrases of different chains mean the same thing"),
    Kind(Error.WRONG_BOX.value, "4", "boxes", "a box is not tight, or is around something else"),
    Kind(Error.MISSING_BOX.value, "5", "chains", "something that the phrases mean has no box"),
)
"""The paper's two categories, chunking and coreference, the latter in its two directions; and errors of boxes, which
its figure 4 shows and its section does not count.
"""
NAMES = frozenset(kind.name for kind in ERROR_KINDS)
MOST_PER_IMAGE = 99


@dataclass(frozen=True, slots=True)
class ErrorShare:
    """One line of the report."""

    name: str
    about: str
    errors: int
    of: str
    total: int
    share: IntervalEstimate


def share_of(name: str, about: str, errors: int, of: str, total: int) -> ErrorShare:
    """Return a share with its 95 % interval. Several errors can lie in one part: no more than all parts are wrong."""
    errors = min(errors, total)
    return ErrorShare(name, about, errors, of, total, wilson(errors, total))


def report(tallies: Sequence[Mapping[str, Any]]) -> list[ErrorShare]:
    """Return the share of each kind, of coreference errors together, and of images with any error.

    `tallies`: of each image that was looked at, {"errors": {kind: number}, "mentions", "chains", "boxes"}.
    """
    errors: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for tally in tallies:
        errors.update(tally["errors"])
        parts.update({of: tally[of] for of in ("mentions", "chains", "boxes")})
    lines = [share_of(kind.name, kind.about, errors[kind.name], kind.of, parts[kind.of]) for kind in ERROR_KINDS]
    links = errors["wrong link"] + errors["missed link"]
    wrong = sum(any(tally["errors"].values()) for tally in tallies)
    return [
        *lines,
        share_of("coreference", "wrong and missed links together", links, "chains", parts["chains"]),
        share_of("any error", "images with an error of some kind", wrong, "images", len(tallies)),
    ]


class SampleError(Exception):
    """A sample cannot be drawn, or a tally does not fit; the message says why."""


def draw_sample(project: Project, *, size: int, seed: int, made_by: str = "") -> ErrorSample:
    """Draw finished images without replacement. The same seed draws the same images while no other is finished."""
    if not 1 <= size <= MOST_IMAGES:
        raise SampleError(f"A sample has 1 to {MOST_IMAGES} images, not {size}.")
    finished = project.images.filter(state=ImageState.MERGED.value).order_by("position")
    ids = list(finished.values_list("id", flat=True))
    if not ids:
        raise SampleError("No image is finished yet: there is nothing to sample.")
    chosen = random.Random(seed).sample(ids, min(size, len(ids)))
    return ErrorSample.objects.create(project=project, seed=seed, images=chosen, made_by=made_by)


@transaction.atomic
def note_errors(sample_id: int, image: Image, errors: dict[str, Any]) -> ErrorSample:
    """Keep how many errors of each kind an image has. What was noted of it before is replaced."""
    sample = ErrorSample.objects.select_for_update().get(id=sample_id)
    if image.id not in sample.images:
        raise SampleError(f"{image.name} is not in this sample.")
    for name, count in errors.items():
        if name not in NAMES or type(count) is not int or not 0 <= count <= MOST_PER_IMAGE:
            raise SampleError(f"{count!r} errors of the kind {name!r}: a kind of the list has 0 to {MOST_PER_IMAGE}.")
    parts = {
        "mentions": image.mentions.count(),
        "chains": Chain.objects.filter(image=image, merged_into=None).count(),
        "boxes": MergedBox.objects.filter(image=image).count(),
    }
    sample.tallies[str(image.id)] = {"errors": {name: count for name, count in errors.items() if count}, **parts}
    sample.save(update_fields=["tallies"])
    return sample


@reviewers_only("GET", "POST", surveys=False)
def samples(request: HttpRequest, project: Project) -> HttpResponse:
    """List the samples; a POST draws one."""
    if request.method == "POST":
        try:
            size, seed = (_number(request.POST.get(name, "")) for name in ("size", "seed"))
            made = draw_sample(project, size=size, seed=seed, made_by=request.user.get_username())
        except SampleError as error:
            messages.error(request, str(error))
        else:
            return redirect("projects:error_sample", project.name, made.id)
    rows = ErrorSample.objects.filter(project=project)
    context = {
        "project": project,
        "samples": [(row, len(row.tallies), len(row.images)) for row in rows],
        "size": USUAL_SIZE,
        "most": MOST_IMAGES,
        "seed": random.randrange(10**6),
        "finished": project.images.filter(state=ImageState.MERGED.value).count(),
    }
    return render(request, "projects/review/samples.html", context)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise SampleError(f"{text[:20]!r} is not a whole number: write digits only, at most nine.")
    return int(text)


@reviewers_only("GET", surveys=False)
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
    return render(request, "projects/review/sample.html", context)


@reviewers_only("GET", surveys=False)
def sample_csv(request: HttpRequest, project: Project, sample_id: int) -> HttpResponseBase:
    row = get_object_or_404(ErrorSample, id=sample_id, project=project)
    lines = (
        (tally.name, tally.errors, tally.of, tally.total, *(f"{share:.6f}" for share in tally.share))
        for tally in report(list(row.tallies.values()))
    )
    return download(csv_lines(COLUMNS, lines), f"{project.name}-errors-{row.id}.csv")


@reviewers_only("GET", "POST", surveys=False)
def sampled_image(request: HttpRequest, project: Project, sample_id: int, place: int) -> HttpResponse:
    """Show one image of the sample; a POST keeps its errors and goes on to the next."""
    row = get_object_or_404(ErrorSample, id=sample_id, project=project)
    image = get_object_or_404(Image, id=row.images[place - 1] if 0 < place <= len(row.images) else 0, project=project)
    if request.method == "POST":
        try:
            given = {kind.name: _number(request.POST.get(kind.name, "0") or "0") for kind in ERROR_KINDS}
            note_errors(row.id, image, given)
        except SampleError as error:
            messages.error(request, str(error))
        else:
            if place < len(row.images):
                return redirect("projects:sampled_image", project.name, row.id, place + 1)
            return redirect("projects:error_sample", project.name, row.id)
    found: dict[str, Any] = row.tallies.get(str(image.id), {"errors": {}})
    context = {
        "project": project,
        "sample": row,
        "place": place,
        "last": len(row.images),
        # People who count errors are not told how likely there are any.
        "page": image_page(image, with_chances=False),
        "kinds": [(kind, found["errors"].get(kind.name, 0)) for kind in ERROR_KINDS],
    }
    return render(request, "projects/review/sampled_image.html", context)
