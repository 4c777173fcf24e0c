"""The six tasks of the paper, and the surveys.
The arrows between the six tasks, as the protocol draws them.
The answers that each task takes, and what a worker reads about any other.
Answers to a link: their meaning, the outcome, and the next state of a chain whose group is placed.
Chain verification: kept, or broken by head noun.
Answers to a caption check: what they may be, and which are right.
Answers to the question whether a word's meaning can be seen.
The tally of a survey.
The tally of box requirement, and how judgments and fruitless drawings act on it; test_paper_loop.py has the rest.
The policies of the box tasks, and the steps that belief may take.
The context of an entry: as much of what was so then as the rules need, stored without the usual values.
"""

import json
from typing import Any

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, NonVisual, Survey
from annotation.rules.states import ChainState as S
from pipeline.policies.box_policy import AFTER, TRANSITIONS, BoxVerdict
from pipeline.protocol.rules import NO_CONTEXT, NO_NEEDS, EntryContext, Needs, context_of
from pipeline.protocol.state.progress import LinkSource
from pipeline.protocol.tasks.answers import CHOICES, candidates_in, drawing, fault_in, schema_of
from pipeline.protocol.tasks.box_coverage import CoverageVerdict
from pipeline.protocol.tasks.box_drawing import DrawingVerdict
from pipeline.protocol.tasks.box_quality import BoxQualityVerdict
from pipeline.protocol.tasks.box_requirement import (
    RequirementAnswer,
    RequirementVerdict,
    decide_requirement,
    kind_of_non_visual,
    unresolved,
)
from pipeline.protocol.tasks.chain_verification import VerificationVerdict, decide_verification, split_by_head_noun
from pipeline.protocol.tasks.coreference_link import (
    CoreferenceAnswer,
    CoreferenceVerdict,
    PartAnswer,
    decide_placed,
    in_chains,
    link_outcome,
    means_same,
    needs_verification,
)
from pipeline.protocol.tasks.flow import BOXING, TABLES, TASK_OF_STATE, IllegalStepError, ReviewStep, step
from pipeline.protocol.tasks.survey import (
    AtomCategory,
    is_right_check,
    is_unanimous,
    majority_verdict,
    tokens,
    tokens_shown,
)
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, SURVEY_TASKS, Task
from pipeline.settings.settings import Settings
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, started
from tests.support.table import row
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK, VERIFY


def test_there_are_the_papers_six_and_two_surveys_and_no_others_and_a_project_can_be_each_survey():
    assert (*PROTOCOL_TASKS, *SURVEY_TASKS) == tuple(Task)
    assert len(PROTOCOL_TASKS) == 6
    assert [survey.value for survey in Survey] == [task.value for task in SURVEY_TASKS]
    assert LINK.label == "coreference link", "tasks are read as words"


LINKED = "SEVERAL VERIFICATION, SURE_DRAW DRAWING, SURE_ASK REQUIREMENT, DRAW DRAWING, ASK REQUIREMENT"


@row(S.LINKING, CoreferenceVerdict, LINKED)
@row(S.VERIFICATION, VerificationVerdict, "DRAW DRAWING, ASK REQUIREMENT")
@row(S.REQUIREMENT, RequirementVerdict, "BOX DRAWING, NO_BOX NON_VISUAL")
@row(S.DRAWING, DrawingVerdict, "BOX QUALITY, NONE_MISSING COVERAGE, NONE_AT_ALL REQUIREMENT, CYCLING REVIEW")
@row(S.QUALITY, BoxQualityVerdict, "GOOD COVERAGE, BAD DRAWING, CYCLING REVIEW")
@row(S.COVERAGE, CoverageVerdict, "ALL_THERE COMPLETE, MORE_NEEDED DRAWING")
def test_every_arrow_leads_where_the_protocol_draws_it_and_there_is_no_other(state: S, verdicts: Any, arrows: str):
    drawn = {verdicts[verdict]: S[new] for verdict, new in map(str.split, arrows.split(", "))}
    assert {verdict: step(state, verdict) for verdict in verdicts} == drawn
    assert TABLES[TASK_OF_STATE[state]] == {(state, verdict): new for verdict, new in drawn.items()}


def test_every_chain_can_be_taken_up_by_an_expert():
    states = set(S) - {S.REVIEW}
    assert {state: step(state, ReviewStep.NEEDED) for state in states} == dict.fromkeys(states, S.REVIEW)


WIDTH, HEIGHT = 100, 80
CHECK = Task.CAPTION_CHECK


