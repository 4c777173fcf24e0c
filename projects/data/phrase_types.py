"""Types of phrases under the present word lists, how a draft follows the lists, and the edits that retype a word."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from django.db import transaction

from annotation.models import Caption, Image, Mention, Project
from annotation.rules.dictionaries import (
    NON_VISUAL,
    PRONOUNS,
    Dictionaries,
    bare_phrase,
    deciding_term,
    load_dictionaries,
    plain_words,
    types_of,
    types_of_plain,
)
from annotation.rules.mention import is_mention
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.states import ImageState
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import chunk_project, waiting_images
from exchange.load_project import left_over
from pipeline.models import Progress, SettingsVersion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.intervene import act_as_expert

IMAGES_PER_BATCH = 200


class RetypedPhrases(NamedTuple):
    """Changes that bring an image's phrases to the present word lists."""

    retyped: list[tuple[int, list[str]]]
    """Numbers of mentions, each with its new types."""
    hidden: list[Mention]
    """Mentions that are on the list of what is not visual now."""
    shown: list[tuple[Caption, int, int, list[str]]]
    """Spans of words that are on that list no more, with their types."""

    @property
    def is_empty(self) -> bool:
        return not (self.retyped or self.hidden or self.shown)


class PhraseTypes:
    """The types that the project's word lists give, and gave before. Types that a source gave stay as they are."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.now = current_settings(project.pk)[1].edited_dictionaries()
        self._found: dict[tuple[str, ...], tuple[list[str], bool, set[tuple[str, ...]]]] = {}

    @cached_property
    def _before(self) -> list[Dictionaries]:
        edits = SettingsVersion.objects.filter(project=self.project).values_list("values__dictionaries", flat=True)
        different = {json.dumps(edit or {}, sort_keys=True) for edit in edits}
        return [load_dictionaries().changed(**json.loads(changes)) for changes in sorted(different)]

    def types(self, words: Sequence[str]) -> list[str]:
        """Return the types that the present lists give."""
        return self._look(words)[0]

    def is_phrase(self, words: Sequence[str]) -> bool:
        """Tell whether the words name something visual under the present lists."""
        return self._look(words)[1]

    def are_from_lists(self, words: Sequence[str], types: Sequence[str]) -> bool:
        """Tell whether these types came from the lists as they are or were: others came with the source."""
        return tuple(types) in self._look(words)[2]

    def change_of(self, captions: Sequence[Caption], mentions: Sequence[Mention]) -> RetypedPhrases:
        """Return what the present lists change in an image."""
        words = {caption.pk: caption.words for caption in captions}
        change = RetypedPhrases([], [], [])
        for mention in mentions:
            own = words[mention.caption_id][mention.start : mention.end]
            if not self.are_from_lists(own, mention.types):
                continue
            if not self.is_phrase(own):
                change.hidden.append(mention)
            elif self.types(own) != mention.types:
                change.retyped.append((mention.number, self.types(own)))
        for caption in captions:
            own_spans = [(row.start, row.end) for row in mentions if row.caption_id == caption.pk]
            for start, end in left_over(caption.non_visual, own_spans):
                if self.is_phrase(own := caption.words[start:end]):
                    change.shown.append((caption, start, end, self.types(own)))
        return change

    def _look(self, words: Sequence[str]) -> tuple[list[str], bool, set[tuple[str, ...]]]:
        key = tuple(words)
        if key not in self._found:
            lists = self.now.words
            visual = is_mention(words, pronouns=lists[PRONOUNS], non_visual=lists[NON_VISUAL])
            given = {_values(words, dictionaries) for dictionaries in self._before}
            if not "".join(words).isascii():  # imports once read words as they were typed, soft hyphens and all
                plain = plain_words(words)
                given |= {
                    tuple(kind.value for kind in types_of_plain(plain, dictionaries)) for dictionaries in self._before
                }
            self._found[key] = (list(_values(words, self.now)), visual, given)
        return self._found[key]


def _values(words: Sequence[str], dictionaries: Dictionaries) -> tuple[str, ...]:
    return tuple(kind.value for kind in types_of(words, dictionaries))


def retype_images(
    project: Project, *, actor: str, begin: Callable[[int], object], step: Callable[[bool], object]
) -> int:
    """Change every image that is not begun, as acts in its record. Returns how many images still wait for phrases.

    `begin` is called with the number of images, `step` after each with whether it changed.
    """
    ids = list(_not_begun(project))
    waiting = waiting_images(project)
    begin(len(ids) + len(waiting))
    settings = current_settings(project.pk)[1]
    if waiting and not why_no_chunker(settings.caption_language):
        chunk_project(project, actor=actor, step=lambda: step(True))
    types = PhraseTypes(project)
    for first in range(0, len(ids), IMAGES_PER_BATCH):
        images = Image.objects.filter(pk__in=ids[first : first + IMAGES_PER_BATCH]).order_by("position")
        for image in images.prefetch_related("captions", "mentions"):
            change = types.change_of(list(image.captions.all()), list(image.mentions.all()))
            if not change.is_empty:
                _change(image, change, actor)
            step(not change.is_empty)
    return len(waiting_images(project))


def _not_begun(project: Project) -> list[int]:
    rows = Progress.objects.filter(project=project, due=Progress.Due.LINKS, image__state=ImageState.LINKING.value)
    return list(rows.order_by("image__position").values_list("image_id", flat=True))


@transaction.atomic
def _change(image: Image, change: RetypedPhrases, actor: str) -> None:
    reason = "the word lists changed"
    for number, types in change.retyped:
        action = {"action": "retype", "mention": number, "types": types}
        act_as_expert(image_id=image.pk, action=action, actor=actor, reason=reason)
    if change.hidden or change.shown:
        _rechunk(image, change, actor, reason)


def _rechunk(image: Image, change: RetypedPhrases, actor: str, reason: str) -> None:
    """Let spans become phrases, or phrases become spans that are none."""
    captions = {caption.pk: caption for caption in image.captions.all()}
    for mention in change.hidden:
        captions[mention.caption_id].non_visual.append([mention.start, mention.end])
    # A number is never used again, not even that of a phrase that was removed before.
    first = Progress.objects.get(image=image).state["next_mention"]
    add = []
    for place, (caption, start, end, types) in enumerate(change.shown):
        captions[caption.pk].non_visual.remove([start, end])
        add.append([first + place, caption.number, start, end, types, " ".join(caption.words[start:end])])
    for caption in captions.values():
        caption.non_visual.sort()
        caption.save(update_fields=["non_visual"])
    action = {"action": "rechunk", "remove": [mention.number for mention in change.hidden], "add": add}
    act_as_expert(image_id=image.pk, action=action, actor=actor, reason=reason)


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
