"""The word that decides a phrase's types, and the term by which the lists change them.
Plural nouns and their singulars.
The types of the paper.
Pronouns that can be mentions, and what they may stand for.
The sentences of a caption.
"""

import json
from collections.abc import Callable, Iterable

import pytest

from annotation.rules.comparable import bare_words, comparable, comparable_name
from annotation.rules.deciding_word import bare_phrase, deciding_place, deciding_term
from annotation.rules.dictionaries import FOLDER, LISTS, Dictionaries, load_dictionaries, types_of
from annotation.rules.head_noun import head_noun
from annotation.rules.mention import is_mention, words_before
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from annotation.rules.pronoun import linked_as, may_be_mention
from annotation.rules.sentences import sentence_numbers
from annotation.rules.singular import singulars
from exchange.words import tokenized_caption
from tests.support.table import row

OUR_LISTS = load_dictionaries()


def test_the_deciding_word_listed_under_another_type_changes_the_phrase() -> None:
    for phrase, word, term in [
        ("a brown dog", "dog", "dog"),
        ("several dogs .", "dogs", "dog"),
        ("a group of young men", "men", "man"),
        ("a room full of people", "room", "room"),
        ("a pair of old jeans", "jeans", "jeans"),
        ("a hot dog", "dog", "hot dog"),
        ("two bottles of water", "water", "bottle of water"),
        ("an orange", "orange", "orange"),
        ("a zorble", "zorble", "zorble"),
    ]:
        words = phrase.split()
        place = deciding_place(words, OUR_LISTS)
        assert place is not None, phrase
        assert (words[place], deciding_term(words, OUR_LISTS)) == (word, term)
        without = {
            name: terms - {term} if name in tuple(MentionType) else terms for name, terms in OUR_LISTS.words.items()
        }
        for kind in (MentionType.VEHICLES, MentionType.SCENE):
            lists = {**without, kind: without[kind] | {term}}
            assert types_of(words, Dictionaries(lists)) == (kind,), phrase


def test_no_word_of_colours_or_of_punctuation_decides() -> None:
    for phrase in ("red and black", "dark blue", "...", ""):
        assert deciding_place(phrase.split(), OUR_LISTS) is None, phrase
        assert deciding_term(phrase.split(), OUR_LISTS) == "", phrase


def test_a_bare_phrase_has_no_article() -> None:
    assert bare_phrase(["The", "background"]) == "background"


SHIPPED = load_dictionaries()


def names(chunk: str, dictionaries: Dictionaries = SHIPPED) -> str:
    return ", ".join(types_of(chunk.split(), dictionaries))


def all_names(chunks: Iterable[str]) -> dict[str, str]:
    return {chunk: names(chunk) for chunk in chunks}


def refusal(make: Callable[..., object], *values: object, **named: object) -> str:
    """Return why the values are refused, or nothing if they are not."""
    try:
        make(*values, **named)
    except ValueError as error:
        return str(error)
    return ""


def test_it_finds_the_type_of_the_head_noun() -> None:
    expected = {
        "A man": "people",
        "two young women": "people",
        "an orange hat": "clothing",
        "his sunglasses": "clothing",
        "her hands": "body parts",
        "brown puppies": "animals",
        "Three buses": "vehicles",
        "an electric guitar": "instruments",
        "the street": "scene",
        "a ladder": "other",
        "two window-washers": "people",
        "a sky-blue wall hanging": "other",
    }
    assert all_names(expected) == expected


def test_a_mention_can_have_several_types() -> None:
    assert names("the bar") == "scene, other"


def test_a_longer_term_wins_over_its_last_word() -> None:
    expected = {
        "a baseball player": "people",
        "two police officers": "people",
        "a hot dog": "other",
        "hot dogs": "other",
        "a hair dryer": "other",
        "a teddy bear": "other",
        "bottles of water": "other",
        "a catcher 's mitt": "clothing",
    }
    assert all_names(expected) == expected


def test_it_looks_behind_of_only_for_words_that_stand_for_what_follows() -> None:
    expected = {
        "a group of people": "people",
        "a pair of jeans": "clothing",
        "bunches of dogs": "animals",
        "five of the six children": "people",
        "the edge of the water": "scene",
        "a large group of pairs of boots": "clothing",
        "a statue of a man": "other",
        "the shoulders of a man": "body parts",
        "a room full of people": "scene",
        "a crowd full of dogs": "animals",
    }
    assert all_names(expected) == expected


