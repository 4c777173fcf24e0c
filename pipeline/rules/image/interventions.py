"""Interventions [paper 3.3, 3.3.1]: what acts besides answers: reports, starved questions, voided judgments."""

from collections.abc import Callable
from functools import partial
from typing import Any

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.image.chain_steps import (
    Act,
    close_question,
    move_chain,
    read_coverage,
    read_requirement,
    send_to_review,
    settle_box,
)
from pipeline.rules.image.linking import group_of, linking_groups, pair_of, replan
from pipeline.rules.image.progress import ChainProgress, OpenQuestion, Vote
from pipeline.rules.linking.transitivity import Pair
from pipeline.rules.tasks import box_quality, box_requirement
from pipeline.rules.tasks.task import Task


class CannotVoidError(Exception):
    """The judgment is resolved: what followed from it stays."""


# --- Reports ---


def report(act: Act, data: dict[str, Any]) -> None:
    """A mention, a caption or the whole image is wrong: {"what": "mention" | "caption" | "image", "number", "worker",
    "expert"}. `number` is 0 for the image.

    One worker's report stops nothing; an expert's, or those of enough different workers, send the chains to review.
    """
    what, number = data["what"], data["number"]
    act.progress.reports.append([what, number, data.get("worker")])
    workers = {row[2] for row in act.progress.reports if row[0] == what and row[1] == number and row[2] is not None}
    if not data.get("expert") and len(workers) < act.settings.reports_to_review:
        return
    # These have acted: after the review a single report stops nothing again.
    act.progress.reports = [row for row in act.progress.reports if row[:2] != [what, number]]
    for mention in list(act.progress.mentions.values()):
        if what == "image" or number == (mention.number if what == "mention" else mention.caption):
            flag(act, mention.number, f"{what} reported as wrong")


def flag(act: Act, mention: int, reason: str) -> None:
    """Send the mention's chain to review: now, or as soon as it is placed."""
    if not act.progress.started or act.progress.chain_of(mention).state is ChainState.LINKING:
        act.progress.flagged[mention] = reason
    else:
        send_to_review(act, act.progress.chain_of(mention), reason)


# --- Starved questions ---


def starve(act: Act, data: dict[str, Any]) -> None:
    """Nobody with access may answer {"question"}: its chain goes to review, a link goes on without an answer."""
    question = act.progress.open.get(data["question"])
    if question is None:
        return
    if question.task is not Task.COREFERENCE_LINK:
        send_to_review(act, act.progress.chains[question.subject[0]], "starved")
        return
    pair = pair_of(question)
    act.progress.skipped.append(pair)
    for mention in pair:
        act.progress.flagged[mention] = "starved"
    replan(act, group_of(act, pair[0]))


# --- Voided judgments ---


def void(act: Act, data: dict[str, Any]) -> None:
    """Take unresolved judgments back, named by their entries {"entries"}, and ask again. Resolved: CannotVoidError.

    All are taken out before what is left is read, so that nothing follows from one that goes too.
    """
    after: list[Callable[[], None]] = []
    for entry in data["entries"]:
        read = _take_link(act, entry) or _take_vote(act, entry) or _take_box(act, entry)
        if read is None:
            raise CannotVoidError(f"Entry {entry} is no unresolved judgment: something has followed from it.")
        after.append(read)
    for read in after:
        read()


def _take_link(act: Act, entry: int) -> Callable[[], None] | None:
    """A vote on a link of a group that is not placed yet. Whenever it is asked anew, it is asked of others."""
    waiting = {mention.number: group for group in linking_groups(act) for mention in group}
    for pair, votes in act.progress.votes.items():
        for vote in votes:
            if vote[0] == entry and pair[0] in waiting:
                votes.remove(vote)
                act.progress.voided.setdefault(pair, []).append(vote[1])
                return partial(_ask_link_again, act, pair)
    return None


def _ask_link_again(act: Act, pair: Pair) -> None:
    group = next((group for group in linking_groups(act) if any(one.number == pair[0] for one in group)), None)
    if group:  # else what is left of several voided together has placed it
        replan(act, group)


def _take_vote(act: Act, entry: int) -> Callable[[], None] | None:
    """A vote in a tally that has not decided. The voter stays barred from the question: nobody answers it twice."""
    for chain in act.progress.chains.values():
        for state, votes, read in (
            (ChainState.REQUIREMENT, _unresolved_requirement(chain), read_requirement),
            (ChainState.COVERAGE, chain.coverage, read_coverage),
        ):
            if chain.state is state and any(vote[0] == entry for vote in votes):
                tally = chain.requirement if state is ChainState.REQUIREMENT else chain.coverage
                tally[:] = [vote for vote in tally if vote[0] != entry]
                return partial(_read_open, act, chain, state, read)
    return None


def _unresolved_requirement(chain: ChainProgress) -> list[Vote]:
    answers = [box_requirement.Answer(vote[2]) for vote in chain.requirement]
    return [chain.requirement[place] for place in box_requirement.unresolved(answers)]


def _read_open(act: Act, chain: ChainProgress, state: ChainState, read: Callable[[Act, ChainProgress], None]) -> None:
    if chain.state is state:  # else the tally was read already, several of its votes having been voided together
        read(act, chain)


def _take_box(act: Act, entry: int) -> Callable[[], None] | None:
    """A drawn box whose quality is not judged yet: it goes, and the chain is drawn again."""
    for box in act.progress.boxes.values():
        if box.entry == entry and box.state is BoxState.PENDING:
            chain = act.progress.chains[box.chain]
            close_question(act, _quality_question(act, box.number).number, "box voided")
            settle_box(act, box, BoxState.DISCARDED, "voided")
            return partial(move_chain, act, chain, box_quality.Verdict.BAD, "box voided")
    return None


def _quality_question(act: Act, box: int) -> OpenQuestion:
    return next(q for q in act.progress.open.values() if q.task is Task.BOX_QUALITY and q.subject[1] == box)
