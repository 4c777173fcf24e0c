"""Learned [beyond paper 3]: what answers have taught a project of links, of boxes, and of those who answer.

It is never edited; a refit makes a new one. Counts of a program, and shares of wrong answers, stand with what they are
about: of links in the link prior, of boxes in the box prior.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from belief.boxes.box_prior import DEFAULT as DEFAULT_BOXES
from belief.boxes.box_prior import BoxPrior
from belief.links.answer_model import LAPSE, OVERLOOKED, PAPER_ERRORS, CrowdErrors
from belief.links.link_prior import DEFAULT as DEFAULT_LINKS
from belief.links.link_prior import LinkPrior


@dataclass(frozen=True, slots=True)
class LearnedState:
    """The state before a chain's first answer. Nothing learned: what the paper says, and round numbers."""

    links: LinkPrior = DEFAULT_LINKS
    crowd: CrowdErrors = PAPER_ERRORS
    """The shares of wrong answers of people about links."""
    programs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By the number of a program: its shares of wrong links, false negatives and false positives."""
    boxes: BoxPrior = DEFAULT_BOXES

    def link_values(self) -> dict[str, Any]:
        """Return the values about links by name, without those that are the defaults."""
        values = {
            "link_prior": {} if self.links == DEFAULT_LINKS else self.links.to_json(),
            "link_errors": _values_of(self.crowd),
            "program_errors": {program: list(rates) for program, rates in self.programs.items()},
        }
        return {name: value for name, value in values.items() if value}

    def to_json(self) -> dict[str, Any]:
        """Return the values by name as `from_json` reads them, without those that are the defaults."""
        return self.link_values() | ({} if self.boxes == DEFAULT_BOXES else {"box_prior": self.boxes.to_json()})

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "LearnedState":
        """Read values; a name that is left out, or empty, has the default. Raises ValueError that names what is wrong.

        Shares of wrong answers are taken as they are: the settings check their range.
        """
        links, crowd = values.get("link_prior"), values.get("link_errors")
        try:
            errors = CrowdErrors(**crowd) if crowd else PAPER_ERRORS
            programs = {
                program: (missed, false) for program, (missed, false) in (values.get("program_errors") or {}).items()
            }
        except (TypeError, ValueError) as error:
            raise ValueError(f"errors of links should be two shares of wrong answers: {error}") from error
        return cls(
            LinkPrior.from_json(links) if links else DEFAULT_LINKS,
            errors,
            programs,
            BoxPrior.from_json(values.get("box_prior") or {}),
        )


def _values_of(crowd: CrowdErrors) -> dict[str, float]:
    """Return the errors by name; those of sweeps only if answers have taught any."""
    if crowd == PAPER_ERRORS:
        return {}
    of_sweeps = {"overlooked": OVERLOOKED, "lapse": LAPSE}
    return {name: value for name, value in crowd._asdict().items() if of_sweeps.get(name) != value}
