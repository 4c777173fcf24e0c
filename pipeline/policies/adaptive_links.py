"""Adaptive links [beyond paper 3.1.1]: ask the pair whose answer tells most, until no answer tells enough."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from operator import or_
from random import Random

import numpy as np

from annotation.rules.link_group import Link, LinkGroup, link_group
from annotation.rules.transitivity import LinkMention, Pair, can_corefer, connected, groups, positions
from belief.links.answer_model import PAPER_ERRORS, REASK_VALUE, CrowdErrors, LinkAnswer, reask
from belief.links.fit_known import LinkedImage
from belief.links.group_belief import (
    GroupBelief,
    GroupEvidence,
    believe_group,
    group_evidence,
    leave_one_out_chances,
    links_of,
)
from belief.links.link_prior import ALL_WHOLE, LinkPrior, chance_of_link
from belief.links.link_prior import CONFIDENCE_DIGITS as OF_CONFIDENCE
from belief.links.link_seconds import LinkSeconds
from belief.links.partitions import BestPartition, Flags, Scores
from belief.links.program_links import ProgramLinks, program_links, reference_ratio
from belief.links.sweeps import SweepPlan, best_sweep
from belief.models.records import NEW_LINK_MODEL, LinkAudit, audit_share
from pipeline.policies.engine import Engine
from pipeline.policies.reference_set import (
    changed_links,
    keeps_apart,
    misplaced,
    pairs_with_similar_boxes,
    same_caption_evidence,
    similar_box_evidence,
    summed_evidence,
)
from pipeline.protocol.links.consensus import Verdicts, source_of_known
from pipeline.protocol.links.policy import Ask, Group, LinkPlan, PlacedChain
from pipeline.protocol.links.strategies import OVERRULED, digest_of, json_of
from pipeline.protocol.state.progress import ImageProgress, LinkSource
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.table_3 import FURTHER_SECONDS, PAIR_SECONDS

AUDIT = "audit"
"""The key of `ImageProgress.notes` that holds the fate of the image's links in the audit."""


def link_audit_of(image: ImageProgress) -> LinkAudit | None:
    """Return what the audit has decided; None: no model was at work when the links were first asked about."""
    return LinkAudit(image.notes[AUDIT]) if AUDIT in image.notes else None


def draw_link_audit(image: ImageProgress, engine: Engine) -> LinkAudit | None:
    """Return what the audit has decided, or decides now: whether people answer about the links whatever models say.

    The audit follows from what the record holds, so it is the same whenever the record is read. None: it decides
    nothing, as no model is at work, and no data set is checked.
    """
    settings, drawn = engine.settings, link_audit_of(image)
    if drawn is not None or not (engine.judges(Task.COREFERENCE_LINK) or engine.source.program):
        return drawn
    records = settings.learned.links.model_annotators
    share = audit_share(
        [records.get(str(model), NEW_LINK_MODEL) for model in settings.model_annotators], settings.audit_rate
    )
    closely = max(settings.check_audit_rate - share, 0.0) if engine.source.program else 0.0
    words = " ".join(mention.text for _, mention in sorted(image.mentions.items()))
    place = Random(f"{image.seed} links {words}").random()
    return LinkAudit.PEOPLE if place < share else LinkAudit.CLOSELY if place < share + closely else LinkAudit.BOTH


def evidence_of_models(image: ImageProgress, engine: Engine, audit: LinkAudit | None) -> dict[Pair, float]:
    """Return for each judged pair the logarithm of the likelihood ratio of what models say, if it counts.

    Of models that count as one opinion the first counts. Above 0 it speaks for one thing, below 0 for two.
    """
    judges = engine.judges(Task.COREFERENCE_LINK)
    if audit in (None, LinkAudit.PEOPLE) or not judges:
        return {}
    records, families = engine.settings.learned.links.model_annotators, engine.families_in(Task.COREFERENCE_LINK)
    told: dict[Pair, float] = {}
    for pair, votes in image.votes_by(model=True).items():
        of_models = [vote for vote in votes if vote.worker in judges]
        counting = families.firsts(of_models, lambda vote: (vote.worker, None))
        told[pair] = sum(records.get(str(vote.worker), NEW_LINK_MODEL).ratio(same=vote.answer) for vote in counting)
    return told


