"""The study of whole campaigns, on images small enough to check.
Made-up programs of a campaign: what the proposer proposes, and what the model annotator says at no cost.
The study of box policies: chains are as a world says, and each policy takes the same ones to their ends.
The study of real boxes: people's own boxes answer the tasks, and every policy is held against the same gold.
"""

import json
import os
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.box import Box, iou
from belief.boxes.box_prior import BoxPrior
from belief.boxes.fit_box_prior import FinishedChain
from belief.links.link_prior import DEFAULT
from exchange.dataset import DatasetBox, DatasetImage
from exchange.import_image import gold_of
from pipeline.learning import learn, refit
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from simulation.programs import SimulatedProposer, predicted_chains
from simulation.simulate import SECONDS
from simulation.view import COVERED
from studies.box_worlds import TYPES, WORLD, made_chain
from studies.real_boxes import RealImage, known_drawings, majority, median_box, read_real_images, replay, same_boxes
from studies.whole_campaign.campaign_cost import (
    WAYS,
    Campaign,
    campaign_images,
    campaigns,
    confidence_tables,
    settings_of,
)
from studies.whole_campaign.programs import MODEL, Programs
from tests.support.projects import phrases
from tests.support.table import case

GREEDY, ADAPTIVE = WAYS


def image(name: str) -> DatasetImage:
    """A man, called by two names, and his hat."""
    boxes = [DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(20, 10, 40, 20), ("hat",))]
    texts = ("people: a man", "people: the tall man", "clothing: a hat")
    return phrases(*texts, name=name, chains=["man", "man", "hat"], boxes=boxes)


BED = campaign_images(image(str(number)) for number in range(12))
GOLDENS = Path(__file__).parent / "campaign_goldens.json"


@pytest.fixture(scope="module")
def found() -> list[Campaign]:
    return list(campaigns(BED, WAYS, folds=2, images=4, seeds=2))


def test_every_fold_seed_and_way_has_a_campaign_of_all_its_images(found: list[Campaign]) -> None:
    every = [(fold, seed, way) for fold in (0, 1) for seed in (0, 1) for way in WAYS]
    assert [(one.fold, one.seed, one.way) for one in found] == every and {one.images for one in found} == {4}


def test_the_seconds_of_the_tasks_add_up_and_most_chains_and_boxes_of_an_easy_image_come_out_right(
    found: list[Campaign],
) -> None:
    for one in found:
        figures = one.figures()
        expected = sum(SECONDS[task] * number for task, number in one.judgments.items()) / 4
        assert figures["seconds"] == pytest.approx(expected)
        assert figures["coreference_link judgments"] * 4 == one.judgments[Task.COREFERENCE_LINK] >= 4
        assert figures["merged chains %"] >= 60 and figures["gold boxes found %"] >= 60
        assert 0 < figures["chains with right boxes %"] <= 100


def test_chains_that_are_sure_are_not_verified_and_confidences_are_of_released_ones(found: list[Campaign]) -> None:
    verified = {way: sum(one.judgments[Task.CHAIN_VERIFICATION] for one in found if one.way == way) for way in WAYS}
    assert verified[ADAPTIVE] < verified[GREEDY]
    for one in found:
        assert bool(one.chains) is (one.way == ADAPTIVE) and one.boxes == []
        assert all(0 < case.chance <= 1 for case in one.chains)
    assert "chains of released chains" in confidence_tables(found)


def test_the_belief_policy_says_how_sure_it_is_of_boxes_and_takes_less_time(found: list[Campaign]) -> None:
    ways = {"belief": {"strategy": "adaptive", "box_policy": "belief"}}
    belief = list(campaigns(BED, ways, folds=2, images=4, seeds=2))
    assert all(0 < case.chance <= 1 for one in belief for case in one.boxes) and belief[0].boxes
    papers = [one for one in found if one.way == ADAPTIVE]
    assert sum(one.figures()["seconds"] for one in belief) < sum(one.figures()["seconds"] for one in papers)


@pytest.mark.parametrize("learns", [True, False])
def test_the_belief_policy_learns_from_the_images_of_its_own_fold(monkeypatch: pytest.MonkeyPatch, *, learns: bool):
    fits: list[int] = []

    def watched(chains: list[FinishedChain], *_: object) -> BoxPrior:
        fits.append(len(chains))
        return BoxPrior(fitted_on=len(chains))

    monkeypatch.setattr(refit, "FIRST_REFIT", 2)
    monkeypatch.setattr(learn, "fit_box_prior", watched)
    ways = {"belief": {"strategy": "adaptive", "box_policy": "belief", "refit_boxes": learns}}
    list(campaigns(BED, ways, folds=1, images=8, seeds=2))
    assert len(fits) == (6 if learns else 0), "after 2, 4 and 8 images, with each crowd"
    for crowd in (fits[:3], fits[3:]):
        assert crowd == sorted(crowd) and (not crowd or crowd[0] <= 8), "each crowd begins anew"


