"""Rows of the links of an image for JSON Lines."""

from typing import Any

from pipeline.rules.image.merging import final_chance, link_sources
from pipeline.rules.progress.progress import ImageProgress


def link_rows(progress: ImageProgress) -> list[dict[str, Any]]:
    """Return a row for every two mentions, in reading order; none before linking."""
    if not progress.chains:
        return []
    rows = []
    for (a, b), source in link_sources(progress).items():
        votes = [vote.answer for vote in progress.votes.get((a, b), [])]
        row = {"mentions": [a, b], "source": source.value, "yes": sum(votes), "no": len(votes) - sum(votes)}
        same = final_chance(progress, a, b, source)
        rows.append(row if same is None else row | {"same": same})
    return rows
