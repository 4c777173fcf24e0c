"""Write an export together with its card: README.md for people, croissant.json for programs.

A folder holds its card. That of a file lies beside it, in a folder with its name and `.card`, so that no program that
looks for exports by their endings takes the card for one.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from exchange.atomic import TargetExists, atomic_with_beside
from exchange.data_card.croissant import croissant
from exchange.data_card.facts import Facts
from exchange.data_card.readme import readme

README, CROISSANT = "README.md", "croissant.json"
FILES = frozenset({README, CROISSANT})
ENDING = ".card"


@contextmanager
def with_card(target: Path, *, folder: bool) -> Iterator[Path]:
    """Yield a path to write the export at, and then its card: both appear when the block ends, or nothing does.

    `folder`: whether the export is one. The card of an export that is gone is replaced. Raises TargetExists if the
    target is not empty, or if something else lies in the place of its card.
    """
    beside = _beside(target)
    if not folder and beside.exists() and not _is_card(beside):
        raise TargetExists(f"{beside} is in the place of the export's card: remove it or choose another name")
    with atomic_with_beside(target, beside, folder=folder) as place:
        yield place


def write_card(facts: Facts, root: Path) -> None:
    """Write the card of the export in `root`. The same facts and files give the same bytes."""
    folder, above = (root, "") if root.is_dir() else (_beside(root), "../")
    card = json.dumps(croissant(facts, root, above), ensure_ascii=False, indent=2)
    text = readme(facts, root, above)
    folder.mkdir(exist_ok=True)
    (folder / CROISSANT).write_text(f"{card}\n", encoding="utf-8")
    (folder / README).write_text(text, encoding="utf-8", newline="\n")


def _beside(target: Path) -> Path:
    return target.with_name(target.name + ENDING)


def _is_card(folder: Path) -> bool:
    return folder.is_dir() and {file.name for file in folder.iterdir()} <= FILES
