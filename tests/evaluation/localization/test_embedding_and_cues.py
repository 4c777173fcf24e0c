"""CCA finds the correlations that a dense solver finds; pairs are near each other in the shared space.
Fisher vectors are gradients of the log-likelihood of a mixture that no step of its fit makes worse.
Phrases become Fisher vectors of their known nouns, adjectives and prepositions.
Common phrases teach with at most N regions.
The colour of a phrase moves its scores; the classifier tells the colours of regions it has not seen.
Weights have the most first places right by type, on images that the model behind them has not seen.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from evaluation.errors import InputError
from evaluation.localization import cues
from evaluation.localization.cues import (
    COLORS,
    QueryCues,
    Sources,
    color_of_phrase,
    color_scores,
    fit_color_classifier,
    with_color,
)
from evaluation.localization.embedding import cca, phrase_vectors
from evaluation.localization.embedding.embedding_step import halves, sample_pairs
from evaluation.localization.embedding.features import BINS, open_region_file, picture_maps, region_colors
from evaluation.localization.embedding.phrase_vectors import WordVectors, content_words, fit_encoder
from evaluation.localization.queries import Query
from evaluation.reading.picture import PicturePhrase
from tests.support.localization_export import flat_picture, write_region_file
from tests.support.table import row


def views(rows: int, p: int, q: int, shared: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    lot = np.random.default_rng(seed)
    hidden = lot.normal(size=(rows, shared))
    x = hidden @ lot.normal(size=(shared, p)) + 2 * lot.normal(size=(rows, p)) + 30
    return x, hidden @ lot.normal(size=(shared, q)) + 2 * lot.normal(size=(rows, q)) - 7


def chunks(x: np.ndarray, y: np.ndarray, size: int) -> Iterator[cca.Chunk]:
    return ((x[start : start + size], y[start : start + size]) for start in range(0, len(x), size))


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_correlations_equal_those_of_a_dense_generalised_eigenproblem(ridge: float) -> None:
    x, y = views(900, 60, 40, 12, seed=2)
    found = cca.fit_cca(chunks(x, y, 128), 40, ridge=ridge, dtype=np.float64)

    whole = np.cov(np.hstack([x, y]).T, bias=True)
    xx, yy, xy = whole[:60, :60].copy(), whole[60:, 60:].copy(), whole[:60, 60:]
    xx += ridge * np.trace(xx) / 60 * np.eye(60)
    yy += ridge * np.trace(yy) / 40 * np.eye(40)
    left = np.block([[np.zeros((60, 60)), xy], [xy.T, np.zeros((40, 40))]])
    expected = eigh(left, np.block([[xx, np.zeros((60, 40))], [np.zeros((40, 60)), yy]]), eigvals_only=True)[::-1][:40]
    assert found.correlations == pytest.approx(expected, abs=1e-6)
    assert found.map_x.T @ xx @ found.map_x == pytest.approx(np.eye(40), abs=1e-6)
    assert found.map_x.T @ xy @ found.map_y == pytest.approx(np.diag(expected), abs=1e-6)


def test_the_view_with_fewer_columns_may_be_the_first() -> None:
    x, y = views(400, 20, 50, 5, seed=3)
    one = cca.fit_cca([(x, y)], 8, dtype=np.float64)
    other = cca.fit_cca([(y, x)], 8, dtype=np.float64)
    assert one.correlations == pytest.approx(other.correlations, abs=1e-9)
    assert np.abs(one.map_x) == pytest.approx(np.abs(other.map_y), abs=1e-6)


@pytest.mark.slow
def test_128_planted_dimensions_are_found_among_1500_by_512() -> None:
    rows, p, q, shared = 10_240, 1_500, 512, 128
    lot = np.random.default_rng(6)
    to_x = lot.standard_normal((shared, p), dtype=np.float32) / np.float32(np.sqrt(p))
    to_y = lot.standard_normal((shared, q), dtype=np.float32) / np.float32(np.sqrt(q))

    def draw(count: int) -> cca.Chunk:
        hidden = 2 * lot.standard_normal((count, shared), dtype=np.float32)
        x = hidden @ to_x + lot.standard_normal((count, p), dtype=np.float32) / 4
        return x, hidden @ to_y + lot.standard_normal((count, q), dtype=np.float32) / 4

    found = cca.fit_cca((draw(2_048) for _ in range(rows // 2_048)), 150)
    # Training correlations of noise are far from 0 with so many dimensions: new rows tell what was found.
    x, y = draw(1_000)
    left, right = (x - found.mean_x) @ found.map_x, (y - found.mean_y) @ found.map_y
    held_out = [np.corrcoef(one, other)[0, 1] for one, other in zip(left.T, right.T, strict=True)]
    assert min(held_out[:shared]) > 0.8 and max(np.abs(held_out[shared:])) < 0.2


def test_moments_do_not_depend_on_chunks_and_survive_large_means_in_single_precision() -> None:
    x, y = views(1000, 10, 6, 3, seed=4)
    x += 5000
    found = cca.moments(chunks(x, y, 77), np.float32)
    whole = np.cov(np.hstack([x, y]).T, bias=True)
    assert found.rows == 1000
    assert np.tril(found.xx) == pytest.approx(np.tril(whole[:10, :10]), rel=1e-3, abs=1e-2)
    assert found.xy == pytest.approx(whole[:10, 10:], rel=1e-3, abs=1e-2)
    with pytest.raises(ValueError, match="3 rows in one view and 2 in the other"):
        cca.moments([(x[:3], y[:2])])
    with pytest.raises(ValueError, match="No rows"):
        cca.moments([])


def test_the_ridge_with_the_best_score_is_chosen_and_the_smallest_of_equal_ones() -> None:
    scores = dict(zip(cca.RIDGES, (3.0, 5.0, 5.0, 1.0, 0.0), strict=True))
    ridge, fitted, found = cca.choose_ridge(lambda each: each, lambda each: scores[each])  # type: ignore
    assert (ridge, fitted, found) == (cca.RIDGES[1], cca.RIDGES[1], scores)


def test_projections_have_length_one_and_pairs_are_near() -> None:
    x, y = views(2000, 30, 20, 8, seed=5)
    found = cca.fit_cca([(x[:1500], y[:1500])], 8)
    left, right = cca.project_x(found, x[1500:]), cca.project_y(found, y[1500:])
    assert np.linalg.norm(left, axis=1) == pytest.approx(np.ones(500), abs=1e-5)
    distances = cca.cosine_distances(left, right)
    assert distances.min() >= 0 and distances.max() <= 1
    assert np.mean(np.argmin(distances, axis=1) == np.arange(500)) > 0.25
    assert np.abs(cca.project_x(found, x[1500:], power=0) - left).max() > 0.05


def test_columns_are_scaled_by_powers_of_the_correlations() -> None:
    fitted = cca.Cca(np.zeros(2), np.zeros(2), np.eye(2), np.eye(2), np.array([0.8, 0.5]))
    rows = np.array([[3.0, 4.0], [0, 0]])
    for power, (first, second) in {0: (3, 4), 1: (2.4, 2.0), 4: (3 * 0.4096, 4 * 0.0625)}.items():
        expected = np.array([[first, second], [0, 0]]) / np.hypot(first, second)
        assert cca.project_x(fitted, rows, power=power) == pytest.approx(expected, abs=1e-6)
        assert cca.project_y(fitted, rows, power=power) == pytest.approx(expected, abs=1e-6)


def test_angles_beyond_the_right_one_count_as_1() -> None:
    left, right = np.array([[1.0, 0], [0, 1]]), np.array([[0.6, 0.8], [-1, 0]])
    assert cca.cosine_distances(left, right) == pytest.approx(np.array([[0.4, 1], [0.2, 1]]), abs=1e-9)


K, D = 3, 4


def planted(rows: int, seed: int) -> tuple[np.ndarray, phrase_vectors.Hglmm]:
    """Draw rows from three components far apart, each dimension Gaussian or Laplacian by lot."""
    lot, size = np.random.default_rng(seed), 20
    truth = phrase_vectors.Hglmm(
        weights=np.array([0.5, 0.3, 0.2]),
        centers=lot.normal(0, 6, (3, size)),
        scales=lot.uniform(0.5, 1.5, (3, size)),
        laplacian=lot.random((3, size)) < 0.5,
    )
    labels = lot.choice(3, size=rows, p=truth.weights)
    gaussian, laplace = lot.normal(size=(rows, size)), lot.laplace(size=(rows, size))
    shapes = np.where(truth.laplacian[labels], laplace, gaussian)
    return truth.centers[labels] + truth.scales[labels] * shapes, truth


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_log_likelihood_never_falls(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    history, posteriors = list[float](), phrase_vectors.posteriors

    def noted(mixture: phrase_vectors.Hglmm, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = posteriors(mixture, data)
        history.append(float(found[1].mean()))
        return found

    monkeypatch.setattr(phrase_vectors, "posteriors", noted)
    lot = np.random.default_rng(seed)
    # Mixed shapes and many components for few rows: they overlap, and some are nearly empty.
    rows = np.concatenate([lot.normal(size=(200, 6)), lot.laplace(1, 2, (150, 6)), np.round(lot.normal(size=(50, 6)))])
    noted(phrase_vectors.fit_hglmm(rows, 12, steps=40, seed=seed, tolerance=-np.inf), rows)
    assert len(history) == 41 and np.diff(history).min() > -1e-9
    assert history[-1] > history[0] + 0.01


def test_a_fit_ends_with_the_first_step_that_adds_less_than_the_tolerance() -> None:
    rows = np.random.default_rng(4).normal(size=(100, 3))
    ended, one, many = (
        phrase_vectors.fit_hglmm(rows, 4, steps=steps, tolerance=tolerance).centers
        for steps, tolerance in ((9, np.inf), (1, 0), (9, 0))
    )
    assert (ended == one).all() and not (one == many).all()


def test_nine_in_ten_planted_shapes_are_recognised_at_5000_samples() -> None:
    rows, truth = planted(5000, seed=1)
    found = phrase_vectors.fit_hglmm(rows, 3, steps=30)
    match = np.argmin(np.abs(found.centers[:, None] - truth.centers[None]).sum(axis=2), axis=1)
    assert sorted(match) == [0, 1, 2] and np.mean(found.laplacian == truth.laplacian[match]) >= 0.9
    assert np.abs(found.weights - truth.weights[match]).max() < 0.02
    assert np.abs(found.scales - truth.scales[match]).max() < 0.15


def test_densities_sum_to_one() -> None:
    shares, scales, shapes = np.array([0.4, 0.6]), np.array([[1.0], [0.5]]), np.array([[True], [False]])
    points = np.linspace(-30, 30, 60001)[:, None]
    density = np.exp(
        phrase_vectors.log_joint(phrase_vectors.Hglmm(shares, np.array([[0.0], [2.0]]), scales, shapes), points)
    )
    assert density.sum() * 0.001 == pytest.approx(1, abs=1e-5)


def test_a_weighted_median_is_the_first_value_with_half_of_the_weight() -> None:
    values, shares = np.array([3.0, 1.0, 2.0]), np.array([[1.0, 0.6], [1.0, 0.2], [1.0, 0.2]])
    order = np.argsort(values)
    assert phrase_vectors.weighted_medians(values[order], order, shares).tolist() == [2.0, 3.0]


def test_equal_rows_are_fitted_and_too_few_refused() -> None:
    rows = np.repeat(np.arange(4.0)[:, None], 5, axis=0)
    assert np.isfinite(phrase_vectors.posteriors(phrase_vectors.fit_hglmm(rows, 4), rows)[1]).all()
    with pytest.raises(ValueError, match="5 components need at least as many vectors; there are 3"):
        phrase_vectors.fit_hglmm(np.zeros((3, 2)), 5)


def mixture() -> phrase_vectors.Hglmm:
    lot = np.random.default_rng(5)
    laplacian = lot.random((K, D)) < 0.5
    assert laplacian.any() and not laplacian.all()
    return phrase_vectors.Hglmm(
        np.array([0.5, 0.2, 0.3]), lot.normal(size=(K, D)), lot.uniform(0.6, 1.4, (K, D)), laplacian
    )


def slope(of: Callable[[float], float], at: float, step: float = 1e-5) -> float:
    return (of(at + step) - of(at - step)) / (2 * step)


def test_raw_vectors_equal_numeric_gradients() -> None:
    model, words = mixture(), np.random.default_rng(6).normal(size=(7, D))
    raw = phrase_vectors.raw_fisher_vectors(phrase_vectors.word_terms(model, words), [range(7)])[0].reshape(2, K, D)

    def likelihood(name: str, place: tuple[int, int]) -> Callable[[float], float]:
        def of(value: float) -> float:
            changed = getattr(model, name).copy()
            changed[place] = value
            return float(phrase_vectors.posteriors(replace(model, **{name: changed}), words)[1].sum())

        return of

    for place in np.ndindex(K, D):
        scale = float(model.scales[place])
        by_center = slope(likelihood("centers", place), float(model.centers[place]))
        by_scale = slope(likelihood("scales", place), scale)
        divisor = 7 * np.sqrt(model.weights[place[0]])
        assert raw[0][place] == pytest.approx(by_center * scale / divisor, abs=1e-4)
        root = 1 if model.laplacian[place] else np.sqrt(2)
        assert raw[1][place] == pytest.approx(by_scale * scale / root / divisor, abs=1e-4)


def test_vectors_have_length_one_and_two_k_d_numbers_and_are_zeros_without_known_words() -> None:
    words = np.random.default_rng(7).normal(size=(20, D))
    found = phrase_vectors.fisher_vectors(mixture(), words, [[0, 1, 2], [19], [5, 5]])
    assert found.shape == (3, 2 * K * D)
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert found[2] == pytest.approx(phrase_vectors.fisher_vectors(mixture(), words, [[5]])[0], abs=1e-6)
    assert not phrase_vectors.fisher_vectors(mixture(), np.ones((1, D)), [[], []]).any()


def test_signed_roots() -> None:
    assert phrase_vectors.normalized(np.array([[-9.0, 16.0]], dtype=np.float32))[0] == pytest.approx([-0.6, 0.8])


def test_phrases_become_vectors_and_too_few_words_are_refused() -> None:
    words = WordVectors({"man": 0, "dog": 1}, np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32))
    phrases = [[("a", "DT"), ("man", "NN")], [("dogs", "NNS")], [("dog", "NN"), ("man", "NN")]]
    found = fit_encoder(words, phrases, components=2, seed=0).encode(phrases)
    assert found.shape == (3, 12) and np.linalg.norm(found, axis=1) == pytest.approx([1, 0, 1], abs=1e-6)
    with pytest.raises(InputError, match="3 known content words are too few for a codebook of 5 centres"):
        fit_encoder(words, phrases, components=5, seed=0)


def test_nouns_adjectives_and_prepositions_are_kept() -> None:
    words = ["A", "young", "man", "in", "his", "two", "Boots", "runs"]
    tags = ["DT", "JJ", "NN", "IN", "PRP$", "CD", "NNS", "VBZ"]
    assert content_words(words, tags) == ["young", "man", "in", "boots"]
    with pytest.raises(ValueError):
        content_words(words, tags[:-1])


def test_at_most_n_regions_of_each_phrase_are_kept() -> None:
    phrases = ["A man"] * 15 + ["a dog"] * 3 + ["a MAN"] * 10
    kept = sample_pairs(phrases, seed=1)
    assert len(kept) == 13 and kept == sorted(set(kept))
    assert [place for place in kept if phrases[place] == "a dog"] == [15, 16, 17]
    assert kept == sample_pairs(phrases, seed=1) != sample_pairs(phrases, seed=2)
    assert any(place < 15 for place in kept) and any(place > 17 for place in kept)


BOXES = np.array([[0.0, 0, 10, 10], [5, 5, 20, 20]])


@row("a red hat", ("clothing",), "red")
@row("a Gray hat", ("clothing",), "grey")
@row("a red and white hat", ("clothing",), None)
@row("a red , red hat", ("clothing",), None)
@row("a hat", ("clothing",), None)
@row("a black man", ("people",), None)
@row("a man in red", ("clothing", "people"), None)
@row("a reddish hat", ("clothing",), None)
def test_the_colour_of_a_phrase(words: str, types: tuple[str, ...], color: str | None) -> None:
    assert color_of_phrase(words.split(), types) == color


@pytest.mark.parametrize(("words", "types"), [("a hat", ("clothing",)), ("a black man", ("people",))])
def test_people_and_uncoloured_phrases_ignore_colour_scores(words: str, types: tuple[str, ...], tmp_path: Path) -> None:
    write_region_file(tmp_path / "c.npz", {"one": (BOXES, np.random.default_rng(0).random((2, 11)))}, COLORS)
    query = Query("one", (20, 20), PicturePhrase(0, 0, 0, tuple(words.split()), "1", types), (0, 0, 10, 10))
    base, sizes = np.array([0.4, 0.5]), np.array([0.25, 0.5625])
    file = open_region_file(tmp_path / "c.npz", scores=True)
    with closing(file.data):
        full = with_color(base, sizes, color_scores(file, query, BOXES, None), size_weight=0.1, color_weight=0.4)
        assert full == pytest.approx([0.9 * 0.4 + 0.1 * 0.75, 0.9 * 0.5 + 0.1 * 0.4375], abs=1e-9)
        hat = Query("one", (20, 20), PicturePhrase(0, 0, 0, ("black", "hat"), "1", ("clothing",)), (0, 0, 10, 10))
        assert color_scores(file, hat, BOXES, None) is not None


@pytest.mark.slow
def test_the_classifier_tells_colours_of_boxes_and_its_scores_sum_to_one() -> None:
    paints = {"red": (200, 30, 30), "blue": (30, 40, 200), "green": (30, 160, 40)}
    lot = np.random.default_rng(1)
    rows, names = [], []
    for name, paint in paints.items():
        for _ in range(8):
            shade = tuple(int(value) for value in np.clip(np.array(paint) + lot.integers(-25, 25, 3), 0, 255))
            rows.append(region_colors(picture_maps(flat_picture(shade)), np.array([[0, 0, 30, 30]]))[0])
            names.append(name)
    model = fit_color_classifier(np.array(rows)[::2], names[::2])
    assert model is not None
    scores = model.scores(np.array(rows)[1::2])
    assert scores.sum(axis=1) == pytest.approx(np.ones(12))
    assert [model.colors[place] for place in scores.argmax(axis=1)] == names[1::2]
    assert model.column("purple", np.array(rows)) is None


def test_two_colours_are_told_apart_and_one_is_no_choice() -> None:
    rows = np.zeros((4, BINS))
    rows[[0, 1, 2, 3], [9, 10, 200, 201]] = 1
    model = fit_color_classifier(rows, ["red", "red", "blue", "blue"])
    assert model is not None and (model.scores(rows).argmax(axis=1) == [1, 1, 0, 0]).all()
    assert fit_color_classifier(rows[:2], ["red", "red"]) is None


def query_of(kind: str) -> Query:
    return Query("one", (10, 10), PicturePhrase(0, 0, 0, ("the", "sky"), "1", (kind,)), (0, 0, 5, 5))


def candidate(kind: str, right: int, distances: list[float], sizes: list[float], color: list[float] | None = None):
    truth = np.arange(len(distances)) == right
    scores = None if color is None else np.array(color)
    return QueryCues(query_of(kind), np.array(distances), np.array(sizes), truth, color=scores)


def test_size_has_the_smallest_weight_that_puts_most_right_regions_first_and_none_without_regions() -> None:
    # The large region is right and 0.05 farther: (1 - w) 0.05 < w 0.8 from w = 0.1 on.
    scene = [candidate("scene", 1, [0.40, 0.45], [0.1, 0.9])] * 3
    # The small region is right: every weight from 0.1 on spoils it.
    person = [candidate("people", 0, [0.40, 0.45], [0.1, 0.9])]
    assert cues.fit_size_weights([*scene, *person]) == {"scene": 0.1, "people": 0.0}
    assert cues.fit_size_weights([candidate("other", 0, [], [])]) == {"other": 0.0}


def test_colour_is_fitted_on_coloured_phrases_alone_beside_the_weight_of_size() -> None:
    shirt = candidate("clothing", 1, [0.40, 0.45], [0.5, 0.5], [0.1, 0.9])
    plain = candidate("clothing", 0, [0.40, 0.45], [0.5, 0.5])
    assert cues.fit_color_weights([shirt, plain, plain], {"clothing": 0.0}) == {"clothing": 0.1}
    assert cues.fit_color_weights([plain], {"clothing": 0.0}) == {}


def test_every_image_is_scored_once_by_a_model_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"image{number}" for number in range(11)]
    task: Any = SimpleNamespace(fit=names, queries=lambda images: list(images))
    scored: list[str] = []

    def cues_of(task: object, learned: Sequence[str], images: Sequence[str], sources: Sources) -> list[str]:
        assert not set(learned) & set(images) and sorted([*learned, *images]) == sorted(names)
        scored.extend(images)
        return list(images)

    monkeypatch.setattr(cues, "fit_scorer", lambda task, images, sources: tuple(images))
    monkeypatch.setattr(cues, "cues_of", cues_of)
    assert sorted(map(str, cues.cues_of_unseen(task, Sources()))) == sorted(scored) == sorted(names)


def test_types_that_do_not_occur_keep_the_papers_weights() -> None:
    fitted = cues.fit_weights([candidate("scene", 1, [0.4, 0.45], [0.1, 0.9])])
    assert fitted.of(("scene",)) == (0.1, 0.2) and fitted.of(("vehicles", "other")) == (0.2, 0.2)
    assert fitted.of(("people",)) == cues.paper_weights().of(("people",)) == (0.1, 0.2)
    assert fitted.of(("notvisual",)) == (0.1, 0.2)


def test_halves_and_folds_are_disjoint_whole_and_repeatable() -> None:
    names = [f"image{number}" for number in range(501)]
    first, second = halves(names, 3)
    assert (len(first), len(second)) == (250, 251)
    assert not set(first) & set(second) and sorted([*first, *second]) == sorted(names)
    assert halves(reversed(names), 3) == (first, second) and halves(names, 4) != (first, second)
    parts = cues.folds(first)
    assert len(parts) == 5 and sorted(name for part in parts for name in part) == first
