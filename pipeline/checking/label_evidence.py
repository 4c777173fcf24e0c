"""Label evidence [beyond paper 3]: what is known of each label of a checked data set, and what people's answers say.

A label is wrong if its mentions are, or its boxes: the two are weighed apart. Of either there is a doubt before any
person's answer, from text, sizes, model annotators, and the trust in the data set; and there is what people's
answers say, as a likelihood ratio. So the doubt can be put right by the answers (`wrong_share`), whoever was asked.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState, ChainState
from annotation.rules.transitivity import groups
from belief.boxes.box_answers import BoxTask
from belief.boxes.box_belief import BoxAnswer, BoxBelief, BoxEvidence, belief_before
from belief.boxes.box_prior import BoxPrior, counts_of
from belief.boxes.proposers import with_predicted
from belief.links.group_belief import chances_of_chains, group_evidence
from belief.links.program_links import program_links, reference_ratio
from belief.models.records import LinkAudit
from belief.models.reference import Reference
from pipeline.policies.adaptive_links import evidence_of_models, people_answers
from pipeline.policies.box_evidence import agreements_on, answers_of
from pipeline.policies.compose import engine_of
from pipeline.policies.reference_set import (
    misplaced,
    same_caption_evidence,
    similar_box_evidence,
    similar_boxes_of,
    summed_evidence,
    trust_in_boxes,
)
from pipeline.protocol.boxes.pre_annotations import predicted_numbers
from pipeline.protocol.image.merging import final_chain
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from workers.rules.score import logit, sigmoid


class ChainLabel(NamedTuple):
    """One chain with all that is said of it."""

    mentions: tuple[int, ...]
    """Numbers, ascending."""
    boxes: tuple[Box, ...]
    """Ascending; none if the chain has a flag."""
    flag: str = ""
    """The reason why the chain has no box: a value of NonVisual; empty: it has boxes, or nothing is said."""


def labels_of_source(
    boxes: Iterable[Sequence[int]], chains: Iterable[Sequence[int]], flags: Mapping[str, str], there: Iterable[int]
) -> list[ChainLabel]:
    """Return the labels of an image as its source has them, by first mention.

    `boxes`: rows of [mention, x0, y0, x1, y1]; `chains`: lists of mentions; `flags`: by a mention's number. `there`:
    mentions that the image still has; others are passed over.
    """
    left, found = set(there), []
    of: dict[int, set[Box]] = defaultdict(set)
    for number, *sides in boxes:
        of[number].add(Box(*sides[:4]))
    for chain in chains:
        if own := sorted(left.intersection(chain)):
            every = sorted({box for number in own for box in of[number]})
            flag = "" if every else next((flags[str(number)] for number in own if str(number) in flags), "")
            found.append(ChainLabel(tuple(own), tuple(every), flag))
    return sorted(found)


def labels_now(progress: ImageProgress) -> list[ChainLabel]:
    """Return the labels of an image as its answers have made them so far, by first mention.

    Chains that merging made one are one label, with the merged boxes; boxes of other chains are as they were accepted.
    """
    parts: dict[int, list[int]] = defaultdict(list)
    for name in progress.chains:
        parts[final_chain(progress, name)].append(name)
    found = []
    for names in parts.values():
        own = sorted(number for name in names for number in progress.chains[name].mentions)
        boxes = {box.number: box.box for name in names for box in progress.accepted(name)}
        if len(names) > 1:
            every = {merged.box for merged in progress.merged if not boxes.keys().isdisjoint(merged.members)}
        else:
            every = set(boxes.values())
        flag = "" if every else next((flag for name in names if (flag := progress.chains[name].non_visual)), "")
        found.append(ChainLabel(tuple(own), tuple(sorted(every)), flag))
    return sorted(found)


MATCHED_IOU = 0.5
"""The IOU at which two boxes show the same thing."""
MIN_CHANCE = 1e-4
"""No doubt is taken to be smaller, and none larger than 1 less this."""
MOVED_ODDS = 3.0
"""The odds of wrong boxes of a label whose mentions changed, over those that the belief has.

Its boxes come from a label that was wrong. Measured with `python -m studies planted` (simulated workers).
"""
SETTLED_STATES = (ChainState.COMPLETE, ChainState.NON_VISUAL)
MAX_RATIO = 12.0
"""The largest logarithm of a likelihood ratio that counts."""


class SideEvidence(NamedTuple):
    """Knowledge of one side of a label: of its mentions, or of its boxes."""

    doubt: float
    """The chance, 0 to 1, that it is wrong, before any person's answer."""
    ratio: float = 0.0
    """The logarithm of the likelihood of people's answers if it is wrong, over that if it is right."""
    answered: bool = False
    """A person answered about it."""

    @property
    def wrong(self) -> float:
        """The chance that it is wrong, by the answers, too."""
        return sigmoid(logit(self.doubt) + self.ratio)


