"""Search for whole words: the same on both engines, and whatever the phrase is written like."""

import pytest

from annotation.models import Mention
from annotation.word_search import HasWords, Reads, forms, words_in
from tests.support.projects import phrases, project_of
from tests.support.table import row

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

SAID = (
    "a dog", "two Dogs", "a hot-dog", "hotdogs", "the dog's bowl", "a dog_house", "a black dog", "a (dog)",
    "a doggy", "the black cat", "dog/cat", "ponies", "a pony", "glasses", "a glass", "a café", "two buses",
)  # fmt: skip


def found(words: str) -> set[str]:
    return set(Mention.objects.filter(HasWords("text", words)).values_list("text", flat=True))


@pytest.fixture(autouse=True)
def said() -> None:
    project_of(phrases(*(f"other: {text}" for text in SAID)))


@pytest.mark.parametrize("words", ["dog", "DOG", "dogs", " dog ", "dog!"])
def test_a_word_is_found_alone_and_in_its_plural_and_never_inside_another_word(words: str) -> None:
    dogs = {"a dog", "two Dogs", "a hot-dog", "the dog's bowl", "a dog_house", "a black dog", "a (dog)", "dog/cat"}
    assert found(words) == dogs


def test_of_several_words_each_must_occur() -> None:
    assert found("dog black") == {"a black dog"} and found("black") == {"a black dog", "the black cat"}


@row("pony", {"ponies", "a pony"})
@row("ponies", {"ponies", "a pony"})
@row("glass", {"glasses", "a glass"})
@row("glasses", {"glasses", "a glass"})
@row("bus", {"two buses"})
@row("café", {"a café"})
def test_plurals_with_es_and_ies_are_found_from_either_side(words: str, expected: set[str]) -> None:
    assert found(words) == expected


def test_signs_that_regular_expressions_know_are_only_signs() -> None:
    assert found("d.g") == set() and found("dog|cat") == {"dog/cat"}
    assert found("%s' \\") == set()


def test_without_words_every_text_fits() -> None:
    assert found(" . ") == set(SAID)


def test_no_form_of_a_word_is_a_shorter_word_by_mistake() -> None:
    assert forms("glass") == ["glass", "glasss", "glasses"]
    assert "bu" not in forms("bus")
    assert "thi" not in forms("this")


TYPED = {
    "composed": "the caf\u00e9", "decomposed": "the cafe\u0301s", "soft hyphen": "a ca\u00adf\u00e9",
    "no width": "a \u200bcaf\u00e9\u200b", "marks": "\u201ccaf\u00e9\u2026", "an emoji": "a caf\u00e9\U0001f415",
    "hyphen": "a t\u2011shirt", "plain": "a cafe shirt",
}  # fmt: skip


@pytest.mark.parametrize("words", ["caf\u00e9", "cafe\u0301", "CAF\u00c9", "ca\u00adf\u00e9s", "\u200bcaf\u00e9\u2026"])
def test_a_word_is_found_however_it_was_typed(words: str) -> None:
    project_of(phrases(*(f"other: {text}" for text in TYPED.values())), name="typed")
    rows = Mention.objects.filter(image__project__name="typed")
    kinds = {text: kind for kind, text in TYPED.items()}

    def kinds_of(condition: HasWords | Reads) -> set[str]:
        return {kinds[text] for text in rows.filter(condition).values_list("text", flat=True)}

    assert kinds_of(HasWords("text", words)) == {*TYPED} - {"hyphen", "plain"}
    assert kinds_of(HasWords("text", "t-shirt")) == kinds_of(Reads("text", "T\u2010sh")) == {"hyphen"}
    assert kinds_of(Reads("text", words.strip("\u2026sS"))) == {*TYPED} - {"hyphen", "plain"}
    assert words_in("A cafe\u0301\u2026 caf\u00e9\U0001f415") == ["a", "caf\u00e9"]
