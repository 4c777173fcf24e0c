"""Linking [paper 3.1.1]: keep the open link questions and the chains of a group in step with its plan."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from annotation.rules.states import ChainState
from annotation.rules.transitivity import LinkMention, Pair
from pipeline.protocol.image.advance import advance
from pipeline.protocol.image.chain_steps import (
    ImageUpdate,
    close_question,
    move_chain,
    open_question,
    send_to_review,
)
from pipeline.protocol.links.policy import Ask, Group, LinkPlan
from pipeline.protocol.rules import Rules
from pipeline.protocol.state.progress import Cause, ChainProgress, ImageProgress, OpenQuestion, TallyVote
from pipeline.protocol.tasks.coreference_link import (
    CoreferenceAnswer,
    CoreferenceVerdict,
    PartAnswer,
    coreference_answer,
    link_outcome,
    means_same,
    needs_verification,
)
from pipeline.protocol.tasks.task import Task


def start_linking(update: ImageUpdate) -> None:
    """Open the first questions of every group of a new image."""
    progress = update.progress
    progress.started = True
    progress.link_rules = update.rules.links.digest
    keep_to_sentences(update)
    for number in progress.reading_order(list(progress.mentions)):
        progress.chains[number] = ChainProgress(number, [number])
    for group in update.rules.links.groups(mention.for_links() for mention in progress.mentions.values()):
        replan(update, group)


def keep_to_sentences(update: ImageUpdate) -> None:
    """Let mentions of captions of several sentences, and pronouns, be one thing with others of their caption.

    If the policy says so.
    """
    mentions = update.progress.mentions.values()
    long = {mention.caption for mention in mentions if mention.sentence > 0}
    for mention in mentions:
        mention.by_sentence = update.rules.links.by_sentence and (mention.caption in long or mention.is_pronoun)


def judge_link(update: ImageUpdate, question: OpenQuestion, worker: int, answer: Any) -> None:
    """Let an answer to a link act, with the worker's skill; a model has none."""
    pair = pair_of(question)
    reply = coreference_answer(answer)
    same = means_same(reply)
    part_answer = reply.value if isinstance(reply, PartAnswer) else ""
    by_model = worker in update.rules.links.models
    votes = update.progress.votes.setdefault(pair, [])
    votes.append(
        TallyVote(update.entry, worker, same, 0.0 if by_model else update.context.skill, part_answer, by_model)
    )
    question.bar(worker)
    if by_model:
        question.bar(*update.rules.links.barred(update.progress, pair))
    else:
        _count_person(update, question, votes, reply)
    replan(update, group_of(update, pair[0]))


def _count_person(update: ImageUpdate, question: OpenQuestion, votes: list[TallyVote], reply: StrEnum) -> None:
    """Stop waiting for an answer that was asked for under old settings, or end an audit."""
    if question.pinned:
        question.pinned = False
        _majority_first(votes)
    if question.predicted is not None:
        # One answer is compared with what was predicted; whatever is asked next is another question.
        close_question(update, question.number, reply)


def answer_of_vote(vote: TallyVote) -> CoreferenceAnswer | PartAnswer:
    """Return the answer that a vote on a link stands for."""
    same = CoreferenceAnswer.SAME if vote.answer else CoreferenceAnswer.DIFFERENT
    return PartAnswer(vote.part_answer) if vote.part_answer else same


def pair_of(question: OpenQuestion) -> Pair:
    return question.subject[0], question.subject[1]


def linking_groups(update: ImageUpdate) -> list[tuple[LinkMention, ...]]:
    """Return the groups of the mentions that are not placed yet. Placed mentions are never placed again."""
    waiting = {
        number
        for chain in update.progress.chains.values()
        if chain.state is ChainState.LINKING
        for number in chain.mentions
    }
    return update.rules.links.groups(update.progress.mentions[number].for_links() for number in waiting)


def group_of(update: ImageUpdate, mention: int) -> tuple[LinkMention, ...]:
    """Return the group of a mention that is not placed yet."""
    return next(group for group in linking_groups(update) if any(member.number == mention for member in group))


def replan(update: ImageUpdate, group: Group) -> None:
    """Do what the link policy plans for a group: ask its links, or send its chains on if nothing is asked."""
    plan = update.rules.links.plan(update.progress, group)
    update.progress.notes.update(plan.notes)
    waits = _keep_questions(update, group, plan.asks)
    _keep_chains(update, group, plan)
    if not plan.asks and not waits:
        _place(update, plan)


def has_new_rules(progress: ImageProgress, rules: Rules) -> bool:
    """Return whether the image has open links that were planned by other settings."""
    links = any(question.task is Task.COREFERENCE_LINK for question in progress.open.values())
    return links and progress.link_rules != rules.links.digest


