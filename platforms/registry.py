"""The platforms by name."""

from collections.abc import Callable
from typing import cast

from django.utils.module_loading import import_string

from platforms.contract import Platform
from platforms.errors import PlatformOffError
from platforms.invitations import NAME as INVITATIONS
from platforms.invitations import InvitationPlatform
from platforms.mturk import NAME as MTURK
from platforms.mturk import check_mturk
from platforms.prolific import NAME as PROLIFIC
from platforms.prolific import check_prolific


def _loaded(check: Callable[[], None], maker: str) -> Callable[[], Platform]:
    """Return what makes the platform. Only one that is set up is imported: they load clients for HTTP and for AWS."""

    def make() -> Platform:
        check()
        return cast(Platform, import_string(maker)())

    return make


PLATFORMS: dict[str, Callable[[], Platform]] = {
    INVITATIONS: InvitationPlatform,
    MTURK: _loaded(check_mturk, "platforms.mturk.platform.mturk_platform"),
    PROLIFIC: _loaded(check_prolific, "platforms.prolific.platform.prolific_platform"),
}


def find_platform(name: str) -> Platform:
    """Return the platform. Raises PlatformOffError if there is no platform of this name, or it is not set up."""
    if name not in PLATFORMS:
        raise PlatformOffError(f"There is no platform {name!r}. Choose one of {', '.join(sorted(PLATFORMS))}.")
    return PLATFORMS[name]()


def platforms_set_up() -> list[Platform]:
    """Return the platforms that the settings switch on."""
    found = []
    for name in PLATFORMS:
        try:
            found.append(find_platform(name))
        except PlatformOffError:
            continue
    return found
