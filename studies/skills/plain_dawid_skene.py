"""Dawid and Skene's estimate without priors, to compare with."""

import numpy as np

from studies.skills.label_set import LabelSet
from workers.rules.vote_table import vote_table

TOLERANCE = 1e-5
"""Nats per label."""
MOST_ROUNDS = 100
LEAST = 1e-10


def plain_dawid_skene(labels: LabelSet) -> dict[str, str]:
    """Return the likeliest class of each item. The search begins with the shares of the votes."""
    classes = labels.classes
    table = vote_table(labels.judgments, classes, {})
    item = np.repeat(np.arange(len(table.items)), table.votes)
    chances = np.zeros((len(table.items), len(classes)))
    np.add.at(chances, (item, table.answer), 1 / table.votes[item])
    before = -np.inf
    for _ in range(MOST_ROUNDS):
        counts = np.full((len(table.workers), len(classes), len(classes)), LEAST)
        np.add.at(counts, (table.worker, table.answer), chances[item])
        told = np.log(counts / counts.sum(axis=1, keepdims=True))
        logs = np.tile(np.log(chances.mean(axis=0) + LEAST), (len(table.items), 1))
        np.add.at(logs, item, told[table.worker, table.answer])
        top = logs.max(axis=1, keepdims=True)
        chances = np.exp(logs - top)
        totals = chances.sum(axis=1, keepdims=True)
        chances /= totals
        likelihood = float((top + np.log(totals)).mean()) * len(table.items) / len(item)
        if likelihood - before < TOLERANCE:
            break
        before = likelihood
    return {str(name): classes[best] for name, best in zip(table.items, chances.argmax(axis=1).tolist(), strict=True)}
