"""The measurement of the CCA's size, at a small one."""

from studies.embedding_size.measure_cca import Size, measure_cca


def test_planted_dimensions_are_found_and_time_and_memory_measured() -> None:
    measured = measure_cca(Size(rows=3_000, x=200, y=80, outputs=40, planted=16))
    assert measured.found == 16 and measured.lowest > 0.9
    assert 0 < measured.seconds < 60 and measured.peak_bytes > 10_000_000
    # Twenty rows cannot tell of forty dimensions.
    assert measure_cca(Size(rows=20, x=200, y=80, outputs=40, planted=40)).found < 40
