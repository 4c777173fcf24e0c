"""Projects that ask sweeps, mention by mention."""

from collections.abc import Sequence

import pytest

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.protocol.links.strategies import PaperLinks
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.sweep_policy import as_sweep


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
