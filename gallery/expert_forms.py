"""A form for each action of an expert; what the rules refuse is shown beside the form."""

from typing import Any, cast

from django import forms

from annotation.models import Image
from annotation.rules.mention_type import MentionType
from annotation.rules.states import ChainState, NonVisual
from pipeline.rules.expert import DESTINATIONS

TYPES = [(one.value, one.value) for one in MentionType]


class ExpertForm(forms.Form):
    """`action()` gives what `pipeline.rules.expert` takes. Chains and mentions are named by their numbers."""

    name = ""
    title = ""
    reason = forms.CharField(max_length=500, required=False, help_text="kept in the record")

    def action(self) -> dict[str, Any]:
        values = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return {"action": self.name, **values}


class Numbers(forms.CharField):
    """Several whole numbers: "3, 7"."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value) or ""
        try:
            return [int(word) for word in text.replace(",", " ").split()]
        except ValueError as error:
            raise forms.ValidationError("Write whole numbers: 3, 7") from error


class SendForm(ExpertForm):
    name, title = "send", "Send a chain on"
    chain = forms.IntegerField(min_value=0)
    to = forms.ChoiceField(choices=[(state.value, state.value) for state in DESTINATIONS])
    kind = forms.ChoiceField(
        choices=[("", "—"), *((kind.value, kind.value) for kind in NonVisual)], required=False, label="if non-visual"
    )

    def clean(self) -> dict[str, Any]:
        values = cast(dict[str, Any], super().clean())
        if values.get("to") == ChainState.NON_VISUAL.value and not values.get("kind"):
            self.add_error("kind", "Say whether it is a scene or has no box.")
        return values


class JoinForm(ExpertForm):
    name, title = "join", "Join chains"
    chains = Numbers(help_text="their numbers: 3, 7")


class SplitForm(ExpertForm):
    name, title = "split", "Part a chain"
    chain = forms.IntegerField(min_value=0)
    parts = forms.CharField(help_text="mention numbers, parts divided by a bar: 3, 7 | 12")

    def clean_parts(self) -> list[list[int]]:
        try:
            return [
                [int(word) for word in part.replace(",", " ").split()] for part in self.cleaned_data["parts"].split("|")
            ]
        except ValueError as error:
            raise forms.ValidationError("Write mention numbers, parts divided by a bar: 3, 7 | 12") from error


class LinkForm(ExpertForm):
    name, title = "link", "Decide a link (while linking)"
    first = forms.IntegerField(min_value=0)
    second = forms.IntegerField(min_value=0)
    same = forms.TypedChoiceField(
        choices=[("yes", "the same"), ("no", "different")], coerce=lambda value: value == "yes", label="they are"
    )


class DrawForm(ExpertForm):
    name, title = "draw", "Draw a box"
    chain = forms.IntegerField(min_value=0)
    box = Numbers(help_text="left, top, right, bottom in pixels; or drag on the picture")

    def __init__(self, *args: Any, image: Image | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.image = image

    def clean_box(self) -> list[int]:
        edges = cast(list[int], self.cleaned_data["box"])
        if len(edges) != 4:
            raise forms.ValidationError("A box has four edges: left, top, right, bottom.")
        x0, y0, x1, y1 = edges
        if self.image and not (0 <= x0 < x1 <= self.image.width and 0 <= y0 < y1 <= self.image.height):
            size = f"{self.image.width} x {self.image.height}"
            raise forms.ValidationError(f"The box is empty or lies outside the image of {size} pixels.")
        return edges


class DeleteBoxForm(ExpertForm):
    name, title = "delete box", "Delete a box"
    box = forms.IntegerField(min_value=0, help_text="its number, in the list of drawn boxes")


class RetypeForm(ExpertForm):
    name, title = "retype", "Change a mention's types"
    mention = forms.IntegerField(min_value=0)
    types = forms.MultipleChoiceField(choices=TYPES)


class RechunkForm(ExpertForm):
    name, title = "rechunk", "Change the phrases of a caption"
    remove = Numbers(required=False, help_text="numbers of the mentions to take away")
    caption = forms.IntegerField(min_value=1, help_text="1 is the first")
    spans = forms.CharField(help_text="new phrases: first and last word, counted from 1: 2-4, 7-7")
    types = forms.MultipleChoiceField(choices=TYPES)

    def __init__(self, *args: Any, image: Image | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.image = image

    def clean(self) -> dict[str, Any]:
        values = cast(dict[str, Any], super().clean())
        if not self.errors and self.image is not None:
            try:
                values["add"] = list(self._rows(values))
            except ValueError as error:
                self.add_error("spans", str(error))
        return values

    def _rows(self, values: dict[str, Any]) -> list[list[Any]]:
        assert self.image is not None
        caption = self.image.captions.filter(number=values["caption"] - 1).first()
        if caption is None:
            raise ValueError(f"There is no caption {values['caption']}.")
        # Numbers are never used again, so the highest ever given counts; removed mentions are in the record only.
        number = highest_mention(self.image) + 1
        rows: list[list[Any]] = []
        for span in values["spans"].split(","):
            first, _, last = span.strip().partition("-")
            start, end = int(first) - 1, int(last or first)
            if not 0 <= start < end <= len(caption.words):
                raise ValueError(f"{span.strip()} is no span of this caption's {len(caption.words)} words.")
            words = " ".join(caption.words[start:end])
            rows.append([number + len(rows), caption.number, start, end, values["types"], words])
        return rows

    def action(self) -> dict[str, Any]:
        return {"action": self.name, "remove": self.cleaned_data["remove"] or [], "add": self.cleaned_data["add"]}


def highest_mention(image: Image) -> int:
    numbers = list(image.mentions.values_list("number", flat=True))
    for data in image.entries.filter(kind__in=["import", "expert"]).values_list("data", flat=True):
        numbers += [row[0] for row in [*data.get("mentions", []), *data.get("add", [])]]
    return max(numbers, default=-1)


FORMS: dict[str, type[ExpertForm]] = {
    form.name: form
    for form in (SendForm, JoinForm, SplitForm, LinkForm, DrawForm, DeleteBoxForm, RetypeForm, RechunkForm)
}


def make_form(name: str, image: Image, data: Any = None) -> ExpertForm:
    """The form of an action, bound to `data` if there is any. KeyError: there is no such action."""
    kind = FORMS[name]
    if kind in (DrawForm, RechunkForm):
        return cast(Any, kind)(data, image=image, prefix=name.replace(" ", "-"))  # type: ignore[no-any-return]
    return kind(data, prefix=name.replace(" ", "-"))
