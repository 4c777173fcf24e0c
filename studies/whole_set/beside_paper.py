"""The statistics of a whole set beside the paper's [paper 3.4, table 4]."""

from exchange.statistics.statistics import Statistics, ratio
from exchange.statistics.tables import table
from projects.dashboard.charts import TABLE_4
from runtime.words import number

PAPER_IMAGES = 31_783
HEAD = ("", "chains an image", "paper", "mentions a chain", "paper", "boxes a chain", "paper")


def beside_paper(statistics: Statistics) -> str:
    """Return table 4 as text: of each type the chains of an image, and what a chain has, each beside the paper's."""
    rows = []
    for name, row in statistics.table_4().items():
        chains, mentions, boxes = TABLE_4[name]
        here = ratio(float(str(row["chains"])), statistics.images)
        pairs = ((here, chains / PAPER_IMAGES), (row["mentions_per_chain"], mentions), (row["boxes_per_chain"], boxes))
        rows.append([name, *(number(cell, 2) for pair in pairs for cell in pair)])
    return table("Table 4, simulated, beside the paper's", HEAD, rows)
