"""The page that turns a closed question into a known question, with the right answer as a person sees it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Project
from annotation.rules.box import Box
from campaign.access import managers_only
from campaign.people.answers import frames_of
from pipeline.errors import BadAnswerError
from pipeline.models import KnownQuestion, Question
from pipeline.rules.known.known_from_finished import NotSureError
from pipeline.rules.known.stock_mix import answer_of
from pipeline.rules.tasks.answers import CHOICES
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import LONGEST, Purpose
from pipeline.stock.promote_question import CannotPromoteError, promote_question, truth_of
from reports.answers_of_task import word
from reports.question_words import phrases_of


class PromoteForm(forms.Form):
    """The right answer, what the question is for, and why that is the answer."""

    purpose = forms.ChoiceField(choices=Purpose.choices)
    explanation = forms.CharField(
        required=False,
        max_length=LONGEST,
        widget=forms.Textarea({"rows": 2}),
        help_text="Why this is the answer, about this picture: workers read it after they tried the example.",
    )

    def __init__(self, question: Question, truth: Any, data: Any = None) -> None:
        super().__init__(data)
        self.question, self.task = question, Task(question.task)
        self.truth = truth
        if self.task is Task.BOX_DRAWING:
            self.fields["answer"] = self._boxes(truth)
        elif self.task in CHOICES:
            self.fields["answer"] = self._choice(truth)
        self.order_fields(["answer"])

    def _choice(self, truth: Any) -> forms.Field:
        names = {answer_of(self.task, one): one for one in CHOICES[self.task]}
        return forms.TypedChoiceField(
            choices=[("", "–"), *((name, name) for name in names)],
            coerce=names.__getitem__,
            initial="" if truth is None else answer_of(self.task, truth),
            label="Right answer",
        )

    def _boxes(self, truth: Any) -> forms.Field:
        return forms.CharField(
            required=False,
            initial="\n".join(", ".join(map(str, box)) for box in truth or ()),
            label="Missing boxes",
            widget=forms.Textarea({"rows": 3}),
            help_text="A line for each box: left, top, right, bottom in pixels. Any is right. Empty: none is missing.",
        )

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        if "answer" not in self.fields:  # nobody writes such an answer by hand
            given["answer"] = self.truth
            if self.truth is None:
                self.add_error(None, "The right answer is not sure, so this question cannot be used.")
        if given.get("purpose") == Purpose.EXAMPLE and not given.get("explanation"):
            self.add_error("explanation", "Workers learn from an example only if it says why.")
        return given

    def clean_answer(self) -> Any:
        given, image = self.cleaned_data["answer"], self.question.image
        if self.task is not Task.BOX_DRAWING:
            return given
        boxes = []
        for line in filter(str.strip, given.splitlines()):
            try:
                box = Box(*(int(edge) for edge in line.replace(",", " ").split()))
            except (ValueError, TypeError) as error:
                raise forms.ValidationError(f"“{line}” is not a box: write left, top, right, bottom.") from error
            if not box.fits(image.width, image.height):
                raise forms.ValidationError(
                    f"“{line}” lies outside the image of {image.width} x {image.height} pixels."
                )
            boxes.append(list(box))
        return boxes


@managers_only("GET", "POST")
def promote(request: HttpRequest, project: Project, question_id: int) -> HttpResponse:
    """Show the question and how it was decided; a POST puts it into the stock."""
    question = get_object_or_404(Question.objects.select_related("image", "project"), id=question_id, project=project)
    truth, unsure = _decided(question)
    form = PromoteForm(question, truth, request.POST or None)
    if form.is_valid() and _promote(question, form, request.user.get_username()):
        messages.success(request, "The question is in the stock. Workers who answered it are not asked again.")
        return redirect("campaign:known_questions", project.name)
    boxes = truth if isinstance(truth, list) else []
    context = {
        "project": project,
        "form": form,
        "question": question,
        "task": form.task.label,
        "unsure": unsure,
        "phrases": phrases_of(question),
        "frames": [*frames_of(question.shown, None), *(one for box in boxes for one in frames_of({}, {"box": box}))],
        "judgments": [(one.worker, word(one.answer)) for one in question.judgments.select_related("worker")],
    }
    return render(request, "campaign/gold/promote.html", context, status=400 if form.errors else 200)


def _decided(question: Question) -> tuple[Any, str]:
    """Return how the question was decided and "", or None and why that is not sure."""
    try:
        return truth_of(question), ""
    except NotSureError as error:
        return None, str(error)


def _promote(question: Question, form: PromoteForm, actor: str) -> KnownQuestion | None:
    given = form.cleaned_data
    try:
        return promote_question(
            question_id=question.pk,
            truth=given["answer"],
            purpose=Purpose(given["purpose"]),
            explanation=given["explanation"],
            actor=actor,
        )
    except (CannotPromoteError, BadAnswerError) as error:
        form.add_error(None, str(error))
        return None
