"""Search for whole words in phrases and captions: `Holds("text", "dog")` also finds "dogs", and never "hotdog".

Case does not count. PostgreSQL looks words up in an index that a migration of this app builds; SQLite, which holds
small projects, reads each text.
"""

import re
from typing import Any

from django.db import connection
from django.db.models import BooleanField, F, Func, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

PUNCTUATION = "!\"#$&'()*+,-./:;<=>?@[]^_`{|}~\t\n"
"""The characters that end a word, apart from the space."""
ENDS_IN_ES = ("s", "x", "z", "ch", "sh", "o")


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case, each once."""
    blanks = str.maketrans(PUNCTUATION, " " * len(PUNCTUATION))
    return list(dict.fromkeys(text.lower().translate(blanks).split()))


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
    marks = "".join({"'": "''", "\t": "\\t", "\n": "\\n"}.get(one, one) for one in PUNCTUATION)
    return f"string_to_array(lower(translate({column}, E'{marks}', '{' ' * len(PUNCTUATION)}')), ' ')"


class Holds(Func):
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


def _pattern(word: str) -> str:
    ends = re.escape(PUNCTUATION + " ")
    return f"(?i)(^|[{ends}])({'|'.join(map(re.escape, forms(word)))})($|[{ends}])"


def of_type(mentions: QuerySet[Any], name: str) -> QuerySet[Any]:
    """Select those of the mentions that have this type, alone or among others."""
    if connection.features.supports_json_field_contains:
        return mentions.filter(types__contains=[name])
    return mentions.alias(listed=Cast("types", TextField())).filter(listed__contains=f'"{name}"')