def test_the_figures_are_what_they_were(found: list[Campaign]) -> None:
    """After a change that is meant to change them, run this once with `CHAINBOX_WRITE_GOLDENS=1`."""
    figures = json.dumps([one.figures() for one in found], indent=0, default=str) + "\n"
    if os.environ.get("CHAINBOX_WRITE_GOLDENS"):
        GOLDENS.write_text(figures)
    rounded = partial(json.loads, parse_float=lambda text: round(float(text), 6))
    assert rounded(figures) == rounded(GOLDENS.read_text())


def test_a_way_that_brings_its_own_prior_keeps_it_and_a_phrase_without_a_gold_chain_leaves_its_image_out() -> None:
    own = DEFAULT.to_json() | {"fitted_on": 7}
    assert settings_of({"strategy": "adaptive", "link_prior": own}, DEFAULT).learned.links.fitted_on == 7
    assert settings_of({"strategy": "greedy plus"}, DEFAULT) == Settings()
    assert campaign_images([phrases("people: a man")]) == []


BED_BOX = campaign_images(made_chain(WORLD, 1, number) for number in range(120))
PAIRS = campaign_images(image(str(number)) for number in range(40))
BELIEF = {"box_policy": "belief"}
MANY = 2000


def test_the_share_of_good_boxes_is_that_of_all_proposed_ones_and_of_phrases_in_their_chains_that_of_all_phrases():
    images = [image.gold for image in BED_BOX]
    proposer = SimulatedProposer.guessing(images, 0.7, 1)
    rows = [(one, Box(*edges)) for one in images for _, *edges in proposer.rows(one, 1)]
    good = fmean(any(iou(drawn, box) >= COVERED for box in one.chains[0].boxes) for one, drawn in rows)
    assert good == pytest.approx(0.7, abs=0.08)
    image, mentions = PAIRS[0].gold, PAIRS[0].subject.for_links()
    drawn = [predicted_chains(image, mentions, 0.9, seed) for seed in range(300)]
    assert all(sorted(number for chain in chains for number in chain) == [0, 1, 2] for chains in drawn)
    right = fmean([0, 1] in chains for chains in drawn)
    assert right == pytest.approx(0.9 * 0.9, abs=0.05), "two phrases, each in its chain or in one of its own"


def campaign(programs: Programs, bed: Any = BED_BOX, **settings: object) -> Campaign:
    ways = {"way": {**BELIEF, **settings}}
    (found,) = campaigns(bed, ways, folds=1, images=len(bed), gold=False, programs=programs)
    return found


@pytest.mark.slow
def test_a_program_that_places_phrases_saves_answers_about_links():
    adaptive = {"strategy": "adaptive", "link_stop": 0.01}
    helped = campaign(Programs(placed=1.0), PAIRS, **adaptive, pre_annotations=True)
    alone = campaign(Programs(), PAIRS, **adaptive)
    assert helped.judgments[Task.COREFERENCE_LINK] < 0.9 * alone.judgments[Task.COREFERENCE_LINK]


@pytest.mark.slow
def test_answers_of_a_model_cost_nobody_a_second_and_save_some():
    alone = campaign(Programs())
    helped = campaign(Programs(wrong=lambda place: 0.0), model_annotators=[MODEL])
    assert helped.figures()["seconds"] < alone.figures()["seconds"]
    assert helped.judgments[Task.BOX_QUALITY] < alone.judgments[Task.BOX_QUALITY]
    assert min(helped.judgments.values()) >= 0


def test_chains_have_boxes_and_types_as_often_as_their_world_says_and_boxes_are_apart_and_inside() -> None:
    chains = [made_chain(WORLD, 0, number) for number in range(MANY)]
    boxes = [len(chain.boxes) for chain in chains]
    assert fmean(not count for count in boxes) == pytest.approx(0.2, abs=0.03)
    assert fmean(count > 1 for count in boxes) == pytest.approx(0.21, abs=0.03)
    kinds = Counter(chain.mentions[0].types[0] for chain in chains)
    assert {kind: kinds[kind] / MANY for kind in TYPES} == pytest.approx(TYPES, abs=0.03)
    assert len(campaign_images(chains)) == MANY
    for chain in chains[:400]:
        own = [one.box for one in chain.boxes]
        assert all(box.fits(chain.width, chain.height) for box in own)
        assert all(iou(one, other) == 0 for place, one in enumerate(own) for other in own[:place])
        (gold,) = gold_of(chain)
        assert gold["scene"] is not bool(own) and not gold["open"], "without a box it is known to have none"