def relatives_of_judges(image: ImageProgress, pair: Pair, engine: Engine) -> Collection[int]:
    """Return the models that may not answer because they count as one opinion with one that has.

    In the audit each model is asked for itself, so that answers show which of them are two.
    """
    settings = engine.settings
    if not settings.model_families or draw_link_audit(image, engine) is LinkAudit.PEOPLE:
        return ()
    votes = [
        vote.worker for vote in image.votes.get(pair, ()) if vote.by_model and vote.worker in settings.model_annotators
    ]
    return engine.families_in(Task.COREFERENCE_LINK).relatives(votes, settings.model_annotators)


MAX_ANSWERS_PER_PAIR, MAX_WRONG_CHAINS = 4, 0.5
"""An expert takes over after this many judgments per pair, if more than this many chains are still expected wrong."""
CHANCE_DIGITS = 4
"""Decimal places of values and chances that are stored."""
DOUBTED_BELOW = 0.5
"""A chain is marked doubted if its chance of being right is below this."""
DOUBT_IN_CHANGES = 0.5
"""The share of the usual doubt that may be left about links before chains of a checked data set are changed."""
DOUBT_IN_JUDGED = 0.6
"""The share of the usual doubt that may be left about links where models have judged some: they show where to ask."""
DOUBT_IN_AUDIT, DOUBT_IN_JUDGED_AUDIT = 0.4, 0.16
"""The share of the usual doubt that is left about links of the audit, which tells how many are wrong in all.

The second where models have judged some, so that people are asked about more than models call wrong.
"""
PRESET_ABOVE = 0.5
"""The chance from which a candidate of a sweep is touched already, where the setting says so."""
LINK_SECONDS = LinkSeconds(PAIR_SECONDS, FURTHER_SECONDS)
"""The time of answers about links, before any was measured."""
USUAL_STOP = 0.1
"""The bits that an answer about links must tell, at most, where a checked data set errs much."""


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """The pairs to ask now about a group, or what is believed of its chains. While a pair is asked, the rest is empty.

    Chains are known by their first mention. All chances are from 0 to 1.
    """

    asks: tuple[Ask, ...]
    chains: tuple[tuple[int, ...], ...]
    """Mention numbers in reading order, chains by their first mention."""
    doubted: frozenset[int] = frozenset()
    """The chains that an overruled link touches."""
    overruled: frozenset[Pair] = frozenset()
    """Pairs whose answer was not followed, because other links contradict it."""
    unsettled: frozenset[Pair] = frozenset()
    """Pairs that no worker can answer, or about which enough was asked. Their chains need an expert."""
    sources: Mapping[Pair, LinkSource] = field(default_factory=dict)
    """The source of each pair that was asked, that an expert set, or that models alone judged."""
    confidence: Mapping[int, float] = field(default_factory=dict)
    """The chance that a chain is right."""
    links_right: Mapping[int, float] = field(default_factory=dict)
    """The same chance if no chain breaks the rules of links: that the chain has what links could give it."""
    whole: Mapping[int, float] = field(default_factory=dict)
    """The chance that no other chain is the same thing as this one although a rule of links keeps them apart.

    Empty in projects that take the rules for certain.
    """
    together: Mapping[Pair, float] = field(default_factory=dict)
    """The chance of a pair to corefer."""


