"""manage.py evaluate PROJECT SYSTEM STEP: export a project and score the export by the systems of the papers."""

import zipfile
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from annotation.storage import store
from evaluation.steps import STEPS, EvaluationStep, step_named
from pipeline.management.find_project import find_project
from projects.evaluation.operations import COREFERENCE, FILES, SCORE, make_report
from projects.evaluation.sides import SideKind, archive_path, named
from projects.management.command_for import work_in_command
from projects.operation import COMMAND_LINE, Refused
from projects.runs import work_of


class Command(BaseCommand):
    help = "Export a project and make a report on the export. The project's page Evaluate shows the report, too."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("system", help="content_selection, localization, ...: the command evaluation lists them")
        parser.add_argument("step", help="step of the system, such as baselines")
        parser.add_argument("--predictions", type=Path, metavar="FILE", help="file to be scored, for the step score")
        parser.add_argument("--against", type=Path, metavar="FILE", help="another model's file, for the difference")
        side = "outcome, gold, 'program NAME' or 'worker NAME'"
        parser.add_argument("--scored", metavar="SIDE", help=f"of coreference: {side}; of localization: outcome")
        parser.add_argument("--right", metavar="SIDE", help="of coreference: what is right, likewise (gold)")
        parser.add_argument("--name", default="", help="name of the model")
        parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="option of the step")
        parser.add_argument("--seed", type=int, default=0, help="seed of everything random (0)")
        parser.add_argument("--unfinished", action="store_true", help="export unfinished images, too")
        parser.add_argument("--out", type=Path, metavar="DIR", help="also write the report into this new folder")

    def handle(self, *args: Any, **options: Any) -> None:
        project = find_project(options["project"])
        step = _step(f"{options['system']} {options['step']}")
        out = options["out"]
        if out is not None and (out.exists() or not out.absolute().parent.is_dir()):
            raise CommandError(f"--out: name a new folder in a folder that exists, not {out}.")
        files = {name: options[name] for name in FILES if options[name] is not None}
        with ExitStack() as opened:
            given = {name: (file.name, opened.enter_context(_open(step, name, file))) for name, file in files.items()}
            try:
                begun = make_report(
                    project,
                    COMMAND_LINE,
                    step=f"{step.system} {step.name}",
                    name=options["name"],
                    options=_values(step, options["set"]) | _sides(project, step, options),
                    files=given,
                    unfinished=options["unfinished"],
                    seed=options["seed"],
                )
            except Refused as refused:
                raise CommandError(str(refused)) from refused
        made = work_in_command(begun.id)
        for line in work_of(made).say(made):
            self.stdout.write(line)
        if out is not None:
            with store().open(archive_path(made)) as file, zipfile.ZipFile(file) as packed:
                packed.extractall(out)
            self.stdout.write(f"The report: {out / 'report.md'}")


def _sides(project: Any, step: EvaluationStep, options: dict[str, Any]) -> dict[str, str]:
    """Return the sides that are compared: of coreference always, of localization where the outcome is scored."""
    scored, right = options["scored"], options["right"]
    name = f"{step.system} {step.name}"
    if name == COREFERENCE:
        found = {"scored": scored or SideKind.OUTCOME.value, "right": right or SideKind.GOLD.value}
    elif name == SCORE and scored == SideKind.OUTCOME.value and not options["predictions"] and not right:
        found = {"scored": scored, "right": SideKind.GOLD.value}
    elif scored or right:
        sides = "--scored outcome with gold, and no file" if name == SCORE else "no sides"
        raise CommandError(f"--scored, --right: the step {name} compares {sides}.")
    else:
        return {}
    try:
        named(project, found)
    except ValueError as error:
        raise CommandError(str(error)) from error
    return found


def _step(name: str) -> EvaluationStep:
    try:
        return step_named(name)
    except KeyError as error:
        known = ", ".join(f"{step.system} {step.name}" for step in STEPS)
        raise CommandError(f"There is no step {name!r}: choose one of {known}.") from error


def _values(step: EvaluationStep, pairs: list[str]) -> dict[str, Any]:
    """Return the options given by --set. Files cannot be given in this way."""
    known = {option.name: option for option in step.options if not option.is_file}
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        option = known.get(name.replace("-", "_"))
        if option is None or not equals:
            names = ", ".join(known) or "none"
            raise CommandError(f"--set {pair}: give OPTION=VALUE; the options of this step: {names}.")
        try:
            value = text in ("1", "yes", "true") if option.kind is bool else option.kind(text)
        except ValueError as error:
            raise CommandError(f"--set {pair}: {error}") from error
        if option.choices and value not in option.choices:
            raise CommandError(f"--set {pair}: choose one of {', '.join(option.choices)}.")
        found[option.name] = value
    return found


def _open(step: EvaluationStep, option: str, file: Path) -> BinaryIO:
    if option not in {option.name for option in step.options}:
        raise CommandError(f"--{option}: the step {step.system} {step.name} reads no such file.")
    if not file.is_file():
        raise CommandError(f"--{option}: there is no file {file}.")
    return file.open("rb")
