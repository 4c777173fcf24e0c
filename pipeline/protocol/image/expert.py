"""Expert review [paper 3.3.1]: let an action of an expert act; it is in the record like any judgment.

Beyond the paper an expert can also confirm labels as they are, or take a change of labels back. Labels are rows of
[mentions, boxes, flag]; the flag says why there is no box.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from inspect import signature
from typing import Any

from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState, NonVisual
from pipeline.protocol.image.advance import enter
from pipeline.protocol.image.chain_steps import (
    ImageUpdate,
    add_box,
    close_question,
    move_chain,
    send_to_review,
    settle_box,
    split_chain,
)
from pipeline.protocol.image.interventions import send_mention_to_review
from pipeline.protocol.image.linking import keep_to_sentences, linking_groups, replan, replan_all
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import BoxProgress, Cause, ChainAnswer, ChainProgress, LinkSource, StateMachine
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.flow import TASK_OF_STATE, ReviewStep
from pipeline.protocol.tasks.task import Task

DESTINATIONS = {
    ChainState.VERIFICATION: ReviewStep.VERIFY,
    ChainState.REQUIREMENT: ReviewStep.ASK,
    ChainState.DRAWING: ReviewStep.DRAW,
    ChainState.COVERAGE: ReviewStep.COVER,
    ChainState.COMPLETE: ReviewStep.COMPLETE,
    ChainState.NON_VISUAL: ReviewStep.NON_VISUAL,
}
CONFIRM, TAKE_BACK = "confirm", "take back"
Rows = Sequence[Sequence[Any]]


class ExpertError(Exception):
    """The action does not fit the image; the message says why."""


def chain_named(update: ImageUpdate, name: int) -> ChainProgress:
    """Return the chain of this name. Raises ExpertError if there is none."""
    if name not in update.progress.chains:
        raise ExpertError(
            f"There is no chain {name}. There are: {', '.join(map(str, sorted(update.progress.chains)))}."
        )
    return update.progress.chains[name]


def at_rest(update: ImageUpdate, name: int) -> ChainProgress:
    """Take the chain out of the crowd's hands, and return it."""
    chain = chain_named(update, name)
    if chain.state is ChainState.LINKING:
        raise ExpertError(f"Chain {name} is still linking: set its links instead.")
    send_to_review(update, chain, Cause.EXPERT)
    return chain


def send(update: ImageUpdate, *, chain: int, to: str, kind: str = "") -> None:
    """Send a chain on, with empty tallies. `kind` of a non-visual chain: scene or no box."""
    send_sparing(update, chain, to, kind, ())


def send_sparing(update: ImageUpdate, chain: int, to: str, kind: str, spared: Collection[int]) -> None:
    """Send a chain on as `send` does. `spared`: workers who are not asked.

    For each of them the chain gets an answer to the task that was not given.
    """
    moved = at_rest(update, chain)
    step = DESTINATIONS.get(ChainState(to)) if to in set(ChainState) else None
    if step is None:
        raise ExpertError(f"A chain cannot be sent to {to!r}, only to: {', '.join(DESTINATIONS)}.")
    boxes = update.progress.accepted(chain)
    if step is ReviewStep.VERIFY and len(moved.mentions) < 2:
        raise ExpertError(f"Chain {chain} has one mention: there is nothing to verify.")
    if step in (ReviewStep.COMPLETE, ReviewStep.COVER) and not boxes:
        raise ExpertError(f"Chain {chain} has no accepted box: draw one, or send it to box drawing or non-visual.")
    if step in (ReviewStep.NON_VISUAL, ReviewStep.ASK) and boxes:
        raise ExpertError(f"Chain {chain} has {len(boxes)} accepted boxes: delete them first.")
    if step is ReviewStep.NON_VISUAL:
        if kind not in set(NonVisual):
            raise ExpertError(f"A non-visual chain is one of {', '.join(NonVisual)}, not {kind!r}.")
        moved.non_visual = kind
    else:
        moved.non_visual = ""
    moved.doubted = ""
    shown, task = [box.number for box in boxes], TASK_OF_STATE.get(ChainState(to))
    not_asked = [ChainAnswer(update.entry, worker, task, None, [*shown]) for worker in spared if task]
    moved.answers = [] if task is None else [*_word_of_expert(update, moved), *not_asked]
    move_chain(update, moved, step)
    enter(update, moved)


