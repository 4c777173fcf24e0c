"""A project that refits its prior and its errors as it runs [beyond paper 3.1.1], with a simulated crowd.

Images are taken in order, and AT_ONCE of them are in work. In each round every group of these that is not finished gets
one answer, to the one link that is open; a finished image makes room for the next. Before a round the project refits if
twice as many images are finished as at its last refit. Every answer, of unfinished groups as well, counts for the
refit; finished groups are not planned again, as in the service.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from annotation.rules.transitivity import LinkMention
from belief.learned import LearnedState
from belief.links.link_prior import DEFAULT, LinkPrior
from pipeline.learning.learn import LinkedImage, LinkEvidence, learn
from pipeline.learning.refit_due import images_before_refit
from pipeline.learning.refit_links import judged_in
from pipeline.policies.adaptive_links import AdaptiveLinks, GroupPlan, people_answers
from pipeline.policies.compose import adaptive_links
from pipeline.protocol.state.progress import ImageProgress
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from simulation.bed_image import BedImage
from simulation.link_run import PairAnswers, ask_once, begun, votes_in

MOST = 15
AT_ONCE = 20


def adaptive(prior: LinkPrior = DEFAULT, *, beyond: bool) -> Settings:
    """Return the settings of a project that begins with this prior. No link is asked at random.

    `beyond`: chains that a rule of links keeps apart are asked about, too.
    """
    return Settings(
        strategy=LinkStrategy.ADAPTIVE,
        link_most=MOST,
        learned=LearnedState(links=prior),
        reask_rate=0.0,
        beyond_rules=beyond,
    )


class Finished(NamedTuple):
    """One finished group."""

    image: BedImage
    judgments: int
    plan: GroupPlan


@dataclass(slots=True)
class _Group:
    image: BedImage
    mentions: Sequence[LinkMention]
    progress: ImageProgress = field(init=False)
    plan: GroupPlan | None = None
    """The last plan, once it asks nothing more."""

    def __post_init__(self) -> None:
        self.progress = begun(self.mentions)

    def linked(self) -> LinkedImage:
        """Return a finished image, each chain by its first mention."""
        assert self.plan is not None
        chain_of = {number: chain[0] for chain in self.plan.chains for number in chain}
        return LinkedImage(
            self.mentions, [chain_of[mention.number] for mention in self.mentions], people_answers(self.progress)
        )

    def ask(self, policy: AdaptiveLinks, answers: PairAnswers) -> None:
        """Get the next answer, or keep the plan if nothing more is asked."""
        if not ask_once(policy, self.progress, self.mentions, answers.about(self.image.key)).asks:
            self.plan = policy.believed(self.progress, self.mentions, None)


def run_project(images: Sequence[BedImage], answers: PairAnswers, settings: Settings) -> Iterator[Finished]:
    """Yield the groups of all images, once all are finished. `settings`: those that the project begins with."""
    policy, given = adaptive_links(settings), settings.learned
    waiting = iter([[_Group(image, mentions) for mentions in policy.groups(image.mentions)] for image in images])
    work = list(islice(waiting, AT_ONCE))
    every = [group for own in work for group in own]
    started = len(work)
    while work:
        if (ended := started - len(work)) >= images_before_refit(settings.learned.links, settings):
            judged = [own for group in every for own in judged_in(group.progress, settings)]
            linked = [group.linked() for group in every if group.plan]
            evidence = LinkEvidence(judged, ended, linked)
            settings = replace(settings, learned=learn(settings, settings.learned, evidence, given))
            policy = adaptive_links(settings)
        for group in [group for own in work for group in own if group.plan is None]:
            group.ask(policy, answers)
        work = [own for own in work if any(group.plan is None for group in own)]
        for own in islice(waiting, AT_ONCE - len(work)):
            started += 1
            work.append(own)
            every += own
    for group in every:
        assert group.plan is not None
        yield Finished(group.image, votes_in(group.progress), group.plan)
