import io
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState, ChainState
from annotation.rules.transitivity import LinkMention, Pair, can_corefer
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention
from pipeline.protocol.links.strategies import QUESTIONS, Strategy
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, TallyVote
from pipeline.protocol.tasks.answers import fault_in
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from simulation.compare_strategies import (
    NAMES,
    BedImage,
    GoldForm,
    PairAnswers,
    bed_image,
    begun,
    compare_strategies,
    run_strategy,
    table,
)
from simulation.crowd import QUALITY, WORKER_SD, WORKERS, BoxCrowd, Crowd, Image, LinkCrowd
from simulation.view import TrueImage, View
from tests.support.table import row

WIDTH, HEIGHT = 400, 300
Boxes = Sequence[Box]
LEFT, RIGHT = Box(20, 30, 120, 230), Box(220, 30, 340, 260)
BOX_TASKS = [task for task in PROTOCOL_TASKS if task is not Task.COREFERENCE_LINK]


def view(
    task: Task, number: int = 0, *, gold: Boxes, accepted: Boxes = (), drawn: Box | None = None, scene=False, key="1"
) -> View:
    """A question about chain 0, which has these boxes, and whose gold chain has those of `gold`."""
    mentions = {at: MentionProgress(at, at, 0, 2, ["people"], text) for at, text in enumerate(("a man", "a boy"))}
    progress = ImageProgress(mentions=mentions)
    progress.chains[0] = ChainProgress(0, [0], ChainState.DRAWING, 0)
    boxes = [(box, BoxState.ACCEPTED) for box in accepted] + ([(drawn, BoxState.PENDING)] if drawn else [])
    for at, (box, state) in enumerate(boxes):
        progress.boxes[at] = BoxProgress(at, 0, box, state, 1, at, at)
    chains = [
        {"name": "man", "mentions": [0], "scene": scene, "boxes": [list(box) for box in gold]},
        {"name": "boy", "mentions": [1], "scene": False, "boxes": []},
    ]
    subject = [0, len(boxes) - 1] if task is Task.BOX_QUALITY else [0]
    return View(task, number, subject, progress, TrueImage.make(key, WIDTH, HEIGHT, chains))


@row(view(Task.BOX_REQUIREMENT, gold=[LEFT]), 1)
@row(view(Task.BOX_REQUIREMENT, gold=[], scene=True), 2)
@row(view(Task.BOX_REQUIREMENT, gold=[]), 3)
@row(view(Task.BOX_DRAWING, gold=[LEFT, RIGHT]), {"box": list(LEFT)})
@row(view(Task.BOX_DRAWING, gold=[LEFT, RIGHT], accepted=[LEFT]), {"box": list(RIGHT)})
@row(view(Task.BOX_DRAWING, gold=[LEFT, RIGHT], accepted=[RIGHT, LEFT]), {"none_missing": True})
@row(view(Task.BOX_DRAWING, gold=[]), {"none_missing": True})
@row(view(Task.BOX_QUALITY, gold=[LEFT, RIGHT], drawn=RIGHT), "good")
@row(view(Task.BOX_QUALITY, gold=[LEFT, RIGHT], drawn=Box(100, 30, 240, 250)), "bad")
@row(view(Task.BOX_QUALITY, gold=[LEFT, RIGHT], accepted=[LEFT], drawn=LEFT), "bad")
@row(view(Task.BOX_COVERAGE, gold=[LEFT, RIGHT], accepted=[LEFT]), "more needed")
@row(view(Task.BOX_COVERAGE, gold=[LEFT, RIGHT], accepted=[LEFT, RIGHT]), "all there")
@row(view(Task.CHAIN_VERIFICATION, gold=[LEFT]), "true")
def test_the_perfect_crowd_says_what_gold_says(question: View, right: object) -> None:
    assert Crowd().answer(question, 3) == right


def test_a_chain_of_two_gold_chains_is_false_and_a_link_is_within_a_gold_chain() -> None:
    question = view(Task.CHAIN_VERIFICATION, gold=[LEFT])
    question.progress.chains[0].mentions = [0, 1]
    assert Crowd().answer(question, 3) == "false"
    link = replace(question, task=Task.COREFERENCE_LINK)
    assert [Crowd().answer(replace(link, subject=pair), 0) for pair in ([0, 0], [0, 1])] == ["same", "different"]


