"""Interventions [paper 3.3, 3.3.1]: let reports, starved questions, proposals and voided judgments act."""

from collections.abc import Callable
from functools import partial
from typing import Any

from annotation.rules.states import BoxState, ChainState
from annotation.rules.transitivity import Pair
from pipeline.policies.belief_judgments import take_heard
from pipeline.policies.belief_steps import follows_belief, go_on
from pipeline.policies.checked import take_source
from pipeline.policies.engine import engine_of
from pipeline.policies.redraw import give_up_redrawing
from pipeline.protocol.image.chain_steps import (
    Act,
    close_question,
    move_chain,
    read_coverage,
    read_requirement,
    send_to_review,
    settle_box,
    take_proposal,
)
from pipeline.protocol.image.linking import group_of, linking_groups, pair_of, replan, replan_with_programs
from pipeline.protocol.image.proposals import keep_chains, keep_proposals, next_proposal
from pipeline.protocol.image.surveys import take_survey_vote
from pipeline.protocol.state.progress import Cause, ChainProgress, OpenQuestion, Report, Vote
from pipeline.protocol.tasks import box_drawing, box_quality, box_requirement
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


def report(act: Act, data: dict[str, Any]) -> None:
    """Let a report act that something is wrong: {"what": one of REPORTED, "number", "worker", "expert"}.

    `number` is 0 for the image. One worker's report stops nothing. One expert's report, or those of enough different
    workers, sends the chains to review.
    """
    what, number = data["what"], data["number"]
    act.progress.reports.append(Report(what, number, data.get("worker")))
    same = [one for one in act.progress.reports if (one.what, one.number) == (what, number)]
    workers = {one.worker for one in same if one.worker is not None}
    if not data.get("expert") and len(workers) < act.settings.reports_to_review:
        return
    # These reports have acted, so after the review a single new report stops nothing.
    act.progress.reports = [one for one in act.progress.reports if one not in same]
    for mention in list(act.progress.mentions.values()):
        if what == "image" or number == (mention.number if what == "mention" else mention.caption):
            flag(act, mention.number, REPORTED[what])


def flag(act: Act, mention: int, cause: Cause) -> None:
    """Send the mention's chain to review: now, or as soon as it is placed."""
    if not act.progress.started or act.progress.chain_of(mention).state is ChainState.LINKING:
        act.progress.flagged[mention] = cause
    else:
        send_to_review(act, act.progress.chain_of(mention), cause)


# --- Starved questions ---


def starve(act: Act, data: dict[str, Any]) -> None:
    """Give up {"question"}, which nobody with access may answer.

    Its chain goes to review; but a box that should be drawn once more stays as it is. A link is placed without an
    answer, and then the chains of its mentions go to review. A survey's question is closed without a majority; its
    votes stay.
    """
    question = act.progress.open.get(data["question"])
    if question is None:
        return
    if question.task in SURVEY_TASKS:
        close_question(act, question.number, Cause.STARVED)
        return
    if question.task is Task.BOX_DRAWING and question.subject[1:]:
        chain = give_up_redrawing(act, question)
        if follows_belief(act):
            go_on(act, chain)
        else:
            move_chain(act, chain, box_drawing.Verdict.NONE_MISSING)
        return
    if question.task is not Task.COREFERENCE_LINK:
        send_to_review(act, act.progress.chains[question.subject[0]], Cause.STARVED)
        return
    pair = pair_of(question)
    if question.kept:  # it waited for an answer under old settings; the new ones ask again if they need it
        question.kept = False
        replan(act, group_of(act, pair[0]))
        return
    act.progress.skipped.append(pair)
    for mention in pair:
        act.progress.flagged[mention] = Cause.STARVED
    replan(act, group_of(act, pair[0]))


# --- Proposals of programs ---


