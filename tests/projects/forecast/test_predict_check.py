"""The prediction of a check: what is found for which budget, and a budget that ends the work."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Project
from exchange.formats.flickr30k.read import read_flickr30k
from pipeline.errors import BudgetSpentError
from pipeline.models import Judgment, Question
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.settings.settings import Settings
from projects.demo.build_check import right_answers
from projects.forecast.results import ForecastResult, best_by_cost, best_within, ways_of
from simulation.crowd import paper
from simulation.predict.subject import renumbered
from simulation.programs import PROPOSER, with_programs
from simulation.scenes.scene import write_source
from simulation.simulate import CrowdRun, link_images, virtual_workers
from tests.projects.forecast.conftest import ADDRESS, made
from tests.support.settings_with import settings_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    write_source(tmp_path / "parks", 0, 3, pictures=False)
    return tmp_path / "parks"


@pytest.fixture
def project(source: Path) -> Project:
    project = open_project(name="ours", settings=Settings(reference_trust=0.8))
    call_command("import_dataset", "ours", str(source), use="check")
    return project


@pytest.mark.slow
def test_a_check_is_predicted_by_its_finds_and_a_budget_chooses_and_caps(project: Project, requester: Client) -> None:
    row = made(project, sample=3)
    result = ForecastResult.model_validate(row.result)
    now, *ways = ways_of(result)
    assert result.wrong_share == pytest.approx(0.2)
    assert all(one.labels["wrong"][0] == now.labels["wrong"][0] > 0 for one in ways)
    cheapest, dearest = ways[0], ways[-1]
    assert cheapest.judgments[0] < dearest.judgments[0] and cheapest.labels["found"][0] <= dearest.labels["found"][0]
    best = best_by_cost(ways, paid=False)
    place = best_within(best, best[-1].judgments[0], "judgments")
    assert (place, best_within(best, 0.5, "judgments")) == (len(best) - 1, 0)

    page = unescape(requester.get(ADDRESS, {"budget": "5", "unit": "judgments"}).text)
    assert "wrong labels found" in page and "Nobody knows which labels of the data set are wrong" in page
    assert '<input type="hidden" name="answer_cap" value="5">' in page
    assert ("labels that nobody was asked about stay as they came" in page) == (best[0].judgments[0] > 5)
    assert "Ensure this value" in requester.get(ADDRESS, {"budget": "-1", "unit": "judgments"}).text
    assert "is not one of the available choices" in requester.get(ADDRESS, {"budget": "1", "unit": "money"}).text


def test_the_source_is_another_number_in_a_forecast_and_keeps_what_was_learned_of_it() -> None:
    settings = settings_with(reference_set=7, pre_annotations=True, program_errors={"7": [0.1, 0.2], "8": [0.3, 0.3]})
    base, programs = with_programs(renumbered(settings), {}, 10, good=0.7)
    assert base.reference_set not in (7, PROPOSER) and base.pre_annotations and programs.proposer is not None
    assert set(base.learned.programs) == {str(base.reference_set), "8"}
    assert str(base.reference_set) in engine_of(base).box_rules.prior.programs and renumbered(Settings()) == Settings()


def test_a_check_ends_at_its_budget(project: Project, source: Path) -> None:
    settings = current_settings(project.pk)[1]
    values = settings.to_json() | {"answer_cap": 12, "audit_rate": 0.2, "link_stop": 0.05}
    change_settings(project_id=project.pk, settings=Settings.from_json(values))
    right = {image.name: right_answers(image) for image in read_flickr30k(source)}  # type: ignore[union-attr, arg-type]
    gold = {pk: right[name] for pk, name in project.images.values_list("pk", "name")}
    run = CrowdRun(project, gold, paper(list(link_images(project, gold)), 0), virtual_workers(project, "few", 8), 0)
    with pytest.raises(BudgetSpentError):
        run.until_nothing_is_open(None, lambda judgments: None)
    given = Judgment.objects.filter(question__project=project).count()
    assert 12 - max(settings.batch.values()) < given <= 12
    assert Question.objects.filter(project=project, state="open").exists()
