"""Tables of campaigns: the mean of each figure, and its standard deviation between folds and seeds."""

from collections.abc import Sequence

from studies.linking.calibration import calibration_table
from studies.tables import with_spread
from studies.whole_campaign.campaign_cost import Campaign


def cost_table(found: Sequence[Campaign]) -> str:
    """Return a line for each figure and a column for each way to ask."""
    ways = list(dict.fromkeys(one.way for one in found))
    rows = {way: [one.figures() for one in found if one.way == way] for way in ways}
    width = max(map(len, rows[ways[0]][0])) + 2
    lines = [" " * width + "".join(f"{way:>32}" for way in ways)]
    for name in rows[ways[0]][0]:
        cells = (with_spread([one[name] for one in rows[way]], 2) for way in ways)
        lines.append(f"{name:<{width}}" + "".join(f"{cell:>32}" for cell in cells))
    return "\n".join(lines)


def confidence_tables(found: Sequence[Campaign]) -> str:
    """Compare the confidence of released chains and of their boxes with gold, for each way that has any."""
    tables = []
    for way in dict.fromkeys(one.way for one in found):
        own = [one for one in found if one.way == way]
        for what, cases in (
            ("chains", [case for one in own for case in one.chains]),
            ("boxes", [case for one in own for case in one.boxes]),
        ):
            if cases:
                tables.append(f"{way}: {what} of released chains\n{calibration_table(cases, 'chains')}")
    return "\n\n".join(tables)