def propose(act: Act, data: dict[str, Any]) -> None:
    """Keep what a program predicts: {"worker", "boxes": [[mention, x0, y0, x1, y1], ...]}.

    A box with a score of the program has it behind, in percent.

    A data set that is being checked has "flags", too: by the number of a mention, why its chain has no box.

    If it predicts links, also "chains": lists of mentions that it holds to be one thing, in place of
    those it gave before. Open links are then planned anew; those on loan stay open until their answer counts.

    Chains that wait to be drawn take theirs at once, except those whose question is on loan: a worker has it, or has
    answered it already. Under *belief* they take a box if that saves work.
    """
    progress = act.progress
    keep_proposals(progress, data["worker"], data["boxes"])
    for question in list(progress.open.values()):
        if question.task is not Task.BOX_DRAWING or question.number in act.context.on_loan:
            continue
        chain = progress.chains[question.subject[0]]
        if act.settings.proposals and next_proposal(progress, chain) is not None:
            if follows_belief(act):
                go_on(act, chain, Cause.PROPOSED, Cause.PROPOSED)
                continue
            close_question(act, question.number, Cause.PROPOSED)
            take_proposal(act, chain)
    if engine_of(act.settings).source.program == data["worker"]:
        take_source(progress, data.get("chains", ()), data.get("flags", {}))
    if "chains" in data and keep_chains(progress, data["worker"], data["chains"]):
        replan_with_programs(act)


# --- Voided judgments ---


def void(act: Act, data: dict[str, Any]) -> None:
    """Take back the unresolved judgments that came with {"entries"}, and ask again.

    All are taken out before any tally is read again, so that nothing follows from a judgment that goes, too.
    Raises CannotVoidError if one of them is resolved.
    """
    after: list[Callable[[], None]] = []
    for entry in data["entries"]:
        found = (take(act, entry) for take in (_take_link, take_heard, _take_vote, _take_box, take_survey_vote))
        read = next(filter(None, found), None)
        if read is None:
            raise CannotVoidError(f"Entry {entry} is not an unresolved judgment: something has followed from it.")
        after.append(read)
    for read in after:
        read()


def _take_link(act: Act, entry: int) -> Callable[[], None] | None:
    """Take back a person's vote on a link of a group that is not placed yet. The person is not asked again."""
    waiting = {mention.number: group for group in linking_groups(act) for mention in group}
    for pair, votes in act.progress.votes.items():
        for vote in votes:
            if vote.entry == entry and not vote.by_model and pair[0] in waiting:
                votes.remove(vote)
                if not votes:
                    del act.progress.votes[pair]
                act.progress.voided.setdefault(pair, []).append(vote.worker)
                return partial(_ask_link_again, act, pair)
    return None


def _ask_link_again(act: Act, pair: Pair) -> None:
    group = next((group for group in linking_groups(act) if any(one.number == pair[0] for one in group)), None)
    if group:  # else the votes that are left have placed the group, when another of the voided links was read
        replan(act, group)


def _take_vote(act: Act, entry: int) -> Callable[[], None] | None:
    """Take back a vote in a tally that has not decided. Its voter stays barred from the question."""
    for chain in act.progress.chains.values():
        for state, votes, read in (
            (ChainState.REQUIREMENT, _unresolved_requirement(chain), read_requirement),
            (ChainState.COVERAGE, chain.coverage, read_coverage),
        ):
            if chain.state is state and any(vote.entry == entry for vote in votes):
                tally = chain.requirement if state is ChainState.REQUIREMENT else chain.coverage
                tally[:] = [vote for vote in tally if vote.entry != entry]
                return partial(_read_open, act, chain, state, read)
    return None


def _unresolved_requirement(chain: ChainProgress) -> list[Vote]:
    answers = [box_requirement.Answer(vote.answer) for vote in chain.requirement]
    return [chain.requirement[place] for place in box_requirement.unresolved(answers)]


def _read_open(act: Act, chain: ChainProgress, state: ChainState, read: Callable[[Act, ChainProgress], None]) -> None:
    if chain.state is state:  # else the tally was read when another of its voided votes was
        read(act, chain)


def _take_box(act: Act, entry: int) -> Callable[[], None] | None:
    """Take back a drawn box whose quality is not judged yet; the chain is drawn again."""
    for box in act.progress.boxes.values():
        if box.entry == entry and box.state is BoxState.PENDING and not box.proposed:
            chain = act.progress.chains[box.chain]
            if chain.heard:
                return None
            close_question(act, _quality_question(act, box.number).number, Cause.BOX_VOIDED)
            settle_box(act, box, BoxState.DISCARDED, Cause.VOIDED)
            return partial(move_chain, act, chain, box_quality.Verdict.BAD, Cause.BOX_VOIDED)
    return None


def _quality_question(act: Act, box: int) -> OpenQuestion:
    return next(q for q in act.progress.open.values() if q.task is Task.BOX_QUALITY and q.subject[1] == box)
