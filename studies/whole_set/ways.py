"""The ways to annotate the set, and the simulated programs of the third."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from annotation.models import Image, Project
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from projects.models import ModelPrediction
from projects.predictions.enter_predictions import enter_predictions
from projects.predictions.import_predictions import program_named, take_predictions
from projects.predictions.judges import set_to_work
from simulation.programs import SimulatedModel, SimulatedProposer
from studies.whole_set.made_set import MadeSet
from workers.api_keys import make_api_key
from workers.grant_access import grant_access
from workers.models import Worker

BELIEF = {"strategy": "adaptive", "box_policy": "belief", "most_informative_first": False}  # boxes are drawn meanwhile
WAYS: Mapping[str, dict[str, Any]] = {
    "paper": {"strategy": "greedy plus", "verify_below": 1.0},
    "adaptive": BELIEF,
    "programs": {**BELIEF, "pre_annotations": True},
}
"""The settings of each way: the paper's; adaptive links and belief in boxes; the same beside programs."""
PROPOSER, MODEL = "Simulated proposer", "Simulated model annotator"
GOOD, WRONG = 0.7, 0.08
"""The share of true boxes that the proposer finds, and the model annotator's share of wrong answers."""
AT_ONCE = 500


def settings_of(way: str) -> Settings:
    """Return the settings of a new project."""
    return Settings.from_json(WAYS[way])


def model_annotator() -> SimulatedModel:
    return SimulatedModel(MODEL, WRONG)


def model_at_work(project: Project) -> Worker:
    """Return the model annotator in the project; made and set to work if it is not yet."""
    program = program_named(MODEL)
    if program.pk not in current_settings(project.pk)[1].model_annotators:
        make_api_key(program)
        grant_access(program, project.pk, list(PROTOCOL_TASKS), trusted=True)
        set_to_work(project, program.pk, "whole set")
    return program


def propose(project: Project, made: MadeSet, seed: int, step: Callable[[int], object]) -> None:
    """Let the proposer predict boxes for every image, some at a time; those that it predicted before are left out."""
    program, proposer = program_named(PROPOSER), SimulatedProposer(GOOD)
    while names := _without_pre_annotations(project, program):
        rows = [row for name in names for row in _rows(made, name, proposer.rows(made.gold(name), seed))]
        take_predictions(project, program.name, rows, by="whole set")
        enter_predictions(project.pk)
        step(len(names))


def _without_pre_annotations(project: Project, program: Worker) -> Sequence[str]:
    done = ModelPrediction.objects.filter(project=project, program=program).values("image_id")
    rows = Image.objects.filter(project=project).exclude(id__in=done).order_by("position")
    return list(rows.values_list("name", flat=True)[:AT_ONCE])


def _rows(made: MadeSet, name: str, boxes: Sequence[Sequence[int]]) -> Iterator[dict[str, Any]]:
    """Yield a row of the API for each phrase that the proposer boxes; an image without any says so of one phrase."""
    mentions = made.image(made.number(name)).mentions
    by_phrase: dict[int, list[Sequence[int]]] = defaultdict(list)
    for phrase, *box in boxes:
        by_phrase[phrase].append(box)
    for phrase, found in (by_phrase or {0: []}).items():
        one = mentions[phrase]
        yield {"image": name, "caption": one.caption, "words": [one.start, one.end], "boxes": found}
