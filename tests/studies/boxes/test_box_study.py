"""The study of box policies: chains end as the answers say, programs propose, and the prior is learned."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pipeline.rules.boxing.box_prior import DEFAULT, BoxPrior
from pipeline.rules.boxing.fit_box_prior import fit_box_prior
from pipeline.rules.boxing.next_box_question import BoxRules
from pipeline.rules.boxing.program_trust import trust_of
from studies.boxes import study
from studies.boxes.chain_run import ChainRun, Proposed
from studies.boxes.policies import PROGRAM, belief_policy, finished_chain, paper_loop
from studies.boxes.program import proposed_boxes
from studies.boxes.study import PAPER, Program, learning_policy, played, row_of, table, ways
from studies.boxes.world import ERRORS, FIRST, Chain, Worker, made_chain, made_workers
from studies.management.commands.box_policies import Command

SURE = Worker({}, dict.fromkeys(ERRORS, 1.0), checks=0)


class NeverWrong(ChainRun):
    """A chain whose workers never err."""

    def _asked(self, task: str) -> tuple[Worker, bool]:
        self.judgments[task] += 1
        return SURE, False


def run_of(boxes: int, *words: str, offers: Sequence[Proposed] = ()) -> NeverWrong:
    chain = Chain(0, frozenset({"other"}), words, boxes, 0.0)
    return NeverWrong(FIRST, chain, [SURE], Random(1), offers=list(offers))


@pytest.mark.parametrize("boxes", [0, 1, 2, 5])
@pytest.mark.parametrize(
    "policy", [paper_loop, lambda run: belief_policy(run, BoxRules(0.97))], ids=["paper", "belief"]
)
def test_with_workers_who_never_err_every_chain_ends_right(policy: Any, boxes: int) -> None:
    run = run_of(boxes, "some", "dogs")
    policy(run)
    assert run.right and run.ended == ("complete" if boxes else "non-visual")
    assert run.seconds > 0 and sum(run.judgments.values()) == len(run.answers)


def test_a_chain_with_a_box_too_many_or_too_few_is_not_right() -> None:
    run = run_of(2, "some", "dogs")
    first, second = run.draw([]), run.draw([0])
    run.end("complete", [0, 1])
    assert (first, second) == (0, 1) and run.right
    for kept in ([0], [0, 1, 1]):
        run.end("complete", kept)
        assert not run.right


def test_of_a_program_s_boxes_so_many_are_good_and_so_often_its_number_is_right() -> None:
    chains = [made_chain(FIRST, 0, number) for number in range(1500)]
    boxes = [(chain, proposed_boxes(FIRST, chain, 0.7, 0, scores=True)) for chain in chains]
    every = [one for _, own in boxes for one in own]
    assert fmean(one.entity is not None for one in every) == pytest.approx(0.7, abs=0.04)
    assert all(one.entity is None or one.entity < chain.boxes for chain, own in boxes for one in own)
    right = [len(own) == chain.boxes for chain, own in boxes]
    by_chance = fmean(len(own) == other.boxes for (_, own), other in zip(boxes, chains[1:], strict=False))
    assert fmean(right) == pytest.approx(0.7 + 0.3 * by_chance, abs=0.05)
    of_good, of_bad = ([one.score or 0 for one in every if (one.entity is None) == bad] for bad in (False, True))
    assert fmean(of_good) > fmean(of_bad) + 0.2


def test_a_program_that_is_always_right_proposes_what_is_there_and_a_useless_one_anything() -> None:
    chains = [made_chain(FIRST, 0, number) for number in range(300)]
    perfect = [proposed_boxes(FIRST, chain, 1.0, 0, scores=False) for chain in chains]
    shown = [sorted(one.entity for one in own if one.entity is not None) for own in perfect]
    assert shown == [[*range(chain.boxes)] for chain in chains]
    assert {one.score for own in perfect for one in own} == {None}
    useless = [proposed_boxes(FIRST, chain, 0.0, 0, scores=False) for chain in chains]
    assert {one.entity for own in useless for one in own} == {None}
    assert fmean(len(own) == chain.boxes for own, chain in zip(useless, chains, strict=True)) < 0.6


def test_the_number_of_proposed_boxes_is_learned_and_tells_which_chains_need_one() -> None:
    crew = made_workers(FIRST, 0)
    runs = [ChainRun(FIRST, made_chain(FIRST, 0, number), crew, Random(number)) for number in range(150)]
    for run in runs:
        run.proposed = run.chain.boxes
        paper_loop(run)
    learned = BoxRules(0.9, fit_box_prior([finished_chain(run) for run in runs]))
    told, silent = run_of(1, "a", "dog"), run_of(1, "a", "dog")
    told.proposed, silent.proposed = 1, 0
    for run in (told, silent):
        belief_policy(run, learned)
    assert told.right and silent.right
    assert told.judgments["requirement"] == 0 < silent.judgments["requirement"]


def test_a_box_of_a_program_spares_its_drawing() -> None:
    alone, helped = run_of(1, "a", "dog"), run_of(1, "a", "dog", offers=[Proposed(0, None)])
    for run in (alone, helped):
        belief_policy(run, BoxRules(0.9))
    assert (alone.judgments["drawing"], helped.judgments["drawing"]) == (1, 0)
    assert helped.right


def test_after_a_bad_box_of_a_program_a_worker_draws() -> None:
    run = run_of(1, "a", "dog", offers=[Proposed(None, None), Proposed(0, None)])
    belief_policy(run, BoxRules(0.9))
    assert run.right and run.judgments["drawing"] == 1 and set(run.taken) == {0}


def test_a_finished_chain_brings_what_was_said_of_the_program_s_boxes() -> None:
    run = run_of(1, "a", "dog", offers=[Proposed(None, 0.3)])
    paper_loop(run)
    found = finished_chain(run)
    assert len(found.kept) == 1
    ((box,),) = [found.programs]
    assert (box.program, box.score, [one.good for one in box.judged]) == (PROGRAM, 0.3, [False])


def test_a_project_learns_whom_to_trust_and_begins_anew_with_each_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = []
    monkeypatch.setattr(study, "FIRST_FIT", 10)

    def watched(chains: Any) -> Any:
        fits.append((len(chains), fit_box_prior(chains)))
        return fits[-1][1]

    monkeypatch.setattr(study, "fit_box_prior", watched)
    for share in (0.0, 1.0):
        played(FIRST, learning_policy(0.9), 0, 44, program=Program(share))
    assert [size for size, _ in fits] == [10, 20, 40] * 2
    useless, perfect = fits[2][1], fits[5][1]
    assert trust_of(PROGRAM, None, useless) < 0.25 < 0.7 < trust_of(PROGRAM, None, perfect)
    assert useless.none_of("scene") != DEFAULT.none_of("scene")


def test_the_same_seed_gives_the_same_figures() -> None:
    (way,) = [one for one in ways([0.9]) if one.name != PAPER]
    first, second = (row_of(played(FIRST, way.begin(), 3, 40)) for _ in range(2))
    assert first == second


def shifts(checks: int, prior: BoxPrior = DEFAULT) -> list[float]:
    return [worker.shift(task, prior) for worker in made_workers(FIRST, 0, checks=checks) for task in ERRORS]


def test_a_worker_is_known_by_checks_alone_beside_the_errors_that_the_service_expects() -> None:
    assert shifts(0) == pytest.approx([0.0] * len(shifts(0)))
    known = shifts(40)
    assert len(set(known)) > 5
    strict = BoxPrior(errors=dict.fromkeys(ERRORS, 0.02))
    assert all(among_good > among_usual for among_good, among_usual in zip(shifts(40, strict), known, strict=True))


def test_with_programs_each_way_is_played_with_and_without_them() -> None:
    names = [one.name for one in ways([0.9], programs=[Program(0.0), Program(0.7, scores=True)])]
    assert names == [
        PAPER,
        f"{PAPER}, useless boxes",
        f"{PAPER}, 70% of boxes good, with scores",
        "belief, 0.9",
        "belief, 0.9, learning",
        "belief, 0.9, learning, useless boxes",
        "belief, 0.9, learning, 70% of boxes good, with scores",
    ]


def test_the_numbers_of_proposed_boxes_can_be_left_out() -> None:
    runs = {on: played(FIRST, paper_loop, 0, 9, program=Program(0.9, numbers=on)) for on in (True, False)}
    assert [run.proposed for run in runs[True]] == [len(run.offers) + len(run.taken) for run in runs[False]]
    assert {run.proposed for run in runs[False]} == {None}
    assert ways([0.9], programs=[Program(0.9, numbers=False)])[-1].name.endswith(
        "90% of boxes good, without their numbers"
    )


def test_the_command_prints_a_table_and_writes_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    call_command(
        Command(),
        chains=30,
        seeds=2,
        sure=[0.9],
        worlds=["second"],
        learn=True,
        proposals=[0.5],
        scores=False,
        json=file,
    )
    said = capsys.readouterr().out
    rows = json.loads(file.read_text())
    assert [row["policy"] for row in rows] == [one.name for one in ways([0.9], programs=[Program(0.5)])]
    assert all(f"| {row['policy']} |" in said for row in rows) and "World second" in said
    assert "Confidence of belief, 0.9, learning, world second" in said and f"Confidence of {PAPER}" not in said
    assert table([]) == ""


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"chains": 0}, "--chains 0"),
        ({"checks": -1}, "--checks -1"),
        ({"sure": [1.0]}, "--sure 1"),
        ({"proposals": [1.5]}, "--proposals 1.5"),
        ({"worlds": ["third"]}, "--worlds third"),
        ({"scores": True}, "--scores"),
        ({"no_numbers": True}, "--no-numbers"),
    ],
    ids=str,
)
def test_the_command_refuses_what_makes_no_sense(options: dict[str, Any], what: str) -> None:
    with pytest.raises(CommandError, match=what):
        call_command(Command(), **options)
