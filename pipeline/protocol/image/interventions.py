"""Interventions [paper 3.3, 3.3.1]: let reports, starved questions, pre-annotations and voided judgments act."""

from collections.abc import Callable
from functools import partial
from typing import Any

from annotation.rules.states import BoxState, ChainState
from pipeline.protocol.boxes.pre_annotations import keep_chains, keep_labels, keep_pre_annotations, next_pre_annotation
from pipeline.protocol.image.advance import advance
from pipeline.protocol.image.chain_steps import (
    ImageUpdate,
    close_question,
    close_questions_of,
    send_to_review,
    settle_box,
)
from pipeline.protocol.image.judgments import give_up_redrawing, take_drawing
from pipeline.protocol.image.linking import group_of, linking_groups, replan, replan_with_programs
from pipeline.protocol.image.surveys import take_survey_vote
from pipeline.protocol.state.progress import NOTHING_DRAWN, Cause, ChainAnswer, ChainProgress, ErrorReport
from pipeline.protocol.tasks.flow import BOXING
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task


class CannotVoidError(Exception):
    """The judgment is resolved: something has followed from it, and that stays."""


REPORTED = {
    "mention": Cause.MENTION_REPORTED,
    "caption": Cause.CAPTION_REPORTED,
    "image": Cause.IMAGE_REPORTED,
}
"""The things that workers can report as wrong, each with the cause for which its chains go to review."""


# --- Reports ---