def test_a_chunk_of_colours_is_clothing() -> None:
    chunks = ["blue", "all black", "red and white", "the dark blue", "blue-green", "Red , White"]
    assert all_names(chunks) == dict.fromkeys(chunks, "clothing")


def test_a_colour_word_that_names_or_describes_a_thing_is_not() -> None:
    chunks = ["an orange", "a blue wall", "red light", "the light", "all", "and"]
    assert all_names(chunks) == dict.fromkeys(chunks, "other")


def test_odd_chunks_still_get_a_type() -> None:
    for chunk in ["", ",", "the", "of", "of water", "group of", "a of of of b", "full of people"]:
        assert names(chunk), f"the chunk {chunk!r}"


def test_a_project_can_add_and_remove_words() -> None:
    edited = SHIPPED.changed(add={"scene": ["Space  Station"], "animals": ["*saur"]}, remove={"animals": ["dog"]})
    assert names("a space station", edited) == "scene"
    assert names("two stegosaurs", edited) == "animals"
    assert names("a dog", edited) == "other"
    assert names("a dog") == "animals"


def test_a_wrong_edit_is_refused() -> None:
    wrong: list[tuple[dict[str, object], dict[str, object], str]] = [
        ({"furniture": ["chair"]}, {}, 'no list "furniture"'),
        ({}, {"furniture": ["chair"]}, 'no list "furniture"'),
        ({"animals": "dog"}, {}, "several words"),
        ({"animals": [" "]}, {}, "takes words"),
        ({"animals": [3]}, {}, "takes words"),
        ({"animals": ["*"]}, {}, "takes words"),
        ({}, {"animals": ["sofa"]}, 'no "sofa" to remove'),
    ]
    for add, remove, message in wrong:
        assert message in refusal(SHIPPED.changed, add=add, remove=remove), f"add {add}, remove {remove}"


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


def test_it_is_the_last_word_in_small_letters_with_its_number() -> None:
    expected = {"A brown Dog": "dog", "two dogs": "dogs", "A group of people": "people", "an orange hat .": "hat"}
    assert {chunk: head_noun(chunk.split()) for chunk in expected} == expected


def test_it_keeps_a_chunk_of_punctuation_as_it_is() -> None:
    assert head_noun(["&"]) == "&"


def test_it_refuses_a_chunk_without_words() -> None:
    with pytest.raises(ValueError, match="without words"):
        head_noun([])


def test_plurals_lead_to_their_singular() -> None:
    for plural, singular in [
        ("men", "man"),
        ("firemen", "fireman"),
        ("ladies", "lady"),
        ("benches", "bench"),
        ("horses", "horse"),
        ("dresses", "dress"),
        ("wolves", "wolf"),
        ("bikinis", "bikini"),
        ("grandchildren", "grandchild"),
    ]:
        assert singular in singulars(plural), plural


def test_singulars_stay() -> None:
    words = ["grass", "dress", "as", "man", ""]
    assert {word: singulars(word) for word in words} == {word: (word,) for word in words}


def taken(*chunks: str) -> list[str]:
    return [chunk for chunk in chunks if is_mention(chunk.split())]


def test_it_takes_what_may_be_an_entity() -> None:
    chunks = ["a man", "two dogs", "the camera", "a trick", "someone", "one", "a green background"]
    assert taken(*chunks) == chunks


def test_it_refuses_pronouns() -> None:
    assert taken("He", "they", "it", "himself", "each other", "his", "who", "that") == []


def test_it_refuses_non_visual_terms_with_or_without_an_article() -> None:
    assert taken("background", "the background", "The air", "mid air", "her way", "the distance .") == []


def test_it_refuses_a_chunk_without_a_noun() -> None:
    words: list[list[str]] = [[], ["the"], [",", "."], [""]]
    assert [chunk for chunk in words if is_mention(chunk)] == []


def test_a_project_may_use_other_lists() -> None:
    assert is_mention(["the", "air"], non_visual=frozenset({"smoke"}))
    assert not is_mention(["the", "smoke"], non_visual=frozenset({"smoke"}))
    assert is_mention(["he"], pronouns=frozenset())


def test_the_words_before_are_the_nearest_four() -> None:
    words = ["A", "man", "is", "riding", "on", "the", "horse"]
    assert words_before(words, 5) == "man is riding on"
    assert words_before(words, 1) == "A" and words_before(words, 0) == ""


def test_there_are_the_eight_types_of_the_paper():
    names = "people, clothing, body parts, animals, vehicles, instruments, scene, other"
    assert ", ".join(NOUN_TYPES) == names
    assert set(MentionType) == {*NOUN_TYPES, MentionType.PRONOUN}


