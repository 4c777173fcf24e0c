"""Forms by which a requester decides about a worker, and writes to one."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django import forms
from django.http import QueryDict

from annotation.models import Project
from labelling.models import LENGTH
from pipeline.money.write_entry import LONGEST_REASON, LONGEST_REFERENCE, MOST
from pipeline.project.tasks import tasks_of
from pipeline.protocol.tasks.task import Task
from runtime import clock
from workers.change_trust import trust_of
from workers.rules.trust import TrustRules, act
from workers.rules.trust_states import IllegalMoveError, TrustEvent

EVENTS = {
    TrustEvent.TRUST: "trust: no test, no probation",
    TrustEvent.SUSPEND: "suspend for some days",
    TrustEvent.RESUME_TRUST: "end the suspension",
    TrustEvent.BAR: "bar from the task",
    TrustEvent.REINSTATE: "let work again after a bar",
    TrustEvent.REFUSE_APPEAL: "refuse the appeal",
    TrustEvent.WAIVE_TEST: "waive the test",
}


class FocusedForm(forms.Form):
    """A form whose first wrong field has the focus when it is shown again."""

    def full_clean(self) -> None:
        super().full_clean()
        wrong = next((name for name in self.fields if name in self.errors), None)
        if wrong:
            self.fields[wrong].widget.attrs["autofocus"] = True

    def refuse(self, field: str, why: str) -> None:
        """Say at the field why what it holds cannot be done, which only doing it shows."""
        self.add_error(field, why)
        self.fields[field].widget.attrs["autofocus"] = True


class TrustForm(FocusedForm):
    """One decision, on one task or on all of the worker's tasks that allow it."""

    task = forms.ChoiceField(required=False)
    event = forms.ChoiceField(choices=[(one.value, text) for one, text in EVENTS.items()], label="Decision")
    days = forms.IntegerField(required=False, min_value=1, max_value=365, help_text="How long a suspension lasts.")
    take_back = forms.BooleanField(
        required=False,
        label="Ask again",
        help_text="Void the worker's answers that have not taken effect yet, and ask other workers.",
    )
    reason = forms.CharField(
        max_length=1000, widget=forms.Textarea({"rows": 3}), help_text="The worker reads it, and so does the record."
    )

    def __init__(self, *args: Any, worker_id: int, project_id: int, own: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.worker_id, self.project_id, self.own = worker_id, project_id, own
        tasks: Any = self.fields["task"]
        tasks.choices = [("", "all tasks"), *((one, Task(one).label) for one in own)]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if self.errors:
            return values
        now, event = clock.now(), TrustEvent(values["event"])
        values["until"] = now + timedelta(days=values["days"]) if values.get("days") else None
        values["tasks"], refused = [], ""
        for task in [values["task"]] if values["task"] else self.own:
            try:
                act(trust_of(self.worker_id, self.project_id, task), event, TrustRules(), now, until=values["until"])
            except IllegalMoveError as error:
                refused = str(error)
            else:
                values["tasks"].append(task)
        if not values["tasks"]:
            raise forms.ValidationError(refused or "The worker has no task here: give access first.")
        return values


class AccessForm(forms.Form):
    """The tasks that the worker may answer."""

    tasks = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="May answer",
        help_text="Without a task the worker gets no new questions. What was answered stays.",
    )
    trusted = forms.BooleanField(
        required=False,
        label="Trust in what is new",
        help_text="No test and no probation in the tasks that you add. Trust that the worker has, or lost, stays.",
    )

    def __init__(self, project: Project, given: QueryDict | None = None, *, had: list[str]) -> None:
        super().__init__(given, initial={"tasks": had})
        tasks: Any = self.fields["tasks"]
        tasks.choices = [(task.value, task.label) for task in tasks_of(project)]


class MessageForm(forms.Form):
    """A message to the worker."""

    text = forms.CharField(max_length=LENGTH, widget=forms.Textarea({"rows": 3}), label="Message")


class AmountForm(FocusedForm):
    """An amount of money in the project's currency, with a reason that the worker reads."""

    amount = forms.DecimalField(min_value=Decimal("0.01"), max_value=MOST // 100, decimal_places=2)
    reason = forms.CharField(max_length=LONGEST_REASON, label="What for", help_text="The worker reads it.")
    reference = forms.CharField(max_length=LONGEST_REFERENCE, widget=forms.HiddenInput)
    """A name that the page gives to what is typed into it: sent twice, it is one entry."""

    def __init__(self, given: QueryDict | None, *, currency: str, prefix: str, name: str, **start: Any) -> None:
        super().__init__(given, initial={"reference": f"{name} {uuid4().hex[:16]}", **start}, prefix=prefix)
        self.fields["amount"].label = f"Amount in {currency}"

    @property
    def cents(self) -> int:
        return int(self.cleaned_data["amount"] * 100)


class PaymentForm(AmountForm):
    """A payment that the requester made elsewhere: in cash, or from bank to bank."""

    amount = forms.DecimalField(min_value=0, max_value=MOST // 100, decimal_places=2)
    paid_on = forms.DateField(label="Paid on", widget=forms.DateInput({"type": "date"}))
    reason = forms.CharField(
        max_length=LONGEST_REASON - 40,
        label="How it was paid",
        help_text="For example “in cash”, or the name of the bank transfer. The worker reads it.",
    )
    field_order = ("amount", "paid_on", "reason", "reference")

    def __init__(self, given: QueryDict | None = None, *, owed: int, currency: str) -> None:
        start: dict[str, Any] = {"paid_on": clock.now().date()}
        if owed > 0:
            start["amount"] = f"{owed / 100:.2f}"
        super().__init__(given, currency=currency, prefix="pay", name="by hand", **start)

    def clean_paid_on(self) -> date:
        found: date = self.cleaned_data["paid_on"]
        if found > clock.now().date():
            raise forms.ValidationError("This day is still to come: record the payment when it is made.")
        return found

    @property
    def words(self) -> str:
        """The ledger's words about the payment: how it was made, and when."""
        return f"{self.cleaned_data['reason']} (paid on {self.cleaned_data['paid_on']:%d %B %Y})"


class BonusForm(AmountForm):
    """A bonus on top of what the worker's assignments earn."""

    def __init__(self, given: QueryDict | None = None, *, currency: str) -> None:
        super().__init__(given, currency=currency, prefix="bonus", name="bonus")
