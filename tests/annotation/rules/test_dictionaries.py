import json

import pytest

from annotation.rules.dictionaries import FOLDER, LISTS, Dictionaries, load_dictionaries, types_of

SHIPPED = load_dictionaries()


def names(chunk: str, dictionaries: Dictionaries = SHIPPED) -> str:
    return ", ".join(types_of(chunk.split(), dictionaries))


@pytest.mark.parametrize(
    ("chunk", "types"),
    [
        ("A man", "people"),
        ("two young women", "people"),
        ("an orange hat", "clothing"),
        ("his sunglasses", "clothing"),
        ("her hands", "body parts"),
        ("brown puppies", "animals"),
        ("Three buses", "vehicles"),
        ("an electric guitar", "instruments"),
        ("the street", "scene"),
        ("a ladder", "other"),
        ("two window-washers", "people"),
        ("a sky-blue wall hanging", "other"),
    ],
)
def test_it_finds_the_type_of_the_head_noun(chunk: str, types: str) -> None:
    assert names(chunk) == types


def test_a_mention_can_have_several_types() -> None:
    assert names("the bar") == "scene, other"


@pytest.mark.parametrize(
    ("chunk", "types"),
    [
        ("a baseball player", "people"),
        ("two police officers", "people"),
        ("a hot dog", "other"),
        ("hot dogs", "other"),
        ("a hair dryer", "other"),
        ("a teddy bear", "other"),
        ("bottles of water", "other"),
        ("a catcher 's mitt", "clothing"),
    ],
)
def test_a_longer_term_wins_over_its_last_word(chunk: str, types: str) -> None:
    assert names(chunk) == types


@pytest.mark.parametrize(
    ("chunk", "types"),
    [
        ("a group of people", "people"),
        ("a pair of jeans", "clothing"),
        ("bunches of dogs", "animals"),
        ("five of the six children", "people"),
        ("the edge of the water", "scene"),
        ("a large group of pairs of boots", "clothing"),
        ("a statue of a man", "other"),
        ("the shoulders of a man", "body parts"),
        ("a room full of people", "scene"),
        ("a crowd full of dogs", "animals"),
    ],
)
def test_it_looks_behind_of_only_for_words_that_stand_for_what_follows(chunk: str, types: str) -> None:
    assert names(chunk) == types


@pytest.mark.parametrize("chunk", ["blue", "all black", "red and white", "the dark blue", "blue-green", "Red , White"])
def test_a_chunk_of_colours_is_clothing(chunk: str) -> None:
    assert names(chunk) == "clothing"


@pytest.mark.parametrize("chunk", ["an orange", "a blue wall", "red light", "the light", "all", "and"])
def test_a_colour_word_that_names_or_describes_a_thing_is_not(chunk: str) -> None:
    assert names(chunk) == "other"


@pytest.mark.parametrize("chunk", ["", ",", "the", "of", "of water", "group of", "a of of of b", "full of people"])
def test_odd_chunks_still_get_a_type(chunk: str) -> None:
    assert names(chunk)


def test_a_project_can_add_and_remove_words() -> None:
    edited = SHIPPED.changed(add={"scene": ["Space  Station"], "animals": ["*saur"]}, remove={"animals": ["dog"]})
    assert names("a space station", edited) == "scene"
    assert names("two stegosaurs", edited) == "animals"
    assert names("a dog", edited) == "other"
    assert names("a dog") == "animals"


@pytest.mark.parametrize(
    ("add", "remove", "message"),
    [
        ({"furniture": ["chair"]}, {}, 'no list "furniture"'),
        ({}, {"furniture": ["chair"]}, 'no list "furniture"'),
        ({"animals": "dog"}, {}, "several words"),
        ({"animals": [" "]}, {}, "takes words"),
        ({"animals": [3]}, {}, "takes words"),
        ({"animals": ["*"]}, {}, "takes words"),
        ({}, {"animals": ["sofa"]}, 'no "sofa" to remove'),
    ],
)
def test_a_wrong_edit_is_refused(add: dict[str, list[str]], remove: dict[str, list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SHIPPED.changed(add=add, remove=remove)


def test_json_gives_the_same_dictionaries_back() -> None:
    edited = SHIPPED.changed(add={"pronouns": ["thou"]})
    assert Dictionaries.from_json(json.loads(json.dumps(edited.to_json()))) == edited


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "an object"),
        ({}, '"people" is missing'),
        (SHIPPED.to_json() | {"people": None}, "several words"),
        (SHIPPED.to_json() | {"furniture": []}, 'no list "furniture"'),
    ],
)
def test_wrong_json_is_refused(data: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Dictionaries.from_json(data)


@pytest.mark.parametrize("name", LISTS)
def test_a_shipped_list_says_what_it_is_and_is_sorted_without_doubles(name: str) -> None:
    lines = (FOLDER / f"{name.replace(' ', '_')}.txt").read_text(encoding="utf-8").splitlines()
    terms = [line for line in lines if not line.startswith("#")]
    assert lines[0].startswith("# ")
    assert terms == sorted(set(terms))
    assert terms == [term.lower().strip() for term in terms] and all(terms)


def test_there_is_a_file_for_every_list_and_no_other() -> None:
    assert {path.stem.replace("_", " ") for path in FOLDER.glob("*")} == set(LISTS)
