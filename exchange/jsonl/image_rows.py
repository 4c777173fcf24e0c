"""Rows of the mentions, chains, boxes and links of an image for JSON Lines."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from annotation.rules.states import BoxState
from exchange.declared import Answered
from exchange.json_text import json_text, quoted
from exchange.jsonl.rows import BoxRow, ChainRow, LinkRow, MentionRow, MergedBoxRow
from exchange.who_answered import ImageAnswers
from pipeline.protocol.boxes.tallies import drawer_judged
from pipeline.protocol.image.merging import final_chain, final_chance, final_confidence, sources_of_pairs
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.coreference_link import PartAnswer

LINK = '{"mentions": [%d, %d], "no": %d, "source": %s, "yes": %d}'
"""A link that programs did not answer, of which no chance is known, and about which nobody named a part."""


def mention_rows(progress: ImageProgress) -> list[MentionRow]:
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


def chain_row(
    row: tuple[Any, ...], progress: ImageProgress, judgments: Counter[str], answers: ImageAnswers | None
) -> ChainRow:
    """Return the row of a chain. `judgments`: the number of all judgments about it by task."""
    name, state, representative, non_visual, doubted, review = row
    said: Answered = answers.of_chain(progress.chains[name].mentions).as_json() if answers else {}
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
        **said,
    }


def box_row(
    row: tuple[Any, ...], pseudonym: Callable[[int], str], progress: ImageProgress, answers: ImageAnswers | None
) -> BoxRow:
    number, chain, *edges, state, worker = row
    box = progress.boxes[number]
    said: Answered = answers.of_boxes(number).as_json() if answers else {}
    return {
        "number": number,
        "chain": chain,
        "box": edges,
        "state": state,
        "drawn_by": None if worker is None else pseudonym(worker),
        "pre_annotated": box.pre_annotated,
        "drawn": box.entry,
        "accepted": box.accepted,
        "confidence": box.confidence if box.state is BoxState.ACCEPTED else None,
        **said,
    }


def merged_row(row: tuple[Any, ...], progress: ImageProgress) -> MergedBoxRow:
    number, *edges, members = row
    chains = progress.reading_order(list({final_chain(progress, progress.boxes[member].chain) for member in members}))
    return {"number": number, "box": edges, "members": members, "chains": chains}


def link_texts(progress: ImageProgress, answers: ImageAnswers | None) -> Iterator[str]:
    """Yield the text of a row for every two mentions, in reading order; none before linking."""
    people = progress.votes_by(model=False)
    for (a, b), source in sources_of_pairs(progress).items() if progress.chains else ():
        votes = people.get((a, b), ())
        yes = sum(vote.answer for vote in votes) if votes else 0
        same = final_chance(progress, a, b, source) if progress.together else None
        said = answers.of_link(a, b) if answers else None
        parts = Counter(vote.part_answer for vote in votes if vote.part_answer) if votes else None
        if same is None and said is None and not parts:  # as of most of the 150 links in an image of 18 mentions
            yield LINK % (a, b, len(votes) - yes, quoted(source), yes)
            continue
        row: LinkRow = {"mentions": [a, b], "source": source, "yes": yes, "no": len(votes) - yes}
        if parts and (first := parts[PartAnswer.A_OF_B]):
            row["a_is_part_of_b"] = first
        if parts and (second := parts[PartAnswer.B_OF_A]):
            row["b_is_part_of_a"] = second
        if same is not None:
            row["same"] = same
        if said is not None:
            row.update(said.as_json())
        yield json_text(row)
