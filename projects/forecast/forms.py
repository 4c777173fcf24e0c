"""Forms of the prediction: what is assumed of the workers, and in how many days the work should be done."""

from django import forms

from projects.forecast.assumptions import ForecastInput
from projects.forecast.expected import Expected
from projects.forecast.operations import begin_forecast
from projects.models import Run
from projects.operation_form import CheckedChoice, OperationForm, form_for
from simulation.crowd import WORKERS

CROWD_WORDS = {
    "paper": "as in the paper",
    "table_3": "as in the paper, with twice the errors in links",
    "perfect": "without errors",
}
CROWD_CHOICES = [(name, CROWD_WORDS[name]) for name in CROWD_WORDS]
ForecastForm = form_for(
    begin_forecast,
    crowd=CheckedChoice(label="Workers answer", initial="paper", required=False, choices=CROWD_CHOICES),
)


def asking_who_works(form: OperationForm, invited: Expected) -> OperationForm:
    """Return the form, which needs the number of workers where nobody is expected."""
    form.fields["workers"].help_text = invited.words
    form.fields["workers"].required = not invited.workers
    return form


def first_form(newest: Run | None, invited: Expected) -> OperationForm:
    """Return the form with the last assumptions, and with the workers who are invited if there are any."""
    initial = dict(newest.input) if newest is not None else {}
    if newest is not None:
        initial["trusted"] = ForecastInput.model_validate(initial).all_trusted
    if invited.workers:
        initial |= {"workers": min(invited.workers, WORKERS), "trusted": min(invited.trusted, WORKERS)}
    return asking_who_works(ForecastForm(initial=initial), invited)


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
