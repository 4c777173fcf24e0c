"""Read the items of a survey from a file with one JSON object a line."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from pipeline.protocol.tasks.task import Task
from surveys.rules.items import Item, ItemError, SurveyError, read_item


def read_items(path: Path, task: Task) -> list[Item]:
    """Return the items in the order of the file. Empty lines are passed over.

    Raises SurveyError, which names the file, the line, the field and the remedy, at the first line that is no item, and
    for a file without items.
    """
    items: list[Item] = []
    for number, found in _found(path, task):
        if isinstance(found, str):
            raise SurveyError(f"{path}:{number}: {found}")
        items.append(found)
    if not items:
        raise SurveyError(f"{path} has no line with an item.")
    return items


def images_in(text: str, task: Task) -> list[str]:
    """Return the names of the pictures of a file that was read before, each once."""
    lines = ((number, line) for number, line in enumerate(StringIO(text), start=1) if line.strip())
    items = (read_item(task, json.loads(line), number) for number, line in lines)
    return list(dict.fromkeys(name for item in items for name in item.images))


class ItemFault(NamedTuple):
    """A line that is not an item: the field and the remedy in words."""

    line: int
    words: str


def faults_in(path: Path, task: Task) -> list[ItemFault]:
    """Return every line that is not an item. Raises SurveyError for a file that cannot be read as text."""
    return [ItemFault(number, found) for number, found in _found(path, task) if isinstance(found, str)]


def _found(path: Path, task: Task) -> Iterator[tuple[int, Item | str]]:
    """Yield the number of each line with its item, or with the fault by which it is none."""
    lines: dict[str, int] = {}
    for number, line in _lines(path):
        try:
            item = read_item(task, json.loads(line), number)
        except ItemError as error:
            yield number, str(error)
            continue
        except ValueError as error:
            yield number, f"no JSON ({error}). Write one object a line."
            continue
        first = lines.setdefault(item.name, number)
        if first == number:
            yield number, item
        else:
            yield number, f"item is {item.name!r}, as in line {first}. Give each its own name."


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())
    except UnicodeDecodeError as error:
        raise SurveyError(f"{path} is not text in UTF-8: {error.reason} at byte {error.start}.") from error
    except OSError as error:
        raise SurveyError(f"{path} cannot be read: {error.strerror}.") from error
