"""Rows of people [paper Shekhar, Human performance, Results]: answers by majority and by unanimity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.errors import InputError
from evaluation.foil.human.votes import Vote
from evaluation.foil.item import CORRECT, FOIL, Item, name_of
from evaluation.foil.making.caption_words import bare
from evaluation.foil.making.lexicon import Lexicon
from evaluation.foil.tasks.accuracy import Classes, percent

MAJORITY, UNANIMITY = "majority", "unanimity"
RULES = (MAJORITY, UNANIMITY)


def is_right(votes: Sequence[bool], rule: str) -> bool:
    """Tell whether the item counts as right. `votes`: whether each vote is right. No votes are not right."""
    if rule == UNANIMITY:
        return bool(votes) and all(votes)
    return 2 * sum(votes) > len(votes)


def is_foil_word(typed: str | None, foil_word: str, lexicon: Lexicon) -> bool:
    """Tell whether the typed word is the foil word, a word of the lexicon, but for case, punctuation and number."""
    return typed is not None and bare(typed.strip()) in lexicon.by_word[foil_word].forms


@dataclass(frozen=True)
class People:
    """The rows of one rule. Task 2 is over all foils, and over those that the majority called wrong."""

    t1: Classes
    t2_all: float | None
    t2_called_wrong: float | None


def versions_of(votes: Mapping[str, Sequence[Vote]]) -> dict[str, str]:
    """Return the version of each item whose votes all tell the same; others have none."""
    found = {item: {vote.version for vote in own} for item, own in votes.items()}
    return {item: version for item, told in found.items() if len(told) == 1 and (version := next(iter(told)))}


def people(
    votes: Mapping[str, Sequence[Vote]],
    versions: Mapping[str, str],
    foil_words: Mapping[str, str],
    lexicon: Lexicon | None,
) -> dict[str, People]:
    """Return the rows by rule. `foil_words`: the wrong word of each foil; without them there is no task 2."""
    correct, foils = ([item for item in votes if versions.get(item) == version] for version in (CORRECT, FOIL))
    called = [item for item in foils if is_right([vote.is_right for vote in votes[item]], MAJORITY)]
    known = lexicon is not None and all(item in foil_words for item in foils) and bool(foils)
    rows = {}
    for rule in RULES:
        right, wrong = (
            percent([is_right([vote.is_right for vote in votes[item]], rule) for item in own])
            for own in (correct, foils)
        )
        found: dict[str, bool] = {}
        if known and lexicon is not None:
            found = {
                item: is_right([is_foil_word(vote.word, foil_words[item], lexicon) for vote in votes[item]], rule)
                for item in foils
            }
        rows[rule] = People(
            Classes((right + wrong) / 2, right, wrong),
            percent(list(found.values())) if found else None,
            percent([found[item] for item in called]) if found and called else None,
        )
    return rows


def captions_of(items: Sequence[Item]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the version of each caption of the items, and the wrong word of each foil, by the captions' names."""
    versions = {name_of(item.item, version): version for item in items for version in (CORRECT, FOIL)}
    return versions, {name_of(item.item, FOIL): item.foil_word for item in items}


def check_items(votes: Mapping[str, Sequence[Vote]], versions: Mapping[str, str], file: str) -> None:
    """Refuse votes on captions that are not of the items, and votes whose right answer contradicts them."""
    if unknown := sorted(votes.keys() - versions.keys()):
        raise InputError(
            f"{file}: there are votes on {unknown[0]!r}, which is not a caption of the items ({len(unknown):,} in "
            f"all). Names are ITEM:{CORRECT} and ITEM:{FOIL}: give the items that the survey asked about."
        )
    for item, own in votes.items():
        for vote in own:
            if vote.version not in (None, versions[item]):
                raise InputError(
                    f"{file}: by the vote of {vote.worker!r}, {item!r} is a caption of the version {vote.version}; by "
                    f"its name it is {versions[item]}: export the votes of the survey that asked about these items."
                )
