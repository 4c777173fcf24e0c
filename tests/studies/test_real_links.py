"""The replay of real people's coreference answers to link questions."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pipeline.protocol.links.policy import Ask
from studies.linking.real_links import Outcome, RealAnswers, baselines, read_passages, windows
from tests.support.table import case

SENTENCES = ("A man pets a dog .", "The man likes it .", "The king of France sees the dog .")
SPANS = ((0, 0, 2), (0, 3, 5), (1, 0, 2), (1, 3, 4), (2, 0, 4), (2, 0, 2), (2, 5, 7))
"""A man, a dog, the man, it, the king of France, the king, the dog."""
GOLD = {0: 0, 2: 0, 1: 1, 3: 1, 6: 1, 4: 2}


def entity(worker: int, mention: int) -> int:
    """One worker leaves the pronoun alone, another takes the king for the man."""
    if (worker, mention) in {(1, 3), (2, 5)}:
        return {1: 8, 2: 0}[worker]
    return GOLD.get(mention, 9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines: dict[str, list[str]] = {
        "sentences": ["passage,sentence,tokens"],
        "mentions": ["passage,mention,sentence,start,end"],
        "answers": ["passage,worker,mention,entity"],
        "gold": ["passage,mention,entity"],
    }
    for passage in "pqrs":
        lines["sentences"] += [f"{passage},{number},{text}" for number, text in enumerate(SENTENCES)]
        lines["mentions"] += [f"{passage},{number},{','.join(map(str, span))}" for number, span in enumerate(SPANS)]
        for worker in range(5):
            lines["answers"] += [f"{passage},{worker},{one},{entity(worker, one)}" for one in range(len(SPANS))]
        lines["gold"] += [f"{passage},{mention},{chain}" for mention, chain in GOLD.items()]
    for name, rows in lines.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_every_policy_has_a_row(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("real_links", folder, sure=[0.9, 0.6], seeds=1, every=1, json=folder / "rows.json")
    rows: dict[str, dict[str, Any]] = {row["policy"]: row for row in json.loads((folder / "rows.json").read_text())}
    fields = ["policy", "cost", "exact", "exact_multi", "b3", "conll", "lea", "confidence", "correct"]
    assert all([*row][: len(fields)] == fields for row in rows.values())
    paper = ["exhaustive", "greedy", "exhaustive plus", "greedy plus", "greedy, majority of 3"]
    plain = ["all apart", "one whole answer", "majority on every pair"]
    assert [*rows] == [*plain, *paper, "adaptive 0.6", "adaptive 0.9"]
    assert rows["all apart"]["exact"] == pytest.approx(1 / 3) and rows["all apart"]["exact_multi"] == 0
    assert rows["majority on every pair"] | {"cost": 5, "exact": 1, "b3": 1, "lea": 1} == rows["majority on every pair"]
    assert rows["exhaustive"]["cost"] == 1 > rows["greedy"]["cost"] and rows["exhaustive"]["confidence"] is None
    unsure, sure = rows["adaptive 0.6"], rows["adaptive 0.9"]
    assert 0 <= unsure["cost"] < sure["cost"] and 0 < sure["confidence"] <= 1
    assert "| adaptive 0.9 |" in capsys.readouterr().out


def test_nobody_answers_twice_about_a_pair(folder: Path) -> None:
    passage = read_passages(folder)[0]
    votes: list[Any] = []
    for _ in range(5):
        votes.append(RealAnswers(passage, 0).vote(Ask((1, 3)), votes))
    assert {vote.worker: vote.answer for vote in votes} == {worker: worker != 1 for worker in range(5)}
    assert RealAnswers(passage, 0).vote(Ask((1, 3)), [], together=3).answer


def test_mentions_stand_in_reading_order_and_pronouns_have_parts_of_their_own(folder: Path) -> None:
    mentions = read_passages(folder)[0].mentions
    assert [one.number for one in mentions] == [0, 1, 2, 3, 5, 4, 6], "the shorter of two first"
    assert [one.head for one in mentions if one.pronoun] == ["it"]
    assert mentions[0].part == mentions[1].part != mentions[2].part != mentions[3].part


def test_a_fit_reads_pairs_of_two_sentences_from_answers_and_never_gold(folder: Path) -> None:
    (folder / "gold.csv").write_text("passage,mention,entity\n")
    (window,) = windows(read_passages(folder)[0])
    assert (0, 1) not in window.answers and [one.same for one in window.answers[1, 3]].count(True) == 4


def test_only_mentions_with_gold_are_scored(folder: Path) -> None:
    passage = read_passages(folder)[0]
    outcome = Outcome("some")
    outcome.add(passage, [[0, 2, 5], [1, 3, 6], [4]], 0)
    assert outcome.row()["exact"] == outcome.row()["b3"] == 1


@case("no file", "mentions.csv", None, r"mentions\.csv: there is no such file")
@case("no column", "gold.csv", "passage,mention\n", r"gold\.csv: the column 'entity' is missing")
@case("no number", "gold.csv", "passage,mention,entity\np,x,1\n", r"gold\.csv, line 2: write whole numbers")
@case("no token", "sentences.csv", "passage,sentence,tokens\np,0,A\n", r"p, mention 0: sentence 0 has 1 tokens")
@case("no answer", "answers.csv", "passage,worker,mention,entity\np,0,0,1\n", r"answers\.csv: p: an answer lacks")
def test_a_file_that_cannot_be_read_is_named(file: str, text: str | None, what: str, folder: Path) -> None:
    (folder / file).unlink() if text is None else (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=what):
        call_command("real_links", folder)


def test_a_chance_of_a_half_is_no_choice(folder: Path) -> None:
    with pytest.raises(CommandError, match=r"between 0\.5 and 1"):
        call_command("real_links", folder, sure=[0.5])


def test_the_majority_of_five_people_misses_much_of_what_experts_join(data_folder: Path) -> None:
    passages = read_passages(data_folder / "crowd-coreference")
    apart, whole, most = (one.row() for one in baselines(passages))
    figures = [round(row[name], 3) for row in (apart, whole, most) for name in ("exact", "exact_multi", "b3")]
    assert figures == [0.8, 0, 0.804, 0.836, 0.452, 0.927, 0.866, 0.489, 0.941]
