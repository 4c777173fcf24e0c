"""Representative mentions, questions of a chain, and rest in review.
Chains that programs predict act on the open links of an image.
Merging an image, and the source of each link of the finished data set.
Links of which workers said that one mention is part of the other.
Mentions of several sentences and pronouns in the progress of an image.
"""

import json
from dataclasses import replace

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.known.known_from_gold import settled_truth
from pipeline.policies.compose import compose
from pipeline.protocol.image import merging
from pipeline.protocol.image.advance import enter
from pipeline.protocol.image.chain_steps import ImageUpdate, move_chain, representative, send_to_review, split_chain
from pipeline.protocol.image.linking import answer_of_vote
from pipeline.protocol.image.machine import EntryKind, RecordEntry, RecordError, begin
from pipeline.protocol.image.merging import can_merge, final_confidence, merge_result, sources_of_pairs
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress import Cause, ChainProgress, LinkSource, StateMachine, TallyVote
from pipeline.protocol.state.progress_json import from_json, to_json
from pipeline.protocol.state.rows import question_view
from pipeline.protocol.tasks.flow import ReviewStep
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, started
from tests.support.settings_with import settings_with
from tests.support.table import case, row
from tests.support.tasks import DRAW, JUDGE, LINK, VERIFY


@row(["a man", "an old man", "the extraordinary man"], 2)
@row(["the man", "an ox", "the ape"], 0)
@row(["an ox", "the man", "the ape"], 1)
@row(["one a b c d", "astonishingly tall mountaineers"], 0)
def test_the_representative_has_most_words_then_most_characters_then_comes_first(texts: list[str], longest: int):
    story = started(*([("people", text)] for text in texts))
    story.link(*((a, b) for a in range(len(texts)) for b in range(a + 1, len(texts))))
    assert representative(story.progress, story.chain()) == longest
    assert story.chain().representative == -1, "not before the chain enters the boxes' stage"
    assert story.judged((VERIFY, "true")).chain().representative == longest


def test_review_closes_the_chains_questions_only_and_takes_the_pending_box():
    story = started([MAN, ("people", "a guy")]).judged((DRAW, BOX, 1, [0]))
    send_to_review(ImageUpdate(story.progress, compose(Settings()), 9), story.chain(), Cause.EXPERT)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, Cause.EXPERT)
    assert (story.asked(), story.boxes(BoxState.DISCARDED)) == ([(DRAW, [1])], [0])


def test_review_takes_the_confidence_of_the_chains_own_boxes_and_keeps_those_that_were_shown():
    story = started([MAN, ("people", "a guy")])
    for chain in (0, 1):
        story.judge(DRAW, BOX, worker=1, subject=[chain])
        story.progress.boxes[chain].confidence, story.progress.boxes[chain].accepted = 0.9, 3
    story.progress.moves.clear()
    send_to_review(ImageUpdate(story.progress, compose(Settings()), 9), story.chain(), Cause.EXPERT)
    assert [box.confidence for box in story.progress.boxes.values()] == [None, 0.9]
    assert (story.boxes(BoxState.ACCEPTED), story.boxes(BoxState.PENDING)) == ([0], [1])
    (move,) = [move for move in story.progress.moves if move.machine is StateMachine.BOX]
    assert (move.subject, move.old, move.new) == (0, "pending", "accepted")


def test_a_split_is_the_source_of_the_links_between_the_parts_alone():
    story = started(*([("people", text)] for text in ("a man", "a guy", "a boy", "a child")))
    story.link(*((a, b) for a in range(4) for b in range(a + 1, 4)))
    story.progress.sources.clear()
    act = ImageUpdate(story.progress, compose(Settings()), 9)
    split_chain(act, story.chain(), [[0, 3], [1], [2]], LinkSource.SPLIT, Cause.BROKEN)
    assert story.chains() == [[0, 3], [1], [2]]
    assert sorted(story.progress.sources) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]


