"""Linking [paper 3.1.1]: keep the open link questions and the chains of a group in step with its plan."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from annotation.rules.states import ChainState
from annotation.rules.transitivity import LinkMention, Pair
from pipeline.protocol.image.advance import advance
from pipeline.protocol.image.chain_steps import (
    Act,
    close_question,
    move_chain,
    open_question,
    send_to_review,
)
from pipeline.protocol.links.policy import Ask, Group, LinkPlan
from pipeline.protocol.rules import Rules
from pipeline.protocol.state.progress import Cause, ChainProgress, ImageProgress, OpenQuestion, Vote
from pipeline.protocol.tasks import coreference_link
from pipeline.protocol.tasks.task import Task


def start_linking(act: Act) -> None:
    """Open the first questions of every group of a new image."""
    progress = act.progress
    progress.started = True
    progress.link_rules = act.rules.links.digest
    keep_to_sentences(act)
    for number in progress.reading_order(list(progress.mentions)):
        progress.chains[number] = ChainProgress(number, [number])
    for group in act.rules.links.groups(mention.for_links() for mention in progress.mentions.values()):
        replan(act, group)


def keep_to_sentences(act: Act) -> None:
    """Let mentions of different sentences of a caption be one thing, if the policy says so."""
    for mention in act.progress.mentions.values():
        mention.by_sentence = act.rules.links.by_sentence and (mention.sentence > 0 or mention.is_pronoun)


def judge_link(act: Act, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Let an answer to a link act, with the worker's skill; a model has none."""
    pair = pair_of(question)
    said = coreference_link.answer_of(answer)
    same = coreference_link.means_same(said)
    part = said.value if isinstance(said, coreference_link.PartAnswer) else ""
    by_model = worker in act.rules.links.models
    votes = act.progress.votes.setdefault(pair, [])
    votes.append(Vote(act.entry, worker, same, 0.0 if by_model else act.context.skill, part, by_model))
    question.bar(worker)
    if by_model:
        question.bar(*act.rules.links.barred(act.progress, pair))
    else:
        _hear_person(act, question, votes, said)
    replan(act, group_of(act, pair[0]))


def _hear_person(act: Act, question: OpenQuestion, votes: list[Vote], said: StrEnum) -> None:
    """Stop waiting for an answer that was asked for under old settings, or end an audit."""
    if question.kept:
        question.kept = False
        _majority_first(votes)
    if question.predicted is not None:
        # One answer is compared with what was predicted; whatever is asked next is another question.
        close_question(act, question.number, said)


def said_by(vote: Vote) -> coreference_link.Answer | coreference_link.PartAnswer:
    """Return the answer that a vote on a link stands for."""
    same = coreference_link.Answer.SAME if vote.answer else coreference_link.Answer.DIFFERENT
    return coreference_link.PartAnswer(vote.part) if vote.part else same


def pair_of(question: OpenQuestion) -> Pair:
    return question.subject[0], question.subject[1]


def linking_groups(act: Act) -> list[tuple[LinkMention, ...]]:
    """Return the groups of the mentions that are not placed yet. Placed mentions are never placed again."""
    waiting = {
        number
        for chain in act.progress.chains.values()
        if chain.state is ChainState.LINKING
        for number in chain.mentions
    }
    return act.rules.links.groups(act.progress.mentions[number].for_links() for number in waiting)


def group_of(act: Act, mention: int) -> tuple[LinkMention, ...]:
    """Return the group of a mention that is not placed yet."""
    return next(group for group in linking_groups(act) if any(member.number == mention for member in group))


def replan(act: Act, group: Group) -> None:
    """Do what the link policy plans for a group: ask its links, or send its chains on if nothing is asked."""
    plan = act.rules.links.plan(act.progress, group)
    act.progress.notes.update(plan.notes)
    waits = _keep_questions(act, group, plan.asks)
    _keep_chains(act, group, plan)
    if not plan.asks and not waits:
        _place(act, plan)


def has_new_rules(progress: ImageProgress, rules: Rules) -> bool:
    """Return whether the image has open links that were planned by other settings."""
    links = any(question.task is Task.COREFERENCE_LINK for question in progress.open.values())
    return links and progress.link_rules != rules.links.digest


def take_new_rules(act: Act) -> None:
    """Let the settings of links change.

    Open links that are on loan stay open until they are answered, and nothing new is asked in their groups before:
    every answer that was asked for under the old settings counts. The majority of the votes on a pair counts as its
    first vote, because a strategy that asks a pair once reads only that one. The caller plans anew with `replan_all`.
    """
    act.progress.link_rules = act.rules.links.digest
    keep_to_sentences(act)
    for question in act.progress.open.values():
        question.kept = question.task is Task.COREFERENCE_LINK and question.number in act.context.on_loan
    for votes in act.progress.votes.values():
        _majority_first(votes)