@dataclass(frozen=True, slots=True)
class PlanInput:
    """Everything that the plan of links depends on: equal inputs always give equal plans.

    `plan_adaptively` and `group_evidence` raise ValueError for a pair that is not in reading order.
    """

    mentions: Sequence[LinkMention]
    """In reading order."""
    answers: Mapping[Pair, Sequence[LinkAnswer]]
    """The answers of people."""
    prior: LinkPrior
    stop: float
    """The bits that an answer must be expected to tell."""
    most: int = 15
    """Answers about one pair at most; if more would still tell enough, the pair is unsettled and an expert decides."""
    errors: CrowdErrors = PAPER_ERRORS
    """Of the crowd."""
    expert_links: Mapping[Pair, bool] = field(default_factory=dict)
    skipped: Collection[Pair] = ()
    """Pairs that no worker can answer."""
    reask_rate: float = 0.0
    """Pairs asked at random for each answer, see `reask`."""
    programs: Collection[ProgramLinks] = ()
    """The chains that programs predict."""
    model_evidence: Mapping[Pair, float] = field(default_factory=dict)
    """The logarithm of the likelihood ratio of what models and a reference set say of a pair."""
    seconds: LinkSeconds | None = None
    """The time that answers take, where sweeps may be asked; None: pairs alone are asked."""
    unswept: Collection[int] = ()
    """Mentions whose sweeps no worker can answer."""
    rules_hold: bool = True
    """Whether no link joins what a rule of links keeps apart, and boxes alone may."""

    def answered(self, pair: Pair) -> int:
        """Return the number of answers about a pair."""
        return len(self.answers.get(pair, ()))

    def may_ask(self, pair: Pair) -> bool:
        """Return whether one more answer about a pair may be asked for."""
        return pair not in self.skipped and self.answered(pair) < self.most

    def sweep(self, belief: GroupBelief, askable: Flags) -> SweepPlan | None:
        """Return the sweep that tells most a second, if it tells enough, and more than any pair; else None.

        `askable`: see `best_sweep`.
        """
        if self.seconds is None:
            return None
        of_pairs = np.where(askable, belief.bits, 0.0).max(initial=0.0)
        return best_sweep(belief, askable, self.seconds, self.errors, max(self.stop, of_pairs) / self.seconds.pair)

    def ask(self, sweep: SweepPlan, belief: GroupBelief, about: int, candidates: Sequence[int]) -> Ask:
        """Return the question of a sweep. `candidates`: in the order of the plan's, in reading order."""
        likely = belief.together[sweep.mention, list(sweep.candidates)] > PRESET_ABOVE
        preset = tuple(number for number, chosen in zip(candidates, likely, strict=True) if chosen)
        value = sweep.rate * self.seconds.pair if self.seconds else 0.0
        return Ask((about, *candidates), round(value, CHANCE_DIGITS), preset=preset)


def plan_adaptively(known: PlanInput) -> GroupPlan:
    """Plan one group. At most one question is open."""
    evidence = group_evidence(
        known.mentions, known.answers, known.errors, known.expert_links, known.skipped, known.model_evidence
    )
    group = evidence.group
    belief, best = believe_group(evidence, known.prior, known.programs)
    places = tuple(evidence.open.T)
    chances, worth = belief.together[places], belief.bits[places]
    if not _is_exhausted(evidence, best) and (sweep := _sweep(known, evidence, belief)):
        return GroupPlan((sweep,), _chains(group, best))
    telling = worth >= known.stop
    wanted = dict(zip(links_of(evidence.open[telling]), worth[telling].round(9).tolist(), strict=True))
    askable = [] if _is_exhausted(evidence, best) else [link for link in wanted if known.may_ask(group.pair(link))]
    chains = _chains(group, best)
    if askable:
        # Of equal pairs the first in reading order is asked, on every machine.
        asked = max(askable, key=wanted.__getitem__)
        return GroupPlan((Ask(group.pair(asked), round(wanted[asked], CHANCE_DIGITS)),), chains)
    open_pairs = list(_chances(evidence, chances))
    predicted = {link: chance for link, chance in open_pairs if known.may_ask(group.pair(link))}
    drawn = reask(group, sum(map(len, evidence.answers.values())), list(predicted), known.reask_rate)
    if drawn:
        return GroupPlan((Ask(group.pair(drawn), REASK_VALUE, predicted[drawn]),), chains)
    plan = _placed(evidence, best, chains, list(wanted))
    together = _together(group, open_pairs, rules_hold=known.rules_hold)
    return replace(plan, together=together, confidence=_confidence(group, plan, known.prior))


