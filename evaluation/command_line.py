"""The command line: finds the step, reads its options, runs it and writes its report."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from evaluation.errors import InputError
from evaluation.run_step import run_step
from evaluation.step import SYSTEMS, EvaluationStep, StepOption, all_steps, steps_of
from evaluation.write_report import RESULT
from runtime.installed import COMMAND


def main(arguments: Sequence[str]) -> int:
    """Run a step. Returns 0, or 1 with a sentence on the error output if the input is refused."""
    if not arguments:
        print(overview())
        return 0
    chosen = parser().parse_args(list(arguments))
    step: EvaluationStep = chosen.step
    try:
        options = _options(step, chosen)
        report = run_step(
            step, data=chosen.data, out=chosen.out, seed=chosen.seed, charts=chosen.charts, options=options
        )
    except InputError as refused:
        print(f"{step.system} {step.name}: {refused}", file=sys.stderr)
        if (chosen.out / RESULT).is_file():
            print(f"The report in {chosen.out} is that of an earlier run.", file=sys.stderr)
        return 1
    print(f"{len(report.figures):,} figures: {chosen.out / RESULT}; the page: {chosen.out / 'report.html'}")
    return 0


def overview() -> str:
    """Return the list of all steps."""
    lines = [f"{COMMAND} evaluation SYSTEM STEP --data EXPORT --out DIR [--seed 0] [--no-charts]", ""]
    lines += [f"  {step.system} {step.name:<14} {step.words}" for step in all_steps()]
    return "\n".join([*lines, "", f"Options of a step: {COMMAND} evaluation SYSTEM STEP --help"])


def parser() -> ArgumentParser:
    """Return the parser of all systems and steps."""
    top = ArgumentParser(
        prog=f"{COMMAND} evaluation", description=overview(), formatter_class=RawDescriptionHelpFormatter
    )
    systems = top.add_subparsers(metavar="SYSTEM", required=True)
    for system in SYSTEMS:
        steps = systems.add_parser(system).add_subparsers(metavar="STEP", required=True)
        for step in steps_of(system):
            one = steps.add_parser(step.name, help=step.words, description=f"{step.words}.")
            one.set_defaults(step=step)
            one.add_argument("--data", type=Path, required=step.needs_data, metavar="EXPORT", help="folder or archive")
            one.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the report")
            one.add_argument("--seed", type=int, default=0, help="seed of everything random")
            one.add_argument("--no-charts", dest="charts", action="store_false", help="draw none, without matplotlib")
            for option in step.options:
                _add(one, option)
    return top


def _add(one: ArgumentParser, option: StepOption) -> None:
    flag = f"--{option.name.replace('_', '-')}"
    words = option.words.replace("%", "%%")
    if option.is_flag:
        one.add_argument(flag, dest=option.name, action="store_true", help=words)
        return
    kind = Path if option.is_file else option.kind
    default = "" if option.default is None else f" ({option.default})"
    one.add_argument(
        flag,
        dest=option.name,
        type=kind,
        default=option.default,
        required=option.required,
        choices=option.choices or None,
        metavar="FILE" if option.is_file else None,
        help=words + default,
    )


def _options(step: EvaluationStep, chosen: Namespace) -> dict[str, object]:
    return {option.name: getattr(chosen, option.name) for option in step.options}