class LabelEvidence(NamedTuple):
    """One label of the data set."""

    types: frozenset[str]
    mentions: SideEvidence
    boxes: SideEvidence
    now: float | None = None
    """The chance, 0 to 1, that its boxes are wrong now, if they are others; None: they are as they were."""
    parted: bool = False
    """Its mentions are no label any more."""


class NewLabel(NamedTuple):
    """One label whose mentions are no label of the data set."""

    types: frozenset[str]
    doubt: float
    """The chance, 0 to 1, that it is wrong."""


def same_boxes(some: Sequence[Box], others: Sequence[Box]) -> bool:
    """Return whether the boxes match one to one."""
    if len(some) != len(others):
        return False
    pairs = sorted(((iou(a, b), i, j) for i, a in enumerate(some) for j, b in enumerate(others)), reverse=True)
    left, right = set[int](), set[int]()
    for overlap, i, j in pairs:
        if overlap >= MATCHED_IOU and i not in left and j not in right:
            left.add(i)
            right.add(j)
    return len(left) == len(some)


def label_evidence_of(
    progress: ImageProgress, labels: Sequence[ChainLabel], settings: Settings
) -> tuple[list[LabelEvidence], list[NewLabel]]:
    """Return what is known of each label that a data set has of an image, and of those that it has now besides.

    `labels`: see `labels_of_source`. `settings`: those in force.
    """
    now = {label.mentions: label for label in labels_now(progress)}
    found, source = [], engine_of(settings).source
    chains = {tuple(sorted(chain.mentions)): chain for chain in progress.chains.values()}
    for label, mentions in zip(labels, _of_mentions(progress, labels, settings), strict=True):
        own, same = chains.get(label.mentions), now.get(label.mentions)
        boxes, changed = _of_boxes(progress, own, label, settings), None
        if own and same and own.state in SETTLED_STATES:
            left = 1 - _sure(own.box_confidence)
            if not same_boxes(same.boxes, label.boxes):
                changed, boxes = left, _at_least(boxes, 1 - left)
            elif _drawn_again(progress, own, source):
                boxes = boxes._replace(ratio=_bounded(logit(_clipped(left)) - logit(boxes.doubt)))
        types = _types(progress, label.mentions)
        found.append(LabelEvidence(types, mentions, boxes, changed, parted=same is None))
    before = {label.mentions for label in labels}
    return found, [_new(progress, numbers) for numbers in now if numbers not in before]


def _new(progress: ImageProgress, mentions: Sequence[int]) -> NewLabel:
    parts = [chain for chain in progress.chains.values() if set(chain.mentions).issubset(mentions)]
    right = math.prod(_sure(chain.confidence) for chain in parts)
    right *= math.prod(sigmoid(logit(_sure(chain.box_confidence)) - math.log(MOVED_ODDS)) for chain in parts)
    return NewLabel(_types(progress, mentions), 1 - right)


def _sure(confidence: float | None) -> float:
    return 1.0 if confidence is None else confidence


def _drawn_again(progress: ImageProgress, chain: ChainProgress, source: Reference) -> bool:
    """Return whether boxes of the source were dropped. If others were drawn in their place, those show them right."""
    own = (box for box in progress.boxes.values() if box.chain == chain.name and box.worker == source.program)
    return any(box.state is BoxState.DISCARDED for box in own)


def _types(progress: ImageProgress, mentions: Sequence[int]) -> frozenset[str]:
    return frozenset(kind for number in mentions for kind in progress.mentions[number].types)


# --- Mentions ---


def _of_mentions(progress: ImageProgress, labels: Sequence[ChainLabel], settings: Settings) -> list[SideEvidence]:
    source, heard = engine_of(settings).source, people_answers(progress)
    by_model_annotators = evidence_of_models(progress, engine_of(settings), LinkAudit.BOTH)
    alike = similar_boxes_of(progress, [(label.mentions, label.boxes) for label in labels])
    passed = {pair: likeness.likeness for pair, likeness in alike.items()}
    found = {label.mentions: SideEvidence(MIN_CHANCE) for label in labels}
    for group in groups(mention.for_links() for mention in progress.mentions.values()):
        numbers = {mention.number for mention in group}
        trusted = source.of_links({kind for mention in group for kind in mention.types})
        chains, errors, lost = progress.program_chains, settings.learned.programs, misplaced(progress, source)
        before, now = (program_links(chains, errors, trusted, numbers, passed) for numbers in (frozenset[int](), lost))
        by_boxes = similar_box_evidence(alike, reference_ratio(errors, trusted))
        model_annotators = summed_evidence(same_caption_evidence(progress, source), by_boxes, by_model_annotators)
        own = [label.mentions for label in labels if numbers.issuperset(label.mentions)]
        answered = {pair: votes for pair, votes in heard.items() if votes and pair[0] in numbers}
        right = [
            chances_of_chains(
                group_evidence(group, votes, settings.learned.crowd, progress.expert_links, (), model_annotators),
                settings.learned.links,
                programs,
                own,
            )
            for votes, programs in ([({}, before), (answered, now)] if answered else [({}, before)])
        ]
        about = {number for pair in answered for number in pair}
        for place, mentions in enumerate(own):
            first, last = (_clipped(1 - chances[place]) for chances in (right[0], right[-1]))
            found[mentions] = SideEvidence(
                first, _bounded(logit(last) - logit(first)), bool(about.intersection(mentions))
            )
    return [found[label.mentions] for label in labels]


