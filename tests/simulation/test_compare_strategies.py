import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention
from pipeline.rules.linking.link_strategy import QUESTIONS, Strategy
from simulation.bed_image import BedImage, Gold, bed_image
from simulation.compare_strategies import NAMES, PairAnswers, compare_strategies, final_verdicts, run_strategy, table
from simulation.link_crowd import LinkCrowd, PerfectLinks


def caption(*words: str) -> DatasetCaption:
    return DatasetCaption(" ".join(words), words, tuple(range(len(words))))


def scene(name: str, chains: int = 3) -> DatasetImage:
    """Five captions that name the same entities in another order; the last entity is a scene."""
    rng = random.Random(name)
    mentions, captions = [], []
    for number in range(5):
        entities = rng.sample(range(chains), chains)
        captions.append(caption(*(f"thing{entity}" for entity in entities)))
        mentions += [
            DatasetMention(number, start, start + 1, ("scene" if entity == chains - 1 else "people",), str(entity))
            for start, entity in enumerate(entities)
        ]
    return DatasetImage(name, 100, 100, tuple(captions), tuple(mentions))


SCENES = [scene(f"scene {number}", chains=3 + number % 2) for number in range(40)]


class Perfect:
    def __init__(self, bed: list[BedImage]) -> None:
        self.crowd = PerfectLinks([(image.key, image.mentions, image.gold) for image in bed])

    def vote(self, image: str, pair: tuple[int, int], turn: int) -> bool:
        return self.crowd.answer(image, *pair)


def test_a_gold_chain_that_no_shared_type_holds_together_is_split():
    mentions = [
        DatasetMention(0, 0, 1, ("people",), "7"),
        DatasetMention(1, 0, 1, ("other",), "7"),
        DatasetMention(2, 0, 1, ("people", "scene"), "7"),
    ]
    image = DatasetImage("i", 1, 1, tuple(caption("Team") for _ in range(3)), tuple(mentions))
    assert bed_image(image).chains() == {(0, 2), (1,)}


def test_a_gold_chain_with_two_mentions_of_a_caption_is_kept_and_cannot_be_matched():
    mentions = [DatasetMention(c, s, s + 1, ("people",), "7") for c, s in ((0, 0), (0, 1), (1, 0))]
    image = bed_image(DatasetImage("i", 1, 1, (caption("Men", "they"), caption("Men")), tuple(mentions)))
    assert image.chains() == {(0, 1, 2)}
    assert run_strategy(Strategy.GREEDY_PLUS, [image], Perfect([image])).matched_chains == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gold", "chains"),
    [
        (Gold.WHOLE, {(0, 1, 2, 3)}),
        (Gold.BY_TYPES, {(0, 1, 2), (3,)}),
        (Gold.BY_RULES, {(0, 2), (1,), (3,)}),
    ],
)
def test_chains_that_break_a_rule_count_whole_or_in_parts(gold: Gold, chains: set[tuple[int, ...]]):
    kinds = ((0, 0, "people"), (0, 1, "people"), (1, 0, "people"), (1, 1, "scene"))
    mentions = tuple(DatasetMention(number, start, start + 1, (kind,), "7") for number, start, kind in kinds)
    captions = (caption("Men", "they"), caption("Men", "there"))
    assert bed_image(DatasetImage("i", 1, 1, captions, mentions), gold).chains() == chains


def test_the_head_is_the_last_word_lower_cased_and_unknown_chains_are_left_out():
    mentions = (DatasetMention(0, 0, 2, ("people",), "7"), DatasetMention(0, 2, 3, ("other",)))
    bed = bed_image(DatasetImage("i", 1, 1, (caption("A", "Man", "air"),), mentions))
    assert [mention.head for mention in bed.mentions] == ["man"]


@pytest.mark.parametrize("strategy", QUESTIONS)
def test_perfect_workers_match_everything(strategy: Strategy):
    bed = [bed_image(image) for image in SCENES]
    figures = run_strategy(strategy, bed, Perfect(bed))  # type: ignore[arg-type]
    assert (figures.matched_chains, figures.matched_links) == (100, 100)
    assert (figures.false_positive_rate, figures.false_negative_rate) == (0, 0)
    assert figures.cost == 100 if "exhaustive" in strategy else figures.cost < 70


def test_no_worker_judges_a_pair_twice():
    class Recorder:
        def __init__(self) -> None:
            self.workers: list[int] = []

        def answer(self, image: str, a: int, b: int, worker: int) -> bool:
            self.workers.append(worker)
            return True

    crowd = Recorder()
    answers = PairAnswers(crowd, 0)  # type: ignore[arg-type]
    assert all(answers.vote("i", (0, 1), turn) for turn in range(5))
    assert len(set(crowd.workers)) == len(crowd.workers) == 5


