"""Counts of ranges, kept as JSON and added: nothing is lost, and the sums are those of all images at once."""

import json

import pytest

from exchange.data_card.count_answers import AnswerCounts
from exchange.data_card.count_rows import RowCounts
from exchange.data_card.facts import count
from exchange.data_card.kept_counts import add_counts, counts_as_json
from exchange.import_image import import_image
from pipeline.models import Judgment
from pipeline.project.settings_versions import open_project
from pipeline.tick import tick
from scenes.make import make_scene
from simulation.simulate import simulate
from workers.models import Worker

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_counts_of_two_ranges_together_are_those_of_all_images() -> None:
    project = open_project(name="parks")
    for number in range(3):
        import_image(project, number, make_scene(7, number).image, picture="", gold=True, settings_version=1)
    tick(project_id=project.id)
    simulate(project=project, crowd="paper", seed=1, most=150)
    busy = Judgment.objects.earliest("pk").worker_id
    Worker.objects.filter(pk=busy).update(kind=Worker.Kind.PROGRAM)
    ids = list(project.images.values_list("id", flat=True))
    rows, answers = RowCounts(), AnswerCounts()
    for part in (ids[:1], ids[1:]):
        add_counts(rows, answers, json.loads(json.dumps(counts_as_json(*count(part)))))
    every = count(ids)
    assert every[1].tasks and every[1].programs and every[0].answered_to
    assert (rows, answers) == every
