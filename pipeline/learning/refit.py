"""Refits [beyond paper 3.1.1, 3.2]: a project learns its priors, its crowd's errors and its trust in programs itself.

A refit is due when twice as many images are finished as at the last one, in a running project whose settings want it.
It is safe to run twice, and in two processes at once: only the settings that were read are replaced. Images follow the
new version as they followed the last one, each from its next entry on; questions on loan stay open.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import inf, isfinite
from random import Random
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Avg, Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Least

from annotation.models import Image, Project
from annotation.rules.box import Box, iou
from annotation.rules.states import ImageState, ProjectState
from annotation.rules.transitivity import Pair, groups
from belief.habits import KnownDrawing
from belief.known_answers import KnownAnswers
from belief.learned import LearnedState
from belief.links.fit_known import LinkedImage
from belief.links.link_seconds import TimedAnswers
from belief.links.refit_from_answers import JudgedGroup, KnownLinkAnswers
from belief.models.records import LinkAudit
from pipeline.checking.label_evidence import LabelEvidence, NewLabel, label_evidence_of, labels_of_source
from pipeline.learning.fit_prior import with_heads
from pipeline.learning.learn import ChainEvidence, LinkEvidence, learn, learn_programs, weighable
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, Progress, Question, SettingsVersion
from pipeline.policies.adaptive_links import evidence_of_models, link_audit_of, people_answers
from pipeline.policies.box_evidence import finished_chains
from pipeline.policies.compose import adaptive_links, compose, engine_of
from pipeline.project.open_questions import ListLength
from pipeline.project.settings_versions import current_settings, given_in, hold_settings, newest_version, refitted
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.coreference_link import means_same, replies_in
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from pipeline.settings.settings import Settings
from workers.models import Worker

MODELS_EVERY = 25
"""Finished images between two refits while programs judge, unless fewer have doubled, or a twentieth is more."""
FIRST_REFIT_WITH_MODELS = 3
"""Finished images before the first refit where programs judge: until then people answer everything."""
FIRST_REFIT = 15
"""Finished images before the first refit: about 30 groups with answers, or 100 chains."""
MOST_IMAGES = 1000
"""A refit reads this many images at most."""


def images_before_refit(settings: Settings, task: Task) -> float:
    """Return how many finished images the next refit of links or boxes waits for: twice as many as the last one had.

    Sooner where programs judge, who may change. Infinite where answers to the task are no evidence, or the settings
    want no refit.
    """
    engine, wanted = (
        engine_of(settings),
        {Task.COREFERENCE_LINK: settings.refit_links, Task.BOX_QUALITY: settings.refit_boxes},
    )
    last = engine.prior(task).refitted_on
    if task not in engine.weighed or not wanted[task]:
        return inf
    if settings.model_annotators:
        return last + min(max(FIRST_REFIT_WITH_MODELS, last), max(MODELS_EVERY, last // 20))
    return max(FIRST_REFIT, 2 * last)


def _is_due(finished: QuerySet[Image], with_questions: QuerySet[Image], project_id: int, target: float) -> bool:
    """Tell whether the project is running and so many of its finished images were asked about."""
    running = Project.objects.filter(id=project_id, state=ProjectState.RUNNING.value)
    # All finished ones are counted first, which is quick.
    return isfinite(target) and running.exists() and finished.count() >= target and with_questions.count() >= target


def read_for_refit(project_id: int, images: list[int], settings: Settings) -> Iterator[ImageProgress]:
    """Yield the progress of MOST_IMAGES of these images at most, in their order.

    Where model annotators are at work, who may change, these are the newest, in the order of their last entries.
    """
    if settings.model_annotators:
        chosen = _newest(project_id, set(images))
    else:
        drawn = Random(f"{project_id} {len(images)}").sample(images, min(MOST_IMAGES, len(images)))
        chosen = sorted(drawn)
    yield from (progress for _, progress in read_progress(chosen))


def _newest(project_id: int, images: set[int]) -> list[int]:
    last = Entry.objects.filter(project_id=project_id).order_by().values("image").annotate(last=Max("id"))
    newest = (image for image in last.order_by("-last").values_list("image", flat=True) if image in images)
    return list(islice(newest, MOST_IMAGES))[::-1]


MOST_WEIGHED = 250
"""The labels of this many images are weighed at most: about three seconds."""
IMAGES_PER_QUERY = 200
MOST_SECONDS = 60.0
"""An answer about links counts with so many at most: whoever takes longer was away."""


def known_labels(
    project_id: int, settings: Settings, most: int = MOST_WEIGHED
) -> list[tuple[list[LabelEvidence], list[NewLabel]]]:
    """Return what is known of the labels of finished images, drawn evenly; nothing if no data set is checked."""
    program = engine_of(settings).source.program
    if not program:
        return []
    merged = Image.objects.filter(project_id=project_id, state=ImageState.MERGED.value)
    images = list(merged.order_by("id").values_list("id", flat=True))
    drawn = sorted(Random(f"{project_id} {len(images)}").sample(images, min(most, len(images))))
    found, said = [], last_proposals(drawn, program)
    for image, progress in read_progress(drawn):
        own = said.get(image, {})
        boxes, chains, flags = own.get("boxes", ()), own.get("chains", ()), own.get("flags", {})
        labels = labels_of_source(boxes, chains, flags, progress.mentions)
        found.append(label_evidence_of(progress, labels, settings))
    return found


def last_proposals(images: Sequence[int], program: int) -> dict[int, dict[str, Any]]:
    """Return by image what the program said last, as its entry in the record has it."""
    entries = Entry.objects.filter(image__in=images, kind=EntryKind.PROPOSE.value, data__worker=program)
    return dict(entries.order_by("image", "sequence").values_list("image", "data"))


def read_progress(images: Sequence[int]) -> Iterator[tuple[int, ImageProgress]]:
    """Yield each of these images with its progress, in their order."""
    for start in range(0, len(images), IMAGES_PER_QUERY):
        part = images[start : start + IMAGES_PER_QUERY]
        states = dict(Progress.objects.filter(image__in=part).values_list("image", "state"))
        yield from ((image, from_json(states[image])) for image in part if image in states)


def given_to(project_id: int) -> LearnedState:
    """Return what people gave the project, and not what it has learned, or the project that it is a copy of.

    After several refits it is still that. Else each refit would count the same answers once more.
    """
    return given_in(newest_version(project_id).learned)


@transaction.atomic
def store_learned(project_id: int, version: int, learned: LearnedState, reason: str, *, answers: int) -> int | None:
    """Put what a refit learned in place of this version, and return its number; None if a newer one has come.

    `answers`: their number. The settings stay, and begun images follow as before.
    """
    if hold_settings(project_id)[0] != version:
        return None
    newest = newest_version(project_id)
    row = SettingsVersion(
        project_id=project_id,
        version=version + 1,
        values=newest.values,
        learned=refitted(project_id, newest.learned, learned),
        reason=reason,
        learned_from=answers,
        begun_from=newest.begun_from,
    )
    row.save()
    return row.version


GIVEN = (KnownQuestion.Source.GOLD, KnownQuestion.Source.EXPERT)
"""The sources of known questions whose truth does not come from the crowd."""
OF_BOXES = Question.objects.filter(task__in=[task.value for task in BOX_TASKS])


def refit_boxes(project_id: int, *, only_if_due: bool = True) -> int | None:
    """Refit the box prior and the trust in programs, add a version of the settings with them, and return its number.

    Returns None if nothing was due, or if the settings changed meanwhile. Images count that are merged, in a project
    that boxes by belief and has `refit_boxes` on.
    """
    version, settings = current_settings(project_id)
    # Those that were imported with their boxes are among the merged ones.
    merged = Image.objects.filter(project_id=project_id, state=ImageState.MERGED.value)
    engine = engine_of(settings)
    wanted = images_before_refit(settings, Task.BOX_QUALITY)
    images = merged.filter(Exists(OF_BOXES.filter(image=OuterRef("id"))))
    if only_if_due and not _is_due(merged, images, project_id, wanted):
        return None
    read = read_for_refit(project_id, list(images.order_by("id").values_list("id", flat=True)), settings)
    families = engine.families_in(Task.BOX_QUALITY)
    chains = [chain for progress in read for chain in finished_chains(progress, families, engine.box_rules.prior)]
    drawings = list(_known_drawings(project_id)) if settings.fuse_boxes else []
    known = list(_known_answers(project_id))
    evidence = ChainEvidence(chains, images.count(), known, drawings, known_labels(project_id, settings))
    learned = learn(settings, settings.learned, evidence, given_to(project_id))
    reason = f"weights of boxes refitted on {len(chains)} own chains"
    return store_learned(project_id, version, learned, reason, answers=sum(len(chain.answers) for chain in chains))


def _known_answers(project_id: int) -> Iterator[KnownAnswers]:
    """Yield the answers to each known question about boxes.

    Drawings are left out: a loose box is wrong without anything being overlooked.
    """
    rows = _to_known(project_id, BOX_TASKS - {Task.BOX_DRAWING}).order_by().values_list("known")
    good, bad = Count("id", filter=Q(right=True)), Count("id", filter=Q(right=False))
    for _, right, wrong in rows.annotate(is_right=good, is_wrong=bad):
        yield KnownAnswers(right, wrong)


def known_links_of(project_id: int) -> KnownLinkAnswers:
    """Return the answers to each known question about links, those to sweeps by candidate."""
    counts = defaultdict[tuple[int, int, int, bool], list[int]](lambda: [0, 0])
    rows = _to_known(project_id, (Task.COREFERENCE_LINK,)).order_by("id")
    read = rows.values_list("known", "known__truth", "known__shown__mentions", "answer")
    for known, truth, mentions, answer in read:
        subject = [number for number, *_ in mentions]
        true, said = (list(map(means_same, replies_in(reply, subject))) for reply in (truth, answer))
        for place, (same, means) in enumerate(zip(true, said, strict=True)):
            counts[known, place, len(true), same][means is not same] += 1
    found = [(candidates, same, KnownAnswers(*answers)) for (*_, candidates, same), answers in counts.items()]
    return KnownLinkAnswers(
        [answers for candidates, same, answers in found if same and candidates == 1],
        [answers for _, same, answers in found if not same],
        [(candidates, answers) for candidates, same, answers in found if same and candidates > 1],
    )


def _to_known(project_id: int, tasks: Iterable[Task]) -> QuerySet[Judgment]:
    """Return the answers of people at work to known questions whose truth somebody else has given.

    Tests are left out: people take them who are not trusted yet.
    """
    of_tasks = Judgment.objects.filter(known__project=project_id, known__task__in=[task.value for task in tasks])
    asked = of_tasks.filter(known__source__in=GIVEN, assignment__kind=Assignment.Kind.WORK)
    return asked.exclude(worker__kind=Worker.Kind.PROGRAM)


def _known_drawings(project_id: int) -> Iterator[KnownDrawing]:
    """Yield what people drew of boxes that somebody else has given, tests included: everybody draws as they do."""
    asked = Judgment.objects.filter(known__project=project_id, known__task=Task.BOX_DRAWING.value, right=True)
    rows = asked.filter(known__source__in=GIVEN).exclude(worker__kind=Worker.Kind.PROGRAM).order_by("id")
    for worker, answer, truth in rows.values_list("worker", "answer", "known__truth"):
        if "box" in answer:
            drawn = Box(*answer["box"])
            yield KnownDrawing(worker, drawn, max((Box(*box) for box in truth), key=partial(iou, drawn)))


T = TypeVar("T")
LINKS = Question.objects.filter(task=Task.COREFERENCE_LINK.value)


def refit_links(project_id: int, *, only_if_due: bool = True) -> int | None:
    """Refit the prior and the errors on the project's answers, add a version of the settings, and return its number.

    Returns None if nothing was due, or if the settings changed meanwhile. Images count that have all their links, in a
    project that links adaptively and has `refit_links` on.
    """
    version, settings = current_settings(project_id)
    # Those that were imported with their chains are among the linked ones.
    linked = Image.objects.filter(project_id=project_id).exclude(state=ImageState.LINKING.value)
    wanted = images_before_refit(settings, Task.COREFERENCE_LINK)
    images = linked.filter(Exists(LINKS.filter(image=OuterRef("id"))))
    if only_if_due and not _is_due(linked, images, project_id, wanted):
        return None
    given = replace(given_to(project_id), links=with_heads(given_to(project_id).links, project_id))
    policy, groups, joined = adaptive_links(settings), list[JudgedGroup](), list[LinkedImage]()
    for progress in read_for_refit(project_id, _images_with_questions(project_id), settings):
        groups += judged_in(progress, settings)
        joined += policy.linked(progress, [chain.mentions for chain in progress.chains.values()])
    timed = list(timed_links(project_id))
    evidence = LinkEvidence(groups, images.count(), joined, known_links_of(project_id), timed)
    learned = learn(settings, settings.learned, evidence, given)
    reason = f"weights of links refitted on {weighable(groups)} groups of own answers"
    return store_learned(project_id, version, learned, reason, answers=_answers(groups))


def timed_links(project_id: int) -> Iterator[TimedAnswers]:
    """Yield the answers of people about links by their number of candidates, with the seconds that they took."""
    timed = Judgment.objects.filter(question__project=project_id, question__task=Task.COREFERENCE_LINK.value)
    of_people = timed.filter(seconds__isnull=False).exclude(worker__kind=Worker.Kind.PROGRAM).order_by()
    by_length = of_people.annotate(mentions=ListLength(F("question__subject"))).values_list("mentions")
    for mentions, answers, seconds in by_length.annotate(Count("id"), mean=Avg(Least("seconds", MOST_SECONDS))):
        yield TimedAnswers(mentions - 1, answers, seconds)


def _images_with_questions(project_id: int) -> list[int]:
    """Return the images about whose links somebody was asked."""
    asked = LINKS.filter(image__project=project_id).order_by("image").values_list("image", flat=True)
    return list(asked.distinct())


def refit_of_programs(project_id: int) -> int | None:
    """Learn the errors of programs whose chains have just come, and add a version of the settings with them.

    Returns its number; None if there is nothing new, or if the settings changed meanwhile.
    """
    version, settings = current_settings(project_id)
    if not (settings.refit_links and compose(settings).links.reads_predicted_chains):
        return None
    groups, learned = list(judged_groups(project_id, settings)), settings.learned
    programs = learn_programs(settings, learned, groups)
    if programs == learned.programs:
        return None
    changed = replace(learned, programs=programs)
    return store_learned(project_id, version, changed, "links of programs weighed", answers=_answers(groups))


def _answers(groups: Iterable[JudgedGroup]) -> int:
    return sum(len(heard) for group in groups for heard in group.answers.values())


def judged_groups(project_id: int, settings: Settings) -> Iterator[JudgedGroup]:
    """Yield the groups with answers of MOST_IMAGES images at most, finished or not; answers are in their order.

    `settings`: those in force, which weigh what model annotators say.
    """
    for progress in read_for_refit(project_id, _images_with_questions(project_id), settings):
        yield from judged_in(progress, settings)


def judged_in(progress: ImageProgress, settings: Settings) -> Iterator[JudgedGroup]:
    """Yield the groups of an image that have answers, in their order. `settings`: see `judged_groups`."""
    said = people_answers(progress)
    by_models, audit = progress.votes_by(model=True), link_audit_of(progress)
    judged = {pair: [(vote.worker, vote.answer) for vote in votes] for pair, votes in by_models.items()}
    told, in_audit = evidence_of_models(progress, engine_of(settings), audit), audit is LinkAudit.PEOPLE
    for group in groups(mention.for_links() for mention in progress.mentions.values()):
        members = {mention.number for mention in group}
        if own := _between(members, said):
            by_model_annotators = _between(members, told), _between(members, judged)
            yield JudgedGroup(group, own, progress.program_chains, *by_model_annotators, in_audit)


def _between(members: set[int], pairs: Mapping[Pair, T]) -> dict[Pair, T]:
    return {pair: value for pair, value in pairs.items() if members.issuperset(pair)}
