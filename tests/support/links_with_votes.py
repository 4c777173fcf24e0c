"""Links with several answers each, in a project that asks what is part of what."""

from collections.abc import Sequence

from annotation.models import Project
from pipeline.models import Judgment, Question
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from workers.models import Worker


def links_with_votes(votes: Sequence[tuple[str, ...]]) -> Project:
    """Make a project with a link for each of these tuples of answers, the first of which has closed it.

    "program" is the answer of a program, that B is part of A.
    """
    images = [phrases("people: three men", "people: one of them", name=str(number)) for number in range(len(votes))]
    project = project_of(*images, settings=ProtocolSettings(strategy=Strategy.EXHAUSTIVE, part_answers=True))
    assignment = lease(project, worker(project, "ada"), Task.COREFERENCE_LINK)
    places = dict(Question.objects.values_list("pk", "image__position"))
    submit(assignment, *(votes[places[number]][0] for number in assignment.questions))
    tick(project_id=project.pk)
    given = list(Judgment.objects.order_by("question__image__position"))
    for judgment, (_, *others) in zip(given, votes, strict=True):
        for number, one in enumerate(others):
            kind = Worker.Kind.PROGRAM if one == "program" else Worker.Kind.PERSON
            judgment.pk, judgment.answer = None, "b is part of a" if one == "program" else one
            judgment.worker = worker(project, f"{kind} {number}", kind=kind)
            judgment.save()
    return project
