"""The study of box policies: chains are as a world says, and each policy takes the same ones to their ends.
The study of real boxes: people's own boxes answer the tasks, and every policy is held against the same gold.
The study of turns: a juror that begins to guess is found, and one that stays as it is is not.
"""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.box import Box, iou
from exchange.import_image import gold_of
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from studies.boxes.real_answers import RealImage, known_drawings, read_real_images
from studies.boxes.replay import majority, median_box, replay, same_boxes
from studies.boxes.turns import turns
from studies.boxes.world import FIRST, TYPES, WORLDS, made_chain
from studies.management.commands.box_policies import ways
from studies.whole_campaign.campaign_cost import campaign_images
from tests.support.table import case, row

MANY = 2000


def test_chains_have_boxes_and_types_as_often_as_their_world_says() -> None:
    chains = [made_chain(FIRST, 0, number) for number in range(MANY)]
    boxes = [len(chain.boxes) for chain in chains]
    assert fmean(not count for count in boxes) == pytest.approx(0.2, abs=0.03)
    assert fmean(count > 1 for count in boxes) == pytest.approx(0.21, abs=0.03)
    kinds = Counter(chain.mentions[0].types[0] for chain in chains)
    assert {kind: kinds[kind] / MANY for kind in TYPES} == pytest.approx(TYPES, abs=0.03)
    assert len(campaign_images(chains)) == MANY


def test_boxes_of_a_chain_are_apart_and_inside_and_a_chain_without_one_is_known_to_have_none() -> None:
    for chain in (made_chain(world, 1, number) for world in WORLDS.values() for number in range(200)):
        own = [one.box for one in chain.boxes]
        assert all(box.fits(chain.width, chain.height) for box in own)
        assert all(iou(one, other) == 0 for place, one in enumerate(own) for other in own[:place])
        (gold,) = gold_of(chain)
        assert gold["scene"] is not bool(own) and not gold["open"]


def test_the_same_seed_makes_the_same_chain() -> None:
    assert made_chain(FIRST, 3, 5) == made_chain(FIRST, 3, 5) != made_chain(FIRST, 4, 5)


@pytest.mark.slow
def test_belief_takes_less_time_for_the_same_chains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    call_command("box_policies", chains=60, seeds=1, sure=[0.9], worlds=["first"], json=file)
    said, rows = capsys.readouterr().out, json.loads(file.read_text())
    assert [row["way"] for row in rows] == [*ways([0.9])] == ["paper's loop", "belief, 0.9", "belief, 0.9, learning"]
    loop, plain, learning = rows
    assert max(plain["seconds"], learning["seconds"]) < 0.9 * loop["seconds"]
    assert plain != learning and min(row["chains with right boxes %"] for row in rows) > 80
    assert "World first, a chain:" in said and "belief, 0.9, learning: boxes of released chains" in said


@row(["--chains", "0"], "--chains 0")
@row(["--sure", "1"], "box_sure")
@row(["--worlds", "third"], "third")
def test_the_command_refuses_what_makes_no_sense(options: list[str], what: str) -> None:
    with pytest.raises(CommandError, match=what):
        call_command("box_policies", *options)


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
    fields = ["policy", "seconds", "error", "right", "said", "review", "iou"]
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


def test_a_majority_keeps_what_more_than_half_have_drawn() -> None:
    image = RealImage("one", (LEFT,), {0: (LEFT,), 1: (LEFT, RIGHT), 2: (OTHER,)})
    found = {"policy": "majority of 3", "seconds": None, "error": 0.0, "right": 1.0, "said": None, "review": 0.0}
    assert majority([image], 3, [0]).row() | {"iou": 1.0} == found | {"iou": 1.0}
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


def test_known_questions_tell_how_each_worker_draws() -> None:
    image = RealImage("one", (LEFT,), {3: (RIGHT, Box(0, 0, 110, 200)), 4: (OTHER,)})
    assert list(known_drawings(image)) == [(3, Box(0, 0, 110, 200), LEFT)]


@pytest.mark.slow
def test_second_drawings_make_boxes_tighter_than_first_ones(data_folder: Path) -> None:
    images = read_real_images(data_folder / "crowd-boxes")[:200]
    plain = ProtocolSettings(box_policy=BoxPolicy.BELIEF)
    ways = {"once": plain, "again": replace(plain, fuse_boxes=True, redraw_below=0.85)}
    once, again = (outcome.row()["iou"] for outcome in replay(images, ways, [0]))
    assert again > once + 0.02


@pytest.mark.slow
def test_the_command_says_in_how_many_runs_it_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    call_command("juror_turns", seeds=1, turn=40, within=30, proposer=0.7, json=file)
    (run,) = json.loads(file.read_text())
    assert run["seed"] == 0 and run["found"] is None, "too few answers show no turn"
    assert "Found within 30 chains in 0 of 1 runs" in capsys.readouterr().out


@pytest.mark.slow
def test_a_juror_that_does_not_turn_is_not_found() -> None:
    (run,) = turns("first", range(1), proposer=None, after=0.08, turn=60, within=30)
    assert (run.found, run.wrongly) == (None, 0) and run.refits
