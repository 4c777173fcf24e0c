"""Links asked by lot: what the adaptive strategy predicted of them, beside what workers said."""

from typing import Any

from reports.calibration import calibration_tenths


def links(project_id: int) -> dict[str, Any]:
    """Return the tenths of the predicted chance that have links, each as the values of `Tenth` and whether it holds."""
    return {"tenths": [[*tenth, tenth.holds] for tenth in calibration_tenths(project_id)]}
