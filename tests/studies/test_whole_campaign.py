"""The study of whole campaigns, on images small enough to check.
Made-up programs of a campaign: what the proposer proposes, and what the juror says at no cost.
"""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.box import Box, iou
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.learning import refit_due
from pipeline.rules.boxing.fits.fit_box_prior import FinishedChain
from pipeline.rules.boxing.prior.box_prior import BoxPrior
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from scenes.write import write_source
from simulation.simulate import SECONDS
from simulation.view import COVERED
from studies.boxes.world import FIRST, made_chain
from studies.whole_campaign import own_settings
from studies.whole_campaign.campaign_cost import (
    WAYS,
    Campaign,
    campaign_images,
    campaigns,
    confidence_tables,
    cost_table,
    settings_of,
)
from studies.whole_campaign.colleagues import JUROR, Programs, Proposer, predicted_chains
from tests.support.projects import phrases
from tests.support.table import case, row

GREEDY, ADAPTIVE = WAYS


def image(name: str) -> DatasetImage:
    """A man, called by two names, and his hat."""
    boxes = [DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(20, 10, 40, 20), ("hat",))]
    texts = ("people: a man", "people: the tall man", "clothing: a hat")
    return phrases(*texts, name=name, chains=["man", "man", "hat"], boxes=boxes)


BED = campaign_images(image(str(number)) for number in range(12))


@pytest.fixture(scope="module")
def found() -> list[Campaign]:
    return list(campaigns(BED, WAYS, folds=2, images=4, seeds=2))


def test_every_fold_seed_and_way_has_a_campaign_of_all_its_images(found: list[Campaign]) -> None:
    assert [(one.fold, one.seed, one.way) for one in found] == [
        (fold, seed, way) for fold in (0, 1) for seed in (0, 1) for way in WAYS
    ]
    assert {one.images for one in found} == {4}


def test_the_seconds_of_the_tasks_add_up(found: list[Campaign]) -> None:
    for one in found:
        figures = one.figures()
        expected = sum(SECONDS[task] * number for task, number in one.judgments.items()) / 4
        assert figures["seconds"] == pytest.approx(expected)
        assert figures["coreference_link judgments"] * 4 == one.judgments[Task.COREFERENCE_LINK] >= 4


def test_chains_that_are_sure_are_not_verified(found: list[Campaign]) -> None:
    verified = {way: sum(one.judgments[Task.CHAIN_VERIFICATION] for one in found if one.way == way) for way in WAYS}
    assert verified[ADAPTIVE] < verified[GREEDY]


def test_most_chains_and_boxes_of_an_easy_image_come_out_right(found: list[Campaign]) -> None:
    for one in found:
        figures = one.figures()
        assert figures["merged chains %"] >= 60 and figures["gold boxes found %"] >= 60
        assert 0 < figures["chains with right boxes %"] <= 100


def test_confidences_are_of_released_chains(found: list[Campaign]) -> None:
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

    def watched(chains: list[FinishedChain], **_: object) -> BoxPrior:
        fits.append(len(chains))
        return BoxPrior(fitted_on=len(chains))

    monkeypatch.setattr(refit_due, "FIRST", 2)
    monkeypatch.setattr(own_settings, "fit_box_prior", watched)
    ways = {"belief": {"strategy": "adaptive", "box_policy": "belief", "refit_boxes": learns}}
    list(campaigns(BED, ways, folds=1, images=8, seeds=2))
    assert len(fits) == (6 if learns else 0), "after 2, 4 and 8 images, with each crowd"
    for crowd in (fits[:3], fits[3:]):
        assert crowd == sorted(crowd) and (not crowd or crowd[0] <= 8), "each crowd begins anew"


def test_the_same_arguments_give_the_same_campaigns(found: list[Campaign]) -> None:
    again = list(campaigns(BED, WAYS, folds=2, images=4, seeds=2))
    assert [one.figures() for one in again] == [one.figures() for one in found]


def test_a_way_that_brings_its_own_prior_keeps_it() -> None:
    own = DEFAULT.to_json() | {"fitted_on": 7}
    assert settings_of({"strategy": "adaptive", "link_prior": own}, DEFAULT).prior().fitted_on == 7
    assert settings_of({"strategy": "greedy plus"}, DEFAULT) == ProtocolSettings()


def test_a_phrase_without_a_gold_chain_leaves_its_image_out() -> None:
    assert campaign_images([phrases("people: a man")]) == []


