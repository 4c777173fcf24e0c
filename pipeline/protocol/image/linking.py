"""Linking [paper 3.1.1]: keep the open link questions and the chains of a group in step with its plan."""

from collections.abc import Iterable, Sequence
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
    link_outcome,
    means_same,
    needs_verification,
    replies_in,
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
    """Let an answer act as a vote on each pair of its question, with the worker's skill; a model has none."""
    pairs, replies = update.progress.pairs_of(question.subject), replies_in(answer, question.subject)
    by_model = worker in update.rules.links.models
    skill = 0.0 if by_model else update.context.skill
    for pair, reply in zip(pairs, replies, strict=True):
        part_answer = reply.value if isinstance(reply, PartAnswer) else ""
        vote = TallyVote(update.entry, worker, means_same(reply), skill, part_answer, by_model)
        update.progress.votes.setdefault(pair, []).append(vote)
    question.bar(*_barred(update, question.subject))
    if not by_model:
        _count_person(update, question, pairs, replies[0])
    replan(update, group_of(update, question.subject[0]))


def _count_person(update: ImageUpdate, question: OpenQuestion, pairs: Iterable[Pair], reply: StrEnum) -> None:
    """Stop waiting for an answer that was asked for under old settings, or end an audit."""
    if question.pinned:
        question.pinned = False
        for pair in pairs:
            _majority_first(update.progress.votes[pair])
    if question.predicted is not None:
        # One answer is compared with what was predicted; whatever is asked next is another question.
        close_question(update, question.number, reply)


def answer_of_vote(vote: TallyVote) -> CoreferenceAnswer | PartAnswer:
    """Return the answer that a vote on a link stands for."""
    same = CoreferenceAnswer.SAME if vote.answer else CoreferenceAnswer.DIFFERENT
    return PartAnswer(vote.part_answer) if vote.part_answer else same


def linking_groups(update: ImageUpdate) -> list[tuple[LinkMention, ...]]:
    """Return the groups of the mentions that are not placed yet. Placed mentions are never placed again."""
    linking = [chain for chain in update.progress.chains.values() if chain.state is ChainState.LINKING]
    waiting = {number for chain in linking for number in chain.mentions}
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
    older = {number for number, question in update.progress.open.items() if _is_awaited(update, question, group)}
    wanted = {} if older else {ask.subject: ask for ask in asks}
    for number, question in list(update.progress.open.items()):
        if question.task is not Task.COREFERENCE_LINK or question.subject[0] not in members or number in older:
            continue
        subject = tuple(question.subject)
        if subject in wanted and (question.predicted is None) == (wanted[subject].predicted is None):
            _take(question, wanted.pop(subject))
        else:
            close_question(update, number, _outcome(update, subject))
    for ask in wanted.values():
        question = open_question(update, Task.COREFERENCE_LINK, list(ask.subject), _barred(update, ask.subject))
        question.preset = list(ask.preset)
        _take(question, ask)
    return bool(older)


def _take(question: OpenQuestion, ask: Ask) -> None:
    question.value, question.predicted = ask.value, ask.predicted
    question.bar(*ask.barred)


def _barred(update: ImageUpdate, subject: Sequence[int]) -> set[int]:
    """Return who may not answer a new question: nobody answers twice about a pair, or again what was voided."""
    barred: set[int] = set()
    for pair in update.progress.pairs_of(subject):
        barred.update(vote.worker for vote in update.progress.votes.get(pair, ()))
        barred.update(update.progress.voided.get(pair, ()), update.rules.links.barred(update.progress, pair))
    return barred


def _is_awaited(update: ImageUpdate, question: OpenQuestion, group: Group) -> bool:
    """Return whether a question of the group was kept, and its answer can still count."""
    if not question.pinned:
        return False
    pairs, members = update.progress.pairs_of(question.subject), {mention.number: mention for mention in group}
    possible = members.keys() >= {*question.subject} and all(
        update.rules.links.may_ask(members[first], members[second]) for first, second in pairs
    )
    return possible and not update.progress.expert_links.keys() >= {*pairs}


def _outcome(update: ImageUpdate, subject: Sequence[int]) -> StrEnum:
    """Return what most of people's votes on a pair say; of a sweep, whether somebody has answered."""
    about = [update.progress.votes.get(pair, ()) for pair in update.progress.pairs_of(subject)]
    if len(about) > 1:
        swept = set.intersection(*({vote.entry for vote in votes} for votes in about))
        return Cause.SWEPT if swept else Cause.NOT_NEEDED
    votes = [vote for vote in about[0] if not vote.by_model]
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
        reasons = [progress.review_when_placed.get(number) for number in placed.mentions]
        reasons.append(Cause.NO_CONSENSUS if placed.unsettled else None)
        if cause := next(filter(None, reasons), None):
            send_to_review(update, chain, cause)
        elif needs_verification(placed.mentions, sure=not placed.verify and not chain.doubted):
            move_chain(update, chain, CoreferenceVerdict.SEVERAL)
        else:
            advance(update, chain)
