"""Statistics of a data set [paper 3.4]: the counts, and the figures that follow from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

Json = dict[str, Any]


def ratio(part: float, whole: float) -> float | None:
    """Return part / whole, or None if the whole is 0."""
    return round(part / whole, 6) if whole else None


@dataclass(slots=True)
class TypeCount:
    """Counts of one type. A chain has every type of its mentions, and counts in full in each.

    The paper's table 4 only adds up this way: its types hold 256,446 chains, while there are 244,035 chains, and the
    mentions by type exceed the mentions in the same way.
    """

    chains: int = 0
    mentions: int = 0
    """Mentions that have the type themselves [figure 5]."""
    chain_mentions: int = 0
    """All mentions of the type's chains [table 4]."""
    boxes: int = 0
    """Boxes of the type's chains, each counted once, however many of these chains point to it."""
    images: int = 0
    """Images in which a mention has the type."""

    def row(self) -> Json:
        """Return the type's row of table 4."""
        return {
            "chains": self.chains,
            "mentions_per_chain": ratio(self.chain_mentions, self.chains),
            "boxes_per_chain": ratio(self.boxes, self.chains),
        }


@dataclass(slots=True)
class WordCount:
    """A noun or an adjective of the phrases."""

    mentions: int = 0
    """Mentions with the word."""
    boxes: int = 0
    """Boxes of these mentions' chains, each counted once."""


class PartAgreement(TypedDict):
    """Counts of links about which at least two workers answered and at least one named a part."""

    links: int
    part: int
    """Those of which every answer is that one is part of the other ..."""
    direction: int
    """... and those of which every answer names the same one."""


@dataclass(slots=True)
class Statistics:
    """Counts over merged images, and figures that follow from them. Shares are 0.0 to 1.0, or None of nothing."""

    images: int = 0
    captions: int = 0
    mentions: int = 0
    chains: int = 0
    boxes: int = 0
    types: dict[str, TypeCount] = field(default_factory=dict)
    chain_mentions: int = 0
    """Mentions in a chain: all of them, unless the source has no chains."""
    chains_of_several_mentions: int = 0
    chains_with_one_box: int = 0
    chains_with_several_boxes: int = 0
    images_with_several_box_chain: int = 0
    closest_sum: float = 0.0
    enclosed_boxes: int = 0
    categories: set[str] = field(default_factory=set)
    nouns: dict[str, WordCount] = field(default_factory=dict)
    adjectives: dict[str, WordCount] = field(default_factory=dict)
    link_sources: dict[str, int] = field(default_factory=dict)
    parts: PartAgreement | None = None
    """None: workers were not asked for parts."""

    def table_1(self) -> Json:
        """Return the data set's row of table 1. Object categories are an estimate, found without a tagger."""
        return {
            "images": self.images,
            "objects_per_image": ratio(self.boxes, self.images),
            "object_categories": len(self.categories),
            "objects_per_category": ratio(self.boxes, len(self.categories)),
            "sentences_per_image": ratio(self.captions, self.images),
            "expressions_per_image": ratio(self.mentions, self.images),
        }

    def table_4(self) -> dict[str, Json]:
        """Return a row per type, and the total, in which every chain, mention and box counts once."""
        rows = {name: count.row() for name, count in self.types.items()}
        rows["total"] = TypeCount(self.chains, self.mentions, self.chain_mentions, self.boxes).row()
        return rows

    def figure_5(self) -> dict[str, Json]:
        """Return the chains, mentions and boxes of each type."""
        return {
            name: {"chains": count.chains, "mentions": count.mentions, "boxes": count.boxes}
            for name, count in self.types.items()
        }

    def section_3_4(self) -> Json:
        """Return the averages and shares in the paper's text, by name."""
        without = self.chains - self.chains_with_one_box - self.chains_with_several_boxes
        return {
            "mentions_per_caption": ratio(self.mentions, self.captions),
            "chains_per_image": ratio(self.chains, self.images),
            "boxes_per_image": ratio(self.boxes, self.images),
            "chains_with_several_mentions": ratio(self.chains_of_several_mentions, self.chains),
            "chains_with_one_box": ratio(self.chains_with_one_box, self.chains),
            "chains_with_several_boxes": ratio(self.chains_with_several_boxes, self.chains),
            "chains_without_box": ratio(without, self.chains),
            "images_with_a_chain_of_several_boxes": ratio(self.images_with_several_box_chain, self.images),
            "mean_highest_iou": ratio(self.closest_sum, self.boxes),
            "boxes_enclosed_by_another": ratio(self.enclosed_boxes, self.boxes),
            "images_mentioning": {name: ratio(count.images, self.images) for name, count in self.types.items()},
        }

    def figure_3(self) -> list[Json]:
        """Return the number of links from each source, the most common first."""
        total = sum(self.link_sources.values())
        rows = sorted(self.link_sources.items(), key=lambda row: (-row[1], row[0]))
        return [{"source": source, "links": links, "share": ratio(links, total)} for source, links in rows]

    def figure_6(self, top: int = 20) -> dict[str, list[Json]]:
        """Return the most common nouns and adjectives, with their shares of all boxes and of all mentions."""
        return {"nouns": self._words(self.nouns, top), "adjectives": self._words(self.adjectives, top)}

    def _words(self, counts: Mapping[str, WordCount], top: int) -> list[Json]:
        ranked = sorted(counts.items(), key=lambda row: (-row[1].mentions, -row[1].boxes, row[0]))
        return [
            {
                "word": word,
                "occurrences": count.mentions,
                "occurrences_share": ratio(count.mentions, self.mentions),
                "boxes": count.boxes,
                "boxes_share": ratio(count.boxes, self.boxes),
            }
            for word, count in ranked[:top]
        ]

    def as_json(self) -> Json:
        """Return everything, ready for json.dumps, in the order of the paper; parts last, if they were asked for."""
        totals = {name: getattr(self, name) for name in ("images", "captions", "mentions", "chains", "boxes")}
        return {
            "totals": totals,
            "table_1": self.table_1(),
            "table_4": self.table_4(),
            "section_3_4": self.section_3_4(),
            "figure_3": self.figure_3(),
            "figure_5": self.figure_5(),
            "figure_6": self.figure_6(),
            **({} if self.parts is None else {"parts": self.parts}),
        }
