"""The ridge with the best score on validation pairs is taken."""

from evaluation.localization.embedding.choose_ridge import choose_ridge


def test_the_ridge_with_the_best_score_is_chosen_and_the_smallest_of_equal_ones() -> None:
    scores = {0.1: 3.0, 1.0: 5.0, 10.0: 5.0}
    ridge, fitted, found = choose_ridge(lambda each: each, lambda each: scores[each], tuple(scores))  # type: ignore
    assert (ridge, fitted, found) == (1.0, 1.0, scores)
