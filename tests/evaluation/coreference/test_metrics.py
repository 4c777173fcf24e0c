"""Metrics of coreference once more, mention by mention and pair by pair as their papers define them, and slowly.
Metrics of coreference: the examples of their papers, and definitions on random chains and on real ones.
Coreference scored by the command: exports and workers against each other.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from evaluation.command_line import main
from evaluation.coreference import (
    COLUMNS,
    METRICS,
    ChainPair,
    Chains,
    Mention,
    counts_of,
    different_links,
    read_chains,
    same_links,
    scores,
    without_singletons,
)
from evaluation.work import StepWork
from tests.support.table import case


def figures(gold: Chains, response: Chains) -> dict[str, tuple[float, float]]:
    """Return precision and recall of each metric, 0 to 1; 0 where there is nothing to share."""
    same_gold, same_response = _pairs(gold), _pairs(response)
    other_gold, other_response = (_all_pairs(side) - _pairs(side) for side in (gold, response))
    return {
        "MUC": (_muc(response, gold), _muc(gold, response)),
        "B3": (_b_cubed(response, gold), _b_cubed(gold, response)),
        "CEAFm": _ceaf(gold, response, lambda one, other: len(one & other), lambda side: sum(map(len, side))),
        "CEAFe": _ceaf(gold, response, lambda one, other: 2 * len(one & other) / (len(one) + len(other)), len),
        "same": _shares(same_gold, same_response),
        "different": _shares(other_gold, other_response),
        "LEA": (_lea(response, gold), _lea(gold, response)),
    }


def _chain_of(mention: Mention, chains: Chains) -> frozenset[Mention]:
    return next((chain for chain in chains if mention in chain), frozenset())


def _muc(chains: Chains, others: Chains) -> float:
    """Return the share of the links that a spanning tree of each chain needs and that the others hold together."""
    needed = kept = 0
    for chain in chains:
        parts = {_chain_of(mention, others) or frozenset([("alone", mention)]) for mention in chain}
        needed += len(chain) - 1
        kept += len(chain) - len(parts)
    return kept / needed if needed else 0.0


def _b_cubed(chains: Chains, others: Chains) -> float:
    shares = [len(chain & _chain_of(mention, others)) / len(chain) for chain in chains for mention in chain]
    return sum(shares) / len(shares) if shares else 0.0


def _ceaf(gold: Chains, response: Chains, similarity, of) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    @cache
    def best(place: int, free: frozenset[int]) -> float:
        if place == len(gold):
            return 0.0
        alike = [one for one in free if gold[place] & response[one]]
        taken = [similarity(gold[place], response[one]) + best(place + 1, free - {one}) for one in alike]
        return max([best(place + 1, free), *taken])

    total = best(0, frozenset(range(len(response))))
    return tuple(total / of(side) if side else 0.0 for side in (response, gold))  # type: ignore[return-value]


def _lea(chains: Chains, others: Chains) -> float:
    total = importance = 0.0
    other_links = _self_links(others) | _pairs(others)
    for chain in chains:
        links = _self_links([chain]) | _pairs([chain])
        total += len(chain) * len(links & other_links) / len(links)
        importance += len(chain)
    return total / importance if importance else 0.0


def _self_links(chains: Chains) -> set[frozenset[Mention]]:
    return {chain for chain in chains if len(chain) == 1}


def _pairs(chains: Chains) -> set[frozenset[Mention]]:
    return {frozenset(pair) for chain in chains for pair in combinations(chain, 2)}


def _all_pairs(chains: Chains) -> set[frozenset[Mention]]:
    return {frozenset(pair) for pair in combinations([mention for chain in chains for mention in chain], 2)}


def _shares(gold: set[frozenset[Mention]], response: set[frozenset[Mention]]) -> tuple[float, float]:
    both = len(gold & response)
    return both / len(response) if response else 0.0, both / len(gold) if gold else 0.0


def chains(text: str) -> Chains:
    """Return the chains of a text such as "abc de"."""
    return [frozenset(word) for word in text.split()]


def scored(gold: str, response: str) -> dict[str, float]:
    return dict(zip(COLUMNS, scores(counts_of(ChainPair(chains(gold), chains(response)))).tolist(), strict=True))


OF_LUO = "12345 67 89ABC"
"""The key of Bagga and Baldwin, on which Luo (2005) compares four responses."""


@case("two small chains joined", "12345 6789ABC", 94.7, 86.5, 83.3, 73.3)
@case("two large chains joined", "1234589ABC 67", 94.7, 73.7, 58.3, 66.7)
@case("one chain", "123456789ABC", 90.0, 54.5, 41.7, 29.4)
@case("every mention alone", "1 2 3 4 5 6 7 8 9 A B C", 0.0, 40.0, 25.0, 17.8)
def test_the_responses_that_luo_compares_have_the_figures_of_his_table(
    response: str, muc: float, b_cubed: float, ceaf_mentions: float, ceaf_entities: float
) -> None:
    found = scored(OF_LUO, response)

    assert [found[f"{name}.F"] for name in ("MUC", "B3", "CEAFm", "CEAFe")] == pytest.approx(
        [muc, b_cubed, ceaf_mentions, ceaf_entities], abs=0.06
    )
    assert found["CoNLL"] == pytest.approx((muc + b_cubed + ceaf_entities) / 3, abs=0.06)


def test_b_cubed_tells_apart_two_responses_of_bagga_and_baldwin_that_are_equal_to_muc() -> None:
    small, large = scored(OF_LUO, "12345 6789ABC"), scored(OF_LUO, "1234589ABC 67")

    assert small["MUC.P"] == large["MUC.P"] == 90.0
    assert (small["B3.P"], large["B3.P"]) == pytest.approx((76.2, 58.3), abs=0.05)
    assert small["B3.R"] == large["B3.R"] == 100.0


def test_lea_gives_the_example_of_moosavi_and_strube_its_figures() -> None:
    found = scored("abc defg", "ab cd fghi")

    assert (found["LEA.R"], found["LEA.P"], found["LEA.F"]) == pytest.approx((23.8, 33.3, 27.8), abs=0.05)


def test_blanc_is_the_mean_of_what_same_and_different_pairs_give_or_of_one_kind_where_there_is_no_other() -> None:
    found = scored("abc d", "ab cd")

    assert (found["BLANC.P"], found["BLANC.R"]) == pytest.approx((100 * (1 / 2 + 2 / 4) / 2, 100 * (1 / 3 + 2 / 3) / 2))
    assert found["BLANC.F"] == pytest.approx(100 * (2 / 5 + 4 / 7) / 2)
    assert scored("a b c", "a b c")["BLANC.F"] == scored("abc", "abc")["BLANC.F"] == 100.0


def test_muc_has_no_figure_where_every_chain_has_one_mention() -> None:
    found = scored("a b", "a b")

    assert np.isnan(found["MUC.F"]) and np.isnan(found["CoNLL"])
    assert found["B3.F"] == 100.0


def random_chains(draw: Random, mentions: str) -> Chains:
    """Return chains of most of the mentions; now and then one is left out."""
    found = defaultdict(set)
    for mention in mentions:
        if draw.random() < 0.9:
            found[draw.randrange(6)].add(mention)
    return [frozenset(own) for own in found.values()]


@pytest.mark.slow
def test_a_thousand_random_pairs_of_chains_have_the_figures_of_the_definitions() -> None:
    draw = Random(4)
    for _ in range(1000):
        mentions = "abcdefghij"[: draw.randint(2, 10)]
        assert_as_defined(ChainPair(random_chains(draw, mentions), random_chains(draw, mentions)))


@pytest.mark.slow
def test_real_chains_with_errors_have_the_figures_of_the_definitions(entities: Path) -> None:
    draw = Random(5)
    for marked in read_chains(StepWork(None, {}), entities).values():
        own: dict[object, set[Mention]] = defaultdict(set)
        other: dict[object, set[Mention]] = defaultdict(set)
        names = list(marked.chain_of.values())
        for mention, chain in marked.chain_of.items():
            own[chain].add(mention)
            other[draw.choice(names) if draw.random() < 0.2 else chain].add(mention)
        pair = ChainPair(list(map(frozenset, own.values())), list(map(frozenset, other.values())))
        assert_as_defined(pair)
        assert_as_defined(without_singletons(pair))


def assert_as_defined(pair: ChainPair) -> None:
    found = dict(zip(COLUMNS, scores(counts_of(pair)).tolist(), strict=True))
    defined = figures(*pair)
    for name in ("MUC", "B3", "CEAFm", "CEAFe", "LEA"):
        both = found[f"{name}.P"], found[f"{name}.R"]
        assert np.nan_to_num(both) == pytest.approx(np.multiply(100, defined[name]), abs=1e-9), (name, pair)
    for name, metric in (("same", same_links), ("different", different_links)):
        right_of_response, response, right_of_gold, gold = metric(*pair)
        shares = right_of_response / max(response, 1), right_of_gold / max(gold, 1)
        assert shares == pytest.approx(defined[name], abs=1e-9), (name, pair)


def test_every_metric_gives_an_f_between_precision_and_recall() -> None:
    found = scored("abc de fgh", "ab cde f gh")

    for name in METRICS:
        parts = found[f"{name}.P"], found[f"{name}.R"]
        assert min(parts) <= found[f"{name}.F"] <= max(parts)


Lines = Callable[..., Path]
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def chained(tmp_path: Path) -> Lines:
    """Return a function that writes an export of one image with two captions of three phrases each.

    Those of chain 0 are not visual.
    """

    def write(name: str, *chains: int) -> Path:
        folder = tmp_path / name
        (folder / "Sentences").mkdir(parents=True)
        (folder / "Annotations").mkdir()
        words = ["people A man", "clothing a hat", "animals a dog"] * 2
        hidden = [f"notvisual {text.partition(' ')[2]}" for text in words]
        phrases = [f"[/EN#{n}/{own if n else other}]" for n, own, other in zip(chains, words, hidden, strict=True)]
        captions = " ".join(phrases[:3]), " ".join(phrases[3:])
        (folder / "Sentences" / "one.txt").write_text("".join(f"{caption} .\n" for caption in captions))
        (folder / "Annotations" / "one.xml").write_text(
            "<annotation><size><width>9</width><height>9</height></size></annotation>"
        )
        return folder

    return write


def test_a_chain_that_is_split_lowers_recall_and_no_precision_of_links(run: Run, chained: Lines) -> None:
    gold, split = chained("gold", 1, 2, 3, 1, 2, 3), chained("split", 1, 2, 3, 1, 2, 4)

    figures = run("coreference", "score", "--gold", gold, "--response", split)["figures"]

    assert (figures["MUC.P"], figures["MUC.R"]) == pytest.approx((100.0, 200 / 3))
    assert figures["exact.R"] == pytest.approx(200 / 3)
    assert figures["MUC.F.people"] == figures["B3.F.people"] == 100.0 and figures["B3.R.animals"] == 50.0
    assert "MUC.F.animals" in figures and figures["no_singletons.B3.P"] == 100.0
    assert figures["CoNLL"] == pytest.approx((figures["MUC.F"] + figures["B3.F"] + figures["CEAFe.F"]) / 3)


def test_the_headline_counts_the_mentions_of_each_side_and_common_mentions_are_a_row_of_their_own(
    run: Run, chained: Lines, tmp_path: Path
) -> None:
    """By hand: of gold AaBbCc and a response Aa, B, b, C the field counts c as missed, and B and b as not linked."""
    gold, fewer = chained("gold", 1, 2, 3, 1, 2, 3), chained("fewer", 1, 2, 3, 1, 4, 0)
    figures = run("coreference", "score", "--gold", gold, "--response", fewer)["figures"]
    assert [figures[name] for name in ("in_both", "only_gold", "only_response")] == [5, 1, 0]
    assert (figures["MUC.R"], figures["MUC.P"]) == pytest.approx((100 / 3, 100))
    assert (figures["B3.R"], figures["B3.P"]) == pytest.approx((100 * (2 + 1 + 1 / 2) / 6, 100))
    assert (figures["no_singletons.B3.R"], figures["no_singletons.B3.P"]) == pytest.approx((100 / 3, 100))
    assert (figures["common.MUC.R"], figures["common.B3.R"]) == pytest.approx((50, 100 * (2 + 1 + 1) / 5))
    assert figures["common.no_singletons.B3.R"] == 50
    assert figures["B3.R.animals"] == 25, "half of C's chain, nothing of c's"
    page = (tmp_path / "report" / "report.md").read_text()
    assert "5 are in both, 1 in gold alone, 0 in the response alone" in page
    rows = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith(("| all of", "| in both"))]
    assert rows == [
        "all of each side", "all of each side in chains of several", "in both sides",
        "in both sides, in chains of several",
    ]  # fmt: skip


def test_two_responses_are_compared_on_the_same_resamples(run: Run, chained: Lines, tmp_path: Path) -> None:
    gold, split = chained("gold", 1, 2, 3, 1, 2, 3), chained("split", 1, 2, 3, 1, 2, 4)

    chains = ("--gold", gold, "--response", gold, "--against", split)
    figures = run("coreference", "score", *chains, "--draws", "99")["figures"]

    assert figures["difference.CoNLL"] == pytest.approx(100 - figures["against.CoNLL"])
    assert figures["difference.CoNLL.low"] == pytest.approx(figures["difference.CoNLL.high"])
    page = (tmp_path / "report" / "report.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| CoNLL |") and "<" in line)
    assert row.endswith("| < 0.02 |")
    assert "22 figures were compared: by chance alone about 1 of them" in page


def line(*judgments: tuple[Any, ...], voided: int | None = None) -> dict[str, Any]:
    """Return the line of an image with four mentions, of which the first two and the last two are one thing."""
    asked = [
        {
            "task": "coreference_link",
            "subject": subject,
            "judgments": [{"worker": worker, "answer": answer, "entry": 3, "voided": voided}],
        }
        for *subject, worker, answer in judgments
    ]
    mentions = [
        {"number": n, "caption": n, "start": 0, "end": 2, "types": ["people"], "chain": n // 2 * 2} for n in range(4)
    ]
    merged = [{"name": 0, "merged_into": None}, {"name": 2, "merged_into": None}]
    return {"kind": "image", "name": "one", "mentions": mentions, "chains": merged, "questions": asked}


def test_the_links_of_one_worker_are_scored_on_the_mentions_that_he_saw(run: Run, lines: Lines) -> None:
    judged = lines(line((0, 1, "wa", "same"), (1, 2, "wa", "same"), (2, 3, "wb", "same")), name="project.jsonl")

    figures = run("coreference", "score", "--gold", judged, "--response", judged, "--response-worker", "wa")["figures"]

    assert figures["only_gold"] == 1 and (figures["MUC.P"], figures["MUC.R"]) == (50.0, 100.0)


def test_a_sweep_of_one_worker_links_what_he_touched(run: Run, lines: Lines) -> None:
    judged = lines(line((1, 0, 2, 3, "wa", {"same": [0, 2]}), (2, 3, "wa", "different")), name="project.jsonl")

    figures = run("coreference", "score", "--gold", judged, "--response", judged, "--response-worker", "wa")["figures"]

    assert figures["only_gold"] == 0 and (figures["MUC.P"], figures["MUC.R"]) == (50.0, 50.0)


def test_voided_answers_of_a_worker_and_one_of_an_export_that_does_not_name_workers_are_not_scored(
    lines: Callable[..., Path], export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = lines(line((0, 1, "wa", "same"), voided=9), name="project.jsonl")

    assert main([*_score(judged, judged, tmp_path), "--response-worker", "wa"]) == 1
    assert main([*_score(export, export, tmp_path), "--gold-worker", "w1"]) == 1
    assert "give an export as jsonl" in capsys.readouterr().err


def test_chains_that_were_merged_are_one(run: Run, lines: Lines) -> None:
    apart, joined = line(), line()
    joined["chains"][1]["merged_into"] = 0
    gold, response = lines(apart, name="gold.jsonl"), lines(joined, name="response.jsonl")

    assert run("coreference", "score", "--gold", gold, "--response", response)["figures"]["MUC.P"] == pytest.approx(
        200 / 3
    )


def _score(gold: Path, response: Path, folder: Path) -> list[str]:
    return ["coreference", "score", "--gold", str(gold), "--response", str(response), "--out", str(folder / "report")]


@case("no mentions", '{"kind": "image", "name": "one"}', "project.jsonl, line 1: the field 'mentions' is missing")
@case("no kind", '{"image": 3}', "project.jsonl, line 1: the field 'kind' is missing")
@case("another kind", '{"kind": "prediction"}', 'the kind is "prediction"')
@case("no images", '{"kind": "project"}', "No mention is in both gold and response")
@case(
    "a caption that is no number",
    '{"kind": "image", "name": "one", "mentions": [{"number": 1, "caption": "x"}], "chains": []}',
    "project.jsonl, line 1: 'caption' is 'x', not a whole number",
)
@case("half a line", "{", "project.jsonl, line 1 is no JSON")
@case(
    "a circle",
    '{"kind": "image", "name": "one", "mentions": [{"number": 1, "caption": 0, "start": 0, "end": 1, '
    '"chain": 1}], "chains": [{"name": 1, "merged_into": 1}]}',
    "project.jsonl, line 1: chain 1 was merged into itself",
)
def test_a_broken_export_is_refused_with_its_place(
    text: str, said: str, lines: Lines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = lines(text, name="project.jsonl")

    assert main(_score(broken, broken, tmp_path)) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "report").exists()
