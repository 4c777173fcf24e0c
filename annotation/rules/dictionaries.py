"""Type dictionaries [paper 3.1.1]: word lists, which a requester can edit, that give a mention its types."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from annotation.rules.comparable import bare_words, comparable_word
from annotation.rules.mention_type import NOUN_TYPES, STANDS_FOR, MentionType, may_be_mention

FOLDER = Path(__file__).parent.parent / "dictionaries"
COLORS = "colors"
LOOK_THROUGH = "look through"
PRONOUNS = "pronouns"
NON_VISUAL = "non visual"
LISTS = (*(str(kind) for kind in NOUN_TYPES), COLORS, LOOK_THROUGH, PRONOUNS, NON_VISUAL)
"""The names of the lists; a file's name has an underscore for each space."""

# Words that a phrase of colours may also hold: "in dark blue", "all black", "a bright red and white".
SHADES = frozenset(
    ("all", "and", "or", "bright", "dark", "deep", "light", "mostly", "neon", "of", "pale", "pastel", "solid", "the")
)
PUNCTUATION = ' .,;:!?()[]{}"`\u00b4\u2018\u201c\u201d*_&/-'
DETERMINERS = frozenset(
    ("a", "an", "the", "this", "that", "these", "those", "his", "her", "its", "their", "our", "my", "your", "some")
)


@dataclass(frozen=True)
class Dictionaries:
    """All word lists by name. Immutable: an edit returns new dictionaries."""

    words: Mapping[str, frozenset[str]]

    @cached_property
    def types(self) -> Mapping[str, tuple[MentionType, ...]]:
        """The types of each term, in the order of MentionType."""
        found: dict[str, list[MentionType]] = {}
        for kind in NOUN_TYPES:
            for term in self.words[kind]:
                found.setdefault(term, []).append(kind)
        return {term: tuple(kinds) for term, kinds in found.items()}

    @cached_property
    def longest(self) -> int:
        """The number of words of the longest term."""
        return max((term.count(" ") + 1 for term in self.types), default=1)

    @cached_property
    def endings(self) -> Sequence[str]:
        """The endings of terms such as *woman, without the star, longest first."""
        return sorted((term[1:] for term in self.types if term.startswith("*")), key=lambda end: (-len(end), end))

    def changed(
        self,
        add: Mapping[str, Iterable[str]] | None = None,
        remove: Mapping[str, Iterable[str]] | None = None,
    ) -> "Dictionaries":
        """Return dictionaries with words added to and removed from the lists of these names.

        A type is the name of its list. Raises ValueError for an unknown list, for a word that is not a text, and for
        the removal of a word that the list does not hold.
        """
        words = dict(self.words)
        for name, terms in (add or {}).items():
            words[name] = words[_known(name)] | {_clean(term, name) for term in _several(terms, name)}
        for name, terms in (remove or {}).items():
            gone = {_clean(term, name) for term in _several(terms, name)}
            missing = sorted(gone - words[_known(name)])
            if missing:
                raise ValueError(f'The list "{name}" has no "{missing[0]}" to remove.')
            words[name] = words[name] - gone
        return Dictionaries(words)

    def with_pronouns(self) -> "Dictionaries":
        """Return lists by which pronouns that can stand for something in the picture are mentions."""
        return Dictionaries({**self.words, PRONOUNS: self.words[PRONOUNS].difference(STANDS_FOR)})

    def to_json(self) -> dict[str, list[str]]:
        """Return every list, whole and sorted, so that later versions of the program read the same types."""
        return {name: sorted(self.words[name]) for name in LISTS}

    @classmethod
    def from_json(cls, data: object) -> "Dictionaries":
        """Read what `to_json` wrote. Raises ValueError that names the wrong list and entry."""
        if not isinstance(data, dict):
            raise ValueError("Dictionaries are an object with a list of words for each name.")
        missing = [name for name in LISTS if name not in data]
        if missing:
            raise ValueError(f'The list "{missing[0]}" is missing; an empty list is allowed.')
        return cls({_known(name): frozenset(_clean(t, name) for t in _several(data[name], name)) for name in data})


@cache
def load_dictionaries() -> Dictionaries:
    """Return the lists that come with the program."""
    return Dictionaries({name: read_list(FOLDER / f"{name.replace(' ', '_')}.txt") for name in LISTS})