def _sweep(known: PlanInput, evidence: GroupEvidence, belief: GroupBelief) -> Ask | None:
    """Return the sweep that tells most a second, if it tells enough, and more than any pair; else None."""
    group, askable = evidence.group, np.zeros(belief.together.shape, dtype=bool)
    askable[tuple(evidence.open.T)] = True
    for link in (*evidence.skipped, *(link for link, given in evidence.answers.items() if len(given) >= known.most)):
        askable[link] = False
    askable |= askable.T
    askable[[mention.number in known.unswept for mention in group.mentions]] = False
    found = known.sweep(belief, askable)
    if found is None:
        return None
    candidates = [group.mentions[place].number for place in found.candidates]
    return known.ask(found, belief, group.mentions[found.mention].number, candidates)


def _is_exhausted(known: GroupEvidence, best: BestPartition) -> bool:
    """Return whether so much was asked that more answers would not settle a group that is still in doubt."""
    enough = sum(map(len, known.answers.values())) >= MAX_ANSWERS_PER_PAIR * len(known.open)
    return enough and best.wrong_chains() > MAX_WRONG_CHAINS


# --- What is made of it ---


def _chains(group: LinkGroup, best: BestPartition) -> tuple[tuple[int, ...], ...]:
    members: dict[int, list[int]] = {}
    for mention, label in zip(group.mentions, best.labels, strict=True):
        members.setdefault(int(label), []).append(mention.number)
    return tuple(map(tuple, members.values()))


def _links_right(group: LinkGroup, best: BestPartition) -> dict[int, float]:
    """Return the chance of each chain by its first mention, rounded so that every machine has the same."""
    chances: dict[int, float] = {}
    seen = set()
    for mention, label, chance in zip(group.mentions, best.labels, best.confidence, strict=True):
        if int(label) not in seen:
            seen.add(int(label))
            chances[mention.number] = round(min(float(chance), 1.0), 6)
    return chances


def _confidence(group: LinkGroup, plan: GroupPlan, prior: LinkPrior) -> dict[int, float]:
    mentions = {mention.number: mention for mention in group.mentions}
    return {
        chain[0]: prior.linked(plan.links_right[chain[0]], [mentions[number] for number in chain], group.mentions)
        for chain in plan.chains
    }


def _together(group: LinkGroup, chances: Iterable[tuple[Link, float]], *, rules_hold: bool) -> dict[Pair, float]:
    found = {}
    for link, chance in chances:
        ends = (group.mentions[place] for place in link)
        found[group.pair(link)] = round(chance_of_link(chance, *ends) if rules_hold else chance, 4)
    return found


def _placed(
    known: GroupEvidence, best: BestPartition, chains: tuple[tuple[int, ...], ...], unsettled: Sequence[Link]
) -> GroupPlan:
    group = known.group
    overruled = [
        link for link, said in known.answers.items() if majority_answer(said) not in (None, _joined(best, link))
    ]
    apart = {group.mentions[position].number for link in overruled for position in link}
    return GroupPlan(
        asks=(),
        chains=chains,
        doubted=frozenset(chain[0] for chain in chains if apart.intersection(chain)),
        overruled=frozenset(map(group.pair, overruled)),
        unsettled=frozenset(map(group.pair, unsettled)),
        sources=_sources(known, best, overruled),
        links_right=_links_right(group, best),
    )


def _chances(known: GroupEvidence, chances: Scores) -> Iterable[tuple[Link, float]]:
    """Return each open pair with the chance that it is together, rounded so that every machine has the same."""
    return zip(links_of(known.open), chances.clip(0, 1).round(CHANCE_DIGITS).tolist(), strict=True)


