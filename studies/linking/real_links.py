"""Real people's coreference answers, replayed to link questions: the paper's strategies, the adaptive one, majorities.

Five workers each marked whole passages. The answer of a worker about two mentions is read from their whole answer, and
no worker answers twice about one pair. Gold is read for the scores, and as the known questions of a project.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from annotation.rules.head_noun import head_noun
from annotation.rules.mention_type import STANDS_FOR, MentionType
from annotation.rules.transitivity import LinkMention, Pair, can_corefer, connected, groups, part_of, positions
from belief.known_answers import KnownAnswers
from belief.learned import LearnedState
from belief.links.answer_model import LinkAnswer
from belief.links.link_prior import DEFAULT
from belief.links.refit_from_answers import NO_KNOWN_ANSWERS, JudgedGroup, KnownLinkAnswers, refit_from_answers
from evaluation.coreference import COLUMNS, ChainPair, Chains, counts_of, scores, without_singletons
from pipeline.policies.adaptive_links import GroupPlan
from pipeline.policies.compose import adaptive_links
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.state.progress import TallyVote
from simulation.compare_strategies import Votes, begun, groups_of, link_run, questions_in
from studies.command import csv_rows
from studies.linking.adaptive_frontier import adaptive
from studies.linking.calibration import Said, gap_interval

BEFORE = 4
"""The words before a mention that links read, at most."""
LONGEST = 1000
"""Positions count so many to a token, so that of two mentions that begin with one token the shorter stands first."""
OTHER_PRONOUNS = (
    "i",
    "me",
    "my",
    "myself",
    "we",
    "us",
    "our",
    "you",
    "your",
    "yourself",
    "his",
    "hers",
    "its",
    "their",
)
"""Pronouns that are no mentions of captions."""


@dataclass(frozen=True)
class Passage:
    """One passage with the whole answers of its workers and the chains of experts."""

    name: str
    mentions: tuple[LinkMention, ...]
    """In reading order; each has a part of its own, as in long captions of projects that go beyond the rules."""
    answers: Mapping[int, Mapping[int, str]]
    """By the worker: the name of each mention's chain."""
    gold: Mapping[int, str]
    """The chain of each mention that experts gave one."""

    @property
    def pairs(self) -> int:
        return len(self.mentions) * (len(self.mentions) - 1) // 2

    def says(self, worker: int, pair: Pair) -> bool:
        """Return whether the worker's whole answer has the two in one chain."""
        first, second = (self.answers[worker][number] for number in pair)
        return first == second

    def against_gold(self, chains: Iterable[Iterable[int]]) -> ChainPair:
        """Return gold and these chains, of the mentions that have gold."""
        known = ({number for number in chain if number in self.gold} for chain in chains)
        found: Chains = [frozenset(chain) for chain in known if chain]
        return ChainPair([*_chains(self.gold)], found)


def _chains(names: Mapping[int, str]) -> list[frozenset[int]]:
    members: dict[str, set[int]] = defaultdict(set)
    for number, name in names.items():
        members[name].add(number)
    return [frozenset(chain) for chain in members.values()]


# --- The files ---


