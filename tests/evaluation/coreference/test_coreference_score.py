"""Coreference scored by the command: exports and workers against each other."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.command_line import main
from tests.support.table import case

Lines = Callable[..., Path]
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def chained(tmp_path: Path) -> Lines:
    """Return a function that writes an export of one image with two captions of three phrases each."""

    def write(name: str, *chains: int) -> Path:
        folder = tmp_path / name
        (folder / "Sentences").mkdir(parents=True)
        (folder / "Annotations").mkdir()
        words = ["people A man", "clothing a hat", "animals a dog"] * 2
        phrases = [f"[/EN#{chain}/{own}]" for chain, own in zip(chains, words, strict=True)]
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


def line(*judgments: tuple[int, int, str, str], voided: int | None = None) -> dict[str, Any]:
    """Return the line of an image with four mentions, of which the first two and the last two are one thing."""
    asked = [
        {
            "task": "coreference_link",
            "subject": [first, second],
            "judgments": [{"worker": worker, "answer": answer, "entry": 3, "voided": voided}],
        }
        for first, second, worker, answer in judgments
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