def test_an_expert_may_send_a_chain_to_coverage_that_no_box_task_has_seen():
    story = started([MAN], [("people", "a very old guy")]).link((0, 1))
    act = ImageUpdate(story.progress, compose(Settings()), 9)
    send_to_review(act, story.chain(), Cause.EXPERT)
    move_chain(act, story.chain(), ReviewStep.COVER)
    enter(act, story.chain())
    assert story.chain().representative == 1


def test_each_move_is_noted_with_its_cause():
    story = started([MAN], [("people", "a guy")]).link((0, 1)).judged((VERIFY, "false"))
    question, *broken = moves(story)
    assert question == ("question", 1, "open", "closed", "false")
    assert [story.chain(n).representative for n in (0, 1)] == [0, 1], "each part has its own"
    parts = [(1, "", "verification"), (0, "verification", "drawing"), (1, "verification", "drawing")]
    assert broken == [("chain", *part, "broken by head noun") for part in parts]
    story.judge(DRAW, BOX, worker=1, subject=[0])
    assert moves(story) == [
        ("question", 2, "open", "closed", "box"),
        ("box", 0, "", "pending", "drawn"),
        ("chain", 0, "drawing", "quality", "a box was drawn"),
    ]
    story.judge(DRAW, NONE_MISSING, worker=2, subject=[1])
    assert moves(story)[0] == ("question", 3, "open", "closed", "none missing")


def moves(story: Story) -> list[tuple[str, int, str, str, str]]:
    """Return the moves of the last entry."""
    return [(move.machine.value, move.subject, move.old, move.new, move.reason) for move in story.progress.moves]


GOOD, BAD = {"50": [0.05, 0.02]}, {"50": [0.6, 0.5]}
ON = settings_with(strategy=LinkStrategy.ADAPTIVE, pre_annotations=True, program_errors=GOOD, link_stop=0.3)
MODEL, OTHER_MODEL = 50, 51
SURFER = [("people", "a man")], [("people", "the surfer")], [("people", "a lady")]
APART = [[0], [1], [2]]
RIGHT = [[0, 1], [2]]


def surfers(settings: Settings = ON) -> Story:
    return started(*SURFER, settings=settings)


def predict(story: Story, chains: list[list[int]] | None, *, worker: int = MODEL, lent: tuple[int, ...] = ()) -> int:
    more = {} if chains is None else {"chains": chains}
    return story.add(EntryKind.PROPOSE, {"worker": worker, "boxes": [], **more}, EntryContext(on_loan=lent))


def assert_replays(story: Story) -> None:
    assert to_json(apply_record(story.record)) == to_json(story.progress)


def links(story: Story) -> list[list[int]]:
    return [question.subject for question in story.progress.open.values() if question.task is LINK]


def test_a_good_program_places_what_workers_would_have_been_asked_from_before_linking_began_too():
    entry = surfers().record[0][0]
    begun, before = surfers(), Story(begin(entry), ON, [(entry, compose(ON))])
    assert len(links(begun)) == 1
    for story in (begun, before):
        predict(story, RIGHT)
    for story in (begun, before.start()):
        assert (links(story), story.chains()) == ([], RIGHT)
        assert_replays(story)


@case("with pre-annotations off", replace(ON, pre_annotations=False))
@case("of a bad program", settings_with(ON, program_errors=BAD))
@case("where the strategy is the paper's", replace(ON, strategy=LinkStrategy.GREEDY_PLUS))
def test_predicted_chains_are_kept_and_count_for_nothing(settings: Settings):
    story, inactive = surfers(settings), surfers(settings)
    for chains in (APART, RIGHT):
        predict(story, chains)
        assert links(story) == links(inactive)
    assert story.progress.program_chains == {MODEL: RIGHT}
    for one in (story, inactive):
        one.judge(LINK, "same")
    assert links(story) == links(inactive)


