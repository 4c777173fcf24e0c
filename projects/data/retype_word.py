"""Retype a word: list it under another type in the project's own edits of the word lists."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from annotation.models import Project
from annotation.rules.dictionaries import NON_VISUAL, PRONOUNS, bare_phrase, deciding_term, load_dictionaries, types_of
from annotation.rules.mention import is_mention
from annotation.rules.mention_type import NOUN_TYPES
from pipeline.project.settings_versions import change_settings, current_settings

NO_PHRASE = NON_VISUAL
"""A choice beside the types: the words name nothing in the picture."""
CHOICES = (*(kind.value for kind in NOUN_TYPES), NO_PHRASE)


class RetypeError(Exception):
    """A word cannot be listed as it was asked for; the message says why."""


def retype_word(project: Project, words: Sequence[str], choice: str, actor: str) -> str:
    """Give the phrase one of CHOICES, in new settings, and return what changed in a sentence. Raises RetypeError."""
    settings = current_settings(project.pk)[1]
    before = settings.edited_dictionaries()
    edits = settings.dictionaries
    if choice == NO_PHRASE:
        term = bare_phrase(words)
        edits = moved_to_list(edits, term, NON_VISUAL, (NON_VISUAL,)) if term else edits
        said = f"“{term}” is not a phrase of a picture."
    else:
        term = deciding_term(words, before)
        edits = moved_to_list(edits, term, choice, NOUN_TYPES) if term else edits
        edits = moved_to_list(edits, bare_phrase(words), "", (NON_VISUAL,))
        said = f"“{term}” is of type {choice}."
    after = load_dictionaries().changed(**edits)
    lists = after.words
    visual = is_mention(words, pronouns=lists[PRONOUNS], non_visual=lists[NON_VISUAL])
    if visual is (choice == NO_PHRASE) or (visual and types_of(words, after) != (choice,)):
        raise RetypeError(
            f"No word of “{' '.join(words)}” can be listed so that the phrase becomes {choice}: "
            "change the phrase on its image's page, or mark the type in the source: [/people a man]."
        )
    change_settings(
        project_id=project.pk, settings=replace(settings, dictionaries=edits), reason=f"{said[:150]} ({actor[:40]})"
    )
    return said


def moved_to_list(
    edits: dict[str, Any], term: str, where: str, names: Sequence[str]
) -> dict[str, dict[str, list[str]]]:
    """Return the edits after which the term is on the list `where` and on no other one of `names`."""
    shipped = load_dictionaries().words
    add = {name: set(terms) for name, terms in edits.get("add", {}).items()}
    remove = {name: set(terms) for name, terms in edits.get("remove", {}).items()}
    for name in names:
        wanted, there = name == where, term in shipped[name]
        for group, belongs in ((add, wanted and not there), (remove, there and not wanted)):
            group.setdefault(name, set()).discard(term)
            if belongs:
                group[name].add(term)
    return {
        "add": {name: sorted(terms) for name, terms in add.items() if terms},
        "remove": {name: sorted(terms) for name, terms in remove.items() if terms},
    }
