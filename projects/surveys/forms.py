"""Forms of surveys: a new one, and items for one."""

from typing import Any

from django import forms
from django.db.models import Exists, OuterRef

from accounts.may import Action, User, may_borrow_pictures, projects_for
from annotation.models import Image, Project
from pipeline.protocol.settings import MOST_VOTES
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from projects.lifecycle.name_form import NameForm

MOST_MEGABYTES = 20
LARGEST_SEED = 2**31 - 1
SURVEY_KINDS = {
    Task.CAPTION_CHECK: "A picture and one caption: is it correct, and if not, which word is wrong?",
    Task.ATOM_VISUAL: "A word with three example captions and their pictures: can one see it in a picture?",
}
ITEMS = {
    Task.CAPTION_CHECK: '{"image": "dog.jpg", "caption": "a man with a dog", "foil": "a man with a cat", "place": 4}',
    Task.ATOM_VISUAL: '{"atom": "dog", "category": "entity", "examples": [{"image": "dog.jpg", "caption": "…"}, …]}',
}
"""A line of the file, for the page."""


class ItemsForm(forms.Form):
    """A file of items, and how they are imported."""

    items = forms.FileField(
        label="File of items",
        help_text="JSON lines, one item each.",
        widget=forms.FileInput({"accept": ".jsonl,.json"}),
    )
    source = forms.ModelChoiceField(
        Project.objects.none(),
        required=False,
        label="Pictures",
        empty_label="I upload them",
        help_text="Uploaded on the next page, or those of a project of yours, which are not copied.",
    )
    known = forms.IntegerField(
        min_value=0,
        max_value=10_000,
        initial=0,
        label="Items that become verification questions",
        help_text="Their answers are known, and workers are checked by them. They are not asked as real questions. "
        "Newcomers need some; people whom you trust need none.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        initial=0,
        required=False,
        label="Seed",
        help_text="Decides the order of the questions and which items are known.",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        pictured = Image.objects.filter(project=OuterRef("pk")).exclude(picture="")
        source: Any = self.fields["source"]
        offered = projects_for(user, Action.LOOK).filter(Exists(pictured)).order_by("name")
        closed = [survey.pk for survey in offered.exclude(survey="") if not may_borrow_pictures(user, survey)]
        source.queryset = offered.exclude(pk__in=closed)
        source.label_from_instance = lambda one: one.title or one.name

    def clean_items(self) -> Any:
        file = self.cleaned_data["items"]
        if file.size > MOST_MEGABYTES << 20:
            raise forms.ValidationError(
                f"The file has more than {MOST_MEGABYTES} MB: split it, or use the command survey_import on the server."
            )
        return file

    def clean_seed(self) -> int:
        return int(self.cleaned_data["seed"] or 0)


class NewSurveyForm(NameForm, ItemsForm):
    """A new survey: its names, what it asks, its items, and how many workers answer each question."""

    field_order = ("title", "name", "kind", "items", "source", "votes", "known", "seed")
    kind = forms.ChoiceField(
        label="What is asked",
        choices=[(task.value, task.label.capitalize()) for task in SURVEY_TASKS],
        widget=forms.RadioSelect,
        initial=Task.CAPTION_CHECK.value,
    )
    votes = forms.IntegerField(
        min_value=1,
        max_value=MOST_VOTES,
        initial=3,
        label="Workers who answer each question",
        help_text="An odd number: the majority decides.",
    )

    def clean_votes(self) -> int:
        votes = int(self.cleaned_data["votes"])
        if votes % 2 == 0:
            raise forms.ValidationError(f"{votes} is even: write an odd number, so that there is always a majority.")
        return votes
