import random
from functools import cache

from workers.rules.signals.one_button import Explained, Judged, one_button
from workers.rules.signals.signal import Signal

PRESSER = 99


@cache
def crowd(same: float) -> tuple[Judged, ...]:
    """Twelve honest workers, with questions of their own of which this share is truly "same"."""
    rng = random.Random("crowd")
    return tuple(
        Judged(number, number % 12, number, "same" if rng.random() < same else "different") for number in range(480)
    )


def by(answers: list[str], *, known: list[str] | None = None, first: int = 10_000) -> list[Judged]:
    right: list[str | None] = [*known] if known else [None] * len(answers)
    return [
        Judged(first + place, PRESSER, first + place, answer, truth)
        for place, (answer, truth) in enumerate(zip(answers, right, strict=True))
    ]


def looked_at(judgments: list[Judged]) -> Signal | None:
    return one_button(PRESSER, Explained(judgments))


def test_one_button_where_the_crowd_uses_both_is_shown_with_the_figures():
    signal = looked_at([*crowd(0.3), *by(["same"] * 50)])
    assert signal is not None
    assert signal.chance < 1e-6
    assert signal.evidence.startswith("“same” is 50 of 50 answers; the questions explain about 1")
    assert signal.evidence.endswith("The longest run of one answer is 50 (“same”).")
    assert signal.judgments == tuple(range(10_000, 10_050))


def test_one_button_is_not_shown_where_nearly_everything_is_truly_so():
    signal = looked_at([*crowd(0.98), *by(["same"] * 50)])
    assert signal is None or signal.chance > 0.1


def test_known_answers_explain_a_worker_who_got_nothing_but_one_kind():
    signal = looked_at([*crowd(0.3), *by(["same"] * 50, known=["same"] * 50)])
    assert signal is None or signal.chance > 0.1


def test_the_votes_of_others_on_the_same_questions_explain_as_well():
    def beside(offset: int) -> Signal | None:
        others = [Judged(one.id + k * 1000, k, one.question + offset, "same") for one in mine for k in range(1, 9)]
        return looked_at([*crowd(0.3), *mine, *others])

    mine = by(["same"] * 50)
    elsewhere, here = beside(5000), beside(0)
    assert elsewhere is not None
    assert here is None or here.chance > 10 * elsewhere.chance


def test_one_long_run_among_honest_answers_is_shown():
    honest = ["same", "different", "different"] * 20
    signal = looked_at([*crowd(0.3), *by([*honest, *["same"] * 30])])
    assert signal is not None
    assert signal.chance < 1e-5
    assert signal.judgments == tuple(range(10_060, 10_090))
    assert looked_at([*crowd(0.3), *by([*honest, *["same"] * 18, *honest])]) is None, "too short to say something"


def test_an_honest_worker_is_not_shown():
    explained = Explained(crowd(0.3))
    assert {worker: one_button(worker, explained) for worker in range(12)} == dict.fromkeys(range(12))


def test_few_answers_say_nothing():
    assert looked_at([*crowd(0.3), *by(["same"] * 29)]) is None
    assert looked_at([*crowd(0.3), *by(["same"] * 30)]) is not None


def test_workers_who_differ_much_make_a_lopsided_one_less_surprising():
    mixed = [one._replace(answer="same" if one.worker % 2 else "different") for one in crowd(0.5)]
    even, uneven = looked_at([*crowd(0.5), *by(["same"] * 50)]), looked_at([*mixed, *by(["same"] * 50)])
    assert even is not None
    assert even.chance < 1e-6
    assert uneven is None or uneven.chance > 0.1


def test_where_nobody_else_answers_only_known_answers_speak():
    assert looked_at(by(["same"] * 50)) is None
    assert looked_at(by(["same"] * 50, known=["same", "different"] * 25)) is not None


def test_an_answer_that_nobody_else_ever_gave_is_rare_and_not_impossible():
    signal = looked_at([*crowd(1.0), *by(["same"] * 40 + ["different"] * 2)])
    assert signal is None or signal.chance > 0.1
    signal = looked_at([*crowd(1.0), *by(["different"] * 50)])
    assert signal is not None
    assert 0 < signal.chance < 1e-6
