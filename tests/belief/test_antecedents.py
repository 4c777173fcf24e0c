"""Antecedents in long captions: the facts, their chances, and weights that answers teach."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest

from annotation.rules.link_group import link_group
from annotation.rules.transitivity import LinkMention, can_corefer, part_of
from belief.links.answer_model import PAPER_ERRORS, LinkAnswer
from belief.links.antecedents import (
    ANTECEDENT_FEATURES,
    DEFAULT_ANTECEDENTS,
    OF_BEGINNING,
    OF_TWO,
    Antecedents,
    antecedent_facts,
    antecedents_of,
)
from belief.links.fit_antecedents import expect, long_group
from belief.links.link_prior import DEFAULT, LinkPrior
from belief.links.partitions import ruled_out_matrix
from belief.links.refit_from_answers import JudgedGroup, refit_from_answers
from tests.support.link_groups import people

STORY = (
    "a woman people 0", "two dogs animals 0", "she people 1", "the woman people 2",
    "them animals 2", "a woman people 3", "he people 3",
)  # fmt: skip


def mentions_of(*story: str, captions: int = 1) -> tuple[LinkMention, ...]:
    """Make mentions of words, a type and the number of a sentence, spread over the captions in turn."""
    made = []
    for number, text in enumerate(story):
        *words, kind, sentence = text.split()
        pronoun = len(words) == 1
        place = number * captions // len(story), 4 * number
        part = part_of(int(sentence), place[1])
        made.append(LinkMention(number, *place, frozenset([kind]), words[-1], tuple(words), part=part, pronoun=pronoun))
    return tuple(made)


def facts(earlier: int, later: int, story: tuple[str, ...] = STORY) -> set[str]:
    of_two, _ = antecedent_facts(mentions_of(*story))
    assert not of_two[later, earlier].any(), "only the earlier one can be the antecedent"
    return {name for name, value in zip(OF_TWO, of_two[earlier, later], strict=True) if value}


def beginning(place: int, story: tuple[str, ...] = STORY) -> set[str]:
    _, of_beginning = antecedent_facts(mentions_of(*story))
    return {name for name, value in zip(OF_BEGINNING, of_beginning[place], strict=True) if value}


def chances(mentions: tuple[LinkMention, ...]) -> Antecedents:
    ruled_out = ruled_out_matrix(link_group(mentions).ruled_out)
    return antecedents_of(antecedent_facts(mentions), DEFAULT_ANTECEDENTS, ruled_out)


def test_a_thing_is_named_again_with_the_and_both_and_anew_with_an_article_or_every_number() -> None:
    assert {"same words", "named again"} & facts(0, 3) == {"named again"}
    assert {"same words", "named anew"} <= facts(0, 5)
    for begins in ("one", "two", "four", "ten", "3", "several", "another", "some"):
        assert "named anew" in facts(0, 1, ("the dogs animals 0", f"{begins} dogs animals 1")), begins
    assert "named again" in facts(0, 1, ("two dogs animals 0", "both dogs animals 1"))


def test_a_pronoun_agrees_in_gender_and_number_or_it_differs_and_stands_close_by() -> None:
    assert {"pronoun agrees", "pronoun close by"} <= facts(0, 2)
    assert "pronoun differs" in facts(5, 6) & facts(1, 2)
    assert "pronoun close by" not in facts(0, 4) and "noun after pronoun" in facts(2, 3)


def test_nouns_of_one_sentence_and_the_mentions_between_are_facts_of_one_caption() -> None:
    assert "nouns of one sentence" in facts(0, 1) - facts(0, 3)
    of_two, _ = antecedent_facts(
        mentions_of(*["a dog animals 0", "a dog animals 1", "a dog animals 2"] * 2, captions=2)
    )
    between, another = of_two[..., OF_TWO.index("mentions between")], of_two[..., OF_TWO.index("another caption")]
    assert between[0, 2] == pytest.approx(np.log(2)) and between[0, 4] == 0 and (another[0, 4], another[0, 2]) == (1, 0)


def test_what_begins_a_chain_is_told_by_its_first_word_and_its_length() -> None:
    assert {"begins", "indefinite begins"} == beginning(0)
    assert "definite begins" in beginning(3) and {"pronoun begins", "single word begins"} <= beginning(2)
    assert "long phrase begins" in beginning(0, ("a very old man people 0",))


def test_the_chances_of_a_mention_add_up_to_one_and_what_cannot_be_has_none() -> None:
    mentions = mentions_of(*STORY)
    join, begin = chances(mentions)
    assert join.sum(axis=0) + begin == pytest.approx(np.ones(len(mentions)))
    for one, other in combinations(range(len(mentions)), 2):
        assert (join[one, other] > 0) == can_corefer(mentions[one], mentions[other])
    assert begin[0] == 1


def test_a_pronoun_most_likely_stands_for_what_agrees_and_was_named_last() -> None:
    join, begin = chances(mentions_of("a man people 0", "a woman people 0", "a man people 1", "he people 1"))
    assert join[:, 3].argmax() == 2 and join[1, 3] < join[0, 3] < join[2, 3] > begin[3]


def test_captions_that_are_whole_and_have_no_pronouns_have_no_antecedents() -> None:
    assert DEFAULT.weights(people(3)).antecedents is None
    annotated = LinkMention(9, 2, 0, frozenset(["people"]), "she", ("she",))
    assert DEFAULT.weights([*people(2), annotated]).antecedents is None, "of another type, in sets annotated before"
    weights = DEFAULT.weights(mentions_of(*STORY))
    assert weights.antecedents is not None and not weights.words.any()


# --- What answers teach ---

HEADS = ("dog", "cat", "horse")


def stories(number: int, asked: float, *, by_head: bool = True) -> list[JudgedGroup]:
    """Make stories whose mentions are one thing where their heads are equal, or never. `asked`: the share of pairs."""
    chance = Random(0)
    made = []
    for _ in range(number):
        mentions = mentions_of(*(f"the {chance.choice(HEADS)} animals {place}" for place in range(8)))
        answers = {
            (one.number, other.number): [LinkAnswer(by_head and one.head == other.head)] * 2
            for one, other in combinations(mentions, 2)
            if chance.random() < asked
        }
        made.append(JudgedGroup(mentions, answers))
    return made


@pytest.mark.parametrize("asked", [1.0, 0.3], ids=["all pairs", "some pairs"])
def test_answers_teach_what_makes_an_antecedent(asked: float) -> None:
    def chance_of_a_dog(prior: LinkPrior) -> float:
        join = prior.weights(mentions_of("the dog animals 0", "the cat animals 1", "the dog animals 2")).antecedents
        assert join is not None
        return float(join[0, 2])

    given = replace(DEFAULT, antecedents={})
    alike = refit_from_answers(stories(20, asked), given)
    never = refit_from_answers(stories(20, asked, by_head=False), given)
    assert alike.groups == never.groups == 20
    assert chance_of_a_dog(alike.prior) > 0.6 > chance_of_a_dog(given) > 0.3 > chance_of_a_dog(never.prior)


def test_few_answers_change_little_and_none_change_nothing() -> None:
    assert refit_from_answers(stories(3, 0), DEFAULT).prior == DEFAULT
    found = refit_from_answers(stories(1, 0.2), DEFAULT).prior.antecedents
    assert all(abs(found[name] - DEFAULT.antecedents.get(name, 0.0)) < 0.3 for name in ANTECEDENT_FEATURES)


def test_the_errors_of_the_crowd_are_learned_from_long_captions_too() -> None:
    chance, careless = Random(1), []
    for group in stories(30, 1.0):
        answers = {
            pair: [LinkAnswer(answer.same != (chance.random() < 0.2)) for answer in [*said, *said]]
            for pair, said in group.answers.items()
        }
        careless.append(group._replace(answers=answers))
    errors = refit_from_answers(careless, DEFAULT, imagined=1).errors
    assert 0.1 < errors.false_positive < 0.3 and 0.1 < errors.false_negative <= 0.3


def test_what_model_annotators_say_of_long_captions_counts_as_in_short_ones() -> None:
    mentions = mentions_of("a dog animals 0", "the animal animals 1")
    expected = [
        expect(long_group(mentions, {}, {(0, 1): ratio}), DEFAULT_ANTECEDENTS, PAPER_ERRORS).same[0, 1]
        for ratio in (-4.0, 0.0, 4.0)
    ]
    assert expected == sorted(expected) and expected[0] < 0.1 < 0.9 < expected[2]
    judged = stories(20, 1.0)
    different = [
        group._replace(
            answers={pair: said[:1] for pair, said in group.answers.items()},
            model_evidence=dict.fromkeys(group.answers, -50.0),
        )
        for group in judged
    ]
    assert (
        refit_from_answers(different, DEFAULT).errors.false_positive
        > refit_from_answers(judged, DEFAULT).errors.false_positive
    )


def test_what_is_expected_of_antecedents_are_chances_that_follow_the_answers() -> None:
    mentions = mentions_of("a dog animals 0", "the cat animals 1", "the animal animals 2")
    for same in (True, False):
        group = long_group(mentions, {(0, 2): (LinkAnswer(same),) * 4}, {})
        (join, begin), together, _ = expect(group, DEFAULT_ANTECEDENTS, PAPER_ERRORS)
        assert join.sum(axis=0) + begin == pytest.approx(np.ones(3))
        assert (together[0, 2] > 0.9) == same == (begin[2] < 0.1), together[0, 2]