# --- Boxes ---


def _of_boxes(
    progress: ImageProgress, chain: ChainProgress | None, label: ChainLabel, settings: Settings
) -> SideEvidence:
    types, prior = _types(progress, label.mentions), engine_of(settings).box_rules.prior
    source = engine_of(settings).source.of_boxes(types)
    trust = trust_in_boxes(engine_of(settings).source, types, len(label.boxes), prior)
    first = progress.mentions[progress.reading_order(list(label.mentions))[0]]
    shown = progress.mentions.get(chain.representative, first) if chain else first
    counts = counts_of(types, shown.words, shown.head, prior)
    if chain is not None:
        pre_annotated = predicted_numbers(progress, chain)
        pre_annotated.pop(str(source.program), None)
        counts = with_predicted(
            counts, engine_of(settings).families_in(Task.BOX_QUALITY).first_of_each(pre_annotated), prior
        )
    belief = belief_before(BoxEvidence(source.weigh(counts, len(label.boxes))))
    if chain is None:
        return SideEvidence(_clipped(1 - _taken(belief, label, trust, prior).p_exactly(range(len(label.boxes)))))
    families = engine_of(settings).families_in(Task.BOX_QUALITY)
    heard = answers_of(progress, chain, prior, families)
    own = [box for _, box in sorted(progress.boxes.items()) if box.chain == chain.name and box.worker == source.program]
    if heard and len(own) == len(label.boxes):
        return _by_answers(belief, heard, own, agreements_on(progress, chain, own, prior, families), prior)
    own = [
        BoxProgress(place, chain.name, box, BoxState.ACCEPTED, source.program, 0, pre_annotated=True)
        for place, box in enumerate(label.boxes)
    ]
    belief = _taken(belief, label, trust, prior)
    for answer in agreements_on(progress, chain, own, prior, families):
        belief = belief.after(answer, prior)
    return SideEvidence(_clipped(1 - belief.p_exactly(range(len(own)))))


def _taken(belief: BoxBelief, label: ChainLabel, trust: float, prior: BoxPrior) -> BoxBelief:
    """Return what is believed once all boxes of a label are shown, numbered from 0."""
    for place in range(len(label.boxes)):
        taken = BoxAnswer(BoxTask.DRAWING, None, 0.0, place, tuple(range(place)), trust)
        belief = belief.after(taken, prior)
    return belief


def _by_answers(
    belief: BoxBelief,
    heard: Sequence[BoxAnswer],
    boxes: Collection[BoxProgress],
    beside: Sequence[BoxAnswer],
    prior: BoxPrior,
) -> SideEvidence:
    """Return what answers say of the source's boxes, as long as these are shown.

    `beside`: what other programs' boxes say of them.
    """
    own = {box.number for box in boxes}
    left, doubt, ratio, answered = set(own), 0.0, 0.0, False
    before: float | None = None
    for answer in heard:
        if answer.trust is not None and answer.box in left:
            belief = belief.after(answer, prior)
            left.discard(answer.box)
            if not left:
                for evidence in beside:
                    belief = belief.after(evidence, prior)
                before = doubt = logit(_clipped(1 - belief.p_exactly(own)))
            continue
        if before is None and not own:
            before = doubt = logit(_clipped(1 - belief.p_exactly(own)))
        if before is None:
            belief = belief.after(answer, prior)
            continue
        if answer.task is not BoxTask.QUALITY and not own.issubset(answer.shown):
            break
        belief = belief.after(answer, prior)
        after = logit(1 - belief.p_exactly(own))
        if answer.model is not None or answer.trust is not None:
            doubt += after - before
        else:
            ratio, answered = ratio + after - before, True
        before = after
    if before is None:
        doubt = logit(_clipped(1 - belief.p_exactly(own)))
    return SideEvidence(_clipped(sigmoid(doubt)), _bounded(ratio), answered)


def _at_least(evidence: SideEvidence, wrong: float) -> SideEvidence:
    """Return what is told if the boxes were changed, and what they are now is right with this chance."""
    ratio = logit(_clipped(wrong)) - logit(evidence.doubt)
    return evidence._replace(ratio=_bounded(max(evidence.ratio, ratio)), answered=True)


def _clipped(chance: float) -> float:
    return min(max(chance, MIN_CHANCE), 1 - MIN_CHANCE)


def _bounded(ratio: float) -> float:
    return min(max(ratio, -MAX_RATIO), MAX_RATIO)
