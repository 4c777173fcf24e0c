"""The shapes of pictures and of what surveys ask about."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from pipeline.protocol.tasks.survey import AtomCategory


class Shape(serializers.Serializer[Any]):
    # A serializer of plain values. No docstring here: every shape would inherit it as its description.
    pass


class ImageShape(Shape):
    url = serializers.CharField(help_text="The picture with at most 1600 pixels on its longest side.")
    full_url = serializers.CharField(help_text="The picture in full size.")
    width = serializers.IntegerField(help_text="Of the upright image, in pixels. Boxes refer to these pixels.")
    height = serializers.IntegerField()


class AtomExampleShape(Shape):
    image = ImageShape()
    caption = serializers.CharField()


class CaptionSurveyShape(Shape):
    caption = serializers.CharField()
    words = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="Where each word begins and ends, in code points of the caption. Answers count them from 0.",
    )


class AtomSurveyShape(Shape):
    atom = serializers.CharField()
    category = serializers.ChoiceField(choices=[category.value for category in AtomCategory])
    examples = AtomExampleShape(many=True)


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="Survey", serializers=[CaptionSurveyShape, AtomSurveyShape], resource_type_field_name=None
    )
)
class SurveyField(serializers.JSONField):
    """The question of a caption check, or of an atom."""
