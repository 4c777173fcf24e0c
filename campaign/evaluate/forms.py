"""The form that begins an evaluation."""

from pathlib import PurePath
from typing import Any

from django import forms

from campaign.evaluate.steps import OFFERED, offered_step
from campaign.predictions.forms import BOX_FORMS
from evaluation.reading.predictions.read_file import KINDS as ENDINGS

MOST_MEGABYTES = 50


class EvaluateForm(forms.Form):
    """The step, its files, and the images."""

    step = forms.ChoiceField(label="Report", choices=[(one.step, one.title) for one in OFFERED])
    predictions = forms.FileField(
        label="Predictions",
        required=False,
        help_text="Boxes: a phrase a line (.jsonl), or COCO results (.json). Sentences: an image a line (.jsonl).",
    )
    against = forms.FileField(
        label="Another model's predictions", required=False, help_text="For the difference between the two. Optional."
    )
    boxes = forms.ChoiceField(label="Form of the boxes", required=False, choices=BOX_FORMS)
    name = forms.CharField(label="Name of the model", required=False, max_length=80)
    unfinished = forms.BooleanField(label="Unfinished images too", required=False)

    def clean(self) -> dict[str, Any]:
        """Check that there is a file where the step needs one, and drop those that it does not read."""
        given = super().clean() or {}
        reads = offered_step(given["step"]).given if given.get("step") else ()
        for name in ("predictions", "against"):
            file = given.get(name)
            if name not in reads:
                given[name] = None
            elif not file and name == reads[0] and name not in self.errors:
                self.add_error(name, "Choose the file that is to be scored.")
            elif file and PurePath(file.name).suffix.lower() not in ENDINGS:
                self.add_error(name, f"The name of the file must end in one of {', '.join(ENDINGS)}.")
            elif file and file.size > MOST_MEGABYTES << 20:
                self.add_error(
                    name, f"The file has more than {MOST_MEGABYTES} MB: use the command evaluate on the server."
                )
        return given

    def options(self) -> dict[str, str]:
        """Return the options of the step that are not files."""
        given = self.cleaned_data
        if given["step"] != "localization score":
            return {}
        form = ENDINGS[PurePath(given["predictions"].name).suffix.lower()]
        return {"form": form, **({"boxes": given["boxes"]} if given["boxes"] else {})}
