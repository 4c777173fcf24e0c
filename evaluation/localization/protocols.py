"""Protocols of localization beside each other: the box to hit, and the edges of gold boxes, move a figure."""

from collections.abc import Mapping, Sequence

from evaluation.localization.outcome import ANY, MERGED, PROTOCOLS, Key, Outcome, outcome_of
from evaluation.localization.queries import EDGES, PRINTED, Query
from evaluation.reading.picture import TYPES, Box
from evaluation.report import Cell, Report
from evaluation.scoring.recall import KS, members, recall_figures
from evaluation.work import Work

WORDS = {
    MERGED: "the one box around all boxes of the phrase",
    ANY: "any box of the phrase",
    "pixels": "of all pixels",
    PRINTED: "as files print them",
}
USED = {
    (MERGED, "pixels"): "",
    (MERGED, PRINTED): "Plummer et al. 2015, 2017; MDETR's second figure",
    (ANY, "pixels"): "",
    (ANY, PRINTED): "MDETR's first figure, and papers after it",
}
"""The papers that print figures of a protocol with these edges."""


def add_protocols(
    report: Report, queries: Mapping[str, Sequence[Query]], boxes: Mapping[Key, Sequence[Box]], work: Work
) -> None:
    """Add recall by both protocols and both kinds of edges.

    `queries`: by EDGES. The figures of the report are those of the options; the other protocol's stand behind its name
    (`any.R@1`), those of the other edges, too (`printed.R@1`).
    """
    chosen, edges, suppress = (work.options[name] for name in ("protocol", "edges", "nms"))
    rows: list[list[Cell]] = []
    found: dict[tuple[str, str], dict[str, float]] = {}
    for protocol in PROTOCOLS:
        for edge in EDGES:
            found[protocol, edge] = _figures(outcome_of(queries[edge], boxes, suppress, protocol))
            recall = [found[protocol, edge][f"R@{k}"] for k in KS]
            rows.append([protocol, WORDS[protocol], WORDS[edge], *recall, USED[protocol, edge]])
    columns = ["protocol", "a hit overlaps", "edges of gold boxes", *(f"R@{k}" for k in KS), "printed by"]
    report.table("protocols", "Recall by protocol, %: compare figures of one row only", columns, rows)
    other, other_edges = (PROTOCOLS[chosen == PROTOCOLS[0]], EDGES[edges == EDGES[0]])
    report.put(found[other, edges], f"{other}.")
    report.put(found[chosen, other_edges], f"{other_edges}.")
    report.notes.append(_sentence(chosen, edges, found[chosen, edges], found[chosen, other_edges]))


def _figures(outcome: Outcome) -> dict[str, float]:
    return recall_figures(outcome.ranks, members([query.types for query in outcome.queries]))


def _sentence(protocol: str, edges: str, ours: Mapping[str, float], others: Mapping[str, float]) -> str:
    moved = {kind: abs(ours[f"R@1.{kind}"] - others[f"R@1.{kind}"]) for kind in TYPES if f"R@1.{kind}" in ours}
    most = max(moved, key=lambda kind: moved[kind], default="")
    in_type = f", by {moved[most]:.2f} for {most}" if most else ""
    return (
        f"A hit overlaps {WORDS[protocol]} by 0.5 or more ({protocol}); the edges of gold boxes are {WORDS[edges]} "
        f"({edges}). Of two papers with different protocols or edges the figures are not comparable: on these "
        f"predictions the other edges alone move R@1 by {abs(ours['R@1'] - others['R@1']):.2f} points{in_type}."
    )
