"""Types of phrases under the present word lists, beside those that the images have."""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from annotation.models import Caption, Mention, Project
from annotation.rules.dictionaries import (
    NON_VISUAL,
    PRONOUNS,
    Dictionaries,
    load_dictionaries,
    plain_words,
    types_of,
    types_of_plain,
)
from annotation.rules.mention import is_mention
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import current_settings


class Change(NamedTuple):
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
        different = {json.dumps(one or {}, sort_keys=True) for one in edits}
        return [load_dictionaries().changed(**json.loads(one)) for one in sorted(different)]

    def types(self, words: Sequence[str]) -> list[str]:
        """Return the types that the present lists give."""
        return self._look(words)[0]

    def is_phrase(self, words: Sequence[str]) -> bool:
        """Tell whether the words name something visual under the present lists."""
        return self._look(words)[1]

    def are_from_lists(self, words: Sequence[str], types: Sequence[str]) -> bool:
        """Tell whether these types came from the lists as they are or were: others came with the source."""
        return tuple(types) in self._look(words)[2]

    def change_of(self, captions: Sequence[Caption], mentions: Sequence[Mention]) -> Change:
        """Return what the present lists change in an image."""
        words = {caption.pk: caption.words for caption in captions}
        change = Change([], [], [])
        for mention in mentions:
            own = words[mention.caption_id][mention.start : mention.end]
            if not self.are_from_lists(own, mention.types):
                continue
            if not self.is_phrase(own):
                change.hidden.append(mention)
            elif self.types(own) != mention.types:
                change.retyped.append((mention.number, self.types(own)))
        for caption in captions:
            for start, end in caption.non_visual:
                if self.is_phrase(own := caption.words[start:end]):
                    change.shown.append((caption, start, end, self.types(own)))
        return change

    def _look(self, words: Sequence[str]) -> tuple[list[str], bool, set[tuple[str, ...]]]:
        key = tuple(words)
        if key not in self._found:
            lists = self.now.words
            visual = is_mention(words, pronouns=lists[PRONOUNS], non_visual=lists[NON_VISUAL])
            given = {_values(words, one) for one in self._before}
            if not "".join(words).isascii():  # imports once read words as they were typed, soft hyphens and all
                plain = plain_words(words)
                given |= {tuple(kind.value for kind in types_of_plain(plain, one)) for one in self._before}
            self._found[key] = (list(_values(words, self.now)), visual, given)
        return self._found[key]


def _values(words: Sequence[str], dictionaries: Dictionaries) -> tuple[str, ...]:
    return tuple(kind.value for kind in types_of(words, dictionaries))
