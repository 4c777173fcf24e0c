"""The share of wrong labels: many sets of labels whose truth is drawn, asked about by doubt and by lot."""

import math
from random import Random

import pytest

from pipeline.rules.checking.label_evidence import LabelEvidence, NewLabel, Told
from pipeline.rules.checking.wrong_share import Share, WrongShare, wrong_shares

PEOPLE, OTHER = frozenset({"people"}), frozenset({"other"})
ERROR = 0.12
RIGHT = Told(1e-4)
Image = tuple[list[LabelEvidence], list[NewLabel]]


def label(boxes: Told, types: frozenset[str] = PEOPLE, now: float | None = None) -> LabelEvidence:
    return LabelEvidence(types, RIGHT, boxes, now=now)


def drawn(draw: Random, images: int, wrong: float, *, lot: float = 0.2) -> tuple[list[Image], float]:
    """Return labels, of which doubtful ones and those of a lot got an answer, and the share that is wrong.

    The doubts are too large by half, and the crowd errs as often as the likelihoods say.
    """
    found, truth = [], []
    for _ in range(images):
        labels = []
        for _ in range(6):
            chance = min(draw.expovariate(1 / wrong), 0.9)
            truth.append(draw.random() < chance)
            said, asked = 0.0, chance > 0.25 or draw.random() < lot
            if asked:
                called_wrong = truth[-1] != (draw.random() < ERROR)
                said = math.log((1 - ERROR) / ERROR) * (1 if called_wrong else -1)
            labels.append(label(Told(min(1.5 * chance, 0.95), said, asked)))
        found.append((labels, list[NewLabel]()))
    return found, sum(truth) / len(truth)


@pytest.mark.parametrize("wrong", [0.02, 0.1, 0.4])
def test_the_truth_lies_in_nearly_all_intervals_however_much_is_wrong(wrong: float):
    draw, inside = Random(f"shares {wrong}"), 0
    for _ in range(8):
        images, truth = drawn(draw, 40, wrong)
        share = wrong_shares(images)[""].before
        inside += share.least <= truth <= share.most
    assert inside >= 6


def test_many_answers_make_the_interval_narrow_and_few_leave_it_wide():
    draw, said = Random("lot"), math.log((1 - ERROR) / ERROR)

    def answered() -> float:
        return said if (draw.random() < 0.1) != (draw.random() < ERROR) else -said

    told = [Told(0.1, answered(), asked=True) for _ in range(300)]
    few = [([label(one if place < 30 else Told(0.1))], list[NewLabel]()) for place, one in enumerate(told)]
    many = [([label(one)], list[NewLabel]()) for one in told]
    assert _width(wrong_shares(many)[""]) < 0.7 * _width(wrong_shares(few)[""])


def _width(found: WrongShare) -> float:
    return found.before.most - found.before.least


def test_a_set_in_which_nothing_is_wrong_still_has_an_interval():
    said = -math.log((1 - ERROR) / ERROR)
    images = [([label(Told(0.05, 2 * said, asked=True))], list[NewLabel]()) for _ in range(50)]
    share = wrong_shares(images)[""].before
    assert 0 < share.least < share.share < share.most < 0.1


def test_each_type_has_its_own_share_and_a_type_without_labels_has_any():
    said = math.log((1 - ERROR) / ERROR)
    bad = [label(Told(0.1, 2 * said, asked=True), OTHER) for _ in range(20)]
    good = [label(Told(0.1, -2 * said, asked=True)) for _ in range(20)]
    found = wrong_shares([([one, other], list[NewLabel]()) for one, other in zip(bad, good, strict=True)])
    assert found["other"].before.least > found["people"].before.most
    assert found["people"].before.share < found[""].before.share < found["other"].before.share
    assert (found["people"].labels, found[""].labels) == (20, 40)
    assert found["animals"] == WrongShare(0, *[Share(0.0, 0.0, 1.0)] * 4)


def test_after_the_check_changed_labels_are_as_likely_wrong_as_their_new_boxes():
    changed = label(Told(0.1, 9.0, asked=True), now=0.02)
    parted = LabelEvidence(PEOPLE, Told(0.1, 9.0), RIGHT, parted=True)
    found = wrong_shares([([changed, parted], [NewLabel(PEOPLE, 0.04)])])[""]
    assert found.before.share > 0.95
    assert found.after.share == pytest.approx(0.03, abs=0.004), "two labels are left"
    assert found.mentions.share + found.boxes.share == pytest.approx(found.before.share)