def _word_of_expert(update: ImageUpdate, chain: ChainProgress) -> Iterator[ChainAnswer]:
    """Yield an expert's word for all accepted boxes of a chain that starts anew."""
    shown: list[int] = []
    for box in update.progress.accepted(chain.name):
        yield ChainAnswer(update.entry, None, Task.BOX_DRAWING, box.number, [*shown])
        yield ChainAnswer(update.entry, None, Task.BOX_QUALITY, BoxQualityAnswer.GOOD.value, [box.number])
        shown.append(box.number)


def set_link(update: ImageUpdate, *, first: int, second: int, same: bool) -> None:
    """Decide one link of a group that is still linking."""
    if first == second or not {first, second} <= set(update.progress.mentions):
        raise ExpertError(f"A link needs two mentions of the image, not {first} and {second}.")
    a, b = update.progress.reading_order([first, second])
    group = next((group for group in linking_groups(update) if {a, b} <= {m.number for m in group}), None)
    if group is None:
        raise ExpertError(f"Mentions {a} and {b} are not in one group that is still linking: join or split chains.")
    update.progress.expert_links[a, b] = same
    replan(update, group)


def join(update: ImageUpdate, *, chains: list[int]) -> None:
    """Make one chain of several. It waits in review."""
    if len(set(chains)) < 2:
        raise ExpertError("Joining needs two different chains.")
    parts = [at_rest(update, name) for name in dict.fromkeys(chains)]
    progress = update.progress
    mentions = progress.reading_order([number for part in parts for number in part.mentions])
    for place, a in enumerate(mentions):
        for b in mentions[place + 1 :]:
            if progress.chain_of(a) is not progress.chain_of(b):
                progress.sources[a, b] = LinkSource.EXPERT
    kept = progress.chain_of(mentions[0])
    for part in parts:
        if part is not kept:
            _drop(update, part, kept.name)
    kept.mentions, kept.representative, kept.confidence = mentions, -1, None


def split(update: ImageUpdate, *, chain: int, parts: list[list[int]]) -> None:
    """Split a chain. The parts wait in review, and the boxes stay with the first part."""
    whole = at_rest(update, chain)
    if sorted(n for part in parts for n in part) != sorted(whole.mentions) or not all(parts) or len(parts) < 2:
        raise ExpertError(
            f"Each mention of chain {chain}, {whole.mentions}, must be in exactly one of two or more parts."
        )
    ordered = sorted(
        map(update.progress.reading_order, parts), key=lambda part: update.progress.mentions[part[0]].order
    )
    split_chain(update, whole, ordered, LinkSource.EXPERT, Cause.EXPERT)


def retype(update: ImageUpdate, *, mention: int, types: list[str]) -> None:
    """Give a mention other types. If it is not placed yet, all open links are planned anew."""
    if mention not in update.progress.mentions:
        raise ExpertError(f"There is no mention {mention}.")
    _check_types(types)
    linking = update.progress.started and update.progress.chain_of(mention).state is ChainState.LINKING
    update.progress.mentions[mention].types = types
    keep_to_sentences(update)
    if linking:
        replan_all(update)


def chunk(update: ImageUpdate, *, add: list[list[Any]]) -> None:
    """Give an image that waits for its phrases its mentions, as rows like those of `rechunk`.

    In an image that came annotated each of them is a chain of its own, as of other phrases that no chain has.
    """
    if not update.progress.waiting:
        raise ExpertError("This image has its phrases already: change them with rechunk.")
    for row in add:
        made = _mention(update, row)
        update.progress.mentions[made.number] = made
        if update.progress.started:
            chain = ChainProgress(made.number, [made.number], ChainState.COMPLETE)
            chain.representative = made.number
            update.progress.chains[made.number] = chain
            update.log(StateMachine.CHAIN, made.number, "", ChainState.COMPLETE.value, Cause.EXPERT)
    update.progress.waiting = False