def test_each_choice_is_an_answer_to_its_task_alone_and_a_drawing_a_box_inside_the_image_or_none_missing() -> None:
    expected = {(task, answer): [task] for task, answers in CHOICES.items() for answer in answers}
    taking = {key: [one for one in Task if fault_in(one, key[1], WIDTH, HEIGHT) is None] for key in expected}
    assert expected and taking == expected
    assert (drawing((5, 5, 6, 6)), drawing(None)) == ({"box": [5, 5, 6, 6]}, {"none_missing": True})
    for answer in (drawing([0, 0, WIDTH, HEIGHT]), drawing([5, 5, 6, 6]), drawing(None)):
        assert fault_in(DRAW, answer, WIDTH, HEIGHT) is None
        assert fault_in(DRAW, json.loads(json.dumps(answer)), WIDTH, HEIGHT) is None


@row(JUDGE, "great", "The answer to box quality must be one of ['good', 'bad'], not 'great'.")
@row(ASK, 0, "must be one of [1, 2, 3], not 0.")  # the vote of a worker who drew nothing
@row(ASK, True, "not True.")
@row(ASK, 1.0, "not 1.0.")
@row(ASK, ["1"], "not ['1'].")
@row(COVER, None, "not None.")
@row(DRAW, "box", 'A drawing is {"box": [x0, y0, x1, y1]} or {"none_missing": true}.')
@row(DRAW, {"none_missing": False}, "A drawing is ")
@row(DRAW, {"box": [1, 2, 3, 4], "none_missing": True}, "A drawing is ")
@row(DRAW, {"box": [1, 2, 3]}, "A box has four edges in whole pixels, not [1, 2, 3].")
@row(DRAW, {"box": [1, 2, 3, 4, 5]}, "A box has four edges in whole pixels, not [1, 2, 3, 4, 5].")
@row(CHECK, {"verdict": "wrong", "word": 0}, "The caption has 0 words")
@row(DRAW, {"box": [1, 2, 3, 4.0]}, "A box has four edges in whole pixels")
@row(DRAW, {"box": [0, 0, 1, True]}, "A box has four edges in whole pixels")
@row(DRAW, {"box": [5, 5, 5, 9]}, "The box [5, 5, 5, 9] is empty or lies outside the image of 100 x 80 pixels.")
@row(DRAW, {"box": [0, 0, 100, 81]}, "lies outside the image")
@row(DRAW, {"box": [-1, 0, 5, 5]}, "lies outside the image")
def test_anything_else_is_refused_in_words(task: Task, answer: Any, words: str) -> None:
    assert words in (fault_in(task, answer, WIDTH, HEIGHT) or "")


def test_a_part_is_an_answer_to_a_link_where_the_project_asks_for_it() -> None:
    takes = {
        (task, part)
        for task in Task
        for part in ("a is part of b", "b is part of a", "part")
        if fault_in(task, part, WIDTH, HEIGHT, part_answers=True) is None
    }
    assert takes == {(LINK, "a is part of b"), (LINK, "b is part of a")}
    refused = fault_in(LINK, "a is part of b", WIDTH, HEIGHT) or ""
    assert refused.endswith("must be one of ['same', 'different'], not 'a is part of b'.")
    pair, sweep = schema_of(LINK)["oneOf"]
    assert pair == {"type": "string", "enum": ["same", "different", "a is part of b", "b is part of a"]}
    assert list(sweep["properties"]) == ["same"]


CANDIDATES = (4, 2, 7)


@row({"same": []}, None)
@row({"same": [4, 7]}, None)
@row({"same": [2, 4]}, "those of its candidates, [4, 2, 7], that mean the same, in this order, not {'same': [2, 4]}")
@row({"same": [4, 4]}, "The answer to a sweep")
@row({"same": [5]}, "The answer to a sweep")
@row({"same": [True]}, "The answer to a sweep")
@row({"same": [4], "different": [2]}, "The answer to a sweep")
@row("same", "The answer to a sweep")
@row("a is part of b", "The answer to a sweep")
def test_the_answers_to_a_sweep(answer: Any, words: str | None) -> None:
    fault = fault_in(LINK, answer, WIDTH, HEIGHT, candidates=CANDIDATES, part_answers=True)
    assert fault is None if words is None else words in str(fault)


