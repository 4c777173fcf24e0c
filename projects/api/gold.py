"""Calls on known questions: how many there are and are missing, and annotations of images to make them of."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from annotation.models import Project
from annotation.rules.states import NonVisual
from labelling.api.survey_shapes import Shape
from pipeline.protocol.tasks.task import Task
from projects.api.calls import RequesterCall, refusals
from projects.gold.outlook import outlook
from projects.gold.sample_images import GoldError
from projects.gold.sheets import take_sheet
from projects.lifecycle.newcomers import missing_stock

PHRASES = serializers.ListField(
    child=serializers.ListField(child=serializers.IntegerField(), min_length=3, max_length=3),
    help_text="Spans of words: number of the caption, first word, the word after the last; all from 0.",
)


class GoldChainShape(Shape):
    phrases = PHRASES
    boxes = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=4, max_length=4), required=False
    )
    non_visual = serializers.ChoiceField(
        choices=["", *(one.value for one in NonVisual)], required=False, help_text="The reason for no box."
    )


class AnnotatedImageShape(Shape):
    image = serializers.CharField(help_text="Its name.")
    chains = GoldChainShape(many=True, help_text="Each phrase of the image is in one chain.")
    annotators = serializers.IntegerField(
        min_value=1, max_value=2, default=1, help_text="People who annotate it, if it joins the sample now."
    )


class TaskStockShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    known = serializers.IntegerField(help_text="Verification questions.")
    tests = serializers.IntegerField()
    images_needed = serializers.IntegerField(allow_null=True, help_text="An estimate; null: more than it can tell.")
    assignments = serializers.IntegerField(allow_null=True, help_text="Until a new worker has seen all; null: never.")


class StockShape(Shape):
    least = serializers.IntegerField(help_text="Verification questions of each task that newcomers need.")
    recommended = serializers.IntegerField()
    tasks = TaskStockShape(many=True)
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Why newcomers cannot begin, in sentences; empty: they can."
    )


class GoldCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="known_questions", responses={200: StockShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return how many known questions each task has, and what is missing."""
        return Response(_as_json(self.project(project, Action.MANAGE, of_six_tasks=True)))

    @extend_schema(
        operation_id="annotate_image",
        request=AnnotatedImageShape,
        responses={200: StockShape, **refusals(404)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Give your annotation of one image; known questions are made of it."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        data = self.read(AnnotatedImageShape)
        try:
            take_sheet(found, data, self.user, annotators=data["annotators"])
        except GoldError as error:
            raise ValidationError(str(error)) from error
        return Response(_as_json(found))


def _as_json(project: Project) -> dict[str, Any]:
    found = outlook(project)
    tasks = [
        {
            "task": one.task.value,
            "known": one.verification,
            "tests": one.tests,
            "images_needed": one.least_images,
            "assignments": one.each,
        }
        for one in found.tasks
    ]
    needs = {"least": found.least, "recommended": found.recommended}
    return {**needs, "tasks": tasks, "missing": missing_stock(project)}
