"""Losses of mined foils [paper Shekhar, Mining hardest foil caption]: their distribution beside that of all foils."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from evaluation.charts.lines import Line, draw_lines
from evaluation.foil.making.make_items import Losses
from evaluation.report import Chart, Report

BINS = 24


def add_losses(report: Report, losses: Sequence[Losses]) -> None:
    """Add mean losses and their distribution, in natural units a word. Without mined foils there are none."""
    if not losses:
        return
    groups = {
        "original": np.array([one.original for one in losses]),
        "kept": np.array([one.kept for one in losses]),
        "foils": np.concatenate([one.foils for one in losses]),
    }
    report.put({f"loss.{name}": float(values.mean()) for name, values in groups.items()})
    report.put({"foils_per_caption": float(np.mean([len(one.foils) for one in losses]))})
    every = np.concatenate(list(groups.values()))
    edges = np.linspace(every.min(), every.max(), BINS + 1)
    middles = (edges[:-1] + edges[1:]) / 2
    names = {"original": "right captions", "kept": "hardest foils, kept", "foils": "all foils"}
    lines = [
        Line(names[name], middles.tolist(), (100 * np.histogram(values, edges)[0] / len(values)).tolist(), number)
        for number, (name, values) in enumerate(groups.items())
    ]
    title = "Loss of captions under the language model"
    axis = "mean negative log probability of a word"
    report.charts.append(Chart("losses", title, partial(draw_lines, lines=lines, x=axis, y="% of captions")))
