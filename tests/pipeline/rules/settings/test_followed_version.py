"""The version that an image follows, from the versions and the last entry of the image alone."""

from pipeline.rules.settings.followed_version import Version, begun_from, followed_version

PLAIN = [Version(1, None), Version(2, None)]
SPARED = [Version(1, None), Version(2, 2), Version(3, 2), Version(4, 4)]


def test_a_begun_image_takes_the_newest_version_that_does_not_leave_it_behind():
    for versions, last, wanted in [
        (PLAIN, None, 2),
        (PLAIN, 1, 2),
        (SPARED, None, 4),
        (SPARED, 1, 1),
        (SPARED, 2, 3),
        (SPARED, 3, 3),
        (SPARED, 4, 4),
        ([*SPARED, Version(5, None)], 1, 5),
    ]:
        assert followed_version(versions, last) == wanted, f"{last} of {versions}"


def test_no_image_ever_goes_back_to_an_older_version():
    for last in range(1, 5):
        assert followed_version(SPARED, last) >= last


def test_only_a_version_that_changes_images_decides_anew_which_of_them_follow():
    assert begun_from(5, before=2, begun_follow=False, changes_images=False) == 2
    assert begun_from(5, before=2, begun_follow=True, changes_images=False) == 2
    assert begun_from(5, before=2, begun_follow=True, changes_images=True) is None
    assert begun_from(5, before=None, begun_follow=False, changes_images=True) == 5