def read_passages(folder: Path) -> list[Passage]:
    """Read sentences.csv, mentions.csv, answers.csv and gold.csv. Raises ValueError, which names the file."""
    tokens: dict[str, dict[int, list[str]]] = defaultdict(dict)
    for row in _rows(folder / "sentences.csv", ("passage", "sentence"), ("tokens",)):
        tokens[row["passage"]][int(row["sentence"])] = row["tokens"].split(" ")
    mentions: dict[str, list[LinkMention]] = defaultdict(list)
    for row in _rows(folder / "mentions.csv", ("passage", "mention", "sentence", "start", "end")):
        mentions[row["passage"]].append(_mention(row, tokens[row["passage"]]))
    answers: dict[str, dict[int, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    for row in _rows(folder / "answers.csv", ("passage", "worker", "mention", "entity")):
        answers[row["passage"]][int(row["worker"])][int(row["mention"])] = row["entity"]
    gold: dict[str, dict[int, str]] = defaultdict(dict)
    for row in _rows(folder / "gold.csv", ("passage", "mention", "entity")):
        gold[row["passage"]][int(row["mention"])] = row["entity"]
    for name, own in mentions.items():
        numbers = {mention.number for mention in own}
        if not answers[name] or any(chains.keys() != numbers for chains in answers[name].values()):
            raise ValueError(f"{folder / 'answers.csv'}: {name}: an answer lacks a mention, or nobody answered.")
    return [
        Passage(name, tuple(sorted(own, key=lambda one: (one.start, one.number))), dict(answers[name]), gold[name])
        for name, own in sorted(mentions.items())
    ]


def _rows(file: Path, columns: Sequence[str], texts: Sequence[str] = ()) -> Iterator[dict[str, str]]:
    """Yield the rows. `columns`: all are whole numbers, but for the name of the passage; `texts`: further ones."""
    for line, row in csv_rows(file, (*columns, *texts), "sentences, mentions, answers and gold"):
        if not all((row[name] or "").isdecimal() for name in columns[1:]):
            raise ValueError(f"{file}, line {line}: write whole numbers in {', '.join(columns[1:])}.")
        yield row


def _mention(row: Mapping[str, str], sentences: Mapping[int, Sequence[str]]) -> LinkMention:
    number, sentence, start, end = (int(row[name]) for name in ("mention", "sentence", "start", "end"))
    own = sentences.get(sentence, ())
    if not start < end <= len(own):
        raise ValueError(f"{row['passage']}, mention {number}: sentence {sentence} has {len(own)} tokens.")
    words = tuple(word.lower() for word in own[start:end])
    first = start + sum(len(sentences[before]) for before in sentences if before < sentence)
    place = LONGEST * first + end - start
    pronoun = len(words) == 1 and (words[0] in STANDS_FOR or words[0] in OTHER_PRONOUNS)
    return LinkMention(
        *(number, 0, place, frozenset((MentionType.OTHER.value,)), head_noun(words), words),
        before=tuple(word.lower() for word in own[max(0, start - BEFORE) : start]),
        part=part_of(sentence, place),
        pronoun=pronoun,
    )


# --- Fitting ---

FOLDS = 4
L2 = 2.0
"""The cost of a weight's square: there is no given prior to stay near."""


KNOWN = 2_000
"""The known questions of a project. Most people misread one of 200 whose answer is "different"."""


def known_questions(passages: Iterable[Passage], seed: int) -> KnownLinkAnswers:
    """Return pairs with gold as the known questions of a project, drawn evenly, each answered by all workers."""
    pairs = [(passage, pair) for passage in passages for pair in combinations(sorted(passage.gold), 2)]
    known: dict[bool, list[KnownAnswers]] = {True: [], False: []}
    for passage, pair in random.Random(f"known {seed}").sample(pairs, min(KNOWN, len(pairs))):
        same = passage.gold[pair[0]] == passage.gold[pair[1]]
        right = [passage.says(worker, pair) for worker in passage.answers].count(same)
        known[same].append(KnownAnswers(right, len(passage.answers) - right))
    return KnownLinkAnswers(known[True], known[False])


def fit_on_answers(passages: Sequence[Passage], known: KnownLinkAnswers = NO_KNOWN_ANSWERS) -> LearnedState:
    """Return what a project would learn from all whole answers about these passages.

    Gold is read of the `known` questions alone, which teach how often most people misread a pair.

    The prior that is given says nothing of antecedents, since the weights of a new project were chosen on passages of
    the same data set.
    """
    groups = [group for passage in passages for group in _judged(passage)]
    refit = refit_from_answers(groups, replace(DEFAULT, antecedents={}), known, l2=L2)
    return LearnedState(refit.prior, refit.errors)


def _judged(passage: Passage) -> Iterator[JudgedGroup]:
    """Yield the groups of a passage, and what all workers say about each of its pairs that may be one thing."""
    for mentions in groups(passage.mentions):
        pairs = [(a.number, b.number) for a, b in combinations(mentions, 2) if can_corefer(a, b)]
        answers = {pair: [LinkAnswer(passage.says(worker, pair)) for worker in passage.answers] for pair in pairs}
        yield JudgedGroup(mentions, answers)


def folds_of(passages: Sequence[Passage], seed: int) -> Iterator[tuple[list[Passage], list[Passage]]]:
    """Yield FOLDS disjoint parts of the passages, each with all passages outside the part."""
    order = random.Random(f"folds {seed}").sample(list(passages), len(passages))
    for fold in range(FOLDS):
        yield order[fold::FOLDS], [one for place, one in enumerate(order) if place % FOLDS != fold]


# --- The replay ---


class RealAnswers:
    """The workers of each passage, question by question in an order of the seed's own; none answers twice on a pair."""

    def __init__(self, passage: Passage, seed: int) -> None:
        self._passage, self._seed = passage, seed

    def about(self, subject: Sequence[int], votes: Votes, *, together: int = 1) -> dict[Pair, TallyVote]:
        """Return the next worker's answer; with `together` the majority of so many, as if they were one."""
        key = subject[0] if len(votes) > 1 else next(iter(votes))
        order = random.Random(f"{self._seed} {self._passage.name} {key}")
        workers = order.sample(list(self._passage.answers), len(self._passage.answers))
        if together > 1:
            yes = {pair: sum(self._passage.says(worker, pair) for worker in workers[:together]) for pair in votes}
            return {pair: TallyVote(0, 0, 2 * yes[pair] > together) for pair in votes}
        judged = {vote.worker for cast in votes.values() for vote in cast}
        worker = next((worker for worker in workers if worker not in judged), None)
        if worker is None:
            return {}
        return {pair: TallyVote(0, worker, self._passage.says(worker, pair)) for pair in votes}


@dataclass(slots=True)
class Outcome:
    """The chains of one policy on all passages and seeds, held against gold."""

    policy: str
    answers: float = 0
    """To pairs and to sweeps."""
    pairs: int = 0
    counts: list[np.ndarray] = field(default_factory=list)
    several: list[tuple[int, int]] = field(default_factory=list)
    """Of each passage: the gold chains of several mentions that were found exactly, and all of them."""
    said: list[Said] = field(default_factory=list)
    """The confidence of every chain with a mention that has gold, and whether these mentions are a gold chain."""
    said_several: list[Said] = field(default_factory=list)
    """The same of chains with several mentions that have gold."""
    said_pairs: list[Said] = field(default_factory=list)
    """The chance of each pair of mentions with gold that is one thing, and whether the pair is."""

    def add(self, passage: Passage, chains: Iterable[Iterable[int]], answers: float) -> None:
        """Hold the chains of a passage against its gold."""
        pair = passage.against_gold(chains)
        gold, found = without_singletons(pair)
        self.answers += answers
        self.pairs += passage.pairs
        self.counts.append(counts_of(pair))
        self.several.append((len({*gold} & {*found}), len(gold)))

    def add_plans(self, passage: Passage, plans: Sequence[GroupPlan], answers: float) -> None:
        """Hold chains, with what is said of each, against gold."""
        self.add(passage, [chain for plan in plans for chain in plan.chains], answers)
        gold = {*passage.against_gold(()).gold}
        for plan in plans:
            for chain in plan.chains:
                known = frozenset(number for number in chain if number in passage.gold)
                said = Said(passage.name, plan.confidence[chain[0]], known in gold)
                self.said += [said] * bool(known)
                self.said_several += [said] * (len(known) > 1)
            for (one, other), chance in plan.together.items():
                if one in passage.gold and other in passage.gold:
                    self.said_pairs.append(Said(passage.name, chance, passage.gold[one] == passage.gold[other]))

    def row(self) -> dict[str, Any]:
        """Return the figures as shares, and of gaps the interval in points; None where nothing was said."""
        figures = dict(zip(COLUMNS, (scores(np.sum(self.counts, axis=0)) / 100).tolist(), strict=True))
        found, of = map(sum, zip(*self.several, strict=True))
        row = {
            "policy": self.policy,
            "cost": self.answers / self.pairs,
            "exact": figures["exact.R"],
            "exact_multi": found / of if of else None,
            "b3": figures["B3.F"],
            "conll": figures["CoNLL"],
            "lea": figures["LEA.F"],
        }
        for name, cases in (("", self.said), ("_multi", self.said_several), ("_pairs", self.said_pairs)):
            row[f"confidence{name}"] = fmean(case.chance for case in cases) if cases else None
            row[f"correct{name}"] = fmean(case.right for case in cases) if cases else None
            row[f"gap{name}"] = gap_interval(cases) if cases else None
        return row


TOGETHER = 3
"""The workers whose majority counts as one answer of greedy."""


def replay_paper(
    passages: Sequence[Passage], seeds: Sequence[int], done: Callable[[], object] = lambda: None
) -> list[Outcome]:
    """Replay the four strategies of the paper, and greedy with a majority as each answer. Every pair may be asked."""
    runs = [(Outcome(strategy.value), strategy, 1) for strategy in Strategy]
    runs.append((Outcome(f"greedy, majority of {TOGETHER}"), Strategy.GREEDY, TOGETHER))
    for seed in seeds:
        for passage in passages:
            mentions = [one._replace(part=(place, 0)) for place, one in enumerate(passage.mentions)]
            answers = RealAnswers(passage, seed)
            for outcome, strategy, together in runs:
                progress = begun(mentions)
                plans = link_run(PaperLinks(strategy), progress, partial(answers.about, together=together))
                chains = [chain for plan in plans for chain in plan.chains]
                outcome.add(passage, chains, together * questions_in(progress))
            done()
    return [outcome for outcome, _, _ in runs]


def stop_of(sure: float) -> float:
    """Return the bits that an answer must tell so that a pair is asked whose likelier side has this chance, 0.5 to 1.

    That is what an answer without error tells of the pair.
    """
    return -sure * log2(sure) - (1 - sure) * log2(1 - sure)


def replay_adaptive(
    passages: Sequence[Passage],
    sure: Sequence[float],
    seeds: Sequence[int],
    done: Callable[[], object] = lambda: None,
    *,
    sweeps: bool = False,
) -> list[Outcome]:
    """Replay the adaptive strategy, beyond the rules, with a prior and errors of other passages' answers.

    `sure`: see `stop_of`. Each passage goes on from where the less sure ended. `sweeps`: whether sweeps may be asked.
    """
    name = "sweeps" if sweeps else "adaptive"
    outcomes = {one: Outcome(f"{name} {one:g}") for one in sorted(sure)}
    for seed in seeds:
        for inside, outside in folds_of(passages, seed):
            learned = fit_on_answers(outside, known_questions(outside, seed))
            for passage in inside:
                most = len(passage.answers)
                settings = replace(adaptive(beyond=True), learned=learned, link_most=most, sweeps=sweeps)
                progress, about = begun(passage.mentions), RealAnswers(passage, seed).about
                for one, outcome in outcomes.items():
                    policy = adaptive_links(replace(settings, link_stop=stop_of(one)))
                    link_run(policy, progress, about)
                    plans = [policy.believed(progress, group, None) for group in groups_of(policy, progress)]
                    outcome.add_plans(passage, plans, questions_in(progress))
                done()
    return list(outcomes.values())


# --- Without a policy ---


def baselines(passages: Sequence[Passage]) -> list[Outcome]:
    """Return all mentions apart, one whole answer (the mean of all), and the majority of all answers on every pair."""
    apart, whole, most = Outcome("all apart"), Outcome("one whole answer"), Outcome("majority on every pair")
    for passage in passages:
        apart.add(passage, [[mention.number] for mention in passage.mentions], 0)
        for worker in passage.answers:
            whole.add(passage, _chains(passage.answers[worker]), 0)
        most.add(passage, by_majority(passage), len(passage.answers) * passage.pairs)
    return [apart, whole, most]


def by_majority(passage: Passage) -> list[list[int]]:
    """Return the chains that the pairs make which most workers have together."""
    numbers = [mention.number for mention in passage.mentions]
    neighbours = [1 << place for place in range(len(numbers))]
    for one, other in combinations(range(len(numbers)), 2):
        pair = numbers[one], numbers[other]
        if 2 * sum(passage.says(worker, pair) for worker in passage.answers) > len(passage.answers):
            neighbours[one] |= 1 << other
            neighbours[other] |= 1 << one
    return [[numbers[place] for place in positions(part)] for part in connected(neighbours)]
