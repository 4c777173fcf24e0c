"""A measurement in words: the conclusion in a sentence, and the rows of its table."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pipeline.money.amounts import in_words as money
from simulation.predict.estimate import Estimate

Figures = Mapping[str, Mapping[str, Any]]


class Row(NamedTuple):
    """One figure without the program and with it. `part`: it is a part of the figure above."""

    words: str
    without: str
    with_it: str
    change: str
    interval: str = ""
    counts: tuple[str, str] = ("", "")
    """Parts and wholes of a share, without and with the program."""
    part: bool = False


def rows_of(values: Mapping[str, Any]) -> list[Row]:
    """Return the rows of the table of a measurement. Money and experts are left out where there are none."""
    figures = values["figures"]
    any_review = figures["review"]["without"] or figures["review"]["with"]

    def money_of(cents: float) -> str:
        return money(round(cents), values["currency"])

    return [
        _sum(figures, "answers", "Answers"),
        _sum(figures, "linking", "about links and chains", part=True),
        _sum(figures, "boxing", "about boxes", part=True),
        _sum(figures, "hours", "Hours of workers", lambda hours: f"{hours:,.2f}" if hours < 10 else f"{hours:,.1f}"),
        *([_sum(figures, "cents", "Money", money_of)] if values["paid"] else []),
        *([_sum(figures, "review", "Chains left to an expert", few=True)] if any_review else []),
        _share(figures, "boxes_right", "Final boxes that are right"),
        _share(figures, "boxes_found", "True boxes that were found"),
        _share(figures, "chains_exact", "Chains exactly right"),
    ]


def _sum(
    figures: Figures,
    name: str,
    words: str,
    form: Callable[[float], str] = lambda number: f"{number:,.0f}",
    *,
    part: bool = False,
    few: bool = False,
) -> Row:
    """`few`: a count that is too small for shares of it."""
    one = figures[name]
    row = Row(words, form(one["without"]), form(one["with"]), "–", part=part)
    if few:
        return row._replace(change=_signed(f"{one['with'] - one['without']:+,.0f}"))
    if one["change"] is None:
        return row
    value, low, high = (_signed(f"{each:+.0%}") for each in one["change"])
    return row._replace(change=value, interval=f"{low} to {high}")


def _share(figures: Figures, name: str, words: str) -> Row:
    one = figures[name]
    sides = one["without"], one["with"]
    shares = [f"{part / whole:.1%}" if whole else "–" for part, whole in sides]
    counts = [f"{part:,.0f} of {whole:,.0f}" for part, whole in sides]
    row = Row(words, shares[0], shares[1], "–", counts=(counts[0], counts[1]))
    if one["change"] is None:
        return row
    value, low, high = (_signed(f"{100 * each:+.1f}") for each in one["change"])
    return row._replace(change=f"{value} points", interval=f"{low} to {high}")


def _signed(text: str) -> str:
    """Return a number with a sign as it is printed; one that rounds to nothing has none."""
    bare = text.lstrip("+-")
    return text.replace("-", "−") if bare.strip("0.%") else bare


def conclusion(program: str, values: Mapping[str, Any]) -> str:
    """Return what the measurement says, in a sentence on the work and one on the result."""
    figures, images = values["figures"], values["images"]
    if figures["answers"]["change"] is None:
        return f"Simulated: nobody has to be asked anything about these {images} images."
    answers, hours = (Estimate(*figures[name]["change"]) for name in ("answers", "hours"))
    work = f"{_more_or_less(answers, 'fewer answers', 'more answers')}, and {_time(hours)}"
    return f"Simulated: with {program} the same {images} images take {work}. {_result(figures, images)}"


def _more_or_less(change: Estimate, less: str, more: str) -> str:
    if change.high < 0:
        return f"{-change.value:.0%} {less}, likely {-change.high:.0%} to {-change.low:.0%}"
    if change.low > 0:
        return f"{change.value:.0%} {more}, likely {change.low:.0%} to {change.high:.0%}"
    return f"about as many answers: likely from {-change.low:.0%} fewer to {change.high:.0%} more"


def _time(change: Estimate) -> str:
    if change.high < 0 or change.low > 0:
        return _more_or_less(change, "less of workers’ time", "more of workers’ time")
    return f"about as much time: likely from {-change.low:.0%} less to {change.high:.0%} more"


def _result(figures: Figures, images: int) -> str:
    """Return how right the final boxes are, or that nothing tells."""
    one = figures["boxes_right"]
    if one["change"] is None:
        return "No boxes were drawn."
    with_it, without = (f"{part / whole:.1%}" for part, whole in (one["with"], one["without"]))
    _, low, high = one["change"]
    if low > 0 or high < 0:
        worse = "fewer" if high < 0 else "more"
        return f"Of the final boxes {worse} are right: {with_it}, and {without} without it."
    return f"As far as {images} images tell, as many of the final boxes are right: {with_it}, and {without} without it."
