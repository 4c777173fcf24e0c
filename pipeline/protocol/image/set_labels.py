"""Labels set by an expert [beyond paper 3.3.1]: confirm labels as they are, or take a change of labels back.

Labels are rows of [mentions, boxes, flag]; the flag says why there is no box.
"""

from collections.abc import Sequence
from typing import Any

from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState, NonVisual
from pipeline.protocol.image import expert
from pipeline.protocol.image.chain_steps import Act, add_box, settle_box
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.state.progress import Cause, ChainProgress

CONFIRM, TAKE_BACK = "confirm", "take back"
Rows = Sequence[Sequence[Any]]


def confirm(act: Act, *, labels: Rows) -> None:
    """Note that labels are right. Nothing changes, and a finished image stays finished."""
    _check(act, labels)


def take_back(act: Act, *, labels: Rows, was: Rows) -> None:
    """Give the phrases these labels, all of which are settled then. `was`: the labels that they had."""
    numbers = _check(act, labels)
    if _check(act, was) != numbers:
        raise ExpertError("The labels that are taken back must be about the same phrases as those in their place.")
    chains = {act.progress.chain_of(number).name: act.progress.chain_of(number) for number in sorted(numbers)}
    if others := {number for chain in chains.values() for number in chain.mentions} - numbers:
        raise ExpertError(f"Phrases {sorted(others)} are in these chains, too: take back all that has changed of them.")
    if {frozenset(chain.mentions) for chain in chains.values()} != {frozenset(row[0]) for row in labels}:
        if len(chains) > 1:
            expert.join(act, chains=list(chains))
        whole = act.progress.chain_of(min(numbers)).name
        if len(labels) > 1:
            expert.split(act, chain=whole, parts=[list(row[0]) for row in labels])
    for mentions, boxes, flag in labels:
        _settle(act, act.progress.chain_of(mentions[0]), [Box(*box) for box in boxes], flag)


def _settle(act: Act, chain: ChainProgress, boxes: list[Box], flag: str) -> None:
    """Let the chain have these boxes and no others, and be complete or non-visual."""
    expert.at_rest(act, chain.name)
    for accepted in act.progress.accepted(chain.name):
        if accepted.box in boxes:
            boxes.remove(accepted.box)
        else:
            settle_box(act, accepted, BoxState.DISCARDED, Cause.EXPERT)
    for box in boxes:
        every = act.progress.boxes.values()
        old = next((candidate for candidate in every if candidate.chain == chain.name and candidate.box == box), None)
        if old is None:
            add_box(act, chain, box, BoxState.ACCEPTED, None)
        else:
            settle_box(act, old, BoxState.ACCEPTED, Cause.EXPERT)
    scene = act.progress.has_type(chain, MentionType.SCENE)
    kind = flag or (NonVisual.SCENE if scene else NonVisual.NO_BOX).value
    to = ChainState.COMPLETE if act.progress.accepted(chain.name) else ChainState.NON_VISUAL
    expert.send(act, chain=chain.name, to=to.value, kind=kind)


def _check(act: Act, labels: Rows) -> set[int]:
    """Raise ExpertError if these are no labels of phrases that the image has, and return the phrases."""
    try:
        found = [number for mentions, _, _ in labels for number in mentions]
        whole = all(Box(*box).area > 0 and min(box) >= 0 for _, boxes, _ in labels for box in boxes)
        flags = all(flag in ("", *NonVisual) and not (flag and boxes) for _, boxes, flag in labels)
        full = all(mentions for mentions, _, _ in labels)
    except (TypeError, ValueError) as error:
        raise ExpertError("Labels are rows of [mentions, boxes, flag].") from error
    if not (found and whole and flags and full) or len(set(found)) < len(found):
        raise ExpertError("Labels have phrases, each in one label, and boxes or the reason why there is none.")
    if unknown := set(found) - act.progress.mentions.keys():
        raise ExpertError(f"There is no mention {min(unknown)}.")
    return set(found)
