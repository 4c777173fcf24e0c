"""Assumptions of a forecast: about the workers and the programs, as they are sent, and as they are worked with."""

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field, ValidationInfo, field_validator

from projects.operation import Choice, Input
from simulation.crowd import CROWDS, WORKERS


class ForecastAssumptions(Input):
    """Assumptions about the workers and the programs."""

    workers: Annotated[int, Ge(1), Le(WORKERS), Field(title="Workers who begin")] | None = None
    """Workers who begin; empty: those who are invited or at work, or else 20 newcomers."""
    trusted: Annotated[int, Ge(0), Le(WORKERS), Field(title="Trusted among them, without a test")] | None = None
    """Those among them who are trusted from the start, and take no test; empty: those invited, if these are assumed."""
    crowd: Annotated[str, Choice(CROWDS), Field(title="Workers answer")] = "paper"
    """The errors of simulated workers."""
    bad_percent: Annotated[int, Ge(0), Le(90), Field(title="Bad workers among them, in percent")] = 0
    """Bad workers among them, in percent."""
    assume_program: Annotated[bool, Field(title="Assume a model annotator")] = False
    """It takes the place of the programs at work, which are simulated as measured."""
    program_errors: Annotated[int, Ge(0), Le(50), Field(title="Errors of a model annotator, in percent")] | None = None
    """Errors of an assumed model annotator, in percent; empty: 22, in a band from 8, independent, to 30."""
    good_percent: (
        Annotated[int, Ge(0), Le(100), Field(title="Good boxes of a program that proposes, in percent")] | None
    ) = None
    """Good boxes of an imagined program that proposes, in percent; empty: as the boxes tried so far."""
    sample: Annotated[int, Ge(2), Le(300), Field(title="Images to simulate")] = 30
    """Images to simulate, 2 to 300."""
    repetitions: Annotated[int, Ge(2), Le(10), Field(title="Times each is simulated")] = 2
    """Times each is simulated, 2 to 10."""

    @field_validator("trusted")
    @classmethod
    def _no_more_than_begin(cls, trusted: int | None, info: ValidationInfo) -> int | None:
        workers = info.data.get("workers")
        if workers is not None and (trusted or 0) > workers:
            raise ValueError(f"Only {workers} workers begin: trust that many at most")
        return trusted


class ForecastInput(ForecastAssumptions):
    """The same with numbers of workers, and what else a forecast hangs on."""

    workers: int = 20
    trusted: int = 0
    seed: int = 0
    settings_version: int
    """The version of the settings that it began from."""

    @property
    def imagines_program(self) -> bool:
        """Whether an assumed model annotator takes the place of the programs at work."""
        return self.assume_program or self.program_errors is not None

    @property
    def all_trusted(self) -> int:
        """The number of workers who are trusted from the start."""
        return min(self.trusted, self.workers)

    @property
    def new_workers(self) -> int:
        """The number of workers who take the test and probation."""
        return self.workers - self.all_trusted