def _joined(best: BestPartition, link: Link) -> bool:
    return bool(best.labels[link[0]] == best.labels[link[1]])


def majority_answer(answers: Sequence[LinkAnswer]) -> bool | None:
    """Return what most of the answers say; None if there are as many of either."""
    yes = sum(answer.same for answer in answers)
    return None if 2 * yes == len(answers) else 2 * yes > len(answers)


def _sources(known: GroupEvidence, best: BestPartition, overruled: Collection[Link]) -> dict[Pair, LinkSource]:
    """Return the source of each pair that was asked or set. Programs are one of a pair that they alone were asked."""
    found = {
        link: LinkSource.PROGRAM for link, ratio in known.models.items() if ratio and (ratio > 0) == _joined(best, link)
    }
    found |= {link: _source(known, link, overruled) for link in (*known.answers, *known.expert_links)}
    return {known.group.pair(link): found[link] for link in sorted(found)}


def _source(known: GroupEvidence, link: Link, overruled: Collection[Link]) -> LinkSource:
    votes = [answer.same for answer in known.answers.get(link, ())]
    return source_of_known(votes, by_expert=link in known.expert_links, overruled=link in overruled)


def posterior_links(mentions: Sequence[LinkMention], plan: GroupPlan) -> list[Pair]:
    """Return the pairs, in reading order, that can corefer, were never asked and follow from no known links.

    Two mentions follow to be the same if known "yes" links connect them. They follow to be different if one of the
    mentions connected to the first and one of those connected to the second are a known "no" or ruled out.
    """
    group = link_group(tuple(mentions))
    chain_of = {number: chain[0] for chain in plan.chains for number in chain}
    known = [
        (link, chain_of[pair[0]] == chain_of[pair[1]])
        for pair, source in plan.sources.items()
        if source is not LinkSource.OVERRULED and pair not in plan.unsettled and (link := group.link(pair))
    ]
    verdicts = Verdicts(group, known)
    component_of = {position: part for part in connected(verdicts.yes) for position in positions(part)}
    apart = {
        part: reduce(or_, (verdicts.no[position] for position in positions(part)), 0) for part in component_of.values()
    }
    return [
        group.pair((first, second))
        for first, second in combinations(range(len(group.mentions)), 2)
        if not group.ruled_out[first] >> second & 1
        and group.pair((first, second)) not in plan.sources
        and component_of[first] != component_of[second]
        and not apart[component_of[first]] & component_of[second]
    ]


# --- The policy ---


def people_answers(image: ImageProgress) -> dict[Pair, list[LinkAnswer]]:
    """Return people's votes on each pair, oldest first, with how much each is worth."""
    people = image.votes_by(model=False)
    listed = Counter(vote.entry for votes in people.values() for vote in votes)
    return {
        pair: [
            LinkAnswer(vote.answer, vote.skill, listed[vote.entry], vote.entry * (listed[vote.entry] > 1))
            for vote in votes
        ]
        for pair, votes in people.items()
    }


