"""Forms of the prediction: what is assumed of the workers, and in how many days the work should be done."""

from typing import ClassVar

from django import forms

from campaign.models import CampaignPrediction
from simulation.crowd import CROWDS
from simulation.link_crowd import WORKERS

CROWD_WORDS = {
    "paper": "as in the paper",
    "table_3": "as in the paper, with twice the errors in links",
    "perfect": "without errors",
}
MOST_SAMPLE, MOST_REPETITIONS = 300, 10


class PredictForm(forms.ModelForm):
    """The assumptions. Crowds are those that are registered."""

    crowd = forms.ChoiceField(label="Workers answer", initial="paper")

    class Meta:
        model = CampaignPrediction
        fields = ("crowd", "workers", "bad_percent", "qualify", "sample", "repetitions")
        labels: ClassVar = {
            "workers": "Workers who begin",
            "bad_percent": "Bad workers among them, in percent",
            "qualify": "They take the test and probation (off: you trust them from the start)",
            "sample": "Images to simulate",
            "repetitions": "Times each is simulated",
        }

    def __init__(self, *args: object, **values: object) -> None:
        super().__init__(*args, **values)  # type: ignore[arg-type]
        self.fields["crowd"].choices = [(name, CROWD_WORDS.get(name, name)) for name in _crowds()]  # type: ignore[attr-defined]
        for name, least, most in (
            ("workers", 1, WORKERS),
            ("bad_percent", 0, 90),
            ("sample", 2, MOST_SAMPLE),
            ("repetitions", 2, MOST_REPETITIONS),
        ):
            before = self.fields[name]
            self.fields[name] = forms.IntegerField(
                label=before.label, initial=before.initial, min_value=least, max_value=most
            )
            self.fields[name].help_text = f"{least} to {most}"


def _crowds() -> list[str]:
    """Return the registered crowds, the paper's first."""
    return sorted(CROWDS, key=lambda name: (name not in CROWD_WORDS, [*CROWD_WORDS, name].index(name)))


class PaceForm(forms.Form):
    """The days in which the work should be done, and the hours that a worker gives on each."""

    days = forms.FloatField(label="Days", min_value=0.5, max_value=1000, initial=14)
    hours = forms.FloatField(label="Hours a day, of each worker", min_value=0.1, max_value=24, initial=2)