def test_a_voided_answer_is_asked_for_again_with_what_the_program_says():
    story = surfers()
    question = story.question(LINK)
    predict(story, RIGHT, lent=(question.number,))
    assert story.question(LINK).number == question.number, "a worker has it"
    answer = story.judge(LINK, "different" if question.subject == [0, 1] else "same", worker=3)
    assert links(story), "the answer is against the program, so more is asked"
    story.void(answer)
    assert links(story) == [], "without it the program is believed"
    assert story.chains() == RIGHT
    assert_replays(story)


def test_new_chains_take_the_place_of_those_of_the_same_program():
    story = surfers()
    predict(story, RIGHT)
    predict(story, [[0, 2]], worker=OTHER_MODEL)
    predict(story, [[99, 1], [98]])
    assert story.progress.program_chains == {OTHER_MODEL: [[0, 2]], MODEL: [[1]]}
    predict(story, None)
    assert story.progress.program_chains[MODEL] == [[1]], "an entry without chains leaves them"
    predict(story, [])
    assert MODEL not in story.progress.program_chains
    assert_replays(story)


def test_an_act_from_before_the_chains_is_undone_only_if_they_do_the_same_without_it():
    story = surfers()
    act = story.expert("link", first=0, second=1, same=False)
    predict(story, RIGHT)
    with pytest.raises(Exception, match="A program's predictions came since"):
        story.undo(act)
    story = surfers()
    predict(story, [[0], [2]], worker=OTHER_MODEL)
    act = story.expert("link", first=0, second=1, same=True)
    before = to_json(story.progress)
    story.undo(story.undo(act))
    counted = dict.fromkeys(("sequence", "open", "next_question"), 0)
    assert to_json(story.progress) | counted == before | counted
    assert_replays(story)


def test_other_errors_of_the_program_plan_the_open_links_anew():
    story = surfers(settings_with(ON, program_errors=BAD))
    predict(story, RIGHT)
    assert links(story)
    story.settings = ON
    story.report("caption", 0, worker=9)
    assert links(story) == []
    assert_replays(story)


NEAR = {"box": [10, 10, 50, 52]}


def two_men() -> Story:
    """Two chains that were not linked, with boxes that show the same man."""
    return started([MAN], [("people", "a guy")]).link().complete(0).complete(1, NEAR)


def test_it_waits_for_every_chain_and_chains_without_a_box_stay_apart():
    story = started([MAN, DOG, PARK]).complete(0).no_box(1)
    assert not can_merge(story.progress)
    with pytest.raises(RecordError, match="every chain"):
        story.merge()
    assert can_merge(story.no_box(2).progress)
    assert [chain.merged_into for chain in story.merge().progress.chains.values()] == [None] * 3


def test_boxes_are_merged_to_their_mean_and_then_the_chains_that_share_them():
    story = two_men().merge()
    (merged,) = story.progress.merged
    assert (merged.box, merged.members) == (Box(10, 10, 50, 51), [0, 1])
    assert (story.chain(0).merged_into, story.chain(1).merged_into) == (None, 0)
    assert (merging.final_chain(story.progress, 1), story.progress.state) == (0, ImageState.MERGED)
    assert [box.box for box in story.progress.boxes.values()] == [Box(10, 10, 50, 50), Box(10, 10, 50, 52)]
    move, image = story.progress.moves
    assert (image.machine, image.subject, image.old, image.new) == (StateMachine.IMAGE, 0, "boxing", "merged")
    assert (move.subject, move.reason) == (1, "merged into chain 0, same boxes")
    assert move.old == move.new == story.state(1) == ChainState.COMPLETE, "no state is called merged"


def test_a_chain_that_boxes_joined_is_as_sure_as_such_chains_are_until_they_no_longer_do():
    story = two_men()
    for chain in story.progress.chains.values():
        chain.confidence = 0.75
    assert [final_confidence(story.progress, name) for name in (0, 1)] == [0.75, 0.75]
    story.merge()
    assert [final_confidence(story.progress, name) for name in (0, 1)] == [merging.JOINED_CONFIDENCE, None]
    story.expert("delete box", box=1)
    assert [final_confidence(story.progress, name) for name in (0, 1)] == [0.75, 0.75]