def replan_with_programs(act: Act) -> None:
    """Plan the open links anew after the chains that programs predict have changed.

    Those on loan stay open, as under new rules.
    """
    if not act.rules.links.reads_predicted_chains:
        return
    for question in act.progress.open.values():
        question.kept |= question.task is Task.COREFERENCE_LINK and question.number in act.context.on_loan
    replan_all(act)


def replan_all(act: Act) -> None:
    """Plan every group anew. The groups are found first, because the change may have split or joined them."""
    for group in linking_groups(act):
        replan(act, group)


def _majority_first(votes: list[Vote]) -> None:
    """Put those votes of people that are with most of them first, in their order; a tie changes nothing."""
    people = [vote.answer for vote in votes if not vote.by_model]
    yes, no = people.count(True), people.count(False)
    if yes != no:
        votes.sort(key=lambda vote: not vote.by_model and vote.answer != (yes > no))


def _keep_questions(act: Act, group: Group, asks: Iterable[Ask]) -> bool:
    """Open and close questions as planned. Returns whether answers to older questions are awaited first."""
    members = {mention.number for mention in group}
    older = {pair_of(question) for question in act.progress.open.values() if _is_awaited(act, question, group)}
    wanted = {} if older else {ask.pair: ask for ask in asks}
    for question in list(act.progress.open.values()):
        if question.task is not Task.COREFERENCE_LINK or question.subject[0] not in members:
            continue
        pair = pair_of(question)
        if pair in older:
            continue
        if pair in wanted and (question.predicted is None) == (wanted[pair].predicted is None):
            _take(act, question, wanted.pop(pair))
        else:
            close_question(act, question.number, _outcome(act, pair))
    for ask in wanted.values():
        _take(act, open_question(act, Task.COREFERENCE_LINK, list(ask.pair), _barred(act, ask.pair)), ask)
    return bool(older)


def _take(act: Act, question: OpenQuestion, ask: Ask) -> None:
    question.value, question.predicted = ask.value, ask.predicted
    question.bar(*ask.barred)


def _barred(act: Act, pair: Pair) -> set[int]:
    """Return who may not answer a new question about a link: nobody answers twice, or what of theirs was voided."""
    answered = {vote.worker for vote in act.progress.votes.get(pair, ())}
    return answered.union(act.progress.voided.get(pair, ()), act.rules.links.barred(act.progress, pair))


def _is_awaited(act: Act, question: OpenQuestion, group: Group) -> bool:
    """Return whether a question of the group was kept, and its answer can still count."""
    if not question.kept:
        return False
    pair = pair_of(question)
    ends = [mention for mention in group if mention.number in pair]
    possible = len(ends) == len(pair) and act.rules.links.may_ask(*ends)
    return possible and pair not in act.progress.given


def _outcome(act: Act, pair: Pair) -> StrEnum:
    """Return what most of people's votes on a link say."""
    votes = [vote for vote in act.progress.votes.get(pair, ()) if not vote.by_model]
    return coreference_link.outcome([said_by(vote) for vote in votes]) if votes else Cause.NOT_NEEDED


def _keep_chains(act: Act, group: Group, plan: LinkPlan) -> None:
    """Make the chains what the "same" links connect, each named by its first mention."""
    chains = act.progress.chains
    planned = {mentions[0]: list(mentions) for mentions in plan.chains}
    for mention in group:
        name = mention.number
        if name in chains and name not in planned:
            del chains[name]
        elif name in planned:
            if name in chains:
                chains[name].mentions = planned[name]
            else:
                chains[name] = ChainProgress(name, planned[name])


def _place(act: Act, plan: LinkPlan) -> None:
    """Send the chains of a group on: its mentions are placed and no contradiction is open."""
    progress = act.progress
    progress.sources.update(plan.sources)
    progress.together.update(plan.together)
    for placed in plan.placed:
        chain = progress.chains[placed.mentions[0]]
        chain.confidence = placed.confidence
        chain.doubted = placed.doubt or chain.doubted
        causes = [progress.flagged[number] for number in placed.mentions if number in progress.flagged]
        if placed.unsettled:
            causes.append(Cause.NO_CONSENSUS)
        if causes:
            send_to_review(act, chain, causes[0])
        elif coreference_link.needs_verification(placed.mentions, sure=not placed.verify and not chain.doubted):
            move_chain(act, chain, coreference_link.Verdict.SEVERAL)
        else:
            advance(act, chain)
