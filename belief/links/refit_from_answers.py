"""Refit from answers [beyond paper 3.1.1]: the link prior and the crowd's error rates, learned without known chains.

The weights make a project's answers likeliest, over all partitions of each judged group. A penalty pulls them towards
the prior that the project was given. Which pairs are asked depends on earlier answers alone, so the choice does not
mislead the fit, as long as unfinished groups count, too. The crowd's errors are the answers expected to be wrong among
the first answers of each pair: pairs that divide people get more answers, and would make the crowd look worse than it
is. Known questions correct them. They alone show what most people misread: elsewhere these people agree as if they were
right. Weights and errors are fitted in turn until the errors stay. Evidence counts in full here: with the share of it
that counts in plans, right answers would look less sure to be right, and the crowd worse.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.link_group import Link, link_group
from annotation.rules.transitivity import LinkMention, Pair
from belief.known_answers import KnownAnswers, wrong_answers, wrong_together
from belief.links.answer_model import (
    LAPSE,
    MAX_ERROR,
    MIN_ERROR,
    OVERLOOKED,
    PAPER_ERRORS,
    CrowdErrors,
    LinkAnswer,
    weigh,
)
from belief.links.antecedents import has_sentences
from belief.links.fit_antecedents import AntecedentExpectation, LongGroup, expect, fit_antecedents, long_group
from belief.links.fit_link_prior import (
    MAX_MENTIONS,
    Example,
    Layout,
    count_weights,
    layout_of,
    maximise,
    partitions_of,
    prior_of,
    weights_of,
)
from belief.links.lapses import SweptLinks, added_by_lapses, chances_of_lapses, swept_links
from belief.links.link_prior import ALL_WHOLE, DEFAULT, LinkPrior
from belief.links.partitions import Flags, Partitions, Posterior, Scores, posterior, words_terms
from belief.links.program_links import (
    DIFFERENT,
    PROGRAM_WEIGHTS,
    REFERENCE_WEIGHTS,
    SAME,
    Chains,
    VerdictErrors,
    errors_of,
    log_ratios,
    verdicts_of,
)
from belief.models.error_correlation import NO_FAMILIES, Families
from belief.models.reference import IMAGINED_PAIRS, NO_REFERENCE, Reference

L2 = 10.0
"""The cost of a weight's distance from the given prior."""
IMAGINED = 300
"""Imagined first answers, of either kind of pair, with the paper's errors: few answers say little about the crowd."""
FURTHER_IMAGINED = 500.0
"""Imagined candidates of sweeps, the first of each left out, that are the same as the mention."""
IMAGINED_SWEEPS = 100
"""Imagined answers to sweeps, of which as many are lapses as before the first answer."""
STEPS = 30
"""Steps of a bisection: to a billionth."""
BASE_MISREAD = 0.001
"""The share of pairs that most people misread, before any known question was answered."""
ROUNDS, MIN_CHANGE = 12, 0.0005
"""The most rounds; they end when no error rate moves further."""
ERROR_DIGITS = 4


NO_CHAINS: Mapping[int, Chains] = {}
NO_EVIDENCE: Mapping[Pair, float] = {}
NO_MODEL_ANSWERS: Mapping[Pair, Sequence[tuple[int, bool]]] = {}


class JudgedGroup(NamedTuple):
    """One group, for refits."""

    mentions: Sequence[LinkMention]
    """In reading order."""
    answers: Mapping[Pair, Sequence[LinkAnswer]]
    """The answers of people to each judged pair, oldest first."""
    program_chains: Mapping[int, Chains] = NO_CHAINS
    """By the program's number: the chains of the image that it predicts."""
    model_evidence: Mapping[Pair, float] = NO_EVIDENCE
    """The evidence of model annotators, as far as it counted."""
    model_answers: Mapping[Pair, Sequence[tuple[int, bool]]] = NO_MODEL_ANSWERS
    """All that they said: the program's number, and whether it holds the two to be one thing."""
    audited: bool = False
    """People answered whatever programs said."""


