"""Bed images: real mentions and chains, for studies of links without boxes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations

from annotation.rules.mention import words_before
from annotation.rules.mention_type import MentionType
from annotation.rules.pronoun import linked_as
from annotation.rules.sentences import sentence_numbers
from annotation.rules.transitivity import WHOLE, LinkMention, can_corefer, groups, part_of
from belief.links.fit_known import parts_by_rules
from exchange.dataset import DatasetImage, DatasetMention


@dataclass(frozen=True, slots=True)
class BedImage:
    """One image of the test bed; `gold` names the chain of every mention number, `whole` the one it was split from."""

    key: str
    mentions: tuple[LinkMention, ...]
    gold: Mapping[int, str]
    whole: Mapping[int, str] = field(default_factory=dict)

    def chains(self) -> set[tuple[int, ...]]:
        """The gold chains: mention numbers in reading order."""
        members: dict[str, list[int]] = {}
        for mention in self.mentions:
            members.setdefault(self.gold[mention.number], []).append(mention.number)
        return {tuple(numbers) for numbers in members.values()}


class Gold(StrEnum):
    """The forms in which known chains count."""

    WHOLE = "whole"
    """As they are, though some break a rule of links."""
    BY_TYPES = "by types"
    """Split where no shared type connects mentions; two mentions of one caption stay together."""
    BY_RULES = "by rules"
    """Split so that no chain breaks a rule of links."""

    def parts(self, chain: Iterable[LinkMention]) -> Sequence[Sequence[LinkMention]]:
        """Return the parts of a chain that count as one each."""
        match self:
            case Gold.WHOLE:
                return [tuple(chain)]
            case Gold.BY_TYPES:
                return groups(chain)
            case Gold.BY_RULES:
                return parts_by_rules(chain)


def bed_image(image: DatasetImage, gold: Gold = Gold.BY_TYPES, *, by_sentence: bool = False) -> BedImage:
    """Return the mentions whose chain is known, numbered in reading order.

    `by_sentence`: mentions of one caption have their sentences, as in projects that go beyond the rules.
    """
    known = sorted(
        (mention for mention in image.mentions if mention.chain is not None),
        key=lambda mention: (mention.caption, mention.start),
    )
    sentences = [sentence_numbers(caption.text, caption.offsets) if by_sentence else () for caption in image.captions]
    mentions = tuple(
        LinkMention(
            number=number,
            caption=mention.caption,
            start=mention.start,
            types=frozenset(linked_as(mention.types, own)),
            head=own[-1],
            words=own,
            before=tuple(words_before(image.captions[mention.caption].words, mention.start).lower().split()),
            pronoun=MentionType.PRONOUN.value in mention.types,
            part=part_of(
                sentences[mention.caption][mention.start],
                mention.start,
                pronoun=MentionType.PRONOUN.value in mention.types,
            )
            if by_sentence
            else WHOLE,
        )
        for number, (mention, own) in enumerate((one, _words(image, one)) for one in known)
    )
    names = [mention.chain for mention in known]
    chain_of: dict[int, str] = {}
    for name in set(names):
        for part, members in enumerate(gold.parts(mention for mention in mentions if names[mention.number] == name)):
            chain_of |= {member.number: f"{name}/{part}" for member in members}
    return BedImage(image.name, mentions, chain_of, {number: str(name) for number, name in enumerate(names)})


def _words(image: DatasetImage, mention: DatasetMention) -> tuple[str, ...]:
    return tuple(word.lower() for word in image.captions[mention.caption].words[mention.start : mention.end])


def admissible_pairs(image: BedImage) -> int:
    """Count the pairs of mentions that can corefer."""
    return sum(can_corefer(one, another) for one, another in combinations(image.mentions, 2))
