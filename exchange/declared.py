"""Types and marks with which the rows of files are declared: `manage.py schemas` makes their JSON Schemas."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from annotated_types import Ge, Interval, Len
from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema
from typing_extensions import TypedDict

from annotation.rules.mention_type import MentionType


class Mark:
    """A mark of a field, beside its type in `Annotated`."""


OURS = Mark()
"""Of fields that our exports always have, and that files from elsewhere may lack."""


class OneOf:
    """The metadata of a text that is one of these names."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = [str(name) for name in names]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.literal_schema(self.names)


Count = Annotated[int, Ge(0)]
Pixels = Annotated[int, Ge(1)]
Chance = Annotated[float, Interval(ge=0, le=1)]
Id = int | str
Corners = Annotated[Sequence[int], Len(4, 4)]
"""A box of whole pixels, [x0, y0, x1, y1], end exclusive."""
Numbers4 = Annotated[Sequence[float], Len(4, 4)]
Pair = Annotated[Sequence[Count], Len(2, 2)]
"""A span [from, to), or two numbers of mentions."""
TypeName = Annotated[str, OneOf(MentionType)]


class Answered(TypedDict, total=False):
    """The answers about a thing, where its image has programs; elsewhere all answers are people's."""

    people: Mapping[str, Count]
    """The number of people's answers by what they say: of a link `yes`, `no`; of a box `drawn` (also proposed), `good`,
    `bad`; of a chain by task. Voided answers, late ones and those of a program set aside do not count."""
    programs: Mapping[str, Mapping[str, Count]]
    """The same for each program, by its name."""
