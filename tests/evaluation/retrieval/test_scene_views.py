"""Atoms are lemmas by kind, and the commonest make the columns."""

from evaluation.language import lemma
from evaluation.retrieval.scene_views import atoms, commonest, scene_vectors


def test_atoms_are_lemmas_by_kind() -> None:
    caption = [("Two", "CD"), ("Women", "NNS"), ("were", "VBD"), ("riding", "VBG"), ("Redder", "JJR"), ("bikes", "NNS")]
    assert atoms([caption]) == {
        ("entity", "woman"),
        ("action", "be"),
        ("action", "ride"),
        ("attribute", "red"),
        ("entity", "bike"),
    }
    assert lemma("saw", "NN") == "saw" and lemma("saw", "VBD") == "see"


def test_the_commonest_atoms_make_the_columns() -> None:
    scenes = [{("entity", "man"), ("entity", "dog")}, {("entity", "man")}, {("action", "run"), ("entity", "dog")}]
    columns = commonest(scenes, 2)
    assert columns == {("entity", "dog"): 0, ("entity", "man"): 1}
    assert scene_vectors(scenes, columns).tolist() == [[1, 1], [0, 1], [1, 0]]