def report(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Let a report act that something is wrong: {"what": one of REPORTED, "number", "worker", "expert"}.

    `number` is 0 for the image. One worker's report stops nothing. One expert's report, or those of enough different
    workers, sends the chains to review.
    """
    what, number = data["what"], data["number"]
    update.progress.reports.append(ErrorReport(what, number, data.get("worker")))
    same = [other for other in update.progress.reports if (other.what, other.number) == (what, number)]
    workers = {other.worker for other in same if other.worker is not None}
    if not data.get("expert") and len(workers) < update.settings.reports_to_review:
        return
    # These reports have acted, so after the review a single new report stops nothing.
    update.progress.reports = [other for other in update.progress.reports if other not in same]
    for mention in list(update.progress.mentions.values()):
        if what == "image" or number == (mention.number if what == "mention" else mention.caption):
            send_mention_to_review(update, mention.number, REPORTED[what])


def send_mention_to_review(update: ImageUpdate, mention: int, cause: Cause) -> None:
    """Send the mention's chain to review: now, or as soon as it is placed."""
    if not update.progress.started or update.progress.chain_of(mention).state is ChainState.LINKING:
        update.progress.review_when_placed[mention] = cause
    else:
        send_to_review(update, update.progress.chain_of(mention), cause)


# --- Starved questions ---


def starve(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Give up {"question"}, which nobody with access may answer.

    Its chain goes to review; but a box that should be drawn once more stays as it is. A pair is placed without an
    answer, and then the chains of its mentions go to review; in place of a sweep pairs are asked. A survey's question
    is closed without a majority.
    """
    question = update.progress.open.get(data["question"])
    if question is None:
        return
    if question.task in SURVEY_TASKS:
        close_question(update, question.number, Cause.STARVED)
        return
    if question.task is Task.BOX_DRAWING and question.subject[1:]:
        given_up = give_up_redrawing(update, question)
        advance(update, update.progress.chains[question.subject[0]], given_up)
        return
    if question.task is not Task.COREFERENCE_LINK:
        send_to_review(update, update.progress.chains[question.subject[0]], Cause.STARVED)
        return
    pairs = update.progress.pairs_of(question.subject)
    if question.pinned:  # it waited for an answer under old settings; the new ones ask again if they need it
        question.pinned = False
    elif len(pairs) > 1:
        update.progress.unswept.append(question.subject[0])
    else:
        update.progress.skipped += pairs
        update.progress.review_when_placed |= dict.fromkeys(pairs[0], Cause.STARVED)
    replan(update, group_of(update, question.subject[0]))


# --- Pre-annotations of programs ---


def propose(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Keep what a program predicts: {"worker", "boxes": [[mention, x0, y0, x1, y1], ...]}.

    A box with a score of the program has it behind, in percent.

    A data set that is being checked has "flags", too: by the number of a mention, why its chain has no box.

    If it predicts links, also "chains": lists of mentions that it holds to be one thing, in place of
    those it gave before. Open links are then planned anew; those on loan stay open until their answer counts.

    Chains that wait to be drawn take theirs at once, except those whose question is on loan: a worker has it, or has
    answered it already. A box policy may weigh whether that saves work.
    """
    progress = update.progress
    keep_pre_annotations(progress, data["worker"], data["boxes"])
    for question in list(progress.open.values()):
        if question.task is not Task.BOX_DRAWING or question.number in update.context.on_loan:
            continue
        chain = progress.chains[question.subject[0]]
        if update.settings.pre_annotations and next_pre_annotation(progress, chain) is not None:
            if question.task not in update.rules.boxes.tallied:
                close_question(update, question.number, Cause.PRE_ANNOTATED)
            advance(update, chain, cause=Cause.PRE_ANNOTATED, outcome=Cause.PRE_ANNOTATED)
    if update.rules.links.labelled_by == data["worker"]:
        keep_labels(progress, data.get("chains", ()), data.get("flags", {}))
    if "chains" in data and keep_chains(progress, data["worker"], data["chains"]):
        replan_with_programs(update)


# --- Voided judgments ---


def void(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Take back the unresolved judgments that came with {"entries"}, and ask again.

    All are taken out before any tally is read again, so that nothing follows from a judgment that goes, too.
    Raises CannotVoidError if one of them is resolved.
    """
    after: list[Callable[[], None]] = []
    for entry in data["entries"]:
        found = (take(update, entry) for take in (_take_link, _take_answer, take_survey_vote))
        read = next(filter(None, found), None)
        if read is None:
            raise CannotVoidError(f"Entry {entry} is not an unresolved judgment: something has followed from it.")
        after.append(read)
    for read in after:
        read()


def _take_link(update: ImageUpdate, entry: int) -> Callable[[], None] | None:
    """Take back a person's votes on links of mentions that are not placed yet. The person is not asked again."""
    progress, waiting = update.progress, {mention.number for group in linking_groups(update) for mention in group}
    cast = [(pair, vote) for pair, votes in progress.votes.items() for vote in votes if vote.entry == entry]
    if not cast or any(vote.by_model or not waiting.issuperset(pair) for pair, vote in cast):
        return None
    for pair, vote in cast:
        progress.votes[pair].remove(vote)
        if not progress.votes[pair]:
            del progress.votes[pair]
        progress.voided.setdefault(pair, []).append(vote.worker)
    return partial(_ask_links_again, update, {mention for pair, _ in cast for mention in pair})


def _ask_links_again(update: ImageUpdate, mentions: set[int]) -> None:
    for group in linking_groups(update):  # those that were placed meanwhile were read with another voided vote
        if any(mention.number in mentions for mention in group):
            replan(update, group)


def _take_answer(update: ImageUpdate, entry: int) -> Callable[[], None] | None:
    """Withdraw an answer to a box task from which nothing has followed. Its worker stays barred from the same."""
    for chain in update.progress.chains.values():
        for place, answer in enumerate(chain.answers):
            given = answer.worker is not None and answer.counts and not answer.is_pre_annotation
            if answer.entry == entry and given and update.rules.boxes.may_withdraw(update.progress, chain, answer):
                return _withdraw(update, chain, place)
    return None


def _withdraw(update: ImageUpdate, chain: ChainProgress, place: int) -> Callable[[], None]:
    """Withdraw an answer, and return what to do once all are. A box that others have drawn, too, is theirs then."""
    withdrawn = chain.answers[place] = chain.answers[place]._replace(withdrawn=True)
    if withdrawn.task is not Task.BOX_DRAWING or withdrawn.value == NOTHING_DRAWN:
        return partial(_read_again, update, chain, chain.state, withdrawn)
    if Task.BOX_QUALITY not in update.rules.boxes.tallied:
        close_questions_of(update, chain, Cause.BOX_VOIDED)
    box = update.progress.boxes[withdrawn.value]
    drawn = (
        (place, answer)
        for place, answer in enumerate(chain.answers)
        if answer.task is Task.BOX_DRAWING and answer.counts
    )
    left = [place for place, answer in drawn if answer.value == box.number]
    if left:
        take_drawing(update, box, withdrawn.entry)
        chain.answers[left[0]] = chain.answers[left[0]]._replace(redraw_of=None)
    else:
        settle_box(update, box, BoxState.DISCARDED, Cause.VOIDED)
    return partial(_ask_anew, update, chain)


def _read_again(update: ImageUpdate, chain: ChainProgress, state: ChainState, withdrawn: ChainAnswer) -> None:
    if chain.state is state:  # else it was read when another of its withdrawn answers was
        advance(update, chain, withdrawn)


def _ask_anew(update: ImageUpdate, chain: ChainProgress) -> None:
    if chain.state in BOXING:  # else another of the withdrawn answers has been the last that was missing
        close_questions_of(update, chain, Cause.BOX_VOIDED)
        advance(update, chain)
