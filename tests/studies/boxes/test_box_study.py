"""The study of box policies: chains are as a world says, and each policy takes the same ones to their ends."""

import json
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.box import iou
from exchange.import_image import gold_of
from studies.boxes.world import FIRST, TYPES, WORLDS, made_chain
from studies.management.commands.box_policies import ways
from studies.whole_campaign.campaign_cost import campaign_images

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


@pytest.mark.parametrize(
    ("options", "what"),
    [(["--chains", "0"], "--chains 0"), (["--sure", "1"], "box_sure"), (["--worlds", "third"], "third")],
    ids=str,
)
def test_the_command_refuses_what_makes_no_sense(options: list[str], what: str) -> None:
    with pytest.raises(CommandError, match=what):
        call_command("box_policies", *options)
