"""The row in which weights are fitted."""

from pipeline.rules.linking.fits.prior_layout import LEAST_SEEN, layout_of, prior_of, telling_heads, weights_of
from pipeline.rules.linking.prior.link_prior import ALIKE, LinkPrior
from pipeline.rules.linking.transitivity import LinkMention

GUY = LinkMention(0, 0, 0, frozenset({"people"}), "guy")
MAN = LinkMention(1, 1, 0, frozenset({"people"}), "man")
KNOWN = LinkPrior(
    sizes={"": (0.5, 0.0, -1.0, -2.0, -3.0), "scene": (1.5, 0.0, -1.0, -2.0, -3.0)},
    pairs={"same head": 1.25, ALIKE: 0.5},
    alike={"guy man": 2.0},
    heads={"boy kid": 0.75},
)


def test_a_prior_comes_back_from_its_row() -> None:
    layout = layout_of([[GUY, MAN]], KNOWN)
    again = prior_of(weights_of(KNOWN, layout), layout, fitted_on=3)
    assert (again.alike, again.heads, again.fitted_on) == (KNOWN.alike, KNOWN.heads, 3)
    assert again.sizes == {**KNOWN.sizes, "people": KNOWN.sizes[""]}
    assert {name: weight for name, weight in again.pairs.items() if weight} == KNOWN.pairs


def test_pairs_of_heads_that_enough_groups_have_are_telling() -> None:
    assert telling_heads([[GUY, MAN]] * LEAST_SEEN) == ["guy man"]
    assert telling_heads([[GUY, MAN]] * (LEAST_SEEN - 1)) == []
    assert telling_heads([[GUY, MAN._replace(caption=0)]] * LEAST_SEEN) == []


def test_another_table_of_heads_takes_the_place_of_the_old_one() -> None:
    assert layout_of([], KNOWN, {"cap hat": 1.0}).alike == {"cap hat": 1.0}
    assert layout_of([], KNOWN).alike == KNOWN.alike
