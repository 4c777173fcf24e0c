"""A form for each action of an expert. An action that the rules refuse is shown with the reason beside its form."""

from collections.abc import Iterator
from typing import Any, cast

from django import forms

from annotation.models import Chain, Image
from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, NonVisual
from pipeline.rules.image.expert import DESTINATIONS
from pipeline.rules.image.progress_json import from_json

TYPES = [(one.value, one.value) for one in MentionType]
Choices = list[tuple[int, str]]


class ExpertChoices:
    """The mentions, chains and boxes of one image to choose from, by number. Read once for all forms."""

    def __init__(self, image: Image) -> None:
        self.image = image
        rows = list(image.mentions.select_related("caption").order_by("caption__number", "start"))
        self.mentions: Choices = [(m.number, f"“{m.text}” in caption {m.caption.number + 1}") for m in rows]
        phrases: dict[int, list[str]] = {}
        for mention in rows:
            if mention.chain is not None:
                phrases.setdefault(mention.chain, []).append(mention.text)
        self.chains: Choices = [
            (chain.name, f"{' · '.join(phrases.get(chain.name, []))[:60]} ({chain.state})")
            for chain in Chain.objects.filter(image=image)
        ]
        boxes = image.boxes.exclude(state=BoxState.DISCARDED.value)
        words = dict(self.chains)
        self.boxes: Choices = [(box.number, f"{box} of {words.get(box.chain, '?')}") for box in boxes]


def one_of(label: str = "") -> forms.TypedChoiceField:
    return forms.TypedChoiceField(coerce=int, label=label or None)


def some_of(label: str = "", *, required: bool = True, help_text: str = "") -> forms.TypedMultipleChoiceField:
    return forms.TypedMultipleChoiceField(coerce=int, label=label or None, required=required, help_text=help_text)


class ExpertForm(forms.Form):
    """`action()` returns an action for `pipeline.rules.image.expert`; `source` names the choices of each field."""

    name = ""
    title = ""
    source: dict[str, str] = {}  # noqa: RUF012  # never changed
    reason = forms.CharField(max_length=500, required=False, help_text="kept in the record")

    def __init__(self, choices: ExpertChoices, data: Any = None) -> None:
        super().__init__(data, prefix=self.name.replace(" ", "-"))
        self.image = choices.image
        self.order_fields([name for name in self.fields if name != "reason"])
        for field, what in self.source.items():
            cast(forms.ChoiceField, self.fields[field]).choices = getattr(choices, what)

    def action(self) -> dict[str, Any]:
        values = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return {"action": self.name, **values}


class SendForm(ExpertForm):
    name, title, source = "send", "Send a chain on", {"chain": "chains"}
    chain = one_of()
    to = forms.ChoiceField(choices=[(state.value, state.value) for state in DESTINATIONS])
    kind = forms.ChoiceField(
        choices=[("", "—"), *((kind.value, kind.value) for kind in NonVisual)], required=False, label="If non-visual"
    )


class JoinForm(ExpertForm):
    name, title, source = "join", "Join chains", {"chains": "chains"}
    chains = some_of(help_text="two or more")


class SplitForm(ExpertForm):
    name, title, source = "split", "Split a chain", {"chain": "chains", "away": "mentions"}
    chain = one_of()
    away = some_of("Phrases that become a chain of their own")

    def action(self) -> dict[str, Any]:
        chain, away = self.cleaned_data["chain"], self.cleaned_data["away"]
        members = self.image.mentions.filter(chain=chain).values_list("number", flat=True)
        return {"action": self.name, "chain": chain, "parts": [[n for n in members if n not in away], away]}


class LinkForm(ExpertForm):
    name, title = "link", "Decide a link (while linking)"
    source = {"first": "mentions", "second": "mentions"}  # noqa: RUF012
    first = one_of()
    second = one_of()
    same = forms.TypedChoiceField(
        choices=[("yes", "the same"), ("no", "different")], coerce=lambda value: value == "yes", label="They are"
    )


class DrawForm(ExpertForm):
    name, title, source = "draw", "Draw a box", {"chain": "chains"}
    chain = one_of()
    box = forms.CharField(help_text="drag on the picture, or type left, top, right, bottom in pixels")

    def clean_box(self) -> list[int]:
        try:
            box = Box(*(int(edge) for edge in self.cleaned_data["box"].replace(",", " ").split()))
        except (ValueError, TypeError) as error:
            raise forms.ValidationError("A box is four whole numbers: left, top, right, bottom.") from error
        if not box.fits(self.image.width, self.image.height):
            size = f"{self.image.width} x {self.image.height}"
            raise forms.ValidationError(f"The box is empty or lies outside the image of {size} pixels.")
        return list(box)


class DeleteBoxForm(ExpertForm):
    name, title, source = "delete box", "Delete a box", {"box": "boxes"}
    box = one_of()


class RetypeForm(ExpertForm):
    name, title, source = "retype", "Change a phrase's types", {"mention": "mentions"}
    mention = one_of("Phrase")
    types = forms.MultipleChoiceField(choices=TYPES)


class RechunkForm(ExpertForm):
    name, title, source = "rechunk", "Change the phrases of a caption", {"remove": "mentions"}
    remove = some_of("Phrases to remove", required=False)
    caption = forms.IntegerField(min_value=1, help_text="1 is the first caption")
    spans = forms.CharField(
        required=False, help_text="new phrases by first and last word, counted from 1, such as: 2-4, 7-7"
    )
    types = forms.MultipleChoiceField(choices=TYPES, label="Types of the new phrases")

    def clean(self) -> dict[str, Any]:
        values = cast(dict[str, Any], super().clean())
        if not self.errors:
            try:
                values["add"] = list(self._rows(values))
            except ValueError as error:
                self.add_error("spans", str(error))
        return values

    def _rows(self, values: dict[str, Any]) -> Iterator[list[Any]]:
        caption = self.image.captions.filter(number=values["caption"] - 1).first()
        if caption is None:
            raise ValueError(f"There is no caption {values['caption']}.")
        number = from_json(self.image.progress.state).numbered
        for span in filter(None, values["spans"].replace(" ", "").split(",")):
            first, _, last = span.partition("-")
            if not (first.isdigit() and (last or first).isdigit()):
                raise ValueError(f"{span} is not a span of words: write, for example, 2-4.")
            start, end = int(first) - 1, int(last or first)
            if not 0 <= start < end <= len(caption.words):
                raise ValueError(f"{span} lies outside this caption: it has {len(caption.words)} words.")
            yield [number, caption.number, start, end, values["types"], " ".join(caption.words[start:end])]
            number += 1

    def action(self) -> dict[str, Any]:
        return {"action": self.name, "remove": self.cleaned_data["remove"], "add": self.cleaned_data["add"]}


FORMS: dict[str, type[ExpertForm]] = {
    form.name: form
    for form in (SendForm, DrawForm, DeleteBoxForm, JoinForm, SplitForm, LinkForm, RetypeForm, RechunkForm)
}
