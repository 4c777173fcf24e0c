"""manage.py simulate PROJECT --crowd perfect|paper|table_3: let a virtual crowd annotate a project with gold."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.management.find_project import find_project
from runtime.installed import COMMAND
from simulation.crowd import CROWDS, WORKERS
from simulation.score import as_json, as_text, score
from simulation.simulate import SimulationError, load_gold, simulate
from simulation.simulate_quality import (
    QualityPlan,
    comparison_as_text,
    quality_as_text,
    set_model,
    simulate_quality,
    simulate_trusting,
)
from workers.rules.trust import TrustModel

PLAN = QualityPlan()
ONLY_WITH_QUALITY = ("bad", "workers", "known_questions", "model", "compare")

Step = Callable[[int], object]


class Command(BaseCommand):
    help = "Let virtual workers answer every question of a project until none is open. Simulated; a seed repeats a run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project; its images need gold")
        parser.add_argument("--crowd", choices=list(CROWDS), required=True, help="who answers")
        parser.add_argument("--seed", type=int, default=0, help="of the crowd and the order of work (0)")
        parser.add_argument("--most", type=int, help="stop after about this many judgments (0 or more)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures and lists to this file")
        quality = parser.add_argument_group("quality control")
        quality.add_argument("--quality", action="store_true", help="workers start with the test and probation")
        quality.add_argument("--bad", type=float, metavar="SHARE", help="of bad workers, 0 to 1 (0)")
        quality.add_argument("--workers", type=int, metavar="N", help=f"invited workers ({PLAN.workers})")
        quality.add_argument("--known-questions", type=int, metavar="N", help=f"of each task ({PLAN.known_questions})")
        quality.add_argument("--model", choices=list(TrustModel), help="trust model of all six tasks (the project's)")
        quality.add_argument("--compare", action="store_true", help="also run the same crowd without quality control")

    def handle(self, *args: Any, **options: Any) -> None:
        _check(options)
        project = find_project(options["project"])
        _check_running(project)
        try:
            text, data = self._run(project, options)
            if options["json"]:
                options["json"].write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        except (SimulationError, OSError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Every judgment so far is stored; run the command again to go on.") from None
        self.stdout.write(text)

    def _run(self, project: Project, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        if options["quality"]:
            return _with_quality(project, options)
        with tqdm(unit="judgment", desc="simulate", disable=None) as bar:
            choices = {name: options[name] for name in ("crowd", "seed", "most")}
            outcome = simulate(project=project, step=bar.update, **choices)
        data = as_json(project, outcome, score(project, load_gold(project)))
        return as_text(data), data


def _check_running(project: Project) -> None:
    """Raise CommandError unless the project gives new questions: nothing would be open for anybody."""
    if project.state != ProjectState.RUNNING.value:
        raise CommandError(
            f"{project.name} is {project.state}, and only a running project gives questions: press its button on the "
            f"project's page, or run {COMMAND} project_state {project.name} running."
        )


def _with_quality(project: Project, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    given = {name: options[name] for name in ("bad", "workers", "known_questions") if options[name] is not None}
    plan = QualityPlan(crowd=options["crowd"], seed=options["seed"], most=options["most"], **given)
    if options["model"]:
        set_model(project, options["model"])
    without = _with_bar(simulate_trusting, project, plan, "without") if options["compare"] else None
    data = _with_bar(simulate_quality, project, plan, "simulate")
    text = f"{as_text(data)}\n\n{quality_as_text(data['quality'])}"
    if without is None:
        return text, data
    return f"{text}\n\n{comparison_as_text(data, without)}", data | {"without": without}


def _with_bar(
    run: Callable[[Project, QualityPlan, Step], dict[str, Any]], project: Project, plan: QualityPlan, what: str
) -> dict[str, Any]:
    with tqdm(unit="judgment", desc=what, disable=None) as bar:
        return run(project, plan, bar.update)


def _check(options: dict[str, Any]) -> None:
    if options["most"] is not None and options["most"] < 0:
        raise CommandError(f"--most {options['most']}: give 0 or more.")
    if not options["quality"] and (given := [name for name in ONLY_WITH_QUALITY if options[name]]):
        raise CommandError(f"--{given[0].replace('_', '-')} needs --quality.")
    if not 0 <= (options["bad"] or 0) <= 1:
        raise CommandError(f"--bad {options['bad']}: give a share from 0 to 1.")
    if not 1 <= (PLAN.workers if options["workers"] is None else options["workers"]) <= WORKERS:
        raise CommandError(f"--workers {options['workers']}: give 1 to {WORKERS}.")
    if options["json"] and not options["json"].parent.is_dir():
        raise CommandError(f"--json {options['json']}: there is no folder {options['json'].parent}.")
    if (options["known_questions"] or 0) < 0:
        raise CommandError(f"--known-questions {options['known_questions']}: give 0 or more.")
