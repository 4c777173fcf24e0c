"""The share of chains that starve, by the size of the crew: simulated workers annotate drawn scenes to the end."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from annotation.models import Chain
from pipeline.rules.progress.progress import Cause
from simulation.box_crowd import BoxCrowd
from simulation.crowd import Crowd
from simulation.link_crowd import LinkCrowd
from simulation.simulate import Run, link_images, load_gold, virtual_workers
from studies.pipeline_speed.judgments import load_scenes
from studies.pipeline_speed.scratch import scratch_databases

CREW = "crew"


class Starvation(NamedTuple):
    """Chains of a project that a crew of `workers` annotated to the end."""

    workers: int
    chains: int
    starved: int

    @property
    def share(self) -> float:
        """The share of chains that starved, 0 to 1."""
        return self.starved / self.chains


def starvation(
    crews: Sequence[int], *, scenes: int, seed: int = 0, step: Callable[[int], object] = lambda judgments: None
) -> Iterator[Starvation]:
    """Let crews of these sizes annotate the same scenes, each in a database of its own.

    The workers err as those of the paper do. `step` gets the number of judgments of each round.
    """
    for workers in crews:
        with scratch_databases() as (database,):
            database.use()
            project = load_scenes(scenes)
            gold = load_gold(project)
            links = [
                (image.key, mentions, {number: chain.name for number, chain in image.chain_of.items()})
                for image, mentions in link_images(project, gold)
            ]
            crowd = Crowd(workers, LinkCrowd(links, seed), BoxCrowd(seed))
            Run(project, gold, crowd, virtual_workers(project, CREW, workers), seed).until_nothing_is_open(None, step)
            chains = Chain.objects.filter(image__project=project)
            yield Starvation(workers, chains.count(), chains.filter(review=Cause.STARVED.value).count())
