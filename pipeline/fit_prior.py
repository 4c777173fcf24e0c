"""Fit the prior of the adaptive link strategy on images with known chains, and store it in a project's settings."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from annotation.models import Gold, Project
from annotation.rules.states import ImageState
from pipeline.models import Progress
from pipeline.rules.image.progress import ImageProgress
from pipeline.rules.image.progress_json import from_json
from pipeline.rules.linking.adaptive.fit_link_prior import GoldGroup, fit_link_prior
from pipeline.rules.linking.adaptive.link_prior import LinkPrior
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.transitivity import groups
from pipeline.settings_versions import change_settings, current_settings


def fit_prior(
    project_id: int,
    sources: Sequence[Project],
    *,
    stop: float | None = None,
    done: Callable[[int], object] = lambda number: None,
) -> tuple[int, LinkPrior]:
    """Fit a prior on the source projects and add a version of the settings with it and the adaptive strategy.

    Returns the number of the version and the prior. Images use the version from their next entry on. `stop`: a new
    `link_stop` in bits; None keeps the old one. `done` is called with the number of groups read so far. Raises
    ValueError if the sources hold no group to learn from, or if `stop` is out of range.
    """
    prior = fit_link_prior(_counted((group for source in sources for group in known_groups(source)), done))
    _, settings = current_settings(project_id)
    changed = replace(
        settings,
        strategy=Strategy.ADAPTIVE,
        link_prior=prior.to_json(),
        link_stop=settings.link_stop if stop is None else stop,
    )
    names = ", ".join(source.name for source in sources)
    reason = f"prior of links fitted on {prior.fitted_on} groups of {names}"
    return change_settings(project_id=project_id, settings=changed, reason=reason), prior


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


def _groups(progress: ImageProgress, chains: Sequence[Sequence[int]]) -> Iterator[GoldGroup]:
    chain_of = {number: name for name, members in enumerate(chains) for number in members}
    known = [one.for_links() for number, one in progress.mentions.items() if number in chain_of]
    for group in groups(known):
        yield group, [chain_of[mention.number] for mention in group]


def _counted(rows: Iterator[GoldGroup], done: Callable[[int], object]) -> Iterator[GoldGroup]:
    for number, row in enumerate(rows, start=1):
        yield row
        done(number)
