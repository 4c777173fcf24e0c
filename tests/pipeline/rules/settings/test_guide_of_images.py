"""The paper's values of the settings that act on images."""

from pipeline.rules.settings.guide_of_images import OF_IMAGES


def test_the_defaults_are_the_papers_values():
    assert [one.name for one in OF_IMAGES if not one.is_as_paper(one.default)] == []


def test_types_in_another_order_are_still_the_papers():
    (types,) = [one for one in OF_IMAGES if one.name == "drawn_at_once"]
    assert types.is_as_paper(("clothing", "people", "body parts"))
    assert not types.is_as_paper(("clothing", "people"))
