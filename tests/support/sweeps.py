"""A link policy that asks sweeps: those of an exhaustive strategy, mention by mention."""

from collections import Counter
from dataclasses import dataclass, replace

from pipeline.protocol.links.policy import Ask, Group, LinkPlan
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.state.progress import ImageProgress


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
        plan = super().plan(image, group)
        if not plan.asks:
            return plan
        asked = Counter(number for ask in plan.asks for number in ask.subject)
        about = max((mention.number for mention in group), key=asked.__getitem__)
        links = [ask.subject for ask in plan.asks if about in ask.subject]
        candidates = [first if second == about else second for first, second in links]
        if about in image.unswept or len(links) == 1:
            return replace(plan, asks=(Ask(links[0]),))
        subject = (about, *image.reading_order(candidates)[: self.most_candidates])
        return replace(plan, asks=(Ask(subject, preset=subject[1:2] if self.preset else ()),))