class KnownLinkAnswers(NamedTuple):
    """The answers to known questions about two mentions."""

    same: Sequence[KnownAnswers] = ()
    """Of two that are one thing."""
    different: Sequence[KnownAnswers] = ()
    """Of two that are not, in sweeps, too."""
    swept: Sequence[tuple[int, KnownAnswers]] = ()
    """Of two in a sweep that are one thing, behind the number of its candidates."""


NO_KNOWN_ANSWERS = KnownLinkAnswers()


class Refit(NamedTuple):
    """Weights and error rates that answers taught."""

    prior: LinkPrior
    errors: CrowdErrors
    groups: int
    """The number of groups whose answers were weighed."""


class CountedGroup(NamedTuple):
    """One judged group, as counts."""

    columns: NDArray[np.intp]
    counts: NDArray[np.float32]
    """As in `Example`."""
    together: Flags
    """[partitions, judged pairs]."""
    answers: tuple[tuple[LinkAnswer, ...], ...]
    """[judged pairs]: the answers."""
    model_evidence: Scores
    """[partitions]: what model annotators add to the logarithms of the chances."""
    swept: tuple[SweptLinks, Partitions] | None
    """The judgments of sweeps, and the partitions; None if nothing was swept."""


def refit_from_answers(
    groups: Sequence[JudgedGroup],
    towards: LinkPrior,
    known: KnownLinkAnswers = NO_KNOWN_ANSWERS,
    *,
    l2: float = L2,
    imagined: float = IMAGINED,
) -> Refit:
    """Return the prior and the errors of a project by its own answers.

    `known`: known questions that people answered. `towards`: the prior that the project was given. `l2`: the cost of
    leaving it. `imagined`: see IMAGINED. Leaves out groups without answers, and groups of whole captions that are too
    large to weigh (see `fit_link_prior`); if none is left, the prior is the given one and the errors are the paper's.
    """
    small = [group for group in groups if 1 < len(group.mentions) <= MAX_MENTIONS]
    # Answers say too little of single pairs of heads: only those that the given prior has keep weights of their own.
    layout = layout_of([group.mentions for group in small], towards.heads, towards.alike, towards.sizes)
    answered = [counted for group in small if (counted := _counted(group, layout))]
    long = [found for group in groups if (found := _long(group))]
    if not answered and not long:
        return Refit(towards, PAPER_ERRORS, 0)
    start_weights = weights_of(towards, layout)
    weights, antecedents, errors = start_weights, towards.antecedents, PAPER_ERRORS
    for _ in range(ROUNDS):
        before = errors
        if answered:
            weights = maximise([_example(group, errors) for group in answered], start_weights, l2, start=weights)
        expected = [expect(group, antecedents, errors) for group in long]
        if long:
            antecedents = fit_antecedents(long, expected, towards.antecedents, l2, antecedents)
        first = list(_first_answers(answered, weights, errors, long, expected))
        errors = _errors(first, known, imagined, errors.false_negative)
        if max(abs(now - then) for now, then in zip(errors, before, strict=True)) < MIN_CHANGE:
            break
    rounded = CrowdErrors(*(round(error, ERROR_DIGITS) for error in errors))
    prior = prior_of(weights, layout, fitted_on=towards.fitted_on)
    # Answers about links never show that a chain breaks a rule of links: only gold does.
    rules = DEFAULT if towards.keeps_rules == ALL_WHOLE else towards
    prior = replace(prior, keeps_rules=rules.keeps_rules, keeps_captions=rules.keeps_captions, temper=rules.temper)
    return Refit(replace(prior, antecedents=antecedents), rounded, len(answered) + len(long))


def _judged_links(judged_group: JudgedGroup) -> tuple[dict[Link, tuple[LinkAnswer, ...]], dict[Link, float]]:
    """Return people's answers and the evidence of models, by the positions of the mentions."""
    group = link_group(tuple(judged_group.mentions))
    answers = {
        link: tuple(judgments)
        for pair, judgments in judged_group.answers.items()
        if judgments and (link := group.link(pair)) and not group.ruled_out[link[0]] >> link[1] & 1
    }
    evidence = {link: ratio for pair, ratio in judged_group.model_evidence.items() if (link := group.link(pair))}
    return answers, evidence


