"""Claims that programs' answers make a belief sure of are held against what people answer later."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from pipeline.rules.jurors.said_right import BOTH, ENOUGH, NOTHING_SAID, Claim, SaidRight, hold, weigh_jurors


def claims(number: int, *, said: float, right: float, errs: float = 0.1, seed: int = 1) -> list[Claim]:
    """Claims of which a share is right, each answered by three people who err."""
    draw, found = Random(seed), []
    for place in range(number):
        is_right, ratio = place < right * number, 1.0
        for _ in range(3):
            agrees = (draw.random() < errs) != is_right
            ratio *= (1 - errs) / errs if agrees else errs / (1 - errs)
        found.append(Claim(said, ratio))
    return found


@pytest.mark.parametrize("right", [0.95, 0.8])
def test_the_share_that_is_right_is_found_though_people_err(right: float):
    held = hold(300, claims(300, said=0.95, right=right))
    assert held.right == pytest.approx(right, abs=0.02) and held.least < right < held.most
    assert (held.chains, held.claims, held.said) == (300, 300, pytest.approx(0.95))
    assert held.is_too_sure == held.parts == (right == 0.8)


def test_chance_alone_seldom_parts_the_two():
    runs = (Random(seed) for seed in range(50))
    drawn = ([Claim(0.93, 50.0 if draw.random() < 0.93 else 0.02) for _ in range(60)] for draw in runs)
    assert sum(hold(60, own).parts for own in drawn) <= 3


def test_who_is_right_more_often_than_said_is_not_too_sure():
    held = hold(400, claims(400, said=0.9, right=1.0))
    assert held.parts and not held.is_too_sure and held.lets_programs_end


def test_programs_finish_chains_alone_once_enough_of_them_were_held():
    fine = SaidRight(ENOUGH, 90, 0.95, 0.94, 0.88, 0.97)
    assert fine.lets_programs_end and not replace(fine, chains=ENOUGH - 1).lets_programs_end
    assert not replace(fine, said=0.98).lets_programs_end and not NOTHING_SAID.lets_programs_end
    assert hold(ENOUGH, []) == SaidRight(ENOUGH)


@dataclass(frozen=True)
class OneRecord:
    weight: float = 1.0


@dataclass(frozen=True)
class Prior:
    jurors: dict[str, OneRecord] = field(default_factory=dict)


def says(prior: Prior, jurors: Collection[str]) -> SaidRight:
    """Each juror makes the belief say more; only 0.95 is right, within a point."""
    said = 0.9 + sum(0.04 * prior.jurors[juror].weight for juror in ("7", "8") if juror in jurors)
    return SaidRight(100, 100, said, 0.95, 0.94, 0.96)


def test_jurors_that_hold_alone_but_not_together_count_less_together():
    prior, held = weigh_jurors(Prior({"7": OneRecord(), "8": OneRecord(0.3)}), says)
    assert {name: record.weight for name, record in prior.jurors.items()} == {"7": 0.6, "8": 0.6}
    assert held["7"].said == held["8"].said == pytest.approx(0.94) and held[BOTH].said == pytest.approx(0.98)


def test_a_juror_that_holds_again_counts_in_full_again():
    prior, held = weigh_jurors(Prior({"7": OneRecord(0.2)}), says)
    assert prior.jurors["7"].weight == 1 and set(held) == {"7", BOTH}


def test_a_juror_counts_for_nothing_if_the_belief_is_too_sure_with_any_of_it():
    prior, _ = weigh_jurors(Prior({"7": OneRecord()}), lambda *_: SaidRight(100, 100, 0.99, 0.8, 0.7, 0.9))
    assert prior.jurors["7"].weight == 0


def test_without_jurors_there_is_nothing_to_hold():
    assert weigh_jurors(Prior(), says) == (Prior(), {})
