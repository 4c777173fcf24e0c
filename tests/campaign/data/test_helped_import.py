"""Large imports that other job runners help with: paused and resumed as others, without a rest of pieces."""

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from campaign import long_work
from campaign.data.runs import resume
from campaign.models.long_work import Wanted
from exchange import jobs
from exchange.pieces import read_ahead
from tests.campaign.conftest import Later
from tests.campaign.data.test_runs import begun, fresh, rita_of, wish_after
from upkeep.models import JobRun
from upkeep.pieces import PIECE

pytestmark = pytest.mark.django_db


def test_a_large_import_asks_job_runners_for_help_and_can_be_paused(
    draft: Project, source: Path, later: Later, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(long_work, "LOOK_SECONDS", 0)
    monkeypatch.setattr(jobs, "start", lambda job, *_: asked.append(job.name))
    monkeypatch.setattr(read_ahead, "LEAST_IMAGES", 3)
    monkeypatch.setattr(read_ahead, "PIECE_IMAGES", 2)
    run = begun(draft, source)
    settings.CELERY_TASK_ALWAYS_EAGER = False
    with monkeypatch.context() as patched:
        wish_after(3, run, Wanted.PAUSE, patched)
        later.pop()()
    assert (fresh(run).state, fresh(run).done, draft.images.count()) == ("paused", 3, 3)
    assert set(asked) == {"exchange.help_import"}
    assert not JobRun.objects.filter(key__startswith=PIECE).exists()
    settings.CELERY_TASK_ALWAYS_EAGER = True  # the request itself goes to no broker
    resume(run, rita_of(run.project))
    settings.CELERY_TASK_ALWAYS_EAGER = False
    later.pop()()
    assert (fresh(run).state, fresh(run).already_there, fresh(run).images) == ("done", 3, 3)