def take_new_rules(update: ImageUpdate) -> None:
    """Let the settings of links change.

    Open links that are on loan stay open until they are answered, and nothing new is asked in their groups before:
    every answer that was asked for under the old settings counts. The majority of the votes on a pair counts as its
    first vote, because a strategy that asks a pair once reads only that one. The caller plans anew with `replan_all`.
    """
    update.progress.link_rules = update.rules.links.digest
    keep_to_sentences(update)
    for question in update.progress.open.values():
        question.pinned = question.task is Task.COREFERENCE_LINK and question.number in update.context.on_loan
    for votes in update.progress.votes.values():
        _majority_first(votes)


def replan_with_programs(update: ImageUpdate) -> None:
    """Plan the open links anew after the chains that programs predict have changed.

    Those on loan stay open, as under new rules.
    """
    if not update.rules.links.reads_predicted_chains:
        return
    for question in update.progress.open.values():
        question.pinned |= question.task is Task.COREFERENCE_LINK and question.number in update.context.on_loan
    replan_all(update)


def replan_all(update: ImageUpdate) -> None:
    """Plan every group anew. The groups are found first, because the change may have split or joined them."""
    for group in linking_groups(update):
        replan(update, group)


def _majority_first(votes: list[TallyVote]) -> None:
    """Put those votes of people that are with most of them first, in their order; a tie changes nothing."""
    people = [vote.answer for vote in votes if not vote.by_model]
    yes, no = people.count(True), people.count(False)
    if yes != no:
        votes.sort(key=lambda vote: not vote.by_model and vote.answer != (yes > no))


def _keep_questions(update: ImageUpdate, group: Group, asks: Iterable[Ask]) -> bool:
    """Open and close questions as planned. Returns whether answers to older questions are awaited first."""
    members = {mention.number for mention in group}
    older = {pair_of(question) for question in update.progress.open.values() if _is_awaited(update, question, group)}
    wanted = {} if older else {ask.pair: ask for ask in asks}
    for question in list(update.progress.open.values()):
        if question.task is not Task.COREFERENCE_LINK or question.subject[0] not in members:
            continue
        pair = pair_of(question)
        if pair in older:
            continue
        if pair in wanted and (question.predicted is None) == (wanted[pair].predicted is None):
            _take(update, question, wanted.pop(pair))
        else:
            close_question(update, question.number, _outcome(update, pair))
    for ask in wanted.values():
        _take(update, open_question(update, Task.COREFERENCE_LINK, list(ask.pair), _barred(update, ask.pair)), ask)
    return bool(older)


def _take(update: ImageUpdate, question: OpenQuestion, ask: Ask) -> None:
    question.value, question.predicted = ask.value, ask.predicted
    question.bar(*ask.barred)


def _barred(update: ImageUpdate, pair: Pair) -> set[int]:
    """Return who may not answer a new question about a link: nobody answers twice, or what of theirs was voided."""
    answered = {vote.worker for vote in update.progress.votes.get(pair, ())}
    return answered.union(update.progress.voided.get(pair, ()), update.rules.links.barred(update.progress, pair))


def _is_awaited(update: ImageUpdate, question: OpenQuestion, group: Group) -> bool:
    """Return whether a question of the group was kept, and its answer can still count."""
    if not question.pinned:
        return False
    pair = pair_of(question)
    ends = [mention for mention in group if mention.number in pair]
    possible = len(ends) == len(pair) and update.rules.links.may_ask(*ends)
    return possible and pair not in update.progress.expert_links


def _outcome(update: ImageUpdate, pair: Pair) -> StrEnum:
    """Return what most of people's votes on a link say."""
    votes = [vote for vote in update.progress.votes.get(pair, ()) if not vote.by_model]
    return link_outcome([answer_of_vote(vote) for vote in votes]) if votes else Cause.NOT_NEEDED


def _keep_chains(update: ImageUpdate, group: Group, plan: LinkPlan) -> None:
    """Make the chains what the "same" links connect, each named by its first mention."""
    chains = update.progress.chains
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


def _place(update: ImageUpdate, plan: LinkPlan) -> None:
    """Send the chains of a group on: its mentions are placed and no contradiction is open."""
    progress = update.progress
    progress.sources.update(plan.sources)
    progress.together.update(plan.together)
    for placed in plan.placed:
        chain = progress.chains[placed.mentions[0]]
        chain.confidence = placed.confidence
        chain.doubted = placed.doubt or chain.doubted
        causes = [
            progress.review_when_placed[number] for number in placed.mentions if number in progress.review_when_placed
        ]
        if placed.unsettled:
            causes.append(Cause.NO_CONSENSUS)
        if causes:
            send_to_review(update, chain, causes[0])
        elif needs_verification(placed.mentions, sure=not placed.verify and not chain.doubted):
            move_chain(update, chain, CoreferenceVerdict.SEVERAL)
        else:
            advance(update, chain)
