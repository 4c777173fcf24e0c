import json
from collections.abc import Callable, Iterable

from annotation.rules.dictionaries import FOLDER, LISTS, Dictionaries, load_dictionaries, types_of

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
