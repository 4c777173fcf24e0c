"""Merging [paper 3.3.2]: join boxes that show the same thing, then chains that point to exactly the same boxes."""

from annotation.rules.states import ImageState
from pipeline.protocol.boxes.merge_boxes import BoxToMerge, MergeResult, MergeRules, merge_boxes, merge_chains
from pipeline.protocol.image.chain_steps import ImageUpdate
from pipeline.protocol.settings import MergeSettings
from pipeline.protocol.state.progress import (
    BoxProgress,
    Cause,
    ImageProgress,
    LinkSource,
    MergedBoxProgress,
    StateMachine,
)
from pipeline.protocol.tasks.flow import SETTLED

BY_ANSWERS = frozenset(
    {LinkSource.ASKED_YES, LinkSource.ASKED_NO, LinkSource.REASKED, LinkSource.OVERRULED}
    | {LinkSource.TRANSITIVITY, LinkSource.POSTERIOR, LinkSource.PROGRAM}
)
"""The sources of links that answers about links made."""


def can_merge(progress: ImageProgress) -> bool:
    """Whether every chain is complete or non-visual."""
    return progress.started and all(chain.state in SETTLED for chain in progress.chains.values())


def merge_rules(settings: MergeSettings) -> MergeRules:
    """Return the thresholds and pairs of types by which boxes merge."""
    return MergeRules(
        threshold=settings.merge_iou,
        other_threshold=settings.merge_iou_other,
        allowed=frozenset(frozenset(pair) for pair in settings.mergeable_types),
    )


def accepted_boxes(progress: ImageProgress) -> list[BoxProgress]:
    """Return the accepted boxes of the image, in the order in which they were accepted."""
    boxes = [box for chain in progress.chains for box in progress.accepted(chain)]
    return sorted(boxes, key=lambda box: (box.accepted or 0, box.number))


def merge_result(progress: ImageProgress, settings: MergeSettings) -> tuple[list[BoxProgress], MergeResult]:
    """Return the accepted boxes, and the joins: members as places in that list, IOU and types of each join."""
    boxes = accepted_boxes(progress)
    types = {name: progress.types_of(chain) for name, chain in progress.chains.items()}
    return boxes, merge_boxes([BoxToMerge(b.box, types[b.chain], b.chain) for b in boxes], merge_rules(settings))


def merge_image(update: ImageUpdate) -> None:
    """Merge the accepted boxes and the chains. The accepted boxes stay, so an image can be merged again."""
    progress = update.progress
    boxes, result = merge_result(progress, update.settings)
    progress.merged = [
        MergedBoxProgress(number, group.box, [boxes[index].number for index in group.members])
        for number, group in enumerate(result.groups)
    ]
    pointed: dict[int, set[int]] = {name: set() for name in progress.reading_order(list(progress.chains))}
    for merged in progress.merged:
        for member in merged.members:
            pointed[progress.boxes[member].chain].add(merged.number)
    for names in merge_chains({name: frozenset(numbers) for name, numbers in pointed.items()}):
        separate: list[int] = []
        for name in names:
            into = next((other for other in separate if update.rules.links.may_join(progress, other, name)), None)
            if into is None:
                separate.append(name)
                continue
            chain = progress.chains[name]
            chain.merged_into = into
            update.log(StateMachine.CHAIN, name, chain.state.value, chain.state.value, Cause.SAME_BOXES, chain=into)
    update.log(StateMachine.IMAGE, 0, progress.state.value, ImageState.MERGED.value, Cause.MERGED)
    progress.state = ImageState.MERGED


def reopen_merged(update: ImageUpdate) -> None:
    """Undo the merge of an image that an expert takes up again."""
    update.progress.merged = []
    for chain in update.progress.chains.values():
        chain.merged_into = None


def final_chain(progress: ImageProgress, name: int) -> int:
    """Return the chain that this one became part of, or this chain."""
    into = progress.chains[name].merged_into
    return name if into is None else into


JOINED_CONFIDENCE = 0.55
"""The chance that a chain is right which boxes joined, however sure its parts were.

Measured with `python -m studies campaign_cost` (simulated workers): of 403 such chains 57 % were right, of those whose
links were asked longest 55 %. The others were not the same, though their boxes are.
"""


def final_confidence(progress: ImageProgress, name: int) -> float | None:
    """Return the chance that a chain of the data set has exactly the right mentions.

    None if it is unknown, or if the chain was joined to another and is none of its own any more.
    """
    chain = progress.chains[name]
    if chain.merged_into is not None or chain.confidence is None:
        return None
    joined = any(part.merged_into == name for part in progress.chains.values())
    return JOINED_CONFIDENCE if joined else chain.confidence


def final_chance(progress: ImageProgress, a: int, b: int, source: LinkSource) -> float | None:
    """Return the chance that two mentions corefer, by the answers about links and their text.

    None if it is unknown, or if something else has decided: `source`, the link's source.
    """
    return progress.together.get((a, b)) if source in BY_ANSWERS else None


def sources_of_pairs(progress: ImageProgress) -> dict[tuple[int, int], LinkSource]:
    """Return the source of the link between every two mentions of the image [figure 3]: what acted on it last."""
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    final = {number: final_chain(progress, chain) for number, chain in chain_of.items()}
    known = progress.sources
    mentions = [
        (number, chain_of[number], final[number], progress.mentions[number])
        for number in progress.reading_order(list(progress.mentions))
    ]
    sources: dict[tuple[int, int], LinkSource] = {}
    for place, (a, chain, final_name, first) in enumerate(mentions):
        types, part = first.linked_types, (first.caption, first.part)
        for b, other_chain, other_name, second in mentions[place + 1 :]:
            pair = a, b
            if chain != other_chain and final_name == other_name:
                sources[pair] = LinkSource.MERGED
            elif pair in known:
                sources[pair] = known[pair]
            elif chain == other_chain:
                sources[pair] = LinkSource.TRANSITIVITY
            elif part == (second.caption, second.part):
                sources[pair] = LinkSource.CAPTION
            else:
                sources[pair] = LinkSource.TYPE if types.isdisjoint(second.linked_types) else LinkSource.TRANSITIVITY
    return sources
