"""The command line: finds the step, reads its options, runs it and writes its report."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from evaluation.errors import InputError
from evaluation.steps import STEPS, EvaluationStep, StepOption, by_system, run_step
from evaluation.write_report import RESULT
from runtime.installed import COMMAND


def main(arguments: Sequence[str]) -> int:
    """Run a step. Returns 0, or 1 with a sentence on the error output if the input is refused."""
    if not arguments:
        print(overview())
        return 0
    chosen = parser().parse_args(list(arguments))
    step: EvaluationStep = chosen.step
    options = {option.name: getattr(chosen, option.name) for option in step.options}
    try:
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
    lines += [f"  {step.system} {step.name:<14} {step.words}" for step in STEPS]
    return "\n".join([*lines, "", f"Options of a step: {COMMAND} evaluation SYSTEM STEP --help"])


def parser() -> ArgumentParser:
    """Return the parser of all systems and steps."""
    top = ArgumentParser(
        prog=f"{COMMAND} evaluation", description=overview(), formatter_class=RawDescriptionHelpFormatter
    )
    systems = top.add_subparsers(metavar="SYSTEM", required=True)
    for system, steps in by_system():
        own = systems.add_parser(system).add_subparsers(metavar="STEP", required=True)
        for step in steps:
            one = own.add_parser(step.name, help=step.words, description=f"{step.words}.")
            one.set_defaults(step=step)
            one.add_argument("--data", type=Path, required=step.needs_data, metavar="EXPORT", help="folder or archive")
            one.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the report")
            one.add_argument("--seed", type=int, default=0, help="seed of everything random")
            one.add_argument("--no-charts", dest="charts", action="store_false", help="draw none, without matplotlib")
            for option in step.options:
                _add(one, option)
    return top


def _add(parser: ArgumentParser, option: StepOption) -> None:
    words = option.words.replace("%", "%%")
    if option.kind is bool:
        parser.add_argument(option.flag, dest=option.name, action="store_true", help=words)
        return
    parser.add_argument(
        option.flag,
        dest=option.name,
        type=option.kind,
        default=option.default,
        required=option.required,
        choices=option.choices or None,
        metavar="FILE" if option.is_file else None,
        help=words + ("" if option.default is None else f" ({option.default})"),
    )