def test_a_sweep_is_a_link_question_of_more_than_two_mentions_and_the_schema_of_a_task_names_its_answers() -> None:
    shown = {"mentions": [[number, 0, number, number + 1] for number in (3, *CANDIDATES)]}
    assert candidates_in(LINK, shown) == [*CANDIDATES]
    assert candidates_in(LINK, {"mentions": shown["mentions"][:2]}) == candidates_in(VERIFY, shown) == []
    assert fault_in(LINK, {"same": []}, WIDTH, HEIGHT), "of a pair it is no answer"
    assert schema_of(ASK) == {"type": "integer", "enum": [1, 2, 3]}
    assert schema_of(COVER) == {"type": "string", "enum": ["all there", "more needed"]}
    assert [one["required"] for one in schema_of(DRAW)["oneOf"]] == [["box"], ["none_missing"]]
    assert [one["required"] for one in schema_of(CHECK)["oneOf"]] == [["verdict"], ["verdict", "word"]]


SAME, DIFFERENT, A, B = CoreferenceAnswer.SAME, CoreferenceAnswer.DIFFERENT, PartAnswer.A_OF_B, PartAnswer.B_OF_A


@row([1], CoreferenceVerdict.DRAW, CoreferenceVerdict.ASK)
@row([1, 2], CoreferenceVerdict.SURE_DRAW, CoreferenceVerdict.SURE_ASK)
def test_what_follows_a_link_goes_by_type(mentions: list[int], at_once: Any, asked_first: Any):
    """Several mentions are verified before, unless the answers are sure."""
    assert decide_placed(mentions, drawn_at_once=True) is at_once
    assert decide_placed(mentions, drawn_at_once=False) is asked_first
    assert needs_verification(mentions) is (len(mentions) > 1) and not needs_verification(mentions, sure=True)


def test_a_part_is_no_link_and_what_is_no_answer_stays_as_it_is():
    assert [means_same(one) for one in (SAME, DIFFERENT, A, B)] == [True, False, False, False]
    others: list[object] = ["same", "not needed", 2, {"box": []}]
    assert ([in_chains(one) for one in others], in_chains(A)) == (others, "different")


@row(SAME, [[SAME], [SAME, A, SAME]])
@row(A, [[A], [A, B, A]])
@row(DIFFERENT, [[SAME, DIFFERENT], [A, B], [A, DIFFERENT, SAME], [SAME, A, SAME, B]])
def test_a_link_ends_as_most_say_and_names_a_part_only_if_most_name_the_same_one(end: Any, votes: list[Any]):
    assert [link_outcome(answers) for answers in votes] == [end] * len(votes)


def test_the_next_task_goes_by_type_and_a_broken_chain_by_head_noun_in_reading_order():
    assert decide_verification(drawn_at_once=True) is VerificationVerdict.DRAW
    assert decide_verification(drawn_at_once=False) is VerificationVerdict.ASK
    assert split_by_head_noun([(4, "man"), (2, "men"), (7, "man"), (1, "guy"), (3, "men")]) == [[4, 7], [2, 3], [1]]


def linked(*texts: str, types: str = "people") -> Story:
    """One chain of mentions, one a caption."""
    story = started(*([(types, text)] for text in texts))
    return story.link(*((a, b) for a in range(len(texts)) for b in range(a + 1, len(texts))))


def test_a_chain_of_several_is_verified_and_one_judgment_decides():
    story = linked("a man", "the Man", "a guy")
    assert story.asked() == [(VERIFY, [0])]
    story.judge(VERIFY, "true")
    assert (story.chains(), story.asked(), story.chain().doubted) == ([[0, 1, 2]], [(DRAW, [0])], "")


def test_a_failed_chain_is_broken_and_its_parts_go_on_without_another_verification_where_their_own_types_lead():
    story = linked("a man", "a guy", "the Man", "two men").judged((VERIFY, "false"))
    assert story.chains() == [[0, 2], [1], [3]] and story.asked() == [(DRAW, [n]) for n in (0, 1, 3)]
    assert story.progress.sources[0, 1] is LinkSource.SPLIT and story.progress.sources[1, 3] is LinkSource.SPLIT
    assert story.progress.sources[0, 2] is not LinkSource.SPLIT
    story = started([("other/people", "a figure")], [("other", "a statue")]).link((0, 1)).judged((VERIFY, "false"))
    assert story.asked() == [(DRAW, [0]), (ASK, [1])]


def test_a_failed_chain_of_one_head_noun_goes_on_doubted_and_parts_are_named_by_their_first_mention():
    story = linked("a brown dog", "the Dog", types="animals").judged((VERIFY, "false"))
    assert (story.chains(), story.asked()) == ([[0, 1]], [(ASK, [0])])
    assert "verification failed" in story.chain().doubted
    story = linked("a dog", "dogs", "a dog", types="animals").judged((VERIFY, "false"))
    assert {name: chain.mentions for name, chain in story.progress.chains.items()} == {0: [0, 2], 1: [1]}
    assert story.state(1) is S.REQUIREMENT


