"""The oracle that mines foils knows what the image shows."""

import pytest

from evaluation.errors import InputError
from evaluation.work import StepWork

pytest.importorskip("torch", reason="needs the extra evaluation-oracle")

from evaluation.foil.making.oracle_loss import oracle_loss

COWS = ["A cow eats in a green field .", "The cow is on the grass ."]
HORSES = ["A horse waits in a dark stable .", "The horse is on the straw ."]


def test_the_foil_that_fits_the_image_reads_more_likely() -> None:
    captions = {f"{name}{number}": own for number in range(200) for name, own in (("cow", COWS), ("horse", HORSES))}
    loss = oracle_loss(StepWork(None, {}), {**captions, "field": ["A goat eats in a green field ."] * 2})
    cow, horse = loss.losses("field", [f"the {animal} is on the grass".split() for animal in ("cow", "horse")])
    assert cow < horse


def test_a_single_image_is_refused() -> None:
    with pytest.raises(InputError, match="captions of two images"):
        oracle_loss(StepWork(None, {}), {"one": COWS})
