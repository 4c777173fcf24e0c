"""Forms of the prediction: what is assumed of the workers, and in how many days the work should be done."""

from typing import Any, ClassVar

from django import forms

from projects.forecast.expected import Expected
from projects.models import CampaignPrediction
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
        fields = (
            "workers",
            "trusted",
            "crowd",
            "bad_percent",
            "program_errors",
            "good_percent",
            "sample",
            "repetitions",
        )
        labels: ClassVar = {
            "workers": "Workers who begin",
            "trusted": "Trusted among them, without a test",
            "bad_percent": "Bad workers among them, in percent",
            "program_errors": "Errors of a model annotator, in percent",
            "good_percent": "Good boxes of a program that proposes, in percent",
            "sample": "Images to simulate",
            "repetitions": "Times each is simulated",
        }

    def __init__(self, *args: object, **values: object) -> None:
        super().__init__(*args, **values)  # type: ignore[arg-type]
        self.fields["crowd"].choices = [(name, CROWD_WORDS.get(name, name)) for name in _crowds()]  # type: ignore[attr-defined]
        for name, least, most in (
            ("workers", 1, WORKERS),
            ("trusted", 0, WORKERS),
            ("bad_percent", 0, 90),
            ("program_errors", 0, 50),
            ("good_percent", 0, 100),
            ("sample", 2, MOST_SAMPLE),
            ("repetitions", 2, MOST_REPETITIONS),
        ):
            before = self.fields[name]
            self.fields[name] = forms.IntegerField(
                label=before.label,
                initial=before.initial,
                min_value=least,
                max_value=most,
                required=name not in ("trusted", "program_errors", "good_percent"),
            )
            self.fields[name].help_text = f"{least} to {most}"

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if "trusted" not in self.errors:
            found["trusted"] = found.get("trusted") or 0
        if found.get("trusted", 0) > found.get("workers", WORKERS):
            self.add_error("trusted", f"Only {found['workers']} workers begin: trust that many at most.")
        return found


def _crowds() -> list[str]:
    """Return the registered crowds, the paper's first."""
    return sorted(CROWDS, key=lambda name: (name not in CROWD_WORDS, [*CROWD_WORDS, name].index(name)))


def first_form(newest: CampaignPrediction | None, invited: Expected) -> PredictForm:
    """Return the form with the last assumptions, and with the workers who are invited if there are any."""
    form = PredictForm(instance=newest)
    form.fields["program_errors"].help_text = "0 to 50; empty: the programs at work, as measured"
    form.fields["good_percent"].help_text = "0 to 100; empty: as the boxes tried so far"
    if newest is not None:
        form.initial["trusted"] = newest.all_trusted
    if invited.workers:
        form.initial.update(workers=min(invited.workers, WORKERS), trusted=min(invited.trusted, WORKERS))
    form.fields["workers"].help_text = invited.words
    return form


class BudgetForm(forms.Form):
    """The most that the work may take, as one number."""

    budget = forms.FloatField(label="Budget", min_value=0.01, max_value=1e9)
    unit = forms.ChoiceField(
        label="counted in", choices=[("judgments", "judgments"), ("hours", "hours"), ("money", "money")]
    )

    def __init__(self, *args: object, currency: str, **values: object) -> None:
        """`currency`: of the project; empty if it pays nothing."""
        super().__init__(*args, **values)  # type: ignore[arg-type]
        units = [("judgments", "judgments"), ("hours", "hours"), *([("money", currency)] if currency else [])]
        self.fields["unit"].choices = units  # type: ignore[attr-defined]

    @property
    def amount(self) -> tuple[float, str]:
        """Return the number, money in hundredths, and its unit."""
        budget, unit = self.cleaned_data["budget"], self.cleaned_data["unit"]
        return (100 * budget if unit == "money" else budget), unit


class PaceForm(forms.Form):
    """The days in which the work should be done, and the hours that a worker gives on each."""

    days = forms.FloatField(label="Days", min_value=0.5, max_value=1000, initial=14)
    hours = forms.FloatField(label="Hours a day, of each worker", min_value=0.1, max_value=24, initial=2)