@case("likely", 0.3, False, 0)
@case("seldom", 0.02, False, 0)
@case("hardly", 0.005, False, None)
@case("never", None, False, None)
@case("told apart", 0.3, True, None)
@case("told evenly", 0.5, True, 0)
@case("told together", 0.6, True, 0)
def test_beyond_the_rules_equal_boxes_join_chains_only_where_words_and_answers_let_them_be_one_thing(
    *, chance: float | None, asked: bool, into: int | None
):
    story = two_men()
    story.settings = Settings(strategy=LinkStrategy.ADAPTIVE, beyond_rules=True)
    if not asked:
        story.progress.votes.clear()
    story.progress.together = {} if chance is None else {(0, 1): chance}
    story.merge()
    assert story.chain(1).merged_into == into
    assert len(story.progress.merged) == 1, "the boxes are one in any case"


def test_beyond_the_rules_the_likeliest_pair_of_mentions_joins_two_chains():
    story = started([MAN], [("people", "a guy")], [("people", "the man")]).link((0, 2)).judged((VERIFY, "true"))
    story.complete(0).complete(1, NEAR)
    story.settings = Settings(strategy=LinkStrategy.ADAPTIVE, beyond_rules=True)
    story.progress.votes.clear()
    story.progress.together = {(0, 1): 0.001, (1, 2): 0.3}
    story.merge()
    assert story.chain(1).merged_into == 0


def test_the_settings_decide_what_merges_and_boxes_are_taken_in_the_order_of_acceptance():
    story, strict = two_men(), Settings(merge_iou=0.99)
    assert [g.members for g in merge_result(story.progress, strict)[1].groups] == [(0,), (1,)]
    rules = merging.merge_rules(Settings(mergeable_types=(("people", "clothing"),)))
    assert rules.allowed == frozenset({frozenset({"people", "clothing"})})
    story = started([MAN, ("people", "a guy")]).judged((DRAW, NEAR, 1, [0])).draw_accepted(chain=1)
    story.judge(JUDGE, "good", 2, [0])
    assert [box.number for box in merge_result(story.progress, Settings())[0]] == [1, 0]


def test_an_expert_reopens_a_merged_image_and_it_is_merged_anew_from_its_accepted_boxes():
    story = two_men().merge().by_expert("delete box", box=1)
    assert (story.progress.merged, story.chain(1).merged_into) == ([], None)
    assert story.progress.state is ImageState.REVIEW
    story.by_expert("draw", chain=1, box=[200, 200, 220, 220]).by_expert("send", chain=1, to="complete")
    assert can_merge(story.progress)
    story.merge()
    assert [merged.members for merged in story.progress.merged] == [[0], [2]]
    assert story.chain(1).merged_into is None


def test_the_last_one_to_act_is_the_source_of_a_link():
    story = started([MAN, DOG], [("people", "a guy")], [("people", "the man")]).link((0, 2), (0, 3))
    story.judge(VERIFY, "false")
    for chain in (0, 2):
        story.complete(chain)
    story.no_box(1)
    sources = sources_of_pairs(story.progress)
    assert sources[0, 1] is LinkSource.CAPTION and sources[1, 2] is LinkSource.TYPE
    assert sources[0, 3] is LinkSource.ASKED_YES and sources[0, 2] is LinkSource.SPLIT
    story.merge()
    sources = sources_of_pairs(story.progress)
    assert (sources[0, 2], sources[2, 3], sources[0, 3]) == (LinkSource.MERGED, LinkSource.MERGED, LinkSource.ASKED_YES)


