"""Simulated programs that judge: they err about boxes and links as often as they are said to, or as they were measured.

No figure that they produce was measured with a program.
"""

from dataclasses import dataclass
from typing import Any

from belief.models.juror_record import PERSON, JurorRecord
from belief.models.link_record import LinkRecord
from belief.models.tally import Mistakes
from pipeline.protocol.tasks import box_coverage, box_quality, box_requirement, coreference_link
from pipeline.protocol.tasks.task import Task
from simulation.box_crowd import right_answer
from simulation.link_crowd import stable_uniform
from simulation.view import View

FAULTS = {
    Task.COREFERENCE_LINK: (coreference_link.Answer.DIFFERENT.value, coreference_link.Answer.SAME.value),
    Task.BOX_REQUIREMENT: (box_requirement.Answer.BOX.value, box_requirement.Answer.NO_BOX.value),
    Task.BOX_QUALITY: (box_quality.Answer.BAD.value, box_quality.Answer.GOOD.value),
    Task.BOX_COVERAGE: (box_coverage.Answer.MORE_NEEDED.value, box_coverage.Answer.ALL_THERE.value),
}
"""Of each task that programs judge, the answer that finds something wrong or missing, and the other."""


@dataclass(frozen=True, slots=True)
class SimulatedJuror:
    """One program. It gives one answer to one state, however often it is asked."""

    name: str
    """Tells its errors from those of other programs."""
    wrong: float
    """The share of wrong answers, 0 to 1, where it was not measured."""
    boxes: JurorRecord = JurorRecord()  # noqa: RUF009  # cannot be changed
    links: LinkRecord = LinkRecord()  # noqa: RUF009

    @property
    def said(self) -> str:
        """The shares of its errors, in words."""
        measured = [
            f"{wrong:.0%} about {what}"
            for what, wrong, known in (
                ("boxes", self.boxes.wrong, self.boxes.is_known),
                ("links", self.links.wrong, self.links.is_known),
            )
            if known
        ]
        if measured:
            return f"{self.name}: wrong in {' and '.join(measured)}, as measured"
        return f"{self.name}: wrong in {self.wrong:.0%}, as assumed"

    def answer(self, view: View, seed: int) -> Any:
        """Return its answer to a question: the right one, or the other by its chance of an error."""
        fault, no_fault = FAULTS[view.task]
        is_fault = _truth(view) == fault
        passed, alarm = self._mistakes(view)
        shown = ""
        if view.task is not Task.COREFERENCE_LINK:
            shown = str(sorted(tuple(box.box) for box in view.progress.accepted(view.chain.name)))
        draw = stable_uniform(seed, self.name, view.image.key, view.task.value, str(view.subject), shown)
        is_wrong = draw < (passed if is_fault else alarm)
        return fault if is_fault is not is_wrong else no_fault

    def _mistakes(self, view: View) -> Mistakes:
        assumed = Mistakes(self.wrong, self.wrong)
        if view.task is Task.COREFERENCE_LINK:
            return self.links.of_pairs() if self.links.is_known else assumed
        if not self.boxes.is_known:
            return assumed
        if view.task is not Task.BOX_QUALITY:
            return self.boxes.of_missing()
        box = view.progress.boxes[view.subject[1]]
        return self.boxes.of_box(str(box.worker) if box.proposed else PERSON)


def _truth(view: View) -> Any:
    if view.task is not Task.COREFERENCE_LINK:
        return right_answer(view)
    first, second = (view.image.chain_of[number].name for number in view.subject)
    return (coreference_link.Answer.SAME if first == second else coreference_link.Answer.DIFFERENT).value
