"""The form by which a requester uploads predictions."""

from django import forms

from campaign.predictions.keep_predictions import LONGEST_NAME
from evaluation.reading.predictions.box_forms import FORMS, WORDS

BOX_FORMS = [
    ("", "as usual: corners for .jsonl, corner and size for .json"),
    *((form, WORDS[form]) for form in FORMS),
]
MOST_MEGABYTES = 10
"""Of a file that is read while its sender waits: about 16 seconds at the most."""


class PredictionsForm(forms.Form):
    program = forms.CharField(
        max_length=LONGEST_NAME,
        label="Program",
        help_text="A name for the model and its version. The same name again: new predictions replace those left.",
    )
    file = forms.FileField(
        label="Predictions", help_text="A phrase a line (.jsonl), or COCO results (.json), as for Evaluate."
    )
    boxes = forms.ChoiceField(label="Form of the boxes", required=False, choices=BOX_FORMS)

    def clean_file(self) -> object:
        file = self.cleaned_data["file"]
        if file.size > MOST_MEGABYTES << 20:
            raise forms.ValidationError(
                f"The file has more than {MOST_MEGABYTES} MB: import it in parts, by API, or with import_predictions."
            )
        return file
