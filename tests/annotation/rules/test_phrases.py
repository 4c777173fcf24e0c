"""The types, head nouns, pronouns and sentences of phrases, however they were typed."""

import json
from collections.abc import Callable

from annotation.rules.comparable import bare_words, comparable, comparable_name
from annotation.rules.dictionaries import (
    FOLDER,
    LISTS,
    Dictionaries,
    bare_phrase,
    deciding_place,
    deciding_term,
    load_dictionaries,
    singulars,
    types_of,
)
from annotation.rules.head_noun import head_noun
from annotation.rules.mention import is_mention, sentence_numbers, words_before
from annotation.rules.mention_type import NOUN_TYPES, MentionType, linked_as, may_be_mention
from exchange.split_captions import tokenized_caption
from tests.support.table import case, row

SHIPPED = load_dictionaries()
BEHIND_OF = "it looks behind of only for words that stand for what follows"


@row("a brown dog", "dog", "dog")
@row("several dogs .", "dogs", "dog")
@row("a group of young men", "men", "man")
@row("a room full of people", "room", "room")
@row("a pair of old jeans", "jeans", "jeans")
@row("a hot dog", "dog", "hot dog")
@row("two bottles of water", "water", "bottle of water")
@row("an orange", "orange", "orange")
@row("a zorble", "zorble", "zorble")
def test_the_deciding_word_listed_under_another_type_changes_the_phrase(phrase: str, word: str, term: str) -> None:
    words = phrase.split()
    place = deciding_place(words, SHIPPED)
    assert place is not None
    assert (words[place], deciding_term(words, SHIPPED)) == (word, term)
    without = {name: terms - {term} if name in tuple(MentionType) else terms for name, terms in SHIPPED.words.items()}
    for kind in (MentionType.VEHICLES, MentionType.SCENE):
        assert types_of(words, Dictionaries({**without, kind: without[kind] | {term}})) == (kind,)


def test_no_word_of_colours_or_of_punctuation_decides() -> None:
    for phrase in ("red and black", "dark blue", "...", ""):
        assert deciding_place(phrase.split(), SHIPPED) is None, phrase
        assert deciding_term(phrase.split(), SHIPPED) == "", phrase


def test_a_bare_phrase_has_no_article() -> None:
    assert bare_phrase(["The", "background"]) == "background"


def names(chunk: str, dictionaries: Dictionaries = SHIPPED) -> str:
    return ", ".join(types_of(chunk.split(), dictionaries))


def refusal(make: Callable[..., object], *values: object, **named: object) -> str:
    """Return why the values are refused, or nothing if they are not."""
    try:
        make(*values, **named)
    except ValueError as error:
        return str(error)
    return ""


@case("it finds the type of the head noun: people", "people", "A man / two young women / two window-washers")
@case("it finds the type of the head noun: clothing", "clothing", "an orange hat / his sunglasses")
@case("it finds the type of the head noun: body parts", "body parts", "her hands")
@case("it finds the type of the head noun: animals", "animals", "brown puppies")
@case("it finds the type of the head noun: vehicles", "vehicles", "Three buses")
@case("it finds the type of the head noun: instruments", "instruments", "an electric guitar")
@case("it finds the type of the head noun: scene", "scene", "the street")
@case("it finds the type of the head noun: other", "other", "a ladder / a sky-blue wall hanging")
@case("a mention can have several types", "scene, other", "the bar")
@case("a longer term wins over its last word: people", "people", "a baseball player / two police officers")
@case("a longer term wins over its last word: clothing", "clothing", "a catcher 's mitt")
@case(
    "a longer term wins over its last word: other",
    "other",
    "a hot dog / hot dogs / a hair dryer / a teddy bear / bottles of water",
)
@case(BEHIND_OF + ": people", "people", "a group of people / five of the six children")
@case(BEHIND_OF + ": clothing", "clothing", "a pair of jeans / a large group of pairs of boots")
@case(BEHIND_OF + ": animals", "animals", "bunches of dogs / a crowd full of dogs")
@case(BEHIND_OF + ": scene", "scene", "the edge of the water / a room full of people")
@case(BEHIND_OF + ": other", "other", "a statue of a man")
@case(BEHIND_OF + ": body parts", "body parts", "the shoulders of a man")
@case("a chunk of colours", "clothing", "blue / all black / red and white / the dark blue / blue-green / Red , White")
@case(
    "a colour word that names or describes a thing",
    "other",
    "an orange / a blue wall / red light / the light / all / and",
)
def test_a_chunk_has_the_type(kind: str, chunks: str) -> None:
    assert [(chunk, names(chunk)) for chunk in chunks.split(" / ") if names(chunk) != kind] == []