def test_the_majority_is_the_final_verdict():
    assert final_verdicts({(0, 1): [True], (0, 2): [True, False, False]}) == {(0, 1): True, (0, 2): False}


def test_error_rates_are_those_of_the_links_asked():
    bed = [bed_image(image) for image in SCENES]
    crowd = LinkCrowd([(image.key, image.mentions, image.gold) for image in bed], 0)
    figures = run_strategy(Strategy.EXHAUSTIVE, bed, PairAnswers(crowd, 0))
    assert figures.cost == 100
    assert figures.false_positive_rate == pytest.approx(4.92, abs=2)
    assert figures.false_negative_rate == pytest.approx(4.7, abs=2)


def test_rows_are_the_same_in_every_run_and_have_a_spread():
    rows = compare_strategies(SCENES, sample=5, seeds=2)
    assert rows == compare_strategies(SCENES, sample=5, seeds=2)
    assert [row["strategy"] for row in rows] == ["exhaustive", "greedy", "exhaustive plus", "greedy plus"]
    assert set(rows[0]) == {"strategy", *NAMES, *(f"{name}_sd" for name in NAMES)}
    assert float(rows[0]["matched_chains_sd"]) > 0
    assert float(compare_strategies(SCENES, sample=5, seeds=1)[0]["matched_chains_sd"]) == 0


@pytest.mark.slow
def test_asking_contradictions_again_finds_more_chains():
    exact = {row["strategy"]: float(row["matched_chains"]) for row in compare_strategies(SCENES, sample=12)}
    assert exact["exhaustive plus"] > exact["exhaustive"]
    assert exact["greedy plus"] > exact["greedy"]


def test_progress_is_reported_and_the_table_names_both_sources():
    lines: list[str] = []
    shown = table(compare_strategies(SCENES, sample=3, seeds=1, progress=lines.append))
    assert len(lines) == 4
    assert "simulated" in shown
    assert "66.94" in shown


@pytest.mark.parametrize(("sample", "seeds"), [(0, 1), (1, 0)])
def test_it_refuses_to_compare_nothing(sample: int, seeds: int):
    with pytest.raises(ValueError, match="at least one"):
        compare_strategies(SCENES, sample=sample, seeds=seeds)


def test_images_in_which_nothing_can_corefer_are_refused():
    with pytest.raises(ValueError, match="nothing can be compared"):
        compare_strategies([DatasetImage("i", 1, 1, (caption("A"),))])


def test_a_folder_that_is_not_there_or_holds_no_images_is_refused(tmp_path: Path):
    with pytest.raises(CommandError, match="no such folder"):
        call_command("compare_strategies", str(tmp_path / "absent"))
    (tmp_path / "Sentences").mkdir()
    (tmp_path / "Annotations").mkdir()
    with pytest.raises(CommandError, match="no image"):
        call_command("compare_strategies", str(tmp_path))


@pytest.mark.parametrize("option", ["--images=0", "--seeds=-1"])
def test_the_command_refuses_numbers_under_one(option: str, tmp_path: Path):
    for folder, name, text in (
        ("Sentences", "1.txt", "[/EN#1/people A man] .\n"),
        ("Annotations", "1.xml", "<annotation><size><width>9</width><height>9</height></size></annotation>"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
    with pytest.raises(CommandError, match="at least one of each"):
        call_command("compare_strategies", str(tmp_path), option, stderr=io.StringIO())


@pytest.mark.slow
def test_table_2_comes_out_as_expected_on_real_mentions(data_folder: Path, tmp_path: Path):
    real = data_folder / "flickr30k-entities"
    few: dict[str, Any] = {"images": 80, "seeds": 2, "stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command("compare_strategies", str(real), json=tmp_path / "rows.json", **few)
    rows = {row["strategy"]: row for row in json.loads((tmp_path / "rows.json").read_text())}
    costs = {"exhaustive": 100, "greedy": 54, "exhaustive plus": 128, "greedy plus": 63}
    exact = {"exhaustive": 83.8, "greedy": 85.4, "exhaustive plus": 92.4, "greedy plus": 89.8}
    assert {name: row["cost"] for name, row in rows.items()} == pytest.approx(costs, abs=5)
    found = {name: row["matched_chains"] for name, row in rows.items()}
    assert found == pytest.approx(exact, abs=4)
    assert found["exhaustive plus"] == max(found.values())
    assert found["greedy plus"] > max(found["greedy"], found["exhaustive"])