def rechunk(update: ImageUpdate, *, remove: list[int], add: list[list[Any]]) -> None:
    """Remove mentions and add others.

    Rows of `add` are [number, caption, start, end, types, text, before, vector, form, sentence].

    The last four may be missing, as in the first entry (see `machine.begin`). Each new mention is a chain of
    its own that waits in review; before linking began, it is linked like the others.
    """
    progress = update.progress
    for number in remove:
        if number not in progress.mentions:
            raise ExpertError(f"There is no mention {number}.")
        if progress.started:
            _remove_mention(update, number)
        else:
            del progress.mentions[number]
    for row in add:
        made = _mention(update, row)
        progress.mentions[made.number] = made
        if not progress.started:
            continue
        progress.chains[made.number] = ChainProgress(made.number, [made.number], ChainState.REVIEW, review=Cause.EXPERT)
        update.log(StateMachine.CHAIN, made.number, "", ChainState.REVIEW.value, Cause.EXPERT)
    keep_to_sentences(update)
    replan_all(update)


def _check_types(types: Any) -> None:
    if not isinstance(types, list) or not types or any(kind not in tuple(MentionType) for kind in types):
        raise ExpertError(f"Types must be some of {', '.join(MentionType)}, not {types!r}.")
    if len(set(types)) < len(types):
        raise ExpertError(f"Types must be named once each, not {types!r}.")


def _mention(update: ImageUpdate, row: Any) -> MentionProgress:
    kinds = [int, int, int, int, list, str]
    more = [*([*kinds, *[str] * added] for added in range(4)), [*kinds, str, str, str, int]]
    if not isinstance(row, list) or [type(cell) for cell in row] not in more:
        shape = "[number, caption, start, end, types, text, before, vector, form, sentence]"
        raise ExpertError(f"A mention is {shape}, not {row!r}.")
    made = MentionProgress.of(row)
    _check_span(update, made)
    update.progress.next_mention = made.number + 1
    return made


def _check_span(update: ImageUpdate, made: MentionProgress) -> None:
    _check_types(made.types)
    if not 0 <= made.start < made.end:
        raise ExpertError(f"[{made.start}, {made.end}) is not a span of words.")
    if made.number < update.progress.next_mention:
        raise ExpertError(
            f"Mention number {made.number} was given before: the next one is {update.progress.next_mention}."
        )
    for other in update.progress.mentions.values():
        if other.caption == made.caption and other.start < made.end and made.start < other.end:
            raise ExpertError(f"“{made.text}” overlaps “{other.text}”: mentions of a caption never overlap.")


def _remove_mention(update: ImageUpdate, number: int) -> None:
    progress = update.progress
    chain = progress.chain_of(number)
    if chain.state is not ChainState.LINKING:
        send_to_review(update, chain, Cause.EXPERT)
    for question in [q for q in progress.open.values() if q.task is Task.COREFERENCE_LINK and number in q.subject]:
        close_question(update, question.number, Cause.MENTION_REMOVED)
    for links in (progress.votes, progress.expert_links, progress.voided, progress.sources, progress.together):
        for pair in [pair for pair in links if number in pair]:
            del links[pair]
    progress.skipped = [pair for pair in progress.skipped if number not in pair]
    progress.unswept = [about for about in progress.unswept if about != number]
    progress.review_when_placed.pop(number, None)
    del progress.mentions[number]
    chain.mentions.remove(number)
    chain.confidence = None
    if chain.representative == number:
        chain.representative = -1
    if chain.state is ChainState.LINKING or not chain.mentions:
        _remove_chain(update, chain)
    elif chain.name == number:
        _rename(update, chain, chain.mentions[0])


def _remove_chain(update: ImageUpdate, chain: ChainProgress) -> None:
    """Remove an empty chain with its boxes, or a chain in linking, whose mentions are then planned anew."""
    for box in update.progress.boxes.values():
        if box.chain == chain.name and box.state is not BoxState.DISCARDED:
            settle_box(update, box, BoxState.DISCARDED, Cause.NO_MENTION_LEFT)
    update.log(StateMachine.CHAIN, chain.name, chain.state.value, "", Cause.EXPERT)
    del update.progress.chains[chain.name]
    for number in chain.mentions:
        update.progress.chains[number] = ChainProgress(number, [number])


def _rename(update: ImageUpdate, chain: ChainProgress, name: int) -> None:
    old, chain.name, chain.representative = chain.name, name, -1
    del update.progress.chains[old]
    update.progress.chains[name] = chain
    for box in update.progress.boxes.values():
        if box.chain == old:
            box.chain = name
    update.log(StateMachine.CHAIN, old, chain.state.value, "", Cause.RENAMED_TO, chain=name)
    update.log(StateMachine.CHAIN, name, "", chain.state.value, Cause.RENAMED_FROM, chain=old)