def test_odd_chunks_still_get_a_type() -> None:
    for chunk in ["", ",", "the", "of", "of water", "group of", "a of of of b", "full of people"]:
        assert names(chunk), f"the chunk {chunk!r}"


def test_a_project_can_add_and_remove_words() -> None:
    edited = SHIPPED.changed(add={"scene": ["Space  Station"], "animals": ["*saur"]}, remove={"animals": ["dog"]})
    assert names("a space station", edited) == "scene"
    assert names("two stegosaurs", edited) == "animals" and names("a dog", edited) == "other"
    assert names("a dog") == "animals"


@row({"furniture": ["chair"]}, {}, 'no list "furniture"')
@row({}, {"furniture": ["chair"]}, 'no list "furniture"')
@row({"animals": "dog"}, {}, "several words")
@row({"animals": [" "]}, {}, "takes words")
@row({"animals": [3]}, {}, "takes words")
@row({"animals": ["*"]}, {}, "takes words")
@row({}, {"animals": ["sofa"]}, 'no "sofa" to remove')
def test_a_wrong_edit_is_refused(add: dict[str, object], remove: dict[str, object], message: str) -> None:
    assert message in refusal(SHIPPED.changed, add=add, remove=remove)


def test_json_gives_the_same_dictionaries_back() -> None:
    edited = SHIPPED.changed(add={"pronouns": ["thou"]})
    assert Dictionaries.from_json(json.loads(json.dumps(edited.to_json()))) == edited


def test_wrong_json_is_refused() -> None:
    assert "an object" in refusal(Dictionaries.from_json, [])
    assert '"people" is missing' in refusal(Dictionaries.from_json, {})
    assert "several words" in refusal(Dictionaries.from_json, SHIPPED.to_json() | {"people": None})
    assert 'no list "furniture"' in refusal(Dictionaries.from_json, SHIPPED.to_json() | {"furniture": []})


def test_a_shipped_list_says_what_it_is_and_is_sorted_without_doubles() -> None:
    for name in LISTS:
        lines = (FOLDER / f"{name.replace(' ', '_')}.txt").read_text(encoding="utf-8").splitlines()
        terms = [line for line in lines if not line.startswith("#")]
        assert lines[0].startswith("# "), name
        assert terms == sorted(set(terms)), name
        assert terms == [term.lower().strip() for term in terms] and all(terms), name


def test_there_is_a_file_for_every_list_and_no_other() -> None:
    assert {path.stem.replace("_", " ") for path in FOLDER.glob("*")} == set(LISTS)


def test_the_head_noun_is_the_last_word_in_small_letters_with_its_number() -> None:
    expected = {"A brown Dog": "dog", "two dogs": "dogs", "A group of people": "people", "an orange hat .": "hat"}
    assert {chunk: head_noun(chunk.split()) for chunk in expected} == expected
    assert head_noun(["&"]) == "&", "a chunk of punctuation stays as it is"
    assert "without words" in refusal(head_noun, [])


def test_plurals_lead_to_their_singular_and_singulars_stay() -> None:
    pairs = "men man, firemen fireman, ladies lady, benches bench, horses horse, dresses dress, wolves wolf"
    for plural, singular in map(str.split, f"{pairs}, bikinis bikini, grandchildren grandchild".split(", ")):
        assert singular in singulars(plural), plural
    for word in ("grass", "dress", "as", "man", ""):
        assert singulars(word) == (word,)


@case(
    "it takes what may be an entity",
    True,
    "a man / two dogs / the camera / a trick / someone / one / a green background",
)
@case("it refuses pronouns", False, "He / they / it / himself / each other / his / who / that")
@case("it refuses non-visual terms", False, "background / air / mid air / her way / distance .")
@case("with an article, too", False, "the background / The air / the distance .")
@case(
    "what names nothing visible is told however it was typed",
    False,
    "h\u00ade / the air\u2026 / each\u200b other\u201d / \u2026",
)
def test_what_may_be_a_mention(taken, chunks: str) -> None:
    assert [chunk for chunk in chunks.split(" / ") if is_mention(chunk.split()) is not taken] == []


def test_a_chunk_without_a_noun_is_no_mention() -> None:
    assert not any(map(is_mention, ([], ["the"], [",", "."], [""])))