def _counted(judged_group: JudgedGroup, layout: Layout) -> CountedGroup | None:
    links, evidence = _judged_links(judged_group)
    partitions = partitions_of(judged_group.mentions) if links else None
    if partitions is None:
        return None
    labels = partitions.labels
    model_evidence: Scores = np.zeros(len(labels))
    for link, ratio in evidence.items():
        model_evidence += ratio * (labels[:, link[0]] == labels[:, link[1]])
    first, second = np.array(list(links)).T
    together = labels[:, first] == labels[:, second]
    counts = count_weights(partitions, judged_group.mentions, layout)
    swept = swept_links(links)
    of_sweeps = (swept, partitions) if swept else None
    return CountedGroup(*counts, together, tuple(links.values()), model_evidence, of_sweeps)


def _example(group: CountedGroup, errors: CrowdErrors) -> Example:
    log_ratios = np.array([weigh(judgments, errors).ratio for judgments in group.answers])
    known = group.together @ log_ratios + group.model_evidence
    if group.swept:
        swept, partitions = group.swept
        known += partitions.sums(added_by_lapses(swept, partitions.blocks, errors))
    return Example(group.columns, group.counts, np.arange(len(group.counts)), known)


def _long(judged_group: JudgedGroup) -> LongGroup | None:
    """Return a group of captions of several sentences that has answers."""
    if not has_sentences(judged_group.mentions):
        return None
    links, evidence = _judged_links(judged_group)
    return long_group(judged_group.mentions, links, evidence) if links else None


class FirstAnswers(NamedTuple):
    """The first answers about the judged pairs of a group."""

    chances: Scores
    """[pairs]: of each pair to be one thing."""
    yes: Flags
    """[pairs]"""
    listed: NDArray[np.intp]
    """[pairs]: see `LinkAnswer`."""
    lapses: Scores
    """[sweeps]: the chance that an answer to a sweep about the group is a lapse."""


def _first_answers(
    groups: Sequence[CountedGroup],
    weights: Scores,
    errors: CrowdErrors,
    long: Sequence[LongGroup],
    expected: Sequence[AntecedentExpectation],
) -> Iterator[FirstAnswers]:
    def of(chances: Scores, answers: Iterable[Sequence[LinkAnswer]], lapses: Scores) -> FirstAnswers:
        first = [judgments[0] for judgments in answers]
        listed = np.array([answer.listed for answer in first])
        return FirstAnswers(chances, np.array([answer.same for answer in first]), listed, lapses)

    for group in groups:
        likely = _chances(group, weights, errors)
        lapses = np.empty(0)
        if group.swept:
            swept, partitions = group.swept
            lapses = chances_of_lapses(swept, *Posterior(partitions, likely).blocks(), errors)
        yield of(likely @ group.together, group.answers, lapses)
    for weighed, found in zip(long, expected, strict=True):
        yield of(found.same[tuple(np.array(list(weighed.answers)).T)], weighed.answers.values(), found.lapses)


def _errors(
    first_answers: Sequence[FirstAnswers], known: KnownLinkAnswers, imagined: float, before: float
) -> CrowdErrors:
    """Return the shares of wrong answers: expected ones among first answers, and those to known questions.

    `before`: the share of false negatives of the last round, which tells misjudged candidates from overlooked ones.
    """
    same, denied, different, affirmed = 0.0, 0.0, 0.0, 0.0
    in_sweeps = [_of_known(candidates, answers) for candidates, answers in known.swept]
    overlooked = _overlooked([*first_answers, *in_sweeps], before)

    def misjudged(listed: NDArray[np.intp]) -> Scores:
        """Return the share of wrong "no" that no list made."""
        missed_in_all = 1 - (1 - before) * (1 - overlooked) ** (listed - 1)
        return np.where(listed > 1, before / missed_in_all, 1.0)

    known_same = list(known.same)
    for answers, _, listed, _ in in_sweeps:
        wrong = float(answers[1] * misjudged(listed)[1])
        known_same.append(KnownAnswers(float(answers.sum()) - wrong, wrong))
    for chances, yes, listed, _ in first_answers:
        same += float(chances.sum())
        denied += float((chances * misjudged(listed))[~yes].sum())
        different += float((1 - chances).sum())
        affirmed += float((1 - chances)[yes].sum())
    missed = (denied + imagined * PAPER_ERRORS.false_negative) / (same + imagined)
    false = (affirmed + imagined * PAPER_ERRORS.false_positive) / (different + imagined)
    missed, false = (
        min(max(wrong_answers(answers, rate), MIN_ERROR), MAX_ERROR)
        for answers, rate in ((known_same, missed), (known.different, false))
    )
    joined = same * (1 - wrong_together(known_same, BASE_MISREAD))
    misjoined = different * wrong_together(known.different, BASE_MISREAD)
    share = min(misjoined / (joined + misjoined), MAX_ERROR) if misjoined else 0.0
    return CrowdErrors(missed, false, share, overlooked, _lapse(first_answers))


