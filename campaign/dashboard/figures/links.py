"""Links asked by lot: what the adaptive strategy foretold of them, beside what workers said."""

from typing import Any

from reports.foretold import foretold_tenths


def links(project_id: int) -> dict[str, Any]:
    """Return the tenths of the foretold chance that have links, each as the values of `Tenth` and whether it holds."""
    return {"tenths": [[*tenth, tenth.holds] for tenth in foretold_tenths(project_id)]}
