"""Verification questions from gold: right, balanced, and no different from real ones."""

from collections import Counter, defaultdict
from functools import cache
from random import Random

from annotation.rules.box import Box, iou
from pipeline.rules.known.known_answer import RIGHT_IOU, fits_task
from pipeline.rules.known.known_from_gold import BAD_IOU, Known, KnownChain, asked_with_right_answers, known_questions
from pipeline.rules.progress.mention_progress import MentionProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task

WIDTH, HEIGHT = 200, 100
MAN, DOGS, PARK = Box(10, 10, 60, 90), (Box(80, 50, 110, 90), Box(120, 50, 150, 90)), "a park"
MENTIONS = {
    row[0]: MentionProgress(*row)
    for row in [
        (0, 0, 0, 2, ["people"], "a man"),
        (1, 0, 3, 5, ["animals"], "two dogs"),
        (2, 0, 6, 8, ["scene"], PARK),
        (3, 1, 0, 3, ["people"], "a tall man"),
        (4, 1, 4, 6, ["animals"], "the dogs"),
        (5, 2, 0, 2, ["people"], "a boy"),
        (6, 2, 3, 4, ["other"], "fun"),
    ]
}
CHAINS = [
    KnownChain((0, 3), False, (MAN,)),
    KnownChain((1, 4), False, DOGS),
    KnownChain((2,), True, ()),
    KnownChain((5,), False, (Box(160, 20, 190, 90),)),
    KnownChain((6,), False, ()),
]


@cache
def questions(seed: int = 0) -> dict[Task, list[Known]]:
    return questions_of(CHAINS, seed)


def questions_of(chains: list[KnownChain], seed: int = 0) -> dict[Task, list[Known]]:
    by_task = defaultdict(list)
    for known in known_questions(MENTIONS, chains, WIDTH, HEIGHT, Random(seed)):
        by_task[known.task].append(known)
    return by_task


def truths(task: Task) -> Counter:
    return Counter(str(known.truth) for known in questions()[task])


def numbers(known: Known) -> list[int]:
    return [mention[0] for mention in known.shown["mentions"]]


def test_links_are_pairs_that_may_be_asked_as_many_of_each_answer():
    links = questions()[Task.COREFERENCE_LINK]
    assert truths(Task.COREFERENCE_LINK) == {"same": 2, "different": 2}
    for known in links:
        a, b = (MENTIONS[number] for number in numbers(known))
        assert a.caption < b.caption and set(a.types) & set(b.types)
        together = any({a.number, b.number} <= set(chain.mentions) for chain in CHAINS)
        assert known.truth == ("same" if together else "different")


def test_a_chain_to_verify_is_whole_or_holds_a_stranger_of_its_type():
    for known in questions()[Task.CHAIN_VERIFICATION]:
        inside = [chain for chain in CHAINS if set(numbers(known)) <= set(chain.mentions)]
        assert (known.truth == "true") == bool(inside)
        captions = [MENTIONS[number].caption for number in numbers(known)]
        assert len(set(captions)) == len(captions)
    assert truths(Task.CHAIN_VERIFICATION) == {"true": 2, "false": 1}


def test_requirement_has_each_of_its_three_answers():
    assert truths(Task.BOX_REQUIREMENT) == {"1": 1, "2": 1, "3": 1}


def test_drawing_knows_the_boxes_that_are_not_shown():
    for known in questions()[Task.BOX_DRAWING]:
        shown = {tuple(box) for box in known.shown["boxes"]}
        missing = {tuple(box) for box in known.truth}
        chain = next(chain for chain in CHAINS if numbers(known)[0] in chain.mentions)
        assert shown | missing == set(chain.boxes) and not shown & missing
    assert len([known for known in questions()[Task.BOX_DRAWING] if not known.truth]) == 3


def test_a_good_box_is_one_of_gold_that_is_not_shown_yet_and_a_bad_one_covers_none():
    seen: Counter[str] = Counter()
    for seed in range(20):
        for known in questions(seed)[Task.BOX_QUALITY]:
            new = Box(*known.shown["new_box"])
            chain = next(chain for chain in CHAINS if numbers(known)[0] in chain.mentions)
            assert new.fits(WIDTH, HEIGHT) and list(new) not in known.shown["boxes"]
            best = max(iou(new, box) for box in chain.boxes)
            assert best == 1.0 if known.truth == "good" else best < BAD_IOU < RIGHT_IOU
            seen[known.truth] += 1
    assert seen["good"] == seen["bad"] == 80


def test_coverage_has_all_boxes_or_lacks_one():
    for known in questions()[Task.BOX_COVERAGE]:
        chain = next(chain for chain in CHAINS if numbers(known)[0] in chain.mentions)
        missing = set(chain.boxes) - {tuple(box) for box in known.shown["boxes"]}
        assert len(missing) == (0 if known.truth == "all there" else 1)
        assert known.shown["boxes"]
    assert truths(Task.BOX_COVERAGE) == {"all there": 3, "more needed": 3}


