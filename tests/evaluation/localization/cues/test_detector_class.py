"""A phrase's detector follows from its head noun."""

from evaluation.localization.cues.detector_class import default_words, detector_class


def test_detectors_by_the_head_noun() -> None:
    assert len(set(default_words().values())) == 20
    assert detector_class(["two", "young", "Men"]) == "person"
    assert detector_class(["a", "horse", "cart"]) is None
    assert detector_class(["his", "bike", "."]) == "bicycle"
    assert detector_class([".", "!"]) is None
    assert detector_class(["a", "cart"], {"cart": "vehicle"}) == "vehicle"
