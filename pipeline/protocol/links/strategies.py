"""Link strategy [paper 3.1.1, table 2]: which coreference links of a group to ask next, and the chains they make."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, reduce
from hashlib import blake2b
from operator import or_
from types import MappingProxyType
from typing import Any, ClassVar

from annotation.rules.link_group import Link, LinkGroup
from annotation.rules.transitivity import LinkMention, Pair, can_corefer, connected, groups, positions
from pipeline.protocol.links.consensus import KnownLinks, Verdicts, known_links, overrule, settle, source_of_known
from pipeline.protocol.links.policy import Ask, Group, LinkPlan, PlacedChain
from pipeline.protocol.state.progress import ImageProgress, LinkSource

NO_LINKS: Mapping[Pair, bool] = MappingProxyType({})
OVERRULED = "a link was overruled"
"""The doubt about a chain with a mention of which an answer was not followed."""


class Strategy(StrEnum):
    """The four strategies of the paper [table 2]."""

    EXHAUSTIVE = "exhaustive"
    GREEDY = "greedy"
    EXHAUSTIVE_PLUS = "exhaustive plus"
    GREEDY_PLUS = "greedy plus"

    @property
    def is_plus(self) -> bool:
        """Tell whether contradicting links are asked again until there is consensus."""
        return self in (Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY_PLUS)


def exhaustive_questions(evidence: KnownLinks) -> list[Link]:
    """Return the links that were never asked, in reading order. None: all mentions are placed."""
    ruled_out = evidence.group.ruled_out
    size = len(ruled_out)
    return [
        (first, second)
        for first in range(size)
        for second in range(first + 1, size)
        if not ruled_out[first] >> second & 1 and (first, second) not in evidence.first
    ]


def greedy_questions(evidence: KnownLinks) -> list[Link]:
    """Return the links to ask to place the next mention, in reading order. None: all mentions are placed.

    A mention without a "yes" makes a new chain; several "yes" join all their chains.
    """
    chains: list[int] = []
    for mention in range(len(evidence.group.mentions)):
        unknown = sorted(_comparisons(evidence, chains, mention))
        if unknown:
            return unknown
        chains = _with_mention(evidence, chains, mention)
    return []


def _comparisons(evidence: KnownLinks, chains: list[int], mention: int) -> list[Link]:
    """Return one link for each candidate that is not compared yet.

    A candidate is a chain with no mention of this caption and one that shares a type. It needs no comparison if
    an expert linked it to the mention, or kept it apart, or if another of its mentions was compared under an earlier
    strategy.
    """
    same_caption, same_type = evidence.group.same_caption[mention], evidence.group.same_type[mention]
    decided = sum(1 << first for first, second in evidence.by_expert if second == mention)
    return [
        link
        for chain in chains
        if chain & same_type and not chain & same_caption and not chain & decided
        if (link := (_first(chain & same_type), mention)) not in evidence.first
        and not any((member, mention) in evidence.votes for member in positions(chain))
    ]


def _with_mention(evidence: KnownLinks, chains: list[int], mention: int) -> list[int]:
    """Return the chains after the mention has joined every chain that a "yes" links it to."""
    joined = 1 << mention
    apart = []
    for chain in chains:
        if any(chain >> member & 1 for member in range(mention) if evidence.first.get((member, mention))):
            joined |= chain
        else:
            apart.append(chain)
    return [*apart, joined]


def _first(chain: int) -> int:
    return (chain & -chain).bit_length() - 1


QUESTIONS = {
    Strategy.EXHAUSTIVE: exhaustive_questions,
    Strategy.GREEDY: greedy_questions,
    Strategy.EXHAUSTIVE_PLUS: exhaustive_questions,
    Strategy.GREEDY_PLUS: greedy_questions,
}


def plan_links(
    strategy: Strategy,
    mentions: Sequence[LinkMention],
    votes: Mapping[Pair, Sequence[bool]],
    *,
    lead: int = 2,
    most: int = 5,
    expert_links: Mapping[Pair, bool] = NO_LINKS,
    skipped: Collection[Pair] = (),
) -> LinkPlan:
    """Plan one group by a strategy of the paper. The same arguments always give the same plan.

    `votes`: the judgments of each pair that count, oldest first. `expert_links`: set by an expert; they are never
    asked, whatever the votes are. `skipped`: pairs that no worker can answer; each is an unsettled "no". `lead`,
    `most`: contradicting links are asked again until one side leads by `lead` votes or a link has `most`. Pairs of
    other groups are ignored. Raises ValueError for a pair that is not in reading order.
    """
    evidence = known_links(mentions, votes, expert_links, skipped)
    verdicts = Verdicts(evidence.group, evidence.first.items())
    waiting = QUESTIONS[strategy](evidence)
    unsettled = evidence.skipped
    if strategy.is_plus and not waiting:
        waiting, unsettled = settle(evidence, verdicts, lead=lead, most=most)
    if waiting:
        asks = tuple(Ask(evidence.group.pair(link)) for link in waiting)
        return LinkPlan(asks, _chains(evidence.group, connected(verdicts.yes)))
    if strategy.is_plus:
        chains, overruled = overrule(evidence, verdicts, unsettled)
    else:
        chains, overruled = connected(verdicts.yes), frozenset()
    return _placed(evidence, chains, overruled, unsettled)


def _placed(
    evidence: KnownLinks, chains: list[int], overruled: frozenset[Link], unsettled: frozenset[Link]
) -> LinkPlan:
    doubted, undecided = (_ends(links) for links in (overruled, unsettled))
    named = _chains(evidence.group, chains)
    placed = tuple(
        PlacedChain(mentions, doubt=OVERRULED if chain & doubted else "", unsettled=bool(chain & undecided))
        for mentions, chain in zip(named, chains, strict=True)
    )
    sources = {evidence.group.pair(link): _source(evidence, link, overruled) for link in sorted(evidence.first)}
    return LinkPlan((), named, placed, sources)


def _ends(links: Iterable[Link]) -> int:
    """Return the positions of the mentions of these links."""
    return reduce(or_, (1 << position for link in links for position in link), 0)


def _source(evidence: KnownLinks, link: Link, overruled: frozenset[Link]) -> LinkSource:
    return source_of_known(
        evidence.votes.get(link, ()), by_expert=link in evidence.by_expert, overruled=link in overruled
    )


def _chains(group: LinkGroup, chains: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(group.mentions[position].number for position in positions(chain)) for chain in chains)


def digest_of(name: str, read: Iterable[str]) -> str:
    """Return the digest of a policy. `read`: the JSON of each setting that it reads."""
    text = f"[{', '.join(read)}]"
    return f"{name} {blake2b(text.encode(), digest_size=6).hexdigest()}"


def json_of(*values: Any) -> list[str]:
    """Return the JSON of each value, the same for equal values."""
    return [json.dumps(value, sort_keys=True) for value in values]


@dataclass(frozen=True)
class PaperLinks:
    """The link policy of the paper: one of its four strategies."""

    strategy: Strategy
    lead: int = 2
    most: int = 5
    """`lead` and `most`: as in `plan_links`."""

    everywhere = by_sentence = reads_predicted_chains = False
    models: ClassVar[tuple[int, ...]] = ()

    @cached_property
    def digest(self) -> str:
        return digest_of(self.strategy.value, json_of(self.lead, self.most) if self.strategy.is_plus else ())

    @property
    def reads_all_votes(self) -> bool:
        return self.strategy.is_plus

    @property
    def most_answers(self) -> int:
        return self.most if self.strategy.is_plus else 1

    @property
    def labelled_by(self) -> int | None:
        return None

    def groups(self, mentions: Iterable[LinkMention]) -> list[tuple[LinkMention, ...]]:
        return groups(mentions)

    def may_ask(self, first: LinkMention, second: LinkMention) -> bool:
        return can_corefer(first, second)

    def barred(self, image: ImageProgress, pair: Pair) -> Collection[int]:
        return ()

    def sets_aside(self, worker: int) -> bool:
        """Return no: every answer counts."""
        return False

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        return plan_links(
            self.strategy,
            group,
            {pair: [vote.answer for vote in votes] for pair, votes in image.votes_by(model=False).items()},
            lead=self.lead,
            most=self.most,
            expert_links=image.expert_links,
            skipped=image.skipped,
        )

    def may_join(self, image: ImageProgress, chain: int, other: int) -> bool:
        return True
