"""Environments of readers: a folder each, with one reader and what it needs, and nothing of Chainbox."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TORCH = ("torch==2.13.0+cpu",), ("torch",)
"""Ways to have torch, the first that works: the build for processors is smaller by gigabytes."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of the field that a registry has."""

    package: str
    script: str
    """The module of studies.interop.inside that reads with it."""
    formats: tuple[str, ...]
    requirements: tuple[str, ...]
    needs_torch: bool = False


READERS = (
    Reader("datasets", "hub_loader", ("hub", "parquet"), ("datasets>=5.2", "pillow")),
    Reader("pycocotools", "coco_tools", ("coco",), ("pycocotools>=2.0.11",)),
    Reader("mmdet", "mmdetection", ("mdetr", "odvg"), ("mmdet==3.3.0", "mmcv-lite==2.1.0", "setuptools"), True),
    Reader("ms-swift", "ms_swift", ("chat",), ("ms-swift>=4.6",), True),
)
ONLY_ELSEWHERE = ("MDETR", "GLIP", "Open-GroundingDino")
"""Readers that no registry has, only repositories of source code."""


class NotInstalled(RuntimeError):
    """A reader cannot be installed here. The message is the last that pip said."""


def install(reader: Reader, folder: Path) -> Path:
    """Return the Python of the reader's environment in the folder, which is made unless it is there.

    Raises NotInstalled.
    """
    home = folder / reader.package
    python, mark = home / "bin" / "python", home / "installed"
    wanted = " ".join(reader.requirements)
    if mark.exists() and mark.read_text() == wanted:
        return python
    _run([sys.executable, "-m", "venv", "--clear", str(home)])
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if reader.needs_torch:
        _first_that_works([[*pip, *way] for way in TORCH])
    _run([*pip, *reader.requirements])
    mark.write_text(wanted)
    return python


def _first_that_works(commands: Sequence[Sequence[str]]) -> None:
    for command in commands[:-1]:
        try:
            return _run(command)
        except NotInstalled:
            continue
    return _run(commands[-1])


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit code {done.returncode}"]
        raise NotInstalled(next((line for line in lines if line.startswith("ERROR")), lines[-1])[:300])


def read_inside(python: Path, reader: Reader, arguments: Sequence[str], cache: Path) -> None:
    """Run the reader's script in its environment, without the network. Raises RuntimeError with what it said last."""
    root = Path(__file__).resolve().parents[2]
    command = [str(python), "-m", f"studies.interop.inside.{reader.script}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root, env=_offline(cache))
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no word"])[-1][:500])


def _offline(cache: Path) -> Mapping[str, str]:
    """Return the variables for a process whose readers ask nobody and keep their copies in the folder."""
    own = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    own |= {name: str(cache) for name in ("HF_HOME", "MODELSCOPE_CACHE", "XDG_CACHE_HOME", "MPLCONFIGDIR")}
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "DJANGO_SETTINGS_MODULE")}
    return kept | own