def test_where_gold_has_one_box_a_chain_coverage_still_has_both_answers():
    for known in questions()[Task.BOX_COVERAGE]:
        chain = next(chain for chain in CHAINS if numbers(known)[0] in chain.mentions)
        if len(chain.boxes) == 1 and known.truth == "more needed":
            (around,) = known.shown["boxes"]
            assert max(iou(Box(*around), box) for box in chain.boxes) < 0.1
            assert any(Box(*around) in other.boxes for other in CHAINS)


def test_every_truth_fits_its_task_and_every_question_looks_like_any_other():
    for task, some in questions().items():
        for known in some:
            assert fits_task(task, known.truth)
            assert set(known.shown) == {"mentions", "boxes", "new_box"}


def test_the_longest_phrase_of_a_chain_is_shown():
    assert {tuple(numbers(known)) for known in questions()[Task.BOX_DRAWING]} == {(3,), (1,), (5,)}


def test_the_same_seed_gives_the_same_questions_and_another_one_others():
    assert questions_of(CHAINS, 1) == questions_of(CHAINS, 1)
    assert questions(1) != questions(2)


def test_a_mention_that_is_gone_is_left_out():
    gone = [KnownChain((0, 99), False, (MAN,)), KnownChain((98,), False, ())]
    assert all(numbers(known) == [0] for some in questions_of(gone).values() for known in some)


def rows(*mentions: tuple[int, int, list[str], str]) -> dict[int, MentionProgress]:
    """Mentions as (caption, first word, types, words)."""
    made = [MentionProgress(n, c, s, s + len(t.split()), types, t) for n, (c, s, types, t) in enumerate(mentions)]
    return {one.number: one for one in made}


def asked(mentions: dict[int, MentionProgress], chains: list[KnownChain]) -> dict[Task, list[Known]]:
    """Return what ten draws make. Right answers lead to the same questions in each if no chain has several boxes."""
    assert all(len(chain.boxes) < 2 for chain in chains)
    right = asked_with_right_answers(mentions, chains, Random(0), ProtocolSettings())
    by_task = defaultdict(list)
    for seed in range(10):
        for known in known_questions(mentions, chains, WIDTH, HEIGHT, Random(seed), right):
            by_task[known.task].append(known)
    return by_task


def test_nobody_is_asked_whether_people_clothing_or_body_parts_need_a_box():
    types = ("people", "clothing", "bodyparts", "animals")
    for gone in ((), (MAN,)):
        mentions = rows(
            *((0, 3 * n, [one if one != "bodyparts" else "body parts"], "a thing") for n, one in enumerate(types))
        )
        found = asked(mentions, [KnownChain((n,), False, gone) for n in mentions])
        assert {numbers(known)[0] for known in found[Task.BOX_REQUIREMENT]} == {3}


def test_nobody_verifies_a_chain_with_two_phrases_of_one_caption():
    mentions = rows(
        (0, 0, ["people"], "a man"),
        (0, 3, ["people"], "a father"),
        (1, 0, ["people"], "a dad"),
        (1, 3, ["people"], "a boy"),
        (2, 0, ["people"], "a son"),
    )
    found = asked(mentions, [KnownChain((0, 1, 2), False, (MAN,)), KnownChain((3, 4), False, (DOGS[0],))])
    for known in found[Task.CHAIN_VERIFICATION]:
        captions = [mentions[number].caption for number in numbers(known)]
        assert len(set(captions)) == len(captions)
    assert {known.truth for known in found[Task.CHAIN_VERIFICATION]} == {"true", "false"}


def test_nobody_verifies_a_chain_of_phrases_without_a_common_type():
    mentions = rows(
        (0, 0, ["people"], "a man"),
        (1, 0, ["people", "other"], "a figure"),
        (2, 0, ["other"], "a shape"),
        (3, 0, ["animals"], "a bear"),
    )
    found = asked(mentions, [KnownChain((0, 1, 2, 3), False, (MAN,))])
    assert found[Task.CHAIN_VERIFICATION]
    for known in found[Task.CHAIN_VERIFICATION]:
        assert not {0, 2} <= set(numbers(known)) and 3 not in numbers(known)


def test_a_stranger_comes_from_the_caption_of_the_phrase_that_it_replaces():
    mentions = rows(
        (0, 0, ["people"], "a man"),
        (1, 0, ["people"], "a guy"),
        (1, 3, ["people"], "a boy"),
        (2, 0, ["people"], "a kid"),
    )
    found = asked(mentions, [KnownChain((0, 1), False, (MAN,)), KnownChain((2, 3), False, (DOGS[0],))])
    wrong = {tuple(numbers(known)) for known in found[Task.CHAIN_VERIFICATION] if known.truth == "false"}
    assert wrong == {(0, 2), (1, 3)}


def test_a_chain_with_neither_box_nor_flag_gives_questions_about_its_phrases_only():
    opened = [KnownChain((1, 4), False, (), True) if chain.boxes == DOGS else chain for chain in CHAINS]
    about = {task for task, some in questions_of(opened).items() for one in some if {1, 4} & set(numbers(one))}
    assert about == {Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION}
    flagged = [KnownChain((1, 4), False, ()) if chain.boxes == DOGS else chain for chain in CHAINS]
    about = {task for task, some in questions_of(flagged).items() for one in some if {1, 4} & set(numbers(one))}
    assert Task.BOX_REQUIREMENT in about
