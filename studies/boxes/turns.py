"""Turns of a model annotator: how soon a project finds out that it has begun to guess. All simulated."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from belief.models.records import NEW_BOX_MODEL, BoxRecord
from pipeline.policies.compose import engine_of
from simulation.crowd import paper
from studies.boxes.world import WORLDS, made_chain
from studies.whole_campaign.campaign_cost import CampaignImage, campaign_images, settings_of
from studies.whole_campaign.colleagues import MODEL, AtWork, Programs
from studies.whole_campaign.own_settings import OwnSettings

BEFORE = (15, 40, 100, 200)
"""Chains after which the project learns before the turn: what it learns in between finds no turn, and takes long."""
FOUND = 0.25
"""A model annotator that is held to be wrong in more than this share has been found out."""


@dataclass(slots=True)
class Turn:
    """One run."""

    seed: int
    found: int | None = None
    """Chains from the turn to the refit that found it; None: it was not found."""
    refits: int = 0
    """Refits before the turn, after the model annotator was known ..."""
    wrongly: int = 0
    """... and those of them at which it was taken for a bad or an unknown one."""


def turns(
    world: str,
    seeds: range,
    *,
    proposer: float | None,
    before: float = 0.08,
    after: float = 0.5,
    turn: int = 300,
    within: int = 100,
    done: Callable[[], object] = lambda: None,
) -> Iterator[Turn]:
    """Yield a run for each seed: one model annotator, whose share of wrong answers changes at the chain `turn`.

    `proposer`: the share of good boxes of a program that proposes; None: there is none. `within`: the chains after the
    turn that are played. `done` is called after each chain.
    """
    programs = Programs(proposer, lambda place: before if place < turn else after)
    values = {"box_policy": "belief", "model_annotators": [MODEL], "pre_annotations": proposer is not None}
    for seed in seeds:
        bed = campaign_images(made_chain(WORLDS[world], seed, number) for number in range(turn + within))
        yield _run(bed, programs, OwnSettings(settings_of(values, None)), seed, turn, done)


def _run(
    bed: list[CampaignImage], programs: Programs, own: OwnSettings, seed: int, turn: int, done: Callable[[], object]
) -> Turn:
    crowd = paper([(one.gold, one.subject.for_links()) for one in bed], 1000 * seed)
    at_work = AtWork(programs, crowd, [image.gold for image in bed], seed)
    run, known = Turn(seed), False
    for place, image in enumerate(bed):
        draw, settings = random.Random(f"turn {seed} {place}"), own.settings
        played, _ = at_work.annotate(place, image.subject, image.gold, settings, draw)
        own.learn(played, fits=place + 1 in BEFORE or place >= turn - 1)
        done()
        if own.settings is settings:
            continue
        record = engine_of(own.settings).box_rules.prior.model_annotators.get(str(MODEL), NEW_BOX_MODEL)
        if place >= turn and _is_found(record):
            run.found = place + 1 - turn
            return run
        run.refits += known and place < turn
        run.wrongly += known and place < turn and _is_found(record)
        known |= record.is_known
    return run


def _is_found(record: BoxRecord) -> bool:
    return not record.is_known or record.wrong > FOUND
