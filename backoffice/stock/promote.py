"""Admin page that turns a closed question into a verification question. Mixed into the page of questions."""

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from annotation.rules.box import Box
from backoffice.base import OfChainAdmin
from backoffice.drawing import phrases_of, question_drawing
from backoffice.form_fields import choice_field
from backoffice.links import anchor
from members.may import Action
from pipeline.errors import BadAnswerError
from pipeline.models import KnownQuestion, Question
from pipeline.rules.known.known_from_finished import NotSureError
from pipeline.rules.known.stock_mix import answer_of
from pipeline.rules.tasks.answers import CHOICES
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.stock.known_questions import LONGEST, Purpose
from pipeline.stock.promote_question import CannotPromoteError, promote_question, truth_of


class PromoteForm(forms.Form):
    """The right answer, what the question is for, and why that is the answer."""

    purpose = choice_field(Purpose.choices)
    explanation = forms.CharField(
        required=False,
        max_length=LONGEST,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        help_text="Why this is the answer, about this picture: workers read it after they tried the example.",
    )

    def __init__(self, question: Question, truth: Any, data: Any = None) -> None:
        super().__init__(data)
        self.question, self.task = question, Task(question.task)
        self.fields["answer"] = self._boxes(truth) if self.task is Task.BOX_DRAWING else self._choice(truth)
        self.order_fields(["answer"])

    def _choice(self, truth: Any) -> forms.Field:
        names = {answer_of(self.task, one): one for one in CHOICES[self.task]}
        choices = [("", "–"), *((name, name) for name in names)]
        return forms.TypedChoiceField(
            choices=choices,
            coerce=names.__getitem__,
            initial="" if truth is None else answer_of(self.task, truth),
            label="Right answer",
            widget=UnfoldAdminSelectWidget(choices=choices),
        )

    def _boxes(self, truth: Any) -> forms.Field:
        return forms.CharField(
            required=False,
            initial="\n".join(", ".join(map(str, box)) for box in truth or ()),
            label="Missing boxes",
            widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
            help_text="A line for each box: left, top, right, bottom in pixels. Any is right. Empty: none is missing.",
        )

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
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


class PromotesQuestions(OfChainAdmin):
    """Questions that an expert can turn into verification questions."""

    actions = ("promote",)

    def has_promote_permission(self, request: HttpRequest) -> bool:
        return self.may(request, Action.MANAGE)

    @admin.action(description="Use as a verification question", permissions=["promote"])
    def promote(self, request: HttpRequest, rows: QuerySet[Question]) -> HttpResponseBase | None:
        if len(rows) == 1:
            return redirect("admin:pipeline_promote", rows[0].pk)
        messages.warning(request, "Choose one question: each needs a look of its own.")
        return None

    @admin.display(description="verification question")
    def promotion(self, row: Question) -> SafeString | str:
        if row.state != QuestionState.CLOSED.value:
            return "when it is closed"
        return anchor(reverse("admin:pipeline_promote", args=[row.pk]), "use it as one")

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view(self.promote_view)
        return [path("<int:question_id>/promote/", page, name="pipeline_promote"), *super().get_urls()]

    def promote_view(self, request: HttpRequest, question_id: int) -> HttpResponseBase:
        if not self.may(request, Action.MANAGE, question_id):
            raise PermissionDenied
        question = get_object_or_404(Question.objects.select_related("image", "project"), id=question_id)
        truth, unsure = _decided(question)
        form = PromoteForm(question, truth, request.POST or None)
        if form.is_valid() and (made := _promote(question, form, request.user.get_username())):
            messages.success(request, "The question is in the stock. Workers who answered it are not asked again.")
            return redirect("admin:pipeline_knownquestion_change", made.pk)
        context = {
            **self.admin_site.each_context(request),
            "opts": KnownQuestion._meta,
            "title": f"Use as a verification question: {form.task.label}",
            "form": form,
            "question": question,
            "unsure": unsure,
            "phrases": phrases_of(question.image_id, question.shown),
            "picture": question_drawing(question.image, question.shown, truth),
            "judgments": [(one.worker, json.dumps(one.answer)) for one in question.judgments.select_related("worker")],
        }
        return TemplateResponse(request, "backoffice/promote.html", context)


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