def _lapse(first_answers: Iterable[FirstAnswers]) -> float:
    """Return the share of answers to sweeps that are lapses, expected with imagined ones."""
    of_sweeps = np.concatenate([np.empty(0), *(group.lapses for group in first_answers)])
    return float((of_sweeps.sum() + IMAGINED_SWEEPS * LAPSE) / (len(of_sweeps) + IMAGINED_SWEEPS))


def _of_known(candidates: int, answers: KnownAnswers) -> FirstAnswers:
    """Return answers about a known candidate of a sweep as one answer of each kind, that counts as many times."""
    return FirstAnswers(np.array(answers, float), np.array([True, False]), np.full(2, candidates), np.empty(0))


def _overlooked(first_answers: Iterable[FirstAnswers], false_negative: float) -> float:
    """Return the chance to overlook a candidate by which as many are expected to be missed in sweeps as were."""
    swept = [group[:3] for group in first_answers if (group.listed > 1).any()]
    if not swept:
        return OVERLOOKED
    chances, yes, listed = map(np.concatenate, zip(*swept, strict=True))
    further = listed - 1
    missed = chances[~yes & (further > 0)].sum() + FURTHER_IMAGINED * OVERLOOKED
    low, high = 0.0, MAX_ERROR
    for _ in range(STEPS):
        middle = (low + high) / 2
        expected = (chances * (1 - (1 - false_negative) * (1 - middle) ** further))[further > 0].sum()
        low, high = (middle, high) if expected + FURTHER_IMAGINED * middle < missed else (low, middle)
    return low


def _chances(group: CountedGroup, weights: Scores, errors: CrowdErrors) -> Scores:
    """Return the chance of each partition."""
    example = _example(group, errors)
    return _shares(example.counts.astype(np.float64) @ weights[example.columns] + example.known)


def _shares(logs: Scores) -> Scores:
    """Return chances, by their logarithms up to a constant."""
    chances: Scores = np.exp(logs - logs.max())
    chances /= chances.sum()
    return chances


IMAGINED_LINKS = 20
"""Imagined pairs, of either kind, with the errors of an unknown program."""
PROGRAM_ROUNDS, MIN_PROGRAM_CHANGE = 20, 0.001
"""The most rounds; they end when no rate moves further."""
PROGRAM_DIGITS = 3
MIN_CHANCE = 1e-300
"""Chances below this count as this, as the logarithm of 0 is not a number."""


class _ProgramCounts(NamedTuple):
    """One group as one program sees it."""

    counts: Scores
    """[partitions, 2]: how often its "same" and its "different" count."""
    same: Flags
    different: Flags
    """[pairs]"""


class _WeighedGroup(NamedTuple):
    logs: Scores
    """[partitions]: logarithms of the chances without programs, up to a constant."""
    together: Flags
    """[partitions, pairs that may corefer]"""
    programs: dict[int, _ProgramCounts]