def _drop(update: ImageUpdate, chain: ChainProgress, into: int) -> None:
    del update.progress.chains[chain.name]
    for box in update.progress.boxes.values():
        if box.chain == chain.name:
            box.chain = into
    update.log(StateMachine.CHAIN, chain.name, chain.state.value, "", Cause.JOINED, chain=into)


# --- Boxes ---


def draw(update: ImageUpdate, *, chain: int, box: list[int]) -> None:
    """Add an accepted box to a chain."""
    _check_box(box)
    add_box(update, at_rest(update, chain), Box(*box), BoxState.ACCEPTED, None)


def delete_box(update: ImageUpdate, *, box: int) -> None:
    deleted = _undiscarded_box(update, box, "delete")
    at_rest(update, deleted.chain)
    if deleted.state is BoxState.ACCEPTED:
        settle_box(update, deleted, BoxState.DISCARDED, Cause.EXPERT)


def move_box(update: ImageUpdate, *, box: int, to: list[int]) -> None:
    """Put an accepted box in place of this one, which is discarded: the record keeps both."""
    _check_box(to)
    moved = _undiscarded_box(update, box, "move")
    if Box(*to) == moved.box:
        raise ExpertError(f"Box {box} lies there already.")
    delete_box(update, box=box)
    draw(update, chain=moved.chain, box=to)


def accept_box(update: ImageUpdate, *, box: int) -> None:
    """Accept a box that workers judged bad, or that nobody has judged yet."""
    accepted = update.progress.boxes.get(box)
    if accepted is None or accepted.state is BoxState.ACCEPTED:
        raise ExpertError(f"There is no box {box} that was discarded or waits to be judged.")
    if accepted.chain not in update.progress.chains:
        raise ExpertError(f"The chain of box {box} is gone: draw the box for another chain.")
    at_rest(update, accepted.chain)
    settle_box(update, accepted, BoxState.ACCEPTED, Cause.EXPERT)


def _undiscarded_box(update: ImageUpdate, number: int, verb: str) -> BoxProgress:
    found = update.progress.boxes.get(number)
    if found is None or found.state is BoxState.DISCARDED:
        raise ExpertError(f"There is no box {number} to {verb}.")
    return found


def _check_box(box: Any) -> None:
    whole = isinstance(box, list) and [type(edge) for edge in box] == [int] * 4
    if not whole or not 0 <= box[0] < box[2] or not 0 <= box[1] < box[3]:
        raise ExpertError(f"A box is [x0, y0, x1, y1] in whole pixels, at least 1 x 1, not {box!r}.")


# --- Labels ---


def confirm(update: ImageUpdate, *, labels: Rows) -> None:
    """Note that labels are right. Nothing changes, and a finished image stays finished."""
    _check(update, labels)


def restore_labels(update: ImageUpdate, *, labels: Rows, was: Rows) -> None:
    """Give the phrases these labels, all of which are settled then. `was`: the labels that they had."""
    numbers = _check(update, labels)
    if _check(update, was) != numbers:
        raise ExpertError("The labels that are taken back must be about the same phrases as those in their place.")
    chains = {update.progress.chain_of(number).name: update.progress.chain_of(number) for number in sorted(numbers)}
    if others := {number for chain in chains.values() for number in chain.mentions} - numbers:
        raise ExpertError(f"Phrases {sorted(others)} are in these chains, too: take back all that has changed of them.")
    if {frozenset(chain.mentions) for chain in chains.values()} != {frozenset(row[0]) for row in labels}:
        if len(chains) > 1:
            join(update, chains=list(chains))
        whole = update.progress.chain_of(min(numbers)).name
        if len(labels) > 1:
            split(update, chain=whole, parts=[list(row[0]) for row in labels])
    for mentions, boxes, why in labels:
        _settle(update, update.progress.chain_of(mentions[0]), [Box(*box) for box in boxes], why)


