"""Search in phrases, captions and names: `Holds("text", "dog")` finds "a dog" and "two dogs", and never "hotdog".

Neither case counts nor how a text was typed (see `annotation.rules.comparable`). PostgreSQL looks words up in an index
(`annotation.word_search`); SQLite, which holds small projects, reads each text.
"""

import re
import unicodedata
from typing import Any

from django.apps.registry import Apps
from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.db.models import BooleanField, F, Func, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from annotation.rules.comparable import APOSTROPHES, HYPHENS, INVISIBLE, JOINERS, PICTOGRAPHS

PUNCTUATION = "!\"#$&'()*+,-./:;<=>?@[]^_`{|}~\t\n"
"""The characters that end a word, apart from the space."""
TYPOGRAPHIC = (
    "\u00a0\u00a1\u00a7\u00ab\u00b4\u00b7\u00bb\u00bf\u2018\u201a\u201c\u201d\u201e\u2022\u2026\u2039\u203a\u3000\u3001\u3002"
    f"\u300c\u300d\u300e\u300f\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f{HYPHENS}{APOSTROPHES}"
)
"""More characters that end a word."""
UNSEEN = INVISIBLE + JOINERS
"""Characters that a search reads over."""
ENDS_IN_ES = ("s", "x", "z", "ch", "sh", "o")

_BLANKS = str.maketrans({**dict.fromkeys(PUNCTUATION + TYPOGRAPHIC, " "), **dict.fromkeys(UNSEEN)})
_PICTOGRAPH = re.compile(f"[{PICTOGRAPHS}]")
_PLAIN = str.maketrans({**dict.fromkeys(HYPHENS, "-"), **dict.fromkeys(APOSTROPHES, "'"), **dict.fromkeys(UNSEEN)})


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case, each once."""
    plain = unicodedata.normalize("NFC", _PICTOGRAPH.sub(" ", text).translate(_BLANKS))
    return list(dict.fromkeys(plain.lower().split()))


def forms(word: str) -> list[str]:
    """Return the word with its simple plural, or with the singular that its ending suggests: dog and dogs."""
    found = [word]
    if word.endswith("ies") and len(word) > 4:
        found.append(word[:-3] + "y")
    elif word.endswith("es") and word[:-2].endswith(ENDS_IN_ES):
        found.append(word[:-2])
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        found.append(word[:-1])
    else:
        found.append(word + "s")
    if word.endswith(ENDS_IN_ES):
        found.append(word + "es")
    elif len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou":
        found.append(word[:-1] + "ies")
    return list(dict.fromkeys(found))


def words_sql(column: str) -> str:
    """Return the words of a column as PostgreSQL's index and searches write them: both must be the same."""
    ends = PUNCTUATION + TYPOGRAPHIC
    blank = f"regexp_replace({column}, {_quoted(f'[{PICTOGRAPHS}]')}, ' ', 'g')"
    plain = f"normalize(translate({blank}, {_quoted(ends + UNSEEN)}, '{' ' * len(ends)}'), NFC)"
    return f"string_to_array(lower({plain}), ' ')"


class HasWords(Func):
    """A condition: the text holds every word of `words`, each as it is or in its plural. True without words."""

    output_field = BooleanField()

    def __init__(self, text: str | Combinable, words: str) -> None:
        super().__init__(F(text) if isinstance(text, str) else text)
        self.words = words_in(words)

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:
        column, values = compiler.compile(self.source_expressions[0])
        one = f"{words_sql(column)} && %s::text[]"
        sql = " AND ".join([one] * len(self.words)) or "TRUE"
        return f"({sql})", [value for word in self.words for value in (*values, forms(word))]

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        column, values = compiler.compile(self.source_expressions[0])
        sql = " AND ".join([f"{column} REGEXP %s"] * len(self.words)) or "1 = 1"
        return f"({sql})", [value for word in self.words for value in (*values, _pattern(word))]


class Reads(Func):
    """A condition: the text has these characters somewhere in it."""

    output_field = BooleanField()

    def __init__(self, text: str | Combinable, part: str) -> None:
        super().__init__(F(text) if isinstance(text, str) else text)
        self.part = unicodedata.normalize("NFC", part.translate(_PLAIN)).lower()

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:
        column, values = compiler.compile(self.source_expressions[0])
        spelled = HYPHENS + APOSTROPHES
        plain = "-" * len(HYPHENS) + "''" * len(APOSTROPHES)
        text = f"lower(normalize(translate({column}, {_quoted(spelled + UNSEEN)}, '{plain}'), NFC))"
        return f"(strpos({text}, %s) > 0)", [*values, self.part]

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, list[Any]]:  # type: ignore[override]
        column, values = compiler.compile(self.source_expressions[0])
        return f"({column} REGEXP %s)", [*values, f"(?i){_spelled(self.part)}"]


def _pattern(word: str) -> str:
    ends = re.escape(PUNCTUATION + TYPOGRAPHIC + " ") + PICTOGRAPHS
    unseen = f"[{UNSEEN}]*"
    return f"(?i)(^|[{ends}]){unseen}({'|'.join(map(_spelled, forms(word)))})($|[{ends}])"


def _spelled(text: str) -> str:
    """Return a pattern for the text in each way in which it may be typed: its letters composed or not, and so on."""
    return "".join(f"{_letter(letter)}[{UNSEEN}]*" for letter in text)


def _letter(letter: str) -> str:
    alike = {"-": HYPHENS + "-", "'": APOSTROPHES + "'"}.get(letter)
    if alike:
        return f"[{re.escape(alike)}]"
    apart = unicodedata.normalize("NFD", letter)
    return re.escape(letter) if apart == letter else f"(?:{re.escape(letter)}|{re.escape(apart)})"


def _quoted(text: str) -> str:
    """Return the text as PostgreSQL reads it in a statement, in ASCII: an index keeps its statement."""
    return (
        "E'"
        + "".join(
            character if character.isascii() and character.isalnum() else _escaped(character) for character in text
        )
        + "'"
    )


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 1 << 16 else f"\\U{ord(character):08x}"


def of_type(mentions: QuerySet[Any], name: str) -> QuerySet[Any]:
    """Select those of the mentions that have this type, alone or among others."""
    if connection.features.supports_json_field_contains:
        return mentions.filter(types__contains=[name])
    return mentions.alias(listed=Cast("types", TextField())).filter(listed__contains=f'"{name}"')


INDEXES = {"mention_words_as_read": "annotation_mention", "caption_words_as_read": "annotation_caption"}


def build(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the indexes."""
    if editor.connection.vendor == "postgresql":
        for name, table in INDEXES.items():
            editor.execute(f"CREATE INDEX {name} ON {table} USING gin (({words_sql('text')}))", params=None)


def drop(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the indexes."""
    if editor.connection.vendor == "postgresql":
        for name in INDEXES:
            editor.execute(f"DROP INDEX {name}")


OPERATIONS = [RunPython(build, drop)]
"""The last operations of this app's migrations."""
