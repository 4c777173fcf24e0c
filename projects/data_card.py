"""Operations on what a requester tells of the data set, for the card beside every export."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import MaxLen
from pydantic import AfterValidator, Field, create_model

from annotation.data_card import CARD_FIELDS, CardField, fault_in, given, to_store
from annotation.models import Project
from projects.operation import Caller, Input, NoInput, operation


def _check(field: CardField, text: str) -> str:
    if fault := fault_in(field, text):
        raise ValueError(fault)
    return text


def _text(field: CardField) -> tuple[Any, Any]:
    checked = Annotated[str, MaxLen(field.most), AfterValidator(partial(_check, field))]
    return checked, Field("", title=field.label, description=field.help)


_TEXTS: dict[str, Any] = {field.name: _text(field) for field in CARD_FIELDS}
if TYPE_CHECKING:
    DataCard = Input
else:
    DataCard = create_model(
        "DataCard",
        __base__=Input,
        __doc__="What a requester tells of the data set; an empty text is not given.",
        **_TEXTS,
    )
"""A text for each of CARD_FIELDS."""


@operation(name="data_card", output=DataCard, surveys=True, path="data-card/", method="get")
def read_card(project: Project, inputs: NoInput, caller: Caller) -> Input:
    """Return the data card, without empty texts."""
    return DataCard.model_validate(given(project.data_card))


@operation(
    name="change_data_card",
    input=DataCard,
    output=DataCard,
    surveys=True,
    path="data-card/",
    method="patch",
    command="change_data_card",
    guide="formats.md#data-card",
    say=lambda card: "The data card is saved: exports have it from now on.",
)
def change_card(project: Project, told: Input, caller: Caller) -> Input:
    """Change the data card; fields that you leave out stay, and an empty text deletes a field."""
    project.data_card = to_store({**project.data_card, **told.model_dump(exclude_unset=True)})
    project.save(update_fields=["data_card"])
    return DataCard.model_validate(given(project.data_card))