def test_a_project_may_use_other_lists() -> None:
    assert is_mention(["the", "air"], non_visual=frozenset({"smoke"}))
    assert not is_mention(["the", "smoke"], non_visual=frozenset({"smoke"}))
    assert is_mention(["he"], pronouns=frozenset())


def test_the_words_before_are_the_nearest_four() -> None:
    words = ["A", "man", "is", "riding", "on", "the", "horse"]
    assert words_before(words, 5) == "man is riding on"
    assert words_before(words, 1) == "A" and words_before(words, 0) == ""


def test_there_are_the_eight_types_of_the_paper_each_with_a_word_list():
    names = "people, clothing, body parts, animals, vehicles, instruments, scene, other"
    assert ", ".join(NOUN_TYPES) == names
    assert set(MentionType) == {*NOUN_TYPES, MentionType.PRONOUN}
    assert all((FOLDER / f"{kind.replace(' ', '_')}.txt").exists() for kind in NOUN_TYPES)


def test_only_pronouns_for_something_in_the_picture_may_be_mentions() -> None:
    assert [may_be_mention([word]) for word in ("she", "themselves", "who", "i")] == [True, True, False, False]


@row("she", "people", "clothing")
@row("it", "animals", "people")
@row("them", "people", "scene")
@row("someone", "scene", "")
def test_links_read_a_pronoun_as_what_its_word_allows(word: str, allowed: str, excluded: str) -> None:
    read = linked_as([MentionType.PRONOUN.value], [word])
    assert allowed in read
    assert not {excluded, "pronoun"} & set(read)


def test_nouns_keep_their_types() -> None:
    assert linked_as(["people", "other"], ["it"]) == ["people", "other"]


def numbers(text: str, *, marks_are_words: bool = False) -> list[int]:
    words = text.split() if marks_are_words else [part.strip('.!?",') for part in text.split()]
    offsets, at = [], 0
    for word in words:
        at = text.index(word, at)
        offsets.append(at)
        at += len(word)
    return sentence_numbers(text, offsets)


@row("A dog runs.", [0, 0, 0])
@row("A dog runs. It barks! Why? Who knows", [0, 0, 0, 1, 1, 2, 3, 3])
@row("Dr. J. Brown waves. He smiles.", [0, 0, 0, 0, 1, 1])
@row('"A dog runs." It barks', [0, 0, 0, 1, 1])
@row("3.5 miles, www.dogs.org", [0, 0, 0])
def test_a_mark_before_a_space_ends_a_sentence(text: str, expected: list[int]) -> None:
    assert numbers(text) == expected


@row(["a dog runs.", "it barks"])
@row(["Dr. J. Brown waves.", "He smiles."])
@row(["It runs... and barks...", "It stops"])
@row(["A dog\u2026 runs"])
@row(['A boy shouts "stop!" and runs.', '"Who knows?"', "He stops"])
@row(["Is it an A?", "I am B!", "Vitamin C. and D"])
@row(["Cats, dogs, etc. run.", "Cats, dogs, etc.", "All run"])
@row(["It is 5 p.m. in the U.S. (e.g. now)"])
@row(["See www.dogs.org/a.html in 3.5 s. with Mr. Fox.", "It loads"])
@row(["Ein Hund l\u00e4uft.", "\u00dcber ihm fliegt ein Vogel"])
@row(["\u0647\u0644 \u0647\u0630\u0627\u061f", "\u0646\u0639\u0645"])
@row(["\u0939\u0948\u0964", "\u0935\u0939"])
def test_words_and_marks_of_a_text_stand_in_its_sentences(sentences: list[str]) -> None:
    caption = tokenized_caption(" ".join(sentences))
    expected = [place for place, one in enumerate(sentences) for _ in tokenized_caption(one).words]
    assert sentence_numbers(caption.text, caption.offsets) == expected, caption.words


def test_a_sentence_ends_without_a_space_before_a_capital_and_where_a_language_has_none() -> None:
    for text, expected in {
        "A dog runs.It barks": [0, 0, 0, 0, 1, 1],
        "\u72d7\u8dd1\u3002\u5b83\u53eb\uff01\u4eba": [0, 0, 1, 1, 2],
    }.items():
        caption = tokenized_caption(text)
        assert sentence_numbers(text, caption.offsets) == expected, caption.words


