"""Interventions [paper 3.3, 3.3.1]: what acts besides answers: reports, starved questions, voided judgments."""

from typing import Any

from annotation.rules.states import BoxState, ChainState
from pipeline.rules import box_quality
from pipeline.rules.chain_steps import (
    Act,
    close_question,
    move_chain,
    read_coverage,
    read_requirement,
    send_to_review,
    settle_box,
)
from pipeline.rules.linking import group_of, linking_groups, pair_of, replan
from pipeline.rules.progress import ChainProgress, OpenQuestion
from pipeline.rules.task import Task
from pipeline.rules.transitivity import Pair


class CannotVoidError(Exception):
    """The judgment is resolved: what followed from it stays."""


# --- Reports ---


def report(act: Act, data: dict[str, Any]) -> None:
    """A mention or a caption is wrong: {"what": "mention" | "caption", "number", "worker", "expert"}.

    One worker's report stops nothing; an expert's, or those of enough different workers, send the chains to review.
    """
    what, number = data["what"], data["number"]
    act.progress.reports.append([what, number, data.get("worker")])
    workers = {row[2] for row in act.progress.reports if row[0] == what and row[1] == number and row[2] is not None}
    if not data.get("expert") and len(workers) < act.settings.reports_to_review:
        return
    for mention in list(act.progress.mentions.values()):
        if number == (mention.number if what == "mention" else mention.caption):
            flag(act, mention.number, f"{what} reported as wrong")


def flag(act: Act, mention: int, reason: str) -> None:
    """Send the mention's chain to review: now, or as soon as it is placed."""
    chain = act.progress.chain_of(mention)
    if chain.state is ChainState.LINKING:
        act.progress.flagged[mention] = reason
    else:
        send_to_review(act, chain, reason)


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
    """Take unresolved judgments back, named by their entries {"entries"}, and ask again. Resolved: CannotVoidError."""
    for entry in data["entries"]:
        if not (_void_link(act, entry) or _void_tally(act, entry) or _void_box(act, entry)):
            raise CannotVoidError(f"Entry {entry} is no unresolved judgment: something has followed from it.")


def _void_link(act: Act, entry: int) -> bool:
    waiting = {mention.number: group for group in linking_groups(act) for mention in group}
    for pair, votes in act.progress.votes.items():
        kept = [vote for vote in votes if vote[0] != entry]
        if len(kept) < len(votes) and pair[0] in waiting:
            voter = next(vote[1] for vote in votes if vote[0] == entry)
            votes[:] = kept
            replan(act, waiting[pair[0]])
            _bar_from_link(act, pair, voter)
            return True
    return False


def _bar_from_link(act: Act, pair: Pair, voter: int) -> None:
    """If the link is asked anew, it is asked of others: nobody answers it twice."""
    for question in act.progress.open.values():
        if question.task is Task.COREFERENCE_LINK and pair_of(question) == pair:
            question.barred = sorted({*question.barred, voter})


def _void_tally(act: Act, entry: int) -> bool:
    """A vote in a tally that has not decided. The voter stays barred from the question: nobody answers it twice."""
    for chain in act.progress.chains.values():
        for state, votes, read in (
            (ChainState.REQUIREMENT, chain.requirement, read_requirement),
            (ChainState.COVERAGE, chain.coverage, read_coverage),
        ):
            if chain.state is state and any(vote[0] == entry for vote in votes):
                votes[:] = [vote for vote in votes if vote[0] != entry]
                read(act, chain)
                return True
    return False


def _void_box(act: Act, entry: int) -> bool:
    """A drawn box whose quality is not judged yet: it goes, and the chain is drawn again."""
    for box in act.progress.boxes.values():
        if box.entry == entry and box.state is BoxState.PENDING:
            question = _quality_question(act, box.number)
            chain: ChainProgress = act.progress.chains[box.chain]
            close_question(act, question.number, "box voided")
            settle_box(act, box, BoxState.DISCARDED, "voided")
            move_chain(act, chain, box_quality.Verdict.BAD, "box voided")
            return True
    return False


def _quality_question(act: Act, box: int) -> OpenQuestion:
    return next(q for q in act.progress.open.values() if q.task is Task.BOX_QUALITY and q.subject[1] == box)
