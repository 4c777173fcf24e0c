"""Facts about mentions of long captions, and about pronouns."""

from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.prior.narration_features import (
    WEIGHTS,
    last_links,
    narration_features,
    narration_scores,
)
from pipeline.rules.linking.transitivity import LinkMention, part_of
from tests.support.link_groups import people

STORY = (
    "a woman people 0",
    "two dogs animals 0",
    "she people 1",
    "the woman people 2",
    "them animals 2",
    "a woman people 3",
    "he people 3",
)


def told(*mentions: str) -> tuple[LinkMention, ...]:
    made = []
    for number, text in enumerate(mentions):
        *words, kind, sentence = text.split()
        pronoun, start = len(words) == 1, 4 * number
        part = part_of(int(sentence), start, pronoun=pronoun)
        one = LinkMention(number, 0, start, frozenset([kind]), words[-1], tuple(words), part=part, pronoun=pronoun)
        made.append(one)
    return tuple(made)


def facts(one: int, other: int, story: tuple[str, ...] = STORY) -> set[str]:
    values = narration_features(told(*story))
    assert (values[one, other] == values[other, one]).all()
    return {name for name, value in zip(WEIGHTS, values[one, other], strict=True) if value}


def test_a_thing_is_named_again_with_the_and_anew_with_an_article_or_a_number() -> None:
    assert facts(0, 3) == {"one caption", "same words", "named again"}
    assert facts(0, 5) == {"one caption", "same words", "named anew"}


def test_every_number_names_anew_and_both_names_again() -> None:
    for begins in ("one", "two", "four", "ten", "3", "several", "another", "some"):
        assert "named anew" in facts(0, 1, ("the dogs animals 0", f"{begins} dogs animals 1")), begins
    assert "named again" in facts(0, 1, ("two dogs animals 0", "both dogs animals 1"))


def test_a_pronoun_agrees_in_gender_and_number_or_it_differs() -> None:
    assert facts(0, 2) == {"one caption", "pronoun agrees"}
    assert "pronoun differs" in facts(5, 6) & facts(1, 2)


def test_a_pronoun_most_likely_stands_for_what_was_named_last() -> None:
    likely = {(min(pair), max(pair)) for pair in zip(*last_links(told(*STORY)).nonzero(), strict=True)}
    assert likely == {(0, 2)}, "the dogs were named too long ago, and no man was named"


def test_nothing_changes_where_captions_are_whole_and_have_no_pronouns() -> None:
    assert narration_scores(people(3)) is None
    annotated = LinkMention(9, 2, 0, frozenset(["people"]), "she", ("she",))
    assert narration_scores([*people(2), annotated]) is None, "of another type, as in sets that were annotated before"


def test_the_prior_counts_the_facts() -> None:
    woman, she = told(*STORY[::2])[:2]
    alone = DEFAULT.scores([woman, she])[0][0, 1]
    differs = DEFAULT.scores([woman, she._replace(words=("he",), head="he")])[0][0, 1]
    assert alone > 0 > differs


def test_a_chain_seldom_begins_with_a_pronoun() -> None:
    she = told("she people 0")[0]
    as_noun, as_pronoun = (DEFAULT.scores([one])[1][0] for one in (she._replace(pronoun=False), she))
    assert (as_pronoun < as_noun - 2).all()
