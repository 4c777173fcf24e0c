"""manage.py evaluate PROJECT SYSTEM STEP: export a project and score the export by the systems of the papers."""

import zipfile
from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from annotation.storage import store
from evaluation.step import Step, all_steps
from pipeline.management.find_project import find_project
from projects.evaluation.archive import archive_path, keep_given
from projects.evaluation.sides import Kind, named
from projects.evaluation.steps import step_named
from projects.evaluation.work import COREFERENCE, SCORE, evaluate
from projects.long_work import Watch, carry_out
from projects.models import Evaluation


class Command(BaseCommand):
    help = "Export a project and make a report on the export. The project's page Evaluate shows the report, too."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="name of the project")
        parser.add_argument("system", help="content_selection, localization, ...: python -m evaluation lists them")
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
        values = {
            "options": _values(step, options["set"]),
            "unfinished": options["unfinished"],
            "seed": options["seed"],
        }
        if project.evaluations.filter(state__in=Evaluation.OPEN).exists():
            raise CommandError("A report on this project is being made already: wait for it.")
        files = {name: options[name] for name in ("predictions", "against") if options[name] is not None}
        values["options"] |= (sides := _sides(project, step, options))
        values["given"] = {name: _keep(project, step, name, file) for name, file in files.items()}
        usual = files["predictions"].stem if "predictions" in files else named(project, sides)
        values["name"] = (options["name"] or usual)[:80]
        made = Evaluation.objects.create(project=project, step=f"{step.system} {step.name}", **values)
        _with_bar(made)
        made.refresh_from_db()
        if made.state != Evaluation.State.DONE:
            raise CommandError(made.problem or "The report was stopped.")
        self.stdout.write(
            f"{made.values['title']}: {made.values['n']:,} {made.values['unit']}, {made.images:,} images."
        )
        if out is not None:
            with store().open(archive_path(made)) as file, zipfile.ZipFile(file) as packed:
                packed.extractall(out)
            self.stdout.write(f"The report: {out / 'report.md'}")


class _Bar(Watch):
    """A progress that the terminal shows as well."""

    def __init__(self, row: Evaluation) -> None:
        super().__init__(row, by_command=True)
        self._bar = tqdm(disable=None, leave=False)

    def tell(self, done: int, total: int, **values: Any) -> None:
        self._bar.set_description(str(values.get("doing", "")), refresh=False)
        self._bar.total, self._bar.n = total or None, done
        self._bar.refresh()
        super().tell(done, total, **values)

    def close(self) -> None:
        self._bar.close()


def _with_bar(evaluation: Evaluation) -> None:
    bar = _Bar(evaluation)
    try:
        carry_out(bar, partial(evaluate, evaluation))
    finally:
        bar.close()


def _sides(project: Any, step: Step, options: dict[str, Any]) -> dict[str, str]:
    """Return the sides that are compared: of coreference always, of localization where the outcome is scored."""
    scored, right = options["scored"], options["right"]
    name = f"{step.system} {step.name}"
    if name == COREFERENCE:
        found = {"scored": scored or Kind.OUTCOME.value, "right": right or Kind.GOLD.value}
    elif name == SCORE and scored == Kind.OUTCOME.value and not options["predictions"] and not right:
        found = {"scored": scored, "right": Kind.GOLD.value}
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


def _step(name: str) -> Step:
    try:
        return step_named(name)
    except (KeyError, ModuleNotFoundError) as error:
        known = ", ".join(f"{step.system} {step.name}" for step in all_steps())
        raise CommandError(f"There is no step {name!r}: choose one of {known}.") from error


def _values(step: Step, pairs: list[str]) -> dict[str, Any]:
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
            value = text in ("1", "yes", "true") if option.is_flag else option.kind(text)
        except ValueError as error:
            raise CommandError(f"--set {pair}: {error}") from error
        if option.choices and value not in option.choices:
            raise CommandError(f"--set {pair}: choose one of {', '.join(option.choices)}.")
        found[option.name] = value
    return found


def _keep(project: Any, step: Step, option: str, file: Path) -> str:
    if option not in {option.name for option in step.options}:
        raise CommandError(f"--{option}: the step {step.system} {step.name} reads no such file.")
    if not file.is_file():
        raise CommandError(f"--{option}: there is no file {file}.")
    with file.open("rb") as content:
        return keep_given(project, content, file.suffix.lower())
