"""Rows of the mentions, chains, boxes and links of an image for JSON Lines."""

from collections import Counter
from typing import Any

from annotation.rules.states import BoxState
from exchange.who_answered import ImageAnswers
from pipeline.rules.image.merging import final_chain, final_chance, final_confidence, link_sources
from pipeline.rules.image.who_may_answer import drawer_judged
from pipeline.rules.progress.progress import ImageProgress

Line = dict[str, Any]


def mention_rows(progress: ImageProgress) -> list[Line]:
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    return [
        {
            "number": m.number,
            "caption": m.caption,
            "start": m.start,
            "end": m.end,
            "text": m.text,
            "types": m.types,
            "chain": chain_of.get(m.number),
        }
        for m in sorted(progress.mentions.values(), key=lambda m: m.order)
    ]


def chain_row(row: tuple[Any, ...], progress: ImageProgress, judgments: Counter[str], answers: ImageAnswers) -> Line:
    """Return the row of a chain. `judgments`: the number of all judgments about it by task."""
    name, state, representative, non_visual, doubted, review = row
    return {
        "name": name,
        "mentions": progress.chains[name].mentions,
        "state": state,
        "representative": representative,
        "non_visual": non_visual,
        "doubted": doubted,
        "review": review,
        "confidence": final_confidence(progress, name),
        "box_confidence": progress.chains[name].box_confidence,
        "merged_into": progress.chains[name].merged_into,
        "drawer_judged": drawer_judged(progress.chains[name]),
        "judgments": dict(judgments),
        **answers.of_chain(progress.chains[name].mentions).as_json(),
    }


def box_row(row: tuple[Any, ...], drawn_by: str | None, progress: ImageProgress, answers: ImageAnswers) -> Line:
    """Return the row of a box. `drawn_by`: the pseudonym of who drew it."""
    number, chain, *edges, state = row
    box = progress.boxes[number]
    return {
        "number": number,
        "chain": chain,
        "box": edges,
        "state": state,
        "drawn_by": drawn_by,
        "proposed": box.proposed,
        "drawn": box.entry,
        "accepted": box.accepted,
        "confidence": box.confidence if box.state is BoxState.ACCEPTED else None,
        **answers.of_boxes(number).as_json(),
    }


def merged_row(row: tuple[Any, ...], progress: ImageProgress) -> Line:
    number, *edges, members = row
    chains = progress.reading_order(list({final_chain(progress, progress.boxes[one].chain) for one in members}))
    return {"number": number, "box": edges, "members": members, "chains": chains}


def link_rows(progress: ImageProgress, answers: ImageAnswers) -> list[Line]:
    """Return a row for every two mentions, in reading order; none before linking."""
    if not progress.chains:
        return []
    rows = []
    for pair, source in link_sources(progress).items():
        votes = [vote.answer for vote in progress.votes.get(pair, [])]
        row = {"mentions": list(pair), "source": source.value, "yes": sum(votes), "no": len(votes) - sum(votes)}
        same = final_chance(progress, *pair, source)
        if same is not None:
            row["same"] = same
        said = answers.of_link(*pair)
        if said is not None:
            row |= said.as_json()
        rows.append(row)
    return rows