class AdaptiveLinks:
    """The link policy that asks where an answer tells most, of people and of models."""

    by_sentence = False
    reads_all_votes = True

    def __init__(self, engine: Engine) -> None:
        self.engine, self.settings = engine, engine.settings
        settings = engine.settings
        self.everywhere = settings.most_informative_first
        self.reads_predicted_chains = settings.pre_annotations
        self.models = settings.model_annotators
        self.labelled_by = self.engine.source.program or None
        self.most_answers = settings.link_most
        self.seconds = (settings.learned.links.seconds or LINK_SECONDS) if engine.link_shapes else None

    @cached_property
    def digest(self) -> str:
        settings, known = self.settings, self.settings.learned.link_values()
        read = json_of(settings.link_stop, settings.link_most, known.get("link_prior", {}))
        read += ['"telling first"'] * settings.most_informative_first
        read += json_of(settings.reask_rate) * (settings.reask_rate > 0)
        errors = ("link_errors", "program_errors") if settings.pre_annotations else ("link_errors",)
        read += json_of(*(known[name] for name in errors if name in known))
        read += json_of(["reference_set", *(value for value in self.engine.source if value != ())]) * bool(
            settings.reference_set
        )
        read += ['"beyond rules"'] * settings.beyond_rules
        read += json_of(["sweeps", settings.sweep_presets]) * bool(self.seconds)
        read += [f'"models {sorted(settings.model_annotators)}"'] * bool(settings.model_annotators)
        read += json_of(["model_families", settings.model_families]) * bool(settings.model_families)
        return digest_of(LinkStrategy.ADAPTIVE.value, read)

    def groups(self, mentions: Iterable[LinkMention]) -> list[tuple[LinkMention, ...]]:
        return groups(mentions)

    def may_ask(self, first: LinkMention, second: LinkMention) -> bool:
        return can_corefer(first, second)

    def barred(self, image: ImageProgress, pair: Pair) -> Collection[int]:
        return relatives_of_judges(image, pair, self.engine)

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        audit = draw_link_audit(image, self.engine)
        found = self._answered_first(image, self._with_less_doubt(image, group, audit))
        notes = {} if audit is None else {AUDIT: audit.value}
        asks = tuple(self._with_value(ask) for ask in found.asks)
        if asks:
            return LinkPlan(asks, found.chains, notes=notes)
        sources = {**found.sources, **dict.fromkeys(posterior_links(group, found), LinkSource.POSTERIOR)}
        # A prior that takes the rules of links for certain says nothing of pairs.
        together = found.together if self.settings.learned.links.keeps_rules != ALL_WHOLE else {}
        unsettled = frozenset(number for pair in found.unsettled for number in pair)
        placed = tuple(self._placed(image, found, mentions, unsettled) for mentions in found.chains)
        return LinkPlan((), found.chains, placed, sources, together, notes)

    def sets_aside(self, worker: int) -> bool:
        """Return whether the project does not let the program judge."""
        return worker not in self.models

    def may_join(self, image: ImageProgress, chain: int, other: int) -> bool:
        return not keeps_apart(image, chain, other, self.engine.source)

    def linked(self, image: ImageProgress, chains: Iterable[Sequence[int]]) -> list[LinkedImage]:
        """Return what an image tells of chains that the rules of links keep apart: nothing where these are certain."""
        return []

    def believed(self, image: ImageProgress, group: Group, audit: LinkAudit | None, left: float = 1.0) -> GroupPlan:
        """Return the plan of a group by all that is known, whoever has to be asked before it may be followed.

        `audit`: whether what models say counts. `left`: the share of the usual doubt that may be left.
        """
        settings = self.settings
        source = self.engine.source.of_links({kind for mention in group for kind in mention.types})
        chains = self.engine.families_in(Task.COREFERENCE_LINK).first_of_each(image.program_chains)
        stop = settings.link_stop * left
        if source.program and image.votes_by(model=True):
            stop *= DOUBT_IN_JUDGED
        alike = pairs_with_similar_boxes(image, source)
        passed = {pair: likeness.likeness for pair, likeness in alike.items()}
        programs = program_links(chains, settings.learned.programs, source, misplaced(image, source), passed)
        return self._plan(
            PlanInput(
                group,
                people_answers(image),
                self.settings.learned.links,
                min(stop, USUAL_STOP) if source.errs_much else stop,
                settings.link_most,
                self.settings.learned.crowd,
                image.expert_links,
                image.skipped,
                settings.reask_rate,
                programs if settings.pre_annotations else (),
                summed_evidence(
                    same_caption_evidence(image, source),
                    similar_box_evidence(alike, reference_ratio(settings.learned.programs, source)),
                    evidence_of_models(image, self.engine, audit),
                ),
                self.seconds,
                image.unswept,
            )
        )

    def by_other_links(self, image: ImageProgress) -> dict[Pair, float]:
        """Return for each judged pair the chance, 0 to 1, that it is together, whatever was answered to it itself.

        So one answer can be checked without asking a second worker.
        """
        heard, told, learned = people_answers(image), dict[Pair, float](), self.settings.learned
        for group in groups(mention.for_links() for mention in image.mentions.values()):
            told |= leave_one_out_chances(
                group, heard, prior=learned.links, errors=learned.crowd, expert_links=image.expert_links
            )
        return told

    def _plan(self, known: PlanInput) -> GroupPlan:
        return plan_adaptively(known)

    def _with_less_doubt(self, image: ImageProgress, group: Group, audit: LinkAudit | None) -> GroupPlan:
        """Return the plan of a group; with less doubt in the audit, or before chains of the reference set change."""
        source = self.engine.source
        in_audit = source.program != 0 and audit in (LinkAudit.PEOPLE, LinkAudit.CLOSELY)
        left = (DOUBT_IN_JUDGED_AUDIT if image.votes_by(model=True) else DOUBT_IN_AUDIT) if in_audit else 1.0
        plan = self.believed(image, group, audit, left)
        if not plan.asks and changed_links(image, plan.chains, source):
            return self.believed(image, group, audit, min(left, DOUBT_IN_CHANGES))
        return plan

    def _answered_first(self, image: ImageProgress, plan: GroupPlan) -> GroupPlan:
        """Return the plan, or one that asks about a link of the source that would be changed without any answer."""
        changed = [] if plan.asks else changed_links(image, plan.chains, self.engine.source)
        if any(pair in image.votes or pair in image.expert_links for pair in changed):
            return plan
        possible = (pair for pair in changed if pair not in image.skipped)
        pair = next(
            (pair for pair in possible if can_corefer(*(image.mentions[end].for_links() for end in pair))), None
        )
        return plan if pair is None else GroupPlan((Ask(pair),), plan.chains)

    def _with_value(self, ask: Ask) -> Ask:
        """Leave out value and preset where the settings do without, and audit models by people."""
        value = ask.value if self.settings.most_informative_first else 0.0
        preset = ask.preset if self.settings.sweep_presets else ()
        return ask._replace(value=value, barred=() if ask.predicted is None else self.models, preset=preset)

    def _placed(
        self, image: ImageProgress, plan: GroupPlan, mentions: tuple[int, ...], unsettled: frozenset[int]
    ) -> PlacedChain:
        """Say of a chain how sure it is. `unsettled`: the mentions of pairs that an expert decides.

        The confidence does not say whether a chain needs verification: a part of a chain that breaks a rule of links
        passes it, as it can split chains and not join them. So only the chance that the links are right counts. With
        a limit of 1 every chain is verified, but not one of a checked data set: its source has verified its chains,
        and doubt about one is asked about as links.
        """
        right, limit = plan.links_right[mentions[0]], self.settings.verify_below
        confidence = self._confidence(image, plan, mentions)
        doubt = OVERRULED if mentions[0] in plan.doubted else ""
        if not doubt and right < DOUBTED_BELOW:
            doubt = f"the answers make it {confidence:.0%} likely"
        sure = not doubt and (self.engine.source.program != 0 or (limit < 1 and right >= limit))
        return PlacedChain(mentions, doubt, confidence, not sure, not unsettled.isdisjoint(mentions))

    def _confidence(self, image: ImageProgress, plan: GroupPlan, mentions: Sequence[int]) -> float:
        """Return the chance that a chain is right in the data set."""
        right, whole = plan.links_right[mentions[0]], plan.whole.get(mentions[0])
        if whole is not None:
            return round(right * whole, OF_CONFIDENCE)
        every = {number: mention.for_links() for number, mention in image.mentions.items()}
        return self.settings.learned.links.released(right, [every[number] for number in mentions], every.values())
