"""The study of box policies: chains end as the answers say, and the prior is learned."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pipeline.rules.boxing.box_prior import DEFAULT, BoxPrior
from pipeline.rules.boxing.fit_box_prior import fit_box_prior
from pipeline.rules.boxing.next_box_question import BoxRules
from studies.boxes import study
from studies.boxes.chain_run import ChainRun
from studies.boxes.policies import belief_policy, paper_loop
from studies.boxes.study import PAPER, learning_policy, plain_policy, played, policies, row_of
from studies.boxes.world import ERRORS, FIRST, Chain, Worker, made_workers

SURE = Worker({}, dict.fromkeys(ERRORS, 1.0), checks=0)


class NeverWrong(ChainRun):
    """A chain whose workers never err."""

    def _asked(self, task: str) -> tuple[Worker, bool]:
        self.judgments[task] += 1
        return SURE, False


def run_of(boxes: int, *words: str) -> NeverWrong:
    chain = Chain(0, frozenset({"other"}), words, boxes, 0.0)
    return NeverWrong(FIRST, chain, [SURE], Random(1))


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


def test_a_project_learns_from_its_chains_and_begins_anew_with_each_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[tuple[int, BoxPrior]] = []
    monkeypatch.setattr(study, "FIRST_FIT", 10)

    def watched(chains: Any) -> BoxPrior:
        fits.append((len(chains), fit_box_prior(chains)))
        return fits[-1][1]

    monkeypatch.setattr(study, "fit_box_prior", watched)
    for seed in (0, 1):
        played(FIRST, learning_policy(0.9), seed, 24)
    assert [size for size, _ in fits] == [10, 20] * 2
    priors = [prior for _, prior in fits]
    assert DEFAULT not in priors and priors[1] != priors[3]


def test_the_same_seed_gives_the_same_figures() -> None:
    first, second = (row_of(played(FIRST, plain_policy(0.9), 3, 30)) for _ in range(2))
    assert first == second


def shifts(checks: int, prior: BoxPrior = DEFAULT) -> list[float]:
    return [worker.shift(task, prior) for worker in made_workers(FIRST, 0, checks=checks) for task in ERRORS]


def test_a_worker_is_known_by_checks_alone_beside_the_errors_that_the_service_expects() -> None:
    assert shifts(0) == pytest.approx([0.0] * len(shifts(0)))
    known = shifts(40)
    assert len(set(known)) > 5
    strict = BoxPrior(errors=dict.fromkeys(ERRORS, 0.02))
    assert all(among_good > among_usual for among_good, among_usual in zip(shifts(40, strict), known, strict=True))


def test_the_command_prints_a_table_and_writes_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    call_command("box_policies", chains=15, seeds=2, sure=[0.9], worlds=["second"], json=file)
    said = capsys.readouterr().out
    rows = json.loads(file.read_text())
    assert [row["policy"] for row in rows] == [*policies([0.9])] == [PAPER, "belief, 0.9", "belief, 0.9, learning"]
    assert all(f"| second | {row['policy']} |" in said and len(row["seeds"]) == 2 for row in rows)
    assert "Confidence of belief, 0.9, learning, world second" in said and f"Confidence of {PAPER}" not in said


@pytest.mark.parametrize(
    ("options", "what"),
    [(["--chains", "0"], "--chains 0"), (["--sure", "1"], "--sure 1"), (["--worlds", "third"], "third")],
    ids=str,
)
def test_the_command_refuses_what_makes_no_sense(options: list[str], what: str) -> None:
    with pytest.raises(CommandError, match=what):
        call_command("box_policies", *options)
