"""Groups for tests of the adaptive strategy, with an even prior and workers who are always right."""

from collections.abc import Mapping, Sequence

from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.transitivity import LinkMention, Pair

EVEN = LinkPrior({"": (0.0,) * 5})
YES, NO = Heard(True), Heard(False)
Known = Mapping[Pair, Sequence[Heard]]


def people(count: int, captions: int = 5) -> list[LinkMention]:
    """One after another over the captions."""
    types, words = frozenset({"people"}), ("a", "man")
    made = [LinkMention(n, n % captions, n // captions, types, "man", words) for n in range(count)]
    return sorted(made, key=lambda mention: (mention.caption, mention.start))


def plan(mentions: Sequence[LinkMention], heard: Known | None = None, stop: float = 0.02, **more: object) -> LinkPlan:
    return plan_adaptively(mentions, heard or {}, prior=EVEN, stop=stop, **more)  # type: ignore[arg-type]


def ask_all(mentions: Sequence[LinkMention], gold: Mapping[int, int], stop: float = 0.02) -> tuple[LinkPlan, int]:
    """With workers who are always right. The plan at the end, and how many judgments it took."""
    heard: dict[Pair, list[Heard]] = {}
    while (now := plan(mentions, heard, stop)).open:
        (pair,) = now.open
        heard.setdefault(pair, []).append(Heard(gold[pair[0]] == gold[pair[1]]))
    return now, sum(map(len, heard.values()))