def refit_programs(
    groups: Iterable[JudgedGroup],
    prior: LinkPrior,
    errors: CrowdErrors,
    *,
    families: Families = NO_FAMILIES,
    reference: Reference = NO_REFERENCE,
) -> dict[int, VerdictErrors]:
    """Return the error rates of each program that said something of a group with answers.

    `prior`, `errors`: those of the project, by which its answers are weighed. `reference`: a data set that is checked.
    """
    weighed = [found for group in groups if (found := _weighed(group, prior, errors))]
    programs = sorted({program for group in weighed for program in group.programs})
    rates = {program: errors_of(program, {}, reference) for program in programs}
    for _ in range(PROGRAM_ROUNDS):
        before, rates = rates, _rates(weighed, rates, families, reference)
        moved = [abs(a - b) for program in programs for a, b in zip(rates[program], before[program], strict=True)]
        if max(moved, default=0.0) < MIN_PROGRAM_CHANGE:
            break
    return {program: VerdictErrors(*(round(rate, PROGRAM_DIGITS) for rate in both)) for program, both in rates.items()}


def _weighed(group: JudgedGroup, prior: LinkPrior, errors: CrowdErrors) -> _WeighedGroup | None:
    mentions = group.mentions
    linked = link_group(tuple(mentions))
    judged = {link: tuple(votes) for pair, votes in group.answers.items() if votes and (link := linked.link(pair))}
    partitions = partitions_of(mentions) if judged and group.program_chains and len(mentions) <= MAX_MENTIONS else None
    if partitions is None:
        return None
    pairs: Scores = np.zeros((len(mentions), len(mentions)))
    for link, answers in judged.items():
        pairs[link] = pairs[link[::-1]] = weigh(answers, errors).ratio
    for pair, ratio in group.model_evidence.items():
        if link := linked.link(pair):
            pairs[link] = pairs[link[::-1]] = pairs[link] + ratio
    belief = posterior(partitions, prior.weights(mentions)._replace(pairs=pairs))
    possible = partitions.together.any(axis=0)
    first, second = (ends[possible] for ends in partitions.pairs)
    counts_of = {}
    for program, chains in group.program_chains.items():
        of_pairs = verdicts_of(mentions, chains)
        terms = [words_terms(partitions, (of_pairs == what).astype(np.float64)) for what in (SAME, DIFFERENT)]
        verdicts = of_pairs[first, second]
        counts_of[program] = _ProgramCounts(np.stack(terms, axis=1), verdicts == SAME, verdicts == DIFFERENT)
    logs, together = np.log(belief.chances.clip(MIN_CHANCE)), partitions.together[:, possible].astype(bool)
    return _WeighedGroup(logs, together, counts_of)


def _rates(
    groups: Sequence[_WeighedGroup], rates: Mapping[int, VerdictErrors], families: Families, reference: Reference
) -> dict[int, VerdictErrors]:
    """Return for each program the share of pairs of either kind on which it is expected to be wrong."""
    totals = {program: np.zeros(4) for program in rates}
    for group in groups:
        chances = _chances_same(group, rates, families, reference)
        apart = 1 - chances
        for program, (_, same, different) in group.programs.items():
            totals[program] += chances[different].sum(), chances[same].sum(), apart[same].sum(), apart[different].sum()
    imagined = {program: IMAGINED_PAIRS if program == reference.program else IMAGINED_LINKS for program in rates}
    usual = {program: errors_of(program, {}, reference) for program in rates}
    return {program: _with_imagined(counts, usual[program], imagined[program]) for program, counts in totals.items()}


def _with_imagined(counts: Scores, usual: VerdictErrors, imagined: float) -> VerdictErrors:
    """Return the shares of wrong pairs with this many imagined pairs. `counts`: missed, found, false, and right."""
    missed, found, false, right = counts
    return VerdictErrors(
        float(missed + imagined * usual.false_negative) / float(missed + found + imagined),
        float(false + imagined * usual.false_positive) / float(false + right + imagined),
    )


def _chances_same(
    group: _WeighedGroup, rates: Mapping[int, VerdictErrors], families: Families, reference: Reference
) -> Scores:
    """Return the chance of each pair to be together, after all answers and by what programs say."""
    logs = group.logs.copy()
    for program, counts in families.first_of_each(group.programs).items():
        weights = REFERENCE_WEIGHTS if program == reference.program else PROGRAM_WEIGHTS
        logs += counts.counts @ (np.array(weights) * log_ratios(rates[program]))
    same: Scores = _shares(logs) @ group.together
    return same
