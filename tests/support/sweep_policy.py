"""A link policy that asks sweeps, mention by mention, for tests without a database."""

from collections import Counter
from dataclasses import dataclass, replace

from pipeline.protocol.links.policy import Ask, Group, LinkPlan
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.state.progress import ImageProgress


def as_sweep(plan: LinkPlan, image: ImageProgress, group: Group, most: int = 12, *, preset: bool = False) -> LinkPlan:
    """Return a plan that asks one sweep of the links of this one, about the mention with most of them."""
    if len(plan.asks) < 2:
        return plan
    asked = Counter(number for ask in plan.asks for number in ask.subject)
    about = max(image.reading_order(mention.number for mention in group), key=asked.__getitem__)
    asks = [ask for ask in plan.asks if about in ask.subject]
    if about in image.unswept or len(asks) == 1:
        return replace(plan, asks=(asks[0],))
    candidates = {number for ask in asks for number in ask.subject} - {about}
    subject = (about, *image.reading_order(candidates)[:most])
    return replace(plan, asks=(Ask(subject, preset=subject[1:2] if preset else ()),))


@dataclass(frozen=True)
class Sweeps(PaperLinks):
    """Asks about one mention at a time: that with most open links, the first in reading order of several."""

    strategy: Strategy = Strategy.EXHAUSTIVE_PLUS
    most_candidates: int = 12
    preset: bool = False
    """Whether the first candidate is touched already."""

    @property
    def digest(self) -> str:
        return f"sweeps {self.most_candidates} {super().digest}"

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        return as_sweep(super().plan(image, group), image, group, self.most_candidates, preset=self.preset)
