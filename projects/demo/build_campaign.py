"""The demo campaign: a simulated crowd with bad workers under quality control, and all that a requester settles."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import transaction

from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from exchange.import_dataset import import_dataset
from labelling.messages import write_to_requester
from pipeline.money.ledger import accounts
from pipeline.money.pay_worker import pay_worker
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.intervene import report_problem
from pipeline.settings.settings import Settings
from projects.dashboard.figures import refresh_figures
from projects.quality.detect_signals import find_signals
from projects.quality.estimate_skills import estimate_skills
from runtime import clock
from simulation.scenes.scene import write_source
from simulation.simulate_quality import QualityPlan, set_model, simulate_quality
from workers.change_trust import change_trust
from workers.models import TrustStatus, Worker
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustEvent, TrustState

NAME = "campaign"
SEED = 2
SCENES = 16
PLAN = QualityPlan(seed=SEED, workers=20, bad=0.3, known_questions=80, most=1_400)
"""Enough judgments that some images are finished and some are not, however the questions fall."""
HISTORY = timedelta(days=20)
"""The time for which the campaign has been at work when it is opened. The crowd's own clock needs less."""
SETTINGS = Settings(reward_cents={task.value: 10 for task in PROTOCOL_TASKS}, spend_cap_cents=5_000)
OPEN = [state.value for state in (ChainState.DRAWING, ChainState.QUALITY, ChainState.COVERAGE)]
REPORT = "“{}” is not in the picture."
APPEAL = "I was excluded from {}, and I do not understand why: I took my time for every question. Please look again."
DEMO_TEXTS = {
    "title": "A crowd at work",
    "requester": "Nobody: this project is a demonstration that comes with Chainbox.",
    "contact": "Whoever runs this copy of Chainbox. There is no requester to write to.",
    "purpose": "To show a campaign to requesters. All its workers are simulated, and nobody is paid.",
}


def build_campaign(say: Callable[[str], object] = lambda line: None) -> Project:
    """Make the demo campaign, unless it is there. `say` gets a line about it. An interruption leaves nothing behind."""
    there = Project.objects.filter(name=NAME).first()
    if there is not None:
        return there
    say("Letting a simulated crowd, some of it bad, work under quality control …")
    with transaction.atomic():
        with clock.moved(-HISTORY):
            project = _import()
            set_model(project, TrustModel.VERIFICATION.value)
            simulate_quality(project, PLAN)
        estimate_skills(project_id=project.pk)
        find_signals(project_id=project.pk)
        _pay(project)
        _dispute(project)
        _appeal(project)
    refresh_figures(project.pk, anew=True)
    return project


def _import() -> Project:
    with TemporaryDirectory() as folder:
        source = Path(folder) / "scenes"
        write_source(source, SEED, SCENES)
        import_dataset(project_name=NAME, path=source, gold=True, strict=True, settings=SETTINGS)
    Project.objects.filter(name=NAME).update(**DEMO_TEXTS)
    return Project.objects.get(name=NAME)


def _pay(project: Project) -> None:
    """Record that every second worker was paid."""
    for worker_id, account in list(accounts(project.pk).items())[::2]:
        if account.owed > 0:
            pay_worker(
                worker_id=worker_id,
                project_id=project.pk,
                cents=account.owed,
                reference=f"demo-{worker_id}",
                actor="demo",
                reason="Simulated: nobody was paid.",
            )


def _dispute(project: Project) -> None:
    """Let two workers report a phrase, so that a chain waits for an expert: of a chain at work, if one is left."""
    placed = Chain.objects.filter(image__project=project).exclude(state=ChainState.LINKING.value)
    at_work = placed.filter(state__in=OPEN).order_by("image", "name").first()
    chain = at_work or placed.earliest("image", "name")
    phrase = chain.image.mentions.filter(chain=chain.name).earliest("number")
    for worker in Worker.objects.filter(accesses__project=project).order_by("name").distinct()[:2]:
        report_problem(
            image_id=chain.image_id,
            what="mention",
            number=phrase.number,
            worker_id=worker.pk,
            reason=REPORT.format(phrase.text),
        )


def _appeal(project: Project) -> None:
    """Let a barred worker write to the requester."""
    found = TrustStatus.objects.filter(project=project, state=TrustState.BARRED.value).order_by("pk").first()
    barred = found or _bar_by_hand(project)
    text = APPEAL.format(Task(barred.task).label)
    write_to_requester(worker_id=barred.worker_id, project_id=project.pk, text=text, task=barred.task)


def _bar_by_hand(project: Project) -> TrustStatus:
    """Bar the last worker of the crowd, a bad one if there are any: quality control does not find one in every run."""
    row = TrustStatus.objects.filter(project=project, asked__gt=0).latest("worker__name", "pk")
    change_trust(
        worker_id=row.worker_id,
        project_id=project.pk,
        task=row.task,
        event=TrustEvent.BAR,
        because="Too many answers looked wrong.",
        actor="demo",
    )
    return row
