"""Kin of model annotators: naming a program's family, and what answers tell of programs that err alike."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.db import transaction

from annotation.models import Project
from belief.models.error_correlation import ErrorCorrelation, pair_of
from belief.models.family import Families
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import change_settings, hold_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from workers.models import Worker

WEIGHED = {"boxes": Task.BOX_QUALITY, "links": Task.COREFERENCE_LINK}


class ModelFamily(NamedTuple):
    """A program's family, and sentences on what that means."""

    name: str = ""
    sentences: tuple[str, ...] = ()


def family_of(program: int, names: Mapping[int, str], settings: Settings) -> ModelFamily:
    """Return the family of a model annotator. `names`: of all model annotators, by their numbers."""
    others = sorted(set(names) - {program}, key=lambda one: names[one])
    found = [(what, _pairs(task, settings)) for what, task in WEIGHED.items() if engine_of(settings).weighs(task)]
    sentences = [
        sentence
        for what, pairs in found
        for sentence in _sentences(what, program, others, names, settings.model_families, pairs)
    ]
    return ModelFamily(settings.model_families.get(str(program), ""), tuple(sentences))


def _pairs(task: Task, settings: Settings) -> Mapping[str, ErrorCorrelation]:
    return (
        settings.learned.links.pairs_of_models
        if task is Task.COREFERENCE_LINK
        else engine_of(settings).box_rules.prior.pairs
    )


def _sentences(
    what: str,
    program: int,
    others: Sequence[int],
    names: Mapping[int, str],
    of: Mapping[str, str],
    pairs: Mapping[str, ErrorCorrelation],
) -> Iterator[str]:
    relatives = [other for other in others if Families(of).are_one(program, other)]
    as_one = [names[relative] for relative in relatives if Families(of, pairs).are_one(program, relative)]
    apart = [names[relative] for relative in relatives if names[relative] not in as_one]
    alike = [
        names[other] for other in others if other not in relatives and _are_shared(pairs.get(pair_of(program, other)))
    ]
    if as_one:
        yield f"About {what} it counts as one opinion with {_listed(as_one)}."
    if apart:
        yield f"About {what} it counts apart from {_listed(apart)}: answers show that they err apart."
    if alike:
        yield f"About {what} it errs together with {_listed(alike)} more often than by chance: give both one family."


def _are_shared(pair: ErrorCorrelation | None) -> bool:
    return pair is not None and pair.are_shared


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@transaction.atomic
def set_family(project: Project, program: int, family: str, by: str) -> None:
    """Name the family of a program; "": none. Raises Worker.DoesNotExist, and WrongValuesError for a name too long."""
    settings = hold_settings(project.pk)[1]
    worker = Worker.objects.get(pk=program, kind=Worker.Kind.PROGRAM)
    others = {other: name for other, name in settings.model_families.items() if other != str(program)}
    changed = replace(settings, model_families={**others, str(program): family} if family else others)
    if changed != settings:
        change_settings(project_id=project.pk, settings=changed, reason=f"family of {worker.name}", made_by=by)
