"""Linking [paper 3.1.1]: keep the open link questions and the chains of a group in step with its plan."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Any

from annotation.rules.states import ChainState
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.link_prior import DIGITS
from belief.links.rule_keeping import ALL_WHOLE
from pipeline.policies.belief_steps import to_boxes
from pipeline.policies.engine import engine_of
from pipeline.policies.juror_links import draw_link_lot
from pipeline.policies.plan_group import may_be_asked, plan_group, planned_together
from pipeline.protocol.boxes.may_answer import bar, kin_barred_from
from pipeline.protocol.image.chain_steps import (
    Act,
    close_question,
    drawn_at_once,
    move_chain,
    open_question,
    send_to_review,
)
from pipeline.protocol.links.plan import LinkPlan, LinkSource, posterior_links
from pipeline.protocol.links.strategies import Strategy
from pipeline.protocol.rules import Rules
from pipeline.protocol.state.progress import Cause, ChainProgress, ImageProgress, OpenQuestion, Vote
from pipeline.protocol.tasks import coreference_link
from pipeline.protocol.tasks.task import Task

Group = Sequence[LinkMention]
UNSURE = 0.5
"""A chain is marked doubted if its chance of being right is below this."""


def start_linking(act: Act) -> None:
    """Open the first questions of every group of a new image."""
    progress = act.progress
    progress.started = True
    progress.link_rules = act.rules.links.digest
    keep_to_sentences(act)
    for number in progress.reading_order(list(progress.mentions)):
        progress.chains[number] = ChainProgress(number, [number])
    for group in planned_together((mention.for_links() for mention in progress.mentions.values()), act.settings):
        replan(act, group)


def keep_to_sentences(act: Act) -> None:
    """Let mentions of different sentences of a caption be one thing, if links go beyond the rules."""
    beyond = engine_of(act.settings).links_beyond_rules
    for mention in act.progress.mentions.values():
        mention.by_sentence = beyond and (mention.sentence > 0 or mention.is_pronoun)


def judge_link(act: Act, question: OpenQuestion, worker: int, answer: Any, shift: float = 0.0) -> None:
    """Let an answer to a link act. `shift`: see `Vote.shift`; only the adaptive strategy uses it."""
    pair = pair_of(question)
    said = coreference_link.answer_of(answer)
    same = coreference_link.means_same(said)
    part = said.value if isinstance(said, coreference_link.PartAnswer) else ""
    if engine_of(act.settings).is_juror(worker, Task.COREFERENCE_LINK):
        act.progress.juror_votes.setdefault(pair, []).append(Vote(act.entry, worker, same, part=part))
        draw_link_lot(act.progress, act.settings)
        for one in (worker, *kin_barred_from(act.progress, question.task, question.subject, act.settings)):
            bar(question, one)
        replan(act, group_of(act, pair[0]))
        return
    votes = act.progress.votes.setdefault(pair, [])
    votes.append(Vote(act.entry, worker, same, shift, part))
    if question.kept:
        question.kept = False
        _majority_first(votes)
    bar(question, worker)
    if question.foretold is not None:
        # One answer is compared with what was predicted; whatever is asked next is another question.
        close_question(act, question.number, said)
    replan(act, group_of(act, pair[0]))


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
    return planned_together((act.progress.mentions[number].for_links() for number in waiting), act.settings)


def group_of(act: Act, mention: int) -> tuple[LinkMention, ...]:
    return next(group for group in linking_groups(act) if any(one.number == mention for one in group))


def replan(act: Act, group: Group) -> None:
    draw_link_lot(act.progress, act.settings)
    plan = plan_group(act.progress, group, act.settings)
    waits = _keep_questions(act, group, plan)
    _keep_chains(act, group, plan)
    if not plan.open and not waits:
        _place(act, group, plan)


def has_new_rules(progress: ImageProgress, rules: Rules) -> bool:
    """Return whether the image has open links that were planned by other settings."""
    links = any(question.task is Task.COREFERENCE_LINK for question in progress.open.values())
    return links and progress.link_rules != rules.links.digest


def take_new_rules(act: Act, out: Collection[int]) -> None:
    """Let the settings of links change. `out`: the numbers of the open links that are answered or on loan.

    These stay open until they are answered, and nothing new is asked in their groups before: every answer that was
    asked for under the old settings counts. The majority of the votes on a pair counts as its first vote, because a
    strategy that asks a pair once reads only that one. The caller plans anew with `replan_all`.
    """
    act.progress.link_rules = act.rules.links.digest
    keep_to_sentences(act)
    for question in act.progress.open.values():
        question.kept = question.task is Task.COREFERENCE_LINK and question.number in out
    for votes in act.progress.votes.values():
        _majority_first(votes)


def replan_with_programs(act: Act, out: Collection[int]) -> None:
    """Plan the open links anew, where the chains that programs predict count, after these have changed.

    `out`: see `take_new_rules`.
    """
    if act.settings.strategy is not Strategy.ADAPTIVE or not act.settings.proposals:
        return
    for question in act.progress.open.values():
        question.kept |= question.task is Task.COREFERENCE_LINK and question.number in out
    replan_all(act)


def replan_all(act: Act) -> None:
    """Plan every group anew. The groups are found first, because the change may have split or joined them."""
    for group in linking_groups(act):
        replan(act, group)


def _majority_first(votes: list[Vote]) -> None:
    """Put the votes of the majority first, in their order; a tie changes nothing."""
    yes = sum(vote.answer for vote in votes)
    no = len(votes) - yes
    if yes != no:
        votes.sort(key=lambda vote: vote.answer != (yes > no))


def _keep_questions(act: Act, group: Group, plan: LinkPlan) -> bool:
    """Open and close questions as planned. Returns whether answers to older questions are awaited first."""
    members = {mention.number for mention in group}
    older = {pair_of(question) for question in act.progress.open.values() if _is_awaited(act, question, group)}
    planned = () if older else plan.open
    wanted = older or set(planned)
    asked = set()
    for question in list(act.progress.open.values()):
        if question.task is not Task.COREFERENCE_LINK or question.subject[0] not in members:
            continue
        pair = pair_of(question)
        if pair in older or (pair in wanted and _is_as_planned(question, pair, plan)):
            asked.add(pair)
            if pair not in older:
                _take_value(act, question, plan)
        else:
            close_question(act, question.number, _outcome(act, pair))
    for pair in planned:
        if pair not in asked:
            _take_value(act, open_question(act, Task.COREFERENCE_LINK, list(pair)), plan)
    return bool(older)


def _is_as_planned(question: OpenQuestion, pair: Pair, plan: LinkPlan) -> bool:
    """Return whether an open question and its pair in the plan are both random re-asks, or neither is."""
    is_reask, should_be = question.foretold is not None, pair in plan.foretold
    return is_reask == should_be


def _take_value(act: Act, question: OpenQuestion, plan: LinkPlan) -> None:
    pair = pair_of(question)
    question.value = plan.values.get(pair, 0.0) if act.settings.telling_first else 0.0
    question.foretold = plan.foretold.get(pair)
    if question.foretold is not None:
        for juror in act.settings.jurors:
            bar(question, juror)  # the lot holds what is believed against people's answers


def _is_awaited(act: Act, question: OpenQuestion, group: Group) -> bool:
    """Return whether a question of the group was kept, and its answer can still count."""
    if not question.kept:
        return False
    pair = pair_of(question)
    ends = [mention for mention in group if mention.number in pair]
    possible = len(ends) == len(pair) and may_be_asked(ends[0], ends[1], act.settings)
    return possible and pair not in act.progress.given


def _outcome(act: Act, pair: Pair) -> StrEnum:
    """Return what most of the votes on a link say."""
    votes = act.progress.votes.get(pair)
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


def _place(act: Act, group: Group, plan: LinkPlan) -> None:
    """Send the chains of a group on: its mentions are placed and no contradiction is open."""
    progress = act.progress
    progress.sources.update(plan.sources)
    if (
        engine_of(act.settings).links.keeps_rules != ALL_WHOLE
    ):  # else the image was placed before these chances were kept
        progress.together.update(plan.together)
    if act.settings.strategy is Strategy.ADAPTIVE:
        progress.sources.update(dict.fromkeys(posterior_links(group, plan), LinkSource.POSTERIOR))
    unsettled = {number for pair in plan.unsettled for number in pair}
    for mentions in plan.chains:
        chain = progress.chains[mentions[0]]
        links_right = plan.links_right.get(chain.name)
        chain.confidence = None if links_right is None else _confidence(act, plan, mentions)
        if chain.name in plan.doubted:
            chain.doubted = "a link was overruled"
        elif links_right is not None and links_right < UNSURE:
            chain.doubted = f"the answers make it {chain.confidence:.0%} likely"
        causes = [progress.flagged[number] for number in mentions if number in progress.flagged]
        if unsettled.intersection(mentions):
            causes.append(Cause.NO_CONSENSUS)
        if causes:
            send_to_review(act, chain, causes[0])
        else:
            at_once, sure = drawn_at_once(act, chain), _is_sure(act, chain, links_right)
            verdict = coreference_link.decide(mentions, drawn_at_once=at_once, sure=sure)
            (move_chain if verdict is coreference_link.Verdict.SEVERAL else to_boxes)(act, chain, verdict)


def _confidence(act: Act, plan: LinkPlan, mentions: Sequence[int]) -> float:
    """Return the chance that a chain is right in the data set."""
    links_right, whole = plan.links_right[mentions[0]], plan.whole.get(mentions[0])
    if whole is not None:
        return round(links_right * whole, DIGITS)
    image = {number: mention.for_links() for number, mention in act.progress.mentions.items()}
    return engine_of(act.settings).links.released(links_right, [image[number] for number in mentions], image.values())


def _is_sure(act: Act, chain: ChainProgress, links_right: float | None) -> bool:
    """Whether a chain is sure enough to need no verification. With a limit of 1 every chain is verified.

    Its confidence does not count: a part of a chain that breaks a rule of links passes verification, which can split
    chains and not join them. So only the chance that the links are right says what a verification is worth.
    """
    limit = act.settings.verify_below
    if engine_of(act.settings).source.program:
        return not chain.doubted  # the source has verified its chains, and doubt about one is asked about as links
    return links_right is not None and limit < 1 and links_right >= limit and not chain.doubted
