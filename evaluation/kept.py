"""Results of long parts of a step, kept beside the report until it is written, so that an interrupted run goes on."""

import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder of arrays. Without a folder, nothing is kept."""

    folder: Path | None = None

    def arrays(self, name: str, key: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of this name and key, made now or by an earlier run.

        `key`: everything that they depend on (settings, seed, digests of inputs), as JSON values.
        """
        if self.folder is None:
            return make()
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        path = self.folder / f"{name}-{digest}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as found:
                return {one: found[one] for one in found.files}
        made = make()
        self._write(path, made)
        return made

    def forget(self) -> None:
        """Delete everything: the report is written."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, path: Path, arrays: Arrays) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        packed = io.BytesIO()
        np.savez(packed, **arrays)  # type: ignore[arg-type]
        partial = path.with_suffix(".partial")
        partial.write_bytes(packed.getvalue())
        os.replace(partial, path)
