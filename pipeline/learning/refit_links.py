"""Refits of links [beyond paper 3.1.1]: a project learns its prior, its crowd's errors and its trust in programs.

Refits are safe to run twice, and in two processes at once: only the settings that were read are replaced. Images follow
the new version as they followed the last one, each from its next entry on; questions on loan stay open.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from django.db.models import Exists, OuterRef

from annotation.models import Image
from annotation.rules.states import ImageState
from annotation.rules.transitivity import Pair, groups
from belief.links.answer_model import LinkAnswer
from belief.links.refit_from_answers import JudgedGroup
from belief.models.audit import LinkAudit
from pipeline.learning.fit_prior import with_heads
from pipeline.learning.learn import LinkedImage, LinkEvidence, learn, learn_programs, weighable
from pipeline.learning.refit_due import images_before_refit, may_be_due, read_for_refit
from pipeline.learning.store_learned import given_to, store_learned
from pipeline.models import Question
from pipeline.policies.adaptive_links import evidence_of_models, link_audit_of, people_answers
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings

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
    engine = engine_of(settings)
    wanted = images_before_refit(settings.learned.links, settings)
    is_wanted = engine.weighs(Task.COREFERENCE_LINK) and settings.refit_links
    if only_if_due and not (is_wanted and may_be_due(linked, project_id, wanted)):
        return None
    images = linked.filter(Exists(LINKS.filter(image=OuterRef("id")))).count()
    if only_if_due and images < wanted:
        return None
    given = replace(given_to(project_id), links=with_heads(given_to(project_id).links, project_id))
    groups = list(judged_groups(project_id, settings))
    beyond = engine.links_beyond_rules
    read = read_for_refit(project_id, _images_with_questions(project_id), settings) if beyond else iter(())
    evidence = LinkEvidence(groups, images, list(map(linked_image, read)))
    learned = learn(settings, settings.learned, evidence, given)
    reason = f"weights of links refitted on {weighable(groups)} groups of own answers"
    return store_learned(project_id, version, learned, reason, answers=_answers(groups))


def linked_image(progress: ImageProgress) -> LinkedImage:
    """Return what an image tells of chains that the rules of links keep apart."""
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    known = [mention.for_links() for number, mention in progress.mentions.items() if number in chain_of]
    return LinkedImage(known, [chain_of[mention.number] for mention in known], people_answers(progress))


def _images_with_questions(project_id: int) -> list[int]:
    """Return the images about whose links somebody was asked."""
    asked = LINKS.filter(image__project=project_id).order_by("image").values_list("image", flat=True)
    return list(asked.distinct())


def refit_of_programs(project_id: int) -> int | None:
    """Learn the errors of programs whose chains have just come, and add a version of the settings with them.

    Returns its number; None if there is nothing new, or if the settings changed meanwhile.
    """
    version, settings = current_settings(project_id)
    weighs_links = engine_of(settings).weighs(Task.COREFERENCE_LINK)
    if not weighs_links or not settings.refit_links or not settings.pre_annotations:
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
    said = {
        pair: [LinkAnswer(vote.answer, vote.skill) for vote in sorted(votes, key=lambda vote: vote.entry)]
        for pair, votes in progress.votes_by(model=False).items()
    }
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
