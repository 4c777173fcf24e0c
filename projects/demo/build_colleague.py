"""The demo of a model annotator: a scripted one, named so, beside a simulated crowd."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import transaction

from annotation.models import Project
from exchange.dataset import DatasetImage, Problem
from exchange.import_dataset import import_dataset
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.protocol.tasks.task import JUDGING, PROTOCOL_TASKS, Task
from pipeline.record.apply_judgments import AFTER_LINKING, LINKS, apply_judgments
from pipeline.record.due_images import start_images
from pipeline.settings.settings import Settings
from projects.dashboard.figures import refresh_figures
from projects.demo.build_check import plainest, write_again
from projects.predictions.judges import set_to_work
from runtime import clock
from simulation.crowd import paper
from simulation.programs import AssumedErrors, SimulatedModel
from simulation.simulate import CrowdRun, link_images, load_gold, virtual_workers
from simulation.view import View
from workers.invitations import grant_access
from workers.models import Worker
from workers.tokens import make_api_key

NAME = "colleague"
PROGRAM = "Scripted colleague (demo)"
SEED = 3
BEFORE, AFTER = 16, 3
"""The scenes that are finished while the program is new, and those that come then."""
BEGUN = 24
"""About how many answers people give on those."""
WRONG = 0.08
WORKERS = 20
QUESTIONS_PER_ASSIGNMENT = 50
SECONDS = 0.7
"""The time that the program takes for an answer."""
HISTORY = timedelta(hours=5)
"""The time for which the project has been at work when it is opened."""
SETTINGS = Settings(
    strategy="adaptive",  # type: ignore[arg-type]
    box_policy="belief",  # type: ignore[arg-type]
    verify_below=0.9,
    reward_cents={task.value: 10 for task in PROTOCOL_TASKS},
    guests_trusted=True,
)
DEMO_TEXTS = {
    "title": "A program beside the crowd",
    "requester": "Nobody: this project is a demonstration that comes with Chainbox.",
    "contact": "Whoever runs this copy of Chainbox. There is no requester to write to.",
    "purpose": "To show a model annotator. The program is a script that knows the right answers and errs in 8 % of "
    "them, all workers are simulated, and nobody is paid.",
}


def build_colleague(say: Callable[[str], object] = lambda line: None) -> Project:
    """Make the demo of a model annotator, unless it is there. An interruption leaves nothing behind.

    `say` gets a line about it. The pictures are those of the first demo.
    """
    there = Project.objects.filter(name=NAME).first()
    if there is not None:
        return there
    say("Letting a scripted program judge beside a simulated crowd …")
    with transaction.atomic(), TemporaryDirectory() as folder:
        source = Path(folder) / "scenes"
        write_again(source)
        with clock.moved(-HISTORY):
            project = _import(source, BEFORE)
            program = _program(project)
            now = _let_work(project, program, clock.now())
            _import(source, BEFORE + AFTER)
            _let_work(project, program, now, most=BEGUN)
    refresh_figures(project.pk, anew=True)
    return project


def _import(source: Path, most: int) -> Project:
    """Import the `most` scenes with the fewest phrases, and the gold from which crowd and program answer."""

    def few(images: Iterable[DatasetImage | Problem], total: int) -> Iterable[DatasetImage | Problem]:
        return plainest(images, most)

    import_dataset(project_name=NAME, path=source, gold=True, strict=True, settings=SETTINGS, progress=few)
    Project.objects.filter(name=NAME).update(**DEMO_TEXTS)
    return Project.objects.get(name=NAME)


def _program(project: Project) -> Worker:
    """Make the program, with a key that nobody has seen, and set it to work."""
    program, _ = Worker.objects.get_or_create(name=PROGRAM, defaults={"kind": Worker.Kind.PROGRAM})
    make_api_key(program)
    grant_access(program, project.pk, list(PROTOCOL_TASKS), trusted=True)
    set_to_work(project, program.pk, "demo")
    return program


def _let_work(project: Project, program: Worker, now: datetime, most: int | None = None) -> datetime:
    gold = load_gold(project)
    crowd = paper(list(link_images(project, gold)), SEED)
    run = RunWithProgram(project, gold, crowd, virtual_workers(project, "beside-a-program", WORKERS), SEED)
    run.now, run.program = now, program
    run.until_nothing_is_open(most, lambda judgments: None)
    return run.now


class RunWithProgram(CrowdRun):
    """A run in which a program answers first, in each round, whatever it is asked."""

    program: Worker
    model_annotator = SimulatedModel(PROGRAM, AssumedErrors(WRONG))

    def round(self) -> int:
        while sum(self._ask(task) for task in sorted(JUDGING)):
            apply_judgments(LINKS, project_id=self.project.pk, now=self.now)
            start_images(project_id=self.project.pk, now=self.now)
            apply_judgments(AFTER_LINKING, project_id=self.project.pk, now=self.now)
        return super().round()

    def _ask(self, task: Task) -> int:
        lease = lease_assignment(
            project_id=self.project.pk,
            worker_id=self.program.pk,
            task=task,
            size=QUESTIONS_PER_ASSIGNMENT,
            now=self.now,
        )
        if lease is None:
            return 0
        given = [
            GivenAnswer(self.model_annotator.answer(view, SEED))
            for view in self._views(lease)
            if isinstance(view, View)
        ]
        self.now += timedelta(seconds=SECONDS * len(given))
        submit_assignment(assignment_id=lease.id, worker_id=self.program.pk, answers=given, now=self.now)
        return len(given)