CORRECT, WRONG = {"verdict": "correct"}, {"verdict": "wrong", "word": 1}


def fault(answer: Any, words: int = 4) -> str:
    return fault_in(CHECK, answer, 100, 80, words=words) or ""


@row("correct", "A caption check is")
@row({"verdict": "maybe"}, "A caption check is")
@row({"verdict": "wrong"}, "A caption check is")
@row({**CORRECT, "word": 1}, "A caption check is")
@row({**WRONG, "word": -1}, "A caption check is")
@row({**WRONG, "word": True}, "A caption check is")
@row({**WRONG, "word": 1.0}, "A caption check is")
@row({**WRONG, "right": "a" * 61}, "at most 60 characters")
@row({**WRONG, "right": None}, "A caption check is")
@row({**WRONG, "more": 1}, "A caption check is")
@row({**WRONG, "word": 4}, "The caption has 4 words, counted from 0: it has no word 4.")
@row({**WRONG, "right": "a\0b"}, "cannot be printed")
@row({**WRONG, "right": "a\nb"}, "cannot be printed")
def test_any_answer_to_a_caption_check_but_a_verdict_with_the_wrong_words_place_is_refused(answer: Any, words: str):
    assert words in fault(answer)
    for taken in (CORRECT, WRONG, {**WRONG, "word": 3}, {**WRONG, "right": "ä" * 60}):
        assert fault(taken) == "", taken


def test_words_are_the_parts_between_white_space() -> None:
    assert tokens("  A man,\tin a\u00a0hat . ") == ["A", "man,", "in", "a", "hat", "."]
    assert tokens_shown({"survey": {"caption": "a man in a hat"}}) == 5
    assert tokens_shown({"mentions": []}) == tokens_shown({"survey": {"atom": "hat"}}) == 0


@row(CORRECT, CORRECT, True)
@row(CORRECT, WRONG, False)
@row(WRONG, CORRECT, False)
@row(WRONG, {**WRONG, "right": "cat"}, True)
@row(WRONG, {**WRONG, "word": 2}, False)
@row({"verdict": "wrong"}, {**WRONG, "word": 2}, True)
def test_an_answer_is_right_by_its_verdict_and_the_words_place(truth: Any, answer: Any, right) -> None:
    assert is_right_check(truth, answer) is right


def test_an_atom_is_of_one_of_three_kinds_and_the_answer_to_it_is_yes_or_no() -> None:
    assert [category.value for category in AtomCategory] == ["entity", "action", "attribute"]
    assert CHOICES[Task.ATOM_VISUAL] == ("yes", "no")
    assert schema_of(Task.ATOM_VISUAL) == {"type": "string", "enum": ["yes", "no"]}


def test_three_votes_decide_and_a_tie_asks_once_more_and_one_vote_decides_where_one_is_needed() -> None:
    expected = dict.fromkeys(("", "yy", "yynn")) | {"yyn": "y", "nyn": "n", "nnn": "n", "yynny": "y", "ynnn": "n"}
    assert {votes: majority_verdict(votes, needed=3) for votes in expected} == expected
    assert majority_verdict("y", needed=1) == "y"
    unanimous = {"": False, "y": True, "yyy": True, "yyn": False}
    assert {votes: is_unanimous(votes) for votes in unanimous} == unanimous


YES_BOX, NO_BOX = RequirementVerdict.BOX, RequirementVerdict.NO_BOX


@row(None, ["", "2", "3", "0", "31", "10", "1010"])
@row(YES_BOX, ["1", "311", "101"])
@row(NO_BOX, ["23", "22", "03", "312", "10103"])
def test_box_wins_when_it_outnumbers_and_no_box_with_two_that_outnumber(verdict: Any, tallies: list[str]):
    votes = {tally: [RequirementAnswer(int(vote)) for vote in tally] for tally in tallies}
    found = {tally: decide_requirement(cast, no_box_votes=2) for tally, cast in votes.items()}
    assert found == dict.fromkeys(tallies, verdict)


@row(NonVisual.SCENE, ["22", "002", "3122"], ["23", "00"])
@row(NonVisual.NO_BOX, ["23", "00"], ["33", "003"])
def test_a_non_visual_chain_is_a_scene_by_votes_then_by_type(kind: NonVisual, others: list[str], scenes: list[str]):
    for voted in (others, scenes):
        for votes in voted:
            answers = [RequirementAnswer(int(vote)) for vote in votes]
            assert kind_of_non_visual(answers, has_scene_mention=voted is scenes) is kind, votes