def _settle(update: ImageUpdate, chain: ChainProgress, boxes: list[Box], why: str) -> None:
    """Let the chain have these boxes and no others, and be complete or non-visual."""
    at_rest(update, chain.name)
    for accepted in update.progress.accepted(chain.name):
        if accepted.box in boxes:
            boxes.remove(accepted.box)
        else:
            settle_box(update, accepted, BoxState.DISCARDED, Cause.EXPERT)
    for box in boxes:
        every = update.progress.boxes.values()
        old = next((candidate for candidate in every if candidate.chain == chain.name and candidate.box == box), None)
        if old is None:
            add_box(update, chain, box, BoxState.ACCEPTED, None)
        else:
            settle_box(update, old, BoxState.ACCEPTED, Cause.EXPERT)
    scene = update.progress.has_type(chain, MentionType.SCENE)
    kind = why or (NonVisual.SCENE if scene else NonVisual.NO_BOX).value
    to = ChainState.COMPLETE if update.progress.accepted(chain.name) else ChainState.NON_VISUAL
    send(update, chain=chain.name, to=to.value, kind=kind)


def _check(update: ImageUpdate, labels: Rows) -> set[int]:
    """Raise ExpertError if these are no labels of phrases that the image has, and return the phrases."""
    try:
        found = [number for mentions, _, _ in labels for number in mentions]
        whole = all(Box(*box).area > 0 and min(box) >= 0 for _, boxes, _ in labels for box in boxes)
        flags = all(why in ("", *NonVisual) and not (why and boxes) for _, boxes, why in labels)
        full = all(mentions for mentions, _, _ in labels)
    except (TypeError, ValueError) as error:
        raise ExpertError("Labels are rows of [mentions, boxes, flag].") from error
    if not (found and whole and flags and full) or len(set(found)) < len(found):
        raise ExpertError("Labels have phrases, each in one label, and boxes or the reason why there is none.")
    if unknown := set(found) - update.progress.mentions.keys():
        raise ExpertError(f"There is no mention {min(unknown)}.")
    return set(found)


# --- Actions ---


def apply_expert_action(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Let {"action": one of ACTIONS, and its arguments} act. Raises ExpertError if it does not fit the image."""
    name = data.get("action")
    action = ACTIONS.get(str(name))
    if action is None:
        raise ExpertError(f"There is no action {name!r}. There are: {', '.join(ACTIONS)}.")
    if not update.progress.started and action not in (chunk, retype, rechunk):
        raise ExpertError("Linking has not begun: only the phrases of this image can be changed yet.")
    given = {argument: value for argument, value in data.items() if argument != "action"}
    try:
        signature(action).bind(update, **given)
    except TypeError as error:
        raise ExpertError(f"The action {name!r} cannot be taken as it is written: {error}.") from error
    action(update, **given)


def review(update: ImageUpdate, *, chain: int) -> None:
    """Send a chain to review: now, or as soon as its mentions are placed."""
    reviewed = chain_named(update, chain)
    if reviewed.state is ChainState.REVIEW:
        raise ExpertError(f"Chain {chain} waits in review already.")
    send_mention_to_review(update, reviewed.mentions[0], Cause.EXPERT)


def ask_others(update: ImageUpdate, *, chain: int, to: str) -> None:
    """Send a chain to a task with empty tallies, and spare those who have voted on the chain or drawn for it.

    Where the policy counts the answers to box quality, too, those are votes.
    """
    asked = chain_named(update, chain)
    if to in (ChainState.COMPLETE, ChainState.NON_VISUAL):
        raise ExpertError(f"Nobody is asked about a chain in state {to}: choose a task.")
    drawn = (box.worker for box in update.progress.boxes.values() if box.chain == asked.name)
    voting = {*update.rules.boxes.tallied, Task.BOX_DRAWING, Task.CHAIN_VERIFICATION}
    found = {*drawn, *(answer.worker for answer in asked.answers if answer.task in voting)}
    send_sparing(update, chain, to, "", sorted(worker for worker in found if worker is not None))


ACTIONS: dict[str, Callable[..., None]] = {
    "review": review,
    "send": send,
    "ask others": ask_others,
    "link": set_link,
    "join": join,
    "split": split,
    "draw": draw,
    "move box": move_box,
    "delete box": delete_box,
    "accept box": accept_box,
    "retype": retype,
    "chunk": chunk,
    "rechunk": rechunk,
    CONFIRM: confirm,
    TAKE_BACK: restore_labels,
}
