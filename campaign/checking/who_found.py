"""Finders of a change, in words: people and programs by their answers, programs by predictions, experts."""

from collections.abc import Iterable, Iterator, Mapping

from campaign.checking.changes import Told
from workers.models import Worker


def found_in_words(told: Told) -> list[str]:
    """Return who speaks for a change, with one statement."""
    return list(found_by_names(told, names_of([told])))


def names_of(told: Iterable[Told]) -> dict[int, str]:
    """Return the names of those whose answers and predictions speak for changes, by number."""
    numbers = {number for one in told for number in (*one.found.answers, *one.found.predictions)}
    return dict(Worker.objects.filter(pk__in=numbers).values_list("id", "name")) if numbers else {}


def found_by_names(told: Told, names: Mapping[int, str]) -> Iterator[str]:
    """Yield who speaks for a change. `names`: of workers, by number."""
    for number, count in told.found.answers.items():
        if number in names:
            yield names[number] if count == 1 else f"{names[number]} ({count} answers)"
    for number in told.found.predictions:
        if number in names:
            yield f"{names[number]} (predicted it)"
    for actor in dict.fromkeys(act.actor for act in told.decided.acts):
        yield f"{actor or 'somebody'} (expert)"
