"""Finders of a change, and who has decided about it, in words."""

from collections.abc import Iterable, Iterator, Mapping

from projects.corrected.changes import SupportedChange
from workers.models import Worker


def found_in_words(change: SupportedChange) -> list[str]:
    """Return who speaks for a change, with one statement."""
    return list(found_by_names(change, names_of([change])))


def names_of(changes: Iterable[SupportedChange]) -> dict[int, str]:
    """Return the names of those whose answers and predictions speak for changes, by number."""
    numbers = {number for change in changes for number in (*change.found.answers, *change.found.predictions)}
    return dict(Worker.objects.filter(pk__in=numbers).values_list("id", "name")) if numbers else {}


def found_by_names(change: SupportedChange, names: Mapping[int, str]) -> Iterator[str]:
    """Yield the people and programs that speak for a change. `names`: of workers, by number."""
    for number, count in change.found.answers.items():
        if number in names:
            yield names[number] if count == 1 else f"{names[number]} ({count} answers)"
    for number in change.found.predictions:
        if number in names:
            yield f"{names[number]} (predicted it)"


def decision_in_words(change: SupportedChange) -> str:
    """Return the last word on a change, and whose it is."""
    experts = ", ".join(dict.fromkeys(act.actor or "unknown" for act in change.decided.acts))
    return f"{change.decided.decision}: {experts}" if experts else change.decided.decision.value
