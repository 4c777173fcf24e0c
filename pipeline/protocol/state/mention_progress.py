"""Progress of a mention [paper 3.1]: a phrase as the record holds it, and the form in which it is compared."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import MentionType, linked_as
from annotation.rules.transitivity import WHOLE, LinkMention, Part, part_of

T = TypeVar("T")


class StorageMark(Enum):
    """The way in which a field is stored, where its type does not tell. Fields of rows know `LATER` only."""

    LATER = "left out of the JSON where it has its default"
    SORTED = "by its keys in the JSON, so that equal progress gives equal JSON"
    UNSTORED = "not in the JSON"


class TableColumn(NamedTuple):
    """Mark of a field that the table of its class shows, too."""

    name: str = ""
    """The name of the column, where it is another one."""
    shows: Callable[[Any], Any] | None = None
    """The content of the column for a value, where it is not the value."""


UnlessDefault = Annotated[T, StorageMark.LATER]
SortedByKey = Annotated[T, StorageMark.SORTED]
Unstored = Annotated[T, StorageMark.UNSTORED]
InTable = Annotated[T, TableColumn()]


class Declared(NamedTuple):
    """One field as its class declares it."""

    name: str
    kind: Any
    """Its type, without the marks."""
    marks: tuple[Any, ...]
    default: Any
    """MISSING: it has none."""

    @property
    def column(self) -> TableColumn | None:
        return next((mark for mark in self.marks if isinstance(mark, TableColumn)), None)


def declared(owner: Any) -> Iterator[Declared]:
    """Yield the fields of a dataclass or named tuple in their order."""
    hints = get_type_hints(owner, include_extras=True)
    for name, default in _defaults(owner).items():
        marks = getattr(hints[name], "__metadata__", ())
        yield Declared(name, hints[name].__origin__ if marks else hints[name], marks, default)


def _defaults(owner: Any) -> dict[str, Any]:
    if issubclass(owner, tuple):
        return {name: owner._field_defaults.get(name, MISSING) for name in owner._fields}
    return {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(owner)
    }


ROW = 9
"""So many values of a row are the first fields; the next one is the sentence."""
PHRASES = 10_000
"""The number of texts whose words are kept: an image is planned again after each of its judgments."""


@lru_cache(maxsize=PHRASES)
def _words(text: str) -> tuple[str, ...]:
    return tuple(text.lower().split())


@lru_cache(maxsize=PHRASES)
def _head(text: str) -> str:
    return head_noun(text.split())


@dataclass(slots=True)
class MentionProgress:
    """A noun-phrase chunk: the words [start, end) of a caption. Its number stays, even if it is removed."""

    number: int
    caption: Annotated[int, TableColumn("caption__number")]
    start: InTable[int]
    end: InTable[int]
    types: InTable[list[str]]
    text: InTable[str]
    before: UnlessDefault[str] = ""
    """The words of the caption right before it, as `words_before` gives them; empty in records that have none."""
    vector: UnlessDefault[str] = ""
    """The packed vector of its text, which policies may read; empty if it was imported without one."""
    form: UnlessDefault[str] = ""
    """The form in which its text is compared, where that is another one; older records have none."""

    reference_rank: UnlessDefault[int] = 0
    """Of mentions of one caption that a checked data set holds to be one thing: 0, 1, ... in reading order."""
    reference_types: UnlessDefault[list[str]] = field(default_factory=list)
    """Types of other mentions that a checked data set holds to be the same thing."""
    reference_flag: UnlessDefault[str] = ""
    """The reason why it has no box, by a checked data set: a value of NonVisual."""
    sentence: UnlessDefault[int] = 0
    """The number of its sentence in the caption, from 0; older records have none."""
    by_sentence: UnlessDefault[bool] = False
    """Whether it may be the same thing as mentions of other sentences of its caption: links go beyond the rules."""

    @classmethod
    def of(cls, row: Sequence[Any]) -> "MentionProgress":
        """Return the mention of a row as entries of the record hold it, see `machine.begin`."""
        mention = cls(*row[:ROW])
        mention.sentence = row[ROW] if len(row) > ROW else 0
        return mention

    @property
    def compared(self) -> str:
        """The text by which it is compared with others."""
        return self.form or self.text

    @property
    def words(self) -> tuple[str, ...]:
        """Those of the text by which it is compared, in lower case."""
        return _words(self.compared)

    @property
    def head(self) -> str:
        return _head(self.compared)

    @property
    def order(self) -> tuple[int, int]:
        """Its place in reading order."""
        return self.caption, self.start

    @property
    def is_pronoun(self) -> bool:
        return MentionType.PRONOUN.value in self.types

    @property
    def linked_types(self) -> frozenset[str]:
        """The types that it may share with what it is one thing with: those that a pronoun may stand for."""
        return frozenset(linked_as(self.types, self.words))

    @property
    def part(self) -> Part:
        """The part of its caption in which no other mention is the same thing, but for what a checked set says."""
        return part_of(self.sentence, self.start) if self.by_sentence else WHOLE

    def for_links(self) -> LinkMention:
        """Return the mention as the rules of links read it."""
        types = self.linked_types.union(self.reference_types)
        return LinkMention(
            self.number,
            *self.order,
            types,
            self.head,
            self.words,
            _words(self.before),
            self.vector,
            self.reference_rank,
            self.part,
            self.is_pronoun,
        )
