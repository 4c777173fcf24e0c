"""Made-up programs of a campaign: what the proposer proposes, and what the juror says at no cost."""

import pytest
from django.core.management import CommandError, call_command

from annotation.rules.box import Box, iou
from pipeline.rules.tasks.task import Task
from simulation.view import COVERED
from studies.boxes.world import FIRST, made_chain
from studies.whole_campaign.campaign_cost import Campaign, campaign_images, campaigns
from studies.whole_campaign.colleagues import JUROR, Programs, Proposer, predicted_chains
from tests.studies.whole_campaign import test_campaign_cost

BED = campaign_images(made_chain(FIRST, 1, number) for number in range(120))
PAIRS = campaign_images(test_campaign_cost.image(str(number)) for number in range(40))
BELIEF = {"box_policy": "belief"}


def test_the_share_of_good_boxes_is_that_of_all_proposed_ones():
    images = [image.gold for image in BED]
    proposer, good, all_of_them = Proposer(images, 0.7, 1), 0, 0
    for image in images:
        for _, *edges in proposer.rows(image):
            all_of_them += 1
            good += any(iou(Box(*edges), box) >= COVERED for box in image.chains[0].boxes)
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
    (found,) = campaigns(BED, {"way": {**BELIEF, **settings}}, folds=1, images=len(BED), gold=False, programs=programs)
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


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"juror": 1.5}, "--juror 1.5: give a share from 0 to 1"), ({"blind": 0.5}, "give --juror, too")],
    ids=["no share", "nobody to be blind"],
)
def test_programs_that_make_no_sense_are_named(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("box_policies", chains=2, seeds=1, worlds=["first"], **wrong)
