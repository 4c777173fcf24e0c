"""The page of models: import what a program predicts, and see how good it is and what it saves."""

import json
from typing import Any, NamedTuple, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Image, Mention, Project
from annotation.rules.states import ImageState
from evaluation.reading.predictions.rows import BOX_FORM_LABELS, FORMS
from exchange.load_project import category_ids
from pipeline.known.prediction_score import LEAST_TRIED
from pipeline.project.settings_versions import current_settings
from projects.access import operation_page, page_caller
from projects.operation import Operation, Refused
from projects.operation_page import CheckedChoice, do_by_page, form_for
from projects.predictions.judges import judged_in, judges
from projects.predictions.measure.operations import measure_program, measurements
from projects.predictions.operations import describe_predictions, let_judge, name_family, note_price, send_predictions
from projects.predictions.scores import MOST_IMAGES, programs
from projects.runs import row_of

COLUMNS = ("caption__number", "start", "end", "text", "types")


class Sample(NamedTuple):
    """Two files: a phrase a line, and a box an entry."""

    jsonl: str
    coco: str


def sample_of(project: Project) -> Sample | None:
    """Return a sample of an image's phrases, a finished one if there is one; None while there are no phrases."""
    images = Image.objects.filter(project=project).order_by("position")
    for some in (images.filter(state=ImageState.MERGED.value), images):
        image = some.first()
        if image is not None:
            mentions = Mention.objects.filter(image=image).order_by("caption__number", "start")
            if rows := list(mentions.values_list(*COLUMNS)):
                return _sample(image, rows, category_ids(project))
    return None


def _sample(image: Image, rows: list[Any], categories: dict[int, str]) -> Sample:
    x, y, width, height = image.width // 8, image.height // 8, image.width // 2, image.height // 2
    box, other, bbox = [x, y, x + width, y + height], [0, 0, width, height], [x, y, width, height]
    first, last = _named(rows[0], rows), _by_words(rows[-1])
    kind = next((number for number, name in categories.items() if name in rows[0][-1]), min(categories))
    lines = [
        {"image": image.name, **first, "boxes": [box], "scores": [0.9]},
        {"image": image.name, **last, "boxes": [box, other], "chain": "A"},
    ]
    entries = [
        {"image_id": image.coco_number, **first, "bbox": bbox, "score": 0.9},
        {"image_id": image.coco_number, "category_id": kind, "bbox": bbox, "score": 0.8},
    ]
    return Sample("\n".join(map(_text, lines)), "[" + ",\n ".join(map(_text, entries)) + "]")


def _named(row: Any, rows: list[Any]) -> dict[str, Any]:
    """Name a phrase by its words, or by their place if its caption says them twice."""
    caption, _, _, text, _ = row
    alike = [row for row in rows if row[0] == caption and row[3].casefold() == text.casefold()]
    return {"caption": caption, "phrase": text} if len(alike) == 1 else _by_words(row)


def _by_words(row: Any) -> dict[str, Any]:
    return {"caption": row[0], "words": [row[1], row[2]]}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


BOX_FORMS = [
    ("", "as usual: corners for .jsonl, corner and size for .json"),
    *((form, BOX_FORM_LABELS[form]) for form in FORMS),
]
JUDGE_ACTS: dict[str, Operation[Any, Any, Any]] = {"price": note_price, "family": name_family}
"""Operations by what a button of the page sends; the others let a program judge."""
PredictionsForm = form_for(
    send_predictions, boxes=CheckedChoice(label="Form of the boxes", required=False, choices=BOX_FORMS)
)


@operation_page(send_predictions, "GET", "POST")
def models(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the programs with their scores; POST imports a file of predictions."""
    version, settings = current_settings(project.pk)
    form = PredictionsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            kept = send_predictions(project, form.given, page_caller(request))
        except Refused as refused:
            form.refuse(refused)
        else:
            for sentence in describe_predictions(kept):
                messages.success(request, sentence)
            return redirect("projects:models", name=project.name)
    found = programs(project, settings)
    newest, measured = measurements(
        project, cast(User, request.user), [(program.id, program.name) for program in found], version
    )
    judged = judged_in(settings)
    context = {
        "project": project,
        "form": form,
        "programs": [(program, measured[program.id]) for program in found],
        "newest": row_of(newest) if newest else None,
        "is_open": newest is not None and newest.is_open,
        "on": settings.pre_annotations,
        "judges": judges(project, settings) if judged else [],
        "judged": judged,
        "currency": settings.currency,
        "tasks": ("Boxes", "Links"),
        "least_tried": LEAST_TRIED,
        "most_images": MOST_IMAGES,
        "sample": sample_of(project),
    }
    return render(request, "projects/models.html", context, status=400 if form.errors else 200)


@operation_page(let_judge, "POST")
def judge(request: HttpRequest, project: Project) -> HttpResponse:
    """Let a program judge, set it aside, note what its answers cost, or name its family."""
    do_by_page(JUDGE_ACTS.get(request.POST.get("action", ""), let_judge), request, project)
    return redirect("projects:models", name=project.name)


@operation_page(measure_program, "POST")
def measure(request: HttpRequest, project: Project) -> HttpResponse:
    """Begin to measure a program."""
    do_by_page(measure_program, request, project)
    return redirect("projects:models", name=project.name)
