"""The command of an operation, derived from its declaration."""

from __future__ import annotations

import json
from argparse import ArgumentParser, BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from pydantic import ValidationError
from tqdm import tqdm

from exchange.checks import Defect, read_bytes
from projects.models import Run
from projects.operation import COMMAND_LINE, CannotBeDone, Operation, Progress, Refused, SentFile, Stopped
from projects.operation_fields import InputField, errors_by_field, input_fields
from projects.runs import RunRow, do_run_by_command, work_of
from runtime.disk_errors import StorageError

MAX_BYTES = 500_000_000
"""Of a file whose field says nothing else."""


class OperationCommand(BaseCommand):
    """Does an operation with the right of whoever may run commands on the server."""

    operation: Operation[Any, Any, Any]

    def add_arguments(self, parser: ArgumentParser) -> None:
        if self.operation.of_project:
            parser.add_argument("project", help="name of the project")
        for field in input_fields(self.operation):
            _add_argument(parser, field)
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the result to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        operation = self.operation
        fields = {field.name: field for field in input_fields(operation)}
        try:
            values = {name: _value(field, options[name]) for name, field in fields.items() if options[name] is not None}
            project = operation.find(options.get("project", ""), COMMAND_LINE)
            written = self.run_operation(project, operation.input.model_validate(values), options)
        except ValidationError as error:
            raise CommandError(_sentences(error, fields)) from error
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        if options["json"]:
            options["json"].write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")

    def run_operation(self, project: Any, inputs: Any, options: dict[str, Any]) -> dict[str, Any]:
        """Do the operation, write what came of it, and return the result. Raises Refused."""
        result = self.operation.run(project, inputs, COMMAND_LINE)
        begun = result if isinstance(result, RunRow) else getattr(result, "run", None)
        if begun is None or not self.operation.work:
            self.stdout.write(self.operation.say(result))
            if alarm := self.operation.alarm(result):
                raise CommandError(alarm)
            return result.model_dump(mode="json")
        run = work_in_command(begun.id)
        for line in work_of(run).say(run):
            self.stdout.write(line)
        return run.result


def work_in_command(number: int) -> Run:
    """Do the work of a run that was begun, with a bar in the terminal. Raises CommandError unless it ends well."""
    run = Run.objects.select_related("project").get(pk=number)
    with tqdm(disable=None, leave=False) as bar:

        def show(progress: Progress) -> None:
            bar.set_description(progress.message, refresh=False)
            bar.total, bar.n = progress.total or None, progress.done
            bar.refresh()

        again = " What is done stays; run the same command again to continue." if work_of(run).resumable else ""
        try:
            do_run_by_command(run, show)
        except CannotBeDone as error:
            raise CommandError(str(error)) from error
        except StorageError as error:
            raise CommandError(f"{error}.{again}") from error
        except (Stopped, KeyboardInterrupt):
            raise CommandError(f"The work was stopped.{again}") from None
    run.refresh_from_db()
    return run


def command_for(operation: Operation[Any, Any, Any]) -> type[OperationCommand]:
    """Return the command. Django finds commands by their files, each of which calls this."""
    return type("Command", (OperationCommand,), {"operation": operation, "help": operation.help})


def _add_argument(parser: ArgumentParser, field: InputField) -> None:
    help = field.help[:1].lower() + field.help[1:].removesuffix(".")
    if field.default not in (None, "", False, [], ()):
        help = f"{help} ({field.default})"
    if field.kind is bool:
        action = BooleanOptionalAction if field.default else "store_true"
        parser.add_argument(field.option, action=action, default=None, help=help)
        return
    # The input's model checks the values, in the same words everywhere.
    is_number = field.as_option and field.kind in (int, float)
    choices = ",".join(filter(None, field.choices))
    shown = f"{{{choices}}}" if choices else "N" if is_number else None
    options: dict[str, Any] = {"metavar": shown or field.name.upper(), "help": help}
    if field.many:
        options["nargs"] = "+" if field.required else "*"
    if field.as_option:
        parser.add_argument(field.option, dest=field.name, required=field.required, **options)
    else:
        if not field.required and field.kind is not SentFile:
            options.setdefault("nargs", "?")
        parser.add_argument(field.name, **options)


def _value(field: InputField, text: Any) -> Any:
    """Return a value as it was given, and for the path of a file its content. Raises CommandError."""
    if field.kind is not SentFile:
        return text
    most = field.size.command if field.size else MAX_BYTES
    try:
        return SentFile(name=str(text), data=read_bytes(Path(text), most=most))
    except Defect as defect:
        raise CommandError(f"{text} {defect.message}.") from defect


def _sentences(error: ValidationError, fields: dict[str, InputField]) -> str:
    named = errors_by_field(error).items()
    return "; ".join(
        f"{_shown(fields[name])}: {' '.join(sentences)}" if name in fields else " ".join(sentences)
        for name, sentences in named
    )


def _shown(field: InputField) -> str:
    return field.option if field.as_option else field.name
