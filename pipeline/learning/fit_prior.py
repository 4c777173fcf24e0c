"""Fit the prior of the adaptive link strategy on images with known chains, and store it in a project's settings."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from annotation.models import Gold, Mention, Project
from annotation.rules.comparable import comparable
from annotation.rules.head_noun import head_noun
from annotation.rules.states import ImageState
from annotation.rules.transitivity import LinkMention, groups
from belief.links.fit_known import AnnotatedImage, with_joins, with_rule_keeping
from belief.links.fit_link_prior import GoldGroup, fit_link_prior
from belief.links.link_prior import ALIKE, DEFAULT, LinkPrior
from belief.links.text_features import alike_heads
from pipeline.models import Origin, Progress
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.settings.of_belief import LinkStrategy


def fit_prior(
    project_id: int,
    sources: Sequence[Project],
    *,
    stop: float | None = None,
    done: Callable[[int], object] = lambda number: None,
) -> int:
    """Fit a prior on the source projects and add a version of the settings with it and the adaptive strategy.

    How alike two head nouns are used is read from all captions of these projects and of the project itself. Returns the
    number of the version. Images use the version from their next entry on. `stop`: a new
    `link_stop` in bits; None keeps the old one. `done` is called with the number of groups read so far. Raises
    ValueError if the sources hold no group to learn from, or if `stop` is out of range.
    """
    alike = heads_of_captions({project_id, *(source.pk for source in sources)})
    groups = _counted((group for source in sources for group in known_groups(source)), done)
    prior = fit_link_prior(groups, alike=alike)
    known = [image for source in sources for image in gold_images(source)]
    prior = with_joins(with_rule_keeping(prior, known), known)
    names = ", ".join(source.name for source in sources)
    return _adopt(project_id, prior, stop, f"prior of links fitted on {prior.fitted_on} groups of {names}")


def read_captions(project_id: int, *, stop: float | None = None) -> int:
    """Give a project whose chains nobody knows a prior that knows its captions. The rest is as in `fit_prior`.

    How alike two head nouns are used is read from its captions; the weights stay as they are. Raises ValueError if no
    two phrases could name one thing, or if `stop` is out of range.
    """
    prior = with_heads(current_settings(project_id)[1].learned.links, project_id)
    if not prior.alike:
        raise ValueError("No two captions of an image have phrases that share a type: there is nothing to learn from.")
    reason = f"prior of links with {len(prior.alike)} pairs of head nouns of the project's captions"
    return _adopt(project_id, prior, stop, reason)


def _adopt(project_id: int, prior: LinkPrior, stop: float | None, reason: str) -> int:
    _, settings = current_settings(project_id)
    changed = replace(
        settings,
        strategy=LinkStrategy.ADAPTIVE,
        learned=replace(settings.learned, links=prior),
        link_stop=settings.link_stop if stop is None else stop,
    )
    return change_settings(project_id=project_id, settings=changed, reason=reason, origin=Origin.FITTED)


def known_groups(project: Project) -> Iterator[GoldGroup]:
    """Yield groups with known chains: from gold, and for finished images without gold from their final chains."""
    gold = dict(Gold.objects.filter(image__project=project, complete=True).values_list("image_id", "chains"))
    rows = Progress.objects.filter(project=project).order_by("image__position")
    for image, state in rows.values_list("image_id", "state").iterator(chunk_size=200):
        progress = from_json(state)
        if image in gold:
            yield from _groups(progress, [chain["mentions"] for chain in gold[image]])
        elif progress.state is ImageState.MERGED:
            yield from _groups(progress, [chain.mentions for chain in progress.chains.values()])


def gold_images(project: Project) -> Iterator[AnnotatedImage]:
    """Yield the mentions of each image that has gold, with the gold chain of each mention."""
    gold = dict(Gold.objects.filter(image__project=project, complete=True).values_list("image_id", "chains"))
    rows = Progress.objects.filter(project=project, image_id__in=gold).order_by("image__position")
    for image, state in rows.values_list("image_id", "state").iterator(chunk_size=200):
        chain_of = {number: name for name, chain in enumerate(gold[image]) for number in chain["mentions"]}
        known = [mention.for_links() for number, mention in from_json(state).mentions.items() if number in chain_of]
        yield known, [chain_of[mention.number] for mention in known]


def _groups(progress: ImageProgress, chains: Sequence[Sequence[int]]) -> Iterator[GoldGroup]:
    chain_of = {number: name for name, members in enumerate(chains) for number in members}
    known = [mention.for_links() for number, mention in progress.mentions.items() if number in chain_of]
    for group in groups(known):
        yield group, [chain_of[mention.number] for mention in group]


def _counted(rows: Iterator[GoldGroup], done: Callable[[int], object]) -> Iterator[GoldGroup]:
    for number, row in enumerate(rows, start=1):
        yield row
        done(number)


PHRASES_PER_QUERY = 5_000


def heads_of_captions(project_ids: Collection[int]) -> dict[str, float]:
    """Return how alike the captions of these projects use two heads, as a link prior keeps it.

    Takes a second for 1,000 images of five captions.
    """
    return alike_heads(_images(project_ids))


def with_heads(prior: LinkPrior, project_id: int) -> LinkPrior:
    """Return the prior with how alike the project's captions use two heads; the weights stay as they are."""
    weights = {ALIKE: DEFAULT.pairs[ALIKE], **prior.pairs}
    return replace(prior, pairs=weights, alike=heads_of_captions([project_id]))


def _images(project_ids: Collection[int]) -> Iterator[list[LinkMention]]:
    """Yield the phrases of each image, in import order, so that equal projects give equal tables."""
    rows = Mention.objects.filter(image__project__in=project_ids).order_by("image", "caption__number", "start")
    values = rows.values_list("image", "number", "caption__number", "start", "types", "text")
    for _, phrases in groupby(values.iterator(chunk_size=PHRASES_PER_QUERY), key=lambda row: row[0]):
        yield [
            LinkMention(number, caption, start, frozenset(types), head_noun(comparable(text.split()).split()))
            for _, number, caption, start, types, text in phrases
        ]
