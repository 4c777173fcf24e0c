from annotation.rules.comparable import bare_words, comparable, comparable_name
from annotation.rules.deciding_word import bare_phrase, deciding_place, deciding_term
from annotation.rules.dictionaries import load_dictionaries, types_of
from annotation.rules.mention import is_mention, words_before

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
