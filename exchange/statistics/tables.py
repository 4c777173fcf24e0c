"""Statistics as text [paper 3.4]: tables and percentages, aligned for a terminal."""

from collections.abc import Iterable, Sequence

from exchange.statistics.statistics import Json, Statistics, ratio
from runtime.words import number, percent

LABELS = {
    "mentions_per_caption": "mentions per caption",
    "chains_per_image": "chains per image",
    "boxes_per_image": "boxes per image",
    "chains_with_several_mentions": "chains with more than one mention",
    "chains_with_one_box": "chains with one box",
    "chains_with_several_boxes": "chains with several boxes",
    "chains_without_box": "chains without a box",
    "images_with_a_chain_of_several_boxes": "images with a chain of several boxes",
    "mean_highest_iou": "mean highest IOU of a box with one other",
    "boxes_enclosed_by_another": "boxes enclosed by another",
}
AVERAGES = {"mentions_per_caption", "chains_per_image", "boxes_per_image", "mean_highest_iou"}


def statistics_text(statistics: Statistics) -> str:
    """Format all tables and figures, ending in a line break."""
    figures = statistics.figure_6()
    parts = [
        _totals(statistics),
        _table_1(statistics),
        _table_4(statistics),
        _section_3_4(statistics),
        _figure_5(statistics),
        _words("Figure 6 (a). The most common nouns", figures["nouns"]),
        _words("Figure 6 (b). The most common adjectives", figures["adjectives"]),
        _figure_3(statistics),
        _parts(statistics),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table: columns as wide as their widest cell, the first to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join([cells[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))])
        for cells in lines
    ]
    rule = "-" * len(text[0])
    return "\n".join([title, rule, text[0].rstrip(), rule, *(line.rstrip() for line in text[1:])])


def _totals(statistics: Statistics) -> str:
    return (
        f"{statistics.images:,} images, {statistics.captions:,} captions, {statistics.mentions:,} mentions, "
        f"{statistics.chains:,} coreference chains, {statistics.boxes:,} boxes"
    )


def _table_1(statistics: Statistics) -> str:
    row = statistics.table_1()
    header = [name.replace("_", " ") for name in row]
    return table("Table 1. This data set", header, [[number(value, 2) for value in row.values()]])


def _table_4(statistics: Statistics) -> str:
    rows = [[name, *(number(value, 2) for value in row.values())] for name, row in statistics.table_4().items()]
    note = "A chain with several types counts in each, so the types add up to more than the total."
    return table("Table 4. Coreference chains", ["type", "chains", "mentions/chain", "boxes/chain"], rows) + "\n" + note


def _section_3_4(statistics: Statistics) -> str:
    values = statistics.section_3_4()
    rows = [
        [label, number(values[name], 2) if name in AVERAGES else percent(values[name], 1)]
        for name, label in LABELS.items()
    ]
    mentioning = values["images_mentioning"]
    assert isinstance(mentioning, dict)
    rows += [[f"images that mention {kind}", percent(share, 1)] for kind, share in mentioning.items()]
    return table("Section 3.4. Averages and shares", ["", "value"], rows)


def _figure_5(statistics: Statistics) -> str:
    rows = [[name, *(number(value, 2) for value in row.values())] for name, row in statistics.figure_5().items()]
    return table("Figure 5. Totals per type", ["type", "chains", "mentions", "boxes"], rows)


def _words(title: str, words: list[Json]) -> str:
    rows = [
        [
            str(row["word"]),
            number(row["occurrences"]),
            percent(row["occurrences_share"], 1),
            percent(row["boxes_share"], 1),
        ]
        for row in words
    ]
    return table(title, ["word", "occurrences", "of all mentions", "of all boxes"], rows)


def _figure_3(statistics: Statistics) -> str:
    if not statistics.link_sources:
        return "Figure 3. Sources of coreference links: not known for this data set."
    rows = [[str(row["source"]), number(row["links"]), percent(row["share"], 1)] for row in statistics.figure_3()]
    return table("Figure 3. Sources of coreference links", ["source", "links", "share"], rows)


def _parts(statistics: Statistics) -> str:
    """Format the agreement on parts; empty: workers were not asked for them."""
    if (found := statistics.parts) is None:
        return ""
    shares = [percent(ratio(all_say, found["links"]), 1) for all_say in (found["part"], found["direction"])]
    title = "Agreement on parts. Links with several answers, of which one or more say that one phrase is a part"
    row = [number(found["links"]), *shares]
    return table(title, ["links", "all say that it is a part", "all name the same part"], [row])
