"""Running a step from its inputs to its written report, with the versions of the packages that it depends on."""

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.report import Report
from evaluation.steps import EvaluationStep
from evaluation.work import PartialResults, Progress, StepWork, digest_of
from evaluation.write_report import ReportFile, check_target, write_report

PACKAGES = (
    "numpy",
    "scipy",
    "matplotlib",
    "scikit-learn",
    "lemminflect",
    "spacy",
    "opencv-contrib-python-headless",
    "gensim",
    "pycocoevalcap",
    "torch",
)
FORMAT = 1
"""The number of the report's form and of the decisions behind its figures. It goes up when either changes."""


def versions() -> dict[str, str]:
    """Return the versions of Python, of the form of reports, and of the packages that are installed."""
    found = {"python": platform.python_version(), "evaluation": str(FORMAT)}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def run_step(
    step: EvaluationStep,
    *,
    data: Path | None,
    out: Path,
    options: Mapping[str, Any],
    seed: int = 0,
    charts: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Run the step, write its report into `out`, and return it.

    Without `charts` the report has none, and needs no matplotlib. `progress` hears of the progress; None: a bar on the
    terminal. Raises InputError, and then writes nothing.
    """
    if seed < 0:
        raise InputError(f"The seed is {seed}: give a whole number from 0.")
    out = out.absolute()
    check_target(out)
    if data is not None and not data.exists():
        raise InputError(f"--data: {data} does not exist.")
    values = {option.name: option.default for option in step.options} | dict(options)
    for option in step.options:
        option.check(values[option.name])
    kept = PartialResults(out.with_name(f".{out.name}.kept"))
    work = StepWork(data=data, options=values, seed=seed, partial_results=kept, progress_shown=progress)
    if data is not None:
        work.inputs["data"] = digest_of(data)
    report = step.run(work)
    if not charts:
        report.charts.clear()
    result: ReportFile = {
        "figures": report.figures,
        "n": report.n,
        "seed": seed,
        "settings": {"step": f"{step.system} {step.name}", **step.settings(work.options), **report.settings},
        "versions": versions(),
        "inputs": work.inputs,
    }
    write_report(report, result, out)
    kept.forget()
    return report
