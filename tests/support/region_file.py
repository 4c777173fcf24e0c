"""Files of regions as another program hands them to the evaluation."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_region_file(
    path: Path, regions: dict[str, tuple[NDArray[Any], NDArray[Any]]], classes: tuple[str, ...] = ()
) -> None:
    """Write boxes and values by image, and the names of the columns if there are any."""
    arrays: dict[str, Any] = {"classes": np.array(classes)} if classes else {}
    for image, (boxes, values) in regions.items():
        arrays |= {f"{image}/boxes": np.asarray(boxes, np.float32), f"{image}/values": np.asarray(values, np.float32)}
    np.savez(path, **arrays)