def read_list(path: Path) -> frozenset[str]:
    """Read the terms of a list file, one a line; empty lines and lines that begin with # are left out."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return frozenset(_clean(line, path.name) for line in lines if line and not line.startswith("#"))


def types_of(words: Sequence[str], dictionaries: Dictionaries) -> tuple[MentionType, ...]:
    """Return the types of a chunk in the order of MentionType: those of its head, else "other".

    The longest term that ends the chunk decides ("hot dog" before "dog"), in singular or plural. Words such as "group"
    or "pair" before an "of" have the types of what follows the "of".
    """
    return types_of_plain(compared_words(words), dictionaries)


def types_of_plain(chunk: Sequence[str], dictionaries: Dictionaries) -> tuple[MentionType, ...]:
    """Return the types of words that are plain already."""
    if may_be_mention(chunk) and chunk[0] not in dictionaries.words[PRONOUNS]:
        return (MentionType.PRONOUN,)
    if _only_colors(chunk, dictionaries.words[COLORS]):
        return (MentionType.CLOTHING,)
    return _longest_term(chunk, dictionaries) or _types_around_of(chunk, dictionaries) or (MentionType.OTHER,)


def _types_around_of(chunk: Sequence[str], dictionaries: Dictionaries) -> tuple[MentionType, ...]:
    """Return the types of the part before the first "of", or of the part behind it after words such as "group"."""
    if "of" not in chunk[1:-1]:
        return _ending(chunk, dictionaries)
    at = chunk.index("of", 1)
    # "a room full of people": the noun stands before "full".
    front, behind = [word for word in chunk[:at] if word not in ("full", "filled")], chunk[at + 1 :]
    if front and not dictionaries.words[LOOK_THROUGH].isdisjoint(singulars(front[-1])):
        return types_of_plain(behind, dictionaries)
    return types_of_plain(front, dictionaries)


def _longest_term(chunk: Sequence[str], dictionaries: Dictionaries) -> tuple[MentionType, ...]:
    """Return the types of the longest term of at least two words that ends the chunk, or none."""
    for size in range(min(len(chunk), dictionaries.longest), 1, -1):
        start = " ".join(chunk[-size:-1])
        for head in singulars(chunk[-1]):
            if types := dictionaries.types.get(f"{start} {head}"):
                return types
    # "bottles of water" and "glasses of wine": a term with "of" has its number at the front.
    if "of" in chunk[1:-1]:
        at = chunk.index("of", 1)
        for head in singulars(chunk[at - 1])[1:]:
            if types := dictionaries.types.get(" ".join([head, *chunk[at:]])):
                return types
    return ()


def _ending(chunk: Sequence[str], dictionaries: Dictionaries) -> tuple[MentionType, ...]:
    """Return the types of the last word: of the whole word, then of its part behind a hyphen, then of its ending."""
    if not chunk:
        return ()
    for word in dict.fromkeys((chunk[-1], chunk[-1].rpartition("-")[2])):
        forms = singulars(word)
        for form in forms:
            if types := dictionaries.types.get(form):
                return types
        for form in forms:
            for end in dictionaries.endings:
                if form.endswith(end):
                    return dictionaries.types[f"*{end}"]
    return ()


def _only_colors(chunk: Sequence[str], colors: frozenset[str]) -> bool:
    """Return whether the chunk names colours only. After "a" or "an" it names a thing: "an orange"."""
    if not chunk or chunk[0] in ("a", "an") or chunk[-1] in SHADES:
        return False
    rest = [word for word in chunk if word not in SHADES and word not in DETERMINERS]
    return bool(rest) and all(word in colors or all(part in colors for part in word.split("-")) for word in rest)


def compared_words(words: Iterable[str]) -> list[str]:
    """Return the words as the lists are asked for them: in their comparable form, otherwise as `plain_words`."""
    return plain_words(bare_words(words))


def plain_words(words: Iterable[str]) -> list[str]:
    """Return the words in lower case without punctuation around them; words of punctuation alone are left out."""
    lowered = (word.lower().replace("\u2019", "'") for word in words)
    return [clean for word in lowered if (clean := word.strip(PUNCTUATION))]


def _known(name: str) -> str:
    if name not in LISTS:
        raise ValueError(f'There is no list "{name}". The lists are: {", ".join(LISTS)}.')
    return name


def _several(terms: object, name: str) -> Iterator[object]:
    # A text is iterable too: "dog" would quietly become the words d, o and g.
    if isinstance(terms, str) or not isinstance(terms, Iterable):
        raise ValueError(f'The list "{name}" takes several words, not {terms!r}.')
    return iter(terms)


def _clean(term: object, name: str) -> str:
    words = comparable_word(term).lower().split() if isinstance(term, str) else []
    if not words or words == ["*"]:
        raise ValueError(f'The list "{name}" takes words, not {term!r}.')
    return " ".join(words)


IRREGULAR = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "persons": "person",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "lice": "louse",
    "oxen": "ox",
    "dice": "die",
    "calves": "calf",
    "halves": "half",
    "hooves": "hoof",
    "knives": "knife",
    "leaves": "leaf",
    "lives": "life",
    "loaves": "loaf",
    "scarves": "scarf",
    "shelves": "shelf",
    "thieves": "thief",
    "wharves": "wharf",
    "wives": "wife",
    "wolves": "wolf",
    "elves": "elf",
    "dwarves": "dwarf",
    "movies": "movie",
    "selfies": "selfie",
    "ties": "tie",
    "pies": "pie",
    "cacti": "cactus",
    "octopi": "octopus",
    "alumni": "alumnus",
    "paparazzi": "paparazzo",
    "passersby": "passerby",
    "buses": "bus",
    "gases": "gas",
    "pianos": "piano",
}
IRREGULAR_ENDINGS = ("children", "women", "men", "people", "feet", "teeth", "wives", "knives", "lives", "mice")


def singulars(word: str) -> tuple[str, ...]:
    """Return the word itself, then the words that it may be the plural of, likeliest first. Expects lower case."""
    forms = [word]
    if word in IRREGULAR:
        forms.append(IRREGULAR[word])
    forms += [word[: -len(end)] + IRREGULAR[end] for end in IRREGULAR_ENDINGS if word.endswith(end)]
    return tuple(dict.fromkeys(forms + _by_suffix(word)))


def _by_suffix(word: str) -> list[str]:
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return []
    if word.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("ches", "shes", "sses", "xes", "zes", "oes")):
        return [word[:-2], word[:-1]]
    return [word[:-1], word[:-2]] if word.endswith("ses") else [word[:-1]]


FULL = ("full", "filled")


def deciding_place(words: Sequence[str], dictionaries: Dictionaries) -> int | None:
    """Return the place of the word that decides: the head, or the noun before "of". None: no word of a list does."""
    places = [place for place, word in enumerate(words) if compared_words([word])]
    chunk = [compared_words([words[place]])[0] for place in places]
    if not chunk or types_of(words, _without_terms(dictionaries)) != types_of([], dictionaries):
        return None  # a phrase of colours alone
    first = 0
    while "of" in chunk[first + 1 : -1]:
        at = chunk.index("of", first + 1)
        front = [number for number in range(first, at) if chunk[number] not in FULL]
        if not front:
            return places[at - 1]
        if not any(form in dictionaries.words[LOOK_THROUGH] for form in singulars(chunk[front[-1]])):
            return places[front[-1]]
        first = at + 1
    return places[-1]


def deciding_term(words: Sequence[str], dictionaries: Dictionaries) -> str:
    """Return the term to list under another type, so that the phrase has that type; empty: there is none."""
    place = deciding_place(words, dictionaries)
    if place is None:
        return ""
    chunk = compared_words(words)
    known = dictionaries.types
    for size in range(min(len(chunk), dictionaries.longest), 1, -1):
        for head in singulars(chunk[-1]):
            term = " ".join([*chunk[-size:-1], head])
            if term in known:
                return term
    if "of" in chunk[1:-1]:
        at = chunk.index("of", 1)
        for head in singulars(chunk[at - 1])[1:]:
            if (term := " ".join([head, *chunk[at:]])) in known:
                return term
    word = compared_words([words[place]])[0]
    forms = singulars(word)
    return next((form for form in forms if form in known), forms[min(1, len(forms) - 1)])


def bare_phrase(words: Sequence[str]) -> str:
    """Return the phrase without articles and possessives, as the list of what is not visual holds it."""
    chunk = compared_words(words)
    while chunk and chunk[0] in DETERMINERS:
        chunk = chunk[1:]
    return " ".join(chunk)


def _without_terms(dictionaries: Dictionaries) -> Dictionaries:
    kept = {
        name: words if name in (COLORS, LOOK_THROUGH) else frozenset() for name, words in dictionaries.words.items()
    }
    return Dictionaries(kept)
