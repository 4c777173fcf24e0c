"""The signals of a project that are shown."""

import pytest

from workers.rules.signals.signal import Signal, SignalKind, confirmed


def signal(worker: int, chance: float) -> Signal:
    return Signal(SignalKind.FAR_TOO_FAST, (worker,), chance, "words", ())


def test_a_signal_is_shown_if_it_is_rare_among_all_that_were_looked_at():
    assert confirmed([signal(1, 0.0002), None], tests=40, false_share=0.01) == [signal(1, 0.0002)]
    assert confirmed([signal(1, 0.0002), None], tests=60, false_share=0.01) == []


def test_many_signals_support_each_other_and_the_strongest_comes_first():
    weak, strong = signal(1, 0.0009), signal(2, 0.0001)
    assert confirmed([weak, strong], tests=20, false_share=0.01) == [strong, weak]
    assert confirmed([weak], tests=20, false_share=0.01) == []


def test_a_number_of_tests_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="2 signals from 1 tests"):
        confirmed([signal(1, 0.1), signal(2, 0.1)], tests=1)
