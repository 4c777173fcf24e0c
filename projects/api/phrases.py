"""Calls that tell a requester's programs which phrases there are: images with captions, phrases and pictures."""

from collections import defaultdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from annotation.models import Caption, Image, Mention
from annotation.rules.states import ImageState
from labelling.api.payload import image_shown
from labelling.api.survey_shapes import Shape
from pipeline.project.settings_versions import current_settings
from projects.api.calls import FromShape, RequesterCall, refusals


class PhraseShape(Shape):
    caption = serializers.IntegerField(help_text="From 0.")
    words = serializers.ListField(child=serializers.IntegerField(), help_text="[first word, end) in the caption.")
    text = serializers.CharField()
    types = serializers.ListField(child=serializers.CharField())

    class Meta:
        ref_name = "RequesterPhrase"


class ImageWithPhrasesShape(Shape):
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=[state.value for state in ImageState])
    url = serializers.CharField(help_text="Of the picture, at most 1600 pixels long; valid for a week at least.")
    full_url = serializers.CharField(help_text="Of the picture in full size.")
    width = serializers.IntegerField(help_text="Of the upright image, in pixels.")
    height = serializers.IntegerField()
    language = serializers.CharField(help_text="Of the captions, as a BCP 47 tag; empty: unknown.", allow_blank=True)
    captions = serializers.ListField(child=serializers.CharField())
    phrases = PhraseShape(many=True)


class ImagesShape(Shape):
    images = ImageWithPhrasesShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next images with it; null: no more.")


class PhrasesCall(RequesterCall):
    scopes = {"GET": Scope.READ}  # noqa: RUF012  # the base class declares it

    @extend_schema(
        operation_id="phrases",
        parameters=[FromShape],
        responses={200: ImagesShape, **refusals(404)},
    )
    def get(self, request: Request, project: str) -> Response:
        """Return images with their captions and phrases, in import order, from the position `after` on."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        asked = self.read(FromShape, request.query_params)
        rows = Image.objects.filter(project=found, position__gte=asked["after"]).order_by("position")
        page = list(rows[: asked["most"]])
        captions, phrases = _captions(page), _phrases(page)
        _, settings = current_settings(found.pk)
        values = [
            {
                "name": row.name,
                "state": row.state,
                **image_shown(row),
                "language": settings.caption_language,
                "captions": captions[row.pk],
                "phrases": phrases[row.pk],
            }
            for row in page
        ]
        after = page[-1].position + 1 if len(page) == asked["most"] else None
        return Response({"images": values, "after": after})


def _captions(page: list[Image]) -> dict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    rows = Caption.objects.filter(image__in=page).order_by("image_id", "number")
    for image, text in rows.values_list("image_id", "text"):
        found[image].append(text)
    return found


def _phrases(page: list[Image]) -> dict[int, list[dict[str, Any]]]:
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = Mention.objects.filter(image__in=page).order_by("image_id", "caption__number", "start")
    for image, caption, start, end, text, types in rows.values_list(
        "image_id", "caption__number", "start", "end", "text", "types"
    ):
        found[image].append({"caption": caption, "words": [start, end], "text": text, "types": types})
    return found
