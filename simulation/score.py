"""The comparison of a crowd's annotation with gold, before and after merging, as JSON and as text. All is simulated."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

from annotation.models import Project
from annotation.rules.box import Box, iou
from annotation.rules.transitivity import can_corefer
from pipeline.policies.compose import compose
from pipeline.project.queries import stream_progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.image.merging import final_chain, merge_result, sources_of_pairs
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.settings.settings import Settings
from simulation.compare_strategies import PAPER, LinkCounts
from simulation.simulate import RunOutcome
from simulation.view import COVERED, TrueImage

ANSWERS = "answers"
"""The reason why a chain was not found that breaks no rule of links: the answers."""


@dataclass(slots=True)
class MatchCounts:
    """Counts of chains or boxes. Matched chains have exactly the same mentions; matched boxes an IOU of 0.5."""

    gold: int = 0
    found: int = 0
    matched: int = 0
    exact: int = 0
    """Boxes equal to the pixel."""


@dataclass(slots=True)
class SimulationScore:
    """The whole comparison."""

    chains: MatchCounts = field(default_factory=MatchCounts)
    boxes: MatchCounts = field(default_factory=MatchCounts)
    merged_chains: MatchCounts = field(default_factory=MatchCounts)
    merged_boxes: MatchCounts = field(default_factory=MatchCounts)
    drawn: int = 0
    """Accepted boxes before merging."""
    left: int = 0
    """Boxes after merging."""
    links: LinkCounts = field(default_factory=LinkCounts)
    unmatched: list[dict[str, Any]] = field(default_factory=list)
    merges: list[dict[str, Any]] = field(default_factory=list)
    review: Counter[str] = field(default_factory=Counter)


def score(project: Project, gold: dict[int, TrueImage]) -> SimulationScore:
    """Compare every image of the project with its gold, given by image id."""
    result = SimulationScore()
    _, settings = current_settings(project.id)
    for image, progress in stream_progress(project):
        score_chains(result, progress, gold[image])
        score_boxes(result, progress, gold[image])
        _score_links(result, progress, gold[image])
        _score_linked_chains(result, progress, gold[image], settings)
        _list_merges(result, progress, gold[image], settings)
    return result


def score_chains(result: SimulationScore, progress: ImageProgress, gold: TrueImage) -> None:
    wanted = {frozenset(chain.mentions): chain for chain in gold.chains}
    before = {frozenset(chain.mentions) for chain in progress.chains.values()}
    result.review.update(chain.review.value for chain in progress.chains.values() if chain.review is not None)
    for counts, found in (
        (result.chains, before),
        (result.merged_chains, set(map(frozenset, final_mentions(progress).values()))),
    ):
        counts.gold += len(wanted)
        counts.found += len(found)
        counts.matched += len(found & wanted.keys())
    for mentions in wanted.keys() - before:
        reason = broken_rule([progress.mentions[number] for number in mentions if number in progress.mentions])
        result.unmatched.append({"image": gold.key, "chain": wanted[mentions].name, "reason": reason})


def final_mentions(progress: ImageProgress) -> dict[int, list[int]]:
    """Return the mentions of each chain after merging, by its name."""
    merged: dict[int, list[int]] = defaultdict(list)
    for name, chain in progress.chains.items():
        merged[final_chain(progress, name)] += chain.mentions
    return merged


def broken_rule(mentions: Sequence[MentionProgress]) -> str:
    """Return the link rule that a chain of these mentions breaks, or "answers" if it breaks none."""
    if len({(mention.caption, mention.part) for mention in mentions}) < len(mentions):
        return "two mentions of one caption"
    if not all(a.linked_types & b.linked_types for a, b in combinations(mentions, 2)):
        return "mentions without a type in common"
    return ANSWERS


def score_boxes(result: SimulationScore, progress: ImageProgress, gold: TrueImage) -> None:
    """Compare the boxes of each chain with the gold boxes of its representative mention."""
    before: dict[str, list[Box]] = {}
    after: dict[str, dict[tuple[int, int], Box]] = {}
    position = {member: merged for merged in progress.merged for member in merged.members}
    for name, chain in progress.chains.items():
        own = progress.accepted(name)
        if not own:
            continue
        wanted = gold.chain_of[chain.representative].name
        before.setdefault(wanted, []).extend(box.box for box in own)
        final = after.setdefault(wanted, {})
        for box in own:
            if box.number in position:
                final[final_chain(progress, name), position[box.number].number] = position[box.number].box
        result.drawn += len(own)
    result.left += len(progress.merged)
    for wanted_chain in gold.chains:
        for counts, found in (
            (result.boxes, before.get(wanted_chain.name, [])),
            (result.merged_boxes, list(after.get(wanted_chain.name, {}).values())),
        ):
            matched, exact = match_boxes(found, list(wanted_chain.boxes))
            counts.gold += len(wanted_chain.boxes)
            counts.found += len(found)
            counts.matched += matched
            counts.exact += exact


def match_boxes(boxes: Sequence[Box], gold: Sequence[Box]) -> tuple[int, int]:
    """Match boxes one to one. Returns the number of matches, and of those equal to the pixel."""
    matches = box_matches(boxes, gold)
    return len(matches), sum(boxes[i] == gold[j] for _, i, j in matches)


def box_matches(boxes: Sequence[Box], gold: Sequence[Box]) -> list[tuple[float, int, int]]:
    """Match boxes one to one at an IOU of 0.5, best first. Returns the IOU and both places of each match."""
    pairs = sorted(
        ((iou(f, g), i, j) for i, f in enumerate(boxes) for j, g in enumerate(gold)), key=lambda p: (-p[0], p[1], p[2])
    )
    matches: list[tuple[float, int, int]] = []
    used: tuple[set[int], set[int]] = (set(), set())
    for overlap, i, j in pairs:
        if overlap >= COVERED and i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
            matches.append((overlap, i, j))
    return matches


def _score_links(result: SimulationScore, progress: ImageProgress, gold: TrueImage) -> None:
    counts = result.links
    mentions = [mention.for_links() for mention in progress.mentions.values()]
    counts.admissible += sum(can_corefer(a, b) for a, b in combinations(mentions, 2))
    people = progress.votes_by(model=False)
    counts.judgments += len({vote.entry for votes in people.values() for vote in votes})
    for (a, b), votes in people.items():
        counts.add_link(votes, same=gold.chain_of[a].name == gold.chain_of[b].name)


def _score_linked_chains(result: SimulationScore, progress: ImageProgress, gold: TrueImage, settings: Settings) -> None:
    """Count the chains that the links made, planned again from the votes: verification has changed them since."""
    found: set[tuple[int, ...]] = set()
    policy = compose(settings).links
    for group in policy.groups(mention.for_links() for mention in progress.mentions.values()):
        plan = policy.plan(progress, group)
        found.update(tuple(sorted(chain)) for chain in plan.chains)
    result.links.chains += len(gold.chains)
    result.links.matched_chains += sum(tuple(sorted(chain.mentions)) in found for chain in gold.chains)


def _list_merges(result: SimulationScore, progress: ImageProgress, gold: TrueImage, settings: Settings) -> None:
    if not progress.merged:
        return
    boxes, merged = merge_result(progress, settings)
    for join in merged.joins:
        result.merges.append(
            {
                "image": gold.key,
                "boxes": [[boxes[index].number for index in side] for side in (join.first, join.second)],
                "iou": round(join.iou, 4),
                "types": [sorted(side) for side in (join.first_types, join.second_types)],
            }
        )


def sources_of_links(project: Project) -> dict[str, int]:
    """Count the sources of links (figure 3) over all images whose links are settled; boxes may still be asked."""
    counts: Counter[str] = Counter()
    for _, progress in stream_progress(project):
        asked = any(question.task is Task.COREFERENCE_LINK for question in progress.open.values())
        if progress.chains and not asked:
            counts.update(source.value for source in sources_of_pairs(progress).values())
    return dict(counts)


ROWS = (
    ("matched_links", "matched gold links"),
    ("matched_chains", "matched chains, by links"),
    ("false_positive_rate", "false positive rate"),
    ("false_negative_rate", "false negative rate"),
    ("cost", "links to annotate"),
)


def as_json(project: Project, outcome: RunOutcome, score: SimulationScore) -> dict[str, Any]:
    """Return all results for a file. `chains` and `boxes` are counts before merging, `merged` those after it."""
    strategy = current_settings(project.id)[1].strategy
    return {
        "project": project.name,
        "simulated": True,
        "images": project.images.count(),
        "judgments": outcome.judgments.total(),
        "judgments_per_task": dict(sorted(outcome.judgments.items())),
        "seconds": round(outcome.seconds, 2),
        "worker_seconds": round(outcome.worker_seconds),
        "open_questions": project.questions.exclude(state=QuestionState.CLOSED.value).count(),
        "in_review": score.review.total(),
        "review_reasons": dict(sorted(score.review.items())),
        "chains": asdict(score.chains),
        "boxes": asdict(score.boxes),
        "merged": {
            "chains": asdict(score.merged_chains),
            "boxes": asdict(score.merged_boxes),
            "drawn": score.drawn,
            "left": score.left,
        },
        "table_2": {"strategy": strategy.value, **score.links.percentages()},
        "link_sources": sources_of_links(project),
        "unmatched": score.unmatched,
        "merges": score.merges,
    }


def as_text(data: dict[str, Any]) -> str:
    """Format the results of `as_json`."""
    strategy: str = data["table_2"]["strategy"]
    rate = data["judgments"] / data["seconds"] if data["seconds"] else 0.0
    lines = [
        f"{data['project']}: {data['judgments']} simulated judgments on {data['images']} images in "
        f"{data['seconds']:.1f} s ({rate:.0f} a second); "
        + (f"{data['open_questions']} questions are open." if data["open_questions"] else "nothing is open."),
        "  " + ", ".join(f"{task.replace('_', ' ')} {n}" for task, n in data["judgments_per_task"].items()),
        f"  {data['in_review']} chains are in review"
        + "".join(f"\n    {n:5} {reason}" for reason, n in data["review_reasons"].items()),
        "",
        f"{'':22}{'gold':>8}{'found':>8}{'matched':>9}{'to the pixel':>14}",
        *(
            _counts(f"{what}, {when}", data[what] if when == "drawn" else data["merged"][what], what)
            for what in ("chains", "boxes")
            for when in ("drawn", "merged")
        ),
        "  {drawn} boxes were drawn, {left} are left after {merges} merges.".format(
            merges=len(data["merges"]), **data["merged"]
        ),
        "",
        f"Table 2, {strategy}:{'':{max(0, 18 - len(strategy))}}{'simulated':>12}{'paper':>9}",
        *(
            f"  {label:25}{data['table_2'][name]:>12.2f}{paper:>9}"
            for (name, label), paper in zip(ROWS, _paper(strategy), strict=True)
        ),
        "",
        "Links by their source (figure 3):",
        *(f"  {n:8} {source}" for source, n in sorted(data["link_sources"].items(), key=lambda row: -row[1])),
    ]
    reasons: dict[str, int] = {}
    for row in data["unmatched"]:
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    if reasons:
        lines += ["", "Gold chains that were not found, by reason:"]
        lines += [f"  {n:8} {reason}" for reason, n in sorted(reasons.items())]
    return "\n".join(lines)


def _paper(strategy: str) -> list[str]:
    """Return the strategy's row of table 2, or dashes for a strategy that is not in the paper."""
    row = next((figures for of_paper, figures in PAPER.items() if of_paper == strategy), None)
    return [f"{getattr(row, name):.2f}" if row else "–" for name, _ in ROWS]


def _counts(label: str, counts: dict[str, int], what: str) -> str:
    exact = f"{counts['exact']:>14}" if what == "boxes" else ""
    return f"  {label:20}{counts['gold']:>8}{counts['found']:>8}{counts['matched']:>9}{exact}"