def test_the_table_has_a_column_for_each_way(found: list[Campaign]) -> None:
    head, first, *_ = cost_table(found).splitlines()
    assert all(way in head for way in WAYS)
    assert first.startswith("seconds") and first.count("±") == len(WAYS)


@pytest.mark.parametrize("wrong", [{"folds": 0}, {"images": 0}, {"seeds": 0}, {"images": 13}, {"folds": 4}], ids=str)
def test_what_measures_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"at least one|too few"):
        list(campaigns(BED, WAYS, **{"folds": 1, "images": 4, **wrong}))


@row(["x", "{"], "not JSON")
@row(["x", "[]"], "an object")
@row(["x", '{"stratgy": 1}'], "Unknown settings")
def test_the_command_names_settings_that_are_wrong(way: list[str], said: str, tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", seed=1, count=1, pictures=False)
    with pytest.raises(CommandError, match=said):
        call_command("campaign_cost", tmp_path / "scenes", way=[way], folds=1, images=1, no_gold=True)


def test_a_folder_without_an_image_that_can_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "Sentences").mkdir()
    (tmp_path / "Annotations").mkdir()
    with pytest.raises(CommandError, match="no image could be read"):
        call_command("campaign_cost", tmp_path)


@pytest.mark.parametrize(("options", "said"), [({"only": True}, "--only"), ({}, "no such folder")])
def test_the_command_says_what_is_missing(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("campaign_cost", tmp_path / "nowhere", **options)


BED_BOX = campaign_images(made_chain(FIRST, 1, number) for number in range(120))
PAIRS = campaign_images(image(str(number)) for number in range(40))
BELIEF = {"box_policy": "belief"}


def test_the_share_of_good_boxes_is_that_of_all_proposed_ones():
    images = [image.gold for image in BED_BOX]
    proposer, good, all_of_them = Proposer(images, 0.7, 1), 0, 0
    for one_image in images:
        for _, *edges in proposer.rows(one_image):
            all_of_them += 1
            good += any(iou(Box(*edges), box) >= COVERED for box in one_image.chains[0].boxes)
    assert good / all_of_them == pytest.approx(0.7, abs=0.08)


def test_the_proposer_puts_the_share_of_the_phrases_into_their_chains():
    image, right = PAIRS[0].gold, 0
    for seed in range(300):
        chains = predicted_chains(image, PAIRS[0].subject.for_links(), 0.9, seed)
        assert sorted(number for chain in chains for number in chain) == [0, 1, 2]
        right += [0, 1] in chains
    assert right / 300 == pytest.approx(0.9 * 0.9, abs=0.05), "two phrases, each in its chain or in one of its own"


@pytest.mark.slow
def test_a_program_that_places_phrases_saves_answers_about_links():
    def links(programs: Programs, **settings: object) -> int:
        way = {"strategy": "adaptive", "link_stop": 0.01, "box_policy": "belief", **settings}
        (found,) = campaigns(PAIRS, {"way": way}, folds=1, images=len(PAIRS), gold=False, programs=programs)
        return found.judgments[Task.COREFERENCE_LINK]

    assert links(Programs(placed=1.0), proposals=True) < 0.9 * links(Programs())


def campaign(programs: Programs, **settings: object) -> Campaign:
    (found,) = campaigns(
        BED_BOX, {"way": {**BELIEF, **settings}}, folds=1, images=len(BED_BOX), gold=False, programs=programs
    )
    return found


@pytest.mark.slow
def test_answers_of_a_juror_cost_nobody_a_second_and_save_some():
    alone = campaign(Programs())
    helped = campaign(Programs(wrong=lambda place: 0.0), jurors=[JUROR])
    assert helped.figures()["seconds"] < alone.figures()["seconds"]
    assert helped.judgments[Task.BOX_QUALITY] < alone.judgments[Task.BOX_QUALITY]
    assert min(helped.judgments.values()) >= 0


def test_the_command_plays_programs(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("box_policies", chains=20, seeds=1, worlds=["first"], proposer=0.7, juror=0.08, blind=0.5, turns=10)
    assert "belief, 0.9, with programs" in capsys.readouterr().out


@case("no share", {"juror": 1.5}, "--juror 1.5: give a share from 0 to 1")
@case("nobody to be blind", {"blind": 0.5}, "give --juror, too")
def test_programs_that_make_no_sense_are_named(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("box_policies", chains=2, seeds=1, worlds=["first"], **wrong)
