"""The page that reopens what a worker without trust has decided: for review, or to ask others."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from campaign.access import managers_only
from campaign.people.pages import worker_here
from campaign.review.untrusted import decided_chains, distrusted_tasks, reconsider

HOW = (
    ("review", "send the chains to review"),
    ("ask", "ask others, without this worker; what cannot be asked goes to review"),
)


class ReconsiderForm(forms.Form):
    """The way in which the chains are decided again, and the reason."""

    how = forms.ChoiceField(choices=HOW, label="How")
    reason = forms.CharField(
        max_length=1000, widget=forms.Textarea({"rows": 3}), help_text="It is kept in the record of each image."
    )


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def reconsidered(request: HttpRequest, project: Project, worker_id: int) -> HttpResponse:
    """Say how many chains the worker has decided, and reopen them once this is confirmed."""
    worker = worker_here(project, worker_id)
    back = reverse("campaign:worker", args=[project.name, worker.pk])
    form = ReconsiderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        done = reconsider(
            worker,
            project.pk,
            actor=request.user.get_username(),
            reason=form.cleaned_data["reason"],
            ask_others=form.cleaned_data["how"] == "ask",
        )
        messages.success(
            request, f"{done['sent']} sent to review, {done['asked']} asked again, {done['left']} left as they are."
        )
        return redirect(back)
    tasks = distrusted_tasks(worker, project.pk)
    chains = sum(len(found) for found in decided_chains(worker, project.pk, tasks).values())
    names = ", ".join(task.label for task in tasks) or "none at the moment"
    context = {
        "project": project,
        "title": f"Decide again what {worker.name} has decided",
        "about": [
            f"Only tasks count on which the worker is not trusted: {names}.",
            f"Answers of theirs have acted on {chains} chains. Finished images are reopened; every act can be undone "
            "in the workbench.",
        ],
        "form": form if chains else None,
        "button": "Decide again" if chains else "",
        "is_danger": True,
        "back": back,
    }
    return render(request, "campaign/ask.html", context, status=400 if form.errors else 200)