def test_votes_since_the_last_fruitless_drawing_are_unresolved():
    expected = {(): [], (3,): [0], (3, 1): [0, 1], (1, 0): [], (0, 1): [1], (1, 0, 3, 1): [2, 3], (0, 3, 0, 1): [3]}
    assert {votes: list(unresolved([RequirementAnswer(vote) for vote in votes])) for votes in expected} == expected


def test_the_tally_is_read_before_a_question_is_opened_and_its_tie_broken_by_a_mention_of_type_scene():
    story = started([DOG], settings=Settings(no_box_votes=1)).judged((ASK, 1, 1), (DRAW, NONE_MISSING, 2))
    assert story.state() is S.REQUIREMENT
    story = started([MAN], settings=Settings(no_box_votes=1)).judged((DRAW, NONE_MISSING, 2))
    assert (story.state(), story.asked()) == (S.NON_VISUAL, [])
    assert started([PARK]).no_box(answers=(3, 2)).chain().non_visual == "scene"


def test_a_box_goes_to_quality_as_it_was_drawn_and_is_no_fruitless_drawing_once_it_is_voided():
    story = started([MAN], settings=Settings(fruitless_drawings=1))
    entry, box = story.judge(DRAW, BOX, worker=3), story.progress.boxes[0]
    assert (box.box, box.state, box.worker, box.entry) == (Box(10, 10, 50, 50), BoxState.PENDING, 3, entry)
    assert story.asked() == [(JUDGE, [0, 0])]
    story.void(entry)
    assert story.state() is S.DRAWING


def test_a_good_box_is_accepted_and_its_drawer_does_not_judge_the_visit():
    story = started([MAN]).judged((DRAW, BOX, 3))
    entry = story.judge(JUDGE, "good", worker=4)
    assert (story.progress.boxes[0].state, story.progress.boxes[0].accepted) == (BoxState.ACCEPTED, entry)
    assert story.asked() == [(COVER, [0])]
    assert story.question(COVER).barred == [3], "who judged the quality may judge the coverage"


ENDS = (S.COMPLETE, S.NON_VISUAL, S.REVIEW)


def test_belief_goes_from_any_box_task_to_any_other_and_to_every_end_and_moves_no_chain_that_rests():
    assert [TASK_OF_STATE[state] for state in BOXING] == [ASK, DRAW, JUDGE, COVER]
    assert {new for state, _ in TRANSITIONS for new in AFTER.values()} == {*BOXING, *ENDS}
    assert all(step(state, verdict, TRANSITIONS) is after for state in BOXING for verdict, after in AFTER.items())
    for state in ENDS:
        with pytest.raises(IllegalStepError):
            step(state, BoxVerdict.DRAW, TRANSITIONS)


EVERYTHING = Needs({LINK: lambda accuracy, answers: (accuracy - 0.5) * answers / 3}, seed=True, inactive=(8, 7))
FACTS: dict[str, Any] = {"task": LINK, "by_model": True, "checked": (0.6, 10), "seed": 3, "inactive": [9, 8, 7]}


@row(FACTS, EntryContext(0.333, by_model=True, seed=3, inactive=(7, 8)))
@row(FACTS | {"task": JUDGE}, EntryContext(seed=3, inactive=(7, 8)))
@row(FACTS | {"task": None}, EntryContext(seed=3, inactive=(7, 8)))
@row(FACTS | {"checked": None}, EntryContext(by_model=True, seed=3, inactive=(7, 8)))
@row({"on_loan": [4, 2]}, EntryContext(on_loan=(4, 2)))
@row({}, NO_CONTEXT)
def test_of_the_facts_those_are_kept_that_are_needed(facts: dict[str, Any], context: EntryContext) -> None:
    assert context_of(EVERYTHING, **facts) == context
    assert context_of(NO_NEEDS, **facts) == EntryContext(on_loan=context.on_loan)


def test_a_skill_that_rounds_to_nothing_is_the_usual_one() -> None:
    context = context_of(EVERYTHING, task=LINK, checked=(0.49999, 1))
    assert context.to_json() is None and str(context.skill) == "0.0"


@row(NO_CONTEXT, None)
@row(EntryContext(skill=-0.5), {"skill": -0.5})
@row(EntryContext(by_model=True, inactive=(1,)), {"by_model": True, "inactive": [1]})
@row(EntryContext(seed=5, on_loan=(0, 2)), {"seed": 5, "on_loan": [0, 2]})
def test_a_stored_context_is_read_back(context: EntryContext, stored: dict[str, Any] | None) -> None:
    assert json.loads(json.dumps(context.to_json())) == stored and EntryContext.from_json(stored) == context