def test_what_follows_from_other_links_is_inferred():
    story = started([MAN], [("people", "a guy")], [("people", "the man")])
    story.judged((LINK, "same", 1, [0, 1]), (LINK, "same", 1, [0, 2]))
    assert sources_of_pairs(story.progress)[1, 2] is LinkSource.TRANSITIVITY


A_OF_B, B_OF_A = "a is part of b", "b is part of a"


def three_men(**settings: object) -> Story:
    chosen = Settings.from_json({"part_answers": True, **settings})
    return started([("people", "three men")], [("people", "one of them")], settings=chosen)


@pytest.mark.parametrize("strategy", LinkStrategy)
def test_a_part_keeps_mentions_apart_as_different_does_under_every_strategy(strategy: LinkStrategy) -> None:
    told, part = (three_men(strategy=strategy, verify_below=1.0) for _ in range(2))
    for worker in range(1, 16):
        for story, answer in ((told, "different"), (part, B_OF_A)):
            if story.asked()[0][0] is LINK:
                story.judge(LINK, answer, worker)
    assert part.chains() == told.chains() == [[0], [1]]
    assert (part.progress.sources, part.asked()) == (told.progress.sources, told.asked())


def test_a_vote_remembers_the_part_and_closes_its_link_by_it_and_that_of_a_program_that_judges_too() -> None:
    story = three_men().judged((LINK, B_OF_A, 4))
    assert story.progress.votes == {(0, 1): [TallyVote(2, 4, False, part_answer=B_OF_A)]}
    assert story.reasons("question")[0] == B_OF_A
    assert from_json(json.loads(json.dumps(to_json(story.progress)))).votes == story.progress.votes
    assert to_json(three_men().judged((LINK, "different", 4)).progress)["votes"] == [[0, 1, [[2, 4, False]]]]
    story = three_men(strategy="adaptive", model_annotators=[9]).judged((LINK, A_OF_B, 9))
    assert [answer_of_vote(vote) for vote in story.progress.votes[0, 1]] == [A_OF_B]


def test_a_link_that_ended_as_a_part_becomes_a_known_question_whose_truth_is_different() -> None:
    story = started([MAN], [("people", "his arm")], settings=Settings(part_answers=True))
    shown = question_view(story.progress, story.question(LINK))
    story.judge(LINK, B_OF_A)
    story.complete(0).complete(1, {"box": [90, 10, 99, 20]})
    assert settled_truth(story.progress, LINK, shown, B_OF_A) == "different"


KITE_AND_TOY = [[0, 0, 0, 2, ["other"], "a kite"], [1, 0, 4, 6, ["other"], "the toy", "", "", "", 1]]
BEYOND = Settings(strategy=LinkStrategy.ADAPTIVE, beyond_rules=True)


def story_of(settings: Settings) -> Story:
    entry = RecordEntry(0, EntryKind.IMPORT, {"mentions": KITE_AND_TOY})
    return Story(begin(entry), settings, [(entry, compose(settings))]).start()


def test_two_sentences_of_a_caption_may_name_one_thing_beyond_the_rules_which_are_law_again_from_the_next_act_on():
    story, by_rules = story_of(BEYOND), story_of(replace(BEYOND, beyond_rules=False))
    assert story.asked() == [(LINK, [0, 1])] and by_rules.chains() == [[0], [1]]
    assert sources_of_pairs(by_rules.progress)[0, 1] is LinkSource.CAPTION
    story.settings = by_rules.settings
    assert story.judged((LINK, "same")).chains() == [[0], [1]]
    assert sources_of_pairs(story.progress)[0, 1] is LinkSource.OVERRULED


def test_a_chain_is_shown_and_typed_by_its_nouns_if_it_has_any():
    progress = started([("animals", "a dog"), ("pronoun", "themselves"), ("pronoun", "she")]).progress
    dog, several = ChainProgress(0, [0, 1]), ChainProgress(2, [2])
    assert (representative(progress, dog), progress.types_of(dog)) == (0, {"animals"})
    assert progress.types_of(several) == {"people"}