def questions(task: Task, count: int) -> list[View]:
    shown: dict[str, Any] = {"drawn": RIGHT} if task is Task.BOX_QUALITY else {"accepted": [LEFT]}
    each = [view(task, gold=[LEFT, RIGHT], key=str(key), **shown) for key in range(50)]
    return [replace(each[n % 50], number=n) for n in range(count)]


@pytest.mark.parametrize("task", [task for task in BOX_TASKS if task is not Task.BOX_DRAWING])
def test_workers_are_right_as_often_as_in_table_3(task: Task) -> None:
    crowd, perfect = BoxCrowd(1), Crowd()
    asked = [(question, n % 150) for n, question in enumerate(questions(task, 3000))]
    right = fmean(crowd.answer(question, worker) == perfect.answer(question, worker) for question, worker in asked)
    assert right == pytest.approx(QUALITY[task], abs=0.02)


def test_drawings_are_tight_as_often_as_in_table_3_and_else_go_wrong_in_three_ways() -> None:
    crowd, kinds = BoxCrowd(1), Counter[str]()
    named = {LEFT: "duplicate", Box(RIGHT.x0, RIGHT.y0, (RIGHT.x0 + RIGHT.x1) // 2, RIGHT.y1): "half"}
    for n, question in enumerate(questions(Task.BOX_DRAWING, 3000)):
        answer = crowd.answer(question, n % 150)
        assert isinstance(answer, dict)
        drawn = Box(*answer["box"])
        kinds[named.get(drawn) or ("tight" if iou(drawn, RIGHT) > 0.6 else "off")] += 1
    assert kinds["tight"] / 3000 == pytest.approx(QUALITY[Task.BOX_DRAWING], abs=0.02)
    for kind in ("half", "duplicate", "off"):
        assert kinds[kind] / 3000 == pytest.approx((1 - QUALITY[Task.BOX_DRAWING]) / 3, abs=0.015)


def test_workers_differ_from_one_another() -> None:
    crowd, perfect, asked = BoxCrowd(1), Crowd(), questions(Task.BOX_COVERAGE, 400)
    shares = [fmean(crowd.answer(q, one) == perfect.answer(q, one) for q in asked) for one in range(30)]
    assert max(shares) - min(shares) > 0.08


@pytest.mark.parametrize("task", BOX_TASKS)
def test_every_answer_is_one_that_the_service_takes(task: Task) -> None:
    crowd, whole = BoxCrowd(2), Box(0, 0, WIDTH, HEIGHT)
    small = [Box(0, 0, 1, 1), Box(WIDTH - 1, HEIGHT - 1, WIDTH, HEIGHT), whole, Box(0, 299, 400, 300)]
    for n in range(400):
        gold = small[n % 4 : n % 4 + 1] if n % 5 else []
        question = view(task, n, gold=gold, accepted=small[2:3] if n % 3 == 0 else [], drawn=small[n % 4])
        assert fault_in(task, crowd.answer(question, n % 20), WIDTH, HEIGHT) is None


def test_an_answer_depends_on_the_seed_the_question_and_the_worker_and_on_nothing_else() -> None:
    asked = questions(Task.BOX_DRAWING, 40)
    first = [BoxCrowd(5).answer(question, 3) for question in asked]
    crowd = BoxCrowd(5)
    assert [crowd.answer(question, 3) for question in reversed(asked)][::-1] == first
    assert [BoxCrowd(6).answer(question, 3) for question in asked] != first
    assert [BoxCrowd(5).answer(question, 4) for question in asked] != first
    assert [BoxCrowd(5).answer(replace(question, number=question.number + 100), 3) for question in asked] != first


PEOPLE = frozenset(["people"])
HEADS = ["man", "boy", "dog", "woman"]


def images(count: int = 40) -> list[Image]:
    """Images of five captions with three mentions each, every head right for its chain four times in five."""
    rng = random.Random("images")
    made: list[Image] = []
    for key in range(count):
        gold = {number: number % 3 for number in range(15)}
        heads = [HEADS[chain] if rng.random() < 0.8 else rng.choice(HEADS) for chain in gold.values()]
        mentions = [LinkMention(number, number // 3, number % 3, PEOPLE, heads[number]) for number in range(15)]
        made.append((f"image {key}", mentions, gold))
    return made


IMAGES = images()


@pytest.fixture(scope="module")
def crowd() -> LinkCrowd:
    return LinkCrowd(IMAGES, seed=1)


def pairs(*, same: bool) -> list[tuple[str, int, int]]:
    return [
        (key, a.number, b.number)
        for key, mentions, gold in IMAGES
        for a, b in combinations(mentions, 2)
        if a.caption != b.caption and (gold[a.number] == gold[b.number]) == same
    ]


@row({}, (0.047, 0.0492), 0.003)
@row({"false_negative": 0.094, "false_positive": 0.2}, (0.094, 0.2), 0.012)
def test_the_mean_error_over_pairs_and_workers_is_the_rate_asked_for(rates: Any, found: tuple[float, ...], by: float):
    crowd = LinkCrowd(IMAGES, seed=1, **rates)
    for same, rate in zip((True, False), found, strict=True):
        errors = [crowd.error(*pair, worker) for pair in pairs(same=same) for worker in range(0, WORKERS, 40)]
        assert fmean(errors) == pytest.approx(rate, abs=by)


@pytest.mark.slow
@pytest.mark.parametrize("same", [True, False])
def test_workers_err_as_often_as_their_errors_say(crowd: LinkCrowd, *, same: bool):
    asked = [(*pair, worker) for pair in pairs(same=same) for worker in range(0, WORKERS, 60)]
    wrong = fmean(crowd.answer(*question) != same for question in asked)
    assert wrong == pytest.approx(fmean(crowd.error(*question) for question in asked), abs=0.005)


def test_a_worker_answers_again_the_same_in_any_order_whatever_the_mention_numbers_but_not_the_seed(crowd: LinkCrowd):
    for (key, a, b), worker in product(pairs(same=True)[:200], (0, 586)):
        assert crowd.answer(key, a, b, worker) == crowd.answer(key, b, a, worker)
    renumbered: list[Image] = []
    for key, mentions, gold in IMAGES:
        moved = [mention._replace(number=mention.number + 1000) for mention in mentions]
        renumbered.append((key, moved, {number + 1000: chain for number, chain in gold.items()}))
    other, reseeded, asked = LinkCrowd(renumbered, seed=1), LinkCrowd(IMAGES, seed=2), pairs(same=False)[:300]
    there = {pair: other.answer(pair[0], pair[1] + 1000, pair[2] + 1000, 9) for pair in reversed(asked)}
    assert there == {pair: crowd.answer(*pair, 9) for pair in asked}
    assert there != {pair: reseeded.answer(*pair, 9) for pair in asked}


def test_text_that_misleads_makes_a_pair_harder():
    pair = ([LinkMention(0, 0, 0, PEOPLE, "man"), LinkMention(1, 1, 0, PEOPLE, head)] for head in ("man", "boy"))
    alike, unlike = (LinkCrowd([("i", mentions, {0: "a", 1: "a"})], seed=1) for mentions in pair)
    assert unlike._difficulty("i", 0, 1) - alike._difficulty("i", 0, 1) == pytest.approx(0.6)


def test_workers_differ_around_zero_and_no_pair_is_more_than_45_percent_hard_for_one_like_the_mean(crowd: LinkCrowd):
    assert fmean(crowd._biases) == pytest.approx(0)
    assert stdev(crowd._biases) == pytest.approx(WORKER_SD, rel=0.1)
    hopeless = LinkCrowd(IMAGES, seed=1, false_negative=0.9)
    usual = min(range(WORKERS), key=lambda worker: abs(hopeless._biases[worker]))
    assert {round(hopeless.error(*pair, usual), 2) for pair in pairs(same=True)} == {0.45}


def test_images_without_any_pair_make_a_crowd_but_a_worker_who_does_not_exist_is_refused(crowd: LinkCrowd):
    alone = LinkCrowd([("i", [LinkMention(0, 0, 0, PEOPLE, "man")], {0: "a"})], seed=0)
    assert alone.answer("i", 0, 0, 0) in (True, False)
    with pytest.raises(ValueError, match="Worker 587: the crowd has workers 0 to 586"):
        crowd.answer("image 0", 0, 3, 587)


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


class RightLinks:
    """Workers who answer link questions as gold does."""

    def __init__(self, bed: list[BedImage]) -> None:
        self._gold = {image.key: image.gold for image in bed}

    def answer(self, image: str, a: int, b: int, worker: int) -> bool:
        return self._gold[image][a] == self._gold[image][b]

    def sweep(self, image: str, a: int, candidates: Sequence[int], worker: int) -> list[int]:
        return [candidate for candidate in candidates if self.answer(image, a, candidate, worker)]


def right(bed: list[BedImage]) -> PairAnswers:
    return PairAnswers(RightLinks(bed), 0)


def test_a_gold_chain_that_no_shared_type_holds_together_is_split_and_one_of_two_in_a_caption_cannot_be_matched():
    kinds = (("people",), ("other",), ("people", "scene"))
    mentions = [DatasetMention(number, 0, 1, kind, "7") for number, kind in enumerate(kinds)]
    image = DatasetImage("i", 1, 1, tuple(caption("Team") for _ in range(3)), tuple(mentions))
    assert bed_image(image).chains() == {(0, 2), (1,)}
    mentions = [DatasetMention(c, s, s + 1, ("people",), "7") for c, s in ((0, 0), (0, 1), (1, 0))]
    kept = bed_image(DatasetImage("i", 1, 1, (caption("Men", "they"), caption("Men")), tuple(mentions)))
    assert kept.chains() == {(0, 1, 2)}
    assert run_strategy(Strategy.GREEDY_PLUS, [kept], right([kept])).matched_chains == 0


@row(GoldForm.WHOLE, {(0, 1, 2, 3)})
@row(GoldForm.BY_TYPES, {(0, 1, 2), (3,)})
@row(GoldForm.BY_RULES, {(0, 2), (1,), (3,)})
def test_chains_that_break_a_rule_count_whole_or_in_parts(gold: GoldForm, chains: set[tuple[int, ...]]):
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
    figures = run_strategy(strategy, bed, right(bed))
    assert (figures.matched_chains, figures.matched_links) == (100, 100)
    assert (figures.false_positive_rate, figures.false_negative_rate) == (0, 0)
    assert figures.cost == 100 if "exhaustive" in strategy else figures.cost < 70


def test_error_rates_are_those_of_the_links_asked():
    bed = [bed_image(image) for image in SCENES]
    crowd = LinkCrowd([(image.key, image.mentions, image.gold) for image in bed], 0)
    figures = run_strategy(Strategy.EXHAUSTIVE, bed, PairAnswers(crowd, 0))
    assert figures.cost == 100 and figures.false_positive_rate == pytest.approx(4.92, abs=2)
    assert figures.false_negative_rate == pytest.approx(4.7, abs=2)


def test_no_worker_judges_a_pair_twice_alone_or_in_a_sweep():
    crowd = Mock()
    asked = PairAnswers(crowd, 0)
    assert all(asked.vote("i", (0, 1), turn).answer for turn in range(5))
    workers = [call.args[3] for call in crowd.answer.call_args_list]
    assert len(set(workers)) == len(workers) == 5
    image = bed_image(scene("many", chains=4))
    answers = PairAnswers(LinkCrowd([(image.key, image.mentions, image.gold)], 0), 0)
    votes: dict[Pair, list[TallyVote]] = {pair: [] for pair in begun(image.mentions).pairs_of([0, 4, 5, 8])}
    for _ in range(3):
        for pair, vote in answers.about(image.key)((0, 4, 5, 8), votes).items():
            votes[pair].append(vote)
    judges = [[vote.worker for vote in cast] for cast in votes.values()]
    assert judges[0] == judges[1] == judges[2] and len({*judges[0]}) == 3


def sweep_errors(listed: int, first: int) -> dict[bool, list[list[bool]]]:
    """By whether candidates are the same: of each sweep, which of the first candidates were judged wrong."""
    beds = [bed_image(scene(f"of sweeps {number}", chains=4)) for number in range(60)]
    crowd = LinkCrowd([(image.key, image.mentions, image.gold) for image in beds], 3)
    wrong: dict[bool, list[list[bool]]] = {True: [], False: []}
    for image, worker in product(beds, range(20)):
        about, *others = image.mentions
        candidates = [other.number for other in others if can_corefer(about, other)][:listed]
        touched = crowd.sweep(image.key, about.number, candidates, worker)
        for same in (True, False):
            of_kind = [one for one in candidates[:first] if (image.gold[one] == image.gold[about.number]) == same]
            wrong[same].append([(one in touched) != same for one in of_kind])
    return wrong


def share(sweeps: list[list[bool]]) -> float:
    return fmean(wrong for sweep in sweeps for wrong in sweep)


def test_in_a_longer_list_more_is_missed_and_no_more_touched_wrongly():
    short, long = sweep_errors(3, 3), sweep_errors(12, 3)
    assert share(long[True]) > 1.2 * share(short[True])
    assert share(long[False]) == share(short[False]) > 0


def test_who_misreads_a_phrase_misreads_it_beside_several_candidates():
    pairs = [pair for sweep in sweep_errors(12, 12)[False] for pair in combinations(sweep, 2)]
    both, one = fmean(all(pair) for pair in pairs), fmean(pair[0] for pair in pairs)
    assert both > 3 * one**2


def test_rows_are_the_same_in_every_run_with_a_spread_and_a_table_of_both_sources():
    lines: list[str] = []
    rows = compare_strategies(SCENES, sample=5, seeds=2, progress=lines.append)
    shown = table(rows)
    assert len(lines) == 8 and "simulated" in shown and "66.94" in shown
    assert rows == compare_strategies(SCENES, sample=5, seeds=2)
    assert [row["strategy"] for row in rows] == ["exhaustive", "greedy", "exhaustive plus", "greedy plus"]
    assert set(rows[0]) == {"strategy", *NAMES, *(f"{name}_sd" for name in NAMES)}
    assert float(rows[0]["matched_chains_sd"]) > 0
    assert float(compare_strategies(SCENES, sample=5, seeds=1)[0]["matched_chains_sd"]) == 0


@pytest.mark.slow
def test_asking_contradictions_again_finds_more_chains():
    exact = {row["strategy"]: float(row["matched_chains"]) for row in compare_strategies(SCENES, sample=12)}
    assert exact["exhaustive plus"] > exact["exhaustive"] and exact["greedy plus"] > exact["greedy"]


@pytest.mark.parametrize(("sample", "seeds"), [(0, 1), (1, 0)])
def test_it_refuses_to_compare_nothing_and_images_in_which_nothing_can_corefer(sample: int, seeds: int):
    with pytest.raises(ValueError, match="at least one"):
        compare_strategies(SCENES, sample=sample, seeds=seeds)
    with pytest.raises(ValueError, match="nothing can be compared"):
        compare_strategies([DatasetImage("i", 1, 1, (caption("A"),))])


@pytest.mark.parametrize("option", ["--images=0", "--seeds=-1"])
def test_a_folder_that_is_not_there_or_holds_no_images_and_numbers_under_one_are_refused(option: str, tmp_path: Path):
    with pytest.raises(CommandError, match="no such folder"):
        call_command("compare_strategies", str(tmp_path / "absent"))
    for folder in ("Sentences", "Annotations"):
        (tmp_path / folder).mkdir()
    with pytest.raises(CommandError, match="no image"):
        call_command("compare_strategies", str(tmp_path))
    size = "<annotation><size><width>9</width><height>9</height></size></annotation>"
    (tmp_path / "Sentences" / "1.txt").write_text("[/EN#1/people A man] .\n")
    (tmp_path / "Annotations" / "1.xml").write_text(size)
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
    assert found == pytest.approx(exact, abs=4) and found["exhaustive plus"] == max(found.values())
    assert found["greedy plus"] > max(found["greedy"], found["exhaustive"])
