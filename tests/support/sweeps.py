"""A link policy that asks sweeps, and projects that ask them, mention by mention."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.protocol.links.policy import Ask, Group, LinkPlan
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.projects import answer, phrases, project_of, worker


def as_sweep(plan: LinkPlan, image: ImageProgress, group: Group, most: int = 12, *, preset: bool = False) -> LinkPlan:
    """Return a plan that asks one sweep of the links of this one, about the mention with most of them."""
    if len(plan.asks) < 2:
        return plan
    asked = Counter(number for ask in plan.asks for number in ask.subject)
    about = max(image.reading_order(mention.number for mention in group), key=asked.__getitem__)
    asks = [ask for ask in plan.asks if about in ask.subject]
    if about in image.unswept or len(asks) == 1:
        return replace(plan, asks=(asks[0],))
    candidates = {number for ask in asks for number in ask.subject} - {about}
    subject = (about, *image.reading_order(candidates)[:most])
    return replace(plan, asks=(Ask(subject, preset=subject[1:2] if preset else ()),))


@dataclass(frozen=True)
class Sweeps(PaperLinks):
    """Asks about one mention at a time: that with most open links, the first in reading order of several."""

    strategy: Strategy = Strategy.EXHAUSTIVE_PLUS
    most_candidates: int = 12
    preset: bool = False
    """Whether the first candidate is touched already."""

    @property
    def digest(self) -> str:
        return f"sweeps {self.most_candidates} {super().digest}"

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        return as_sweep(super().plan(image, group), image, group, self.most_candidates, preset=self.preset)


@pytest.fixture
def ask_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the paper's strategies ask sweeps."""
    plan = PaperLinks.plan
    monkeypatch.setattr(PaperLinks, "plan", lambda self, image, group: as_sweep(plan(self, image, group), image, group))


MEN = ("people: a man", "people: a boy", "people: the man", "people: the boy")


def project_of_men(strategy: LinkStrategy = LinkStrategy.EXHAUSTIVE) -> Project:
    """Make a project of four people in four captions, whose first sweep is of the first one and the three others."""
    return project_of(phrases(*MEN), settings=Settings(strategy=strategy))


def swept(*touched: Sequence[int]) -> Project:
    """Make that project, and let its first sweep get these answers, the first of which has closed it."""
    project = project_of_men()
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, {"same": [*touched[0]]})
    judgment = Judgment.objects.get()
    for number, same in enumerate(touched[1:], 1):
        judgment.pk, judgment.answer = None, {"same": [*same]}
        judgment.worker = worker(project, f"worker {number}")
        judgment.save()
    return project
