"""Shapes of the calls on measurements of programs: how far one is, and its figures with their intervals."""

from rest_framework import serializers

from campaign.api.shapes_of_forecasts import STATES, EstimateShape
from labelling.api.survey_shapes import Shape


class MeasuredProgramShape(Shape):
    program = serializers.CharField(help_text="The name of a program with predictions in the project.")


class MeasurementShape(MeasuredProgramShape):
    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=STATES)
    done = serializers.IntegerField(help_text="Images copied and finished so far, in both copies.")
    total = serializers.IntegerField()
    doing = serializers.CharField(help_text="What is being done, in words.")
    problem = serializers.CharField(help_text="Why it failed.")
    settings_version = serializers.IntegerField(help_text="The version of the settings that both copies have.")


class MeasuredFigureShape(Shape):
    without = serializers.FloatField(allow_null=True, help_text="In the copy without predictions. Shares are 0 to 1.")
    with_program = serializers.FloatField(allow_null=True, help_text="In the copy with the program's predictions.")
    change = EstimateShape(
        allow_null=True,
        help_text="Of answers, hours and cents a share of what they are without; of a share the difference.",
    )


class MeasurementResultShape(Shape):
    words = serializers.CharField(help_text="The conclusion.")
    images = serializers.IntegerField()
    with_gold = serializers.IntegerField(help_text="Images whose right answers are gold; else workers found them.")
    proposed = serializers.IntegerField(help_text="Boxes of the program that were tried.")
    kept = serializers.IntegerField()
    unused = serializers.ListField(child=serializers.CharField(), help_text="Why boxes or links count for nothing.")
    currency = serializers.CharField()
    figures = serializers.DictField(
        child=MeasuredFigureShape(),
        help_text="answers, linking and boxing of them, hours, cents, review; boxes_right, boxes_found, chains_exact.",
    )


class MeasurementWithResultShape(MeasurementShape):
    result = MeasurementResultShape(allow_null=True, help_text="Null until the state is done. All of it is simulated.")