def test_every_type_has_a_word_list():
    assert all((FOLDER / f"{kind.replace(' ', '_')}.txt").exists() for kind in NOUN_TYPES)


@pytest.mark.parametrize(("word", "kept"), [("she", True), ("themselves", True), ("who", False), ("i", False)])
def test_only_pronouns_for_something_in_the_picture_may_be_mentions(word: str, kept: bool) -> None:  # noqa: FBT001
    assert may_be_mention([word]) is kept


@pytest.mark.parametrize(
    ("word", "allowed", "excluded"),
    [("she", "people", "clothing"), ("it", "animals", "people"), ("them", "people", "scene"), ("someone", "scene", "")],
)
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


def test_words_may_hold_their_marks() -> None:
    text = "Dr. J. Brown waves (in the U.S. today). He smiles..."
    assert numbers(text, marks_are_words=True) == [0] * 8 + [1, 1]


def test_a_caption_may_be_empty() -> None:
    assert numbers("") == []


def test_marks_may_be_words_of_their_own() -> None:
    assert numbers("A dog . It barks .", marks_are_words=True) == [0, 0, 0, 1, 1, 1]


DICTIONARIES = load_dictionaries()


def test_a_phrase_reads_the_same_however_it_was_typed() -> None:
    expected = {
        "the cafe\u0301": "the café",  # as a Mac writes it
        "a ma\u00adn": "a man",
        "a man\u200b": "a man",
        "\ufeffa \u2060man": "a man",
        "\u200b a man": "a man",
        "a t\u2011shirt": "a t-shirt",
        "a t\u2013shirt": "a t-shirt",
        "the dog\u2019s bowl": "the dog's bowl",
        "three dogs\u2026": "three dogs",
        "three dogs ...": "three dogs",
        "\u201cthree dogs\u201d,": "three dogs",
        "three dogs \U0001f415": "three dogs",
        "three dogs\U0001f415\u200d\U0001f9ba\u2764\ufe0f": "three dogs",
        "三只狗。": "三只狗",
        "¿un perro?": "un perro",
        "a dog , a cat": "a dog , a cat",
        "C# at 50% (off)": "C# at 50% off",
        "The Dogs": "The Dogs",
        "\u2026": "\u2026",
        "\U0001f415": "\U0001f415",
        "\u200b": "\u200b",
    }
    assert {text: comparable(text.split(" ")) for text in expected} == expected


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


def test_types_come_from_how_a_phrase_reads() -> None:
    pairs = [
        ("the café", "the cafe\u0301"),
        ("a man", "a man\u200b"),
        ("a man", "a ma\u00adn"),
        ("three dogs", "three dogs\u2026"),
        ("three dogs", "three dogs\U0001f415"),
        ("a t-shirt", "a t\u2011shirt"),
        ("a hot dog", "a \u201chot\u201d dog\u201d"),
        ("all black", "all \u200bblack"),
    ]
    read = [[types_of(text.split(), DICTIONARIES) for text in pair] for pair in pairs]
    assert [one for one, _ in read] == [two for _, two in read]
    assert [one[0].value for one, _ in read] == [
        *("scene", "people", "people", "animals", "animals", "clothing", "other", "clothing")
    ]


def test_what_names_nothing_visible_is_told_however_it_was_typed() -> None:
    assert not any(
        is_mention(text.split()) for text in ("h\u00ade", "the air\u2026", "each\u200b other\u201d", "\u2026")
    )


def test_the_deciding_word_is_found_at_its_place_in_the_words_as_given() -> None:
    words = ["\u200b", "three", "do\u00adgs\u2026", "\U0001f415"]
    assert deciding_place(words, DICTIONARIES) == 2
    assert deciding_term(words, DICTIONARIES) == "dog"
    assert bare_phrase(["the", "ai\u00adr\u2026"]) == "air"


def test_the_words_before_a_phrase_are_comparable_too() -> None:
    assert words_before(["A", "ma\u00adn", "in\u200b", "a", "t\u2011shirt"], 4) == "A man in a"


def test_lists_of_a_project_hold_words_in_their_comparable_form() -> None:
    changed = DICTIONARIES.changed(add={"vehicles": ["cafe\u0301 rac\u00ader"]})
    assert types_of(["a", "caf\u00e9", "racer"], changed)[0].value == "vehicles"
    assert "caf\u00e9 racer" in changed.to_json()["vehicles"]
