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
class PartialResults:
    """A folder of arrays. Without a folder, nothing is kept."""

    folder: Path | None = None

    def arrays(self, name: str, key: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of this name and key, made now or by an earlier run.

        `key`: everything that they depend on (settings, seed, digests of inputs), as JSON values.
        """
        found = self.find(name, key)
        if found is None:
            found = make()
            self.keep(name, key, found)
        return found

    def find(self, name: str, key: Mapping[str, Any]) -> Arrays | None:
        """Return the arrays of this name and key; None if there are none."""
        path = self._path(name, key)
        if path is None or not path.exists():
            return None
        with np.load(path, allow_pickle=False) as found:
            return {one: found[one] for one in found.files}

    def keep(self, name: str, key: Mapping[str, Any], arrays: Arrays) -> None:
        """Keep the arrays. Whoever is stopped while writing leaves none."""
        path = self._path(name, key)
        if path is not None:
            self._write(path, arrays)

    def drop(self, name: str, key: Mapping[str, Any]) -> None:
        """Delete the arrays of this name and key, if there are any."""
        path = self._path(name, key)
        if path is not None:
            path.unlink(missing_ok=True)

    def forget(self) -> None:
        """Delete everything: the report is written."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str, key: Mapping[str, Any]) -> Path | None:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        return None if self.folder is None else self.folder / f"{name}-{digest}.npz"

    def _write(self, path: Path, arrays: Arrays) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        packed = io.BytesIO()
        np.savez(packed, **arrays)  # type: ignore[arg-type]
        partial = path.with_suffix(".partial")
        partial.write_bytes(packed.getvalue())
        os.replace(partial, path)