LEFT, RIGHT, OTHER = Box(0, 0, 100, 200), Box(300, 0, 400, 200), Box(600, 400, 700, 600)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six images with two pedestrians; four of the seven workers see both, the others the left one alone."""
    answers, boxes, gold = ["image,worker,boxes"], ["image,worker,x0,y0,x1,y1"], ["image,x0,y0,x1,y1"]
    for image in range(6):
        gold += [f"{image},0.2,0,100,200", f"{image},300,0,400,200"]
        for worker in range(7):
            answers.append(f"{image},{worker},{1 + (worker < 4)}")
            boxes.append(f"{image},{worker},{worker / 3},0,100,200")
            boxes += [f"{image},{worker},300,0,400,{200 + worker}"] if worker < 4 else []
    for name, lines in {"answers": answers, "boxes": boxes, "gold": gold}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_every_policy_has_a_row(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("real_boxes", folder, sure=[0.9], seeds=1, json=folder / "rows.json")
    rows = json.loads((folder / "rows.json").read_text())
    fields = ["policy", "seconds", "error", "right", "said", "review", "iou", "gap"]
    assert {tuple(row) for row in rows} == {tuple(fields)}
    ways = ["belief 0.9", "belief 0.9, fused", "belief 0.9, redrawn below 0.78"]
    policies = ["paper's loop", *ways, *(f"majority of {size}" for size in (1, 3, 5, 7))]
    assert [row["policy"] for row in rows] == policies
    loop, belief, _, again, *rest = rows
    assert loop["said"] is None and 0 < belief["said"] <= 1 and min(loop["seconds"], belief["seconds"]) > 0
    assert (rest[-1]["error"], rest[-1]["right"], rest[-1]["iou"], rest[-1]["seconds"]) == (0, 1, 1, None)
    assert again["seconds"] >= belief["seconds"], "second drawings take time"
    assert "| belief 0.9 |" in capsys.readouterr().out


def test_boxes_are_one_thing_if_they_overlap_and_come_from_different_answers() -> None:
    near = Box(10, 0, 100, 200)
    assert same_boxes([[LEFT, near], [RIGHT], [near]]) == [[LEFT], [near, near], [RIGHT]]
    assert median_box([LEFT, near, Box(20, 0, 130, 210)]) == Box(10, 0, 100, 200)
    image = RealImage("one", (LEFT,), {3: (RIGHT, Box(0, 0, 110, 200)), 4: (OTHER,)})
    assert list(known_drawings(image)) == [(3, Box(0, 0, 110, 200), LEFT)], "how each worker draws"


def test_a_majority_keeps_what_more_than_half_have_drawn() -> None:
    image = RealImage("one", (LEFT,), {0: (LEFT,), 1: (LEFT, RIGHT), 2: (OTHER,)})
    found = {"policy": "majority of 3", "seconds": None, "error": 0.0, "right": 1.0, "said": None, "review": 0.0}
    assert majority([image], 3, [0]).row() | {"iou": 1.0} == found | {"iou": 1.0, "gap": None}
    assert majority([image], 1, range(9)).errors.count(0) < 9, "one answer alone is wrong now and then"


def test_real_people_see_most_of_what_experts_see(data_folder: Path) -> None:
    images = read_real_images(data_folder / "crowd-boxes")
    assert len(images) == 636 and sum(len(image.gold) for image in images) == 823
    one, seven = (majority(images[:150], size, [0]).row() for size in (1, 7))
    assert seven["error"] < one["error"] and seven["iou"] > one["iou"] + 0.05


@case("no number", "gold.csv", "image,x0,y0,x1,y1\n1,2,x,3,4\n", r"gold\.csv, line 2: write numbers in x0 to y1")
@case("no column", "boxes.csv", "image,worker,x0\n", r"boxes\.csv: the column 'y0' is missing")
@case("no file", "answers.csv", None, r"answers\.csv: there is no such file")
def test_a_file_that_cannot_be_read_is_named(file: str, text: str | None, what: str, folder: Path) -> None:
    (folder / file).unlink() if text is None else (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=what):
        call_command("real_boxes", folder)


@pytest.mark.slow
def test_second_drawings_make_boxes_tighter_than_first_ones(data_folder: Path) -> None:
    images = read_real_images(data_folder / "crowd-boxes")[:200]
    plain = Settings(box_policy=BoxPolicyName.BELIEF)
    ways = {"once": plain, "again": replace(plain, fuse_boxes=True, redraw_below=0.85)}
    once, again = (outcome.row()["iou"] for outcome in replay(images, ways, [0]))
    assert again > once + 0.02