@case("words may hold their marks", "Dr. J. Brown waves (in the U.S. today). He smiles...", [0] * 8 + [1, 1])
@case("a caption may be empty", "", [])
@case("marks may be words of their own", "A dog . It barks .", [0, 0, 0, 1, 1, 1])
def test_sentences_of_words_with_their_marks(text: str, expected: list[int]) -> None:
    assert numbers(text, marks_are_words=True) == expected


@row("the café", ["the cafe\u0301"])  # as a Mac writes it
@row("a man", ["a ma\u00adn", "a man\u200b", "\ufeffa \u2060man", "\u200b a man"])
@row("a t-shirt", ["a t\u2011shirt", "a t\u2013shirt"])
@row("the dog's bowl", ["the dog\u2019s bowl"])
@row("three dogs", ["three dogs\u2026", "three dogs ...", "\u201cthree dogs\u201d,", "three dogs \U0001f415"])
@row("three dogs", ["three dogs\U0001f415\u200d\U0001f9ba\u2764\ufe0f"])
@row("三只狗", ["三只狗。"])
@row("un perro", ["¿un perro?"])
@row("C# at 50% off", ["C# at 50% (off)"])
def test_a_phrase_reads_the_same_however_it_was_typed(read: str, texts: list[str]) -> None:
    assert [comparable(text.split(" ")) for text in texts] == [read] * len(texts)


def test_a_phrase_that_reads_as_it_was_typed_stays() -> None:
    phrases = ["a dog , a cat", "The Dogs", "\u2026", "\U0001f415", "\u200b"]
    assert [comparable(phrase.split(" ")) for phrase in phrases] == phrases


def test_joiners_stay_where_a_script_or_an_emoji_needs_them_and_nowhere_else() -> None:
    expected = {
        "می\u200cخواهم": "می\u200cخواهم",  # Persian: without it another word
        "क\u094d\u200dष": "क\u094d\u200dष",
        "\U0001f469\u200d\U0001f33e farms": "farms",
        "a\u200d\u200cb": "ab",
        "man\u200c": "man",
    }
    assert {text: comparable(text.split(" ")) for text in expected} == expected
    assert comparable(["\U0001f469\u200d\U0001f33e"]) == "\U0001f469\u200d\U0001f33e"


def test_single_words_lose_the_marks_around_them() -> None:
    assert bare_words(["\u201cthree", "dogs\u2026\u201d", "\U0001f415", "and", "x\u200by", "\u200b"]) == [
        *("three", "dogs", "and", "xy")
    ]


def test_names_of_files_are_the_same_composed_and_decomposed_and_in_either_case() -> None:
    assert comparable_name("Cafe\u0301\u200b.JPG") == comparable_name("café.jpg")
    assert comparable_name("Screenshot at 9.41\u202fAM.png") == comparable_name("screenshot at 9.41 am.png")
    assert comparable_name("cafe.jpg") != comparable_name("café.jpg")


@row("scene", "the café", "the cafe\u0301")
@row("people", "a man", "a man\u200b")
@row("people", "a man", "a ma\u00adn")
@row("animals", "three dogs", "three dogs\u2026")
@row("animals", "three dogs", "three dogs\U0001f415")
@row("clothing", "a t-shirt", "a t\u2011shirt")
@row("other", "a hot dog", "a \u201chot\u201d dog\u201d")
@row("clothing", "all black", "all \u200bblack")
def test_types_come_from_how_a_phrase_reads(kind: str, text: str, typed: str) -> None:
    read = types_of(text.split(), SHIPPED)
    assert read[0] == kind and types_of(typed.split(), SHIPPED) == read


def test_the_deciding_word_is_found_at_its_place_in_the_words_as_given() -> None:
    words = ["\u200b", "three", "do\u00adgs\u2026", "\U0001f415"]
    assert deciding_place(words, SHIPPED) == 2
    assert deciding_term(words, SHIPPED) == "dog"
    assert bare_phrase(["the", "ai\u00adr\u2026"]) == "air"


def test_the_words_before_a_phrase_are_comparable_too() -> None:
    assert words_before(["A", "ma\u00adn", "in\u200b", "a", "t\u2011shirt"], 4) == "A man in a"


def test_lists_of_a_project_hold_words_in_their_comparable_form() -> None:
    changed = SHIPPED.changed(add={"vehicles": ["cafe\u0301 rac\u00ader"]})
    assert types_of(["a", "caf\u00e9", "racer"], changed)[0].value == "vehicles"
    assert "caf\u00e9 racer" in changed.to_json()["vehicles"]
