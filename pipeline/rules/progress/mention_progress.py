"""Progress of a mention [paper 3.1]: a phrase as the record holds it, and the form in which it is compared."""

from dataclasses import dataclass, field
from typing import Annotated

from annotation.rules.head_noun import head_noun
from pipeline.rules.linking.transitivity import LinkMention
from pipeline.rules.progress.marks import Column, Later, Shown


@dataclass(slots=True)
class MentionProgress:
    number: int
    caption: Annotated[int, Column("caption__number")]
    start: Shown[int]
    end: Shown[int]
    types: Shown[list[str]]
    text: Shown[str]
    before: Later[str] = ""
    """The words of the caption right before it, as `words_before` gives them; empty in records that have none."""
    vector: Later[str] = ""
    """The vector of its text, as `linking.prior.phrase_vectors` packs it; empty if it was imported without one."""
    form: Later[str] = ""
    """The form in which its text is compared, where that is another one; older records have none."""

    clause: Later[int] = 0
    """Of mentions of one caption that a checked data set holds to be one thing: 0, 1, ... in reading order."""
    also: Later[list[str]] = field(default_factory=list)
    """Types of other mentions that a checked data set holds to be the same thing."""
    flag: Later[str] = ""
    """The reason why it has no box, by a checked data set: a value of NonVisual."""

    @property
    def compared(self) -> str:
        return self.form or self.text

    @property
    def head(self) -> str:
        return head_noun(self.compared.split())

    @property
    def order(self) -> tuple[int, int]:
        return self.caption, self.start

    def for_links(self) -> LinkMention:
        words, before = tuple(self.compared.lower().split()), tuple(self.before.lower().split())
        types = frozenset((*self.types, *self.also))
        return LinkMention(self.number, *self.order, types, self.head, words, before, self.vector, self.clause)
