"""The shapes of the requesters' API: serializers check what programs send, and describe what the API returns."""

from django.core.validators import RegexValidator
from rest_framework import serializers

from annotation.rules.states import ImageState, ProjectState, Survey
from campaign.dashboard.needs import Kind
from campaign.models import AlertChannel, Delivery
from exchange.export_dataset import FORMATS
from labelling.api.survey_shapes import Shape
from pipeline.models import LedgerEntry
from pipeline.rules.tasks.task import Task
from upkeep.models import JobRun

MOST_ROWS = 1000
ALERTS = [kind.value for kind in Kind]
SURVEYS = [survey.value for survey in Survey]
STATES = [state.value for state in ProjectState]


class ProjectShape(Shape):
    name = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    survey = serializers.ChoiceField(
        choices=["", *SURVEYS], help_text="The one question that a survey asks; empty: the six tasks."
    )
    images = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class NewProjectShape(Shape):
    name = serializers.CharField(
        max_length=100,
        validators=[RegexValidator(r"\A[-a-zA-Z0-9_]+\Z", "A name has letters, digits, - and _ only.")],
        help_text="Letters, digits, - and _.",
    )
    title = serializers.CharField(required=False, default="", allow_blank=True, max_length=200)


class StateShape(Shape):
    state = serializers.ChoiceField(choices=STATES)


class TaskProgressShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    open = serializers.IntegerField(help_text="Questions that wait for an answer, on loan or not.")
    judgments = serializers.IntegerField(help_text="Answers to real questions.")


class MoneyShape(Shape):
    currency = serializers.CharField()
    earned_cents = serializers.IntegerField(help_text="For answers, with bonuses, without what was refused.")
    paid_cents = serializers.IntegerField()
    owed_cents = serializers.IntegerField()
    cap_cents = serializers.IntegerField(help_text="The most that may be promised; 0: no cap.")


class ProgressShape(Shape):
    name = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=STATES)
    images = serializers.DictField(
        child=serializers.IntegerField(), help_text=f"By state: {', '.join(state.value for state in ImageState)}."
    )
    finished_share = serializers.FloatField(help_text="Share of the images that are finished, 0 to 1.")
    in_review = serializers.IntegerField(help_text="Chains that wait for an expert.")
    tasks = TaskProgressShape(many=True)
    money = MoneyShape()


class SettingsShape(Shape):
    version = serializers.IntegerField()
    values = serializers.JSONField(help_text="All settings by name; docs/reference/settings.md describes each.")


class ChangeShape(Shape):
    values = serializers.JSONField(help_text="Settings to change, by name. The others stay.")
    reason = serializers.CharField(max_length=200)
    based_on = serializers.IntegerField(min_value=1, help_text="The version that you read.")


class FromShape(Shape):
    after = serializers.IntegerField(required=False, default=0, min_value=0, max_value=2**63 - 1)
    most = serializers.IntegerField(required=False, default=100, min_value=1, max_value=MOST_ROWS)


class JudgmentShape(Shape):
    id = serializers.IntegerField()
    image = serializers.CharField(help_text="Name of the image.")
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    question = serializers.IntegerField()
    phrases = serializers.ListField(child=serializers.CharField(), help_text="The phrases that the question shows.")
    answer = serializers.JSONField()
    worker = serializers.CharField(help_text="A pseudonym, the same in the project's exports.")
    seconds = serializers.FloatField(allow_null=True)
    comment = serializers.CharField()
    created_at = serializers.DateTimeField()


class JudgmentsShape(Shape):
    judgments = JudgmentShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")


class LedgerRowShape(Shape):
    id = serializers.IntegerField()
    worker = serializers.CharField(help_text="A pseudonym, the same in the project's exports.")
    kind = serializers.ChoiceField(choices=LedgerEntry.Kind.values)
    cents = serializers.IntegerField()
    reason = serializers.CharField()
    reference = serializers.CharField()
    created_at = serializers.DateTimeField()


class LedgerShape(Shape):
    currency = serializers.CharField()
    entries = LedgerRowShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")


class ExportShape(Shape):
    format = serializers.ChoiceField(choices=FORMATS)


class ExportStateShape(Shape):
    format = serializers.ChoiceField(choices=FORMATS)
    record = serializers.CharField(help_text="The state of the record that the archive holds.")
    state = serializers.ChoiceField(choices=JobRun.State.values)
    problem = serializers.CharField()
    file = serializers.CharField(help_text="Address of the archive; empty while it is being made.")


class KindsShape(Shape):
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=ALERTS), help_text="The kinds of alerts that are sent."
    )


class NewHookShape(Shape):
    url = serializers.CharField(max_length=500, help_text="It gets a POST with JSON, signed with the key.")
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=ALERTS), required=False, help_text="Left out: every kind."
    )


class ChannelShape(Shape):
    id = serializers.IntegerField()
    channel = serializers.ChoiceField(choices=AlertChannel.Kind.values)
    address = serializers.CharField()
    kinds = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()


class MadeHookShape(ChannelShape):
    key = serializers.CharField(help_text="Signs what the webhook gets; shown only here.")


class TriedHookShape(Shape):
    taken = serializers.BooleanField(allow_null=True, help_text="Null until the test has ended, or if there was none.")
    problem = serializers.CharField(help_text="Why it was not taken, or empty.")


class DeliveryShape(Shape):
    id = serializers.IntegerField()
    channel = serializers.IntegerField(help_text="Id of the webhook or mailbox.")
    kind = serializers.CharField(help_text="The kind of alert.")
    words = serializers.CharField()
    state = serializers.ChoiceField(choices=Delivery.State.values)
    tries = serializers.IntegerField()
    problem = serializers.CharField(help_text="Why the last try failed.")
    due_at = serializers.DateTimeField(help_text="The time of the next try, if it is due.")
    sent_at = serializers.DateTimeField(allow_null=True)


class DeliveriesShape(Shape):
    deliveries = DeliveryShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")
