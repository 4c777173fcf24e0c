"""Forms by which a requester decides about a worker, and writes to one."""

from datetime import timedelta
from typing import Any

from django import forms

from messaging.models import LENGTH
from pipeline.rules.tasks.task import Task
from upkeep import clock
from workers.rules.trust import TrustRules, act
from workers.rules.trust_states import IllegalMoveError, TrustEvent
from workers.trust_of import trust_of

EVENTS = {
    TrustEvent.TRUST: "trust: no test, no probation",
    TrustEvent.SUSPEND: "suspend for some days",
    TrustEvent.RESUME_TRUST: "end the suspension",
    TrustEvent.BAR: "bar from the task",
    TrustEvent.REINSTATE: "let work again after a bar",
    TrustEvent.REFUSE_APPEAL: "refuse the appeal",
    TrustEvent.WAIVE_TEST: "waive the test",
}


class TrustForm(forms.Form):
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
            raise forms.ValidationError(refused or "The worker has no task here: give access on the admin page first.")
        return values


class MessageForm(forms.Form):
    """A message to the worker."""

    text = forms.CharField(max_length=LENGTH, widget=forms.Textarea({"rows": 3}), label="Message")
